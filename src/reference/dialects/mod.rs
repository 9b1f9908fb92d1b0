//! The dialects: a file and a row each.

mod applicationset;
mod flux;
mod kpt_set;
pub(crate) mod landfall;
#[cfg(feature = "toys")]
mod toy;

pub(crate) use applicationset::{
    ACTION_CLOSER, ACTION_OPENER, Action, Expression, ExpressionKind, NAME_NORMALIZED, parse_action,
};
pub(crate) use landfall::SyntaxError;

use crate::reference::Dialect;

/// Every dialect. The first is the default.
pub(crate) static DIALECTS: &[&dyn Dialect] = &[
    &landfall::Landfall,
    &flux::Flux,
    &kpt_set::KptSet,
    &applicationset::ApplicationSet,
    #[cfg(feature = "toys")]
    &toy::Toy,
];

/// landfall's own dialect.
pub(crate) static LANDFALL: &dyn Dialect = &landfall::Landfall;

/// Returns the first reference of each dialect but landfall's own in a text, and the dialect's
/// id: `{{name}}` for ApplicationSets. It need not be meant as one: `${HOME}` is also a shell's.
pub(crate) fn references_of_others(text: &str) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    for dialect in DIALECTS {
        let id = dialect.notation().id;
        if id == LANDFALL.notation().id {
            continue;
        }
        let first = if dialect.only_in_setters() {
            first_setter(*dialect, text)
        } else {
            first_reference(*dialect, text)
        };
        found.extend(first.map(|first| (id, first)));
    }
    found
}

/// The longest reference that is searched for, in bytes: what begins one need not end, and is
/// not read to the end of the text each time.
const MAX_SEARCHED: usize = 256;

fn first_setter<'t>(dialect: &dyn Dialect, text: &'t str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let comment = line.get(line.find('#')?..)?;
        let template = comment.get(dialect.setter(comment)?)?;
        template
            .contains(dialect.notation().opener)
            .then_some(comment)
    })
}

fn first_reference<'t>(dialect: &dyn Dialect, text: &'t str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let at = dialect.find(text.as_bytes(), from)?.at;
        from = at + 1;
        let end = text.floor_char_boundary(at + MAX_SEARCHED);
        let beginning = text.get(at..end).unwrap_or_default();
        if dialect.escape_before(text.as_bytes(), at) == 0
            && let Ok(reference) = dialect.parse(beginning, 0)
        {
            return beginning.get(reference.range);
        }
    }
}

/// The tokens of a dialect, for what is tested with every dialect.
#[cfg(feature = "toys")]
#[derive(Clone, Copy, Debug)]
pub struct DialectTokens {
    /// The dialect's name in `spec.dialect`.
    pub id: &'static str,
    /// What begins a reference.
    pub opener: &'static str,
    /// What ends a reference.
    pub closer: &'static str,
    /// What makes a reference literal text.
    pub escape: &'static str,
    /// What begins a setter comment after its `#`; empty if the dialect has none.
    pub setter: &'static str,
}

/// Returns the tokens of every dialect.
#[cfg(feature = "toys")]
pub fn dialect_tokens() -> impl Iterator<Item = DialectTokens> {
    DIALECTS.iter().map(|dialect| {
        let notation = dialect.notation();
        DialectTokens {
            id: notation.id,
            opener: notation.opener,
            closer: notation.closer,
            escape: notation.escape,
            setter: notation.setter.unwrap_or_default(),
        }
    })
}

/// Returns the ids of the dialects that are not only for tests.
#[cfg(test)]
pub(crate) fn documented() -> impl Iterator<Item = &'static str> {
    let ids = DIALECTS.iter().map(|dialect| dialect.notation().id);
    ids.filter(|id| *id != toy::Toy.notation().id)
}

#[cfg(test)]
mod tests {
    use super::documented;

    /// The page that lists all dialects in its first table.
    const PAGE: &str = include_str!("../../../docs/dialects/README.md");

    #[test]
    fn the_page_lists_every_dialect() {
        let rows = PAGE
            .lines()
            .skip_while(|line| !line.starts_with("| ---"))
            .skip(1)
            .map_while(|line| line.strip_prefix("| `"));
        let listed: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(listed, documented().collect::<Vec<_>>());
    }
}
