//! Generators: what Applications are made for. A file for each.

mod clusters;
mod list;
mod matrix;
mod merge;

use crate::contract::expand::clusters::Cluster;
use crate::contract::expand::document::Node;
use crate::contract::expand::parameters::{Parameters, labels, size};
use crate::contract::expand::problems::Problems;
use crate::contract::expand::selector::{AllowedValues, Selector};
use crate::contract::expand::templates::{Mode, Renderer, Unknown};
use crate::report::suggest;

/// The generators that are evaluated, in the order in which Argo CD runs those of one item.
const EVALUATED: [&str; 4] = ["list", "clusters", "matrix", "merge"];

/// Generators that ask a repository, a forge, or a cluster.
const OTHERS: [&str; 5] = [
    "git",
    "scmProvider",
    "clusterDecisionResource",
    "pullRequest",
    "plugin",
];

/// The maximum number of items of one generator.
pub(super) const MAX_ITEMS: usize = 100_000;

/// How deep a generator is in others. Argo CD allows two levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Top,
    /// In `matrix` or `merge`.
    Nested,
    /// In one that is nested itself.
    Terminal,
}

impl Level {
    const fn inside(self) -> Self {
        match self {
            Self::Top => Self::Nested,
            Self::Nested | Self::Terminal => Self::Terminal,
        }
    }
}

/// What generators are evaluated with.
pub(super) struct Generators<'g, 'd> {
    pub(super) mode: Mode,
    pub(super) clusters: &'g [Cluster],
    pub(super) problems: &'g mut Problems<'d>,
}

/// One kind of generator in an item of `generators`.
pub(super) struct Generated<'n> {
    /// The template that overrides that of the ApplicationSet.
    pub(super) template: Option<&'n Node>,
    pub(super) items: Vec<Parameters>,
}

impl Generators<'_, '_> {
    /// Evaluates an item of `spec.generators`.
    pub(super) fn top<'n>(&mut self, item: &'n Node) -> Vec<Generated<'n>> {
        let mut all = Vec::new();
        for name in self.kinds(item, Level::Top) {
            let Some(generator) = item.field(name) else {
                continue;
            };
            let items = self.items(item, item, name, Level::Top);
            all.push(Generated {
                template: generator.field("template"),
                items,
            });
        }
        all
    }

    /// Evaluates the generator in an item of `generators` of `matrix` and `merge`. `outer` are
    /// the parameters of the first generator of `matrix`, for the second.
    fn nested(&mut self, item: &Node, level: Level, outer: Option<&Parameters>) -> Vec<Parameters> {
        if self.problems.is_exhausted() {
            return Vec::new();
        }
        let kinds = self.kinds(item, level);
        let [name] = kinds[..] else {
            if kinds.len() > 1 {
                let message = "two generators in one item of `generators`";
                self.problems
                    .error(item.id, message, "make each an item of its own");
            }
            return Vec::new();
        };
        if let Some(template) = item.at(&[name, "template"]) {
            let message = "the `template` of a generator in `matrix` or `merge` has no effect";
            self.problems
                .warn(template.id, message, "move it to the outer generator");
        }
        match outer.filter(|outer| !outer.is_empty()) {
            Some(outer) => {
                let mut renderer = Renderer {
                    mode: self.mode,
                    parameters: outer,
                    unknown: Unknown::Kept,
                    problems: &mut *self.problems,
                };
                let rendered = renderer.node(item);
                self.items(&rendered, item, name, level)
            }
            None => self.items(item, item, name, level),
        }
    }

    /// Returns the parameters of the generator `name`. `written` is the item before the
    /// parameters of another generator were replaced in it.
    fn items(&mut self, item: &Node, written: &Node, name: &str, level: Level) -> Vec<Parameters> {
        let Some(generator) = item.field(name) else {
            return Vec::new();
        };
        let mut items = match name {
            "list" => self.list(generator),
            "clusters" => self.clusters(generator),
            "matrix" => self.matrix(generator, level.inside()),
            _ => self.merge(generator, level.inside()),
        };
        // Before the selector: what it removes has been made.
        let bytes = items.iter().map(size).fold(0, usize::saturating_add);
        if !self.problems.may_work(generator.id, bytes) {
            return Vec::new();
        }
        let Some(selector) = written.field("selector") else {
            return items;
        };
        let selector = Selector::read(Some(selector), AllowedValues::Any, self.problems);
        self.warn_of_hidden_labels(&selector, written, &items);
        items.retain(|parameters| selector.matches(&labels(parameters)));
        items
    }

    /// Warns about requirements on labels that a `selector` of a generator cannot see in Go
    /// templates.
    fn warn_of_hidden_labels(&mut self, selector: &Selector, item: &Node, items: &[Parameters]) {
        for key in selector.keys() {
            let is_hidden = items.iter().any(|parameters| {
                let segments: Vec<&str> = key.split('.').collect();
                let labels = labels(parameters);
                let inside = (1..segments.len()).any(|length| {
                    let parent = segments.get(..length).unwrap_or_default().join(".");
                    labels
                        .get(&parent)
                        .is_some_and(|text| text.starts_with("map["))
                });
                inside && !labels.contains_key(key)
            });
            if is_hidden && let Some(node) = item.field("selector") {
                let message = format!(
                    "this `selector` cannot see `{key}`: with `goTemplate: true`, Argo CD does not look into labels, annotations and `values`"
                );
                let help = "select clusters in the selector of `clusters`";
                self.problems.warn(node.id, message, help);
            }
        }
    }

    /// Returns the kinds of generators that an item has. Reports those that are not evaluated,
    /// and an item without any.
    fn kinds(&mut self, item: &Node, level: Level) -> Vec<&'static str> {
        let mut is_reported = false;
        for (key, _) in item.entries() {
            let name = key.name.as_str();
            if name == "selector" || EVALUATED.contains(&name) && item.field(name).is_some() {
                continue;
            }
            is_reported = true;
            if OTHERS.contains(&name) {
                let message = format!("the generator `{name}` is not evaluated");
                let help = "it asks other programs: only `list`, `clusters`, `matrix` and `merge` depend on nothing but files";
                self.problems.error(key.id, message, help);
                continue;
            }
            let known = EVALUATED.iter().chain(&OTHERS).copied();
            let help = match suggest::closest(name, known) {
                Some(near) if near != name => format!("did you mean `{near}`?"),
                _ => {
                    "expected one of: `list`, `clusters`, `matrix`, `merge`, `selector`".to_owned()
                }
            };
            self.problems
                .error(key.id, format!("`{name}` is not a generator"), help);
        }
        let mut kinds = EVALUATED.to_vec();
        kinds.retain(|name| item.field(name).is_some());
        if level == Level::Terminal
            && let Some(name) = kinds
                .iter()
                .find(|name| matches!(**name, "matrix" | "merge"))
        {
            let message = format!("`{name}` is nested too deep");
            let help =
                "Argo CD allows `matrix` and `merge` inside one other of them, and no deeper";
            self.problems.error(item.id, message, help);
            return Vec::new();
        }
        if kinds.is_empty() && !is_reported {
            let help = "add one of: `list`, `clusters`, `matrix`, `merge`";
            self.problems.error(item.id, "no generator here", help);
        }
        kinds
    }

    /// Reports too many items. Returns whether there may be this many.
    fn allows(&mut self, count: usize, generator: &Node) -> bool {
        if count <= MAX_ITEMS {
            return true;
        }
        let message = format!("more than {MAX_ITEMS} combinations of parameters");
        self.problems
            .error(generator.id, message, "select fewer clusters");
        false
    }
}
