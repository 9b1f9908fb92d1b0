//! Generated manifests: every scalar style, block and flow collections, keys, anchors and
//! aliases, tags, comments, carriage returns, a byte order mark, several documents.

mod block;
mod flow;
mod scalar;

use crate::choices::Choices;
use crate::template::{Member, Names, Reference, ScalarProperties, Template};

/// The maximum number of references and escapes in one manifest.
const MAX_REFERENCES: usize = 12;

/// The maximum nesting depth of collections.
const MAX_DEPTH: usize = 4;

/// Writes one manifest.
pub(crate) struct Writer<'c, 'n> {
    choices: &'c mut Choices<'n>,
    template: Template,
    /// References name the outputs `v0` up to, but not including, this one.
    outputs: usize,
    /// The number of keys so far, which makes them unique.
    keys: usize,
    /// The complete anchors of this document.
    anchors: Vec<String>,
    anchors_begun: usize,
    depth: usize,
    /// Whether whole entries and items may be removed and multiplied.
    members: bool,
    /// Whether the next scalar is an item.
    item: bool,
}

/// How a reference is written in the scalar around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Single,
    Double,
}

/// Generates a manifest that names the outputs `v0` up to, but not including,
/// `v{outputs}`.
pub(crate) fn manifest(choices: &mut Choices<'_>, outputs: usize) -> Template {
    manifest_with(choices, outputs, false)
}

/// Generates a manifest of which the outputs may also remove or multiply entries and items.
pub(crate) fn manifest_with_members(choices: &mut Choices<'_>, outputs: usize) -> Template {
    manifest_with(choices, outputs, true)
}

fn manifest_with(choices: &mut Choices<'_>, outputs: usize, members: bool) -> Template {
    let carriage_returns = choices.one_in(6);
    let byte_order_mark = choices.one_in(8);
    let cut = choices.one_in(4);
    let mut writer = Writer {
        choices,
        template: Template::default(),
        outputs,
        keys: 0,
        anchors: Vec::new(),
        anchors_begun: 0,
        depth: 0,
        members,
        item: false,
    };
    if byte_order_mark {
        writer.push("\u{feff}");
    }
    writer.stream();
    let mut template = writer.template;
    if cut {
        template = template.without_last_line_break();
    }
    if carriage_returns {
        template = template.with_carriage_returns();
    }
    template
}

/// Generates a resource of an unknown kind with a random `spec`.
pub(crate) fn widget(choices: &mut Choices<'_>) -> Template {
    let carriage_returns = choices.one_in(6);
    let cut = choices.one_in(4);
    let mut writer = Writer {
        choices,
        template: Template::default(),
        outputs: 1,
        keys: 0,
        anchors: Vec::new(),
        anchors_begun: 0,
        depth: 0,
        members: false,
        item: false,
    };
    writer.push("apiVersion: example.com/v1\nkind: Widget\nspec:\n  ");
    writer.block_mapping(2);
    let mut template = writer.template;
    if cut {
        template = template.without_last_line_break();
    }
    if carriage_returns {
        template = template.with_carriage_returns();
    }
    template
}

/// Generates a KRM ResourceList whose items name the outputs `v0` up to, but not
/// including, `v{outputs}`; its functionConfig has a `${…}` that isn't a reference.
pub(crate) fn resource_list(choices: &mut Choices<'_>, outputs: usize) -> Template {
    let function_config = "functionConfig: {apiVersion: landfall.dev/v1alpha1, kind: Binding, metadata: {name: \"${infra.v0}\"}}\n";
    let first = choices.one_in(2);
    let mut writer = Writer {
        choices,
        template: Template::default(),
        outputs,
        keys: 0,
        anchors: Vec::new(),
        anchors_begun: 0,
        depth: 0,
        members: false,
        item: false,
    };
    writer.push("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n");
    if first {
        writer.push(function_config);
    }
    writer.push("items:\n");
    for _ in 0..1 + writer.choices.below(3) {
        writer.push("- ");
        writer.block_mapping(2);
    }
    if !first {
        writer.push(function_config);
    }
    writer.template
}

impl Writer<'_, '_> {
    fn push(&mut self, text: &str) {
        self.template.push(text);
    }

    fn pad(&mut self, columns: usize) {
        self.push(&" ".repeat(columns));
    }

    fn stream(&mut self) {
        let documents = self.choices.pick(&[1, 1, 1, 2, 3]);
        for nth in 0..documents {
            if nth > 0 && self.choices.one_in(4) {
                self.push("...\n");
            }
            let marked = nth > 0 || self.choices.one_in(3);
            if marked {
                self.prologue(nth);
            }
            self.anchors.clear();
            self.document(marked);
        }
        if self.choices.one_in(8) {
            self.push("...\n");
        }
    }

    /// Writes what may precede `---`, and the marker itself without its line break.
    fn prologue(&mut self, nth: usize) {
        if nth == 0 {
            match self.choices.below(6) {
                4 => self.push("# ${infra.v0} first\n\n"),
                5 => self.push("%YAML 1.1\n%TAG !e! tag:e.org,2000:\n"),
                _ => {}
            }
        }
        self.push("---");
    }

    /// Writes the root node; after a marker it may begin on its line.
    fn document(&mut self, marked: bool) {
        match self.choices.below(8) {
            5 if marked => {
                self.push(" ");
                self.root_scalar();
            }
            6 if marked => {
                let before = self.choices.pick(&[" ", " # root\n"]);
                self.push(before);
                self.flow_collection(1);
                self.line_end();
            }
            7 => {
                if marked {
                    self.line_end();
                }
                if self.choices.one_in(2) {
                    self.json();
                } else {
                    self.flow_collection(1);
                }
                self.push("\n");
            }
            other => {
                if marked {
                    self.line_end();
                }
                if other % 2 == 1 {
                    self.block_sequence(0);
                } else {
                    self.block_mapping(0);
                }
            }
        }
    }

    /// Ends a line, perhaps with a comment that has a reference.
    fn line_end(&mut self) {
        match self.choices.below(10) {
            7 => self.push(" # ${infra.v0 | default(\"\n"),
            8 => self.push("   # it's \"${infra.v1}\" ${HOME}\n"),
            9 => self.push("  \n"),
            _ => self.push("\n"),
        }
    }

    /// Whether one more reference is wanted here.
    fn wants_reference(&mut self) -> bool {
        self.template.references().len() < MAX_REFERENCES
            && self.choices.any_left()
            && !self.choices.one_in(3)
    }

    /// Writes a reference or an escape; `line_break` is how a break inside it is written,
    /// if it may have one.
    fn reference(
        &mut self,
        quoting: Quoting,
        line_break: Option<&str>,
        properties: ScalarProperties,
    ) {
        if self.choices.one_in(16) {
            let text = self.choices.pick(&["${infra.v0}", "${infra.v1 | upper}"]);
            let spelled = format!("${text}");
            self.template.reference(Reference {
                names: Names::Text(text.to_owned()),
                spelled,
                properties,
            });
            return;
        }
        let number = self.choices.below(self.outputs);
        let quote = match (quoting, self.choices.one_in(2)) {
            (Quoting::None, false) => "\"",
            (Quoting::Double, false) => "\\\"",
            (Quoting::Single, true) => "''",
            (Quoting::Single, false) => "\"",
            (Quoting::None | Quoting::Double, true) => "'",
        };
        let (spelled, default) = match self.choices.below(12) {
            6 => (format!("${{ infra . v{number} }}"), None),
            7 => (format!("${{infra[{quote}v{number}{quote}]}}"), None),
            8 => (
                // The second default is never looked up.
                format!(
                    "${{infra.v{number} | default({quote}a: b # }} [{quote}) | default(infra.z[*].k[ * ])}}"
                ),
                Some("a: b # } ["),
            ),
            9 => (
                format!("${{infra.v{number}|default({quote}{quote})}}"),
                Some(""),
            ),
            10 if line_break.is_some() => {
                let line_break = line_break.unwrap_or_default();
                (
                    format!("${{infra.v{number}{line_break}| default({quote}x{quote})}}"),
                    Some("x"),
                )
            }
            11 if line_break.is_some() => {
                let line_break = line_break.unwrap_or_default();
                (
                    format!("${{infra.{line_break}v{number}{line_break}}}"),
                    None,
                )
            }
            _ => (format!("${{infra.v{number}}}"), None),
        };
        self.template.reference(Reference {
            names: Names::Output {
                number,
                default: default.map(str::to_owned),
            },
            spelled,
            properties,
        });
    }

    /// Writes a reference that is all of a scalar, and removes or multiplies it. Some are
    /// where that is not allowed.
    fn member(&mut self, quoting: Quoting, properties: ScalarProperties) {
        let may_spread = self.item && quoting == Quoting::None;
        let all = [
            Member::Omit,
            Member::Spread,
            Member::EachSpread,
            Member::OmitSpread,
        ];
        let member = if may_spread || self.choices.one_in(24) {
            self.choices.pick(&all)
        } else {
            Member::Omit
        };
        let number = self.choices.below(self.outputs);
        self.template.reference(Reference {
            names: Names::Member { number, member },
            spelled: format!("${{infra.v{number} | {}}}", member.spelled()),
            properties,
        });
    }

    /// Returns a key that is unique as long as it has no reference.
    fn fresh_key(&mut self) -> String {
        self.keys += 1;
        format!("k{}", self.keys)
    }

    /// Writes `&a1 `, and returns the name to register once the node is complete.
    fn anchor(&mut self) -> Option<String> {
        if !self.choices.one_in(8) {
            return None;
        }
        self.anchors_begun += 1;
        let name = format!("a{}", self.anchors_begun);
        self.push(&format!("&{name} "));
        Some(name)
    }

    fn complete(&mut self, anchor: Option<String>) {
        self.anchors.extend(anchor);
    }
}
