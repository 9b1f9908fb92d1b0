//! The bindings that wasmtime generates from `wit/`.

#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    reason = "generated; wit/ documents every item"
)]
#![allow(
    clippy::all,
    clippy::needless_pass_by_value,
    clippy::semicolon_if_nothing_returned,
    reason = "generated"
)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "full-plugin",
    additional_derives: [PartialEq, Eq],
});
