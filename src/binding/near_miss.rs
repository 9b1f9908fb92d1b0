//! Text that is no reference, and probably should be one: `${infr.vpc_id}` while
//! `infra` is bound.

use std::collections::BTreeMap;

use super::suggest;
use crate::reference::Heads;
use crate::report::{Diagnostic, Edit, Origin, Rule, Span};

/// The most warnings of this kind for one file: vendor text may hold thousands.
const MOST: usize = 100;

/// Warns of names in `text` that differ from a bound one as typing mistakes do.
/// The text itself stays as it is.
pub(crate) fn near_misses(text: &str, heads: &Heads, file: usize) -> Vec<Diagnostic> {
    let origin = Origin::Manifest(file);
    let mut near: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (start, name) in heads.unbound(text) {
        let meant = *near
            .entry(name)
            .or_insert_with(|| suggest::typo(name, heads.names()));
        let Some(meant) = meant else { continue };
        if stands_in_comment(text, start) {
            continue;
        }
        let span = Span::new(start, start + name.len());
        let edit = Edit {
            span,
            text: meant.as_bytes().to_vec(),
        };
        let message = format!("nothing is bound to `{name}`: this text stays as it is");
        warnings.push(
            Diagnostic::warning(Rule::NearMiss, message)
                .at_concealed(origin, span, "")
                .help(format!("did you mean `{meant}`?"))
                .mend(format!("write `{meant}`"), origin, vec![edit]),
        );
        if warnings.len() == MOST {
            break;
        }
    }
    warnings
}

/// Whether byte `at` stands behind a `#` that begins a comment on its line, as
/// far as that can be told without parsing.
fn stands_in_comment(text: &str, at: usize) -> bool {
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
    begins_comment(&text[line_start..at])
}

/// Whether a comment begins in `before`, which begins a line.
pub(super) fn begins_comment(before: &str) -> bool {
    before.trim_start().starts_with('#') || before.contains(" #") || before.contains("\t#")
}
