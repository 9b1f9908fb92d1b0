//! `list`: an item for each of its elements (`applicationset/generators/list.go`).

use crate::contract::expand::document::{Content, Node};
use crate::contract::expand::generators::Generators;
use crate::contract::expand::parameters::{Object, Parameter, Parameters};
use crate::contract::expand::templates::Mode;

const FIELDS: [&str; 3] = ["elements", "elementsYaml", "template"];

impl Generators<'_, '_> {
    pub(super) fn list(&mut self, generator: &Node) -> Vec<Parameters> {
        self.problems
            .check_fields(generator, &FIELDS, "the generator `list`");
        if let Some(node) = generator
            .field("elementsYaml")
            .filter(|node| !node.is_empty())
        {
            let help = "write the elements in `elements`";
            self.problems
                .error(node.id, "`elementsYaml` is not evaluated", help);
        }
        let elements = generator
            .field("elements")
            .map(Node::items)
            .unwrap_or_default();
        elements
            .iter()
            .map(|element| self.element(element))
            .collect()
    }

    fn element(&mut self, element: &Node) -> Parameters {
        if !matches!(element.content, Content::Object(_)) {
            let message = format!(
                "an element of `list` is {}, not an object",
                element.described()
            );
            self.problems
                .error(element.id, message, "write `- name: value`");
            return Parameters::new();
        }
        if matches!(self.mode, Mode::Go(_)) {
            return Object::of(element).entries;
        }
        let mut parameters = Parameters::new();
        for (key, value) in element.entries() {
            if key.name != "values" {
                self.plain_value(key.name.clone(), value, &mut parameters);
                continue;
            }
            if !matches!(value.content, Content::Object(_)) {
                let message = format!("`values` is {}, not an object", value.described());
                self.problems
                    .error(value.id, message, "write `values: {name: value}`");
            }
            for (key, value) in value.entries() {
                self.plain_value(format!("values.{}", key.name), value, &mut parameters);
            }
        }
        parameters
    }

    fn plain_value(&mut self, name: String, value: &Node, parameters: &mut Parameters) {
        match &value.content {
            Content::String(text) => {
                parameters.insert(name, Parameter::String(text.clone()));
            }
            _ => {
                let message = format!(
                    "`{name}` is {}, and plain templates have only strings",
                    value.described()
                );
                let help = match value.content {
                    Content::List(_) | Content::Object(_) => {
                        "set `goTemplate: true`, and write Go templates"
                    }
                    _ => "quote it, or set `goTemplate: true` and write Go templates",
                };
                self.problems.error(value.id, message, help);
            }
        }
    }
}
