//! The law: *decode(output scalar) = decode(template scalar) with each reference
//! replaced by its value's text; the shape of the tree is unchanged but where a
//! whole scalar became a list or object; every byte outside is identical.*
//!
//! It is checked with parsers that are independent of the plugin: libyaml through
//! `serde_yaml` here, and in [`readers`] go-yaml v2 and v3, sigs.k8s.io/yaml, PyYAML,
//! libyaml, ruamel.yaml and Node's yaml.
//!
//! Code map: a [`template::Template`] is a manifest whose references are known;
//! [`oracle::check`] renders it and compares; [`generated`] generates templates,
//! [`mutated`] derives them from real files, [`corpora`] uses real files unchanged. An
//! ordinary run generates at least 100,000 manifests, always the same ones;
//! `LANDFALL_CASES=n` generates n times as many, and `LANDFALL_SEED=n` others.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read corpora and start the readers; the plugin under test is still guarded"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot continue fails, and prints why"
)]

use landfall_test_cases::{choices, reading};
use landfall_test_support::readers::{self, strings, tree};
use landfall_test_support::skip;

mod adoption;
mod aliases;
mod broken;
mod cases;
mod ceilings;
mod concealment;
mod corpora;
mod decoding;
mod dialects;
mod document;
mod dotenv;
mod embedded;
mod encoded;
mod exports;
mod field_bindings;
mod fixes;
mod formats;
mod generated;
mod go_templates;
mod headers;
mod hostile;
mod interference;
mod kpt_set;
mod leaks;
mod members;
mod migration;
mod models;
mod mutated;
mod near_miss;
mod oracle;
mod ordinary;
mod parts;
mod patch_types;
mod projection;
mod provenance;
mod redaction;
mod rename;
mod render;
mod replaced_files;
mod replacements;
mod robustness;
mod scalars;
mod setters;
mod shown;
mod streams;
mod template;
mod toys;
mod unbound;
mod validity;
