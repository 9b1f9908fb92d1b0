//! Documents inside scalars: rendered on their own, and written into the text around
//! them.

use std::ops::Range;

use crate::analysis::document::{Embedded, InnerTarget};
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::source::Container;
use crate::bind::document::{Renderer, render_text};
use crate::kubernetes::go_template::{self, FileAction};
use crate::kubernetes::resources::{Identity, Occurrence};
use crate::outputs::Value;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Edit, NodeEditor, Part, Span, Style};

impl<'c> Renderer<'_, 'c> {
    /// Renders the documents in one scalar.
    pub(crate) fn render_embedded(
        &mut self,
        scalar: &NodeEditor<'_>,
        decoded_scalar: &DecodedScalar<'_, '_>,
        embedded: &'c Embedded,
        occurrences: &[Occurrence],
        identity: &Identity<'_>,
        targets: &[InnerTarget],
    ) {
        let mut changes: Vec<(Range<usize>, Value)> = Vec::new();
        let (mut substitutions, mut results) = (Vec::new(), Vec::new());
        // The bytes of the scalar's text that were added and removed so far.
        let (mut inserted, mut removed) = (0, 0);
        let own = occurrences.first().cloned().unwrap_or_default();
        let actions: Vec<FileAction> = embedded
            .actions
            .iter()
            .map(|action| {
                let bytes = self.span(&decoded_scalar.decoded.raw_range(action)).range();
                let text = decoded_scalar.decoded.text.get(action.clone());
                FileAction::new(bytes, text.unwrap_or_default())
            })
            .collect();
        // A document inside another one has those of the other, which are masked in it.
        let actions = match &actions[..] {
            [] => self.source.actions(),
            own => own,
        };
        for analysis in &embedded.documents {
            let container = Container {
                source: self.source,
                occurrences,
                identity,
                format: analysis.format,
                actions,
                patch_target: identity.patch_target_of(scalar.id),
            };
            // The analysis has reported documents that are nested too deeply.
            let Some(source) = container.document(&decoded_scalar.decoded, analysis.document())
            else {
                return;
            };
            let inner = if analysis.followed_paths.is_empty() {
                &[]
            } else {
                targets
            };
            let mut rendered = render_text(&source, analysis, self.context, inner);
            self.merge_inner_outcomes(targets, std::mem::take(&mut rendered.path_outcomes));
            let style = scalar.tree[decoded_scalar.id]
                .style()
                .unwrap_or(Style::Plain);
            for diagnostic in rendered.diagnostics.iter_mut() {
                diagnostic
                    .fixes
                    .retain(|fix| fix.edits.iter().all(|edit| is_same_in(edit, style)));
            }
            self.rendered.diagnostics.append(rendered.diagnostics);
            let replaces_action = |edit: &&Edit| {
                let bytes = edit.span.shifted(analysis.offset).range();
                go_template::is_in_action(&embedded.actions, &bytes)
                    || go_template::is_in_lines(
                        &decoded_scalar.decoded.text,
                        &embedded.actions,
                        &bytes,
                    )
            };
            for edit in rendered.edits.iter().filter(replaces_action) {
                let span = source.span(&edit.span.range());
                let error = replaced_action(self.origin(), span);
                self.report(error, &own.field);
            }
            for mut substitution in rendered.substitutions {
                substitution.shift_result(analysis.offset + inserted, removed);
                results.push(substitution.result().range());
                substitutions.push(substitution);
            }
            changes.extend(rendered.edits.into_iter().map(|edit| {
                inserted += edit.text.len();
                removed += edit.span.range().len();
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
        let edits = if parts.is_empty() {
            Ok(Vec::new())
        } else {
            scalar.replace_parts(&parts)
        };
        // Strings fit into every string.
        if let Ok(edits) = edits {
            let text = if results.is_empty() {
                String::new()
            } else {
                scalar.text_with(&parts)
            };
            let written = scalar.locate_text(&text, &edits, &results);
            self.add_edits(edits, substitutions, written);
        }
    }
}

/// Returns the error of an edit that would replace an action of a Go template: the scalar
/// that contains both needs quotes, or a field binding sets it.
fn replaced_action(origin: Origin, span: Span) -> Diagnostic {
    Diagnostic::error(
        Rule::DocumentIsNotYaml,
        "this substitution would change an action of a Go template",
    )
    .at(origin, span, "all of this would be replaced")
    .help("if the action is part of a string, put the string in double quotes")
}

/// Returns whether the text of an edit is the same in the scalar as in the document
/// embedded in it.
fn is_same_in(edit: &Edit, style: Style) -> bool {
    let contains = |bytes: &[u8]| edit.text.iter().any(|b| bytes.contains(b));
    match style {
        Style::Literal => !contains(b"\n\r"),
        Style::SingleQuoted => !contains(b"\n\r'"),
        Style::DoubleQuoted => !contains(b"\n\r\"\\"),
        Style::Plain | Style::Folded => false,
    }
}
