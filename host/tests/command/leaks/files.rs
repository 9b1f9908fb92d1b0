//! The files of one case: an outputs document, and everything that asks for its values.

use serde_json::{Value as Json, json};

use super::documents::Document;
use super::traces::Traces;
use super::values::Canaries;
use crate::run::TestFolder;

/// References that nothing but a Secret may answer, whatever the value is.
const REFERENCES: &[&str] = &[
    "@",
    "@ | json",
    "@ | base64",
    "@ | number",
    "@ | upper",
    "@ | sha256",
    "@ | split(\"-\") | at(9)",
    "@ | cidr_host(1)",
    "@ | default(\"x\")",
    "@.nosuch",
    "@[7]",
    "@[*].nosuch",
];

/// References that fail in a Secret, for every or almost every value.
const MISTAKES: &[&str] = &[
    "@ | number",
    "@ | bool",
    "@ | split(\"-\") | at(9)",
    "@ | cidr_host(1)",
    "@ | base64_decode",
    "@ | keys | at(9)",
    "@.nosuch",
    "@[7]",
    "@[*].nosuch",
    "@ | nosuch",
    "@ | substring(\"a\")",
];

/// Contracts that every value violates.
const CONTRACTS: &[(&str, &str)] = &[
    ("type", "type: bool, sensitive: false"),
    (
        "text",
        "type: string, pattern: \"^never$\", minLength: 99999",
    ),
    ("enum", "enum: [never]"),
    ("number", "type: number, min: 1, max: 2"),
    ("object", "type: object, minLength: 9"),
];

/// What to search for in the output of commands, and the first sensitive output.
pub(crate) struct Case {
    pub(crate) values: Traces,
    /// The keys of sensitive objects.
    pub(crate) keys: Traces,
    pub(crate) first: String,
}

/// Returns a Binding with the document at a path.
fn binding(document: &Document, path: &str, more: &str) -> String {
    binding_in(document.format.as_deref(), document.is_declared, path, more)
}

fn binding_in(format: Option<&str>, is_declared: bool, path: &str, more: &str) -> String {
    let mut outputs = format!("{{name: infra, from: {{file: {path}}}");
    if let Some(format) = format {
        outputs.push_str(&format!(", format: {format}"));
    }
    if is_declared {
        outputs.push_str(", sensitive: true");
    }
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: a}}\nspec:\n  policy: {{empty: allow}}\n  outputs:\n  - {outputs}}}\n{more}"
    )
}

/// Returns a manifest with lines of data.
fn manifest(kind: &str, name: &str, lines: impl IntoIterator<Item = String>) -> String {
    let field = if kind == "Secret" {
        "stringData"
    } else {
        "data"
    };
    let lines: String = lines
        .into_iter()
        .enumerate()
        .map(|(nth, line)| format!("  k{nth}: {line}\n"))
        .collect();
    format!("apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n{field}:\n{lines}")
}

/// Writes a document, and the Bindings of it that most commands use.
pub(crate) fn write_document(
    folder: &TestFolder,
    content: &[u8],
    format: Option<&str>,
    is_declared: bool,
) {
    folder.write("infra.doc", content);
    for (path, file) in [
        ("binding.yaml", "infra.doc"),
        ("application/landfall.yaml", "../infra.doc"),
    ] {
        folder.write(path, binding_in(format, is_declared, file, ""));
    }
    // The root, which contains the files of all applications.
    folder.write(".git/HEAD", "");
}

/// Returns the values of outputs as JSON, as a Secret gets them.
fn values(folder: &TestFolder, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let one = |name: &String| manifest("Secret", "a", [format!("'${{infra[\"{name}\"] | json}}'")]);
    let manifests: Vec<_> = names.iter().map(one).collect();
    folder.write("values.yaml", manifests.join("---\n"));
    let run = folder.run(&["render", "values.yaml", "-c", "binding.yaml", "-q"]);
    let rendered = run.expect_stdout();
    let value = |manifest: &str| {
        let (_, json) = manifest.split_once("k0: '").unwrap();
        json.trim_end().trim_end_matches('\'').replace("''", "'")
    };
    rendered.split("---\n").map(value).collect()
}

/// Adds the strings and the numbers of a value, and its keys.
fn trace(value: &Json, values: &mut Traces, keys: &mut Traces) {
    match value {
        Json::String(text) => values.add(text),
        Json::Number(number) => values.add(&number.to_string()),
        Json::Array(items) => items.iter().for_each(|item| trace(item, values, keys)),
        Json::Object(members) => {
            for (key, value) in members {
                keys.add(key);
                trace(value, values, keys);
            }
        }
        _ => {}
    }
}

/// Calls `each` on every scalar in a value that is a list or an object.
fn scalars(value: &Json, each: &mut dyn FnMut(&Json)) {
    let items: Vec<_> = match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    for item in items {
        match item {
            Json::Array(_) | Json::Object(_) => scalars(item, each),
            _ => each(item),
        }
    }
}

/// Returns outputs in Terraform's format, all of them sensitive.
fn terraform(outputs: &[(&String, Json)]) -> String {
    let output = |(name, value): &(&String, Json)| {
        let output = json!({"sensitive": true, "type": "dynamic", "value": value});
        ((*name).clone(), output)
    };
    Json::Object(outputs.iter().map(output).collect()).to_string()
}

/// Writes all files of a case. Returns `None` if all sensitive values are too short to be
/// searched for.
pub(crate) fn write(folder: &TestFolder, document: &Document) -> Option<Case> {
    let format = document.format.as_deref();
    write_document(folder, &document.content, format, document.is_declared);
    let mut canaries = Canaries::new(6_000);
    let names = &document.sensitive;
    let parse = |json: &String| serde_json::from_str::<Json>(json).unwrap();
    assert!(!names.is_empty(), "{}", document.name);
    let new: Vec<Json> = match &document.values {
        Some(values) => values.clone(),
        None => values(folder, names).iter().map(parse).collect(),
    };
    // The same outputs before a change: other values of the same types.
    let mut other = |value: &Json| match value {
        Json::Array(_) => json!([canaries.token(), canaries.token()]),
        Json::Object(_) => json!({"host": canaries.token(), canaries.key(): canaries.token()}),
        _ => json!(canaries.token()),
    };
    let old: Vec<Json> = new.iter().map(&mut other).collect();

    // Random values have no part that also occurs elsewhere, as `https://` does. Of real
    // values, only the whole is searched for.
    let length = match document.canaries {
        Some(_) => 8,
        None => usize::MAX,
    };
    let (mut values_shown, mut keys_shown) = (Traces::new(length), Traces::new(length));
    match &document.canaries {
        None => new
            .iter()
            // The keys of real objects are words.
            .for_each(|value| trace(value, &mut values_shown, &mut Traces::new(length))),
        Some(canaries) => {
            canaries
                .tokens
                .iter()
                .for_each(|token| values_shown.add(token));
            canaries.keys.iter().for_each(|key| keys_shown.add(key));
        }
    }
    // Nothing to search for.
    if values_shown.is_empty() {
        return None;
    }
    for value in &old {
        trace(value, &mut values_shown, &mut keys_shown);
    }
    let mut public = names.join("\n");
    for value in values(folder, &document.public) {
        public.push_str(&value);
    }
    let mut write = |path: &str, content: String| {
        folder.write(path, &content);
        public.push_str(&content);
    };
    write("binding.yaml", binding(document, "infra.doc", ""));

    let reference = |name: &String, reference: &str| {
        let path = format!("infra[\"{name}\"]");
        format!("'${{{}}}'", reference.replace('@', &path))
    };
    let all = |references: &[&str]| -> Vec<String> {
        let of = |name| references.iter().map(move |one| reference(name, one));
        names.iter().flat_map(of).collect()
    };
    let secrets = manifest("Secret", "a", all(&["@ | json", "@ | json | base64"]));
    let refused = manifest("ConfigMap", "a", all(REFERENCES));
    write("secrets.yaml", secrets.clone());
    write("config-map.yaml", refused.clone());
    write("mistakes.yaml", manifest("Secret", "a", all(MISTAKES)));
    let unknown = ["@", "@ | json"].map(|one| one.replace('@', "infra.nosuch"));
    let almost = names
        .iter()
        .map(|name| format!("'${{infra[\"{name}x\"]}}'"));
    let unknown = unknown
        .map(|one| format!("'${{{one}}}'"))
        .into_iter()
        .chain(almost);
    let unknown: Vec<_> = unknown.chain(["'${network.vpc_id}'".to_owned()]).collect();
    write(
        "unknown.yaml",
        manifest("ConfigMap", "a", unknown.clone()) + "---\n" + &manifest("Secret", "b", unknown),
    );
    // Keys, names and kinds are never secret.
    let first = reference(&names[0], "@").replace('\'', "");
    write(
        "keys.yaml",
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: '{first}', labels: {{a: '{first}'}}}}\nstringData:\n  '{first}': x\n---\napiVersion: v1\nkind: '{first}'\n---\nkind: ConfigMap\napiVersion: v1\ndata:\n  values.yaml: |\n    a: {first}\n  app.json: '{{\"a\": \"{}\"}}'\n",
            first.replace('"', "'")
        ),
    );

    let item = |manifest: &str| format!("- {}", manifest.trim_end().replace('\n', "\n  "));
    let list = |items: &str| {
        format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}\nfunctionConfig:\n  {}\n",
            binding(document, "infra.doc", "")
                .trim_end()
                .replace('\n', "\n  ")
        )
    };
    write("list.yaml", list(&item(&secrets)));
    write("refused-list.yaml", list(&item(&refused)));

    let substitutions = |kind: &str, field: &str| {
        let one = |(nth, name): (usize, &String)| {
            let value = reference(name, "@ | json");
            format!(
                "  - value: {value}\n    targets: [{{select: {{kind: {kind}}}, fieldPaths: [{field}.k{nth}]}}]\n"
            )
        };
        let all: String = names.iter().enumerate().map(one).collect();
        binding(
            document,
            "../infra.doc",
            &format!("  substitutions:\n{all}"),
        )
    };
    let placeholders = || names.iter().map(|_| "x".to_owned());
    write(
        "fields/landfall.yaml",
        substitutions("Secret", "stringData"),
    );
    write("fields/a.yaml", manifest("Secret", "a", placeholders()));
    write(
        "refused-fields/landfall.yaml",
        substitutions("ConfigMap", "data"),
    );
    write(
        "refused-fields/a.yaml",
        manifest("ConfigMap", "a", placeholders()),
    );

    write(
        "application/landfall.yaml",
        binding(document, "../infra.doc", ""),
    );
    write("application/secrets.yaml", secrets);
    write("operator.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec:\n  sensitive: {kinds: [Secret]}\n".to_owned());

    for (what, rules) in CONTRACTS {
        let rules = |indentation: &str| -> String {
            let line = |name: &String| format!("{indentation}\"{name}\": {{{rules}}}\n");
            names.iter().map(line).collect()
        };
        let contract = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n{}",
            rules("    ")
        );
        write(&format!("contract-{what}.yaml"), contract);
        let with_contract = binding(document, "infra.doc", "")
            + &format!("  contract:\n    infra:\n{}", rules("      "));
        write(&format!("binding-{what}.yaml"), with_contract);
    }
    let code = |name: &String| {
        format!("output \"{name}\" {{\n  value     = module.a.b\n  sensitive = true\n}}\n")
    };
    write("terraform/main.tf", names.iter().map(code).collect());

    // From here on, files have values.
    let zip =
        |values: &[Json]| terraform(&names.iter().zip(values.iter().cloned()).collect::<Vec<_>>());
    folder.write("old.json", zip(&old));
    folder.write("new.json", zip(&new));
    let change = |((name, old), new): ((&String, &Json), &Json)| {
        let change = json!({
            "actions": ["update"], "before": old, "after": new, "after_unknown": false,
            "before_sensitive": true, "after_sensitive": true,
        });
        (name.clone(), change)
    };
    let changes: serde_json::Map<_, _> = names.iter().zip(&old).zip(&new).map(change).collect();
    let plan = json!({"format_version": "1.2", "planned_values": {}, "output_changes": changes});
    folder.write("plan.json", plan.to_string());

    // Written by hand: the current value, or the previous one with the reference that
    // replaces it. A value that reads as a reference would be one.
    let literal: Vec<_> = names.iter().zip(&old).zip(&new).collect();
    let literal: Vec<_> = literal
        .into_iter()
        .filter(|(_, new)| !new.to_string().contains("${"))
        .collect();
    let quoted = |value: &Json| match value {
        Json::String(_) => value.to_string(),
        _ => Json::from(value.to_string()).to_string(),
    };
    let setter = |((name, old), _): &((&String, &Json), &Json)| {
        let reference = reference(name, "@ | json").replace('\'', "");
        format!("{}  # landfall: {reference}", quoted(old))
    };
    let setters: Vec<_> = literal.iter().map(setter).collect();
    folder.write("setters.yaml", manifest("Secret", "a", setters.clone()));
    folder.write("refused-setters.yaml", manifest("ConfigMap", "a", setters));
    let mut literals = Vec::new();
    for (_, value) in &literal {
        literals.push(quoted(value));
        // Not its keys.
        scalars(value, &mut |scalar| literals.push(scalar.to_string()));
    }
    folder.write(
        "hard-coded.yaml",
        manifest("Secret", "a", literals.clone()) + "---\n" + &manifest("ConfigMap", "b", literals),
    );
    // Mistakes between values that were written by hand.
    let mixed =
        |value: &Json| quoted(value).trim_end_matches('"').to_owned() + " ${infra.nosuch}\"";
    folder.write(
        "mixed.yaml",
        manifest("Secret", "a", literal.iter().map(|(_, value)| mixed(value))),
    );

    for name in ["infra", "landfall", "sensitive"] {
        public.push_str(name);
    }
    values_shown.remove(&public);
    keys_shown.remove(&public);
    Some(Case {
        values: values_shown,
        keys: keys_shown,
        first: names[0].clone(),
    })
}
