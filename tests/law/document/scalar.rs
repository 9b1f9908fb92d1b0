//! Scalars on one line and on several, with references in them.

use super::{Quoting, Writer};
use crate::template::ScalarProperties;

/// The position of a scalar.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) flow: bool,
    pub(super) key: bool,
    /// The column in which further lines begin; `None` if it has one line.
    pub(super) lines_at: Option<usize>,
}

/// Text that begins and ends plain scalars in any context.
const PLAIN_ENDS: &[&str] = &[
    "a", "foo", "1", "v1.2", "é", "日本", "-x", "x/y", "true", "😀",
];
/// Text inside plain scalars outside flow.
const PLAIN: &[&str] = &[
    "a",
    "b c",
    "x:y",
    "x#y",
    "it's",
    "\"q\"",
    "=",
    "%",
    "@",
    ",",
    "[0]",
    "x${OTHER}",
    "$x",
    "{{ .v }}",
    "${infra}",
    "!",
    "&",
    "*",
];
/// Text inside plain scalars in flow.
const PLAIN_IN_FLOW: &[&str] = &["a", "b c", "x#y", "it's", "=", "%", "@", "$x", "\\"];
/// Text inside single quotes, in source form.
const SINGLE_QUOTED: &[&str] = &[
    "a",
    "''",
    " ",
    ": ",
    " #",
    "\"",
    "\\",
    "{",
    "]",
    "é",
    "${OTHER}",
    "${infra:csv}",
    "{{ x }}",
    "---",
    "\\n",
    "😀",
];
/// Text inside double quotes, in source form.
const DOUBLE_QUOTED: &[&str] = &[
    "a",
    "\\\"",
    "\\\\",
    "\\n",
    "\\t",
    " ",
    ": ",
    " #",
    "'",
    "{",
    "]",
    "é",
    "\\u00e9",
    "\\x41",
    "\\/",
    "\\u2028",
    "\\N",
    "\\_",
    "\\e",
    "\\0",
    "\\ ",
    "${OTHER}",
    "${infra}",
    "\\U0001F600",
    "\\u0024",
];

impl Writer<'_, '_> {
    /// Writes a scalar with its anchor and tag.
    pub(super) fn scalar(&mut self, position: Position) {
        let anchor = if position.key { None } else { self.anchor() };
        let tag = match self.choices.below(14) {
            10 if !position.key => "!!str ",
            11 if !position.key => "!local ",
            12 if !position.key => "!<tag:yaml.org,2002:str> ",
            _ => "",
        };
        self.push(tag);
        let properties = ScalarProperties {
            key: position.key,
            tagged_text: tag.ends_with("str ") || tag.ends_with("str> "),
            ..ScalarProperties::default()
        };
        match self.choices.below(3) {
            0 => self.plain(
                position,
                ScalarProperties {
                    plain: true,
                    ..properties
                },
            ),
            1 => self.quoted(position, properties, Quoting::Double),
            _ => self.quoted(position, properties, Quoting::Single),
        }
        self.complete(anchor);
    }

    pub(super) fn plain(&mut self, position: Position, properties: ScalarProperties) {
        let line_break = self.line_break(position);
        // In flow a reference must end on its line: what follows the break is read before
        // the parser knows whether it belongs to one.
        let in_reference = line_break.as_deref().filter(|_| !position.flow);
        self.template.open();
        let parts = if self.choices.one_in(2) {
            2 + self.choices.below(3)
        } else {
            1
        };
        for nth in 0..parts {
            if parts == 1 && !properties.key && self.wants_member() {
                self.member(Quoting::None, properties);
            } else if self.wants_reference() {
                self.reference(Quoting::None, in_reference, properties);
            } else if nth == 0 || nth + 1 == parts {
                let text = self.choices.pick(PLAIN_ENDS);
                self.push(text);
            } else if let Some(line_break) =
                line_break.as_deref().filter(|_| self.choices.one_in(4))
            {
                self.push(line_break);
            } else {
                let inner = if position.flow { PLAIN_IN_FLOW } else { PLAIN };
                let text = self.choices.pick(inner);
                self.push(text);
            }
        }
        if properties.key && self.template.references().is_empty() {
            let key = self.fresh_key();
            self.push(&key);
        }
        self.template.close();
    }

    pub(super) fn quoted(
        &mut self,
        position: Position,
        properties: ScalarProperties,
        quoting: Quoting,
    ) {
        let line_break = self.line_break(position);
        let (quote, texts) = match quoting {
            Quoting::Double => ("\"", DOUBLE_QUOTED),
            _ => ("'", SINGLE_QUOTED),
        };
        self.template.open();
        self.push(quote);
        let parts = if self.choices.one_in(2) {
            2 + self.choices.below(4)
        } else {
            1
        };
        for _ in 0..parts {
            if parts == 1 && !properties.key && self.wants_member() {
                self.member(quoting, properties);
            } else if self.wants_reference() {
                self.reference(quoting, line_break.as_deref(), properties);
            } else if let Some(line_break) =
                line_break.as_deref().filter(|_| self.choices.one_in(4))
            {
                let text = match self.choices.below(4) {
                    1 => format!("\n{line_break}"),
                    2 if quoting == Quoting::Double => format!("\\{line_break}"),
                    3 => format!("  {line_break}"),
                    _ => line_break.to_owned(),
                };
                self.push(&text);
            } else {
                let text = self.choices.pick(texts);
                self.push(text);
            }
        }
        if properties.key {
            let key = self.fresh_key();
            self.push(&key);
        }
        self.push(quote);
        self.template.close();
    }

    /// Whether a reference that removes or multiplies its scalar is wanted here.
    fn wants_member(&mut self) -> bool {
        self.members && self.wants_reference()
    }

    /// Returns how a line break inside a scalar is written, with the next line's
    /// indentation.
    fn line_break(&mut self, position: Position) -> Option<String> {
        let column = position.lines_at.filter(|_| self.choices.one_in(3))?;
        let more = self.choices.pick(&[0, 0, 1, 3]);
        Some(format!("\n{}", " ".repeat(column + more)))
    }

    /// Writes a scalar right after `---`.
    pub(super) fn root_scalar(&mut self) {
        if self.choices.one_in(3) {
            self.block_scalar(None);
            return;
        }
        // Lines of a root scalar may begin in column 0.
        self.scalar(Position {
            flow: false,
            key: false,
            lines_at: Some(0),
        });
        self.line_end();
    }
}
