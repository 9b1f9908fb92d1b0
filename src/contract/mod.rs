//! The ways in: what hosts hand over and get back. Each contract is only a
//! translation around [`crate::Sources::generate`].

mod cmp;
mod krm;
mod request;

pub use crate::binding::folder::Folder;
pub use cmp::{Plan, discover, needs};
pub use krm::{Processed, krm_needs, process};
pub use request::{
    Announcement, Answer, BuiltInCeiling, Ceiling, Config, Content, Detail, File, KnownName,
    Location, Need, OutputsDocument, Parameter, ParameterValue, Request, ValueKind,
};
