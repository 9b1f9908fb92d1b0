//! What the inputs are made of.

use std::fmt::Write as _;

/// The files of one input.
pub(super) struct Made {
    pub(super) manifest: String,
    pub(super) binding: Option<String>,
    pub(super) outputs: String,
}

/// One line for each of n, two columns in.
pub(super) fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, nth| {
        let _ = writeln!(text, "  {}", line(nth));
        text
    })
}

/// `text`
pub(super) fn text() -> String {
    object([("text".to_owned(), output("\"vpc-0ab1\""))])
}

/// `list`
pub(super) fn list() -> String {
    object([("list".to_owned(), output("[\"a\", \"b\"]"))])
}

/// `object`
pub(super) fn large_object(n: usize) -> String {
    let entries = object((0..n).map(|nth| (format!("key{nth}"), "\"x\"".to_owned())));
    object([("object".to_owned(), output(&entries))])
}

/// An output of `terraform output -json` with this value.
pub(super) fn output(json: &str) -> String {
    format!("{{\"sensitive\": false, \"value\": {json}}}")
}

/// A JSON object.
pub(super) fn object(entries: impl IntoIterator<Item = (String, String)>) -> String {
    let entries = entries.into_iter();
    let entries: Vec<_> = entries
        .map(|(key, json)| format!("\"{key}\": {json}"))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

pub(super) fn config_map(data: &str, outputs: String) -> Made {
    Made {
        manifest: format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n{data}"),
        binding: None,
        outputs,
    }
}

/// A resource of a kind with no known fields.
pub(super) fn widget(spec: &str, outputs: String) -> Made {
    Made {
        manifest: format!(
            "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n{spec}"
        ),
        binding: None,
        outputs,
    }
}

pub(super) fn resource(nth: usize, data: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-{nth}\n  labels:\n    app: web-{nth}\ndata:\n{data}"
    )
}

pub(super) fn resources(n: usize) -> String {
    (0..n).map(|nth| resource(nth, "  a: b\n")).collect()
}

pub(super) fn nested_aliases(n: usize) -> Made {
    let line = |nth: usize| match nth % 8 {
        0 => format!("k{nth}: &k{nth} {{x: ${{infra.text}}}}"),
        _ => format!("k{nth}: &k{nth} {{x: *k{}}}", nth - 1),
    };
    widget(&lines(n, line), text())
}

pub(super) fn wrong_references(n: usize) -> Made {
    config_map(&lines(n, |nth| format!("a{nth}: ${{infra.none}}")), text())
}

/// A manifest with a Binding that has this in its `spec`.
fn bound(manifest: String, spec: &str, outputs: String) -> Made {
    Made {
        manifest,
        binding: Some(format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: web}}\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}}}]\n{spec}"
        )),
        outputs,
    }
}

/// As many field bindings as resources.
pub(super) fn field_bindings(n: usize, select: fn(usize) -> String) -> Made {
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

/// One target with these paths.
pub(super) fn targets(manifest: &str, paths: &[String], options: &str) -> Made {
    let spec = format!(
        "  substitutions:\n  - value: ${{infra.text}}\n    targets:\n    - select: {{kind: ConfigMap}}\n      fieldPaths: [{}]\n      options: {{{options}}}\n",
        paths.join(", ")
    );
    bound(manifest.to_owned(), &spec, text())
}

pub(super) fn parts(n: usize) -> Made {
    let binding = |nth| {
        format!(
            "- value: ${{infra.text}}\n    targets:\n    - select: {{kind: ConfigMap}}\n      fieldPaths: [data.list]\n      options: {{delimiter: \",\", index: {nth}}}"
        )
    };
    let data = format!("  list: {}\n", vec!["a"; n].join(","));
    let spec = format!("  substitutions:\n{}", lines(n, binding));
    bound(resource(0, &data), &spec, text())
}

/// As many outputs, entries of their contract, and references.
pub(super) fn contract(n: usize, value: &str) -> Made {
    let entry = |nth| format!("    o{nth}: {{type: string, pattern: \"[a-z]+\"}}");
    let spec = format!("  contract:\n    infra:\n{}", lines(n, entry));
    let output = output(&format!("\"{value}\""));
    let outputs = object((0..n).map(|nth| (format!("o{nth}"), output.clone())));
    let data = lines(n, |nth| format!("a{nth}: ${{infra.o{nth}}}"));
    bound(resource(0, &data), &spec, outputs)
}

/// Items with the ids that kustomize and kpt give them.
pub(super) fn resource_list(n: usize) -> Made {
    let items: String = (0..n)
        .map(|nth| {
            format!(
                "- apiVersion: example.com/v1\n  kind: Widget\n  metadata:\n    name: web-{nth}\n    annotations:\n      config.k8s.io/id: '{nth}'\n      internal.config.kubernetes.io/id: '{nth}'\n  spec:\n    zones: ${{infra.list}}\n"
            )
        })
        .collect();
    Made {
        manifest: format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}"
        ),
        ..config_map("", list())
    }
}
