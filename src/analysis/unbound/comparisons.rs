//! Limits the cost of finding the name that was meant: each unbound name is compared with
//! each bound one.

use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// The maximum number of letters compared in one render: a tenth of a second. With ten
/// bound names of ten letters, 100,000 different names can be compared.
pub(crate) const MAX_STEPS: u64 = 100_000_000;

/// What has been compared so far.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    steps: u64,
    /// The letters of all bound names, once they are counted.
    letters: Option<u64>,
    /// The file and the byte of the first name that is not compared.
    exceeded: Option<(usize, usize)>,
}

impl Comparisons {
    /// Counts the comparison of `name`, at this file and byte, with the bound names.
    /// Returns false if it would exceed the limit.
    pub(crate) fn take<'n>(
        &mut self,
        name: &str,
        bound: impl Iterator<Item = &'n str>,
        position: (usize, usize),
    ) -> bool {
        if self.exceeded.is_some() {
            return false;
        }
        let letters = *self
            .letters
            .get_or_insert_with(|| bound.map(|bound| bound.len() as u64 + 1).sum());
        let steps = letters.saturating_mul(name.len() as u64 + 1);
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            self.exceeded = Some(position);
        }
        self.exceeded.is_none()
    }

    /// Returns how many letters have been compared.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns an error if the limit was exceeded: the other names may be errors, too.
    pub(crate) fn exceeded(&self) -> Option<Diagnostic> {
        let (file, at) = self.exceeded?;
        let message = format!("comparing unbound names with bound ones exceeds {MAX_STEPS} steps");
        Some(
            Diagnostic::error(Rule::TooManySteps, message)
                .at_concealed(Origin::Manifest(file), Span::point(at), "the first name that was not compared")
                .help("declare the names of other tools in `spec.foreign`, bind fewer names, or exclude the file"),
        )
    }
}
