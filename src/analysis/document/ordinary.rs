//! Scalars in which ordinary text is written as it is, whatever it says: most scalars.
//! Nothing but their values has to be looked up in a render.

use super::scalars::PendingScalar;
use super::{Analyser, FoundReference};
use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::{FieldType, built_in_type};
use crate::steps::{self, Step};
use yaml::{Example, Kind, NodeEditor, Part, Tree};

impl Analyser<'_> {
    /// Returns whether some scalars of the document can hold ordinary text in whose place
    /// nothing else has an effect: no alias repeats it, no consumer of the resource
    /// encodes it or executes it, and the document is neither embedded nor JSON.
    pub(super) fn may_hold_ordinary_text(&self, tree: &Tree, resources: &Resources<'_>) -> bool {
        let is_block = tree.get(0).is_some_and(|root| {
            matches!(
                root.kind(),
                Kind::Mapping { flow: false, .. } | Kind::Sequence { flow: false, .. }
            )
        });
        is_block
            && self.scope.parsed.is_some()
            && self.outer.is_none()
            && !self.source.is_embedded()
            && !resources.has_aliases()
            && !resources.has_kind("Secret")
            && !resources.has_kind("ApplicationSet")
    }

    /// Returns whether references of this scalar that become ordinary text change nothing
    /// but their own bytes, which become this text. The document must be one that
    /// [may hold it](Self::may_hold_ordinary_text), and nothing else may change it.
    pub(super) fn holds_ordinary_text(
        &self,
        tree: &Tree,
        resources: &Resources<'_>,
        scalar: &PendingScalar<'_>,
    ) -> bool {
        let is_output = |found: &FoundReference| {
            let reference = &found.reference;
            found.number.is_some()
                && reference.calls.is_empty()
                && reference.path.segments.len() == 1
        };
        if scalar.format.is_some()
            || scalar.actions.is_some()
            || !scalar.escapes.is_empty()
            || scalar.references.is_empty()
            || !scalar.references.iter().all(is_output)
            || resources.may_read_text(scalar.id, &[])
        {
            return false;
        }
        let editor = NodeEditor {
            source: self.source.text,
            tree,
            id: scalar.id,
            decoded: &scalar.decoded,
            json: false,
        };
        if editor.is_untyped() {
            let _step = steps::enter(Step::Type);
            let takes_text = matches!(
                built_in_type(resources, scalar.id),
                Some(FieldType::Unknown | FieldType::String)
            );
            if !takes_text {
                return false;
            }
        }
        let _step = steps::enter(Step::Write);
        match &scalar.references[..] {
            [found] => editor.writes_ordinary_texts(&[part(found)]),
            all => editor.writes_ordinary_texts(&all.iter().map(part).collect::<Vec<_>>()),
        }
    }
}

fn part(found: &FoundReference) -> Part<'static, Example> {
    Part {
        decoded: found.reference.range.clone(),
        raw: found.raw.clone(),
        value: Some(&Example),
    }
}
