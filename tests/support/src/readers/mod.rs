//! The YAML readers that process manifests: go-yaml v2 and v3, sigs.k8s.io/yaml
//! (`readers/go`), PyYAML, libyaml and ruamel.yaml (`readers/python`), Node's yaml
//! (`readers/node`), and serde_yaml here. ruamel.yaml and Node's yaml read everything
//! twice, as YAML 1.1 and as 1.2. Each program reads thousands of documents in one run.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value as Json, json};

pub mod seeds;
pub mod strings;
pub mod tree;

use crate::skip::{Requirement, skipped};
use tree::Tree;

/// Documents that are read together, and their expected content.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The documents, each a list of one item, from column 0.
    pub parts: Vec<String>,
    /// The expected items.
    pub expected: Vec<Tree>,
    /// Whether there is one part, which is the expected tree itself.
    pub whole: bool,
}

/// A reader that read something other than expected.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Index of the record.
    pub record: usize,
    /// Index of the part in it.
    pub part: usize,
    /// The name of the reader.
    pub reader: String,
    /// What it read.
    pub got: String,
}

/// Returns the reader programs, ready to run. Those that this machine cannot run are
/// recorded as skipped.
pub fn programs() -> &'static [Vec<PathBuf>] {
    static PROGRAMS: OnceLock<Vec<Vec<PathBuf>>> = OnceLock::new();
    PROGRAMS.get_or_init(|| [go(), python(), node()].into_iter().flatten().collect())
}

/// Returns the folder in which the programs are built: cargo's own for integration tests,
/// `tmp` beside the profile's folder.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let test = std::env::current_exe().expect("the path of this test");
        let folder = test
            .ancestors()
            .nth(3)
            .expect("a target folder")
            .join("tmp");
        std::fs::create_dir_all(&folder).expect("a folder that can be made");
        folder
    })
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("readers")
}

/// Runs a program to its end. The error is its stderr, or why it cannot be started.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn go() -> Option<Vec<PathBuf>> {
    let program = folder().join(format!("yaml-readers{}", std::env::consts::EXE_SUFFIX));
    let built = run(Command::new("go")
        .args([
            OsStr::new("build"),
            OsStr::new("-o"),
            program.as_os_str(),
            OsStr::new("."),
        ])
        .current_dir(sources().join("go")));
    match built {
        Ok(()) => Some(vec![program]),
        Err(why) => {
            skipped(
                Requirement::Go,
                &format!("the Go readers cannot be built: {why}"),
            );
            None
        }
    }
}

/// Returns Python with the packages of `readers/python/requirements.txt`.
pub fn python_environment() -> Option<PathBuf> {
    let environment = folder().join("python-readers");
    let python = if cfg!(windows) {
        environment.join("Scripts/python.exe")
    } else {
        environment.join("bin/python")
    };
    let requirements = sources().join("python/requirements.txt");
    let installed = installed(&environment, &requirements, || {
        run(Command::new("python3").args([
            OsStr::new("-m"),
            OsStr::new("venv"),
            environment.as_os_str(),
        ]))?;
        // Only wheels: no code of a package runs while it is installed.
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .args(["--only-binary", ":all:", "--requirement"])
            .arg(&requirements))
    });
    match installed {
        Ok(()) => Some(python),
        Err(why) => {
            skipped(
                Requirement::Python,
                &format!("Python's packages cannot be installed: {why}"),
            );
            None
        }
    }
}

fn python() -> Option<Vec<PathBuf>> {
    Some(vec![
        python_environment()?,
        sources().join("python/readers.py"),
    ])
}

/// Node resolves packages from the script's own folder, so the script is copied next to
/// them.
fn node() -> Option<Vec<PathBuf>> {
    let environment = folder().join("node-readers");
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let lock = sources().join("node/package-lock.json");
    let copied = |name: &str| {
        std::fs::create_dir_all(&environment)
            .and_then(|()| std::fs::copy(sources().join("node").join(name), environment.join(name)))
            .map_err(|error| error.to_string())
    };
    let installed = installed(&environment, &lock, || {
        copied("package.json")?;
        copied("package-lock.json")?;
        run(Command::new(npm)
            .args(["ci", "--ignore-scripts", "--silent"])
            .current_dir(&environment)
            .env("npm_config_audit", "false")
            .env("npm_config_fund", "false")
            .env("npm_config_update_notifier", "false"))
    })
    .and_then(|()| copied("readers.mjs"));
    match installed {
        Ok(_) => Some(vec![PathBuf::from("node"), environment.join("readers.mjs")]),
        Err(why) => {
            skipped(
                Requirement::Node,
                &format!("the Node reader cannot be installed: {why}"),
            );
            None
        }
    }
}

/// Installs packages into `environment` unless those that `lock` pins are installed: a
/// copy of it is written last.
fn installed(
    environment: &Path,
    lock: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let wanted = std::fs::read(lock).map_err(|error| error.to_string())?;
    let stamp = environment.join("installed");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    std::fs::write(&stamp, wanted).map_err(|error| error.to_string())
}

/// Returns where any reader reads something other than expected.
pub fn differences(records: &[Record]) -> Vec<Difference> {
    let parts: usize = records.iter().map(|record| record.parts.len()).sum();
    let lines: Vec<String> = records
        .iter()
        .map(|record| {
            let expected: Vec<Json> = record.expected.iter().map(Tree::to_json).collect();
            json!({"parts": record.parts, "expect": expected, "whole": record.whole}).to_string()
        })
        .collect();
    let input = lines.join("\n") + "\n";
    std::thread::scope(|scope| {
        let input = &input;
        let running: Vec<_> = programs()
            .iter()
            .map(|program| scope.spawn(move || run_reader(program, input, parts)))
            .collect();
        let mut found = in_this_process(records);
        for reader in running {
            found.extend(reader.join().expect("a reader that ends"));
        }
        found
    })
}

/// Returns the parts, by record and position, that every reader reads as expected.
pub fn read_by_all(records: &[Record]) -> BTreeSet<(usize, usize)> {
    let mut all: BTreeSet<_> = records
        .iter()
        .enumerate()
        .flat_map(|(nth, record)| (0..record.parts.len()).map(move |part| (nth, part)))
        .collect();
    for difference in differences(records) {
        all.remove(&(difference.record, difference.part));
    }
    all
}

/// Runs a reader over these lines, to its end, and returns what it prints.
pub fn answer(program: &[PathBuf], input: &str) -> Vec<u8> {
    let mut child = Command::new(&program[0])
        .args(&program[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a reader that starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            stdin
                .write_all(input.as_bytes())
                .expect("a reader that reads");
        });
        child.wait_with_output().expect("a reader that ends")
    });
    assert!(output.status.success(), "{program:?} failed");
    output.stdout
}

fn run_reader(program: &[PathBuf], input: &str, parts: usize) -> Vec<Difference> {
    let output = answer(program, input);
    let mut found = Vec::new();
    let mut read = None;
    for line in String::from_utf8(output).expect("JSON").lines() {
        let reported: Json = serde_json::from_str(line).expect("JSON");
        let number = |name: &str| usize::try_from(reported[name].as_u64()?).ok();
        match (number("line"), number("part")) {
            (Some(record), Some(part)) => found.push(Difference {
                record,
                part,
                reader: reported["reader"].as_str().unwrap_or_default().to_owned(),
                got: reported["got"].as_str().unwrap_or_default().to_owned(),
            }),
            _ => read = number("read"),
        }
    }
    assert_eq!(read, Some(parts), "{program:?} read something else");
    found
}

fn in_this_process(records: &[Record]) -> Vec<Difference> {
    let mut found = Vec::new();
    for (nth, record) in records.iter().enumerate() {
        let listed = |items: &[Tree]| {
            if record.whole {
                items.to_vec()
            } else {
                vec![Tree::List(items.to_vec())]
            }
        };
        if tree::read(&record.parts.concat()) == Ok(listed(&record.expected)) {
            continue;
        }
        for (part, (text, expected)) in record.parts.iter().zip(&record.expected).enumerate() {
            let read = tree::read(text);
            if read != Ok(listed(std::slice::from_ref(expected))) {
                found.push(Difference {
                    record: nth,
                    part,
                    reader: "serde_yaml".into(),
                    got: format!("{read:?}"),
                });
            }
        }
    }
    found
}

/// Returns the message of a test that failed with differences.
pub fn reported(records: &[Record], differences: &[Difference]) -> String {
    let lines: Vec<String> = differences
        .iter()
        .take(10)
        .map(
            |Difference {
                 record,
                 part,
                 reader,
                 got,
             }| {
                let record = &records[*record];
                let lines = [
                    format!("{:?}", record.parts[*part]),
                    format!("  {reader}: {got}"),
                    format!("  should: {:?}", record.expected[*part]),
                ];
                lines
                    .map(|line| line.chars().take(400).collect::<String>())
                    .join("\n")
            },
        )
        .collect();
    format!(
        "{} differences\n  {}",
        differences.len(),
        lines.join("\n  ")
    )
}
