//! From references to edits: the Binding, resolution, places, policy.

pub(crate) mod config;
mod document;
mod expansion;
mod extend;
mod field_binding;
mod fields;
mod functions;
mod look_up;
mod near_miss;
mod operator;
mod outputs_contract;
mod place;
mod policy;
mod reader;
mod replace;
mod resolve;
mod resource;
mod secret_data;
mod settle;
mod sources;
mod substitute;
mod suggest;
mod template;
mod terms;
mod unused;

pub use sources::Sources;

pub(crate) use document::{Budget, Context, is_setter, render};
pub(crate) use fields::CustomKinds;
pub(crate) use functions::catalogue;
pub(crate) use look_up::under;
pub(crate) use near_miss::near_misses;
pub(crate) use terms::Terms;
