//! Builders for the inputs.

use std::fmt::Write as _;

/// The files of one input.
pub(super) struct InputFiles {
    pub(super) manifest: String,
    pub(super) binding: Option<String>,
    pub(super) outputs: String,
}

/// Returns one line for each of n, indented by two.
pub(super) fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, nth| {
        let _ = writeln!(text, "  {}", line(nth));
        text
    })
}

/// Returns an outputs document with `text`.
pub(super) fn text() -> String {
    object([("text".to_owned(), output("\"vpc-0ab1\""))])
}

/// Returns an outputs document with `list`.
pub(super) fn list() -> String {
    object([("list".to_owned(), output("[\"a\", \"b\"]"))])
}

/// Returns an outputs document with `object`, which has n keys.
pub(super) fn large_object(n: usize) -> String {
    let entries = object((0..n).map(|nth| (format!("key{nth}"), "\"x\"".to_owned())));
    object([("object".to_owned(), output(&entries))])
}

/// Returns an output of `terraform output -json` with this value.
pub(super) fn output(json: &str) -> String {
    format!("{{\"sensitive\": false, \"value\": {json}}}")
}

/// Returns a plan that changes n outputs, as `terraform show -json` writes it: one line.
pub(super) fn plan(n: usize) -> InputFiles {
    let change = |nth: usize| {
        let change = format!(
            "{{\"actions\": [\"update\"], \"before\": \"old-{nth}\", \"after\": \"new-{nth}\", \"before_sensitive\": false, \"after_sensitive\": false}}"
        );
        (format!("name{nth}"), change)
    };
    let plan = [
        ("format_version", "\"1.2\"".to_owned()),
        ("planned_values", "{}".to_owned()),
        ("output_changes", object((0..n).map(change))),
    ];
    config_map(
        &lines(n, |nth| format!("a{nth}: ${{infra.name{nth}}}")),
        object(plan.map(|(key, json)| (key.to_owned(), json))),
    )
}

/// Returns a JSON object.
pub(super) fn object(entries: impl IntoIterator<Item = (String, String)>) -> String {
    let entries = entries.into_iter();
    let entries: Vec<_> = entries
        .map(|(key, json)| format!("\"{key}\": {json}"))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

pub(super) fn config_map(data: &str, outputs: String) -> InputFiles {
    let header = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n";
    manifest(header, data, outputs)
}

/// Returns a manifest of two parts.
pub(super) fn manifest(header: &str, rest: &str, outputs: String) -> InputFiles {
    InputFiles {
        manifest: format!("{header}{rest}"),
        binding: None,
        outputs,
    }
}

/// Returns a resource of a kind without known fields.
pub(super) fn widget(spec: &str, outputs: String) -> InputFiles {
    let header = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n";
    manifest(header, spec, outputs)
}

pub(super) fn resource(nth: usize, data: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-{nth}\n  labels:\n    app: web-{nth}\ndata:\n{data}"
    )
}

pub(super) fn resources(n: usize) -> String {
    (0..n).map(|nth| resource(nth, "  a: b\n")).collect()
}

pub(super) fn nested_aliases(n: usize) -> InputFiles {
    let line = |nth: usize| match nth % 8 {
        0 => format!("k{nth}: &k{nth} {{x: ${{infra.text}}}}"),
        _ => format!("k{nth}: &k{nth} {{x: *k{}}}", nth - 1),
    };
    widget(&lines(n, line), text())
}

pub(super) fn wrong_references(n: usize) -> InputFiles {
    config_map(&lines(n, |nth| format!("a{nth}: ${{infra.none}}")), text())
}

/// Returns a manifest with a Binding that has this in its `spec`.
fn bound(manifest: String, spec: &str, outputs: String) -> InputFiles {
    InputFiles {
        manifest,
        binding: Some(format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: web}}\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}}}]\n{spec}"
        )),
        outputs,
    }
}

/// Returns as many field bindings as resources.
pub(super) fn field_bindings(n: usize, select: fn(usize) -> String) -> InputFiles {
    let binding = |nth| {
        format!(
            "- value: ${{infra.text}}\n    targets:\n    - select: {}\n      fieldPaths: [data.vpc]\n      options: {{create: true}}",
            select(nth)
        )
    };
    let spec = format!("  substitutions:\n{}", lines(n, binding));
    bound(resources(n), &spec, text())
}

pub(super) fn paths(n: usize) -> Vec<String> {
    (0..n).map(|nth| format!("data.none{nth}")).collect()
}

/// Returns one target with these paths.
pub(super) fn targets(manifest: &str, paths: &[String], options: &str) -> InputFiles {
    let spec = format!(
        "  substitutions:\n  - value: ${{infra.text}}\n    targets:\n    - select: {{kind: ConfigMap}}\n      fieldPaths: [{}]\n      options: {{{options}}}\n",
        paths.join(", ")
    );
    bound(manifest.to_owned(), &spec, text())
}

pub(super) fn parts(n: usize) -> InputFiles {
    let binding = |nth| {
        format!(
            "- value: ${{infra.text}}\n    targets:\n    - select: {{kind: ConfigMap}}\n      fieldPaths: [data.list]\n      options: {{delimiter: \",\", index: {nth}}}"
        )
    };
    let data = format!("  list: {}\n", vec!["a"; n].join(","));
    let spec = format!("  substitutions:\n{}", lines(n, binding));
    bound(resource(0, &data), &spec, text())
}

/// Returns as many outputs, contract entries, and references.
pub(super) fn contract(n: usize, value: &str) -> InputFiles {
    let entry = |nth| format!("    o{nth}: {{type: string, pattern: \"[a-z]+\"}}");
    let spec = format!("  contract:\n    infra:\n{}", lines(n, entry));
    let output = output(&format!("\"{value}\""));
    let outputs = object((0..n).map(|nth| (format!("o{nth}"), output.clone())));
    let data = lines(n, |nth| format!("a{nth}: ${{infra.o{nth}}}"));
    bound(resource(0, &data), &spec, outputs)
}

/// Returns items with the ids that kustomize and kpt add.
pub(super) fn resource_list(n: usize) -> InputFiles {
    let items: String = (0..n)
        .map(|nth| {
            format!(
                "- apiVersion: example.com/v1\n  kind: Widget\n  metadata:\n    name: web-{nth}\n    annotations:\n      config.k8s.io/id: '{nth}'\n      internal.config.kubernetes.io/id: '{nth}'\n  spec:\n    zones: ${{infra.list}}\n"
            )
        })
        .collect();
    InputFiles {
        manifest: format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}"
        ),
        ..config_map("", list())
    }
}
