//! The documents of a file and those inside their scalars, with their bytes in the file.

use std::ops::Range;

use crate::analysis::document::{DocumentAnalysis, Located, ScalarWithReferences};
use yaml::{Decoded, Style, decode};

/// One document: of the file, or of a scalar.
pub(super) struct Level<'a> {
    /// Its text.
    pub(super) text: &'a str,
    pub(super) located: &'a Located,
    /// The styles of the scalars that it is in, outermost first.
    pub(super) styles: &'a [Style],
    to_file: &'a dyn Fn(&Range<usize>) -> Range<usize>,
}

impl Level<'_> {
    /// Returns the bytes of the file for bytes of the document's text.
    pub(super) fn in_file(&self, range: &Range<usize>) -> Range<usize> {
        (self.to_file)(range)
    }

    /// Returns the text of a scalar.
    pub(super) fn decoded(&self, scalar: &ScalarWithReferences) -> Option<Decoded<'_>> {
        decode(self.text, &self.located.tree, scalar.id)
    }

    /// Returns the styles of everything around the text of a scalar, outermost first.
    pub(super) fn styles_of(&self, scalar: &ScalarWithReferences) -> Vec<Style> {
        let own = self.located.tree[scalar.id].style();
        self.styles.iter().copied().chain(own).collect()
    }
}

/// Calls `visit` with a document of a file, and with each one that its scalars embed.
pub(super) fn visit(analysis: &DocumentAnalysis<'_>, visit: &mut dyn FnMut(&Level<'_>)) {
    let offset = analysis.offset;
    let to_file = |range: &Range<usize>| offset + range.start..offset + range.end;
    visit_level(analysis, &[], &to_file, visit);
}

fn visit_level(
    analysis: &DocumentAnalysis<'_>,
    styles: &[Style],
    to_file: &dyn Fn(&Range<usize>) -> Range<usize>,
    visit: &mut dyn FnMut(&Level<'_>),
) {
    let Some(located) = &analysis.located else {
        return;
    };
    let level = Level {
        text: &analysis.text,
        located,
        styles,
        to_file,
    };
    visit(&level);
    for scalar in &located.scalars {
        let (Some(embedded), Some(decoded)) = (&scalar.embedded, level.decoded(scalar)) else {
            continue;
        };
        let styles = level.styles_of(scalar);
        for document in &embedded.documents {
            let inside = |range: &Range<usize>| {
                let in_scalar = document.offset + range.start..document.offset + range.end;
                to_file(&decoded.raw_range(&in_scalar))
            };
            visit_level(document, &styles, &inside, visit);
        }
    }
}
