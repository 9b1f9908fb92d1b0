//! Values for the references of a source: resolved, checked against their places, and
//! turned into edits.

mod document;
mod missing_policy;
mod pipeline;
#[cfg(test)]
mod pipelines;
mod resolve;
mod secret_data;
pub(crate) mod source;
mod template;
pub(crate) mod unused;

pub(crate) use document::{Budget, Context, render};
