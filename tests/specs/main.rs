//! The specification of the language: every page of `docs/language/`, `docs/binding.md`
//! and `docs/rules.md`, whose examples are run here exactly as a reader sees them.
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
//!   - `text diagnostics`: all diagnostics, in the form of `reported.rs`
//! - A `json infra` block, or a Binding, before the first example of a `##` chapter
//!   applies to all of its examples; an example's own block of that name replaces it.
//! - `folder` after `manifest` renders it as the file of a folder: every document is
//!   a resource. `argo-cd` renders it under the ceiling that Argo CD has.
//! - An example without diagnostics reports nothing; one without a result has errors, so
//!   that nothing is rendered.
//! - Whatever an example expects: no diagnostic reveals a sensitive value or the text
//!   around it, and every fix fixes its diagnostic.
//! - Invisible characters are written visibly, see `notation.rs`: `␠` `␉` `␍`, and after
//!   the role `crlf`, `bom`, `no-eol`.
//!
//! `UPDATE_SPECS=1 cargo test --test specs` rewrites the results and diagnostics of all
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

mod check;
mod config;
mod difference;
mod example;
mod links;
mod notation;
mod outputs;
mod page;
mod reported;
mod schema;

macro_rules! pages {
    ($($test:ident => $name:literal,)+) => {
        /// Every page, as a path below `docs/`.
        const PAGES: &[&str] = &[$(concat!("language/", $name, ".md"),)+];

        $(
            #[test]
            fn $test() {
                check::page(concat!("language/", $name, ".md"));
            }
        )+
    };
}

pages! {
    references => "references",
    default => "default",
    functions => "functions",
    functions_text => "functions-text",
    functions_lists => "functions-lists",
    functions_types => "functions-types",
    functions_encoding => "functions-encoding",
    functions_addresses => "functions-addresses",
    escape => "escape",
    strings => "strings",
    numbers_and_bools => "numbers-and-bools",
    lists_and_objects => "lists-and-objects",
    block_scalars => "block-scalars",
    keys => "keys",
    setter_comments => "setter-comments",
    field_bindings => "field-bindings",
    embedded_documents => "embedded-documents",
    dollars => "dollars",
    left_alone => "left-alone",
    documents => "documents",
    outputs_documents => "outputs-documents",
    json_manifests => "json-manifests",
    not_yaml => "not-yaml",
    kubernetes_fields => "kubernetes-fields",
    sensitive_outputs => "sensitive-outputs",
    policies => "policies",
    contract => "contract",
    errors => "errors",
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
