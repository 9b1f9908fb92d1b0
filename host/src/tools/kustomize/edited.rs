//! Edits of the sources, made in the files of a kustomization.

use std::collections::BTreeMap;
use std::ops::Range;

use landfall_sandbox::EditRef;
use landfall_sandbox::types::{
    AdoptionOutcome, Change, Diagnostic, EditList, File, HardCodedValue, Migrated, Proposal,
    Severity,
};
use serde_json::{Map, Value as Json};

use crate::engine::Halted;
use crate::problem::Problem;

use super::Kustomization;
use super::collect::{Use, conceal, label, may_have_secret};

impl Kustomization {
    /// As [`super::sources::Sources::relocate_substitution`].
    pub(in crate::tools) fn relocate_substitution(&self, one: &mut Map<String, Json>) {
        self.sources.relocate_substitution(one);
    }

    /// Makes a proposal for the sources one for the files. A value is not adopted where that could
    /// change what kustomize reads, or another use of its file.
    ///
    /// # Errors
    /// Its edits are not in the sources.
    pub(in crate::tools) fn adopt(
        &self,
        originals: &[File],
        proposal: &mut Proposal,
    ) -> Result<(), Halted> {
        let in_file = |nth: usize, edit: EditRef<'_>| {
            let (file, range) = self.sources.edited_in_file(nth, originals, edit)?;
            let is_configuration = self.files.get(file)?.uses.contains(&Use::Plugins);
            (!is_configuration).then_some((file, range))
        };
        let mut edits: Vec<Vec<EditRef<'_>>> = vec![Vec::new(); originals.len()];
        for (nth, (list, source)) in
            std::iter::zip(&proposal.edits, &self.sources.files).enumerate()
        {
            let list = list.checked(source.content.len());
            for edit in list.map_err(|_| Halted::BrokenAnswer)?.iter() {
                if let Some((file, Range { start, end })) = in_file(nth, edit) {
                    edits[file].push(EditRef { start, end, ..edit });
                }
            }
        }
        let edits = edits.into_iter().map(EditList::from_iter).collect();
        for value in &mut proposal.values {
            let nth = value.file as usize;
            let edit = EditRef {
                start: value.start as usize,
                end: value.end as usize,
                text: b"",
            };
            if value.outcome == AdoptionOutcome::Adopted && in_file(nth, edit).is_none() {
                value.outcome = AdoptionOutcome::NotAdoptable;
            }
            self.sources.relocate_value(value);
        }
        let place = |value: &HardCodedValue| (value.file, value.start);
        proposal.values.sort_by_key(place);
        (proposal.values)
            .dedup_by(|one, other| place(one) == place(other) && one.outputs == other.outputs);
        proposal.edits = edits;
        Ok(())
    }

    /// Makes a migration of the sources one of the files, and adds warnings about the changes
    /// that cannot be made there.
    pub(in crate::tools) fn migrate(&self, originals: &[File], migrated: &mut Migrated) {
        let mut left = Vec::new();
        let mut concealed = BTreeMap::new();
        let mut changes: Vec<Vec<Change>> = vec![Vec::new(); originals.len()];
        let of_sources = std::mem::take(&mut migrated.changes);
        for (nth, list) in of_sources.into_iter().enumerate() {
            for mut change in list {
                let edit = EditRef::from(&change.edit);
                let Some((file, range)) = self.sources.edited_in_file(nth, originals, edit) else {
                    left.extend(self.sources.file_of(nth));
                    continue;
                };
                let source = self.files.get(file).zip(originals.get(file));
                change.conceal |= *concealed.entry(file).or_insert_with(|| {
                    source.is_some_and(|(source, original)| {
                        may_have_secret(source, &original.content)
                    })
                });
                change.edit.start = u32::try_from(range.start).unwrap_or(u32::MAX);
                change.edit.end = u32::try_from(range.end).unwrap_or(u32::MAX);
                changes[file].push(change);
            }
        }
        self.relocate(&mut migrated.left.diagnostics);
        left.dedup();
        let mut warnings: Vec<Diagnostic> = left.into_iter().map(not_migrated).collect();
        conceal(&mut warnings, &self.files, originals);
        migrated.left.diagnostics.extend(warnings);
        migrated.changes = changes;
    }
}

fn not_migrated(file: usize) -> Diagnostic {
    let message = "references in this file are not migrated: it has several uses, or kustomize would read another text";
    Problem::of_module("not-migrated", message)
        .severity(Severity::Warning)
        .at(label(file, &(0..0)))
        .help("make a copy of it for each use, or migrate it by hand")
        .diagnostic()
}
