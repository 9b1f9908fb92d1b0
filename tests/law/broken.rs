//! Nothing that is reported about a document with a mistake shows a secret in it: every
//! mistake of a table, beside a secret in every position of another, through every call that
//! reads such documents.

use std::collections::BTreeMap;

use landfall::{
    Application, Config, Configuration, Diagnostic, File, Label, Location, Need, Origin,
    OutputsDocument, OutputsInputs, Request, Sources, Span, check_outputs, expand, krm_needs,
    outputs_contract, process,
};
use serde_json::json;

use crate::choices::Sequence;

/// A secret that was written by hand, and the value of a sensitive output.
const SECRETS: [&str; 2] = ["zq3cr3tq", "xk9v4lu3"];

/// Of so many documents, one is tried in a run.
const STEP: usize = 7;

/// A document with a secret at `@`. More entries can be added at `^`.
struct Place {
    document: &'static str,
    /// What separates an added entry from the others.
    before: &'static str,
    after: &'static str,
}

const fn block(document: &'static str, indentation: &'static str) -> Place {
    Place {
        document,
        before: indentation,
        after: "\n",
    }
}

const fn flow(document: &'static str) -> Place {
    Place {
        document,
        before: "",
        after: ", ",
    }
}

const PLACES: &[Place] = &[
    block(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n^  p: @\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {argocd.argoproj.io/secret-type: cluster}\n  ownerReferences: [{kind: ApplicationSet}]\nstringData:\n^  config: '{\"bearerToken\": \"@\"}'\n^  name: a\n",
        "  ",
    ),
    block(
        "stringData:\n^  p: @\n^kind: Secret\napiVersion: v1\n",
        "  ",
    ),
    block("kind: Secret\ndata:\n^  p: @\n^", "  "),
    block(
        "apiVersion: v1\nkind: SecretList\nitems:\n- data:\n^    p: @\n^",
        "    ",
    ),
    block(
        "apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n^    p: @\n^",
        "    ",
    ),
    block(
        "apiVersion: v1\nkind: ${infra.kind}\ndata:\n^  p: @\n^",
        "  ",
    ),
    block("apiVersion: v1\nkind: ${kind}\ndata:\n^  p: @\n^", "  "),
    block(
        "apiVersion: v1\nkind: ${infra.nosuch}\ndata:\n^  p: @\n^",
        "  ",
    ),
    block(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nkind: Secret\nstringData:\n^  p: @\n^",
        "  ",
    ),
    flow("{apiVersion: v1, kind: Secret, stringData: {^p: @^}}\n"),
    flow(
        "{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Secret, stringData: {^p: @^}}, {apiVersion: v1, kind: ConfigMap, data: {a: '${infra.nosuch}'}}]}\n",
    ),
    flow(
        "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"annotations\": {\"a\": \"ApplicationSet\"}}, \"data\": {^\"p\": \"@\"^}}\n",
    ),
    // The old value of a sensitive output.
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.secret}\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.left_out}\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.gone}\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.secret\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.secret | }\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.secret | nosuch}\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall: ${infra.secret} # note\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfal: ${infra.secret}\n^",
        "  ",
    ),
    block(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n^  p: @ # landfall ${infra.secret}\n^",
        "  ",
    ),
    flow("{apiVersion: v1, kind: ConfigMap, data: {^p: @}} # landfall: ${infra.secret}\n"),
    // Outputs that are written in a Binding.
    block(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - name: infra\n    sensitive: true\n    from:\n      inline:\n^        p: @\n^",
        "        ",
    ),
    block(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - from: {inline: {p: @}}\n^    name: infra\n    sensitive: [p]\n^",
        "    ",
    ),
    block(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {inline: {p: @}}, sensitive: [nosuch]}\n  - {name: infra, from: {inlin: {p: @}}, sensitiv: true}\n  - {name: infra, from: {inline: @}}\n  - {name: infra, from: @}\n^  policy: {}\n^",
        "  ",
    ),
    flow(
        "{apiVersion: landfall.dev/v1alpha1, kind: Binding, spec: {outputs: [{name: infra, sensitive: true, from: {inline: {^p: @^}}}], policy: {empty: nosuch}}}\n",
    ),
];

/// Mistakes in a value: what is written before and after it.
const IN_VALUES: &[[&str; 2]] = &[
    ["", ""],
    ["&a ", ""],
    ["&a !!str ", ""],
    ["!t ", ""],
    ["!!binary ", ""],
    ["*", ""],
    ["[", ""],
    ["[a, ", ""],
    ["{", ""],
    ["{a: ", ""],
    ["\"", ""],
    ["\"\\q", "\""],
    ["'", ""],
    ["'", "''"],
    ["- ", ""],
    ["? ", ""],
    ["@", ""],
    ["%", ""],
    ["|\n", ""],
    ["", ": b"],
    ["", ": b: c"],
    ["", ", b"],
    ["", "}"],
    ["", "]"],
    ["", "\u{2028}x"],
    ["", "\u{85}x"],
    ["", "\rx: 1"],
    ["", "\u{1}"],
    ["\u{feff}", ""],
    ["", "\n\tx: 1"],
    ["", "\n--- x"],
    ["", "\n---x"],
    ["", "\n...\nx: 1"],
    ["", " ${infra.nosuch}"],
    ["", " ${infra.a | nosuch}"],
    ["", " ${infra.a | number}"],
    ["", " ${infra.a"],
    ["", "${infra.a}${infra.secret}"],
];

/// Entries beside the secret.
const ENTRIES: &[&str] = &[
    "q: ${infra.nosuch}",
    "q: ${infra.a",
    "q: \"${infra.a\"",
    "q: ${infra.a | nosuch}",
    "q: ${infra.secret}",
    "q: ${nosuch}",
    "q: ${a:?}",
    "q: x # landfall: ${infra.nosuch}",
    "q: x # kpt-set: ${nosuch}",
    "p: dup",
    "${infra.a}: 1",
    "q: [",
    "q: {",
    "q: \"",
    "q: \"\\q\"",
    "q: *x",
    "q: &x !t 1",
    "<<: *x",
    "<<: {r: 1}",
    "? [a]",
    "- q",
    "nosuch: 1",
    "name: 1",
    "format: nosuch",
    "1: 2",
    "~: 2",
    "q: .inf",
    "q: 012",
    "q: {{ .x }}",
    "q: {sensitive: true, value: x}",
    "from: {file: x}",
];

/// Returns all documents with one or two mistakes.
fn documents() -> Vec<String> {
    let mut documents = Vec::new();
    for Place {
        document,
        before,
        after,
    } in PLACES
    {
        let with = |entries: [&str; 2], value: [&str; 2]| {
            let mut document = (*document).to_owned();
            for entry in entries {
                let entry = match entry {
                    "" => String::new(),
                    entry if after.ends_with('\n') => format!("{before}{entry}{after}"),
                    // Before or after the other entry.
                    entry
                        if document.contains("^}")
                            && !document.contains("^p")
                            && !document.contains("^\"") =>
                    {
                        format!(", {entry}")
                    }
                    entry => format!("{entry}{after}"),
                };
                document = document.replacen('^', &entry, 1);
            }
            let value = format!("{}{}{}", value[0], SECRETS[0], value[1]);
            document.replace('^', "").replace('@', &value)
        };
        for value in IN_VALUES {
            // The comment would be in another document.
            if after.ends_with(", ")
                && ["\n.", "\n-"]
                    .iter()
                    .any(|marker| value[1].contains(marker))
            {
                continue;
            }
            documents.push(with(["", ""], *value));
            documents.push(with([ENTRIES[0], ""], *value));
        }
        for entry in ENTRIES {
            documents.push(with([entry, ""], ["", ""]));
            documents.push(with(["", entry], ["", ""]));
            documents.push(with([entry, ENTRIES[0]], ["\"", "\""]));
            documents.push(with([ENTRIES[0], entry], ["${infra.a}", ""]));
        }
    }
    documents
}

/// Returns the outputs that are bound.
fn outputs() -> Vec<OutputsDocument> {
    let document = json!({
        "a": {"type": "String", "value": "x"},
        "kind": {"type": "String", "value": "Secret"},
        "secret": {"type": "SecureString", "value": SECRETS[1]},
        "left_out": {"type": "SecureString"},
    });
    vec![OutputsDocument {
        name: "infra".into(),
        path: "infra.json".into(),
        content: document.to_string().into_bytes(),
        ..OutputsDocument::default()
    }]
}

/// What a document is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Manifest,
    Outputs,
    Binding,
}

/// What a host shows.
#[derive(Default)]
struct Shown(String);

impl Shown {
    fn text(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Shows diagnostics, and what hosts show of a document for them: of an outputs document
    /// nothing but the bytes of each label.
    fn diagnostics<'d>(
        &mut self,
        found: impl IntoIterator<Item = &'d Diagnostic>,
        document: &str,
        as_what: What,
    ) {
        let is_own = |origin: Origin| match as_what {
            What::Manifest => matches!(origin, Origin::Manifest(_)),
            What::Outputs => matches!(origin, Origin::Outputs(_)),
            What::Binding => origin == Origin::Binding,
        };
        let conceals = as_what == What::Outputs;
        for one in found {
            self.text(&one.message);
            self.text(one.help.as_deref().unwrap_or_default());
            let mut labels: Vec<&Label> = one.labels.iter().collect();
            labels.retain(|label| is_own(label.origin));
            labels.sort_by_key(|label| label.span);
            for label in &labels {
                self.text(&label.message);
                self.text(if label.conceal || conceals {
                    document.get(label.span.range()).unwrap_or_default()
                } else {
                    lines(document, label.span)
                });
            }
            if labels.iter().any(|label| label.conceal) || conceals {
                continue;
            }
            if let [first, .., last] = &labels[..] {
                let all = Span::new(first.span.start, last.span.end.max(first.span.end));
                self.text(lines(document, all));
            }
            for fix in one.fixes.iter().filter(|fix| is_own(fix.target)) {
                self.text(&fix.title);
                for edit in &fix.edits {
                    self.text(lines(document, edit.span));
                    self.text(&String::from_utf8_lossy(&edit.text));
                }
            }
        }
    }
}

fn lines(text: &str, span: Span) -> &str {
    let Some((before, _)) = text.split_at_checked(span.start) else {
        return "";
    };
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(span.end..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |at| span.end + at);
    &text[start..end]
}

fn file(content: &str) -> File {
    File {
        path: "a.yaml".into(),
        content: content.into(),
    }
}

type Call = fn(&str, &mut Shown);

/// Every call that reads a manifest, or what is taken for one.
const CALLS: &[(&str, Call)] = &[
    ("render", |document, shown| {
        rendered(document, &Request::default(), shown);
    }),
    ("render, with the dialect flux", |document, shown| {
        rendered(document, &in_dialect("flux"), shown);
    }),
    ("render, with the dialect kpt-set", |document, shown| {
        rendered(document, &in_dialect("kpt-set"), shown);
    }),
    ("unrendered", |document, shown| {
        let request = with_outputs(&Request::default());
        let sources = Sources::new(vec![file(document)]);
        shown.diagnostics(
            sources.unrendered(&request, &[]).iter(),
            document,
            What::Manifest,
        );
    }),
    ("adopt", |document, shown| {
        let document = &format!("{document}---\na: xk-1 b\nb: not-a-secret\n");
        let mut request = with_outputs(&Request::default());
        request.outputs[0].content = json!({
            "b": {"type": "String", "value": "not-a-secret"},
            "n": {"type": "String", "value": "nosuch-dup"},
            "secret": {"type": "SecureString", "value": SECRETS[1]},
        })
        .to_string()
        .into_bytes();
        let neighbour = document.replacen("p: ", "n: nosuch-dup\n  p: ", 1);
        for document in [document, &neighbour] {
            match Sources::new(vec![file(document)]).adopt(&request) {
                Err(found) => shown.diagnostics(found.iter(), document, What::Manifest),
                Ok(adoption) => {
                    for value in adoption.values {
                        shown.text(&value.outputs.join(" "));
                        if !value.conceal {
                            shown.text(lines(document, value.span));
                        }
                    }
                }
            }
        }
    }),
    ("migrate from flux", |document, shown| {
        migrated(document, "flux", shown);
    }),
    ("migrate from kpt-set", |document, shown| {
        migrated(document, "kpt-set", shown);
    }),
    ("expand", |document, shown| {
        let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {template: {metadata: {name: '{{name}}'}, spec: {project: default}}, generators: [{clusters: {}}]}\n";
        let document = &format!("{document}---\n{set}");
        let mut clusters = Shown::default();
        let found = expand(&[file(document)], &[]);
        match &found {
            Err(found) => shown.diagnostics(found.iter(), document, What::Manifest),
            Ok(expanded) => {
                shown.diagnostics(expanded.diagnostics.iter(), document, What::Manifest);
            }
        }
        match expand(&[file(set)], &[file(document)]) {
            Err(found) => clusters.diagnostics(found.iter(), document, What::Outputs),
            Ok(expanded) => {
                clusters.diagnostics(expanded.diagnostics.iter(), document, What::Outputs);
                for application in expanded.applications {
                    clusters.text(&String::from_utf8_lossy(&application.content));
                }
            }
        }
        shown.text(&clusters.0);
    }),
    ("krm", |document, shown| {
        let item = document.trim_end().replace('\n', "\n  ");
        let binding = "functionConfig: {apiVersion: landfall.dev/v1alpha1, kind: Binding, spec: {outputs: [{name: infra, from: {file: infra.json}}]}}";
        for list in [
            format!("kind: ResourceList\nitems:\n- {item}\n{binding}\n"),
            format!(
                "kind: ResourceList\nitems:\n- {{kind: Pod, apiVersion: v1}}\nfunctionConfig:\n  {item}\n"
            ),
        ] {
            if let Err(found) = krm_needs(list.as_bytes()) {
                shown.diagnostics(found.iter(), &list, What::Manifest);
                continue;
            }
            let default = landfall::Ceiling::default();
            match process(list.as_bytes(), &outputs(), &default, None, &[]) {
                Err(found) => shown.diagnostics(found.iter(), &list, What::Manifest),
                Ok(processed) => {
                    shown.diagnostics(processed.diagnostics.iter(), &list, What::Manifest);
                }
            }
        }
    }),
    ("outputs", |document, shown| {
        for format in [
            None,
            Some("yaml"),
            Some("secret"),
            Some("configmap"),
            Some("json"),
            Some("dotenv"),
        ] {
            let mut documents = outputs();
            documents[0].content = document.into();
            documents[0].format = format.map(str::to_owned);
            let inputs = OutputsInputs {
                documents,
                application: Application::default(),
                contract: None,
            };
            let found = check_outputs(&inputs);
            shown.diagnostics(found.iter(), document, What::Outputs);
            if let Err(found) = outputs_contract(&inputs) {
                shown.diagnostics(found.iter(), document, What::Outputs);
            }
        }
    }),
    ("Binding", |document, shown| {
        let binding = Config {
            path: "landfall.yaml".into(),
            content: document.into(),
        };
        let application = Application::new(Configuration {
            binding: Some(binding.clone()),
            ..Configuration::default()
        });
        let plan = application.plan(&[], None);
        shown.diagnostics(plan.diagnostics.iter(), document, What::Binding);
        shown.diagnostics(plan.parameter_errors.iter(), document, What::Binding);
        let request = Request {
            application,
            outputs: plan.documents.into_iter().filter_map(held).collect(),
            ..Request::default()
        };
        let manifest = "apiVersion: v1\nkind: ConfigMap\ndata: {a: '${infra.nosuch}'}\n";
        let sources = Sources::new(vec![file(manifest)]);
        let found = match sources.generate(&request) {
            Err(found) => found,
            Ok(answer) => answer.diagnostics,
        };
        shown.diagnostics(found.iter(), document, What::Binding);
    }),
];

/// Returns a document that is no file.
fn held(need: Need) -> Option<OutputsDocument> {
    let Location::Held(content) = need.location else {
        return None;
    };
    Some(OutputsDocument {
        name: need.name,
        path: need.path,
        content,
        format: need.format,
        sensitive: false,
        declared_at: Some(need.span.start),
    })
}

fn with_outputs(request: &Request) -> Request {
    Request {
        outputs: outputs(),
        ..request.clone()
    }
}

fn in_dialect(id: &str) -> Request {
    let binding =
        format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{dialect: {id}}}\n");
    Request {
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.into_bytes(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    }
}

fn rendered(document: &str, request: &Request, shown: &mut Shown) {
    let sources = Sources::new(vec![file(document)]);
    let found = match sources.generate(&with_outputs(request)) {
        Err(found) => found,
        Ok(answer) => answer.diagnostics,
    };
    shown.diagnostics(found.iter(), document, What::Manifest);
}

fn migrated(document: &str, dialect: &str, shown: &mut Shown) {
    let document = &document
        .replace("# landfall: ", "# kpt-set: ")
        .replace("infra.", "");
    let sources = Sources::new(vec![file(document)]);
    match sources.migrate(&with_outputs(&Request::default()), dialect) {
        Err(found) => shown.diagnostics(found.iter(), document, What::Manifest),
        Ok(migration) => {
            shown.diagnostics(migration.left.iter(), document, What::Manifest);
            for change in migration
                .changes
                .iter()
                .flatten()
                .filter(|change| !change.conceal)
            {
                shown.text(lines(document, change.edit.span));
                shown.text(&String::from_utf8_lossy(&change.edit.text));
            }
        }
    }
}

#[test]
fn nothing_that_is_reported_about_a_document_shows_a_secret_in_it() {
    // Other documents in each run: all of them take minutes.
    let first = Sequence::new(STEP as u64).below(STEP);
    let all = documents();
    let documents: Vec<_> = all.iter().skip(first).step_by(STEP).collect();
    // One for each call and first message.
    let mut wrong = BTreeMap::new();
    let mut reported = 0;
    for (name, call) in CALLS {
        for document in &documents {
            let mut shown = Shown::default();
            call(document, &mut shown);
            reported += usize::from(!shown.0.trim().is_empty());
            if SECRETS.iter().any(|secret| shown.0.contains(secret)) {
                let first = shown.0.lines().next().unwrap_or_default().to_owned();
                let shown = format!("{name}:\n{document}\nshows:\n{}", shown.0);
                wrong.entry((name, first)).or_insert(shown);
            }
        }
    }
    assert!(reported > 10_000 / STEP, "{reported}");
    let shown: Vec<String> = wrong.into_values().collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}
