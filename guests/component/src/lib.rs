//! The plugin as a WebAssembly component: the exports of `landfall-component-exports` and
//! an allocator. The optimization level of this crate is that of link-time optimization;
//! the exports are compiled for size.

#![deny(unsafe_code)]

mod allocator;

use landfall_component_exports as _;
