//! The programs that landfall runs under, started for tests: `tests/real` proves
//! landfall's contracts with them. Each module documents how its program actually
//! behaved, with the version.
//!
//! - [`plugin_server`]: Argo CD's `argocd-cmp-server`, called over gRPC as
//!   repo-server calls it
//! - [`image`] and [`sidecar`]: landfall's image assembled in a folder, and a container of
//!   it with the server, as a kubelet runs it
//! - [`kustomize`]: `kustomize build` with landfall as an exec function
//! - [`program`]: where programs, examples and corpora are found
//! - [`scratch`]: folders that are removed with their test
//!
//! A test names the programs that it needs in its attribute (`landfall_test_needs`), and is
//! ignored without them. The rights of root can only be checked at run time: without them,
//! [`sidecar`] skips the test through [`landfall_test_support::skip`].
//!
//! Nothing here builds or installs anything: `cargo xtask dist` makes landfall,
//! `cargo xtask tools` the other programs.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start programs and read what those wrote; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "this library is called by tests alone: a panic is a failed test"
)]

pub mod image;
pub mod kustomize;
pub mod plugin_server;
pub mod program;
pub mod scratch;
pub mod sidecar;
