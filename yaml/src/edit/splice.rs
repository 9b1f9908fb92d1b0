//! Edits, and applying them to the original bytes: everything outside them stays as it is.

use std::ops::Range;

use crate::span::Span;

/// One change of a text: a replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// The bytes that replace them.
    pub text: Vec<u8>,
}

impl Edit {
    pub(crate) fn new(range: &Range<usize>, text: String) -> Self {
        Self {
            span: Span::new(range.start, range.end),
            text: text.into_bytes(),
        }
    }
}

/// Why edits cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpliceError {
    /// Edit number n (from 0) begins before the previous one ends, or ends before it
    /// begins.
    OutOfOrder(usize),
    /// Edit number n (from 0) ends after the source does.
    OutOfBounds(usize),
}

impl std::fmt::Display for SpliceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfOrder(n) => write!(f, "edit {n} overlaps the one before it"),
            Self::OutOfBounds(n) => write!(f, "edit {n} ends after the source does"),
        }
    }
}

impl std::error::Error for SpliceError {}

/// Returns `source` with `edits` applied. They must be ascending and disjoint.
///
/// # Errors
/// The edits are not ascending and disjoint, or extend past the source.
///
/// # Examples
/// ```
/// use landfall_yaml::{Edit, Span, splice};
///
/// let edits = [Edit { span: Span::new(5, 20), text: b"vpc-0ab1".to_vec() }];
/// assert_eq!(splice(b"vpc: ${infra.vpc_id} # kept\n", &edits).unwrap(), b"vpc: vpc-0ab1 # kept\n");
/// ```
pub fn splice(source: &[u8], edits: &[Edit]) -> Result<Vec<u8>, SpliceError> {
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut spliced = Vec::with_capacity(source.len() + grown);
    let mut at = 0;
    for (n, edit) in edits.iter().enumerate() {
        if edit.span.start < at || edit.span.end < edit.span.start {
            return Err(SpliceError::OutOfOrder(n));
        }
        let between = source
            .get(at..edit.span.start)
            .ok_or(SpliceError::OutOfBounds(n))?;
        spliced.extend_from_slice(between);
        spliced.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    spliced.extend_from_slice(
        source
            .get(at..)
            .ok_or(SpliceError::OutOfBounds(edits.len().saturating_sub(1)))?,
    );
    Ok(spliced)
}

#[cfg(test)]
mod tests {
    use super::{Edit, SpliceError, splice};
    use crate::span::Span;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span::new(start, end),
            text: text.into(),
        }
    }

    #[test]
    fn applies_edits() {
        assert_eq!(
            splice(b"abc", &[edit(0, 0, "x"), edit(1, 2, ""), edit(3, 3, "y")]).unwrap(),
            b"xacy"
        );
        assert_eq!(splice(b"abc", &[]).unwrap(), b"abc");
    }

    #[test]
    fn rejects_overlapping_and_out_of_range_edits() {
        assert_eq!(
            splice(b"abc", &[edit(0, 2, ""), edit(1, 3, "")]),
            Err(SpliceError::OutOfOrder(1))
        );
        assert_eq!(
            splice(b"abc", &[edit(2, 1, "")]),
            Err(SpliceError::OutOfOrder(0))
        );
        assert_eq!(
            splice(b"abc", &[edit(2, 5, "")]),
            Err(SpliceError::OutOfBounds(0))
        );
        assert_eq!(
            splice(b"abc", &[edit(4, 4, "")]),
            Err(SpliceError::OutOfBounds(0))
        );
    }
}
