//! The real program on real files: what it writes, tells and exits with.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "these tests start a program, look at what it did to files, and say when they cannot"
)]

mod applications;
mod bad_input;
mod bad_outputs;
mod ceiling;
mod cmp;
mod documentation;
mod explain;
mod folder;
mod foreign;
mod formats;
mod in_place;
#[cfg(unix)]
mod interrupted;
mod krm;
mod limits;
mod mistakes;
mod output_dir;
mod policies;
mod readme;
mod root;
mod run;
mod sensitive;
mod setters;
mod stream;
mod unbound;
mod usage;
