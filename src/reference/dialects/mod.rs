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
