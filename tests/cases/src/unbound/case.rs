//! Manifests with unbound text in every kind of position.

use landfall::{Config, Configuration, KnownName, OutputsDocument, Request};
use serde_json::json;

use super::model::{Context, Names, Occurrence, Role};
use super::text::{NAMES, Style, Writer};
use crate::choices::Choices;

/// One render.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) manifest: String,
    pub(super) names: Names,
    pub(super) occurrences: Vec<Occurrence>,
    /// The byte offsets of comments that look like setter comments.
    pub(super) look_alikes: Vec<usize>,
}

/// How the text of a comment begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comment {
    Prose,
    Setter,
    LookAlike,
}

const COMMENTS: &[(&str, Comment)] = &[
    ("# see ", Comment::Prose),
    ("# ", Comment::Prose),
    ("# kpt-set: ", Comment::Prose),
    ("# landfall sets ", Comment::Prose),
    ("# landfall: ", Comment::Setter),
    ("#landfall:", Comment::Setter),
    ("# landfal: ", Comment::LookAlike),
    ("# Landfall: x-", Comment::LookAlike),
    ("## landfall: ", Comment::LookAlike),
    ("# landfall = ", Comment::LookAlike),
];

/// Generates documents.
struct Generator<'a, 'c> {
    writer: Writer<'a, 'c>,
    look_alikes: Vec<usize>,
    /// The number of keys so far, which makes them unique.
    keys: usize,
    names: Names,
    /// Whether this document is not checked.
    passes: bool,
}

impl Generator<'_, '_> {
    fn write(&mut self, text: &str) {
        self.writer.write(text);
    }

    /// Returns the context in which text at `context` is read.
    fn effective(&self, context: Context) -> Context {
        if self.passes {
            Context::Passes
        } else {
            context
        }
    }

    fn scalar(&mut self, style: Style, indent: Option<&str>) {
        let context = self.effective(Context::Scalar);
        self.writer.scalar(style, context, indent);
    }

    fn key(&mut self, indent: &str, extension: &str) {
        self.keys += 1;
        let key = format!("{indent}k{}{extension}:", self.keys);
        self.write(&key);
    }

    /// Writes a line break, perhaps after a comment.
    fn end_of_line(&mut self) {
        if self.writer.choices.one_in(4) {
            self.write(" ");
            self.comment();
        }
        self.write("\n");
    }

    fn comment(&mut self) {
        let (start, kind) = self.writer.choices.pick(COMMENTS);
        let at = self.writer.text.len();
        let context = match kind {
            Comment::Setter => self.effective(Context::SetterComment),
            _ => Context::Passes,
        };
        self.write(start);
        let before = self.writer.occurrences.len();
        self.writer.scalar(Style::Comment, context, None);
        // Escaped text isn't a reference of a setter either.
        let texts = &self.writer.occurrences[before..];
        let is_about_us = |text: &Occurrence| {
            let is_escaped = self.writer.text[..text.at].ends_with("$${");
            let role = self.names.role(text.name);
            let is_left_alone = matches!(role, Role::Foreign | Role::Unpublished);
            !is_left_alone && (!is_escaped || role == Role::Bound)
        };
        if kind == Comment::LookAlike && !self.passes && texts.iter().any(is_about_us) {
            self.look_alikes.push(at);
        }
    }

    /// Writes one entry of a mapping whose keys have this indentation.
    fn entry(&mut self, indent: &str) {
        let further = format!("{indent}  ");
        let further = Some(further.as_str());
        match self.writer.choices.below(12) {
            0 => {
                self.key(indent, "");
                self.write(" \"");
                self.scalar(Style::Double, further);
                self.write("\"");
                self.end_of_line();
            }
            1 => {
                self.key(indent, "");
                self.write(" '");
                self.scalar(Style::Single, further);
                self.write("'");
                self.end_of_line();
            }
            2 => {
                self.key(indent, "");
                self.write(" [a, ");
                self.scalar(Style::Flow, None);
                self.write(", \"");
                self.scalar(Style::Double, None);
                self.write("\", {k: ");
                self.scalar(Style::Flow, None);
                self.write("}]");
                self.end_of_line();
            }
            3 => {
                self.keys += 1;
                self.write(&format!("{indent}k{}", self.keys));
                self.scalar(Style::Key, None);
                self.write(": v");
                self.end_of_line();
            }
            4 => {
                self.keys += 1;
                self.write(&format!("{indent}\"k{}", self.keys));
                self.scalar(Style::Double, None);
                self.write("\": v");
                self.end_of_line();
            }
            5 | 6 => self.block(indent, Context::Block, ""),
            7 => {
                self.key(indent, "");
                self.write("\n");
                for _ in 0..1 + self.writer.choices.below(2) {
                    self.write(&format!("{indent}- "));
                    let tag = self.writer.choices.pick(&["", "!!str ", "&a "]);
                    self.write(tag);
                    self.scalar(Style::Plain, further);
                    self.end_of_line();
                }
            }
            8 => {
                self.write(indent);
                self.comment();
                self.write("\n");
            }
            _ => {
                self.key(indent, "");
                self.write(" ");
                self.scalar(Style::Plain, further);
                self.end_of_line();
            }
        }
    }

    /// Writes a block scalar at this position, if it isn't one reference.
    fn block(&mut self, indent: &str, context: Context, extension: &str) {
        self.key(indent, extension);
        let header = self.writer.choices.pick(&["|", ">", "|-", ">-", "|+"]);
        self.write(&format!(" {header}\n{indent}  "));
        let further = format!("{indent}  ");
        let before = self.writer.occurrences.len();
        let context = self.effective(context);
        let is_reference = self.writer.scalar(Style::Block, context, Some(&further));
        if is_reference {
            let scalar = self.effective(Context::Scalar);
            for text in &mut self.writer.occurrences[before..] {
                text.context = scalar;
            }
        } else if self.writer.choices.one_in(2) {
            self.write(&format!("\n{further}echo "));
            self.writer.scalar(Style::Block, context, Some(&further));
        }
        self.write("\n");
    }

    /// Writes an embedded document in YAML, with a comment.
    fn embedded_yaml(&mut self, indent: &str, key: &str) {
        let inner = format!("{indent}  ");
        self.keys += 1;
        self.write(&format!("{indent}{key}: |\n{inner}a: 1\n"));
        let context = self.effective(Context::Embedded);
        for _ in 0..1 + self.writer.choices.below(3) {
            self.keys += 1;
            match self.writer.choices.below(3) {
                0 => {
                    self.write(&format!("{inner}k{}: ", self.keys));
                    self.writer.scalar(Style::Plain, context, None);
                }
                1 => {
                    self.write(&format!("{inner}k{}: \"", self.keys));
                    self.writer.scalar(Style::Double, context, None);
                    self.write("\"");
                }
                _ => {
                    let text = self.writer.choices.pick(&["# ", "a: b # ", "# landfall: "]);
                    self.write(&format!("{inner}{text}"));
                    let context = match text {
                        "# landfall: " => self.effective(Context::SetterComment),
                        _ => Context::Passes,
                    };
                    self.writer.scalar(Style::Comment, context, None);
                }
            }
            self.write("\n");
        }
    }

    /// Writes an embedded document in JSON, in single quotes.
    fn embedded_json(&mut self, indent: &str) {
        self.key(indent, ".json");
        self.write(" '{\"k\": \"");
        // It cannot contain either kind of quotes.
        let context = self.effective(Context::Embedded);
        let name = self.writer.choices.pick(NAMES);
        self.write("${");
        self.writer.occurrences.push(Occurrence {
            at: self.writer.text.len(),
            name,
            context,
            reads: super::model::Reads::Reference { calls: false },
        });
        self.write(name);
        self.write(".x}\"}'\n");
    }

    fn entries(&mut self, indent: &str) {
        for _ in 0..1 + self.writer.choices.below(4) {
            self.entry(indent);
        }
    }

    fn document(&mut self) {
        self.passes = false;
        match self.writer.choices.below(9) {
            0 => {
                self.write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n");
                self.entries("  ");
                let key = format!("k{}.yaml", self.keys);
                self.embedded_yaml("  ", &key);
            }
            1 => {
                self.write("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n");
                self.entries("  ");
                self.embedded_json("  ");
            }
            2 => {
                self.write("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    helm:\n");
                self.embedded_yaml("      ", "values");
                self.entries("  ");
            }
            3 => {
                self.write(
                    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n",
                );
                self.embedded_yaml("  ", "config");
                self.entries("  ");
            }
            4 => {
                self.write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: templates}\ndata:\n");
                self.block("  ", Context::Block, ".yaml");
                self.entries("  ");
            }
            5 => {
                self.passes = true;
                self.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {landfall.dev/substitute: disabled}\ndata:\n");
                self.entries("  ");
                let key = format!("k{}.yaml", self.keys);
                self.embedded_yaml("  ", &key);
            }
            6 => self.not_yaml(),
            _ => {
                // Comments alone belong to the next document.
                self.write("a: 1\n");
                self.entries("");
            }
        }
    }

    fn not_yaml(&mut self) {
        self.write("list: [a, b\n");
        for _ in 0..1 + self.writer.choices.below(3) {
            match self.writer.choices.below(4) {
                0 => {
                    self.write("# landfall: ");
                    self.writer.scalar(Style::Comment, Context::Passes, None);
                }
                _ => {
                    self.key("", "");
                    self.write(" ");
                    self.writer
                        .scalar(Style::Plain, Context::Unparsed, Some("  "));
                }
            }
            self.write("\n");
        }
    }
}

impl Case {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        let nothing_bound = choices.one_in(6);
        let roles = NAMES
            .iter()
            .map(|name| {
                let role = match choices.below(8) {
                    4 | 5 if !nothing_bound => Role::Bound,
                    6 => Role::Elsewhere,
                    7 => Role::Foreign,
                    3 if !nothing_bound && choices.one_in(3) => Role::Unpublished,
                    _ => Role::Unknown,
                };
                (*name, role)
            })
            .collect();
        let names = Names {
            roles,
            is_strict: choices.one_in(3),
            setters_only: choices.one_in(6),
        };
        let mut generator = Generator {
            writer: Writer {
                choices,
                text: String::new(),
                occurrences: Vec::new(),
            },
            look_alikes: Vec::new(),
            keys: 0,
            names,
            passes: false,
        };
        generator.document();
        for _ in 0..generator.writer.choices.below(3) {
            generator.write("---\n");
            generator.document();
        }
        Self {
            manifest: generator.writer.text,
            occurrences: generator.writer.occurrences,
            look_alikes: generator.look_alikes,
            names: generator.names,
        }
    }

    /// Returns the names with this role.
    fn with(&self, wanted: Role) -> impl Iterator<Item = &'static str> {
        let roles = self.names.roles.iter();
        roles
            .filter(move |(_, role)| **role == wanted)
            .map(|(name, _)| *name)
    }

    pub(super) fn request(&self) -> Request {
        let foreign: Vec<_> = self.with(Role::Foreign).collect();
        let select = |kind: &str, name: &str, path: &str, format: &str| json!({"select": {"kind": kind, "name": name}, "fieldPaths": [path], "format": format});
        let binding = json!({
            "apiVersion": "landfall.dev/v1alpha1",
            "kind": "Binding",
            "spec": {
                "foreign": foreign,
                "policy": {
                    "unbound": if self.names.is_strict { "error" } else { "warn" },
                    "unpublished": "keep",
                },
                "embedded": [
                    select("Widget", "a", "spec.config", "yaml"),
                    select("ConfigMap", "templates", "data.*", "text"),
                ],
            },
        });
        let known = |name: &str, bound_by: Option<&str>| KnownName {
            name: name.to_owned(),
            bound_by: bound_by.map(str::to_owned),
        };
        let elsewhere = self
            .with(Role::Elsewhere)
            .map(|name| known(name, Some("apps/b/landfall.yaml")));
        let unpublished = self.with(Role::Unpublished).map(|name| known(name, None));
        Request {
            outputs: self
                .with(Role::Bound)
                .map(|name| OutputsDocument {
                    name: name.to_owned(),
                    path: format!("{name}.json"),
                    content: br#"{"x": {"value": "v"}, "k": {"value": "v"}}"#.to_vec(),
                    ..OutputsDocument::default()
                })
                .collect(),
            application: Configuration {
                binding: Some(Config {
                    path: "landfall.yaml".to_owned(),
                    content: binding.to_string().into_bytes(),
                }),
                ..Configuration::default()
            }
            .into(),
            known_names: elsewhere.chain(unpublished).collect(),
            keep_references: self.names.setters_only,
            ..Request::default()
        }
    }
}
