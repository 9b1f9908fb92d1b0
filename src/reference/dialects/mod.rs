//! The dialects: a file and a row each.

mod applicationset;
mod flux;
mod kpt_set;
mod landfall;
#[cfg(feature = "toys")]
mod toy;

pub(crate) use applicationset::{
    ACTION_CLOSER, ACTION_OPENER, Action, Expression, ExpressionKind, NAME_NORMALIZED, parse_action,
};
pub(crate) use landfall::{SyntaxError, extent, is_key, parse, parse_partial};

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
