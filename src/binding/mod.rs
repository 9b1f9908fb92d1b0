//! From references to edits: the Binding, resolution, places, policy.

pub(crate) mod config;
mod document;
mod encoded;
mod expansion;
mod field_binding;
mod fields;
pub(crate) mod folder;
mod functions;
mod keys;
mod look_up;
mod operator;
mod outputs_contract;
mod pipeline;
mod place;
mod policy;
mod reader;
mod resolve;
mod resource;
mod secret_data;
mod sensitive_failure;
mod settle;
mod sources;
mod stray;
mod suggest;
mod template;
mod terms;
mod unambiguous;
pub(crate) mod unbound;
mod unrendered;
mod unused;

pub use sources::Sources;

pub(crate) use document::{Budget, Context, is_setter, render};
pub(crate) use encoded::{decoded_kinds, encoded_references, may_hold_encoded};
pub(crate) use fields::CustomKinds;
pub(crate) use functions::catalogue;
pub(crate) use look_up::{Evaluation, under};
pub(crate) use sensitive_failure::sealed_render;
pub(crate) use terms::Terms;
