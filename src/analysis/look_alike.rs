//! Comments that set nothing but were probably meant to: `# landfal: ${infra.x}`,
//! `# Landfall: …`, `# landfall ${infra.x}`, `# why # landfall: ${infra.x}`.

use std::ops::Range;

use crate::reference::{DIALECTS, Dialect};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Edit, Span};

/// The part of a comment that looks like the beginning of a setter comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LookAlike {
    /// Its bytes. If it is fixable, they are replaced with `landfall:`, or with ` kpt-set: ` and
    /// its spaces, which are part of that prefix.
    pub(crate) range: Range<usize>,
    /// Whether it begins the comment. Other text before it is the author's to move.
    pub(crate) is_fixable: bool,
}

/// Returns what looks like a setter in a comment; `None` for setter comments and for comments
/// that do not look like one.
pub(crate) fn look_alike(dialect: &dyn Dialect, comment: &str) -> Option<LookAlike> {
    if dialect.setter(comment).is_some() {
        return None;
    }
    let beginning = misspelt(dialect, comment).map(|range| LookAlike {
        range,
        is_fixable: true,
    });
    beginning.or_else(|| {
        Some(LookAlike {
            range: after_text(dialect, comment)?,
            is_fixable: false,
        })
    })
}

/// Returns the bytes of a setter that follows other text in its comment.
fn after_text(dialect: &dyn Dialect, comment: &str) -> Option<Range<usize>> {
    let notation = dialect.notation();
    let setter = notation.setter?;
    let is_word = |before: &str| {
        let last = before.chars().next_back();
        last.is_some_and(|c| matches!(c, ' ' | '\t' | '#' | '{' | '(' | '"' | '\''))
    };
    let mut found = comment.match_indices(setter);
    let (start, _) = found.find(|(at, _)| {
        let (before, rest) = comment.split_at(*at);
        is_word(before) && rest.contains(notation.opener)
    })?;
    Some(start..start + setter.len())
}

/// Returns the bytes of a misspelt setter at the beginning of a comment.
fn misspelt(dialect: &dyn Dialect, comment: &str) -> Option<Range<usize>> {
    let setter = dialect.notation().setter?.trim_end_matches(':');
    let start = comment.len() - comment.trim_start_matches(['#', ' ', '\t']).len();
    let rest = comment.get(start..)?;
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        .count();
    // Longer words are not misspellings of it.
    let word = rest
        .get(..length)
        .filter(|word| word.len() <= 2 * setter.len())?;
    if !suggest::is_typo(word, setter) {
        return None;
    }
    let after = rest[length..].trim_start();
    let separators = after.len() - after.trim_start_matches([':', '=']).len();
    // Without a separator it is prose, unless the reference follows immediately.
    if separators == 0 && !after.starts_with(dialect.notation().opener) {
        return None;
    }
    if dialect.only_in_setters() {
        // The spaces around the word are part of the prefix.
        let template = after.trim_start_matches([':', '=']).trim_start();
        return Some(1..comment.len() - template.len());
    }
    // Include the extra hashes of `## landfall:`.
    let from = comment.len() - comment.trim_start_matches('#').len();
    let from = if from > 1 { 1 } else { start };
    let end = match separators {
        0 => start + length,
        _ => comment.len() - after.len() + separators,
    };
    Some(from..end)
}

/// Returns whether a comment is a setter comment of any dialect, or looks like one: the value
/// before it may be an earlier one.
pub(crate) fn is_like_setter(comment: &str) -> bool {
    DIALECTS
        .iter()
        .any(|dialect| dialect.setter(comment).is_some() || look_alike(*dialect, comment).is_some())
}

/// Creates the diagnostic, a warning, with an edit that makes the comment a setter comment
/// if that can be done `in_place`.
pub(crate) fn diagnostic(
    dialect: &dyn Dialect,
    origin: Origin,
    span: Span,
    LookAlike { is_fixable, .. }: &LookAlike,
    in_place: bool,
) -> Diagnostic {
    let setter = dialect.notation().setter.unwrap_or_default();
    let move_text = if *is_fixable {
        ""
    } else {
        ": move the text before it to another line"
    };
    let warning = Diagnostic::warning(
        Rule::SetterLookAlike,
        "this comment looks like a setter comment but sets nothing",
    )
    .at_concealed(origin, span, "")
    .help(format!(
        "a setter comment starts with `# {setter}`{move_text}"
    ));
    if !is_fixable || !in_place {
        return warning;
    }
    let text = if dialect.only_in_setters() {
        format!(" {setter} ")
    } else {
        setter.to_owned()
    };
    let edit = Edit {
        span,
        text: text.into_bytes(),
    };
    warning.fix(format!("replace with `{setter}`"), origin, vec![edit])
}

#[cfg(test)]
mod tests {
    use super::look_alike;
    use crate::reference::LANDFALL;

    fn check(comment: &str, expected: Option<&str>) {
        let found = look_alike(LANDFALL, comment).map(|found| &comment[found.range]);
        assert_eq!(found, expected, "{comment}");
    }

    #[test]
    fn finds_misspelled_setters() {
        check("# landfal: ${infra.x}", Some("landfal:"));
        check("#Landfall: ${infra.x}", Some("Landfall:"));
        check("# LANDFALL = --vpc=${infra.x}", Some("LANDFALL ="));
        check("# landfall : ${infra.x}", Some("landfall :"));
        check("# landfall ${infra.x}", Some("landfall"));
        check("## landfall: ${infra.x}", Some("# landfall:"));
        check("# landfll:${infra.x}", Some("landfll:"));
        check("# why # landfall: ${infra.x}", Some("landfall:"));
        check("# TODO landfall: a${infra.x}", Some("landfall:"));
        check("# {landfall: ${infra.x}}", Some("landfall:"));
    }

    #[test]
    fn leaves_setters_and_prose_alone() {
        check("# landfall: ${infra.x}", None);
        check("#landfall:${infra.x}", None);
        check("# landfall sets ${infra.x} here", None);
        check("# see ${infra.x}", None);
        check("# see docs/landfall: ${infra.x}", None);
        check("# why # landfall: the value", None);
        check("# kpt-set: ${infra.x}", None);
        check("# default: ${infra.x}", None);
        check("#", None);
        check(&format!("# {}: x", "l".repeat(1 << 20)), None);
    }
}
