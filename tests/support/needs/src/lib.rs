//! What a test needs, as an attribute: without it, the test runner counts the test as
//! ignored, and `cargo xtask test` reports it as skipped.
//!
//! Except for `dist/` where a build script looks for it, a variable decides, when the test is
//! compiled: if it is set, the test runs, and fails without what it needs. `cargo xtask test`
//! sets the variables of what it has built or found on this machine.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a mistake in the text below, or in an attribute, is one of the tests"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what the machine has decides which tests are ignored"
)]

use proc_macro::TokenStream;

/// Marks a test that needs what `cargo xtask dist` builds, and what the attribute lists.
///
/// The build script of the test's crate sets `has_dist`. With `#[macro_use] extern crate
/// landfall_test_needs;` in its root, this is what `#[test]` means in the whole crate, and
/// `use core::prelude::v1::test;` makes it the ordinary one again in a module.
/// `#[test(tools)]` marks one that [needs](macro@needs) the tools, too.
#[proc_macro_attribute]
pub fn test(needs: TokenStream, item: TokenStream) -> TokenStream {
    // One reason is enough: rustc warns of a second `ignore`.
    let others = ignored_without(&needs.to_string(), "#[cfg_attr(has_dist, ignore = REASON)]");
    let attributes = "#[::core::prelude::v1::test] \
         #[cfg_attr(not(has_dist), ignore = \"needs dist: run cargo xtask dist\")]";
    with(&format!("{others}{attributes}"), item)
}

/// Marks a test by what it needs, as in `#[needs(terraform)]`. It comes before `#[test]`,
/// which looks for the attribute that this one becomes.
#[proc_macro_attribute]
pub fn needs(needs: TokenStream, item: TokenStream) -> TokenStream {
    with(
        &ignored_without(&needs.to_string(), "#[ignore = REASON]"),
        item,
    )
}

/// Returns the variable that is set where a test's need is met. The names of needs are those of
/// `landfall_test_support::skip::Requirement`.
fn variable(need: &str) -> &'static str {
    match need {
        "browser" => "LANDFALL_BROWSER",
        "corpora" => "LANDFALL_CORPORA",
        "dist" => "LANDFALL_COMPONENT",
        "go" => "LANDFALL_GO",
        "kubectl" => "LANDFALL_KUBECTL",
        "node" => "LANDFALL_NODE",
        "terraform" => "LANDFALL_TERRAFORM",
        "tools" => "LANDFALL_TOOLS",
        _ => panic!("no test needs `{need}`"),
    }
}

/// Returns `attribute` with the reason if the variable of one of `needs` is not set. The
/// constants before it make cargo compile the tests again when that changes.
fn ignored_without(needs: &str, attribute: &str) -> String {
    let mut constants = String::new();
    let mut ignored = String::new();
    for need in needs.split(',').map(str::trim) {
        if need.is_empty() {
            continue;
        }
        let variable = variable(need);
        constants.push_str(&format!(
            "const _: Option<&str> = ::core::option_env!(\"{variable}\");"
        ));
        if std::env::var_os(variable).is_none() {
            let reason = format!("\"needs {need}: {variable} is not set\"");
            ignored = attribute.replace("REASON", &reason);
        }
    }
    constants + &ignored
}

fn with(before: &str, item: TokenStream) -> TokenStream {
    let before: TokenStream = before.parse().expect("attributes");
    before.into_iter().chain(item).collect()
}
