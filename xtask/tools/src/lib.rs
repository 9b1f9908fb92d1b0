//! The real programs that landfall is tested and measured against.
//!
//! One table ([`PROGRAMS`]) lists the programs and versions; each is built once, by the
//! ordinary Go client, into a folder that is keyed by version and outlives target folders
//! and clones ([`Store`]). `cargo xtask tools` builds, tests only look ([`Store::find`]):
//! a test never starts a build of minutes.
//!
//! Next to this crate's sources are the Go modules with our own mains: `argocd` (Argo
//! CD's plugin server, and a client that calls it as repo-server does), `applicationset` (Argo
//! CD's generators), `flux` (Flux's text substitution, and what its kustomize-controller makes of a
//! manifest) and `kpt` (kpt's functions).
//!
//! Observed (Go 1.26, two cores, 2026-11):
//! - argo-cd's module pins Kubernetes through `replace` lines, which Go ignores in a
//!   dependency: `go install …/argo-cd/v3/cmd@v3.2.12` refuses, and a module of ours must
//!   repeat them. The whole `argocd` binary does not compile from the module at 3.2.12;
//!   the plugin server's own command does.
//! - kpt 1.0.0-beta.61 does not build whole either: the proxy refuses the module of its command
//!   `alpha rollouts` (403). `kpt fn` builds, in 4 minutes of CPU time without a build cache.
//! - helmfile is not built: `go install` refuses it for its `replace` lines (1.8.0 and 0.167.1), and a
//!   module of ours that repeats them has 2,396 packages, by the clouds of `vals`, which even its
//!   templates import. Helm 3 has 730, in 6 minutes of CPU time without a build cache, and in 2
//!   after the programs before it in the table.
//! - Programs are built without cgo: one binary for every libc, and no C compiler
//!   is needed.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate starts Go and keeps what it builds on disk; the lints guard the plugin"
)]

mod build;
mod catalogue;
mod store;

pub use catalogue::{Group, PROGRAMS, Program, named};
pub use store::Store;
