//! What hosts show of a manifest for its diagnostics: the lines of every label, and a few
//! lines between two labels; of a concealed one only its own bytes.

use landfall::{Diagnostic, Origin, Span};

/// The maximum number of lines shown between two labels.
const MAX_GAP: usize = 3;

/// Returns everything shown, in no particular order.
pub(crate) fn shown(manifest: &str, diagnostics: &[Diagnostic]) -> String {
    let mut shown = String::new();
    for diagnostic in diagnostics {
        let of_manifest = |origin: &Origin| matches!(origin, Origin::Manifest(_));
        let labels = diagnostic.labels.iter();
        let mut labels: Vec<_> = labels.filter(|label| of_manifest(&label.origin)).collect();
        labels.sort_by_key(|label| label.span);
        for label in &labels {
            shown.push_str(if label.conceal {
                &manifest[label.span.range()]
            } else {
                lines(manifest, label.span)
            });
            shown.push('\n');
        }
        let conceals = labels.iter().any(|label| label.conceal);
        if conceals {
            continue;
        }
        for pair in labels.windows(2) {
            let between = pair[0].span.end..pair[1].span.start;
            let between = manifest.get(between).unwrap_or_default();
            if between.matches('\n').count() <= MAX_GAP {
                shown.push_str(between);
                shown.push('\n');
            }
        }
        for fix in diagnostic
            .fixes
            .iter()
            .filter(|fix| of_manifest(&fix.target))
        {
            for edit in &fix.edits {
                shown.push_str(lines(manifest, edit.span));
                shown.push_str(&String::from_utf8_lossy(&edit.text));
                shown.push('\n');
            }
        }
    }
    shown
}

fn lines(text: &str, span: Span) -> &str {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |at| span.end + at);
    &text[start..end]
}
