//! Converts spans to ranges in the documents of one call.

use landfall::{Origin, Span};

use crate::input::Input;
use crate::positions::{Positions, Range};

/// The documents of a call. The position index of each one is built on first use.
#[derive(Debug)]
pub(super) struct RangeConverter<'i> {
    input: &'i Input,
    manifests: Vec<Option<Positions<'i>>>,
    outputs: Vec<Option<Positions<'i>>>,
}

impl<'i> RangeConverter<'i> {
    pub(super) fn new(input: &'i Input) -> Self {
        Self {
            input,
            manifests: input.manifests.iter().map(|_| None).collect(),
            outputs: input.outputs.iter().map(|_| None).collect(),
        }
    }

    /// Returns the range of a span, or an empty range if the document does not exist.
    pub(super) fn range(&mut self, origin: Origin, span: Span) -> Range {
        let (content, cached): (&'i [u8], _) = match origin {
            Origin::Manifest(at) => match self.input.manifests.get(at) {
                Some(document) => (&document.content, self.manifests.get_mut(at)),
                None => return Positions::new(b"").range(span),
            },
            Origin::Outputs(at) => match self.input.outputs.get(at) {
                Some(document) => (&document.content, self.outputs.get_mut(at)),
                None => return Positions::new(b"").range(span),
            },
            // These are small and rarely used.
            Origin::Binding => (binding(self.input), None),
            Origin::Policy => (policy(self.input), None),
            Origin::OperatorPolicy | Origin::Parameters | Origin::Contract => (b"", None),
        };
        match cached {
            Some(cached) => cached
                .get_or_insert_with(|| Positions::new(content))
                .range(span),
            None => Positions::new(content).range(span),
        }
    }
}

fn binding(input: &Input) -> &[u8] {
    let binding = input.binding.as_ref();
    binding.map_or(b"", |binding| &binding.content)
}

fn policy(input: &Input) -> &[u8] {
    let policy = input.policy.as_ref();
    policy.map_or(b"", |policy| policy.get().as_bytes())
}
