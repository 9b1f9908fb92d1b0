//! The command: standard input and arguments in, standard output, standard error and exit code
//! out.

use landfall::{
    Ceiling, Diagnostic, Diagnostics, File, KnownName, Location, Need, Origin, OutputsDocument,
    Request, Rule, Sources, krm_needs, process, splice,
};

use crate::arguments::{Asked, NoReferences, parse};
use crate::report::{Document, Report};

/// The maximum size of standard input, as of the native command's.
const MAX_INPUT: u64 = 256 << 20;

/// The name of the ResourceList in diagnostics.
const RESOURCE_LIST: &str = "ResourceList";
/// The name of standard input in diagnostics.
const STDIN: &str = "<stdin>";

const NOTHING_RENDERED: &str = "nothing was rendered";

/// What to do about a defect of landfall.
const BUG: &str = "this is a bug of landfall: please report it";
/// What to do about empty input.
const PIPE: &str = "if the command that writes it may have failed, use `set -o pipefail`; otherwise set `--no-resources allow`";

/// Exit codes, those of the native command.
const INPUT_ERRORS: u8 = 1;
const USAGE: u8 = 2;

/// How the command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// What it writes to standard output.
    pub stdout: Vec<u8>,
    /// What it writes to standard error.
    pub stderr: String,
    /// Its exit code.
    pub code: u8,
}

/// Runs the command. `arguments` follow the program's name; `read` reads standard input up to a
/// limit in bytes, where it may stop in the middle.
///
/// # Examples
/// ```
/// let manifest = "kind: ConfigMap\ndata: {a: '${x.y}'}\n";
/// let arguments = ["check", "--no-references", "-"].map(str::to_owned);
/// let ended = landfall_wasi::run(&arguments, |_| Ok(manifest.into()));
/// assert_eq!(ended.code, 1);
/// assert!(ended.stderr.starts_with("error[unrendered-reference]: unrendered reference to `x`"));
/// ```
pub fn run(arguments: &[String], read: impl FnOnce(u64) -> Result<Vec<u8>, String>) -> Ended {
    let asked = match parse(arguments) {
        Ok(Asked::Print(text)) => {
            return Ended {
                stdout: text.into_bytes(),
                ..Ended::default()
            };
        }
        Ok(asked) => asked,
        Err(stderr) => {
            return Ended {
                stderr,
                code: USAGE,
                ..Ended::default()
            };
        }
    };
    let (name, outcome) = match asked {
        Asked::Check(_) => (STDIN, ""),
        _ => (RESOURCE_LIST, NOTHING_RENDERED),
    };
    let problem = match read(MAX_INPUT + 1) {
        Ok(input) if input.len() as u64 <= MAX_INPUT => {
            return match asked {
                Asked::Check(check) => no_references(&input, &check),
                _ => krm(&input),
            };
        }
        Ok(_) => (
            "input-too-large",
            format!("`{name}` cannot be read: total input exceeds {MAX_INPUT} bytes"),
        ),
        Err(why) => ("unreadable-file", format!("`{name}` cannot be read: {why}")),
    };
    let mut report = Report::default();
    report.error(problem.0, &problem.1, "");
    ended(Vec::new(), report, outcome)
}

/// Processes a ResourceList.
fn krm(list: &[u8]) -> Ended {
    let mut report = Report::default();
    let whole = Document {
        origin: Origin::Manifest(0),
        path: RESOURCE_LIST,
        content: list,
    };
    let (found, outputs) = match krm_needs(list) {
        Ok(needs) => held(needs),
        Err(found) => (found, Vec::new()),
    };
    if found.has_errors() {
        report.add(&[whole], &found);
        return ended(Vec::new(), report, NOTHING_RENDERED);
    }
    let bound = outputs.iter().enumerate().map(|(at, document)| Document {
        origin: Origin::Outputs(at),
        path: &document.path,
        content: &document.content,
    });
    let documents: Vec<_> = std::iter::once(whole).chain(bound).collect();
    let mut stdout = Vec::new();
    match process(list, &outputs, &Ceiling::default(), None, &[]) {
        Ok(processed) => {
            report.add(&documents, &processed.diagnostics);
            // A list that failed is written with its results; without edits there is none.
            if !processed.failed || !processed.edits.is_empty() {
                match splice(list, &processed.edits) {
                    Ok(written) => stdout = written,
                    Err(error) => report.error("invalid-edits", &error.to_string(), BUG),
                }
            }
        }
        Err(found) => report.add(&documents, &found),
    }
    ended(stdout, report, NOTHING_RENDERED)
}

/// Returns the documents that the Binding or the list holds, and an error for each other one.
fn held(needs: Vec<Need>) -> (Diagnostics, Vec<OutputsDocument>) {
    let mut errors = Diagnostics::default();
    let mut documents = Vec::new();
    for need in needs {
        match need.location {
            Location::Held(content) => documents.push(OutputsDocument {
                name: need.name,
                path: need.path,
                content,
                format: need.format,
                declared_at: Some(need.span.start),
                ..OutputsDocument::default()
            }),
            Location::Root | Location::Mounted | Location::Resource => {
                let message = format!(
                    "`{}` cannot be read: landfall.wasi.wasm has no files",
                    need.path
                );
                errors.push(
                    Diagnostic::error(Rule::InvalidBinding, message)
                        .at_concealed(Origin::Manifest(0), need.span, "")
                        .help("write the outputs into the functionConfig, `from: {inline: ...}`, or bind a resource of the list, `from: {resource: ...}`; the native command reads files"),
                );
            }
        }
    }
    (errors, documents)
}

/// Reports references that are left in manifests.
fn no_references(manifests: &[u8], check: &NoReferences) -> Ended {
    let mut report = Report::default();
    if manifests.trim_ascii().is_empty() && !check.allows_empty {
        let message = format!("`{STDIN}` is empty: nothing was checked");
        report.error("nothing-checked", &message, PIPE);
        return ended(Vec::new(), report, "");
    }
    let names = check.names.iter().map(|name| KnownName {
        name: name.clone(),
        bound_by: None,
    });
    let request = Request {
        known_names: names.collect(),
        ..Request::default()
    };
    let file = File {
        path: STDIN.to_owned(),
        content: manifests.to_owned(),
    };
    let found = Sources::new(vec![file]).unrendered(&request, &check.allowed);
    let document = Document {
        origin: Origin::Manifest(0),
        path: STDIN,
        content: manifests,
    };
    report.add(&[document], &found);
    ended(Vec::new(), report, "")
}

fn ended(stdout: Vec<u8>, report: Report, outcome: &str) -> Ended {
    let has_errors = report.has_errors();
    Ended {
        stdout,
        stderr: report.into_text(outcome),
        code: if has_errors { INPUT_ERRORS } else { 0 },
    }
}
