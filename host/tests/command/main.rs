//! Tests of the real program on real files: its output, diagnostics and exit codes.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "these tests run the program, inspect files, and print why a test is skipped"
)]

// `#[test]`: without the module, a test is ignored.
#[macro_use]
extern crate landfall_test_needs;

mod adopt;
mod applications;
mod argocd;
mod bad_input;
mod bad_outputs;
mod ceiling;
mod cmp;
mod cmp_outputs;
mod dialects;
mod diff;
mod diff_tools;
mod documentation;
mod expand;
mod explain;
mod exports;
mod fleet;
mod folder;
mod formats;
mod git;
mod helm;
mod helm_values;
mod in_place;
mod install;
#[cfg(unix)]
mod interrupted;
mod jobs;
mod krm;
mod kustomize;
mod leaks;
mod limits;
mod migrate;
mod mistakes;
mod near_binding;
mod output_dir;
mod outputs;
mod plan;
mod policies;
mod readme;
mod repeated;
mod resource_outputs;
mod root;
mod run;
mod schemas;
mod sensitive;
mod setters;
mod stamp;
mod stream;
mod tool;
mod tool_interference;
mod tool_sources;
mod unbound;
mod untrusted;
mod usage;
