use super::{Fields, Names, Stage};

fn of_kustomization(text: &str) -> Fields {
    super::of_kustomization(text, Stage::Source)
}

fn of_plugins(text: &str) -> Fields {
    super::of_plugins(text, Stage::Source)
}

/// Describes the mentions, or the refusals.
fn described(fields: &Fields) -> Vec<String> {
    let mentions = fields.mentions.iter().map(|mention| {
        let path = &mention.path;
        match &mention.names {
            Names::Resources => format!("resources {path}"),
            Names::Component => format!("component {path}"),
            Names::Plugins => format!("plugins {path}"),
            Names::Yaml => format!("yaml {path}"),
            Names::Input {
                of_secret,
                key,
                is_env,
            } => {
                let kind = if *of_secret { "secret" } else { "config" };
                let env = if *is_env { " env" } else { "" };
                format!("{kind}{env} {} {key} {path}", mention.generator)
            }
        }
    });
    let refusals = fields
        .refusals
        .iter()
        .map(|refusal| format!("error: {}", refusal.message));
    mentions.chain(refusals).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let fields = of_kustomization(text);
    assert_eq!(described(&fields), expected);
    for mention in &fields.mentions {
        assert!(text[mention.span.clone()].contains(mention.path.trim()));
    }
}

#[track_caller]
fn check_plugins(text: &str, expected: &[&str]) {
    assert_eq!(described(&of_plugins(text)), expected);
}

#[test]
fn finds_every_file() {
    check(
        r"
resources: [a.yaml, ../base]
bases: [../old]
components:
- ../component
crds: [crd.json]
configurations: [config.yaml]
openapi: {path: schema.json}
patches:
- path: patch.yaml
  target: {kind: Deployment}
- patch: |-
    - op: remove
      path: /spec/x
patchesStrategicMerge:
- merge.yaml
- |-
  apiVersion: v1
  kind: ConfigMap
patchesJson6902: [{path: json.yaml}]
replacements: [{path: replacement.yaml}, {source: {kind: Secret}}]
configMapGenerator:
- name: web
  files: [app.properties, dir/app.ini, key=value.txt]
  envs: [a.env]
  env: b.env
  literals: [a=b]
secretGenerator: [{name: db, files: [password]}]
generators: [generator.yaml]
transformers: [t.yaml]
validators: [v]
images: [{name: path}]
",
        &[
            "resources a.yaml",
            "resources ../base",
            "resources ../old",
            "component ../component",
            "yaml crd.json",
            "yaml config.yaml",
            "yaml schema.json",
            "yaml patch.yaml",
            "yaml merge.yaml",
            "yaml json.yaml",
            "yaml replacement.yaml",
            "config web app.properties app.properties",
            "config web app.ini dir/app.ini",
            "config web key value.txt",
            "config env web env a.env",
            "config env web env b.env",
            "secret db password password",
            "plugins generator.yaml",
            "plugins t.yaml",
            "plugins v",
        ],
    );
    check("", &[]);
    check("# nothing\n", &[]);
}

#[test]
fn aliases_are_what_they_repeat() {
    check(
        "x: &x [a.yaml]\nresources: *x\ncrds: *y\n",
        &["error: this alias has no anchor"],
    );
    let fields = of_kustomization("x: &x [a.yaml]\nresources: *x\n");
    assert_eq!(described(&fields), ["resources a.yaml"]);
}

/// kustomize decodes JSON made by another YAML reader, and encoding/json ignores case.
#[test]
fn refuses_what_kustomize_could_read_differently() {
    for (text, message) in [
        ("Resources: [a]\n", "`Resources` is not a key"),
        ("re\u{17f}ources: [a]\n", "is not a key"),
        ("patches: [{PATH: a}]\n", "`PATH` is not a key"),
        ("resources: [a]\nresources: [b]\n", "duplicate key"),
        ("resources: [a]\n\"resources\": [b]\n", "duplicate key"),
        ("<<: {resources: [a]}\n", "merge key"),
        ("resources: !!seq [a]\n", "tag"),
        ("resources: [a]\n---\nresources: [b]\n", "more than one"),
        ("%YAML 1.1\n---\nresources: [a]\n", "directive"),
        ("resources: [a]\u{85}crds: [b]\n", "U+0085"),
        ("\u{feff}resources: [a]\n", "U+FEFF"),
        ("# x\rresources: [a]\n", "U+000D"),
        ("? [a]\n: b\n", "not a string"),
        ("- a\n", "not a mapping"),
        ("resources: [a\n", "not valid YAML"),
    ] {
        let fields = of_kustomization(text);
        let found: Vec<_> = fields
            .refusals
            .iter()
            .map(|refusal| &refusal.message)
            .collect();
        assert!(
            found.iter().any(|found| found.contains(message)),
            "{text:?}: {found:?}"
        );
    }
}

#[test]
fn refuses_helm_and_references_in_paths() {
    check(
        "helmCharts: [{name: x}]\n",
        &["error: kustomize is run without Helm, so `helmCharts` is not built"],
    );
    check(
        "resources: [\"${infra.path}\", a.yaml]\nnamePrefix: ${infra.prefix}\n",
        &[
            "resources a.yaml",
            "error: a path of a kustomization contains a placeholder",
        ],
    );
    let inline = "transformers:\n- |-\n  apiVersion: builtin\n  kind: PrefixTransformer\n  prefix: ${infra.x}\n";
    check(
        inline,
        &["error: references are not rendered in a document in this list"],
    );
    // In a flow collection a placeholder is not YAML.
    check(
        "configMapGenerator: [{name: a, literals: [x=${infra.x | default(\"}\")}, y=1]}]\nresources: [a]\n",
        &["resources a"],
    );
}

#[test]
fn finds_the_files_of_built_in_plugins() {
    check_plugins(
        r"
apiVersion: builtin
kind: PatchTransformer
metadata: {name: x}
path: patch.yaml
---
apiVersion: builtin
kind: PatchStrategicMergeTransformer
paths: [a.yaml, '{kind: Inline}']
---
apiVersion: builtin
kind: ReplacementTransformer
replacements: [{path: r.yaml}]
---
apiVersion: builtin
kind: SecretGenerator
metadata: {name: x}
name: db
files: [password]
",
        &[
            "yaml patch.yaml",
            "yaml a.yaml",
            "yaml r.yaml",
            "secret db password password",
        ],
    );
    let inline = "transformers:\n- '{apiVersion: builtin, kind: PatchTransformer, path: p.yaml}'\n";
    let fields = of_kustomization(inline);
    assert_eq!(described(&fields), ["yaml p.yaml"]);
    // It is attributed to the whole scalar.
    assert!(inline[fields.mentions[0].span.clone()].starts_with("'{"));
}

#[test]
fn refuses_other_plugins() {
    let exec = "apiVersion: example.com/v1\nkind: Exec\nmetadata:\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: ./x}'\n";
    check_plugins(
        exec,
        &["error: landfall does not run `Exec`, a plugin of kustomize"],
    );
    check_plugins(
        &format!("apiVersion: v1\nkind: List\nitems: [{{apiVersion: a/v1, kind: B}}]\n---\n{exec}"),
        &[
            "error: landfall does not run `B`, a plugin of kustomize",
            "error: landfall does not run `Exec`, a plugin of kustomize",
        ],
    );
    check_plugins(
        "apiVersion: builtin\nkind: HelmChartInflationGenerator\nname: x\n",
        &["error: kustomize is run without Helm, so `HelmChartInflationGenerator` is not built"],
    );
    let binding = of_plugins("apiVersion: landfall.dev/v1alpha1\nkind: Binding\n");
    assert!(binding.refusals[0].help.starts_with("remove it"));
}

#[test]
fn inserts_the_head_that_a_kustomization_lacks() {
    for (text, expected) in [
        (
            "# c\n---\nresources: [a]\n",
            "# c\n---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n",
        ),
        (
            "  resources: [a]\n  crds: []\n",
            "  apiVersion: kustomize.config.k8s.io/v1beta1\n  kind: Kustomization\n  resources: [a]\n  crds: []\n",
        ),
        (
            "{\"resources\": []}",
            "{\"apiVersion\": \"kustomize.config.k8s.io/v1beta1\", \"kind\": \"Kustomization\", \"resources\": []}",
        ),
        (
            "kind: Component\n",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
        ),
    ] {
        let header = of_kustomization(text).header.unwrap();
        let (before, after) = text.split_at(header.at);
        assert_eq!(format!("{before}{}{after}", header.text), expected);
    }
    let whole = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    assert_eq!(of_kustomization(whole).header, None);
}

#[test]
fn notices_when_values_change_what_is_read() {
    let before = of_kustomization(
        "configMapGenerator: [{name: a, literals: ['x=${infra.x}'], files: [k=a.txt]}]\n",
    );
    let after = |literal: &str, file: &str| {
        of_kustomization(&format!(
            "configMapGenerator: [{{name: b, literals: ['{literal}'], files: [{file}]}}]\n"
        ))
    };
    assert!(!before.differ_from(&after("x=vpc-1", "k=a.txt")));
    assert!(before.differ_from(&after("x=vpc-1", "k=b.txt")));
    assert!(before.differ_from(&after("x=vpc-1", "l=a.txt")));
    // kustomize would remove the quotes of the value.
    assert!(before.differ_from(&after("x=\"vpc-1\"", "k=a.txt")));
    assert!(before.differ_from(&of_kustomization("helmCharts: []\n")));
}

/// Before it is rendered, `${…}` is read as plain text, whatever is in it.
#[test]
fn a_placeholder_hides_nothing_from_the_second_reading() {
    for text in [
        "patches: [{patch: '${'}, {path: hidden.yaml}, {patch: '}'}]\n",
        "{namePrefix: '${', resources: [hidden.yaml], nameSuffix: '}'}\n",
        "namePrefix: a # ${\nresources: [hidden.yaml] # }\n",
    ] {
        let after = super::of_kustomization(text, Stage::Rendered);
        assert_eq!(after.mentions.len(), 1, "{text}");
        let before = of_kustomization(text);
        assert_eq!(
            before.differ_from(&after),
            before.mentions.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn finds_what_changes_resources() {
    let change = |text: &str| of_kustomization(text).change.map(|(_, name)| name);
    assert_eq!(change("kind: Kustomization\nresources: [a]\n"), None);
    assert_eq!(
        change("resources: [a]\npatches: []\n").as_deref(),
        Some("patches")
    );
}
