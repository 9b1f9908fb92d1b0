//! One case in both programs, and the class of their difference.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use landfall::{Diagnostics, Expanded, File, expand};
use landfall_host_tests::program;
use serde::Deserialize;
use serde_json::{Value, json};

/// ApplicationSets and the Secrets of clusters, as YAML streams.
pub(super) struct Case {
    /// What it is, for messages.
    pub(super) what: String,
    pub(super) sets: String,
    pub(super) secrets: String,
}

/// What Argo CD's packages answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    made: Vec<Value>,
    error: String,
    decoded: Vec<Value>,
    decode_error: String,
}

/// Returns the class of each case, or a description of a difference that has none.
pub(super) fn compare(cases: &[Case]) -> Vec<Result<&'static str, String>> {
    let ours: Vec<_> = cases.iter().map(ours).collect();
    let mut child = Command::new(program::tool("applicationset-expand"))
        .arg("--batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    let answers = BufReader::new(child.stdout.take().unwrap());
    let outcomes = std::thread::scope(|scope| {
        scope.spawn(|| {
            for (case, ours) in cases.iter().zip(&ours) {
                let question = json!({
                    "sets": case.sets,
                    "secrets": case.secrets,
                    "applications": written(ours),
                });
                writeln!(questions, "{question}").unwrap();
            }
            drop(questions);
        });
        let answers = answers
            .lines()
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let pairs = cases.iter().zip(&ours).zip(answers);
        let outcomes = pairs.map(|((case, ours), answer)| {
            class(case, ours, &answer).map_err(|why| described(case, ours, &answer, &why))
        });
        outcomes.collect::<Vec<_>>()
    });
    assert!(child.wait().unwrap().success());
    assert_eq!(outcomes.len(), cases.len());
    outcomes
}

fn ours(case: &Case) -> Result<Expanded, Diagnostics> {
    let file = |path: &str, text: &str| File {
        path: path.to_owned(),
        content: text.as_bytes().to_vec(),
    };
    let secrets: &[File] = match case.secrets.as_str() {
        "" => &[],
        secrets => &[file("clusters.yaml", secrets)],
    };
    expand(&[file("set.yaml", &case.sets)], secrets)
}

/// Returns landfall's Applications as a stream.
fn written(ours: &Result<Expanded, Diagnostics>) -> String {
    let Ok(expanded) = ours else {
        return String::new();
    };
    let documents = expanded.applications.iter();
    let documents = documents.map(|one| String::from_utf8(one.content.clone()).unwrap());
    documents.collect::<Vec<_>>().join("---\n")
}

fn class(
    case: &Case,
    ours: &Result<Expanded, Diagnostics>,
    answer: &Answer,
) -> Result<&'static str, String> {
    let is_refused = !answer.error.is_empty();
    let is_plain = !case.sets.contains("goTemplate");
    let made: Vec<Value> = answer.made.iter().map(without_kind).collect();
    match ours {
        Ok(_) if is_refused => Err("Argo CD fails, and landfall does not".to_owned()),
        Ok(_) if !answer.decode_error.is_empty() => {
            Err("Argo CD cannot read the result".to_owned())
        }
        Ok(_) => {
            let decoded: Vec<Value> = answer.decoded.iter().map(without_kind).collect();
            match (by_name(&made), by_name(&decoded)) {
                (Some(made), Some(decoded)) if made == decoded => Ok("equal Applications"),
                _ => Err("different Applications".to_owned()),
            }
        }
        Err(_) if is_refused => Ok("refused by both"),
        Err(_) if made.iter().any(|one| has_no_value(one, is_plain)) => {
            Ok("`<no value>` or a tag in Argo CD's result: refused")
        }
        // Without parameters, Argo CD renders nothing, in Go templates too.
        Err(found) if is_unrendered(found) && made.iter().any(|one| has_no_value(one, true)) => {
            Ok("a template that Argo CD does not render: refused")
        }
        Err(_) if by_name(&made).is_none() => Ok("one name for two Applications: refused"),
        Err(found) => stricter(case, found),
    }
}

/// Returns the class of errors where Argo CD makes Applications.
fn stricter(case: &Case, found: &Diagnostics) -> Result<&'static str, String> {
    let mut class = None;
    for error in found
        .iter()
        .filter(|one| one.severity == landfall::Severity::Error)
    {
        let help = error.help.as_deref().unwrap_or_default();
        let this = if help.starts_with("Argo CD writes an empty string") {
            "`index` of a missing key, an empty string to Argo CD: refused"
        } else if error.message.ends_with("which has no text") {
            "an object or a list as text: refused"
        } else if error.message.ends_with("has no name") {
            "an Application without a name: refused"
        } else if error.rule == landfall::Rule::MissingParameter && is_in_values(case, error) {
            "a missing parameter in `values` that no Application uses: refused"
        } else if error.message.contains("not evaluated") {
            "what landfall does not evaluate: refused"
        } else if error.message == "no generator here" {
            "an item without a generator: refused"
        } else {
            return Err(format!("landfall refuses it: {}", error.message));
        };
        class = Some(this);
    }
    class.ok_or_else(|| "an error without errors".to_owned())
}

fn is_unrendered(found: &Diagnostics) -> bool {
    let mut messages = found.iter().map(|one| &one.message);
    messages.any(|message| message.ends_with("leaves the template as it is"))
}

/// Returns whether a generated case has an error in the `values` of a generator.
fn is_in_values(case: &Case, error: &landfall::Diagnostic) -> bool {
    let at = error.labels.first().map_or(0, |label| label.span.start);
    let before = case.sets.get(..at).unwrap_or_default();
    let values = before.rfind("\"values\": {");
    values.is_some_and(|start| before[start + 1..].lines().count() <= 3)
}

/// Returns Applications by name; `None` if two have the same.
fn by_name(applications: &[Value]) -> Option<BTreeMap<String, &Value>> {
    let mut named = BTreeMap::new();
    for application in applications {
        let name = application["metadata"]["name"].as_str().unwrap_or_default();
        if named.insert(name.to_owned(), application).is_some() {
            return None;
        }
    }
    Some(named)
}

/// The controller's Applications have no kind yet, and finalizers are a set.
fn without_kind(application: &Value) -> Value {
    let mut application = application.clone();
    if let Some(fields) = application.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    if let Some(finalizers) = application["metadata"]["finalizers"].as_array_mut() {
        finalizers.sort_by_key(Value::to_string);
    }
    application
}

/// Returns whether some text has `<no value>` or, in plain templates, what is left of a tag.
fn has_no_value(value: &Value, is_plain: bool) -> bool {
    let is_wrong = |text: &str| text.contains("<no value>") || (is_plain && text.contains("{{"));
    match value {
        Value::String(text) => is_wrong(text),
        Value::Array(items) => items.iter().any(|item| has_no_value(item, is_plain)),
        Value::Object(entries) => entries
            .iter()
            .any(|(key, value)| is_wrong(key) || has_no_value(value, is_plain)),
        _ => false,
    }
}

fn described(
    case: &Case,
    ours: &Result<Expanded, Diagnostics>,
    answer: &Answer,
    why: &str,
) -> String {
    let ours = match ours {
        Ok(_) => format!(
            "{}\n# as Argo CD reads it: {}{}",
            written(ours),
            json!(answer.decoded),
            answer.decode_error
        ),
        Err(found) => {
            let found = found.iter().map(|one| {
                format!(
                    "{}\n  {}",
                    one.message,
                    one.help.as_deref().unwrap_or_default()
                )
            });
            found.collect::<Vec<_>>().join("\n")
        }
    };
    format!(
        "{}: {why}\n--- sets\n{}\n--- secrets\n{}\n--- landfall\n{ours}\n--- Argo CD\n{}\n{}",
        case.what,
        case.sets,
        case.secrets,
        json!(answer.made),
        answer.error
    )
}
