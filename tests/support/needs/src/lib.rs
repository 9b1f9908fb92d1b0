//! What a test needs, as an attribute: without it, the test runner counts the test as
//! ignored, and `cargo xtask test` reports it as skipped.
#![allow(
    clippy::expect_used,
    reason = "a mistake in the text below is one of this crate"
)]

use proc_macro::TokenStream;

/// Marks a test that needs what `cargo xtask dist` builds.
///
/// The build script of the test's crate sets `has_dist`. With `#[macro_use] extern crate
/// landfall_test_needs;` in its root, this is what `#[test]` means in the whole crate, and
/// `use core::prelude::v1::test;` makes it the ordinary one again in a module.
#[proc_macro_attribute]
pub fn test(_: TokenStream, item: TokenStream) -> TokenStream {
    let attributes: TokenStream = "#[::core::prelude::v1::test] \
         #[cfg_attr(not(has_dist), ignore = \"needs dist: run cargo xtask dist\")]"
        .parse()
        .expect("two attributes");
    attributes.into_iter().chain(item).collect()
}
