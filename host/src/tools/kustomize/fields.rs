//! The fields of a kustomization that name files, and those that landfall does not build.

use std::collections::BTreeMap;
use std::ops::Range;

use yaml::{Kind, NodeId, Tree};

pub(super) use super::reader::Stage;
use super::reader::{Reader, members};

/// Where the files of a kustomization that kustomize reads are named.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// In the order of the file.
    pub(super) mentions: Vec<Mention>,
    pub(super) refusals: Vec<Refusal>,
    /// The text of inline documents in lists that can also contain paths.
    pub(super) inline: Vec<String>,
    /// For each literal of a generator, its key, and whether kustomize removes quotes around
    /// its value.
    pub(super) literals: Vec<(Option<String>, bool)>,
    /// The first key of a kustomization that changes its resources, or makes some.
    pub(super) change: Option<(Range<usize>, String)>,
    /// Whether it has `vars`, for which kustomize expands `$(NAME)` in all resources.
    pub(super) has_vars: bool,
    /// Whether the file configures a `SecretGenerator`.
    pub(super) has_secret_generator: bool,
    /// Where `apiVersion` and `kind` can be inserted, for those that the file lacks.
    pub(super) header: Option<Header>,
}

/// A path in a kustomization.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    /// The bytes of the scalar.
    pub(super) span: Range<usize>,
    pub(super) path: String,
    pub(super) names: Names,
    /// The name of the generator that reads the file.
    pub(super) generator: String,
}

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// A file of resources, or the folder of another kustomization.
    Resources,
    /// The folder of a component.
    Component,
    /// A file or a folder that configures generators, transformers or validators.
    Plugins,
    /// Any other YAML or JSON file.
    Yaml,
    /// A file whose text a generator puts under this key.
    Input {
        of_secret: bool,
        key: String,
        /// Whether it has a `KEY=value` on each line.
        is_env: bool,
    },
}

/// Something in a kustomization that landfall does not build.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

/// The `apiVersion` and `kind` that a kustomization omits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) at: usize,
    pub(super) text: String,
}

impl Fields {
    /// Returns whether rendering has changed what these fields name, to `after`.
    pub(super) fn differ_from(&self, after: &Self) -> bool {
        let paths = |fields: &Self| -> Vec<(String, Names)> {
            let mentions = fields.mentions.iter();
            let paths = mentions.map(|mention| (mention.path.clone(), mention.names.clone()));
            paths.collect()
        };
        !after.refusals.is_empty()
            || paths(self) != paths(after)
            || self.inline != after.inline
            || self.literals != after.literals
    }
}

/// The keys of a kustomization that name files, those that run something else, and `vars`.
const KEYS: [&str; 20] = [
    "apiVersion",
    "kind",
    "resources",
    "bases",
    "components",
    "crds",
    "configurations",
    "openapi",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "replacements",
    "configMapGenerator",
    "secretGenerator",
    "generators",
    "transformers",
    "validators",
    "helmCharts",
    "helmChartInflationGenerator",
    "vars",
];

/// The keys of a kustomization whose resources stay as they are in their files.
const UNCHANGED: [&str; 5] = ["apiVersion", "kind", "metadata", "resources", "bases"];

/// The keys of their items that name files.
const ITEM_KEYS: [&str; 7] = ["path", "paths", "patch", "files", "envs", "env", "literals"];

/// Returns the fields of a kustomization.
pub(super) fn of_kustomization(text: &str, stage: Stage) -> Fields {
    let mut reader = Reader {
        stage,
        ..Reader::default()
    };
    let Some(document) = reader.only_document(text) else {
        return reader.fields;
    };
    let Some(tree) = reader.tree(document.text, document.offset) else {
        return reader.fields;
    };
    reader.kustomization(&tree);
    reader.fields
}

/// Returns the fields of a file that configures generators, transformers or validators.
pub(super) fn of_plugins(text: &str, stage: Stage) -> Fields {
    let mut reader = Reader {
        stage,
        ..Reader::default()
    };
    reader.plugins(text, None);
    reader.fields
}

impl Reader {
    fn kustomization(&mut self, tree: &Tree) {
        if tree.is_empty() {
            return;
        }
        if !matches!(tree[0].kind(), Kind::Mapping { .. }) {
            let help = "write keys such as `resources:`";
            self.refuse(tree[0].range(), "the kustomization is not a mapping", help);
            return;
        }
        let root = self.entries(tree, 0, &KEYS);
        self.fields.change = tree.entries(0).find_map(|(key, _)| {
            let (range, name) = (tree[key].range(), tree.text(key)?);
            if UNCHANGED.contains(&name) {
                return None;
            }
            let span = range.start + self.offset..range.end + self.offset;
            Some((span, name.to_owned()))
        });
        self.fields.header = self.header(tree, &root);
        for (name, id) in root {
            let range = tree[id].range();
            match name {
                "resources" | "bases" => self.paths(tree, id, &Names::Resources),
                "components" => self.paths(tree, id, &Names::Component),
                "crds" | "configurations" => self.paths(tree, id, &Names::Yaml),
                "openapi" => self.path_of(tree, id),
                "patches" | "patchesJson6902" | "replacements" => {
                    for item in members(tree, id) {
                        self.path_of(tree, item);
                    }
                }
                "patchesStrategicMerge" => {
                    for item in members(tree, id) {
                        if !self.is_inline(tree, item) {
                            self.mention(tree, item, Names::Yaml);
                        }
                    }
                }
                "configMapGenerator" | "secretGenerator" => {
                    for item in members(tree, id) {
                        self.generator(tree, item, name == "secretGenerator");
                    }
                }
                "generators" | "transformers" | "validators" => {
                    for item in members(tree, id) {
                        match tree.text(item) {
                            Some(text) if self.is_inline(tree, item) => {
                                let text = text.to_owned();
                                let at = self.offset + tree[item].range().start;
                                let end = self.offset + tree[item].range().end;
                                self.plugins(&text, Some(at..end));
                            }
                            _ => self.mention(tree, item, Names::Plugins),
                        }
                    }
                }
                "helmCharts" | "helmChartInflationGenerator" => self.refuse(
                    range,
                    format!("kustomize is run without Helm, so `{name}` is not built"),
                    "template the chart in CI and commit the result, or move it to an Application of its own",
                ),
                "vars" => self.fields.has_vars = true,
                _ => {}
            }
        }
        let mentions = &mut self.fields.mentions;
        mentions.sort_by_key(|mention| mention.span.start);
    }

    /// Returns the `apiVersion` and `kind` that the kustomization omits, with kustomize's
    /// defaults. The module needs them to know which fields contain documents.
    fn header(&self, tree: &Tree, root: &BTreeMap<&str, NodeId>) -> Option<Header> {
        let api_version = match root.get("kind").and_then(|id| tree.text(*id)) {
            Some("Component") => "kustomize.config.k8s.io/v1alpha1",
            _ => "kustomize.config.k8s.io/v1beta1",
        };
        let lines: Vec<(&str, &str)> = [("apiVersion", api_version), ("kind", "Kustomization")]
            .into_iter()
            .filter(|(key, _)| !root.contains_key(key))
            .collect();
        if lines.is_empty() {
            return None;
        }
        let (at, text) = match tree[0].kind() {
            Kind::Mapping {
                flow: false,
                column,
            } => {
                let pad = " ".repeat(column);
                let lines = lines
                    .iter()
                    .map(|(key, value)| format!("{key}: {value}\n{pad}"));
                (tree[0].range().start, lines.collect::<String>())
            }
            _ => {
                let lines = lines
                    .iter()
                    .map(|(key, value)| format!("\"{key}\": \"{value}\", "));
                (tree[0].range().start + 1, lines.collect::<String>())
            }
        };
        let at = at + self.offset;
        Some(Header { at, text })
    }

    fn paths(&mut self, tree: &Tree, list: NodeId, names: &Names) {
        for item in members(tree, list) {
            self.mention(tree, item, names.clone());
        }
    }

    /// Adds the `path` of a mapping.
    fn path_of(&mut self, tree: &Tree, mapping: NodeId) {
        let entries = self.entries(tree, mapping, &ITEM_KEYS);
        if let Some(path) = entries.get("path") {
            self.mention(tree, *path, Names::Yaml);
        }
    }

    fn generator(&mut self, tree: &Tree, item: NodeId, of_secret: bool) {
        let entries = self.entries(tree, item, &ITEM_KEYS);
        let name = entries.get("name").and_then(|id| tree.text(*id));
        let name = name.unwrap_or_default().to_owned();
        for file in entries
            .get("files")
            .map(|id| members(tree, *id))
            .unwrap_or_default()
        {
            let Some(text) = tree.text(file) else {
                continue;
            };
            // `key=path`; without a key it is the name of the file (ParseFileSource).
            let (key, path) = match text.split_once('=') {
                Some((key, path)) => (key, path),
                None => (text.rsplit('/').next().unwrap_or_default(), text),
            };
            let names = Names::Input {
                of_secret,
                key: key.to_owned(),
                is_env: false,
            };
            self.add(tree[file].range(), path.to_owned(), names, name.clone());
        }
        let envs = entries.get("envs").map(|id| members(tree, *id));
        for file in envs
            .into_iter()
            .flatten()
            .chain(entries.get("env").copied())
        {
            let Some(path) = tree.text(file) else {
                continue;
            };
            let names = Names::Input {
                of_secret,
                key: "env".to_owned(),
                is_env: true,
            };
            self.add(tree[file].range(), path.to_owned(), names, name.clone());
        }
        for literal in entries
            .get("literals")
            .map(|id| members(tree, *id))
            .unwrap_or_default()
        {
            let literal = tree.text(literal).and_then(|text| text.split_once('='));
            let is_quoted = literal.is_some_and(|(_, value)| is_quoted(value));
            let key = literal.map(|(key, _)| key.to_owned());
            self.fields.literals.push((key, is_quoted));
        }
    }

    fn mention(&mut self, tree: &Tree, id: NodeId, names: Names) {
        if let Some(path) = tree.text(id) {
            self.add(tree[id].range(), path.to_owned(), names, String::new());
        }
    }

    fn add(&mut self, range: Range<usize>, path: String, names: Names, generator: String) {
        if self.has_placeholder(&range) {
            let help = "write the path itself: which files are read cannot depend on outputs";
            return self.refuse(
                range,
                "a path of a kustomization contains a placeholder",
                help,
            );
        }
        let span = match &self.inside {
            Some(outer) => outer.clone(),
            None => range.start + self.offset..range.end + self.offset,
        };
        self.fields.mentions.push(Mention {
            span,
            path,
            names,
            generator,
        });
    }

    /// Adds the fields of configurations of generators, transformers and validators.
    /// `inside`: the scalar that contains them.
    fn plugins(&mut self, text: &str, inside: Option<Range<usize>>) {
        let (offset, placeholders) = (self.offset, std::mem::take(&mut self.placeholders));
        let outer = std::mem::replace(&mut self.inside, inside);
        self.offset = 0;
        let documents = if self.is_unambiguous(text) {
            yaml::split(text)
        } else {
            Vec::new()
        };
        for document in documents {
            if let Some(tree) = self.tree(document.text, document.offset)
                && !tree.is_empty()
            {
                self.plugin(&tree, 0);
            }
        }
        self.inside = outer;
        self.offset = offset;
        self.placeholders = placeholders;
    }

    fn plugin(&mut self, tree: &Tree, id: NodeId) {
        if !matches!(tree[id].kind(), Kind::Mapping { .. }) {
            return;
        }
        let known = [
            &ITEM_KEYS[..],
            &["apiVersion", "kind", "items", "replacements"],
        ]
        .concat();
        let entries = self.entries(tree, id, &known);
        let text = |key| entries.get(key).and_then(|id| tree.text(*id));
        let (version, kind) = (text("apiVersion"), text("kind").unwrap_or_default());
        if kind.ends_with("List")
            && let Some(items) = entries.get("items")
        {
            return members(tree, *items)
                .into_iter()
                .for_each(|item| self.plugin(tree, item));
        }
        if version != Some("builtin") {
            let help = match version {
                Some(version) if version.starts_with("landfall.dev/") => {
                    "remove it: with `tool: kustomize`, landfall renders the files before kustomize reads them"
                }
                _ => {
                    "use a built-in one (`apiVersion: builtin`), or run it in CI and commit the result"
                }
            };
            let message = match kind {
                "" => "landfall does not run plugins of kustomize".to_owned(),
                kind => format!("landfall does not run `{kind}`, a plugin of kustomize"),
            };
            return self.refuse(tree[id].range(), message, help);
        }
        if kind == "HelmChartInflationGenerator" {
            let message = format!("kustomize is run without Helm, so `{kind}` is not built");
            let help = "template the chart in CI and commit the result";
            return self.refuse(tree[id].range(), message, help);
        }
        match kind {
            "ConfigMapGenerator" | "SecretGenerator" => {
                let of_secret = kind == "SecretGenerator";
                self.fields.has_secret_generator |= of_secret;
                self.generator(tree, id, of_secret);
            }
            _ => {
                self.path_of(tree, id);
                for item in entries
                    .get("paths")
                    .map(|id| members(tree, *id))
                    .unwrap_or_default()
                {
                    if !self.is_inline(tree, item) {
                        self.mention(tree, item, Names::Yaml);
                    }
                }
                for item in entries
                    .get("replacements")
                    .map(|id| members(tree, *id))
                    .unwrap_or_default()
                {
                    self.path_of(tree, item);
                }
            }
        }
    }
}

/// Returns whether kustomize removes quotes around the value of a literal (removeQuotes in
/// api/kv/kv.go, kustomize 5.8.1).
fn is_quoted(value: &str) -> bool {
    let bytes = value.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(first), Some(last))
        if bytes.len() > 1 && first == last && matches!(first, b'"' | b'\''))
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
