//! `clusters`: an item for each registered cluster that its selector selects
//! (`applicationset/generators/cluster.go`).

use crate::collections::OrderedMap;
use crate::contract::expand::clusters::{Cluster, SECRET_TYPE};
use crate::contract::expand::document::Node;
use crate::contract::expand::generators::Generators;
use crate::contract::expand::parameters::{Object, Parameter, Parameters};
use crate::contract::expand::selector::{AllowedValues, Selector};
use crate::contract::expand::templates::{Mode, Renderer, Unknown};
use crate::functions::operators::normalized;

const FIELDS: [&str; 4] = ["selector", "template", "values", "flatList"];

impl Generators<'_, '_> {
    pub(super) fn clusters(&mut self, generator: &Node) -> Vec<Parameters> {
        self.problems
            .check_fields(generator, &FIELDS, "the generator `clusters`");
        if let Some(flat) = generator.field("flatList").filter(|flat| flat.is_true()) {
            let help = "remove it: a list of all clusters needs `range`, which is not evaluated";
            self.problems
                .error(flat.id, "`flatList` is not evaluated", help);
            return Vec::new();
        }
        let selector = generator.field("selector");
        let mut selector = Selector::read(selector, AllowedValues::Labels, self.problems);
        let is_empty = selector.is_empty();
        // Argo CD sets its own value.
        selector.remove_label(SECRET_TYPE);
        let clusters = self.clusters;
        let mut items = Vec::new();
        for cluster in clusters {
            let is_selected = if cluster.has_secret {
                selector.matches(&cluster.labels)
            } else {
                // It has no labels, so that no selector selects it.
                is_empty
            };
            if is_selected {
                items.push(self.cluster(cluster, generator));
            }
        }
        items
    }

    /// Returns the parameters of a cluster.
    fn cluster(&mut self, cluster: &Cluster, generator: &Node) -> Parameters {
        let mut parameters = Parameters::new();
        let normalized = if cluster.has_secret {
            normalized(&cluster.name)
        } else {
            cluster.name.clone()
        };
        for (name, value) in [
            ("name", &cluster.name),
            ("nameNormalized", &normalized),
            ("server", &cluster.server),
            ("project", &cluster.project),
        ] {
            parameters.insert(name.to_owned(), Parameter::String(value.clone()));
        }
        let metadata = [
            ("labels", &cluster.labels),
            ("annotations", &cluster.annotations),
        ];
        match self.mode {
            Mode::Plain => {
                for (field, entries) in metadata {
                    for (key, value) in entries.iter() {
                        let name = format!("metadata.{field}.{key}");
                        parameters.insert(name, Parameter::String(value.clone()));
                    }
                }
            }
            Mode::Go(_) if cluster.has_secret => {
                let mut object = Object::default();
                for (field, entries) in metadata
                    .into_iter()
                    .filter(|(_, entries)| !entries.is_empty())
                {
                    object
                        .entries
                        .insert(field.to_owned(), Parameter::strings(entries.iter()));
                }
                parameters.insert("metadata".to_owned(), Parameter::Object(object));
            }
            Mode::Go(_) => {}
        }
        self.add_values(generator.field("values"), &mut parameters);
        parameters
    }

    /// Adds `values`, in which the other parameters are replaced.
    fn add_values(&mut self, values: Option<&Node>, parameters: &mut Parameters) {
        let mut rendered = OrderedMap::new();
        for (key, value) in values.map(Node::entries).unwrap_or_default() {
            let mut renderer = Renderer {
                mode: self.mode,
                parameters,
                unknown: Unknown::Kept,
                problems: &mut *self.problems,
            };
            let text = value.text().unwrap_or_default();
            let text = renderer.text(value, text).unwrap_or_default();
            rendered.insert(key.name.clone(), text);
        }
        if rendered.is_empty() {
            return;
        }
        match self.mode {
            Mode::Plain => {
                for (key, value) in rendered.iter() {
                    parameters.insert(format!("values.{key}"), Parameter::String(value.clone()));
                }
            }
            Mode::Go(_) => {
                parameters.insert("values".to_owned(), Parameter::strings(rendered.iter()));
            }
        }
    }
}
