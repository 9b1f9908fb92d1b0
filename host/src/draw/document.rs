//! The documents that spans point into.

use std::cell::OnceCell;

use landfall_sandbox::types::{Config, Origin, OutputsDocument};

use super::position::Positions;

/// A document with its path in diagnostics.
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

/// The documents of one request, by their index in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents<'a> {
    pub(crate) manifests: Vec<Document<'a>>,
    pub(crate) outputs: Vec<Document<'a>>,
    pub(crate) binding: Option<Document<'a>>,
    pub(crate) operator_policy: Option<Document<'a>>,
    /// The policies that flags set.
    pub(crate) policy: Option<Document<'a>>,
    /// The contract of outputs documents, which are checked without manifests: the origin
    /// `manifest(0)` is this document then.
    pub(crate) contract: Option<Document<'a>>,
}

impl<'a> Documents<'a> {
    /// Returns the document of an origin. None for parameters, which have no document,
    /// and for an origin that does not exist in the request.
    pub(crate) fn get(&self, origin: Origin) -> Option<Document<'a>> {
        match origin {
            Origin::Manifest(0) if self.contract.is_some() => self.contract,
            Origin::Manifest(position) => self.manifests.get(position as usize).copied(),
            Origin::Outputs(position) => self.outputs.get(position as usize).copied(),
            Origin::Binding => self.binding,
            Origin::OperatorPolicy => self.operator_policy,
            Origin::Policy => self.policy,
            Origin::Parameters => None,
        }
    }
}

/// Documents that outlive their request.
#[derive(Debug)]
pub(crate) struct OwnedDocuments {
    manifests: Vec<OwnedDocument>,
    outputs: Vec<OwnedDocument>,
    /// The Binding, the operator's policy, and the policies that flags set.
    others: [Option<OwnedDocument>; 3],
}

#[derive(Debug)]
struct OwnedDocument {
    path: String,
    content: Vec<u8>,
}

impl OwnedDocuments {
    pub(crate) fn new(documents: &Documents<'_>) -> Self {
        let owned = |document: &Document<'_>| OwnedDocument {
            path: document.path.to_owned(),
            content: document.content.to_owned(),
        };
        let Documents {
            manifests,
            outputs,
            binding,
            operator_policy,
            policy,
            contract: _,
        } = documents;
        Self {
            manifests: manifests.iter().map(owned).collect(),
            outputs: outputs.iter().map(owned).collect(),
            others: [binding, operator_policy, policy].map(|it| it.as_ref().map(owned)),
        }
    }

    pub(crate) fn get(&self) -> Documents<'_> {
        let [binding, operator_policy, policy] =
            (self.others.each_ref()).map(|it| it.as_ref().map(OwnedDocument::get));
        Documents {
            manifests: self.manifests.iter().map(OwnedDocument::get).collect(),
            outputs: self.outputs.iter().map(OwnedDocument::get).collect(),
            binding,
            operator_policy,
            policy,
            contract: None,
        }
    }
}

impl OwnedDocument {
    fn get(&self) -> Document<'_> {
        Document {
            path: &self.path,
            content: &self.content,
        }
    }
}

/// The documents of one request with their line index, which is built on the first use
/// of each document.
pub(crate) struct Located<'a> {
    documents: &'a Documents<'a>,
    manifests: Vec<OnceCell<Positions<'a>>>,
    outputs: Vec<OnceCell<Positions<'a>>>,
    /// The Binding, the operator's policy, the policies that flags set, and the contract.
    others: [OnceCell<Positions<'a>>; 4],
}

impl<'a> Located<'a> {
    pub(crate) fn new(documents: &'a Documents<'a>) -> Self {
        Self {
            documents,
            manifests: vec![OnceCell::new(); documents.manifests.len()],
            outputs: vec![OnceCell::new(); documents.outputs.len()],
            others: [const { OnceCell::new() }; 4],
        }
    }

    /// Returns whether `manifest(0)` is the contract.
    pub(crate) const fn has_contract(&self) -> bool {
        self.documents.contract.is_some()
    }

    /// As [`Documents::get`].
    pub(crate) fn get(&self, origin: Origin) -> Option<(Document<'a>, &Positions<'a>)> {
        let document = self.documents.get(origin)?;
        let positions = match origin {
            Origin::Manifest(0) if self.documents.contract.is_some() => self.others.get(3),
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
