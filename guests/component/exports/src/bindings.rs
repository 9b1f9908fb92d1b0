//! What `wit-bindgen` generates from the WIT world, including `unsafe` code.

#![allow(unsafe_code, reason = "the canonical ABI is raw pointers")]
#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    reason = "generated; wit/ documents every item"
)]

use super::Plugin;

wit_bindgen::generate!({
    path: "../../../wit",
    world: "full-plugin",
});

export!(Plugin);
