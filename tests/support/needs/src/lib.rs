//! What a test needs, as an attribute: without it, the test runner counts the test as
//! ignored, and `cargo xtask test` reports it as skipped.
#![allow(
    clippy::expect_used,
    reason = "a mistake in the text below is one of this crate"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what the machine has decides which tests are ignored"
)]

use proc_macro::TokenStream;

/// Marks a test that needs what `cargo xtask dist` builds.
///
/// The build script of the test's crate sets `has_dist`. With `#[macro_use] extern crate
/// landfall_test_needs;` in its root, this is what `#[test]` means in the whole crate, and
/// `use core::prelude::v1::test;` makes it the ordinary one again in a module.
/// `#[test(corpora)]` marks one that [needs the corpora](macro@needs_corpora), too.
#[proc_macro_attribute]
pub fn test(also: TokenStream, item: TokenStream) -> TokenStream {
    let attributes = "#[::core::prelude::v1::test] \
         #[cfg_attr(not(has_dist), ignore = \"needs dist: run cargo xtask dist\")]";
    if also.is_empty() {
        return with(attributes, item);
    }
    assert_eq!(
        also.to_string(),
        "corpora",
        "what a test may need besides dist"
    );
    // One reason is enough: rustc warns of a second `ignore`.
    let corpora = corpora("#[cfg_attr(has_dist, ignore = REASON)]");
    with(&format!("{corpora}{attributes}"), item)
}

/// Marks a test that needs the folder that `LANDFALL_CORPORA` names. It comes before
/// `#[test]`, which looks for the attribute that this one becomes.
#[proc_macro_attribute]
pub fn needs_corpora(_: TokenStream, item: TokenStream) -> TokenStream {
    with(&corpora("#[ignore = REASON]"), item)
}

/// Returns the attribute if `LANDFALL_CORPORA` is not set. The constant before it makes cargo
/// compile the tests again when that changes.
fn corpora(attribute: &str) -> String {
    let variable = "LANDFALL_CORPORA";
    let mut text = format!("const _: Option<&str> = ::core::option_env!(\"{variable}\");");
    if std::env::var_os(variable).is_none() {
        let reason = format!("\"needs corpora: {variable} is not set\"");
        text.push_str(&attribute.replace("REASON", &reason));
    }
    text
}

fn with(before: &str, item: TokenStream) -> TokenStream {
    let before: TokenStream = before.parse().expect("attributes");
    before.into_iter().chain(item).collect()
}
