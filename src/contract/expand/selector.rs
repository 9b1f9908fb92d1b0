//! Label selectors.

use crate::collections::OrderedMap;
use crate::contract::expand::document::Node;
use crate::contract::expand::problems::Problems;

/// A selector whose requirements all hold for what it selects.
#[derive(Clone, Debug, Default)]
pub(super) struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
    /// Whether it is one of `matchLabels`.
    is_label: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// Which values a selector may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedValues {
    /// Those that labels of Kubernetes have.
    Labels,
    /// Any: Argo CD selects parameters by them.
    Any,
}

impl Selector {
    /// Reads a selector. Reports what Kubernetes refuses.
    pub(super) fn read(
        node: Option<&Node>,
        values: AllowedValues,
        problems: &mut Problems<'_>,
    ) -> Self {
        let mut selector = Self::default();
        let Some(node) = node else {
            return selector;
        };
        problems.check_fields(node, &["matchLabels", "matchExpressions"], "a selector");
        for (key, value) in node
            .field("matchLabels")
            .map(Node::entries)
            .unwrap_or_default()
        {
            let text = value.text().unwrap_or_default();
            problems.check_label_key(&key.name, key.id);
            problems.check_label_value(text, value, values);
            selector.requirements.push(Requirement {
                key: key.name.clone(),
                operator: Operator::In,
                values: vec![text.to_owned()],
                is_label: true,
            });
        }
        for expression in node
            .field("matchExpressions")
            .map(Node::items)
            .unwrap_or_default()
        {
            selector
                .requirements
                .extend(Requirement::read(expression, values, problems));
        }
        selector
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Removes a key from `matchLabels`.
    pub(super) fn remove_label(&mut self, key: &str) {
        self.requirements
            .retain(|requirement| !requirement.is_label || requirement.key != key);
    }

    /// Returns whether it selects something with these labels.
    pub(super) fn matches(&self, labels: &OrderedMap<String, String>) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(labels))
    }

    /// Returns the keys of its requirements.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.requirements
            .iter()
            .map(|requirement| requirement.key.as_str())
    }
}

impl Requirement {
    fn read(node: &Node, allowed: AllowedValues, problems: &mut Problems<'_>) -> Option<Self> {
        problems.check_fields(node, &["key", "operator", "values"], "a requirement");
        let key = node.text_of("key").to_owned();
        problems.check_label_key(&key, node.field("key").unwrap_or(node).id);
        let items = node.field("values").map(Node::items).unwrap_or_default();
        for item in items {
            problems.check_label_value(item.text().unwrap_or_default(), item, allowed);
        }
        let operator = match node.text_of("operator") {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            other => {
                let at = node.field("operator").unwrap_or(node);
                let message = format!("`{other}` is not an operator of selectors");
                problems.error(
                    at.id,
                    message,
                    "expected one of: `In`, `NotIn`, `Exists`, `DoesNotExist`",
                );
                return None;
            }
        };
        let takes_values = matches!(operator, Operator::In | Operator::NotIn);
        if takes_values == items.is_empty() {
            let (message, help) = if takes_values {
                ("has no values", "add `values`")
            } else {
                ("has values", "remove `values`")
            };
            let operator = node.text_of("operator");
            problems.error(
                node.id,
                format!("a requirement with `{operator}` {message}"),
                help,
            );
        }
        Some(Self {
            key,
            operator,
            values: items
                .iter()
                .filter_map(Node::text)
                .map(str::to_owned)
                .collect(),
            is_label: false,
        })
    }

    fn matches(&self, labels: &OrderedMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        let is_listed = value.is_some_and(|value| self.values.contains(value));
        match self.operator {
            Operator::In => is_listed,
            Operator::NotIn => !is_listed,
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}
