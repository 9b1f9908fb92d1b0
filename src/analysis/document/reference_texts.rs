//! The references of a document, each with the text that it was parsed from.

use super::{AssignedNode, DocumentAnalysis, FoundReference, SourceText, TextAt};
use crate::reference::Reference;
use crate::report::Origin;
use yaml::{Span, Style, decode, decode_flow};

impl DocumentAnalysis<'_> {
    /// Calls `each` with every reference of the document, of the documents in its scalars and of
    /// its setter comments: with its text, and its bytes in the file.
    pub(crate) fn for_each_reference(
        &self,
        origin: Origin,
        each: &mut dyn FnMut(&Reference, &TextAt<'_>, Span),
    ) {
        self.references_in(&SourceText::of_file(self.document(), origin), each);
    }

    /// Whether a value decides what the document, or one in its scalars, means: text in it may
    /// be a document then.
    pub(crate) fn is_decided_by_values(&self) -> bool {
        self.located.as_ref().is_some_and(|located| {
            let embedded = located.scalars.iter().filter_map(|it| it.embedded.as_ref());
            let mut documents = embedded.flat_map(|embedded| &embedded.documents);
            !located.deciding.is_empty() || documents.any(DocumentAnalysis::is_decided_by_values)
        })
    }

    /// Returns the document, or one in its scalars, in which no references are known because it
    /// cannot be parsed.
    pub(crate) fn unparsed(&self) -> Option<&DocumentAnalysis<'_>> {
        let Some(located) = &self.located else {
            return Some(self);
        };
        let embedded = located.scalars.iter().filter_map(|it| it.embedded.as_ref());
        let mut documents = embedded.flat_map(|embedded| &embedded.documents);
        documents.find_map(DocumentAnalysis::unparsed)
    }

    fn references_in(
        &self,
        source: &SourceText<'_>,
        each: &mut dyn FnMut(&Reference, &TextAt<'_>, Span),
    ) {
        let Some(located) = &self.located else { return };
        let tree = &located.tree;
        for scalar in &located.scalars {
            let Some(decoded) = decode(source.text, tree, scalar.id) else {
                continue;
            };
            let style = tree[scalar.id].style().unwrap_or(Style::Plain);
            let text = TextAt::new(source, &decoded, style, 0);
            call(&scalar.references, &text, each);
            let embedded = scalar.embedded.iter();
            for document in embedded.flat_map(|embedded| &embedded.documents) {
                if let Some(source) = source.embedded(&decoded, document.document()) {
                    document.references_in(&source, each);
                }
            }
        }
        for assigned in &located.assignments {
            let AssignedNode::Comment {
                template,
                references,
                start,
                ..
            } = assigned
            else {
                continue;
            };
            let bytes = *start..start + template.text().len();
            if let Some(decoded) = decode_flow(source.text, bytes, Style::Plain) {
                let text = TextAt::new(source, &decoded, Style::Plain, 0);
                call(references, &text, each);
            }
        }
    }
}

fn call(
    references: &[FoundReference],
    text: &TextAt<'_>,
    each: &mut dyn FnMut(&Reference, &TextAt<'_>, Span),
) {
    for found in references {
        each(&found.reference, text, found.span);
    }
}
