//! The documents that spans point into.

use landfall_sandbox::types::Origin;

/// A document under the path that people know it by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'a> {
    pub(crate) path: &'a str,
    pub(crate) content: &'a [u8],
}

/// The documents of one request, by their position in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents<'a> {
    pub(crate) manifests: Vec<Document<'a>>,
    pub(crate) outputs: Vec<Document<'a>>,
    pub(crate) binding: Option<Document<'a>>,
    pub(crate) operator_policy: Option<Document<'a>>,
    /// What flags say.
    pub(crate) policy: Option<Document<'a>>,
}

impl<'a> Documents<'a> {
    /// None for parameters, which are no document, and for an origin that the
    /// request does not have.
    pub(crate) fn get(&self, origin: Origin) -> Option<Document<'a>> {
        match origin {
            Origin::Manifest(position) => self.manifests.get(position as usize).copied(),
            Origin::Outputs(position) => self.outputs.get(position as usize).copied(),
            Origin::Binding => self.binding,
            Origin::OperatorPolicy => self.operator_policy,
            Origin::Policy => self.policy,
            Origin::Parameters => None,
        }
    }
}
