//! Landfall's contracts, proved with the real programs. One module per topic.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start programs and read what those wrote; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic is a failed test"
)]

// `#[test]`: without the command, a test is ignored.
#[macro_use]
extern crate landfall_test_needs;

mod app_of_apps;
mod application_sets;
mod argo_cd;
mod argo_cd_image;
mod argo_cd_install;
mod argo_cd_load;
mod argo_cd_readme;
mod argo_cd_server;
mod argo_cd_traps;
mod fleet;
mod helm_3;
mod helm_plugins;
mod helm_tool;
mod krm_recordings;
mod kustomize;
mod kustomize_itself;
mod kustomize_patches;
mod kustomize_roles;
mod kustomize_tool;
mod manifests;
mod replacements;
mod terraform;
