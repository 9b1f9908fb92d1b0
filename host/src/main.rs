//! The `landfall` command. All of it is in the library: see `lib.rs`.

#![allow(
    clippy::disallowed_methods,
    reason = "the arguments and the environment of the process are handed to the library"
)]

use std::io::IsTerminal as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    landfall_host::run(
        std::env::args_os().collect(),
        &|name| std::env::var_os(name),
        std::io::stderr().is_terminal(),
    )
}
