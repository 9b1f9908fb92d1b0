//! The Binding and the operator's policy of an example. The page shows them from
//! `spec:` on; the header is always the same.

use landfall::{BuiltInCeiling, Ceiling, Config, Configuration, Origin, Request};

use super::page::Example;
use super::reported::line_and_column;

/// The configuration documents of an example.
#[derive(Debug, Default)]
pub struct Configs {
    binding: Option<Shown>,
    operator: Option<Shown>,
}

/// A document, and the part of it that the page shows.
#[derive(Debug)]
struct Shown {
    header: String,
    block: String,
}

impl Shown {
    fn of(example: &Example, role: &str, kind: &str) -> Option<Self> {
        let block = example.blocks.iter().find(|block| block.role == role)?;
        Some(Self {
            header: format!("apiVersion: landfall.dev/v1alpha1\nkind: {kind}\n"),
            block: block.content.clone(),
        })
    }

    fn config(&self, path: &str) -> Config {
        Config {
            path: path.to_owned(),
            content: format!("{}{}", self.header, self.block).into_bytes(),
        }
    }
}

impl Configs {
    /// Finds the documents in the blocks of an example.
    pub fn new(example: &Example) -> Self {
        Self {
            binding: Shown::of(example, "binding", "Binding"),
            operator: Shown::of(example, "operator", "OperatorPolicy"),
        }
    }

    /// Whether a role is that of a configuration document.
    pub fn is_role(role: &str) -> bool {
        matches!(role, "binding" | "operator")
    }

    /// Returns the request with these documents. Examples use only a few outputs: unused
    /// ones are reported only if the configuration mentions `unused`.
    pub fn put_into(&self, request: Request) -> Request {
        let mentions_unused = |shown: &Option<Shown>| {
            shown
                .as_ref()
                .is_some_and(|shown| shown.block.contains("unused"))
        };
        let ignore_unused = Config {
            path: "<flags>".to_owned(),
            content: b"unused: ignore\n".to_vec(),
        };
        Request {
            application: Configuration {
                binding: self
                    .binding
                    .as_ref()
                    .map(|shown| shown.config("landfall.yaml")),
                ceiling: Ceiling {
                    built_in: BuiltInCeiling::None,
                    operator_policy: self
                        .operator
                        .as_ref()
                        .map(|shown| shown.config("operator.yaml")),
                },
                policy: (!mentions_unused(&self.binding) && !mentions_unused(&self.operator))
                    .then_some(ignore_unused),
                bound_otherwise: Vec::new(),
            }
            .into(),
            ..request
        }
    }

    /// Returns a position in one of them, relative to the block on the page.
    pub fn position(&self, origin: Origin, at: usize) -> Option<String> {
        let (name, shown) = match origin {
            Origin::Binding => ("binding", self.binding.as_ref()?),
            Origin::OperatorPolicy => ("operator", self.operator.as_ref()?),
            _ => return None,
        };
        let at = at.saturating_sub(shown.header.len());
        Some(format!("{name} {}", line_and_column(&shown.block, at)))
    }
}
