//! What `wit-bindgen` makes of the world. Its `unsafe` is generated.

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
    world: "plugin",
});

export!(Plugin);
