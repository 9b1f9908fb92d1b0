//! The JSON Schemas of `docs/schemas/`, made from the types that are written.

use std::path::Path;

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::json::Diagnostics;
use super::substitutions::Explanation;

/// `UPDATE_SCHEMAS=1 cargo test -p landfall-host` writes it anew.
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
    let made = super::json::text(&schema);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/schemas")
        .join(format!("{name}.v1alpha1.json"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "docs/schemas/{name}.v1alpha1.json is not what the types say: run UPDATE_SCHEMAS=1 cargo test -p landfall-host, and read the difference"
    );
}

#[test]
fn diagnostics() {
    check::<Diagnostics<'_>>("diagnostics", "What `landfall check -o json` writes");
}

#[test]
fn substitutions() {
    check::<Explanation>("substitutions", "What `landfall explain -o json` writes");
}
