//! `cargo xtask bench`: landfall compared with its peers, with an earlier build, and with twice
//! the input, on the same work in one run.

mod growth;
mod inputs;
mod krm;
mod race;
mod sizes;
mod speed;
mod table;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::dist;
use crate::process::{cargo, quiet, read, run as run_program, step};
use crate::workspace::Workspace;
use inputs::{Dialect, Inputs, OUTPUTS};
use table::Table;

/// The page, from the repository's root.
const PAGE: &str = "benches/RESULTS.md";

/// A part of the page, between two comments with its name.
struct Section {
    name: &'static str,
    about: &'static str,
    measure: fn(&Bench) -> Result<String>,
}

#[rustfmt::skip]
const SECTIONS: &[Section] = &[
    Section { name: "speed", about: "cat, GNU envsubst, Flux's text tool, yq and landfall", measure: speed::section },
    Section { name: "steps", about: "each step of a render, in time and allocations", measure: steps },
    Section { name: "fleet", about: "one source and 1,000 outputs documents", measure: fleet },
    Section { name: "krm", about: "kustomize with landfall, with cat, and with its own replacements", measure: krm::section },
    Section { name: "growth", about: "whether twice the input takes twice the time", measure: growth::section },
    Section { name: "sizes", about: "the artifacts and the page", measure: sizes::section },
];

const FLAGS: &str = "
  --quick         few rounds
  --only TEXT     only cases with this text in their names, in `speed`, `krm` and `growth`
  --command FILE  measure this command; dist/landfall is not built
  --old FILE      measure an earlier build of the command, too, in `speed`

Builds what is measured, prints these sections, or all without a name, and writes them to
benches/RESULTS.md unless there is a flag. LANDFALL_CORPORA names the folder of corpora, without
which the text `sparse` is skipped.
";

/// What to measure, and how.
struct Bench {
    workspace: Workspace,
    /// The folder of inputs and of what is written.
    folder: PathBuf,
    landfall: PathBuf,
    old: Option<PathBuf>,
    is_quick: bool,
    only: String,
}

/// Builds what is needed, measures, and prints the results.
///
/// # Errors
/// landfall cannot be built, fails, or gives a wrong answer. A peer that cannot be
/// installed on this machine is reported and left out.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let workspace = Workspace::current()?;
    let mut bench = Bench {
        folder: workspace.target.join("bench"),
        landfall: workspace.dist.join(dist::COMMAND),
        old: None,
        is_quick: false,
        only: String::new(),
        workspace,
    };
    let (mut sections, mut is_built, mut is_written) = (Vec::new(), true, true);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .with_context(|| format!("{argument} takes a value"))
        };
        let file =
            |path: &String| fs::canonicalize(path).with_context(|| format!("finding {path}"));
        is_written &= !argument.starts_with('-');
        match argument.as_str() {
            "-h" | "--help" => {
                print!("{}", help());
                return Ok(());
            }
            "--quick" => bench.is_quick = true,
            "--only" => bench.only.clone_from(value()?),
            "--old" => bench.old = Some(file(value()?)?),
            "--command" => {
                bench.landfall = file(value()?)?;
                is_built = false;
            }
            name => match SECTIONS.iter().find(|section| section.name == name) {
                Some(section) => sections.push(section),
                None => bail!("`{name}` is not understood\n{}", help()),
            },
        }
    }
    if sections.is_empty() {
        sections.extend(SECTIONS);
    }
    if is_built {
        // A process of its own: what it reads would otherwise count as memory of every
        // measured program.
        let program = env::current_exe().context("finding this program")?;
        run_program(Command::new(program).arg("dist").stdout(Stdio::null()))?;
    }
    // A Git work tree of its own: landfall would look for files in this repository.
    fs::create_dir_all(bench.folder.join(".git"))?;
    for section in sections {
        let circumstances = circumstances()?;
        let measured = step(&format!("bench: {}", section.name), || {
            (section.measure)(&bench)
        })?;
        let text = format!("{circumstances}\n\n{}\n", measured.trim());
        println!("## {}\n\n{text}", section.name);
        if is_written {
            let path = bench.workspace.root.join(PAGE);
            let page = fs::read_to_string(&path).with_context(|| format!("reading {PAGE}"))?;
            fs::write(&path, replaced(&page, section.name, &text)?)?;
        }
    }
    Ok(())
}

fn help() -> String {
    let mut text = "usage: cargo xtask bench [SECTION]... [FLAG]...\n\n".to_owned();
    for section in SECTIONS {
        text.push_str(&format!("  {:<15} {}\n", section.name, section.about));
    }
    text + FLAGS
}

/// Returns a page with the text of one section replaced.
fn replaced(page: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n"),
        format!("<!-- {name}: end -->\n"),
    );
    let parts = page
        .split_once(&begin)
        .and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.with_context(|| format!("{PAGE} has no section `{name}`"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

/// Returns what a reader must know to judge the times, without identifying the machine.
fn circumstances() -> Result<String> {
    let day = read(Command::new("date").args(["-u", "+%F"]))?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name\t: "));
    let model = model.unwrap_or(env::consts::ARCH);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    Ok(format!(
        "Measured on {day}: {model}, {cores} cores, {}, load {load}.",
        env::consts::OS
    ))
}

impl Bench {
    fn rounds(&self, rounds: usize) -> usize {
        if self.is_quick {
            rounds.div_ceil(5)
        } else {
            rounds
        }
    }

    fn wants(&self, name: &str) -> bool {
        name.contains(&self.only)
    }
}

/// Measures the steps of a render of `dense` by the library as native code.
fn steps(bench: &Bench) -> Result<String> {
    Inputs::new(&bench.folder)?.make("dense", 1_000, |_| 20)?;
    let file = Dialect::Infra.file("dense");
    let files = [file.as_str(), OUTPUTS].map(|file| bench.folder.join(file));
    let header = "step | median ms | least ms | budget | × |  | allocations";
    native(bench, ["landfall", "steps"], &files, header)
}

/// Measures the analysis of a source and the renders after it, by the library and the module.
fn fleet(bench: &Bench) -> Result<String> {
    let header = "source | how | first ms | later ms | kept B";
    native(bench, ["landfall-sandbox", "fleet"], &[], header)
}

/// Returns the table of the tab-separated cells that a bench prints.
fn native(
    bench: &Bench,
    [package, name]: [&str; 2],
    files: &[PathBuf],
    header: &str,
) -> Result<String> {
    let mut command = cargo(&bench.workspace);
    command.arg("bench").args(quiet());
    command.args(["--package", package, "--bench", name, "--"]);
    command.args(files);
    let mut table = Table::new(header);
    for line in read(&mut command)?.lines() {
        table.row(line.split('\t').map(str::to_owned).collect());
    }
    Ok(table.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_one_section() {
        let page = "a\n<!-- steps: begin -->\nold\n<!-- steps: end -->\nb\n";
        let new = replaced(page, "steps", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        let page = include_str!("../../../benches/RESULTS.md");
        for section in SECTIONS {
            replaced(page, section.name, "").unwrap();
        }
    }
}
