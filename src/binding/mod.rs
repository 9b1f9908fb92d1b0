//! From references to edits: the Binding, resolution, places, policy.

pub(crate) mod config;
mod document;
mod fields;
mod functions;
mod look_up;
mod near_miss;
mod operator;
mod outputs_contract;
mod place;
mod policy;
mod reader;
mod resolve;
mod resource;
mod secret_data;
mod settle;
mod sources;
mod substitute;
mod suggest;
mod terms;
mod unused;

pub use sources::Sources;

pub(crate) use document::{Budget, Context, render};
pub(crate) use fields::CustomKinds;
pub(crate) use near_miss::near_misses;
pub(crate) use terms::Terms;
