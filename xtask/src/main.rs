//! `cargo xtask …`: the only command runner. A subcommand is one file next to this one
//! and one line in [`COMMANDS`].

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a build tool: it starts programs, reads and writes files, and prints messages"
)]

mod apt;
mod bench;
mod demo;
mod dist;
mod fields;
mod playground;
mod process;
mod test;
mod tools;
mod workspace;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "bench",
        about: "measure landfall beside its peers, into benches/RESULTS.md",
        run: bench::run,
    },
    Command {
        name: "demo",
        about: "build landfall and show it at work on examples/karpenter",
        run: demo::run,
    },
    Command {
        name: "dist",
        about: "build the module, the command, the npm package and the page into dist/",
        run: dist::run,
    },
    Command {
        name: "fields",
        about: "write the table of the types of fields in Kubernetes and in custom resources",
        run: fields::run,
    },
    Command {
        name: "hunt",
        about: "run the tests on generated cases that no run has had before",
        run: test::hunt,
    },
    Command {
        name: "playground",
        about: "serve the page for development; --build builds it, --test tries it in a browser",
        run: playground::run,
    },
    Command {
        name: "test",
        about: "build what tests need and run everything, or the named steps or tests; --quick without a build",
        run: test::run,
    },
    Command {
        name: "tools",
        about: "get the real programs that tests start",
        run: tools::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", usage());
        return Ok(());
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        print!("{}", usage());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => bail!("there is no `{name}`\n{}", usage()),
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND\n\n");
    for Command { name, about, .. } in COMMANDS {
        text.push_str(&format!("  {name:<12}{about}\n"));
    }
    text
}
