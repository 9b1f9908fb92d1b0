//! Argo CD's repo-server with landfall as a sidecar: what the sidecar consists of, the
//! configuration that installs it, and the checks of a running one.

pub(crate) mod doctor;
mod install;
mod layout;
mod name;
mod plugin_file;
mod sidecar;

pub(crate) use install::configuration;
pub(crate) use layout::SHARED;
pub(crate) use name::{image_reference, is_subdomain, is_subdomain_in_yaml};
