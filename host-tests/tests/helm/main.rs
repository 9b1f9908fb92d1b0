//! Values that reach the real Helm through parameters of an Application: the chart receives
//! the output's text, or landfall reports that it does not.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start programs and read what those wrote; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic is a failed test"
)]

mod argo_cd_side;
mod parameters;
