//! Tests that the JSON Schemas in `docs/schemas/` match the serialized types.

use std::path::Path;

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::adoption::Adoption;
use super::checkup::Checkup;
use super::diff::Diff;
use super::json::Diagnostics;
use super::substitutions::Explanation;

/// Compares a schema. `UPDATE=1 cargo test -p landfall-host` rewrites it.
#[track_caller]
fn check<T: schemars::JsonSchema>(name: &str, title: &str) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert(
        "$id".to_owned(),
        format!(
            "{}/schemas/{name}.v1alpha1.json",
            env!("CARGO_PKG_HOMEPAGE")
        )
        .into(),
    );
    schema.insert("title".to_owned(), title.into());
    let generated = super::json::text(&schema);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/schemas")
        .join(format!("{name}.v1alpha1.json"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/schemas/{name}.v1alpha1.json is out of date: run UPDATE=1 cargo test -p landfall-host and review the diff"
    );
}

#[test]
fn the_schema_of_diagnostics_is_up_to_date() {
    check::<Diagnostics<'_>>("diagnostics", "Output of `landfall check -o json`");
}

#[test]
fn the_schema_of_adoptions_is_up_to_date() {
    check::<Adoption>("adoption", "Output of `landfall adopt -o json`");
}

#[test]
fn the_schema_of_checkups_is_up_to_date() {
    check::<Checkup>("checkup", "Output of `landfall argocd doctor -o json`");
}

#[test]
fn the_schema_of_changes_is_up_to_date() {
    check::<Diff>("diff", "Output of `landfall diff -o json`");
}

#[test]
fn the_schema_of_substitutions_is_up_to_date() {
    check::<Explanation>("substitutions", "Output of `landfall explain -o json`");
}
