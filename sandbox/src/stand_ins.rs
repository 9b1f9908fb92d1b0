//! The records of the interface `stand-ins`.

use wasmtime::component::{ComponentType, Lower};

use crate::types::File;

/// The text that replaces a sensitive value: `stand-ins.stand-in` in `wit/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub enum StandIn {
    /// That of the build into which the values are put.
    #[component(name = "first")]
    First,
    /// Another one: what differs depends on a value.
    #[component(name = "second")]
    Second,
}

/// What a tool has built: `stand-ins.stand-in-build` in `wit/`.
#[derive(Clone, Copy, Debug, ComponentType, Lower)]
#[component(record)]
pub struct StandInBuild<'a> {
    /// A YAML stream.
    pub manifests: &'a [u8],
    /// The rendered files.
    pub rendered: &'a [File],
}
