//! Texts of scalars and comments, with every name in them recorded.

use super::model::{Context, Occurrence, Reads};
use crate::choices::Choices;

/// Names, whose roles differ from case to case.
pub(super) const NAMES: &[&str] = &[
    "cluster", "infra", "infr", "Infra", "network", "netwrok", "schema", "shcema", "payments",
    "paymnets", "__data", "x", "y", "aws_vpc", "net-work", "staging", "stagingg", "zone",
];

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// Plain, inside brackets or braces.
    Flow,
    /// Plain, before a colon.
    Key,
    Double,
    Single,
    Block,
    Comment,
}

impl Style {
    /// Returns the quotes that strings in a reference may have.
    fn quotes(self) -> &'static [&'static str] {
        match self {
            Self::Double => &["'", "\\\""],
            Self::Single => &["\"", "''"],
            _ => &["\"", "'"],
        }
    }

    /// Whether unmasked braces don't end the scalar.
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

    /// Writes text at a position. `indent` is that of its further lines, `None` for one
    /// line. Returns whether it is exactly one reference.
    pub(super) fn scalar(&mut self, style: Style, context: Context, indent: Option<&str>) -> bool {
        if self.choices.one_in(3) {
            return self.reference(style, context, indent);
        }
        self.write("w");
        for _ in 0..1 + self.choices.below(3) {
            let before = self.choices.pick(&[" ", "-", " w ", "/"]);
            self.write(before);
            self.piece(style, context, indent);
            if self.choices.one_in(3) {
                self.write(" w");
            }
        }
        false
    }

    fn piece(&mut self, style: Style, context: Context, indent: Option<&str>) {
        let name = self.choices.pick(NAMES);
        match self.choices.below(10) {
            0 => {
                let text = self
                    .choices
                    .pick(&["word", "$", "$$", "${", "1", "$(N.x)", "$N.x"]);
                // What follows might be parsed as part of it, even a comment.
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
                // An escape if the name is bound, text if it is not.
                self.write("$${");
                self.occur(name, Context::Passes, Reads::Reference { calls: false });
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
                self.occur(name, context, Reads::Beginning);
                let rest = match style {
                    // An unmasked brace may end a `${` before the comment.
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
                self.reference(style, context, indent);
            }
        }
    }

    /// Writes `${name.output}`, with or without functions.
    fn reference(&mut self, style: Style, context: Context, indent: Option<&str>) -> bool {
        let name = self.choices.pick(NAMES);
        let quote = self.choices.pick(style.quotes());
        let paths = [
            ".x", ".x.y", "[0]", ".x[1].y", "[Qk lQ]", " . x ", "[ QkQ ]", ".x-1", ".x[*].y",
            "[0][ * ]",
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
        // In unparsed text only ` #` marks a comment, and in plain text an unbound name
        // has no mask: there YAML decides.
        let is_by_sight = matches!(context, Context::Embedded | Context::Unparsed);
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
        self.occur(name, context, Reads::Reference { calls });
        let rest = format!("{path}{before}{call}}}");
        self.write(&rest.replace('Q', quote));
        true
    }

    /// Writes a name.
    fn occur(&mut self, name: &'static str, context: Context, reads: Reads) {
        self.occurrences.push(Occurrence {
            at: self.text.len(),
            name,
            context,
            reads,
        });
        self.write(name);
    }
}
