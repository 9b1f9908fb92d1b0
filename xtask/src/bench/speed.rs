//! landfall compared with its peers on the same texts.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::Bench;
use super::inputs::{Dialect, Inputs, OUTPUTS, SPARSE};
use super::race::{Contender, race};
use super::table::{Table, mark, megabytes, millis};
use crate::tools;

const CAT: &str = "cat";
const GNU: &str = "GNU envsubst";
const FLUX: &str = "Flux's text tool";
const YQ: &str = "yq envsubst";
const LANDFALL: &str = "landfall";
const ONE_THREAD: &str = "landfall --jobs 1";
/// The build that a flag names.
const OLD: &str = "landfall before";

/// The programs, and how they are called: `INFRA`, `SHELL`, `FLUX` and
/// `EXPECTED` are the text, `VARIABLES` is
/// the list of all outputs.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &str)] = &[
    // Copies: the lower bound.
    (CAT, "EXPECTED"),
    // Substitutes text. Without the list it would blank everything that looks like a variable.
    (GNU, "VARIABLES < SHELL"),
    // Substitutes text as Flux does, without Flux's other work.
    (FLUX, "< FLUX"),
    // Parses YAML, substitutes in strings, writes new YAML.
    (YQ, "(..|select(tag==\"!!str\"))|=envsubst SHELL"),
    (LANDFALL, "render INFRA -b infra=OUTPUTS"),
    (ONE_THREAD, "render INFRA -b infra=OUTPUTS --jobs 1"),
    (OLD, "render INFRA -b infra=OUTPUTS"),
];

/// What is measured with one text.
struct Case {
    name: &'static str,
    applications: usize,
    /// The references of the application with this number.
    references: fn(usize) -> usize,
    rounds: usize,
    /// Each is expected to take at most so many times as long as the other.
    limits: &'static [(&'static str, f64, &'static str)],
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "small", applications: 1, references: |_| 12, rounds: 200, limits: &[(LANDFALL, 1.5, CAT)] },
    Case { name: SPARSE, applications: 10, references: |_| 5, rounds: 31, limits: &[(LANDFALL, 3.0, CAT)] },
    Case { name: "dense", applications: 1_000, references: |_| 20, rounds: 31, limits: &[(LANDFALL, 1.0, GNU), (ONE_THREAD, 1.3, GNU)] },
    Case { name: "dense16", applications: 16_000, references: |_| 20, rounds: 9, limits: &[(LANDFALL, 1.0, GNU)] },
];

/// Measures all texts.
///
/// # Errors
/// landfall fails, or gives a wrong answer. A peer that cannot be had is left out.
pub(super) fn section(bench: &Bench) -> Result<String> {
    let inputs = Inputs::new(&bench.folder)?;
    let mut all = Vec::new();
    for (name, line) in PROGRAMS {
        match program(name, bench) {
            Ok(program) => all.extend(program.map(|program| (*name, *line, program))),
            Err(error) => eprintln!("skipped: {name}: {error:#}"),
        }
    }
    let mut section = String::new();
    for case in CASES.iter().filter(|case| bench.wants(case.name)) {
        let made = inputs.make(case.name, case.applications, case.references);
        let (about, bytes) = match made {
            Ok(made) => made,
            Err(error) => {
                eprintln!("skipped: {}: {error:#}", case.name);
                continue;
            }
        };
        let contenders: Vec<_> = all
            .iter()
            .map(|(name, line, program)| contender(name, line, program.clone(), &inputs, case))
            .collect();
        let table = case.measured(&contenders, bytes, bench)?;
        section.push_str(&format!("{about}\n\n{table}\n"));
    }
    Ok(section)
}

/// Returns the program, or `None` if there is no older build.
fn program(name: &str, bench: &Bench) -> Result<Option<PathBuf>> {
    let built = |name: &str| {
        let tool = landfall_tools::named(name);
        tools::ensure(tool.with_context(|| format!("no tool `{name}`"))?)
    };
    match name {
        CAT => on_path("cat"),
        GNU => on_path("envsubst"),
        FLUX => built("flux-envsubst"),
        YQ => built("yq"),
        OLD => return Ok(bench.old.clone()),
        _ => Ok(bench.landfall.clone()),
    }
    .map(Some)
}

fn on_path(name: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&path).map(|folder| folder.join(name));
    files
        .find(|file| file.is_file())
        .context("it is not on the PATH")
}

fn contender(name: &str, line: &str, program: PathBuf, inputs: &Inputs, case: &Case) -> Contender {
    let outputs = inputs.outputs.iter();
    let variables: Vec<_> = outputs
        .map(|output| (output.variable(), output.value.clone()))
        .collect();
    let references = variables.iter().map(|(name, _)| format!("${{{name}}}"));
    let line = line
        .replace("VARIABLES", &references.collect::<String>())
        .replace("OUTPUTS", OUTPUTS)
        .replace("INFRA", &Dialect::Infra.file(case.name))
        .replace("SHELL", &Dialect::Shell.file(case.name))
        .replace("FLUX", &Dialect::Flux.file(case.name))
        .replace("EXPECTED", &Dialect::Expected.file(case.name));
    Contender {
        name: name.to_owned(),
        program,
        line,
        folder: inputs.folder.clone(),
        environment: if name.starts_with(LANDFALL) {
            Vec::new()
        } else {
            variables
        },
        // yq formats what it writes.
        same: (name != YQ).then(|| Dialect::Expected.file(case.name)),
        lacks: (name == YQ).then(|| "_BUCKET}".to_owned()),
        is_peer: !name.starts_with(LANDFALL),
        ..Contender::default()
    }
}

impl Case {
    fn measured(&self, contenders: &[Contender], bytes: usize, bench: &Bench) -> Result<Table> {
        let all = race(contenders, bench.rounds(self.rounds))?;
        let median = |name: &str| {
            let at = contenders
                .iter()
                .position(|contender| contender.name == name)?;
            (all[at].runs() > 0).then(|| all[at].median())
        };
        let mut table = Table::new(
            "program | median ms | least ms | × cat | × GNU | peak MB | runs | expected",
        );
        for (Contender { name, .. }, series) in contenders.iter().zip(&all) {
            if series.runs() == 0 {
                continue;
            }
            let ratio = |base: &str| median(base).map(|base| series.median() / base);
            let cell = |base| ratio(base).map_or_else(String::new, |ratio| format!("{ratio:.2}"));
            let mut expected = Vec::new();
            for (limited, most, base) in self.limits {
                if let (true, Some(ratio)) = (limited == name, ratio(base)) {
                    expected.push(format!("≤ {most} × {base} {}", mark(ratio <= *most)));
                }
            }
            if name == LANDFALL {
                let most = 3 * bytes as u64 + 32_000_000;
                expected.push(format!(
                    "≤ {} MB {}",
                    megabytes(most),
                    mark(series.peak <= most)
                ));
            }
            table.row(vec![
                name.clone(),
                millis(series.median()),
                millis(series.least()),
                cell(CAT),
                cell(GNU),
                megabytes(series.peak),
                series.runs().to_string(),
                expected.join(", "),
            ]);
        }
        Ok(table)
    }
}
