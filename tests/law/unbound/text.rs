//! Texts of scalars and comments, with everything in them that has a name.

use super::model::{Occurrence, Place, Reads};
use crate::choices::Choices;

/// Names; what each of them is differs from case to case.
pub(super) const NAMES: &[&str] = &[
    "cluster", "infra", "infr", "Infra", "network", "netwrok", "schema", "shcema", "payments",
    "paymnets", "__data", "x", "y", "aws_vpc", "net-work", "staging", "stagingg", "zone",
];

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// Plain between brackets or braces.
    Flow,
    /// Plain before a colon.
    Key,
    Double,
    Single,
    Block,
    Comment,
}

impl Style {
    /// Quotes of strings in a reference.
    fn quotes(self) -> &'static [&'static str] {
        match self {
            Self::Double => &["'", "\\\""],
            Self::Single => &["\"", "''"],
            _ => &["\"", "'"],
        }
    }

    /// Braces that no mask covers end nothing.
    fn takes_braces(self) -> bool {
        self != Self::Flow
    }
}

/// A manifest that is being written.
pub(super) struct Writer<'a, 'c> {
    pub(super) choices: &'a mut Choices<'c>,
    pub(super) text: String,
    pub(super) occurrences: Vec<Occurrence>,
}

impl Writer<'_, '_> {
    pub(super) fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Text at a place. `indent` is that of its further lines; none for one line.
    /// Whether one reference is all of it.
    pub(super) fn scalar(&mut self, style: Style, place: Place, indent: Option<&str>) -> bool {
        if self.choices.one_in(3) {
            return self.reference(style, place, indent);
        }
        self.write("w");
        for _ in 0..1 + self.choices.below(3) {
            let before = self.choices.pick(&[" ", "-", " w ", "/"]);
            self.write(before);
            self.piece(style, place, indent);
            if self.choices.one_in(3) {
                self.write(" w");
            }
        }
        false
    }

    fn piece(&mut self, style: Style, place: Place, indent: Option<&str>) {
        let name = self.choices.pick(NAMES);
        match self.choices.below(10) {
            0 => {
                let text = self
                    .choices
                    .pick(&["word", "$", "$$", "${", "1", "$(N.x)", "$N.x"]);
                // What follows may be inside of it, a comment too.
                let text = match text {
                    "${" if !matches!(style, Style::Block | Style::Comment) => "$",
                    other => other,
                };
                self.write(&text.replace('N', name));
                self.write(" ");
            }
            1 if style.takes_braces() => {
                let text = self.choices.pick(&[
                    "${N}",
                    "${N:csv}",
                    "${.N.x}",
                    "${1N.x}",
                    "{N.x}",
                    "${{ N.x }}",
                ]);
                self.write(&text.replace('N', name));
            }
            2 => {
                // An escape where the name is bound, text where it is not.
                self.write("$${");
                self.occur(name, Place::Passes, Reads::Reference { calls: false });
                self.write(".x}");
            }
            3 if style == Style::Double => {
                let text = self
                    .choices
                    .pick(&["\\x24{N.x}", "$\\x7bN.x}", "${\\x4e.x}"]);
                self.write(&text.replace('N', name));
            }
            4 if style.takes_braces() => {
                self.write("${");
                self.occur(name, place, Reads::Beginning);
                let rest = match style {
                    // A brace that no mask covers may end a `${` before the comment.
                    Style::Comment => self.choices.pick(&[".x", ".x.}", ".x |}", "[}"]),
                    _ => self.choices.pick(&[
                        ".x:-none}",
                        ".x + 1}",
                        ".x",
                        ".x.}",
                        ".x |}",
                        "[}",
                        ".x:=y}",
                        ".x?}",
                    ]),
                };
                self.write(rest);
                self.write(" ");
            }
            _ => {
                self.reference(style, place, indent);
            }
        }
    }

    /// `${name.output}`, with functions or without.
    fn reference(&mut self, style: Style, place: Place, indent: Option<&str>) -> bool {
        let name = self.choices.pick(NAMES);
        let quote = self.choices.pick(style.quotes());
        let paths = [
            ".x", ".x.y", "[0]", ".x[1].y", "[Qk lQ]", " . x ", "[ QkQ ]", ".x-1",
        ];
        let path = self.choices.pick(&paths);
        let calls = [
            "",
            "",
            "",
            "| upper",
            "| default(Qa: b # cQ)",
            "| join(Q,Q) | upper",
            "| default(cluster.z)",
            "| nosuch",
        ];
        let mut call = self.choices.pick(&calls);
        // Comments of what is not parsed are seen by ` #` alone, and in plain text an
        // unbound name has no mask: there YAML decides.
        let is_by_sight = matches!(place, Place::Embedded | Place::Unparsed);
        if call.contains('#') && (is_by_sight || matches!(style, Style::Plain | Style::Key)) {
            call = "| default(Qa:b{cQ)";
        }
        let start = self.choices.pick(&["", "", " "]);
        // A mask ends on its line.
        let is_broken = !call.contains(['Q', '#'])
            && !call.is_empty()
            && style.takes_braces()
            && self.choices.one_in(4);
        let before = match indent {
            Some(indent) if is_broken => format!("\n{indent}"),
            _ if call.is_empty() => String::new(),
            _ => " ".to_owned(),
        };
        let calls = !call.is_empty();
        self.write("${");
        self.write(start);
        self.occur(name, place, Reads::Reference { calls });
        let rest = format!("{path}{before}{call}}}");
        self.write(&rest.replace('Q', quote));
        true
    }

    /// Writes a name.
    fn occur(&mut self, name: &'static str, place: Place, reads: Reads) {
        self.occurrences.push(Occurrence {
            at: self.text.len(),
            name,
            place,
            reads,
        });
        self.write(name);
    }
}
