//! Binds values to the references of a source: resolves them, validates them against
//! their fields, and turns them into edits.

mod detached_alias;
mod document;
mod missing_policy;
pub(crate) mod near_miss;
mod ordinary;
pub(crate) mod overridden;
mod pipeline;
#[cfg(test)]
mod pipelines;
mod resolve;
mod secret_data;
pub(crate) mod source;
mod template;
pub(crate) mod unused;

pub(crate) use detached_alias::detached_alias;
pub(crate) use document::{Budget, Context, current_text, names_output, render};
pub(crate) use missing_policy::plain_value;
pub(crate) use ordinary::OrdinaryTexts;
