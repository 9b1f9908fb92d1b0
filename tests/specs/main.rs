//! The specification of the language: every page of `docs/language/` and `docs/dialects/`,
//! `docs/binding.md` and `docs/rules.md`, whose examples are run here exactly as a reader sees them.
//!
//! How to write one:
//!
//! - An example is a heading `### it …`, prose, and fenced blocks. The words after the
//!   three backticks say what a block is:
//!   - `yaml manifest` (or `json manifest`): the source manifest
//!   - `json infra`: an outputs document in short form, `{"name": value}`, bound
//!     as `infra` (any other name but those listed here binds that name). A name
//!     that ends in `!` is a sensitive output. It is expanded to what
//!     `terraform output -json` writes
//!   - `dotenv infra`, `yaml infra` or any other language: an outputs document as it is,
//!     bound with that `format` (JSON if it is marked, `json infra as-is`); `text infra`:
//!     one that is bound without a `format`
//!   - `yaml binding`: the Binding from its `spec` on. Unless it says something about
//!     `unused`, unused outputs are ignored
//!   - `yaml operator`: the operator's policy from its `spec` on
//!   - `yaml result` (or `json result`): the rendered manifest, to the byte
//!   - `text diagnostics`: all diagnostics, in the form of [`reported`]
//! - A `json infra` block, or a Binding, before the first example of a `##` chapter
//!   applies to all of its examples; an example's own block of that name replaces it.
//! - `folder` after `manifest` renders it as the file of a folder: every document is
//!   a resource. `argo-cd` renders it under the ceiling that Argo CD has.
//! - An example without diagnostics reports nothing; one without a result has errors, so
//!   that nothing is rendered.
//! - Whatever an example expects: no diagnostic reveals a sensitive value or the text
//!   around it, and every fix fixes its diagnostic.
//! - Invisible characters are written visibly, see [`notation`]: `␠` `␉` `␍`, and after
//!   the role `crlf`, `bom`, `no-eol`.
//!
//! `UPDATE=1 cargo test --test specs` rewrites the results and diagnostics of all
//! pages to the actual ones; review the diff like code. A new page needs a line in
//! `pages!` below and one in `docs/README.md`.

#![allow(
    clippy::disallowed_methods,
    reason = "the pages are files, and one variable asks to rewrite them"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a page that cannot be read fails its test"
)]

use landfall_test_cases::pages::{config, notation, outputs, page, reported};

mod check;
mod difference;
mod example;
mod links;
mod schema;

macro_rules! pages {
    ($($test:ident => $name:literal,)+) => {
        /// Every page, as a path below `docs/`.
        const PAGES: &[&str] = &[$(concat!($name, ".md"),)+];

        $(
            #[test]
            fn $test() {
                check::page(concat!($name, ".md"));
            }
        )+
    };
}

pages! {
    references => "language/references",
    default => "language/default",
    functions => "language/functions",
    functions_text => "language/functions-text",
    functions_lists => "language/functions-lists",
    functions_types => "language/functions-types",
    functions_encoding => "language/functions-encoding",
    functions_addresses => "language/functions-addresses",
    escape => "language/escape",
    strings => "language/strings",
    numbers_and_bools => "language/numbers-and-bools",
    lists_and_objects => "language/lists-and-objects",
    block_scalars => "language/block-scalars",
    keys => "language/keys",
    setter_comments => "language/setter-comments",
    field_bindings => "language/field-bindings",
    embedded_documents => "language/embedded-documents",
    dollars => "language/dollars",
    helm_values => "language/helm-values",
    left_alone => "language/left-alone",
    kro => "language/kro",
    documents => "language/documents",
    outputs_documents => "language/outputs-documents",
    json_manifests => "language/json-manifests",
    not_yaml => "language/not-yaml",
    kubernetes_fields => "language/kubernetes-fields",
    patches => "language/patches",
    refused_values => "language/refused-values",
    sensitive_outputs => "language/sensitive-outputs",
    policies => "language/policies",
    contract => "language/contract",
    errors => "language/errors",
    dialect_applicationset => "dialects/applicationset",
    dialect_flux => "dialects/flux",
    dialect_kpt_set => "dialects/kpt-set",
}

#[test]
fn binding() {
    check::page("binding.md");
}

/// Chapters with files and a console are tested by the host.
#[test]
fn rules() {
    check::page("rules.md");
}

/// Returns the folder `docs/` of this repository.
fn docs() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}
