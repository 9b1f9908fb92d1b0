//! The documents that spans point into.

use std::cell::OnceCell;

use landfall_sandbox::types::{Config, Origin, OutputsDocument};

use super::position::Positions;

/// A document under the path that people know it by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'a> {
    pub(crate) path: &'a str,
    pub(crate) content: &'a [u8],
}

impl<'a> From<&'a OutputsDocument> for Document<'a> {
    fn from(document: &'a OutputsDocument) -> Self {
        Self {
            path: &document.path,
            content: &document.content,
        }
    }
}

impl<'a> From<&'a Config> for Document<'a> {
    fn from(config: &'a Config) -> Self {
        Self {
            path: &config.path,
            content: &config.content,
        }
    }
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

/// The documents of one request with the positions in them, which are counted once
/// for each document that is asked for.
pub(crate) struct Located<'a> {
    documents: &'a Documents<'a>,
    manifests: Vec<OnceCell<Positions<'a>>>,
    outputs: Vec<OnceCell<Positions<'a>>>,
    /// The Binding, the operator's policy, what flags say.
    others: [OnceCell<Positions<'a>>; 3],
}

impl<'a> Located<'a> {
    pub(crate) fn new(documents: &'a Documents<'a>) -> Self {
        Self {
            documents,
            manifests: vec![OnceCell::new(); documents.manifests.len()],
            outputs: vec![OnceCell::new(); documents.outputs.len()],
            others: [const { OnceCell::new() }; 3],
        }
    }

    /// As [`Documents::get`].
    pub(crate) fn get(&self, origin: Origin) -> Option<(Document<'a>, &Positions<'a>)> {
        let document = self.documents.get(origin)?;
        let positions = match origin {
            Origin::Manifest(position) => self.manifests.get(position as usize),
            Origin::Outputs(position) => self.outputs.get(position as usize),
            Origin::Binding => self.others.first(),
            Origin::OperatorPolicy => self.others.get(1),
            Origin::Policy => self.others.get(2),
            Origin::Parameters => None,
        };
        let positions = positions?.get_or_init(|| Positions::new(document.content));
        Some((document, positions))
    }
}
