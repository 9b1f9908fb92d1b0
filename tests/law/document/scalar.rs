//! Scalars on one line and on several, with references in them.

use super::{Quoting, Writer};
use crate::template::Place;

/// Where a scalar stands.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) flow: bool,
    pub(super) key: bool,
    /// The column in which further lines begin; none: it has one line.
    pub(super) lines_at: Option<usize>,
}

/// Text that begins and ends plain scalars, everywhere.
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
/// Text inside single quotes, as it is written.
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
/// Text inside double quotes, as it is written.
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
    /// A scalar with its anchor and tag.
    pub(super) fn scalar(&mut self, room: Room) {
        let anchor = if room.key { None } else { self.anchor() };
        let tag = match self.choices.below(14) {
            10 if !room.key => "!!str ",
            11 if !room.key => "!local ",
            12 if !room.key => "!<tag:yaml.org,2002:str> ",
            _ => "",
        };
        self.push(tag);
        let place = Place {
            key: room.key,
            tagged_text: tag.ends_with("str ") || tag.ends_with("str> "),
            ..Place::default()
        };
        match self.choices.below(3) {
            0 => self.plain(
                room,
                Place {
                    plain: true,
                    ..place
                },
            ),
            1 => self.quoted(room, place, Quoting::Double),
            _ => self.quoted(room, place, Quoting::Single),
        }
        self.complete(anchor);
    }

    pub(super) fn plain(&mut self, room: Room, place: Place) {
        let line_break = self.line_break(room);
        // In flow a reference must end on its line: what follows the break
        // is read before it is known to belong to one.
        let in_reference = line_break.as_deref().filter(|_| !room.flow);
        self.template.open();
        let parts = if self.choices.one_in(2) {
            2 + self.choices.below(3)
        } else {
            1
        };
        for nth in 0..parts {
            if self.wants_reference() {
                self.reference(Quoting::None, in_reference, place);
            } else if nth == 0 || nth + 1 == parts {
                let text = self.choices.pick(PLAIN_ENDS);
                self.push(text);
            } else if let Some(line_break) =
                line_break.as_deref().filter(|_| self.choices.one_in(4))
            {
                self.push(line_break);
            } else {
                let inner = if room.flow { PLAIN_IN_FLOW } else { PLAIN };
                let text = self.choices.pick(inner);
                self.push(text);
            }
        }
        if place.key && self.template.references().is_empty() {
            let key = self.fresh_key();
            self.push(&key);
        }
        self.template.close();
    }

    pub(super) fn quoted(&mut self, room: Room, place: Place, quoting: Quoting) {
        let line_break = self.line_break(room);
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
            if self.wants_reference() {
                self.reference(quoting, line_break.as_deref(), place);
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
        if place.key {
            let key = self.fresh_key();
            self.push(&key);
        }
        self.push(quote);
        self.template.close();
    }

    /// What a line break inside a scalar looks like: the next line's indentation
    /// is in it.
    fn line_break(&mut self, room: Room) -> Option<String> {
        let column = room.lines_at.filter(|_| self.choices.one_in(3))?;
        let more = self.choices.pick(&[0, 0, 1, 3]);
        Some(format!("\n{}", " ".repeat(column + more)))
    }

    /// A scalar right after `---`.
    pub(super) fn root_scalar(&mut self) {
        if self.choices.one_in(3) {
            self.block_scalar(None);
            return;
        }
        // Lines of a scalar that is the root may begin in column 0.
        self.scalar(Room {
            flow: false,
            key: false,
            lines_at: Some(0),
        });
        self.line_end();
    }
}
