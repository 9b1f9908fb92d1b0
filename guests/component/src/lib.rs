//! The plugin as a WebAssembly component: the exports of `landfall-component-exports` and
//! the allocator of the modules. The optimization level of this crate is that of link-time
//! optimization; the exports are compiled for size.

#![forbid(unsafe_code)]

use landfall_allocator as _;
use landfall_component_exports as _;
