//! `cargo xtask bench`: landfall compared with its peers, on the same work in one run.

mod answer;
mod contenders;
mod expected;
mod flags;
mod fleet;
mod functions;
mod growth;
mod guest_sizes;
mod inputs;
mod machine;
mod measure;
mod page;
#[cfg(unix)]
mod plugin_server;
mod results;
mod rounds;
mod sizes;
mod steps;
mod table;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::dist;
use crate::process::{run as run_program, step};
use crate::workspace::Workspace;
use contenders::{Contender, Kind};
use flags::Flags;
use page::{Kept, Page};
use results::Results;

/// The page, from the repository's root.
const PAGE: &str = "benches/RESULTS.md";

/// From this load on, another program used part of a core.
const BUSY: f64 = 0.5;

/// Builds what is needed, measures, and prints the results.
///
/// # Errors
/// landfall cannot be built, fails, or gives a wrong answer. A peer that cannot be
/// installed on this machine is reported and left out.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Some(flags) = Flags::read(arguments)? else {
        print!("{}", flags::HELP);
        return Ok(());
    };
    let workspace = Workspace::current()?;
    let folder = workspace.target.join("bench");
    if flags.functions {
        return functions_alone(&workspace);
    }
    if flags.steps {
        return steps_alone(&workspace, &folder);
    }
    if flags.fleet {
        return fleet_alone(&workspace, &folder);
    }
    if flags.growth {
        return growth_alone(&workspace, &folder, &flags);
    }
    if flags.plugin_server {
        return plugin_server_alone(&workspace, &folder, &flags);
    }
    let for_size = workspace.dist_for_size();
    if flags.guest_sizes {
        step("bench: dist for size", || build_dist(&[dist::FOR_SIZE]))?;
    }
    step("bench: dist", || build_dist(&[]))?;
    let (mut contenders, skipped) = contenders::peers();
    for kind in [Kind::Landfall, Kind::LandfallOneThread] {
        let program = workspace.dist.join(dist::COMMAND);
        contenders.push(Contender::landfall(kind, &program)?);
    }
    if flags.guest_sizes {
        contenders.push(Contender::landfall(
            Kind::LandfallForSize,
            &for_size.join(dist::COMMAND),
        )?);
    }
    let inputs = step("bench: inputs", || inputs::make(&folder, &flags.inputs))?;

    let load = machine::load();
    if let Some(load) = load.filter(|load| *load >= BUSY) {
        eprintln!("bench: the load of this machine is {load:.2}: the times will be noisy");
    }
    let floor = measure::floor();
    let mut measured = Vec::new();
    for input in &inputs.all {
        measured.push(step(&format!("bench: {}", input.name), || {
            rounds::run(input, &inputs, &contenders, flags.quick, &folder)
        })?);
    }
    let day = machine::day()?;
    let guest_sizes = if flags.guest_sizes {
        let table = guest_sizes::table(&workspace.dist, &for_size, &measured)?;
        Some(format!("Measured on {day}.\n\n{table}"))
    } else {
        None
    };
    let functions = if flags.is_whole() {
        let section = || functions::section(&workspace, &day);
        Some(step("bench: functions", section)?)
    } else {
        None
    };
    let steps = if flags.is_whole() {
        let section = || steps::section(&workspace, &folder, &day);
        Some(step("bench: steps", section)?)
    } else {
        None
    };
    let fleet = if flags.is_whole() {
        let program = workspace.dist.join(dist::COMMAND);
        let section = || fleet::section(&workspace, &program, &folder, &day);
        Some(step("bench: fleet", section)?)
    } else {
        None
    };
    let growth = if flags.is_whole() {
        let program = workspace.dist.join(dist::COMMAND);
        let section = || growth::section(&program, &folder, false, &day);
        Some(step("bench: growth", section)?)
    } else {
        None
    };
    let plugin_server = if flags.is_whole() {
        let program = workspace.dist.join(dist::COMMAND);
        let section = || plugin_server(&program, &workspace, &folder, &day);
        Some(step("bench: plugin server", section)?)
    } else {
        None
    };
    let results = Results {
        day,
        machine: machine::describe(),
        load,
        contenders: &contenders,
        skipped: &skipped,
        inputs: &inputs,
        measured: &measured,
        sizes: sizes::table(&workspace.dist)?,
        functions,
        steps,
        fleet,
        growth,
        plugin_server,
        guest_sizes,
        floor,
    };
    let path = workspace.root.join(PAGE);
    let page = results.page(&fs::read_to_string(&path).unwrap_or_default());
    print!("{}", page.as_str());
    if flags.is_whole() {
        page.write(&path)?;
        eprintln!("bench: written to {PAGE}");
    } else {
        eprintln!("bench: {PAGE} is left as it is: not everything was measured");
    }
    Ok(())
}

/// Updates one section of the page, and leaves the rest unchanged.
fn functions_alone(workspace: &Workspace) -> Result<()> {
    let day = machine::day()?;
    let section = step("bench: functions", || functions::section(workspace, &day))?;
    renew(workspace, Kept::Functions, &section)
}

/// Likewise.
fn steps_alone(workspace: &Workspace, folder: &Path) -> Result<()> {
    let day = machine::day()?;
    let section = step("bench: steps", || steps::section(workspace, folder, &day))?;
    renew(workspace, Kept::Steps, &section)
}

/// Likewise.
fn fleet_alone(workspace: &Workspace, folder: &Path) -> Result<()> {
    step("bench: dist", || build_dist(&[]))?;
    let day = machine::day()?;
    let program = workspace.dist.join(dist::COMMAND);
    let section = step("bench: fleet", || {
        fleet::section(workspace, &program, folder, &day)
    })?;
    renew(workspace, Kept::Fleet, &section)
}

/// Likewise.
fn growth_alone(workspace: &Workspace, folder: &Path, flags: &Flags) -> Result<()> {
    let program = command(workspace, flags)?;
    let day = machine::day()?;
    let section = step("bench: growth", || {
        growth::section(&program, folder, flags.quick, &day)
    })?;
    if flags.quick || flags.command.is_some() {
        print!("{section}");
        eprintln!("bench: {PAGE} is left as it is");
        return Ok(());
    }
    renew(workspace, Kept::Growth, &section)
}

/// Likewise.
fn plugin_server_alone(workspace: &Workspace, folder: &Path, flags: &Flags) -> Result<()> {
    let program = command(workspace, flags)?;
    let day = machine::day()?;
    let section = step("bench: plugin server", || {
        plugin_server(&program, workspace, folder, &day)
    })?;
    if flags.command.is_some() {
        print!("{section}");
        eprintln!("bench: {PAGE} is left as it is");
        return Ok(());
    }
    renew(workspace, Kept::PluginServer, &section)
}

#[cfg(unix)]
use plugin_server::section as plugin_server;

#[cfg(not(unix))]
fn plugin_server(_: &Path, _: &Workspace, _: &Path, _: &str) -> Result<String> {
    anyhow::bail!("Argo CD's plugin server requires Unix")
}

/// Returns the command to measure alone: the one that a flag names, or else dist/landfall
/// after building it.
fn command(workspace: &Workspace, flags: &Flags) -> Result<PathBuf> {
    match &flags.command {
        // It is started in other folders.
        Some(program) => program
            .canonicalize()
            .with_context(|| format!("finding {}", program.display())),
        None => {
            step("bench: dist", || build_dist(&[]))?;
            Ok(workspace.dist.join(dist::COMMAND))
        }
    }
}

/// Prints a section and updates it in the page.
fn renew(workspace: &Workspace, kept: Kept, section: &str) -> Result<()> {
    print!("{section}");
    let path = workspace.root.join(PAGE);
    let old = fs::read_to_string(&path).with_context(|| format!("reading {PAGE}"))?;
    Page::renewed(&old, kept, section)?.write(&path)?;
    eprintln!("bench: written to {PAGE}");
    Ok(())
}

/// Runs `cargo xtask dist` as a separate process: what it reads would otherwise count as
/// memory of every measured program.
fn build_dist(arguments: &[&str]) -> Result<()> {
    let program = env::current_exe().context("finding this program")?;
    run_program(
        Command::new(program)
            .arg("dist")
            .args(arguments)
            .stdout(Stdio::null()),
    )
}
