//! The kinds of input for which time is compared with size.

use super::{Case, Files};

const RENDER: &str = "render manifest.yaml -b infra.json";
const FLUX: &str = "render --dialect flux manifest.yaml -b infra.json";
const KPT_SET: &str = "render --dialect kpt-set manifest.yaml -b infra.json";
const CHECK: &str = "check manifest.yaml -b infra.json";
const ADOPT: &str = "adopt manifest.yaml -b infra.json";
/// With a Binding.
pub(super) const RENDER_BOUND: &str = "render manifest.yaml";
const CHECK_BOUND: &str = "check manifest.yaml";

/// Returns all cases, in the order of the table. Sizes are chosen so that a run takes a tenth
/// of a second, compared with which starting the command is negligible.
#[rustfmt::skip]
pub(super) fn all() -> Vec<Case> {
    vec![
    Case::new("anchors, each with an alias", 40_000, |n| data(n, TEXT, "aN: &aN ${infra.text}\n  bN: *aN"), RENDER, 0, "a0: &a0 vpc-0ab1"),
    Case::new("aliases inside aliases, 8 deep", 5_000, |n| {
            spec(n, TEXT, "aN: &aN {x: ${infra.text}}\n  bN: &bN {x: *aN}\n  cN: &cN {x: *bN}\n  dN: &dN {x: *cN}\n  eN: &eN {x: *dN}\n  fN: &fN {x: *eN}\n  gN: &gN {x: *fN}\n  hN: {x: *gN}")
        }, RENDER, 0, "{x: *g0}"),
    Case::new("mappings merged into others", 20_000, |n| spec(n, TEXT, "aN: &aN {x: ${infra.text}}\n  bN: {<<: *aN, y: 1}"), RENDER, 0, "{x: vpc-0ab1}"),
    Case::new("values under one long key", 8_000, |n| {
            let values = lines(n, "  aN: ${infra.text}");
            files(WIDGET, &format!("  ? {}\n  :\n{values}", "k".repeat(80 * n)), TEXT)
        }, RENDER, 0, "a0: vpc-0ab1"),
    Case::new("wrong references", 40_000, |n| data(n, TEXT, "aN: ${infra.none}"), CHECK, 1, "unknown-output"),
    Case::new("wrong references, as SARIF", 40_000, |n| data(n, TEXT, "aN: ${infra.none}"), "check -o sarif manifest.yaml -b infra.json", 1, "unknown-output"),
    Case::new("unknown outputs among as many outputs", 8_000, |n| data(n, &outputs(n, "1"), "aN: ${infra.noneN}"), CHECK, 1, "unknown-output"),
    Case::new("values that as many outputs have", 8_000, |n| data(n, &outputs(n, "\"vpc-0ab1\""), "aN: vpc-0ab1"), ADOPT, 0, "output0"),
    Case::new("wrong references on one line", 80_000, |n| files(CONFIG_MAP, &format!("  a: {}\n", "${infra.none} ".repeat(n)), TEXT), CHECK, 1, "unknown-output"),
    Case::new("references that nothing answers", 40_000, |n| data(n, TEXT, "aN: ${other.nameN}"), CHECK, 0, "unbound-reference"),
    Case::new("wrong names of 190 letters", 20_000, |n| {
            let long = object(50, &format!("\"{}N\": {{\"sensitive\": false, \"value\": \"x\"}}", "a".repeat(188)));
            data(n, &long, &format!("aN: ${{infra.{}N}}", "a".repeat(185)))
        }, CHECK, 1, "did you mean"),
    Case::new("missing keys of an object with as many", 20_000, |n| data(n, &keys(n), "aN: ${infra.object.noneN}"), CHECK, 1, "unknown-key"),
    Case::new("keys of an object with as many", 20_000, |n| data(n, &keys(n), "aN: ${infra.object.keyN}"), RENDER, 0, "a0: x"),
    Case::new("lists concatenated in one reference", 40_000, |n| {
            let calls = " | concat(infra.list)".repeat(n);
            files(CONFIG_MAP, &format!("  a: ${{infra.list{calls} | length}}\n"), LIST)
        }, RENDER, 0, "a: \""),
    Case::new("substitutions, explained", 20_000, |n| data(n, TEXT, "aN: ${infra.text}"), "explain -o json manifest.yaml -b infra.json", 0, "infra.text"),
    Case::new("field bindings, each with its resource", 8_000, |n| field_bindings(n, "{kind: ConfigMap, name: web-N}"), RENDER_BOUND, 0, "vpc: vpc-0ab1"),
    Case::new("field bindings with label selectors, each with its resource", 8_000, |n| field_bindings(n, "{kind: ConfigMap, name: web-N, labelSelector: app=web-N}"),
        RENDER_BOUND, 0, "vpc: vpc-0ab1"),
    Case::new("missing field paths of 20 resources", 8_000, |n| field_paths(20, n, ""), CHECK_BOUND, 1, "target-not-found"),
    Case::new("resources with 20 missing field paths", 8_000, |n| field_paths(n, 20, ""), CHECK_BOUND, 1, "target-not-found"),
    Case::new("fields created in one resource", 10_000, |n| field_paths(1, n, "create: true"), RENDER_BOUND, 0, "none0: vpc-0ab1"),
    Case::new("field bindings to parts of one text", 8_000, |n| {
            let list = format!("  list: {}\n", vec!["a"; n].join(","));
            substitutions(&resources(1, &list), n, "{select: {kind: ConfigMap}, fieldPaths: [data.list], options: {delimiter: \",\", index: N}}")
        }, RENDER_BOUND, 0, "list: vpc-0ab1,vpc-0ab1"),
    Case::new("entries of the contract", 10_000, |n| contract(n, "\"x\""), RENDER_BOUND, 0, "a0: x"),
    Case::new("entries of the contract, all violated", 10_000, |n| contract(n, "\"1\""), CHECK_BOUND, 1, "contract-violation"),
    Case::new("setter comments", 30_000, |n| data(n, TEXT, "aN: old # landfall: ${infra.text}"), RENDER, 0, "a0: vpc-0ab1 # landfall"),
    Case::new("lines of one embedded document", 30_000, |n| {
            files(CONFIG_MAP, &format!("  app.yaml: |\n{}", lines(n, "  aN: ${infra.text}")), TEXT)
        }, RENDER, 0, "a0: vpc-0ab1"),
    // With the ids that kustomize and kpt add.
    Case::new("items of a ResourceList that get lists", 8_000, |n| {
            let item = "- apiVersion: example.com/v1\n    kind: Widget\n    metadata: {name: web-N, annotations: {config.k8s.io/id: 'N', internal.config.kubernetes.io/id: 'N'}}\n    spec:\n      zones: ${infra.list}";
            files("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n", &lines(n, item), LIST)
        }, "krm -b infra.json < manifest.yaml", 0, "- a"),
    Case::new("documents", 20_000, |n| files("", &resources(n, "  a: ${infra.text}\n"), TEXT), RENDER, 0, "a: vpc-0ab1"),
    Case::new("references in flow collections", 40_000, |n| files(WIDGET, &format!("  a: [{}]\n", "{x: \"${infra.text}\"}, ".repeat(n)), TEXT),
        RENDER, 0, "{x: \"vpc-0ab1\"}"),
    Case::new("lines of one plain scalar, and of one in quotes", 80_000, |n| {
            let words = "    words ${infra.text}\n".repeat(n);
            files(CONFIG_MAP, &format!("  a:\n{words}  b: \"\n{words}    \"\n"), TEXT)
        }, RENDER, 0, "    words vpc-0ab1"),
    Case::new("escapes in one scalar", 200_000, |n| files(CONFIG_MAP, &format!("  a: \"{}${{infra.text}}\"\n", "\\t\\x41".repeat(n)), TEXT), RENDER, 0, "\\x41vpc-0ab1\""),
    Case::new("comments between entries", 80_000, |n| data(n, TEXT, "# N\n\n  aN: ${infra.text}"), RENDER, 0, "a0: vpc-0ab1"),
    Case::new("references and escapes of Flux in one line of a block scalar", 40_000, |n| {
            files(CONFIG_MAP, &format!("  a: |\n    {}\n", "${text}$${b}".repeat(n)), TEXT)
        }, FLUX, 0, "vpc-0ab1${b}"),
    Case::new("references in the fallback of one of Flux", 40_000, |n| {
            files(CONFIG_MAP, &format!("  a: \"${{none:-{}}}\"\n", "${text} ".repeat(n)), TEXT)
        }, FLUX, 0, "vpc-0ab1 vpc-0ab1"),
    Case::new("setter comments of kpt", 30_000, |n| data(n, TEXT, "aN: old # kpt-set: ${text}"), KPT_SET, 0, "a0: vpc-0ab1 # kpt-set"),
    // As `terraform show -json` writes it.
    Case::new("outputs of a plan, all on one line", 10_000, |n| {
            let changes = object(n, r#""nameN": {"actions": ["update"], "before": "old-N", "after": "new-N", "before_sensitive": false, "after_sensitive": false}"#);
            let plan = format!("{{\"format_version\": \"1.2\", \"planned_values\": {{}}, \"output_changes\": {changes}}}");
            data(n, &plan, "aN: ${infra.nameN}")
        }, "diff --plan infra.json manifest.yaml", 1, "\"new-0\""),
    Case::new("text that repeats a long secret", 100_000, |n| {
            let secret = format!("{{\"secret\": {{\"sensitive\": true, \"value\": \"{}\"}}}}", "ab-".repeat(n / 10));
            files(CONFIG_MAP, &format!("  a: {}\n", "ab-".repeat(n)), &secret)
        }, ADOPT, 0, "sensitive"),
    Case::new("items of a List", 20_000, |n| {
            let item = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: aN}, data: {a: \"${infra.text}\"}}";
            files("apiVersion: v1\nkind: List\nitems:\n", &lines(n, item), TEXT)
        }, RENDER, 0, "data: {a: \"vpc-0ab1\"}"),
    Case::new("environment variables of a container", 20_000, |n| {
            let variables = lines(n, "  - {name: AN, value: \"${infra.text}\"}");
            files(POD, &format!("    env:\n{variables}"), TEXT)
        }, RENDER, 0, "value: \"vpc-0ab1\""),
    Case::new("lines of an annotation that is YAML", 20_000, |n| {
            let entries = lines(n, "    kN: ${infra.text}");
            files("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    a: |\n", &entries, TEXT)
        }, RENDER, 0, "k0: vpc-0ab1"),
    Case::new("lists that are spread", 20_000, |n| files(WIDGET, &format!("  a:\n{}", lines(n, "- ${infra.list | spread}")), LIST), RENDER, 0, "- b"),
    Case::new("items in one line that are left out", 20_000, |n| {
            files(WIDGET, &format!("  a: [{}1]\n", "${infra.none | default(omit)}, ".repeat(n)), TEXT)
        }, RENDER, 0, "a: [1]"),
    Case::new("near misses in a script of one line", 20_000, |n| {
            let script = "${text} $infra.text; ".repeat(n);
            files(POD, &format!("    command: [sh, -c, \"{script}\"]\n    image: ${{infra.text}}\n"), TEXT)
        }, RENDER, 0, "image: vpc-0ab1"),
    Case::new("members of an enum of which nothing fits", 40_000, |n| {
            let members = lines(n, "    - mN");
            vec![("contract.yaml", format!("apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    o:\n      pattern: '^x'\n      enum:\n{members}"))]
        }, "sample --contract contract.yaml", 1, "cannot make a sample value"),
    Case::new("outputs, exported", 20_000, |n| data(0, &outputs(n, "\"x\""), ""), "export public -b infra.json", 0, "output0"),
    Case::new("outputs, exported as variables", 20_000, |n| data(0, &outputs(n, "\"x\""), ""), "export dotenv --json -b infra.json", 0, "output0"),
    Case::new("outputs, of which a contract is written", 20_000, |n| data(0, &outputs(n, "\"x\""), ""), "outputs contract -b infra.json", 0, "output0"),
    Case::new("outputs in Terraform's JSON syntax", 20_000, |n| {
            vec![("main.tf.json", format!("{{\"output\": {}}}", object(n, "\"oN\": {\"value\": \"x\"}")))]
        }, "outputs contract --from-terraform .", 0, "o0: {type: string}"),
    ]
}

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n";
/// A resource of a kind without known fields.
const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n";
const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n";

/// Outputs of `terraform output -json`.
const TEXT: &str = r#"{"text": {"sensitive": false, "value": "vpc-0ab1"}}"#;
const LIST: &str = r#"{"list": {"sensitive": false, "value": ["a", "b"]}}"#;

/// Repeats a text, with the number in place of each `N`.
pub(super) fn repeat(n: usize, text: &str) -> String {
    (0..n)
        .map(|nth| text.replace('N', &nth.to_string()))
        .collect()
}

/// Repeats lines, indented by two.
fn lines(n: usize, text: &str) -> String {
    repeat(n, &format!("  {text}\n"))
}

/// Returns a JSON object.
fn object(n: usize, member: &str) -> String {
    let members = repeat(n, &format!("{member}, "));
    format!("{{{}}}", members.trim_end_matches(", "))
}

/// Returns n outputs with this value.
fn outputs(n: usize, json: &str) -> String {
    object(
        n,
        &format!("\"outputN\": {{\"sensitive\": false, \"value\": {json}}}"),
    )
}

/// Returns one output, an object with n keys.
fn keys(n: usize) -> String {
    let keys = object(n, "\"keyN\": \"x\"");
    format!("{{\"object\": {{\"sensitive\": false, \"value\": {keys}}}}}")
}

/// Returns a manifest of two parts, and the outputs.
fn files(header: &str, rest: &str, outputs: &str) -> Files {
    vec![
        ("manifest.yaml", format!("{header}{rest}")),
        ("infra.json", outputs.to_owned()),
    ]
}

/// Returns n lines of a ConfigMap.
fn data(n: usize, outputs: &str, line: &str) -> Files {
    files(CONFIG_MAP, &lines(n, line), outputs)
}

/// Returns n lines of a resource of a kind without known fields.
fn spec(n: usize, outputs: &str, line: &str) -> Files {
    files(WIDGET, &lines(n, line), outputs)
}

fn resources(n: usize, data: &str) -> String {
    let header =
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-N, labels: {app: web-N}}\n";
    repeat(n, &format!("{header}data:\n{data}"))
}

/// Returns a manifest with a Binding that has this in its `spec`, and outputs in this format.
pub(super) fn bound(manifest: &str, format: &str, spec: &str, outputs: &str) -> Files {
    let binding = format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: web}}\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}, format: {format}}}]\n{spec}"
    );
    let mut files = files("", manifest, outputs);
    files.push(("landfall.yaml", binding));
    files
}

/// Returns n field bindings, each with its target.
fn substitutions(manifest: &str, n: usize, target: &str) -> Files {
    let bindings = lines(
        n,
        &format!("- value: ${{infra.text}}\n    targets: [{target}]"),
    );
    bound(
        manifest,
        "terraform",
        &format!("  substitutions:\n{bindings}"),
        TEXT,
    )
}

/// Returns as many field bindings as resources.
fn field_bindings(n: usize, select: &str) -> Files {
    let target = format!("{{select: {select}, fieldPaths: [data.vpc], options: {{create: true}}}}");
    substitutions(&resources(n, "  a: b\n"), n, &target)
}

/// Returns resources and one field binding with field paths that they don't have.
fn field_paths(resource_count: usize, n: usize, options: &str) -> Files {
    let paths = repeat(n, "data.noneN, ");
    let target =
        format!("{{select: {{kind: ConfigMap}}, fieldPaths: [{paths}], options: {{{options}}}}}");
    substitutions(&resources(resource_count, "  a: b\n"), 1, &target)
}

/// Returns as many outputs, contract entries, and references.
fn contract(n: usize, value: &str) -> Files {
    let entries = lines(n, "    outputN: {type: string, pattern: \"[a-z]+\"}");
    let manifest = resources(1, &lines(n, "aN: ${infra.outputN}"));
    let spec = format!("  contract:\n    infra:\n{entries}");
    bound(&manifest, "terraform", &spec, &outputs(n, value))
}
