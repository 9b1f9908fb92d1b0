//! The names of outputs in the Binding and in outputs contracts.

use crate::analysis::document::{SourceText, TextAt};
use crate::assist::mentions::{Found, Mention, PathSteps, Renamed, Search};
use crate::assist::written;
use crate::config::Config;
use crate::config::outputs_contract;
use crate::contract::Application;
use crate::reference::{Heads, Step};
use crate::report::Origin;
use yaml::{Document, NodeId, Span, Style, Tree, decode, locate};

/// A configuration document whose names are searched.
struct ConfigTree<'t> {
    text: &'t str,
    tree: Tree,
    origin: Origin,
}

impl<'t> ConfigTree<'t> {
    /// `None` if it isn't YAML: its reader reports that.
    fn of(config: &'t Config, origin: Origin) -> Option<Self> {
        let text = str::from_utf8(&config.content).ok()?;
        let tree = locate(text).ok().filter(|tree| !tree.is_empty())?;
        Some(Self { text, tree, origin })
    }

    /// Returns the value of a key of a mapping.
    fn value(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        let mut entries = self.tree.entries(mapping);
        let (_, value) = entries.find(|(name, _)| self.tree.text(*name) == Some(key))?;
        Some(value)
    }

    /// Returns the items of the list that is the value of a key.
    fn items(&self, mapping: NodeId, key: &str) -> Vec<NodeId> {
        let list = self.value(mapping, key);
        list.map_or_else(Vec::new, |list| self.tree.children(list).collect())
    }

    /// Returns the keys of the mapping at a path.
    fn keys(&self, mapping: NodeId, path: &[&str]) -> Vec<NodeId> {
        let mut steps = path.iter();
        let value = steps.try_fold(mapping, |mapping, key| self.value(mapping, key));
        let entries = value.map(|value| self.tree.entries(value));
        entries.into_iter().flatten().map(|(key, _)| key).collect()
    }
}

impl Search<'_> {
    /// Adds the names and the references in an application's Binding.
    pub(super) fn add_binding(&mut self, application: &Application, heads: &Heads) {
        let (_, errors) = application.binding();
        self.problems.append(errors.clone());
        let config = application.configuration().binding.as_ref();
        let Some(config) = config.and_then(|config| ConfigTree::of(config, Origin::Binding)) else {
            return;
        };
        let Some(spec) = config.value(0, "spec") else {
            return;
        };
        for item in config.items(spec, "outputs") {
            let name = config.value(item, "name");
            let Some((id, name)) = name.and_then(|id| Some((id, config.tree.text(id)?))) else {
                continue;
            };
            self.add_bound_name(&config, id, name);
            let lists = ["sensitive", "notSensitive"];
            let listed = lists.into_iter().flat_map(|key| config.items(item, key));
            for id in listed.chain(config.keys(item, &["from", "inline"])) {
                self.add_output(&config, id, name);
            }
        }
        self.add_sections(&config, spec, "contract");
        for item in config.items(spec, "substitutions") {
            if let Some(value) = config.value(item, "value") {
                self.add_value(&config, value, heads);
            }
        }
    }

    /// Adds the names in a document of the kind OutputsContract.
    pub(super) fn add_contract(&mut self, contract: &Config, origin: Origin) {
        if let Err(mut errors) = outputs_contract::read_document(contract) {
            let labels = errors.iter_mut().flat_map(|error| &mut error.labels);
            labels.for_each(|label| label.origin = origin);
            self.problems.append(errors);
        }
        if let Some(config) = ConfigTree::of(contract, origin) {
            self.add_sections(&config, 0, "spec");
        }
    }

    /// Adds the names of a contract, which is the value of a key.
    fn add_sections(&mut self, config: &ConfigTree<'_>, mapping: NodeId, key: &str) {
        for id in config.keys(mapping, &[key]) {
            let Some(name) = config.tree.text(id) else {
                continue;
            };
            self.add_bound_name(config, id, name);
            for output in config.keys(mapping, &[key, name]) {
                self.add_output(config, output, name);
            }
        }
    }

    /// Adds a scalar that is a bound name.
    fn add_bound_name(&mut self, config: &ConfigTree<'_>, id: NodeId, name: &str) {
        let names = |name: &str| PathSteps {
            binding: Some(name.to_owned()),
            steps: Vec::new(),
        };
        let is_subject = self.is_bound_name(name);
        self.add_scalar(config, id, is_subject, names(name), &names);
    }

    /// Adds a scalar that is the name of an output of `name`.
    fn add_output(&mut self, config: &ConfigTree<'_>, id: NodeId, name: &str) {
        let Some(output) = config.tree.text(id) else {
            return;
        };
        // Where its bound name is written is a place of its own.
        let names = |output: &str| PathSteps {
            binding: None,
            steps: vec![Step::Key(output.to_owned())],
        };
        let is_subject = self.is_output_of(name, output);
        self.add_scalar(config, id, is_subject, names(output), &names);
    }

    fn add_scalar(
        &mut self,
        config: &ConfigTree<'_>,
        id: NodeId,
        is_subject: bool,
        names: PathSteps,
        renamed: &dyn Fn(&str) -> PathSteps,
    ) {
        let ConfigTree { text, tree, origin } = config;
        let whole = Span::from(tree[id].range());
        let found = is_subject.then(|| Found {
            span: whole,
            renamed: self.to.and_then(|to| {
                let edits = written::renamed_scalar(text, tree, id, to)?;
                let names = renamed(to);
                Some(Renamed { edits, names })
            }),
        });
        self.mentions.push(Mention {
            origin: *origin,
            whole,
            names,
            found,
        });
    }

    /// Adds the references in the value of a field binding.
    fn add_value(&mut self, config: &ConfigTree<'_>, id: NodeId, heads: &Heads) {
        let ConfigTree { text, tree, origin } = config;
        let Some(decoded) = decode(text, tree, id) else {
            return;
        };
        let document = Document { text, offset: 0 };
        let source = SourceText::of_file(document, *origin);
        let style = tree[id].style().unwrap_or(Style::Plain);
        self.add_template(*origin, &TextAt::new(&source, &decoded, style, 0), heads);
    }
}
