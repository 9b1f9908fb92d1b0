//! The report of `landfall adopt`: as text with diffs, and as JSON.

use std::fmt::Write as _;

use landfall_sandbox::EditRef;
use landfall_sandbox::types::{AdoptionOutcome, Content, HardCodedValue};
use serde::Serialize;

use super::json;
use crate::draw::Positions;
use crate::sanitize;
use crate::splice::{BrokenEdits, Spliced};

/// The maximum number of bytes of a line that are shown on each side of an edit.
const CONTEXT: usize = 200;

/// The maximum number of bytes of a value that are shown.
const MAX_VALUE: usize = 400;

const ADOPTION: &str = "landfall.dev/adoption/v1alpha1";

/// A file, and what was found in it.
pub(crate) struct AdoptedFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) original: &'a [u8],
    pub(crate) content: &'a Content,
    pub(crate) values: &'a [HardCodedValue],
    /// How many applications read it.
    pub(crate) applications: usize,
}

/// The report of `landfall adopt -o json`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Adoption {
    /// The version of this format.
    #[cfg_attr(test, schemars(extend("const" = ADOPTION)))]
    api_version: &'static str,
    /// Whether the files were written.
    written: bool,
    /// In the order of the files.
    values: Vec<Value>,
}

/// A hard-coded value that equals or contains an output. The value itself is
/// left out: it is in the file, and may be secret.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Value {
    /// The path as given on the command line, with `/`.
    path: String,
    /// From 1.
    line: usize,
    outcome: Outcome,
    /// The outputs that it equals. The keys of a sensitive object may be secret, so they are
    /// not named.
    outputs: Vec<String>,
    /// The lines of the edit, for text.
    #[serde(skip)]
    diff: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
enum Outcome {
    /// A reference replaces it.
    Adopted,
    /// Several outputs have this value.
    Ambiguous,
    /// The line contains the value of a sensitive output, which is replaced only if it is a
    /// scalar in the `stringData` of a Secret.
    Sensitive,
    /// A reference there would not render to the same bytes.
    NotAdoptable,
    /// It is not quoted, in a flow collection, where a reference would not be valid.
    Unquoted,
    /// The file is read by another tool, such as `kustomization.yaml`.
    OtherTool,
    /// Other applications that read the file would not replace it by the same reference.
    Differs,
}

impl Adoption {
    /// Creates the report of these files.
    ///
    /// # Errors
    /// The edits of a file, or the locations of its values, are not in it.
    pub(crate) fn of(files: &[AdoptedFile<'_>], written: bool) -> Result<Self, BrokenEdits> {
        let mut values = Vec::new();
        for file in files {
            let spliced = Spliced::new(file.original, file.content)?;
            let edits: Vec<_> = spliced.edits().iter().collect();
            let positions = Positions::new(file.original);
            for value in file.values {
                if value.end < value.start || value.end as usize > file.original.len() {
                    return Err(BrokenEdits);
                }
                let edit = edits.binary_search_by_key(&(value.start as usize), |edit| edit.start);
                let edit = edit.ok().and_then(|nth| edits.get(nth));
                let outcome = match value.outcome {
                    AdoptionOutcome::Adopted if edit.is_none() && file.applications > 1 => {
                        Outcome::Differs
                    }
                    AdoptionOutcome::Adopted => Outcome::Adopted,
                    AdoptionOutcome::Ambiguous => Outcome::Ambiguous,
                    AdoptionOutcome::Sensitive => Outcome::Sensitive,
                    AdoptionOutcome::NotAdoptable => Outcome::NotAdoptable,
                    AdoptionOutcome::Unquoted => Outcome::Unquoted,
                    AdoptionOutcome::OtherTool => Outcome::OtherTool,
                };
                values.push(Value {
                    path: file.path.to_owned(),
                    line: positions.at(value.start as usize).line,
                    outcome,
                    outputs: value.outputs.clone(),
                    diff: match edit {
                        Some(edit) if outcome == Outcome::Adopted => {
                            Some(diff(file.original, edit, value))
                        }
                        _ => None,
                    },
                });
            }
        }
        Ok(Self {
            api_version: ADOPTION,
            written,
            values,
        })
    }

    pub(crate) fn to_json(&self) -> String {
        json::text(self)
    }

    /// Returns each value with the lines of its edit, and a summary.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for value in &self.values {
            let path = sanitize::line(&value.path);
            let line = value.line;
            let outputs = value.outputs.join(", ");
            let outputs = sanitize::line(&outputs);
            let what = match value.outcome {
                Outcome::Adopted => outputs.into_owned(),
                Outcome::Ambiguous if value.outputs.len() == 1 => {
                    format!("not replaced: several members of {outputs} have this value")
                }
                Outcome::Ambiguous => format!("not replaced: {outputs} have the same value"),
                Outcome::Sensitive => {
                    let noun = match value.outputs.len() {
                        1 => "output",
                        _ => "outputs",
                    };
                    format!("not replaced: contains the value of the sensitive {noun} {outputs}")
                }
                Outcome::NotAdoptable => {
                    format!(
                        "not replaced: a reference to {outputs} would not render to the same bytes"
                    )
                }
                Outcome::Unquoted => {
                    format!(
                        "not replaced: equals {outputs}, but is unquoted in a flow collection; quote it first"
                    )
                }
                Outcome::OtherTool => {
                    format!("not replaced: equals {outputs}, but another tool reads this file")
                }
                Outcome::Differs => {
                    format!(
                        "not replaced: equals {outputs}, but not in all applications that read this file"
                    )
                }
            };
            let _ = writeln!(text, "{path}:{line}: {what}");
            text.push_str(value.diff.as_deref().unwrap_or_default());
        }
        let adopted = (self.values.iter()).filter(|value| value.outcome == Outcome::Adopted);
        let adopted = adopted.count();
        let kept = self.values.len() - adopted;
        let values = if adopted == 1 { "value" } else { "values" };
        let summary = match (adopted, self.written) {
            (0, _) => format!("no {values} to replace"),
            (_, true) => format!("{adopted} {values} replaced"),
            (_, false) => format!("{adopted} {values} to replace: `--write` replaces them"),
        };
        let _ = match kept {
            0 => writeln!(text, "{summary}"),
            _ => writeln!(text, "{summary}; {kept} not replaced"),
        };
        text
    }
}

/// Returns the lines of an edit before it, and the line after it.
fn diff(original: &[u8], edit: &EditRef<'_>, value: &HardCodedValue) -> String {
    let reference = String::from_utf8_lossy(edit.text);
    if value.conceal {
        let reference = if names_more(&reference, &value.outputs) {
            "(concealed)".into()
        } else {
            sanitize::line(&reference)
        };
        return format!("- (concealed)\n+ {reference}\n");
    }
    let &EditRef { start, end, .. } = edit;
    let line_start = memchr::memrchr(b'\n', &original[..start]).map_or(0, |at| at + 1);
    let rest = &original[end..];
    let line_end = end + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // A line can have many values, and each is shown with its own edit.
    let head = if start - line_start > CONTEXT {
        format!("…{}", text(&original[start - CONTEXT..start]))
    } else {
        text(&original[line_start..start])
    };
    let tail = if line_end - end > CONTEXT {
        format!("{}…", text(&original[end..end + CONTEXT]))
    } else {
        text(&original[end..line_end])
    };
    let replaced = if end - start > MAX_VALUE {
        format!("{}…", text(&original[start..start + MAX_VALUE]))
    } else {
        text(&original[start..end])
    };
    let [before, after] = [&*replaced, &*reference].map(|value| format!("{head}{value}{tail}"));
    let mut lines = String::new();
    for line in before.lines() {
        let _ = writeln!(lines, "- {}", sanitize::line(line));
    }
    let _ = writeln!(lines, "+ {}", sanitize::line(&after));
    lines
}

/// Returns whether a reference names more than the output, such as the keys of a sensitive
/// object.
fn names_more(reference: &str, outputs: &[String]) -> bool {
    let rest = outputs
        .first()
        .and_then(|output| reference.split_once(output.as_str()));
    !rest.is_some_and(|(before, after)| {
        ![before, after]
            .iter()
            .any(|text| text.contains(char::is_alphanumeric))
    })
}
