//! From references to edits: the Binding, resolution, places, policy.

pub(crate) mod config;
mod document;
mod expansion;
mod field_binding;
mod fields;
mod functions;
mod look_up;
mod near_miss;
mod operator;
mod place;
mod policy;
mod reader;
mod replace;
mod resolve;
mod resource;
mod secret_data;
mod sources;
mod substitute;
mod suggest;
mod template;

pub use sources::Sources;

pub(crate) use document::{Budget, Context, render};
pub(crate) use field_binding::{FieldBindings, Listed};
pub(crate) use fields::CustomKinds;
pub(crate) use near_miss::near_misses;
pub(crate) use operator::policy_under;
pub(crate) use policy::Policy;
