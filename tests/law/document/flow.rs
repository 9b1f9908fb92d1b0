//! Flow collections, and JSON.

use super::{MAX_DEPTH, Quoting, Writer, scalar::Position};
use crate::template::ScalarProperties;

impl Writer<'_, '_> {
    /// Writes `[…]` or `{…}`; further lines begin in column `column`.
    pub(super) fn flow_collection(&mut self, column: usize) {
        self.depth += 1;
        let mapping = self.choices.one_in(2);
        self.push(if mapping { "{" } else { "[" });
        let members = self.choices.below(4);
        for nth in 0..members {
            if nth > 0 {
                match self.choices.below(5) {
                    3 => {
                        self.push(",\n");
                        self.pad(column);
                    }
                    4 => {
                        self.push(", # ${infra.v0}, [\n");
                        self.pad(column);
                    }
                    _ => self.push(", "),
                }
            }
            if mapping {
                self.flow_pair(column);
            } else if self.choices.one_in(8) {
                // A single-pair mapping without braces.
                self.flow_pair(column);
            } else {
                self.flow_node(column, true);
            }
        }
        if members > 0 && self.choices.one_in(8) {
            self.push(" ,");
        }
        self.push(if mapping { "}" } else { "]" });
        self.depth -= 1;
    }

    fn flow_pair(&mut self, column: usize) {
        let properties = ScalarProperties {
            key: true,
            ..ScalarProperties::default()
        };
        let position = Position {
            flow: true,
            key: true,
            lines_at: None,
        };
        match self.choices.below(4) {
            1 => self.plain(
                position,
                ScalarProperties {
                    plain: true,
                    ..properties
                },
            ),
            2 => self.quoted(position, properties, Quoting::Double),
            3 => self.quoted(position, properties, Quoting::Single),
            _ => {
                let key = self.fresh_key();
                self.push(&key);
            }
        }
        self.push(": ");
        self.flow_node(column, false);
    }

    fn flow_node(&mut self, column: usize, item: bool) {
        match self.choices.below(8) {
            6 if self.depth < MAX_DEPTH => self.flow_collection(column),
            7 if !self.anchors.is_empty() => self.alias(),
            _ => {
                self.item = item;
                self.scalar(Position {
                    flow: true,
                    key: false,
                    lines_at: Some(column),
                });
            }
        }
    }

    pub(super) fn alias(&mut self) {
        let nth = self.choices.below(self.anchors.len());
        let name = format!("*{} ", self.anchors[nth]);
        self.push(&name);
    }

    /// Writes an object in JSON, except for references in place of values.
    pub(super) fn json(&mut self) {
        self.depth += 1;
        self.push("{");
        for nth in 0..1 + self.choices.below(4) {
            if nth > 0 {
                self.push(", ");
            }
            let properties = ScalarProperties {
                key: true,
                ..ScalarProperties::default()
            };
            self.quoted(
                Position {
                    flow: true,
                    key: true,
                    lines_at: None,
                },
                properties,
                Quoting::Double,
            );
            let colon = self.choices.pick(&[": ", ":"]);
            self.push(colon);
            match self.choices.below(5) {
                1 => self.push("[1, true, null]"),
                2 if self.depth < MAX_DEPTH => self.json(),
                3 => {
                    self.template.open();
                    self.item = false;
                    if self.members {
                        let plain = ScalarProperties {
                            plain: true,
                            ..ScalarProperties::default()
                        };
                        self.member(Quoting::None, plain);
                        self.template.close();
                        continue;
                    }
                    self.reference(
                        Quoting::None,
                        None,
                        ScalarProperties {
                            plain: true,
                            ..ScalarProperties::default()
                        },
                    );
                    self.template.close();
                }
                _ => {
                    let position = Position {
                        flow: true,
                        key: false,
                        lines_at: None,
                    };
                    self.item = false;
                    self.quoted(position, ScalarProperties::default(), Quoting::Double);
                }
            }
        }
        self.push("}");
        self.depth -= 1;
    }
}
