//! Writes references in place of hard-coded values that equal outputs.

mod candidates;
mod embedded;
mod known;
mod lists;
mod verify;

use crate::contract::adopt::candidates::{Candidate, Search};
use crate::contract::adopt::known::KnownValues;
use crate::contract::adopt::verify::Verification;
pub(super) use crate::contract::adopt::verify::{Applied, reported};
use crate::contract::folder::is_other_tools;
use crate::contract::hard_coded::SensitiveValues;
use crate::contract::{Request, Sources};
use crate::outputs::{Bindings, bound_names};
use crate::reference::Heads;
use crate::report::Diagnostics;
use yaml::{Edit, Span};

/// The hard-coded values of source files that equal outputs, and the edits that write
/// references in their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// The edits of each source file, in their order.
    pub edits: Vec<Vec<Edit>>,
    /// In the order of the files.
    pub values: Vec<HardCodedValue>,
}

/// A hard-coded value that equals an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardCodedValue {
    /// The position of its file in the sources.
    pub file: usize,
    /// Its bytes. Only the start of its line if it equals a sensitive output and is not
    /// replaced: its end would reveal the length.
    pub span: Span,
    /// The first 16 outputs that it equals or, if they are sensitive, contains:
    /// `infra.vpc_id`. The keys of a sensitive object are not named.
    pub outputs: Vec<String>,
    /// What is done about it.
    pub outcome: AdoptionOutcome,
    /// Whether its line must not be shown, because its document contains the value of a
    /// sensitive output or is a Secret.
    pub conceal: bool,
}

/// What is done about a hard-coded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdoptionOutcome {
    /// An edit replaces it by a reference.
    Adopted,
    /// Several outputs have this value.
    Ambiguous,
    /// It contains the value of a sensitive output, and is not a scalar in the `stringData`
    /// of a Secret.
    Sensitive,
    /// Rendering a reference there would not give the same bytes.
    NotAdoptable,
    /// It is not quoted, in a flow collection, where a reference would not be valid.
    Unquoted,
    /// Its file is read by another tool, such as `kustomization.yaml`.
    OtherTool,
}

impl Sources {
    /// Finds hard-coded values that equal outputs, and returns the edits that replace them
    /// by references. Rendering the edited sources with the same request gives the bytes
    /// that rendering these gives: this is verified before it returns.
    ///
    /// # Errors
    /// All diagnostics of rendering the sources as they are.
    ///
    /// # Examples
    /// ```
    /// use landfall::{File, OutputsDocument, Request, Sources, splice};
    ///
    /// let manifest = b"vpc: vpc-0ab1 # shared\n".to_vec();
    /// let sources = Sources::new(vec![File { path: "a.yaml".into(), content: manifest.clone() }]);
    /// let content = br#"{"vpc_id": {"value": "vpc-0ab1"}}"#.to_vec();
    /// let outputs = vec![OutputsDocument { name: "infra".into(), content, ..OutputsDocument::default() }];
    /// let adoption = sources.adopt(&Request { outputs, ..Request::default() }).unwrap();
    /// assert_eq!(
    ///     splice(&manifest, &adoption.edits[0]).unwrap(),
    ///     b"vpc: ${infra.vpc_id} # shared\n"
    /// );
    /// ```
    pub fn adopt(&self, request: &Request) -> Result<Adoption, Diagnostics> {
        let verification = Verification::new(self, request)?;
        let (config, _) = request.application.effective();
        let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
        let heads = Heads::in_dialect(
            config.dialect,
            bound_names(&request.outputs).iter().copied(),
        );
        let search = Search {
            heads: &heads,
            known: &KnownValues::new(&bindings, config.dialect),
            sensitive: &SensitiveValues::new(&bindings),
        };
        let mut candidates = Vec::new();
        for (nth, (text, file)) in self.texts().zip(&self.files).enumerate() {
            if let Ok(text) = text {
                let is_other_tools = is_other_tools(&file.path);
                search.find(nth, text, is_other_tools, &mut candidates);
            }
        }
        // A reference in an outputs document would be to its own value.
        let bound = self.resource_documents(&request.application);
        let bound = bound.unwrap_or_default();
        candidates.retain(|candidate| {
            let mut bound = bound.iter().filter(|bound| bound.file == candidate.file);
            !bound.any(|bound| bound.span.range().contains(&candidate.range.start))
        });
        verification.withdraw(&mut candidates);
        Ok(adoption(self.texts().count(), candidates))
    }
}

fn adoption(files: usize, candidates: Vec<Candidate>) -> Adoption {
    let mut edits = vec![Vec::new(); files];
    let mut values = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let Candidate {
            file,
            range,
            line,
            reference,
            outputs,
            outcome,
            is_sensitive,
            conceal,
        } = candidate;
        let is_adopted = outcome == AdoptionOutcome::Adopted;
        let span = if is_sensitive && !is_adopted {
            Span::point(line)
        } else {
            Span::from(range.clone())
        };
        if let Some(edits) = edits.get_mut(file)
            && is_adopted
        {
            edits.push(Edit {
                span: Span::from(range),
                text: reference.into_bytes(),
            });
        }
        values.push(HardCodedValue {
            file,
            span,
            outputs,
            outcome,
            conceal,
        });
    }
    Adoption { edits, values }
}

#[cfg(test)]
mod tests;
