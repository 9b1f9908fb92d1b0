//! One run of the module for all groups of a job: loads them, renders them, and reports what
//! is found.

mod built_twice;
mod charts;
mod flag_hints;
mod groups;
mod migrate;
mod other_bindings;
mod parts;
mod refresh_paths;
mod render;
mod repeated_resources;
mod threads;
mod twice;
mod unrendered;

pub(crate) use groups::{Groups, LoadedGroup};
pub(crate) use migrate::{Migration, migrate_all};
pub(crate) use other_bindings::{known_names, names_under, new_names, retain_relevant};
pub(crate) use refresh_paths::{ANNOTATION, refresh_paths};
pub(crate) use render::{
    RenderedSources, add_hints, is_about_unwritten_file, is_unused_note_for_flags, render_all,
    render_groups, render_sources,
};
pub(crate) use repeated_resources::find_repeated;
pub(crate) use threads::{Queue, into_inner, locked, run_in};
pub(crate) use twice::render_twice;
pub(crate) use unrendered::report_unrendered;
