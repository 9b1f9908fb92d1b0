//! The kinds of input for which time is compared with size.

use super::{Case, Files};

const RENDER: &str = "render manifest.yaml -b infra.json";
const FLUX: &str = "render --dialect flux manifest.yaml -b infra.json";
const KPT_SET: &str = "render --dialect kpt-set manifest.yaml -b infra.json";
const CHECK: &str = "check manifest.yaml -b infra.json";
const ADOPT: &str = "adopt manifest.yaml -b infra.json";
/// The same with a Binding.
const RENDER_BOUND: &str = "render manifest.yaml";
const CHECK_BOUND: &str = "check manifest.yaml";

/// Returns all cases, in the order of the table. Sizes are chosen so that a run takes a tenth
/// of a second, compared with which starting the command is negligible.
#[rustfmt::skip]
pub(super) fn all() -> Vec<Case> {
    vec![
    Case::new("anchors, each with an alias", 40_000, |n| data(n, TEXT, |i| format!("a{i}: &a{i} ${{infra.text}}\n  b{i}: *a{i}")),
        RENDER, 0, "a0: &a0 vpc-0ab1"),
    Case::new("aliases inside aliases, 8 deep", 40_000, |n| spec(n, TEXT, |i| match i % 8 {
            0 => format!("k{i}: &k{i} {{x: ${{infra.text}}}}"),
            _ => format!("k{i}: &k{i} {{x: *k{}}}", i - 1),
        }), RENDER, 0, "{x: *k0}"),
    Case::new("mappings merged into others", 20_000, |n| spec(n, TEXT, |i| format!("a{i}: &a{i} {{x: ${{infra.text}}}}\n  b{i}: {{<<: *a{i}, y: 1}}")),
        RENDER, 0, "{x: vpc-0ab1}"),
    Case::new("values under one long key", 8_000, |n| {
            let values = lines(n, |i| format!("  a{i}: ${{infra.text}}"));
            files(WIDGET, &format!("  ? {}\n  :\n{values}", "k".repeat(80 * n)), TEXT)
        }, RENDER, 0, "a0: vpc-0ab1"),
    Case::new("wrong references", 40_000, |n| data(n, TEXT, |i| format!("a{i}: ${{infra.none}}")),
        CHECK, 1, "unknown-output"),
    Case::new("wrong references, as SARIF", 40_000, |n| data(n, TEXT, |i| format!("a{i}: ${{infra.none}}")),
        "check -o sarif manifest.yaml -b infra.json", 1, "unknown-output"),
    Case::new("unknown outputs among as many outputs", 8_000, |n| data(n, &outputs(n, "1"), |i| format!("a{i}: ${{infra.none{i}}}")),
        CHECK, 1, "unknown-output"),
    Case::new("values that as many outputs have", 8_000, |n| data(n, &outputs(n, "\"vpc-0ab1\""), |i| format!("a{i}: vpc-0ab1")),
        ADOPT, 0, "output0"),
    Case::new("wrong references on one line", 80_000, |n| files(CONFIG_MAP, &format!("  a: {}\n", "${infra.none} ".repeat(n)), TEXT),
        CHECK, 1, "unknown-output"),
    Case::new("references that nothing answers", 40_000, |n| data(n, TEXT, |i| format!("a{i}: ${{other.name{i}}}")),
        CHECK, 0, "unbound-reference"),
    Case::new("wrong names of 190 letters", 20_000, |n| {
            let long = object((0..50).map(|i| (format!("{}{i}", "a".repeat(188)), output("\"x\""))));
            data(n, &long, |i| format!("a{i}: ${{infra.{}{i}}}", "a".repeat(185)))
        }, CHECK, 1, "did you mean"),
    Case::new("missing keys of an object with as many", 20_000, |n| data(n, &keys(n), |i| format!("a{i}: ${{infra.object.none{i}}}")),
        CHECK, 1, "unknown-key"),
    Case::new("keys of an object with as many", 20_000, |n| data(n, &keys(n), |i| format!("a{i}: ${{infra.object.key{i}}}")),
        RENDER, 0, "a0: x"),
    Case::new("lists concatenated in one reference", 40_000, |n| {
            let calls = " | concat(infra.list)".repeat(n);
            files(CONFIG_MAP, &format!("  a: ${{infra.list{calls} | length}}\n"), LIST)
        }, RENDER, 0, "a: \""),
    Case::new("substitutions, explained", 20_000, |n| data(n, TEXT, |i| format!("a{i}: ${{infra.text}}")),
        "explain -o json manifest.yaml -b infra.json", 0, "infra.text"),
    Case::new("field bindings, each with its resource", 8_000, |n| field_bindings(n, |i| format!("{{kind: ConfigMap, name: web-{i}}}")),
        RENDER_BOUND, 0, "vpc: vpc-0ab1"),
    Case::new("field bindings with label selectors, each with its resource", 8_000,
        |n| field_bindings(n, |i| format!("{{kind: ConfigMap, name: web-{i}, labelSelector: app=web-{i}}}")),
        RENDER_BOUND, 0, "vpc: vpc-0ab1"),
    Case::new("missing field paths of 20 resources", 8_000, |n| field_paths(20, n, ""), CHECK_BOUND, 1, "target-not-found"),
    Case::new("resources with 20 missing field paths", 8_000, |n| field_paths(n, 20, ""), CHECK_BOUND, 1, "target-not-found"),
    Case::new("fields created in one resource", 10_000, |n| field_paths(1, n, "create: true"), RENDER_BOUND, 0, "none0: vpc-0ab1"),
    Case::new("field bindings to parts of one text", 8_000, |n| {
            let list = format!("  list: {}\n", vec!["a"; n].join(","));
            substitutions(&resource(0, &list), n, |i| target("{kind: ConfigMap}", "data.list", &format!("delimiter: \",\", index: {i}")))
        }, RENDER_BOUND, 0, "list: vpc-0ab1,vpc-0ab1"),
    Case::new("entries of the contract", 10_000, |n| contract(n, "\"x\""), RENDER_BOUND, 0, "a0: x"),
    Case::new("entries of the contract, all violated", 10_000, |n| contract(n, "\"1\""), CHECK_BOUND, 1, "contract-violation"),
    Case::new("setter comments", 30_000, |n| data(n, TEXT, |i| format!("a{i}: old # landfall: ${{infra.text}}")),
        RENDER, 0, "a0: vpc-0ab1 # landfall"),
    Case::new("lines of one embedded document", 30_000, |n| {
            files(CONFIG_MAP, &format!("  app.yaml: |\n{}", lines(n, |i| format!("  a{i}: ${{infra.text}}"))), TEXT)
        }, RENDER, 0, "a0: vpc-0ab1"),
    // With the ids that kustomize and kpt add.
    Case::new("items of a ResourceList that get lists", 8_000, |n| {
            let item = |i| format!("- apiVersion: example.com/v1\n    kind: Widget\n    metadata: {{name: web-{i}, annotations: {{config.k8s.io/id: '{i}', internal.config.kubernetes.io/id: '{i}'}}}}\n    spec:\n      zones: ${{infra.list}}");
            files("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n", &lines(n, item), LIST)
        }, "krm -b infra.json < manifest.yaml", 0, "- a"),
    Case::new("documents", 20_000, |n| files("", &(0..n).map(|i| resource(i, "  a: ${infra.text}\n")).collect::<String>(), TEXT),
        RENDER, 0, "a: vpc-0ab1"),
    Case::new("references in flow collections", 40_000, |n| files(WIDGET, &format!("  a: [{}]\n", "{x: \"${infra.text}\"}, ".repeat(n)), TEXT),
        RENDER, 0, "{x: \"vpc-0ab1\"}"),
    Case::new("lines of one plain scalar, and of one in quotes", 80_000, |n| {
            let words = "    words ${infra.text}\n".repeat(n);
            files(CONFIG_MAP, &format!("  a:\n{words}  b: \"\n{words}    \"\n"), TEXT)
        }, RENDER, 0, "    words vpc-0ab1"),
    Case::new("escapes in one scalar", 200_000, |n| files(CONFIG_MAP, &format!("  a: \"{}${{infra.text}}\"\n", "\\t\\x41".repeat(n)), TEXT),
        RENDER, 0, "\\x41vpc-0ab1\""),
    Case::new("comments between entries", 80_000, |n| data(n, TEXT, |i| format!("# {i}\n\n  a{i}: ${{infra.text}}")),
        RENDER, 0, "a0: vpc-0ab1"),
    Case::new("references and escapes of Flux in one line of a block scalar", 40_000, |n| {
            files(CONFIG_MAP, &format!("  a: |\n    {}\n", "${text}$${b}".repeat(n)), TEXT)
        }, FLUX, 0, "vpc-0ab1${b}"),
    Case::new("references in the fallback of one of Flux", 40_000, |n| {
            files(CONFIG_MAP, &format!("  a: \"${{none:-{}}}\"\n", "${text} ".repeat(n)), TEXT)
        }, FLUX, 0, "vpc-0ab1 vpc-0ab1"),
    Case::new("setter comments of kpt", 30_000, |n| data(n, TEXT, |i| format!("a{i}: old # kpt-set: ${{text}}")),
        KPT_SET, 0, "a0: vpc-0ab1 # kpt-set"),
    // As `terraform show -json` writes it.
    Case::new("outputs of a plan, all on one line", 10_000, |n| {
            let changes = object((0..n).map(|i| (format!("name{i}"), format!("{{\"actions\": [\"update\"], \"before\": \"old-{i}\", \"after\": \"new-{i}\", \"before_sensitive\": false, \"after_sensitive\": false}}"))));
            let plan = format!("{{\"format_version\": \"1.2\", \"planned_values\": {{}}, \"output_changes\": {changes}}}");
            data(n, &plan, |i| format!("a{i}: ${{infra.name{i}}}"))
        }, "diff --plan infra.json manifest.yaml", 1, "\"new-0\""),
    Case::new("text that repeats a long secret", 100_000, |n| {
            let secret = format!("{{\"secret\": {{\"sensitive\": true, \"value\": \"{}\"}}}}", "ab-".repeat(n / 10));
            files(CONFIG_MAP, &format!("  a: {}\n", "ab-".repeat(n)), &secret)
        }, ADOPT, 0, "sensitive"),
    Case::new("items of a List", 20_000, |n| {
            let item = |i| format!("- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{i}}}, data: {{a: \"${{infra.text}}\"}}}}");
            files("apiVersion: v1\nkind: List\nitems:\n", &lines(n, item), TEXT)
        }, RENDER, 0, "data: {a: \"vpc-0ab1\"}"),
    Case::new("environment variables of a container", 20_000, |n| {
            let variables = lines(n, |i| format!("  - {{name: A{i}, value: \"${{infra.text}}\"}}"));
            files(POD, &format!("    env:\n{variables}"), TEXT)
        }, RENDER, 0, "value: \"vpc-0ab1\""),
    Case::new("lines of an annotation that is YAML", 20_000, |n| {
            let entries = lines(n, |i| format!("    k{i}: ${{infra.text}}"));
            files("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    a: |\n", &entries, TEXT)
        }, RENDER, 0, "k0: vpc-0ab1"),
    Case::new("lists that are spread", 20_000, |n| files(WIDGET, &format!("  a:\n{}", lines(n, |_| "- ${infra.list | spread}".to_owned())), LIST),
        RENDER, 0, "- b"),
    Case::new("items in one line that are left out", 20_000, |n| {
            files(WIDGET, &format!("  a: [{}1]\n", "${infra.none | default(omit)}, ".repeat(n)), TEXT)
        }, RENDER, 0, "a: [1]"),
    Case::new("near misses in a script of one line", 20_000, |n| {
            let script = "${text} $infra.text; ".repeat(n);
            files(POD, &format!("    command: [sh, -c, \"{script}\"]\n    image: ${{infra.text}}\n"), TEXT)
        }, RENDER, 0, "image: vpc-0ab1"),
    Case::new("members of an enum of which nothing fits", 40_000, |n| {
            let members = lines(n, |i| format!("    - m{i}"));
            vec![("contract.yaml", format!("apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    o:\n      pattern: '^x'\n      enum:\n{members}"))]
        }, "sample --contract contract.yaml", 1, "cannot make a sample value"),
    Case::new("outputs, exported", 20_000, |n| data(0, &outputs(n, "\"x\""), |_| String::new()),
        "export public -b infra.json", 0, "output0"),
    Case::new("outputs, exported as variables", 20_000, |n| data(0, &outputs(n, "\"x\""), |_| String::new()),
        "export dotenv --json -b infra.json", 0, "output0"),
    Case::new("outputs, of which a contract is written", 20_000, |n| data(0, &outputs(n, "\"x\""), |_| String::new()),
        "outputs contract -b infra.json", 0, "output0"),
    Case::new("outputs in Terraform's JSON syntax", 20_000, |n| {
            let outputs = object((0..n).map(|i| (format!("o{i}"), "{\"value\": \"x\"}".to_owned())));
            vec![("main.tf.json", format!("{{\"output\": {outputs}}}"))]
        }, "outputs contract --from-terraform .", 0, "o0: {type: string}"),
    ]
}

/// The documents before what varies.
const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n";
/// A resource of a kind without known fields.
const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n";
const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n";

/// Outputs of `terraform output -json`.
const TEXT: &str = "{\"text\": {\"sensitive\": false, \"value\": \"vpc-0ab1\"}}";
const LIST: &str = "{\"list\": {\"sensitive\": false, \"value\": [\"a\", \"b\"]}}";

/// Returns one line for each of n, indented by two.
pub(super) fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|nth| format!("  {}\n", line(nth))).collect()
}

/// Returns a manifest of two parts, and the outputs.
fn files(header: &str, rest: &str, outputs: &str) -> Files {
    vec![
        ("manifest.yaml", format!("{header}{rest}")),
        ("infra.json", outputs.to_owned()),
    ]
}

/// Returns n lines of a ConfigMap.
fn data(n: usize, outputs: &str, line: impl Fn(usize) -> String) -> Files {
    files(CONFIG_MAP, &lines(n, line), outputs)
}

/// Returns n lines of a resource of a kind without known fields.
fn spec(n: usize, outputs: &str, line: impl Fn(usize) -> String) -> Files {
    files(WIDGET, &lines(n, line), outputs)
}

/// Returns a JSON object.
fn object(entries: impl Iterator<Item = (String, String)>) -> String {
    let entries: Vec<_> = entries
        .map(|(key, json)| format!("\"{key}\": {json}"))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

fn output(json: &str) -> String {
    format!("{{\"sensitive\": false, \"value\": {json}}}")
}

/// Returns n outputs with this value.
fn outputs(n: usize, json: &str) -> String {
    object((0..n).map(|nth| (format!("output{nth}"), output(json))))
}

/// Returns one output, an object with n keys.
fn keys(n: usize) -> String {
    let entries = object((0..n).map(|nth| (format!("key{nth}"), "\"x\"".to_owned())));
    object([("object".to_owned(), output(&entries))].into_iter())
}

fn resource(nth: usize, data: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-{nth}\n  labels:\n    app: web-{nth}\ndata:\n{data}"
    )
}

fn resources(n: usize) -> String {
    (0..n).map(|nth| resource(nth, "  a: b\n")).collect()
}

/// Returns a manifest with a Binding that has this in its `spec`.
fn bound(manifest: &str, spec: &str, outputs: &str) -> Files {
    let mut files = files("", manifest, outputs);
    files.push(("landfall.yaml", format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: web}}\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}}}]\n{spec}"
    )));
    files
}

/// Returns a target of a field binding.
fn target(select: &str, paths: &str, options: &str) -> String {
    format!("{{select: {select}, fieldPaths: [{paths}], options: {{{options}}}}}")
}

/// Returns n field bindings, each with its target.
fn substitutions(manifest: &str, n: usize, target: impl Fn(usize) -> String) -> Files {
    let binding = |nth| format!("- value: ${{infra.text}}\n    targets: [{}]", target(nth));
    let spec = format!("  substitutions:\n{}", lines(n, binding));
    bound(manifest, &spec, TEXT)
}

/// Returns as many field bindings as resources.
fn field_bindings(n: usize, select: fn(usize) -> String) -> Files {
    let target = |nth| target(&select(nth), "data.vpc", "create: true");
    substitutions(&resources(n), n, target)
}

/// Returns resources and one field binding with field paths that they don't have.
fn field_paths(resource_count: usize, n: usize, options: &str) -> Files {
    let paths: Vec<_> = (0..n).map(|nth| format!("data.none{nth}")).collect();
    let target = |_| target("{kind: ConfigMap}", &paths.join(", "), options);
    substitutions(&resources(resource_count), 1, target)
}

/// Returns as many outputs, contract entries, and references.
fn contract(n: usize, value: &str) -> Files {
    let entry = |nth| format!("    output{nth}: {{type: string, pattern: \"[a-z]+\"}}");
    let spec = format!("  contract:\n    infra:\n{}", lines(n, entry));
    let data = lines(n, |nth| format!("a{nth}: ${{infra.output{nth}}}"));
    bound(&resource(0, &data), &spec, &outputs(n, value))
}
