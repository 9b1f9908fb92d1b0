//! The plugin as a WebAssembly component: the exports of `landfall-component-exports`
//! and an allocator. The level of this crate is that of link-time optimization, and
//! the exports are compiled for size.

#![deny(unsafe_code)]

mod allocator;

use landfall_component_exports as _;
