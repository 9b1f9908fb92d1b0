//! Documents inside scalars: rendered on their own, and written into the text around
//! them.

use std::ops::Range;

use crate::analysis::document::{Embedded, InnerTarget};
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::{Renderer, render_text};
use crate::kubernetes::resources::{Identity, Occurrence};
use crate::outputs::Value;
use yaml::{Edit, NodeEditor, Part, Style};

impl<'c> Renderer<'_, 'c> {
    /// Renders the documents in one scalar.
    pub(crate) fn embedded(
        &mut self,
        scalar: &NodeEditor<'_>,
        decoded_scalar: &DecodedScalar<'_, '_>,
        embedded: &'c Embedded,
        (resources, identity): (&[Occurrence], &Identity<'_>),
        targets: &[InnerTarget],
    ) {
        let mut changes: Vec<(Range<usize>, Value)> = Vec::new();
        let (mut substitutions, mut results) = (Vec::new(), Vec::new());
        // How many bytes of the scalar's text are written and gone.
        let (mut grown, mut gone) = (0, 0);
        for analysis in &embedded.documents {
            let document = analysis.document();
            let outer = (resources, identity);
            let source = self.source;
            let source = source.embedded(&decoded_scalar.decoded, document, outer, analysis.json);
            // The analysis has reported documents that are nested too deeply.
            let Some(source) = source else { return };
            let inner = match analysis.followed.is_empty() {
                true => &[],
                false => targets,
            };
            let mut rendered = render_text(&source, analysis, self.context, inner);
            self.went_on(targets, std::mem::take(&mut rendered.followed));
            let style = scalar.tree[decoded_scalar.id]
                .style()
                .unwrap_or(Style::Plain);
            for diagnostic in rendered.diagnostics.iter_mut() {
                diagnostic
                    .fixes
                    .retain(|fix| fix.edits.iter().all(|edit| stays_itself(edit, style)));
            }
            self.rendered.diagnostics.append(rendered.diagnostics);
            for mut substitution in rendered.substitutions {
                substitution.shift_result(analysis.offset + grown, gone);
                results.push(substitution.result().range());
                substitutions.push(substitution);
            }
            changes.extend(rendered.edits.into_iter().map(|edit| {
                grown += edit.text.len();
                gone += edit.span.range().len();
                let range = edit.span.shifted(analysis.offset).range();
                let text = String::from_utf8(edit.text).unwrap_or_default();
                (range, Value::String(text))
            }));
        }
        let parts: Vec<Part<'_, Value>> = changes
            .iter()
            .map(|(decoded, value)| Part {
                decoded: decoded.clone(),
                raw: decoded_scalar.decoded.raw_range(decoded),
                value: Some(value),
            })
            .collect();
        let edits = match parts.is_empty() {
            true => Ok(Vec::new()),
            false => scalar.replace_parts(&parts),
        };
        // Texts fit into every text.
        if let Ok(edits) = edits {
            let text = match results.is_empty() {
                true => String::new(),
                false => scalar.text_with(&parts),
            };
            let written = scalar.written_text(&text, &edits, &results);
            self.take(edits, substitutions, written);
        }
    }
}

/// Whether the text of an edit is the same in the scalar as in the document that
/// it embeds.
fn stays_itself(edit: &Edit, style: Style) -> bool {
    let holds = |bytes: &[u8]| edit.text.iter().any(|b| bytes.contains(b));
    match style {
        Style::Literal => !holds(b"\n\r"),
        Style::SingleQuoted => !holds(b"\n\r'"),
        Style::DoubleQuoted => !holds(b"\n\r\"\\"),
        Style::Plain | Style::Folded => false,
    }
}
