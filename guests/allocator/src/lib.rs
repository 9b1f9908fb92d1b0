//! The allocator of the WebAssembly modules: a pool of small blocks by size, and talc for all
//! others. A module that depends on this crate uses it.
//!
//! A render allocates hundreds of thousands of small blocks that are freed soon: names, texts
//! of edits, diagnostics. In the pool, each takes a few instructions.

#![no_std]
#![deny(unsafe_code)]

mod pool;

pub use pool::Pool;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: Pool<talc::wasm::WasmDynamicTalc> =
    Pool::new(talc::wasm::new_wasm_dynamic_allocator());
