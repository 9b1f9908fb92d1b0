//! The outputs of every outputs document in the corpora, compared with `models.txt`, which
//! was made from the documents and not by landfall; and that nothing but a Secret shows the
//! values of the sensitive ones.

use std::collections::{BTreeMap, BTreeSet};

use landfall::{
    Config, File, OutputsDocument, OutputsInputs, Request, Rule, Severity, Sources, check_outputs,
    complete, definition, hover, outputs_contract, redact, sample_outputs, splice,
};
use landfall_test_needs::needs;

use crate::corpora::files;
use crate::render::{render, request};
use crate::skip;

const MODELS: &str = include_str!("models.txt");

/// The maximum length of a string that a model quotes. Of longer and of sensitive ones, it
/// has the number of characters.
const QUOTED: usize = 40;

/// A document of the corpora.
struct Document {
    path: String,
    format: String,
    content: Vec<u8>,
    /// The lines of its model.
    model: Vec<&'static str>,
}

impl Document {
    fn request(&self) -> Request {
        let mut request = request(self.content.clone());
        let formats = ["cdk", "dotenv", "json", "pulumi"];
        let named = formats.contains(&&*self.format) && !self.is_refused();
        request.configure(|configuration| {
            configuration.policy = Some(config("{empty: allow}".into()));
        });
        request.outputs[0].format = named.then(|| self.format.clone());
        request
    }

    fn is_refused(&self) -> bool {
        self.model
            .first()
            .is_some_and(|line| line.starts_with("refused"))
    }
}

/// Returns the documents that have a model.
fn documents() -> Vec<Document> {
    let folder = skip::needed_corpora().join("outputs");
    let models = MODELS.split("\n\n").filter(|block| !block.starts_with('#'));
    let documents = models.map(|block| {
        let (title, model) = block.split_once('\n').unwrap();
        let (path, format) = title.split_once(" (").unwrap();
        Document {
            path: path.to_owned(),
            format: format.trim_end_matches(')').to_owned(),
            content: std::fs::read(folder.join(path)).unwrap(),
            model: model.lines().map(str::trim).collect(),
        }
    });
    documents.collect()
}

/// Returns the JSON of an output, written into a Secret or into a ConfigMap.
fn json_of(name: &str, kind: &str, request: &Request) -> Result<String, Rule> {
    let field = match kind {
        "Secret" => "stringData",
        _ => "data",
    };
    let manifest =
        format!("apiVersion: v1\nkind: {kind}\n{field}:\n  k: '${{infra[\"{name}\"] | json}}'\n");
    let rendered = render(manifest.as_bytes(), request).map_err(|found| found[0].rule)?;
    let output = String::from_utf8(rendered.output).unwrap();
    let (_, json) = output.split_once("k: '").unwrap();
    Ok(json.trim_end().trim_end_matches('\'').replace("''", "'"))
}

/// Returns the parts of JSON text, with strings as one part.
fn parts(json: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let is_end = |at: usize| !rest[..at].ends_with('\\') || rest[..at].ends_with("\\\\");
        let length = match first {
            '"' => {
                let ends = rest.match_indices('"').skip(1);
                ends.map(|(at, _)| at).find(|at| is_end(*at)).unwrap() + 1
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find(['}', ']', ',']).unwrap_or(rest.len()),
        };
        let (part, after) = rest.split_at(length);
        parts.push(part);
        rest = after;
    }
    parts
}

/// Returns how a model shows a value.
fn shape(json: &str, is_sensitive: bool) -> String {
    let parts = parts(json);
    let mut shape = String::new();
    for (at, part) in parts.iter().enumerate() {
        let text = || serde_json::from_str::<String>(part).unwrap();
        match *part {
            "," => shape.push_str(", "),
            ":" => shape.push_str(": "),
            string if string.starts_with('"') && parts.get(at + 1) == Some(&":") => {
                shape.push_str(&text());
            }
            string if string.starts_with('"') => match text().chars().count() {
                length if length > QUOTED || is_sensitive => {
                    shape.push_str(&format!("string({length})"));
                }
                _ => shape.push_str(string),
            },
            "true" | "false" if is_sensitive => shape.push_str("bool"),
            number if is_sensitive && number.starts_with(|c: char| c.is_ascii_digit()) => {
                shape.push_str(&format!("number({})", number.len()));
            }
            other => shape.push_str(other),
        }
    }
    shape
}

/// Returns the names of the outputs that can be referenced.
fn names(request: &Request) -> Vec<String> {
    let sources = Sources::new(vec![File::default()]);
    let unused = sources
        .generate(request)
        .unwrap()
        .substitutions
        .unwrap()
        .unused;
    let names = unused.iter().map(|one| {
        let name = one.output.strip_prefix("infra").unwrap();
        let quoted = name
            .strip_prefix("[\"")
            .and_then(|name| name.strip_suffix("\"]"));
        quoted
            .unwrap_or_else(|| name.trim_start_matches('.'))
            .to_owned()
    });
    names.collect()
}

/// Returns the line of an output in a model.
fn line(name: &str, request: &Request) -> String {
    let value = json_of(name, "Secret", request).unwrap();
    match json_of(name, "ConfigMap", request) {
        Err(rule) => {
            assert_eq!(rule, Rule::SensitiveOutput, "{name}");
            format!("{name}: sensitive, {}", shape(&value, true))
        }
        Ok(public) => {
            assert_eq!(public, value, "{name}");
            format!("{name}: {}", shape(&value, false))
        }
    }
}

/// Returns the model of a document as landfall reads it. Outputs that cannot be read are
/// taken from the reviewed model, and checked.
fn model(document: &Document) -> Vec<String> {
    let request = document.request();
    let found = check_outputs(&inputs(&request, None));
    if let Some(error) = found.iter().find(|found| found.severity == Severity::Error) {
        return vec![format!("refused: {}", error.message)];
    }
    let mut lines: Vec<_> = names(&request)
        .iter()
        .map(|name| line(name, &request))
        .collect();
    for unreadable in document
        .model
        .iter()
        .filter(|line| line.ends_with(", unreadable"))
    {
        let (name, _) = unreadable.split_once(": ").unwrap();
        let found = json_of(name, "Secret", &request);
        assert_eq!(found, Err(Rule::UnreadableOutput), "{name}");
        lines.push((*unreadable).to_owned());
    }
    lines.sort_by(|a, b| a.split(": ").next().cmp(&b.split(": ").next()));
    if lines.is_empty() {
        vec!["no outputs".to_owned()]
    } else {
        lines
    }
}

#[needs(corpora)]
#[test]
fn every_document_has_a_model() {
    let folder = skip::needed_corpora().join("outputs");
    let all: BTreeSet<String> = files(&folder)
        .iter()
        .map(|path| path.strip_prefix(&folder).unwrap().display().to_string())
        .filter(|path| path.contains('/') && !path.starts_with("LICENSES/"))
        .collect();
    let with_model = documents().into_iter().map(|document| document.path);
    assert_eq!(with_model.collect::<BTreeSet<_>>(), all);
}

#[needs(corpora)]
#[test]
fn documents_have_the_outputs_that_people_read_in_them() {
    for document in documents() {
        assert_eq!(model(&document), document.model, "{}", document.path);
    }
}

fn inputs(request: &Request, contract: Option<String>) -> OutputsInputs {
    OutputsInputs {
        documents: request.outputs.clone(),
        contract: contract.map(config),
        ..OutputsInputs::default()
    }
}

fn config(content: String) -> Config {
    Config {
        path: "config.yaml".into(),
        content: content.into_bytes(),
    }
}

/// Returns a contract that every output violates, in every way.
fn violated(names: &[&str]) -> Vec<String> {
    let rules = [
        "type: bool",
        "type: number",
        "type: object",
        "pattern: \"^never$\"",
        "enum: [never]",
        "min: 99999",
        "max: 0",
        "minLength: 99999",
        "maxLength: 0",
        "sensitive: false",
    ];
    let contracts = rules.iter().map(|rule| {
        let outputs = names
            .iter()
            .map(|name| format!("    \"{name}\": {{{rule}}}\n"));
        format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n{}",
            outputs.collect::<String>()
        )
    });
    contracts.collect()
}

/// What anyone may ask about an output, without a Secret to write it to.
const REFERENCES: &[&str] = &[
    "@",
    "@ | json",
    "@ | base64",
    "@ | number",
    "@ | upper",
    "@ | sha256",
    "@ | split(\"-\") | at(9)",
    "@ | cidr_host(1)",
    "@.nosuch",
    "@[7]",
    "@[*].nosuch",
];

/// Returns everything that landfall says about the outputs of a document.
fn everything_said(document: &Document, names: &[&str]) -> String {
    let request = document.request();
    let mut said = String::new();
    for contract in violated(names) {
        let found = check_outputs(&inputs(&request, Some(contract)));
        assert!(names.is_empty() || found.has_errors(), "{found:?}");
        said.push_str(&format!("{found:?}\n"));
    }
    let contract = outputs_contract(&inputs(&request, None));
    if let Ok(contract) = &contract {
        let contract = String::from_utf8(contract.clone()).unwrap();
        said.push_str(&contract);
        for sample in sample_outputs(&config(contract)).unwrap() {
            said.push_str(&String::from_utf8(sample.content).unwrap());
        }
    }
    said.push_str(&format!("{contract:?}\n"));
    let outputs: &[OutputsDocument] = &request.outputs;
    if let Some(redaction) = redact(&outputs[0], &[], None, &|_| false) {
        let redacted = splice(&document.content, &redaction.edits).unwrap();
        said.push_str(&String::from_utf8(redacted).unwrap());
    }
    for name in names {
        for reference in REFERENCES {
            let reference = reference.replace('@', &format!("infra[\"{name}\"]"));
            let plain =
                format!("kind: ConfigMap\napiVersion: v1\ndata: {{k: '${{{reference}}}'}}\n");
            said.push_str(&format!("{:?}\n", render(plain.as_bytes(), &request)));
            let secret = plain
                .replace("ConfigMap", "Secret")
                .replace("data", "stringData");
            match render(secret.as_bytes(), &request) {
                Ok(done) => {
                    said.push_str(&format!("{:?}\n", (done.diagnostics, done.substitutions)));
                }
                Err(found) => said.push_str(&format!("{found:?}\n")),
            }
            let manifest = plain.as_bytes();
            for offset in (0..plain.len()).step_by(9) {
                said.push_str(&format!(
                    "{:?}\n",
                    (
                        complete(manifest, offset, outputs, &request.application),
                        hover(manifest, offset, outputs, &request.application),
                        definition(manifest, offset, outputs, &request.application),
                    )
                ));
            }
        }
    }
    said
}

/// Returns the strings in the JSON of a value, and its numbers.
fn leaves(json: &str) -> Vec<String> {
    let parts = parts(json).into_iter();
    let leaves = parts
        .filter(|part| part.len() > 1)
        .map(|part| serde_json::from_str::<String>(part).unwrap_or_else(|_| part.to_owned()));
    leaves.collect()
}

/// Short values, such as `10`, also occur for other reasons.
const SHORTEST_TRACE: usize = 8;

#[needs(corpora)]
#[test]
fn nothing_says_a_value_of_a_sensitive_output() {
    let documents = documents();
    let mut checked = BTreeMap::new();
    for document in documents.iter().filter(|document| !document.is_refused()) {
        let request = document.request();
        let is_sensitive = |line: &&&str| line.contains(": sensitive, ");
        let names: Vec<_> = document
            .model
            .iter()
            .filter(is_sensitive)
            .map(|line| line.split_once(": ").unwrap().0)
            .collect();
        let values: Vec<_> = names
            .iter()
            .filter_map(|name| json_of(name, "Secret", &request).ok())
            .flat_map(|json| leaves(&json))
            .filter(|value| value.len() >= SHORTEST_TRACE)
            .collect();
        if values.is_empty() {
            continue;
        }
        let said = everything_said(document, &names);
        for value in &values {
            let escaped = format!("{value:?}");
            let is_said = said.contains(value) || said.contains(escaped.trim_matches('"'));
            assert!(!is_said, "{}: a value of {names:?}", document.path);
        }
        checked.insert(&*document.path, values.len());
    }
    assert!(checked.len() >= 6, "{checked:?}");
}
