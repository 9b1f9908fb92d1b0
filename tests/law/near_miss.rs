//! Text that names an output but is not a reference: every form of it, in every place, under
//! every policy, whether the output exists or not.

use landfall::{
    BuiltInCeiling, Ceiling, Config, Configuration, Diagnostics, File, OutputsDocument, Request,
    Rule, Severity, Sources, splice,
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
    /// An operator's policy that does not mention `unbound`.
    Operator,
    /// One that allows warnings.
    OperatorAllows,
    /// The Binding's author asks for warnings, and the operator says nothing about them.
    AuthorAllows,
}

const MODES: [Mode; 6] = [
    Mode::Person,
    Mode::ArgoCd,
    Mode::PolicyError,
    Mode::Operator,
    Mode::OperatorAllows,
    Mode::AuthorAllows,
];

impl Mode {
    /// The severity of what is probably a reference.
    fn severity(self) -> Severity {
        match self {
            Self::Person | Self::OperatorAllows | Self::AuthorAllows => Severity::Warning,
            Self::ArgoCd | Self::PolicyError | Self::Operator => Severity::Error,
        }
    }

    fn ceiling(self) -> Ceiling {
        let spec = match self {
            Self::Operator | Self::AuthorAllows => Some("{missing: error}"),
            Self::OperatorAllows => Some("{unbound: warn}"),
            Self::Person | Self::ArgoCd | Self::PolicyError => None,
        };
        Ceiling {
            built_in: match self {
                Self::ArgoCd => BuiltInCeiling::ArgoCd,
                _ => BuiltInCeiling::None,
            },
            operator_policy: spec.map(|spec| Config {
                path: "operator.yaml".to_owned(),
                content: format!(
                    "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {spec}\n"
                )
                .into_bytes(),
            }),
        }
    }
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
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".to_owned(),
                content: binding.to_string().into_bytes(),
            }),
            policy: Some(policy(mode)),
            ceiling: mode.ceiling(),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    }
}

fn policy(mode: Mode) -> Config {
    let content: &[u8] = match mode {
        Mode::PolicyError => b"unbound: error",
        Mode::AuthorAllows => b"unbound: warn",
        Mode::Person | Mode::ArgoCd | Mode::Operator | Mode::OperatorAllows => b"{}",
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
                for mode in MODES {
                    let expected = match (output, kind) {
                        // Text with blanks may be a program's, which may define it.
                        (Output::Exists, Place::Clear)
                            if *form == "${x}" && place.contains("b\n") =>
                        {
                            vec![Severity::Warning]
                        }
                        (Output::Exists, Place::Clear) => vec![mode.severity()],
                        (Output::Exists, Place::Unclear) => vec![Severity::Warning],
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
                        &request.configuration().ceiling,
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

/// Manifests with `@` for a variable, and whether it is reported under Argo CD: a program may
/// define it (`Unclear`), or something does (`Passes`).
const VARIABLES: &[(&str, Place)] = &[
    ("a: \"@\"\n", Place::Clear),
    ("a: https://@.example.com/x?y=1&z=%20\n", Place::Clear),
    ("a: arn:aws:iam::@:role/${infra.y}\n", Place::Clear),
    ("a: '{\"vpc\": \"@\"}'\n", Place::Clear),
    ("args: [\"--x=@\", \"--host=@\"]\n", Place::Clear),
    ("args: [\"host=@\"]\n", Place::Clear),
    ("spec: {containers: [{args: [\"--a=@\"]}]}\n", Place::Clear),
    (
        "apiVersion: v1\nkind: ConfigMap\ndata: {HOST: \"@\"}\n",
        Place::Clear,
    ),
    // Programs of which only a part is visible.
    ("a: log @;\n", Place::Unclear),
    ("a: echo @\n", Place::Unclear),
    ("a: $scheme://@/\n", Place::Unclear),
    ("a: ${scheme}://@/\n", Place::Unclear),
    ("a: '{\"x\": @}'\n", Place::Unclear),
    ("a: sum(x{y=~\"@\"})\n", Place::Unclear),
    (
        "apiVersion: v1\nkind: ConfigMap\ndata: {nginx.conf: \"@\"}\n",
        Place::Unclear,
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\ndata: {spring.datasource.url: \"jdbc:@\"}\n",
        Place::Unclear,
    ),
    // Scripts.
    ("a: [sh, -c, 'true @']\n", Place::Unclear),
    ("command: [sh, -ec]\nargs: ['@']\n", Place::Unclear),
    ("args: ['@']\ncommand:\n- bash\n- -c\n", Place::Unclear),
    ("a: [pwsh, -Command, '@']\n", Place::Unclear),
    ("a: |\n  curl --host=@\n", Place::Unclear),
    ("a: |\n  host=\"@\"\n", Place::Unclear),
    ("a: |\n  for x in host; do echo @; done\n", Place::Unclear),
    ("a: |\n  host=eu; echo @\n", Place::Passes),
    ("a: |\n  host+=eu\n  echo @\n", Place::Passes),
    ("a: |\n  for host in a b; do echo @; done\n", Place::Passes),
    (
        "a: |\n  while read -r a host; do echo @; done\n",
        Place::Passes,
    ),
    (
        "a: |\n  while getopts \"h:\" host; do echo @; done\n",
        Place::Passes,
    ),
    ("a: |\n  f() { local a host; echo @; }\n", Place::Passes),
    (
        "a: |\n  export host\n  cat <<EOF\n  @\n  EOF\n",
        Place::Passes,
    ),
    ("a: |\n  declare -r host=1\n  echo @\n", Place::Passes),
    ("a: |\n  echo ${host:-eu} @\n", Place::Passes),
    ("a: |\n  : \"${host:=eu}\"\n  echo @\n", Place::Passes),
    ("a: |\n  set $host $http_host;\n  log @;\n", Place::Passes),
    ("a: |\n  $host = 'a'\n  echo @\n", Place::Passes),
    (
        "a: [sh, -c, 'for host in a; do echo @; done']\n",
        Place::Passes,
    ),
    // Fields and kinds whose programs read such variables.
    (
        "metadata: {annotations: {nginx.ingress.kubernetes.io/auth-signin: 'https://@/x'}}\n",
        Place::Passes,
    ),
    (
        "podAnnotations: {co.elastic.metrics/hosts: '@'}\n",
        Place::Passes,
    ),
    (
        "apiVersion: camel.apache.org/v1\nkind: Integration\nspec: {a: '@'}\n",
        Place::Passes,
    ),
    (
        "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nspec: {a: [{replacement: '@'}]}\n",
        Place::Passes,
    ),
    (
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nspec: {externalUrl: '@'}\n",
        Place::Clear,
    ),
];

#[test]
fn a_variable_that_a_program_may_define_is_a_warning_at_most() {
    let mut request = request(Output::Exists, "", Mode::ArgoCd);
    request.outputs[0].content =
        br#"{"host": {"value": "v"}, "HOST": {"value": "v"}, "y": {"value": "v"}}"#.to_vec();
    for (place, expected) in VARIABLES {
        let text = place.replace('@', "${host}");
        let found = diagnostics(&text, &request);
        let mut severities = severities(&found);
        severities.dedup();
        let expected = match expected {
            Place::Clear => vec![Severity::Error],
            Place::Unclear => vec![Severity::Warning],
            Place::Passes => vec![],
        };
        assert_eq!(severities, expected, "{found:#?}\n{text}");
    }
    // Names of the environment may be those of a container's image, or of clusterctl.
    for (text, expected) in [
        ("a: ${HOST}\n", vec![Severity::Error]),
        (
            "spec: {initContainers: [{args: [\"--a=${HOST}\"]}]}\n",
            vec![Severity::Warning],
        ),
        (
            "a: ${HOST}\n---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\n",
            vec![],
        ),
        (
            "a: ${host}\n---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\n",
            vec![Severity::Error],
        ),
    ] {
        let found = diagnostics(text, &request);
        assert_eq!(severities(&found), expected, "{found:#?}\n{text}");
    }
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
