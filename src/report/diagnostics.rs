//! The diagnostics of a render, bounded: a small manifest can contain a million mistakes,
//! and more than a thousand diagnostics do not help.

use crate::report::{Diagnostic, Severity};

/// The maximum number of diagnostics that are kept.
pub(crate) const MAX_DIAGNOSTICS: usize = 1_000;
/// The maximum size of a message, a help or a name, in bytes. They quote the documents,
/// possibly megabytes of them, once for each diagnostic.
const MAX_TEXT: usize = 2_048;
/// The maximum number of labels of one diagnostic.
const MAX_LABELS: usize = 16;
/// The maximum size of one fix, in bytes; larger ones are dropped.
const MAX_FIX: usize = 16 << 10;

/// Diagnostics in the order in which they were found: the first 1,000, and how many more
/// there were. Once that many are kept, a diagnostic replaces the last of the least severe
/// ones below its own severity, so no error is omitted because of a warning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    /// The number of diagnostics of each severity that are kept.
    counts: Counts,
    omitted: Counts,
    has_unbound_names: bool,
    readable_secrets: Vec<usize>,
}

/// A number for each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

impl Counts {
    pub(crate) const fn none() -> Self {
        Self {
            errors: 0,
            warnings: 0,
            notes: 0,
        }
    }

    /// Returns the sum of all severities.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.errors
            .saturating_add(self.warnings)
            .saturating_add(self.notes)
    }

    const fn get_mut(&mut self, severity: Severity) -> &mut u64 {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    pub(crate) const fn get(self, severity: Severity) -> u64 {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Note => self.notes,
        }
    }

    pub(crate) const fn add(&mut self, severity: Severity, more: u64) {
        let count = self.get_mut(severity);
        *count = count.saturating_add(more);
    }
}

impl Diagnostics {
    /// Adds a diagnostic, or only counts it if it isn't kept.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let severity = diagnostic.severity;
        if !self.keeps(severity) {
            self.omit(severity);
            return;
        }
        if self.kept.len() >= MAX_DIAGNOSTICS {
            self.displace(severity);
        }
        self.counts.add(severity, 1);
        self.kept.push(bounded(diagnostic));
    }

    /// Whether one more diagnostic of this severity would be kept. Callers that create many
    /// check this first, and call [`Self::omit`] instead of creating one that isn't kept.
    pub(crate) const fn keeps(&self, severity: Severity) -> bool {
        self.kept.len() < MAX_DIAGNOSTICS
            || match severity {
                Severity::Note => false,
                Severity::Warning => self.counts.notes > 0,
                Severity::Error => self.counts.notes > 0 || self.counts.warnings > 0,
            }
    }

    /// Counts a diagnostic that was not created.
    pub(crate) const fn omit(&mut self, severity: Severity) {
        self.omitted.add(severity, 1);
    }

    /// Makes room for a diagnostic of this severity, if a less severe one is kept.
    fn displace(&mut self, severity: Severity) {
        let least = match self.counts.notes {
            0 => Severity::Warning,
            _ => Severity::Note,
        };
        let last = self.kept.iter().rposition(|kept| kept.severity == least);
        if let Some(last) = last
            && least < severity
        {
            self.kept.remove(last);
            let count = self.counts.get_mut(least);
            *count = count.saturating_sub(1);
            self.omit(least);
        }
    }

    /// Returns how many diagnostics were found but not kept.
    #[must_use]
    pub const fn omitted(&self) -> Counts {
        self.omitted
    }

    /// Returns the diagnostics that are kept.
    #[must_use]
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Whether an error was found.
    #[must_use]
    pub const fn has_errors(&self) -> bool {
        // If an error was omitted, 1,000 others are kept.
        self.counts.errors > 0
    }

    /// Returns whether there is text that would be a reference if its name were bound. It is not
    /// always reported: it may be another tool's.
    #[must_use]
    pub const fn has_unbound_names(&self) -> bool {
        self.has_unbound_names
    }

    /// Records whether there is such text.
    pub(crate) const fn note_unbound_names(&mut self, found: bool) {
        self.has_unbound_names |= found;
    }

    /// Returns the outputs documents in which sensitive values can be read, ascending.
    #[must_use]
    pub fn readable_secrets(&self) -> &[usize] {
        &self.readable_secrets
    }

    /// Records that sensitive values can be read in an outputs document.
    pub(crate) fn note_readable_secrets(&mut self, document: usize) {
        if let Err(at) = self.readable_secrets.binary_search(&document) {
            self.readable_secrets.insert(at, document);
        }
    }

    /// Adds all of `others`, including its counts of omitted diagnostics.
    pub(crate) fn append(&mut self, others: Self) {
        self.add_omitted(others.omitted);
        self.note_unbound_names(others.has_unbound_names);
        let secrets = others.readable_secrets.into_iter();
        secrets.for_each(|document| self.note_readable_secrets(document));
        self.extend(others.kept);
    }

    /// Counts diagnostics that were not created.
    pub(crate) const fn add_omitted(&mut self, omitted: Counts) {
        let Counts {
            errors,
            warnings,
            notes,
        } = omitted;
        self.omitted.add(Severity::Error, errors);
        self.omitted.add(Severity::Warning, warnings);
        self.omitted.add(Severity::Note, notes);
    }

    /// Sorts the diagnostics that are kept.
    pub(crate) fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Diagnostic) -> K) {
        self.kept.sort_by_key(key);
    }

    /// Leaves only those that `is_kept`.
    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&Diagnostic) -> bool) {
        self.kept.retain(is_kept);
    }

    /// Returns the diagnostics that are kept, to change them.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.kept.iter_mut()
    }
}

/// Limits the size of a diagnostic, whatever it quotes.
fn bounded(mut diagnostic: Diagnostic) -> Diagnostic {
    clip(&mut diagnostic.message);
    diagnostic.help.iter_mut().for_each(clip);
    diagnostic.field.iter_mut().for_each(clip);
    if let Some(resource) = &mut diagnostic.resource {
        clip(&mut resource.api_version);
        clip(&mut resource.kind);
        clip(&mut resource.name);
        clip(&mut resource.namespace);
    }
    diagnostic.labels.truncate(MAX_LABELS);
    for label in &mut diagnostic.labels {
        clip(&mut label.message);
    }
    diagnostic.fixes.retain(|fix| {
        let edits = fix.edits.iter();
        let bytes: usize = edits.map(|edit| edit.text.len() + size_of_val(edit)).sum();
        bytes + fix.title.len() <= MAX_FIX
    });
    diagnostic
}

/// Truncates a text that is too long.
fn clip(text: &mut String) {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
        text.shrink_to_fit();
    }
}

impl std::ops::Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.kept
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: T) {
        diagnostics.into_iter().for_each(|found| self.push(found));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(diagnostics: T) -> Self {
        let mut all = Self::default();
        all.extend(diagnostics);
        all
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        std::iter::once(diagnostic).collect()
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.into_iter().collect()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Origin;
    use crate::report::Rule;
    use yaml::{Edit, Span};

    fn error(nth: usize) -> Diagnostic {
        Diagnostic::error(Rule::UnknownOutput, nth.to_string())
    }

    fn warning(nth: usize) -> Diagnostic {
        Diagnostic::warning(Rule::NearMiss, nth.to_string())
    }

    #[test]
    fn readable_secrets_are_ascending_and_listed_once() {
        let mut found = Diagnostics::default();
        found.note_readable_secrets(3);
        let mut others = Diagnostics::default();
        for document in [1, 3, 5] {
            others.note_readable_secrets(document);
        }
        found.append(others);
        assert_eq!(found.readable_secrets(), [1, 3, 5]);
    }

    #[test]
    fn keeps_the_first_thousand_and_counts_the_others() {
        let found: Diagnostics = (0..2_500).map(error).collect();
        assert_eq!(found.len(), MAX_DIAGNOSTICS);
        assert_eq!(found[999].message, "999");
        assert_eq!(found.omitted().errors, 1_500);
        assert!(found.has_errors());
    }

    #[test]
    fn errors_displace_the_last_less_severe_diagnostics() {
        let mut found: Diagnostics = (0..1_500).map(warning).collect();
        found.push(Diagnostic::note(Rule::UnusedOutput, "note"));
        assert!(!found.has_errors());
        found.extend((0..10).map(error));
        assert!(found.has_errors());
        assert_eq!(found.len(), MAX_DIAGNOSTICS);
        assert_eq!(found[989].message, "989");
        assert_eq!(found[990].severity, Severity::Error);
        let omitted = found.omitted();
        assert_eq!((omitted.warnings, omitted.notes), (510, 1));
        assert_eq!(omitted.total(), 511);
    }

    #[test]
    fn append_adds_the_omitted_counts() {
        let mut found: Diagnostics = (0..600).map(error).collect();
        found.append((0..1_200).map(error).collect());
        assert_eq!(found.len(), MAX_DIAGNOSTICS);
        assert_eq!(found.omitted().errors, 800);
    }

    #[test]
    fn texts_labels_and_fixes_are_bounded() {
        let long = "é".repeat(1 << 20);
        let mut diagnostic = Diagnostic::error(Rule::UnknownOutput, &long).help(&long);
        for nth in 0..1_000 {
            diagnostic = diagnostic.at(Origin::Binding, Span::point(nth), &long);
        }
        let edit = Edit {
            span: Span::point(0),
            text: long.clone().into_bytes(),
        };
        let diagnostic = diagnostic.fix("write it", Origin::Binding, vec![edit]);
        let found = Diagnostics::from(diagnostic);
        assert_eq!(found[0].message.len(), MAX_TEXT + '…'.len_utf8());
        assert!(found[0].help.as_ref().unwrap().ends_with('…'));
        assert_eq!(found[0].labels.len(), MAX_LABELS);
        assert_eq!(found[0].fixes, []);
    }
}
