//! Generated Applications with hostile outputs.

use std::fmt::Write as _;

use landfall::{Content, File, OutputsDocument, Request, Rule, Sources, splice};
use landfall_test_needs::needs;
use landfall_test_support::seed::{Sequence, factor};
use serde_json::{Value, json};

use crate::argo_cd_side::{Parameter, values};

/// How many Applications are rendered, with this many parameters each.
const APPLICATIONS: u64 = 20;
const PARAMETERS: usize = 60;

/// Texts that mean something to Helm, Argo CD or YAML, alone or next to others.
const PIECES: &[&str] = &[
    "\\", ",", "{", "}", "\\,", "{}", "{a,b}", "$", "$$", "${HOME}", "$(x)", "[0]", "=", ".", "a",
    "b", "x y", " ", "é", "\"", "'", "\n", "\t", "#", ": ", "-", "/",
];

/// Texts to which Helm gives another type.
const WORDS: &[&str] = &[
    "0",
    "5",
    "-5",
    "+5",
    "012",
    "0x10",
    "1e3",
    "1.5",
    "5432",
    "true",
    "True",
    "FALSE",
    "null",
    "Null",
    "yes",
    "~",
    "9223372036854775808",
    "[]",
];

/// Text around a reference that the author writes. Argo CD and Helm read it as it is.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("", ""),
    ("a", ""),
    ("", "b"),
    ("a=", ".b"),
    ("x,", ""),
    ("", ",y"),
];

fn output(sequence: &mut Sequence) -> Value {
    match sequence.below(6) {
        0 => json!(sequence.pick(WORDS)),
        1 => json!(sequence.below(10_000_000)),
        2 => json!(sequence.one_in(2)),
        _ => {
            let pieces = 1 + sequence.below(5);
            let text: String = (0..pieces).map(|_| sequence.pick(PIECES)).collect();
            json!(text)
        }
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// One parameter, and the text that the chart should receive.
struct Case {
    around: (&'static str, &'static str),
    output: Value,
    is_forced: bool,
}

impl Case {
    fn new(sequence: &mut Sequence) -> Self {
        Self {
            around: sequence.pick(AROUND),
            output: output(sequence),
            is_forced: sequence.one_in(3),
        }
    }

    /// A list that the author writes with `{`, of this output's items.
    fn list(sequence: &mut Sequence) -> Self {
        let item = |sequence: &mut Sequence| json!(text(&output(sequence)));
        let items: Vec<Value> = (0..1 + sequence.below(4)).map(|_| item(sequence)).collect();
        Self {
            around: ("{", "}"),
            output: json!(items),
            is_forced: sequence.one_in(2),
        }
    }

    fn calls(&self) -> &'static str {
        if self.output.is_array() {
            " | join(\\\",\\\")"
        } else {
            ""
        }
    }

    fn expected(&self) -> String {
        format!("{}{}{}", self.around.0, text(&self.output), self.around.1)
    }
}

/// Renders an Application with these parameters, one line each. Returns it with the lines
/// that were reported.
fn rendered(cases: &[Case]) -> (String, Vec<usize>) {
    let mut manifest = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  source:\n    helm:\n      parameters:\n".to_owned();
    let header = manifest.lines().count();
    let mut outputs = serde_json::Map::new();
    for (nth, case) in cases.iter().enumerate() {
        let (before, after) = case.around;
        let forced = if case.is_forced {
            ", forceString: true"
        } else {
            ""
        };
        let calls = case.calls();
        writeln!(
            manifest,
            "      - {{name: v{nth}, value: \"{before}${{infra.v{nth}{calls}}}{after}\"{forced}}}"
        )
        .unwrap();
        outputs.insert(format!("v{nth}"), case.output.clone());
    }
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            content: Value::Object(outputs).to_string().into_bytes(),
            format: Some("json".to_owned()),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    let file = File {
        path: "web.yaml".to_owned(),
        content: manifest.clone().into_bytes(),
    };
    let answer = Sources::new(vec![file]).generate(&request).unwrap();
    let [Content::Edited(edits)] = &answer.sources[..] else {
        panic!("{manifest}");
    };
    let result = String::from_utf8(splice(manifest.as_bytes(), edits).unwrap()).unwrap();
    let misread = answer
        .diagnostics
        .iter()
        .filter(|found| found.rule == Rule::MisreadValue);
    let line = |at: usize| manifest[..at].matches('\n').count() - header;
    let reported = misread.map(|found| line(found.labels[0].span.start));
    (result, reported.collect())
}

fn parameters(application: &str) -> Vec<Parameter> {
    let application: serde_yaml::Value = serde_yaml::from_str(application).unwrap();
    let list = &application["spec"]["source"]["helm"]["parameters"];
    let parameter = |one: &serde_yaml::Value| Parameter {
        name: one["name"].as_str().unwrap().to_owned(),
        value: one["value"].as_str().unwrap().to_owned(),
        is_forced: one["forceString"] == true,
    };
    list.as_sequence().unwrap().iter().map(parameter).collect()
}

/// The chart receives the text of every output, as a string if the output is one: else the
/// parameter is reported, and no other is.
#[needs(tools)]
#[test]
fn a_chart_receives_the_outputs_text_or_landfall_reports_it() {
    for nth in 0..APPLICATIONS * factor() {
        let mut sequence = Sequence::new(nth);
        let cases: Vec<Case> = (0..PARAMETERS).map(|_| Case::new(&mut sequence)).collect();
        let (application, reported) = rendered(&cases);
        // Helm reads nothing if one of them ends at the author's comma.
        let ends_at_comma =
            |case: &Case| case.around.1.starts_with(',') && text(&case.output).ends_with('\\');
        let kept = parameters(&application).into_iter().zip(&cases);
        let kept = kept.filter(|(_, case)| !ends_at_comma(case));
        let kept: Vec<Parameter> = kept.map(|(parameter, _)| parameter).collect();
        let found = values(&kept);
        for (nth, case) in cases.iter().enumerate() {
            if ends_at_comma(case) {
                assert!(reported.contains(&nth), "{} {application}", case.output);
                continue;
            }
            let found = &found[format!("v{nth}")];
            let expected = case.expected();
            let is_string = case.output.is_string() || case.is_forced;
            let is_kept = if is_string {
                *found == json!(expected)
            } else {
                text(found) == expected
            };
            assert_eq!(
                is_kept,
                !reported.contains(&nth),
                "{} in {:?} is {found}: {application}",
                case.output,
                case.around,
            );
        }
    }
}

/// A chart receives the items of a joined list, or the parameter is reported, and no other is.
#[needs(tools)]
#[test]
fn a_chart_receives_the_items_of_a_joined_list_or_landfall_reports_it() {
    for nth in 0..APPLICATIONS * factor() {
        let mut sequence = Sequence::new(nth);
        let cases: Vec<Case> = (0..PARAMETERS).map(|_| Case::list(&mut sequence)).collect();
        let (application, reported) = rendered(&cases);
        let found = values(&parameters(&application));
        for (nth, case) in cases.iter().enumerate() {
            let found = &found[format!("v{nth}")];
            assert_eq!(
                *found == case.output,
                !reported.contains(&nth),
                "{} is {found}: {application}",
                case.output,
            );
        }
    }
}
