//! `cargo xtask tools`: builds the real programs that tests and benches start.

use std::path::PathBuf;

use anyhow::{Result, bail};
use landfall_tools::{Group, PROGRAMS, Program, Store};

const USAGE: &str = "usage: cargo xtask tools [--list] [tests | benches | all | NAME]...";

/// Builds the named programs (`tests` when none is named) and prints the path of
/// each on stdout; progress goes to stderr.
///
/// # Errors
/// A name that is in no table, or a program that cannot be built.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut wanted: Vec<&'static Program> = Vec::new();
    let mut add = |matches: &dyn Fn(&Program) -> bool| {
        for program in PROGRAMS.iter().filter(|program| matches(program)) {
            if !wanted.contains(&program) {
                wanted.push(program);
            }
        }
    };
    if args.iter().any(|arg| arg == "--list") {
        return list();
    }
    if args.is_empty() {
        add(&|program| program.group == Group::Tests);
    }
    for arg in args {
        match arg.as_str() {
            "tests" => add(&|program| program.group == Group::Tests),
            "benches" => add(&|program| program.group == Group::Benches),
            "all" => add(&|_| true),
            name if landfall_tools::named(name).is_some() => add(&|program| program.name == name),
            name => {
                let known: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
                bail!(
                    "there is no program `{name}`; there are {}\n{USAGE}",
                    known.join(", ")
                );
            }
        }
    }
    for program in wanted {
        println!("{}", ensure(program)?.display());
    }
    Ok(())
}

/// One program's path, after building it where it is not there yet.
///
/// # Errors
/// The program cannot be built.
pub(crate) fn ensure(program: &Program) -> Result<PathBuf> {
    Store::of_this_machine().ensure(program, &mut |line| eprintln!("tools: {line}"))
}

fn list() -> Result<()> {
    let store = Store::of_this_machine();
    for program in PROGRAMS {
        let group = match program.group {
            Group::Tests => "tests",
            Group::Benches => "benches",
        };
        let state = if store.find(program).is_some() {
            "built"
        } else {
            "-"
        };
        let path = store.path(program)?;
        println!(
            "{:<18} {:<8} {group:<8} {state:<6} {}",
            program.name,
            program.version,
            path.display()
        );
    }
    Ok(())
}
