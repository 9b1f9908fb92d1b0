//! The dialect `flux` against Flux's own library, which `cargo xtask tools` builds:
//! templates give the same texts, and manifests the same objects, from real repositories and
//! from a generator, with tame and with hostile values, strict and not. Each difference is
//! classified by a listed rule ([`rules`]) from evidence; none is unexplained.
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

mod case;
mod flux_side;
mod generated;
mod ideal;
mod landfall_side;
mod meant;
mod peer;
mod refusals;
mod repositories;
mod rules;
mod tally;
mod templates;
mod values;
mod verdict;
