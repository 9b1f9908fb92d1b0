//! Tests of the plugin through what a host uses of it, and of its sources: one binary for
//! all topics. The others are the law (`tests/law/`) and the specification (`tests/specs/`).

mod analyses;
mod conditional;
mod declared_sensitive;
mod krm;
mod layers;
mod limits;
mod messages;
mod outputs_contract;
mod policies;
mod provenance;
mod resource_outputs;
