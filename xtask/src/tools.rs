//! `cargo xtask tools`: gets the real programs that tests and benches start. Go programs
//! are built; the browser is an installed one or comes from the distribution; Node is
//! only looked for.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use landfall_tools::{Group, PROGRAMS, Program, Store};

use crate::playground::{chromium, node};

const USAGE: &str = "usage: cargo xtask tools [--list] [tests | benches | all | NAME]...";

/// A program that the page's tests need, in addition to the Go programs.
const CHROMIUM: &str = "chromium";
const NODE: &str = "node";

/// Gets the named programs (`tests` if none is named) and prints the path of each on
/// stdout; progress goes to stderr. A program that is unavailable does not prevent the
/// others.
///
/// # Errors
/// A name is unknown, or programs are unavailable: all of them are reported.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut wanted: Vec<&'static Program> = Vec::new();
    let page = |name: &str| {
        args.is_empty()
            || args
                .iter()
                .any(|arg| arg == "tests" || arg == "all" || arg == name)
    };
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
            CHROMIUM | NODE => {}
            name if landfall_tools::named(name).is_some() => add(&|program| program.name == name),
            name => {
                let mut known: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
                known.extend([CHROMIUM, NODE]);
                bail!(
                    "there is no program `{name}`; there are {}\n{USAGE}",
                    known.join(", ")
                );
            }
        }
    }
    let mut missing = Vec::new();
    for program in wanted {
        match ensure(program) {
            Ok(path) => println!("{}", path.display()),
            Err(error) => missing.push(format!("{error:#}")),
        }
    }
    if page(NODE) {
        match node::find() {
            Ok(found) => eprintln!("tools: {found}"),
            Err(error) => missing.push(format!("{error:#}")),
        }
    }
    if page(CHROMIUM) {
        match chromium::ensure() {
            Ok(path) => println!("{}", path.display()),
            Err(error) => missing.push(format!("{error:#}")),
        }
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(anyhow!(missing.join("\n")))
    }
}

/// Whether all programs that tests start are in the store.
pub(crate) fn are_built(store: &Store) -> bool {
    PROGRAMS
        .iter()
        .filter(|program| program.group == Group::Tests)
        .all(|program| store.find(program).is_some())
}

/// Returns one program's path, after building it if necessary.
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
            "{:<21} {:<13} {group:<8} {state:<6} {}",
            program.name,
            program.version,
            path.display()
        );
    }
    match chromium::find()? {
        Some(path) => println!("{CHROMIUM:<35} tests    found  {}", path.display()),
        None => println!("{CHROMIUM:<35} tests    -"),
    }
    match node::find() {
        Ok(found) => println!("{NODE:<35} tests    found  {found}"),
        Err(_) => println!("{NODE:<35} tests    -"),
    }
    Ok(())
}
