//! Values that do not fit, told with both sides of the mismatch.

use super::Renderer;
use super::judge::Arrival;
use crate::binding::fields::Refusal;
use crate::binding::functions::called_behind;
use crate::binding::place::Field;
use crate::binding::substitute::Misfit;
use crate::manifest::{Tree, decode};
use crate::report::{Diagnostic, Edit, Origin, Rule};

impl Renderer<'_, '_> {
    /// The value of the reference at position `nth` has no place here.
    pub(super) fn misfit(
        &mut self,
        arrival: &Arrival<'_, '_>,
        nth: usize,
        misfit: &Misfit,
        tree: &Tree<'_>,
    ) {
        let Some((read, value)) = arrival.each().nth(nth) else {
            return;
        };
        let mut error = Diagnostic::error(
            Rule::TypeMismatch,
            format!("`{}`: {}", read.reference.path.spelled(), misfit.message),
        )
        .at(
            read.origin,
            read.span,
            format!("this is {}", value.value.value_type().described()),
        );
        if let Some((document, span)) = value.source {
            error = error.at_concealed(
                Origin::Outputs(document),
                span,
                format!("the output is {} here", value.source_type.described()),
            );
        }
        let node = &tree.nodes[arrival.id];
        // Only a reference that stands in the scalar itself is left there
        // without the quotes.
        let in_place = !read.raw.is_empty()
            && node.range.start <= read.raw.start
            && read.raw.end <= node.range.end;
        if let (true, true, Some(decoded)) =
            (misfit.unquote, in_place, decode(self.ground.text, node))
        {
            let edits = vec![Edit {
                span: self.span(&node.range),
                text: decoded.text.as_bytes().to_vec(),
            }];
            error = error.mend("drop the quotes", self.origin(), edits);
        }
        if misfit.as_json && read.origin == self.origin() {
            let edits = vec![called_behind(read.span, "json")];
            error = error.mend("write it as JSON", read.origin, edits);
        }
        self.tell(error.help(misfit.help.clone()), arrival.field);
    }

    /// A value that the type of its field, or of a field where an alias repeats it,
    /// rules out.
    pub(super) fn refused(
        &mut self,
        arrival: &Arrival<'_, '_>,
        refusal: &Refusal,
        tree: &Tree<'_>,
    ) {
        let (field, mismatch) = (&refusal.field, &refusal.mismatch);
        let takes = mismatch.takes.described();
        let sensitive = arrival.each().any(|(_, value)| value.sensitive);
        let found = mismatch.described();
        let path = arrival
            .reads
            .first()
            .map(|read| read.reference.path.spelled());
        let message = match (path, &mismatch.inside[..]) {
            (Some(path), []) if !refusal.joined => {
                format!("`{field}` takes {takes}, and `{path}` is {found}")
            }
            // The keys of a sensitive value are part of it.
            (Some(path), _) if !refusal.joined && sensitive => {
                format!("`{field}` takes {takes} where `{path}` has {found}")
            }
            (Some(path), inside) if !refusal.joined => {
                let steps = inside.to_vec();
                let inside = Field {
                    resource: None,
                    steps,
                };
                format!("`{field}` takes {takes} in `{inside}`, and there `{path}` has {found}")
            }
            _ => format!("`{field}` takes {takes}, and the text that comes out is none"),
        };
        let mut error = Diagnostic::error(Rule::FieldTypeMismatch, message);
        for (read, value) in arrival.each() {
            let found = value.value.value_type().described();
            error = error.at(read.origin, read.span, format!("this is {found}"));
        }
        if let Some(alias) = refusal.alias {
            let span = self.span(&tree.nodes[alias].range);
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for (_, value) in arrival.each() {
            if let Some((document, span)) = value.source {
                let found = value.value.value_type().described();
                let message = format!("the output is {found} here");
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        self.tell(error.help(refusal.help()), field);
    }
}
