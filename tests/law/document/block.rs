//! Block collections and block scalars.

use super::{MAX_DEPTH, Quoting, Writer, scalar::Position};
use crate::template::{Chomping, ScalarProperties};

/// Text inside block scalars, in source form.
const BLOCK: &[&str] = &[
    "a",
    " ",
    "foo: bar",
    "# no comment",
    "- x",
    "'",
    "\"",
    "\\n",
    "é",
    "${OTHER}",
    "${infra}",
    "{{ x }}",
    "|",
    "\t",
    "😀",
    "  ",
];

impl Writer<'_, '_> {
    /// Writes entries in this column, the first at the current position.
    pub(super) fn block_mapping(&mut self, column: usize) {
        self.depth += 1;
        for nth in 0..1 + self.choices.below(3) {
            if nth > 0 {
                self.between(column);
            }
            self.entry(column);
        }
        self.depth -= 1;
    }

    /// Likewise writes items in this column.
    pub(super) fn block_sequence(&mut self, column: usize) {
        self.depth += 1;
        for nth in 0..1 + self.choices.below(3) {
            if nth > 0 {
                self.between(column);
            }
            self.push("-");
            self.value(column, true);
        }
        self.depth -= 1;
    }

    /// Begins a further member: its indentation, perhaps after a comment.
    fn between(&mut self, column: usize) {
        if self.choices.one_in(10) {
            self.pad(column);
            self.push("# ${infra.v0} is: [a comment\n");
        }
        self.pad(column);
    }

    fn entry(&mut self, column: usize) {
        let position = Position {
            flow: false,
            key: true,
            lines_at: None,
        };
        let properties = ScalarProperties {
            key: true,
            ..ScalarProperties::default()
        };
        let form = self.choices.below(8);
        let explicit = form == 6;
        match form {
            3 => self.plain(
                position,
                ScalarProperties {
                    plain: true,
                    ..properties
                },
            ),
            4 => self.quoted(position, properties, Quoting::Double),
            5 => self.quoted(position, properties, Quoting::Single),
            6 => {
                // An explicit key: it may have several lines, and be a block.
                self.push("? ");
                if self.choices.one_in(2) {
                    self.block_scalar_in(Some(column), properties);
                } else {
                    let position = Position {
                        lines_at: Some(column + 1),
                        ..position
                    };
                    self.quoted(position, properties, Quoting::Double);
                    self.line_end();
                }
                self.pad(column);
            }
            7 => {
                let anchor = self.anchor();
                let key = self.fresh_key();
                self.push(&key);
                // The key must be complete before an alias refers to it.
                self.complete(anchor);
            }
            _ => {
                let key = self.fresh_key();
                self.push(&key);
            }
        }
        if !explicit && self.choices.one_in(8) {
            self.push(" ");
        }
        self.push(":");
        self.value(column, false);
    }

    /// Writes what follows `key:` or `-` of a collection in this column, including its
    /// line break.
    fn value(&mut self, column: usize, item: bool) {
        let deeper = self.depth < MAX_DEPTH && self.choices.any_left();
        match self.choices.below(14) {
            4 | 5 => {
                self.push(" ");
                self.block_scalar(Some(column));
            }
            6 | 7 if deeper => self.nested(column, item, true),
            8 | 9 if deeper => self.nested(column, item, false),
            10 => {
                self.push(" ");
                let anchor = self.anchor();
                self.flow_collection(column + 2);
                self.complete(anchor);
                self.line_end();
            }
            11 if !self.anchors.is_empty() => {
                self.push(" ");
                self.alias();
                self.line_end();
            }
            12 => {
                // The node on a line of its own, perhaps after a comment.
                self.line_end();
                if self.choices.one_in(4) {
                    self.pad(column + 1);
                    self.push("# ${infra.v1}: | [\n");
                }
                let more = self.choices.pick(&[2, 1, 4]);
                self.pad(column + more);
                if self.choices.one_in(4) {
                    self.block_scalar(Some(column));
                } else {
                    self.item = item;
                    self.scalar(Position {
                        flow: false,
                        key: false,
                        lines_at: Some(column + 1),
                    });
                    self.line_end();
                }
            }
            _ => {
                let blanks = self.choices.pick(if item {
                    &[" ", " ", "   "]
                } else {
                    &[" ", "   ", "\t"]
                });
                self.push(blanks);
                self.item = item;
                self.scalar(Position {
                    flow: false,
                    key: false,
                    lines_at: Some(column + 1),
                });
                self.line_end();
            }
        }
    }

    /// Writes a block collection inside another.
    fn nested(&mut self, column: usize, item: bool, mapping: bool) {
        let compact = item && !self.choices.one_in(4);
        let mut inner = column + 2;
        let mut anchor = None;
        if compact {
            self.push(" ");
        } else {
            self.push(" ");
            anchor = self.anchor();
            self.line_end();
            if !mapping && !item && self.choices.one_in(2) {
                inner = column;
            }
            self.pad(inner);
        }
        if mapping {
            self.block_mapping(inner);
        } else {
            self.block_sequence(inner);
        }
        self.complete(anchor);
    }

    /// Writes a block scalar in a collection in this column; `None` for the root.
    pub(super) fn block_scalar(&mut self, column: Option<usize>) {
        let anchor = self.anchor();
        let tag = self.choices.pick(&["", "", "", "!!str ", "!local "]);
        self.push(tag);
        self.block_scalar_in(column, ScalarProperties::default());
        self.complete(anchor);
    }

    fn block_scalar_in(&mut self, column: Option<usize>, properties: ScalarProperties) {
        self.template.open();
        let folded = self.choices.one_in(2);
        let chomping = self
            .choices
            .pick(&[Chomping::Clip, Chomping::Strip, Chomping::Keep]);
        let more = self.choices.pick(&[2, 1, 4]);
        // Parsers disagree on what the digit is relative to at the root.
        let explicit = column.is_some() && self.choices.one_in(3);
        let column = column.unwrap_or(0) + more;
        let sign = match chomping {
            Chomping::Clip => "",
            Chomping::Strip => "-",
            Chomping::Keep => "+",
        };
        let digit = if explicit {
            more.to_string()
        } else {
            String::new()
        };
        let style = if folded { ">" } else { "|" };
        let header = if self.choices.one_in(2) {
            format!("{style}{sign}{digit}")
        } else {
            format!("{style}{digit}{sign}")
        };
        self.push(&header);
        let end = self.choices.pick(&["\n", "\n", " # ${infra.v0}\n", "  \n"]);
        self.push(end);
        let properties = ScalarProperties {
            chomping: Some(chomping),
            ..properties
        };
        for nth in 0..1 + self.choices.below(4) {
            self.blank_lines(column);
            self.pad(column);
            let indented = (explicit || nth > 0) && self.choices.one_in(6);
            if indented {
                self.pad(2);
            }
            self.block_line(nth, column, folded && !indented, properties);
        }
        self.blank_lines(column);
        self.template.close();
    }

    /// Writes one line with text in it, including its line break. `folds`: a break inside
    /// a reference would become a space.
    fn block_line(&mut self, nth: usize, column: usize, folds: bool, properties: ScalarProperties) {
        let line_break = format!("\n{}", " ".repeat(column));
        let parts = if self.choices.one_in(2) {
            2 + self.choices.below(3)
        } else {
            1
        };
        for part in 0..parts {
            if self.wants_reference() {
                let line_break = Some(line_break.as_str()).filter(|_| folds && part == 0);
                self.reference(Quoting::None, line_break, properties);
            } else {
                let text = self.choices.pick(BLOCK);
                // Leading spaces of the first line would count as indentation.
                self.push(if part == 0 && nth == 0 { "x" } else { text });
            }
        }
        if properties.key && nth == 0 {
            let key = self.fresh_key();
            self.push(&key);
        }
        self.push("\n");
    }

    /// Writes any number of lines without text.
    fn blank_lines(&mut self, column: usize) {
        let lines = self.choices.pick(&[0, 0, 0, 0, 1, 2]);
        for _ in 0..lines {
            let blanks = self.choices.pick(&[0, 0, column.min(1), column]);
            self.pad(blanks);
            self.push("\n");
        }
    }
}
