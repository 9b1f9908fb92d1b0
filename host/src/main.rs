//! The `landfall` command: files, streams and Argo CD's calls in; the embedded
//! module, in its sandbox, in between; manifests and drawn diagnostics out.
//!
//! Nothing here understands a manifest, an outputs document or a Binding: the
//! module says what to open, and answers with edits that are spliced here.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the host is the part that reads, writes and looks at the environment, on the module's behalf"
)]

mod application;
mod commands;
mod draw;
mod engine;
mod exit;
mod files;
mod flags;
mod foreign;
mod report;
mod settings;
mod splice;
mod stream;

use std::io::IsTerminal;
use std::process::ExitCode;

use exit::Exit;
use flags::Surroundings;

fn main() -> ExitCode {
    let surroundings = Surroundings {
        variable: &|name| std::env::var_os(name),
        stderr_is_terminal: std::io::stderr().is_terminal(),
    };
    let exit = match flags::read(std::env::args_os().collect(), &surroundings) {
        Ok(settings) => commands::run(settings),
        Err(error) => {
            use std::io::Write;
            let text = error.render().to_string();
            // Help is not an error; that nobody reads it isn't one either.
            if error.exit_code() == 0 {
                let _ = std::io::stdout().write_all(text.as_bytes());
                Exit::Done
            } else {
                let text = foreign::without_commands(&text);
                let _ = std::io::stderr().write_all(text.as_bytes());
                Exit::Usage
            }
        }
    };
    exit.code().into()
}
