//! Text that names an output but is not a reference: every form of it, in every place, under
//! every policy, whether the output exists or not.

use landfall::{
    BuiltInCeiling, Ceiling, Config, Diagnostics, File, OutputsDocument, Request, Rule, Severity,
    Sources, splice,
};

/// A form that names the output `x` of `infra`, and how `spec.foreign` declares it.
const FORMS: &[(&str, &str)] = &[
    ("{{infra.x}}", "{{infra.*}}"),
    ("{{ .infra.x }}", "{{.infra.x}}"),
    ("{{- $infra.x | upper }}", "{{*infra.*}}"),
    ("${{ infra.x }}", "${{ infra.* }}"),
    ("$infra.x", "$infra.*"),
    ("$(infra.x)", "$(infra.x)"),
    ("#{infra.x}", "#{*}"),
    ("{{infra.x", "{{infra.*"),
    ("${ .infra.x }", "${.infra.*}"),
    ("${upper(infra.x)}", "${upper(*)}"),
    ("${tostring(infra.x)}", "${*infra.*}"),
    ("${x}", "x"),
];

/// How a text in a place is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// By the policy.
    Clear,
    /// As a warning: the characters may mean something else.
    Unclear,
    /// Not at all.
    Passes,
}

/// Manifests with `@` for the text.
const PLACES: &[(&str, Place)] = &[
    ("a: x-@/y\n", Place::Clear),
    ("a: \"@\"\n", Place::Clear),
    ("a: '@'\n", Place::Clear),
    ("'@': x\n", Place::Clear),
    ("a: [b, {c: \"@\"}]\n", Place::Clear),
    ("a: 'b\n  @'\n", Place::Clear),
    (
        "spec: {template: {spec: {containers: [{args: [\"--a=@\"]}]}}}\n",
        Place::Clear,
    ),
    ("a: |\n  x @\n", Place::Unclear),
    ("a: >-\n  @\n", Place::Unclear),
    ("a: \"x\\n@\"\n", Place::Unclear),
    ("a: [sh, -c, \"echo @\"]\n", Place::Unclear),
    (
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    b: \"@\"\n",
        Place::Unclear,
    ),
    ("a: b # @\n", Place::Passes),
    ("# @\na: b\n", Place::Passes),
    ("a: \"$@\"\n", Place::Passes),
    (
        "a: &a\n  landfall.dev/substitute: disabled\n  b: c\nmetadata: {annotations: *a, name: '@'}\n",
        Place::Passes,
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.json: '{\"panels\": [\"@\"]}'\n",
        Place::Passes,
    ),
];

/// What is known about the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Exists,
    Missing,
    Unbound,
    Foreign,
    /// The resource's controller reads such text.
    InOwnedKind,
}

const OUTPUTS: &[Output] = &[
    Output::Exists,
    Output::Missing,
    Output::Unbound,
    Output::Foreign,
    Output::InOwnedKind,
];

/// Who renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Person,
    ArgoCd,
    PolicyError,
}

fn request(output: Output, foreign: &str, mode: Mode) -> Request {
    let (name, outputs) = match output {
        Output::Missing => ("infra", r#"{"y": {"value": "v"}}"#),
        Output::Unbound => ("other", r#"{"y": {"value": "v"}}"#),
        _ => ("infra", r#"{"x": {"value": "v"}, "y": {"value": "v"}}"#),
    };
    let mut spec = serde_json::json!({});
    if output == Output::Foreign {
        spec["foreign"] = serde_json::json!([foreign]);
    }
    let binding = serde_json::json!({
        "apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": spec,
    });
    Request {
        outputs: vec![OutputsDocument {
            name: name.to_owned(),
            path: "outputs.json".to_owned(),
            content: outputs.into(),
            ..OutputsDocument::default()
        }],
        binding: Some(Config {
            path: "landfall.yaml".to_owned(),
            content: binding.to_string().into_bytes(),
        }),
        policy: Some(policy(mode)),
        ceiling: Ceiling {
            built_in: match mode {
                Mode::ArgoCd => BuiltInCeiling::ArgoCd,
                _ => BuiltInCeiling::None,
            },
            ..Ceiling::default()
        },
        ..Request::default()
    }
}

fn policy(mode: Mode) -> Config {
    let content: &[u8] = match mode {
        Mode::PolicyError => b"unbound: error",
        Mode::Person | Mode::ArgoCd => b"{}",
    };
    Config {
        path: "flags".to_owned(),
        content: content.to_vec(),
    }
}

fn diagnostics(manifest: &str, request: &Request) -> Diagnostics {
    let sources = Sources::new(vec![File {
        path: "a.yaml".to_owned(),
        content: manifest.into(),
    }]);
    match sources.generate(request) {
        Ok(answer) => answer.diagnostics,
        Err(found) => found,
    }
}

fn severities(found: &Diagnostics) -> Vec<Severity> {
    let found = found.iter().filter(|found| found.rule == Rule::NearMiss);
    found.map(|found| found.severity).collect()
}

/// Returns the manifest with `@` replaced. In some places a form is written otherwise, or
/// is not one.
fn manifest(place: &str, form: &str) -> Option<String> {
    // An escape precedes only `$`, and a plain scalar ends before ` #`.
    if place.contains("$@") && !form.starts_with('$') {
        return None;
    }
    // Other text follows on the line.
    if form == "{{infra.x" && place.contains("a.json") {
        return None;
    }
    Some(place.replace('@', form))
}

/// Returns a manifest as the item of a ResourceList.
fn as_item(manifest: &str) -> String {
    let lines = manifest.lines().map(|line| format!("  {line}\n"));
    let item: String = lines.collect();
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n-{}",
        &item[1..]
    )
}

#[test]
fn every_form_in_every_place_is_reported_by_what_is_known() {
    let mut reported = 0;
    for (form, foreign) in FORMS {
        for (place, kind) in PLACES {
            let Some(text) = manifest(place, form) else {
                continue;
            };
            for output in OUTPUTS {
                let text = match output {
                    Output::InOwnedKind if text.contains("kind:") => continue,
                    Output::InOwnedKind => {
                        format!(
                            "apiVersion: kro.run/v1alpha1\nkind: ResourceGraphDefinition\n{text}"
                        )
                    }
                    _ => text.clone(),
                };
                for mode in [Mode::Person, Mode::ArgoCd, Mode::PolicyError] {
                    let expected = match (output, kind, mode) {
                        (Output::Exists, Place::Clear, Mode::Person) => vec![Severity::Warning],
                        (Output::Exists, Place::Clear, _) => vec![Severity::Error],
                        (Output::Exists, Place::Unclear, _) => vec![Severity::Warning],
                        _ => vec![],
                    };
                    let request = request(*output, foreign, mode);
                    let case = format!("{output:?} {mode:?}\n{text}");
                    let found = diagnostics(&text, &request);
                    assert_eq!(severities(&found), expected, "{found:#?}\n{case}");
                    // Also in a document that is rendered.
                    let with_reference = format!("{text}z: ${{infra.y}}\n");
                    if *output != Output::Unbound && mode == Mode::Person {
                        let found = diagnostics(&with_reference, &request);
                        assert_eq!(severities(&found), expected, "{found:#?}\n{case}");
                    }
                    let list = landfall::process(
                        as_item(&text).as_bytes(),
                        &request.outputs,
                        &request.ceiling,
                        Some(&policy(mode)),
                        &[],
                    );
                    if *output != Output::Foreign {
                        let found = list.unwrap().diagnostics;
                        assert_eq!(severities(&found), expected, "{found:#?}\n{case}");
                    }
                    reported += expected.len();
                }
            }
        }
    }
    assert!(reported > 300, "{reported}");
}

/// The fix of every text gives the output's value.
#[test]
fn fixes_are_references() {
    let mut fixed = 0;
    for (form, _) in FORMS {
        for (place, kind) in PLACES {
            let Some(text) = manifest(place, form) else {
                continue;
            };
            if *kind == Place::Passes {
                continue;
            }
            let request = request(Output::Exists, "", Mode::Person);
            let found = diagnostics(&text, &request);
            let near = found.iter().find(|found| found.rule == Rule::NearMiss);
            let near = near.unwrap_or_else(|| panic!("{text}"));
            let Some(fix) = near.fixes.first() else {
                panic!("no fix: {text}");
            };
            let edited = splice(text.as_bytes(), &fix.edits).unwrap();
            let edited = String::from_utf8(edited).unwrap();
            assert!(edited.contains("${infra.x"), "{edited}");
            let found = diagnostics(&edited, &request);
            assert!(
                !found.has_errors() && severities(&found).is_empty(),
                "{found:#?}\n{edited}"
            );
            fixed += 1;
        }
    }
    assert!(fixed > 100, "{fixed}");
}

/// What an author wrote next to a reference in a Secret is not shown.
#[test]
fn the_text_of_secrets_is_not_shown() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n";
    let entries = [
        "a: ${join(\"hunter22\", infra.x)}",
        "a: \"{{ infra.x | default('hunter22') }}\"",
        "a: b # kpt-set: hunter22-${x}",
        "a: [\nb: ${join(\"hunter22\", infra.x)}",
    ];
    for entry in entries {
        let text = format!("{secret}  {entry}\n");
        let found = diagnostics(&text, &request(Output::Exists, "", Mode::Person));
        let rules = [Rule::NearMiss, Rule::SetterLookAlike];
        assert!(
            found.iter().any(|found| rules.contains(&found.rule)),
            "{text}"
        );
        for found in found.iter() {
            let titles = found.fixes.iter().map(|fix| fix.title.as_str());
            let texts = titles
                .chain([found.message.as_str()])
                .chain(found.help.as_deref());
            for shown in texts {
                assert!(!shown.contains("hunter22"), "{shown}");
            }
        }
    }
}
