//! Every call that reads outputs documents applies what the Binding declares sensitive.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use landfall::{
    Application, Ceiling, Config, Configuration, Detail, Diagnostics, File, HoverKind,
    OutputsDocument, Request, Rule, Sources, complete, definition, hover, process, redact, splice,
};

const DOTENV: &str = "REGION=eu\nPASSWORD=hunter2\n";

/// Returns a document that is bound to `infra`.
fn bound(format: Option<&str>, content: &str) -> OutputsDocument {
    OutputsDocument {
        name: "infra".into(),
        path: "infra.env".into(),
        content: content.into(),
        format: format.map(str::to_owned),
        ..OutputsDocument::default()
    }
}

fn dotenv() -> OutputsDocument {
    bound(Some("dotenv"), DOTENV)
}

/// Returns a Binding with one item in `spec.outputs` for each declaration.
fn binding(declarations: &[&str]) -> Config {
    let mut content =
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  policy: {unused: ignore}\n  outputs:\n".to_owned();
    for declared in declarations {
        content.push_str(&format!(
            "  - {{name: infra, from: {{file: infra.env}}{declared}}}\n"
        ));
    }
    Config {
        path: "landfall.yaml".into(),
        content: content.into(),
    }
}

const NAMES: &str = ", sensitive: [PASSWORD]";
const ALL: &str = ", sensitive: true";

/// Returns where the items of `spec.outputs` are.
fn item_starts(binding: &Config) -> Vec<Option<usize>> {
    let binding = Some(binding.clone());
    let application = Application::new(Configuration {
        binding,
        ..Configuration::default()
    });
    let plan = application.plan(&[], None);
    let starts = plan.documents.iter().map(|need| Some(need.span.start));
    starts.collect()
}

fn config_map(output: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  value: ${{infra.{output}}}\n"
    )
}

fn request(outputs: Vec<OutputsDocument>, binding: Config) -> Request {
    Request {
        outputs,
        application: Configuration {
            binding: Some(binding),
            ..Configuration::default()
        }
        .into(),
        detail: Detail::Substitutions,
        ..Request::default()
    }
}

fn sources(manifest: &str) -> Sources {
    Sources::new(vec![File {
        path: "web.yaml".into(),
        content: manifest.into(),
    }])
}

/// Returns whether the render of a ConfigMap fails because an output is sensitive. No
/// diagnostic contains its value.
#[track_caller]
fn is_sensitive(outputs: &[OutputsDocument], binding: &Config, output: &str) -> bool {
    let request = request(outputs.to_vec(), binding.clone());
    match sources(&config_map(output)).generate(&request) {
        Ok(_) => false,
        Err(found) => {
            assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
            assert_eq!(rules(&found), [Rule::SensitiveOutput], "{found:?}");
            true
        }
    }
}

fn rules(found: &Diagnostics) -> Vec<Rule> {
    found.iter().map(|found| found.rule).collect()
}

#[test]
fn generate_applies_the_declaration() {
    for (declared, expected) in [
        ("", [false, false]),
        (NAMES, [false, true]),
        (ALL, [true, true]),
    ] {
        let binding = binding(&[declared]);
        let found = ["REGION", "PASSWORD"].map(|name| is_sensitive(&[dotenv()], &binding, name));
        assert_eq!(found, expected, "{declared}");
    }
}

#[test]
fn generate_applies_the_declaration_to_a_cached_analysis() {
    let sources = sources(&config_map("PASSWORD"));
    let before = request(vec![dotenv()], binding(&[""]));
    let after = request(vec![dotenv()], binding(&[NAMES]));
    for _ in 0..2 {
        assert!(sources.generate(&before).is_ok());
        assert!(sources.generate(&before).is_ok());
        assert!(sources.generate(&after).is_err());
        assert!(sources.generate(&after).is_err());
    }
}

#[test]
fn the_substitutions_report_hides_a_declared_value() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ${infra.PASSWORD}\n  region: ${infra.REGION}\n";
    let request = request(vec![dotenv()], binding(&[NAMES]));
    let answer = sources(secret).generate(&request).unwrap();
    let report = answer.substitutions.unwrap().substitutions;
    let reported: Vec<_> = report
        .iter()
        .map(|one| (&*one.value, one.sensitive))
        .collect();
    assert_eq!(reported, [("(sensitive)", true), ("eu", false)]);
}

#[test]
fn process_applies_the_declaration() {
    for (declared, fails) in [("", false), (NAMES, true), (ALL, true)] {
        let list = format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: web}}\n  data: {{value: \"${{infra.PASSWORD}}\"}}\nfunctionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  spec:\n    outputs: [{{name: infra, from: {{file: infra.env}}{declared}}}]\n"
        );
        let processed =
            process(list.as_bytes(), &[dotenv()], &Ceiling::default(), None, &[]).unwrap();
        assert_eq!(processed.failed, fails, "{:?}", processed.diagnostics);
        let rendered = splice(list.as_bytes(), &processed.edits).unwrap();
        let rendered = String::from_utf8(rendered).unwrap();
        assert_eq!(rendered.contains("hunter2"), !fails, "{rendered}");
    }
}

fn application(binding: &Config) -> Application {
    Application::new(Configuration {
        binding: Some(binding.clone()),
        ..Configuration::default()
    })
}

#[test]
fn editors_do_not_show_a_declared_value() {
    let outputs = [bound(Some("yaml"), "db: {PASSWORD: hunter2}\nzone: a\n")];
    let manifest = b"a: ${infra.db.PASSWORD}";
    let shown = |binding: &Config| {
        let found = hover(manifest, 14, &outputs, &application(binding)).unwrap();
        let HoverKind::Output { value, .. } = found.kind else {
            return String::new();
        };
        value
    };
    assert_eq!(shown(&binding(&[""])), "hunter2");
    let declared = binding(&[", sensitive: [db]"]);
    assert_eq!(shown(&declared), "(sensitive)");
    let keys =
        |binding: &Config| complete(b"a: ${infra.db.", 14, &outputs, &application(binding)).len();
    assert_eq!((keys(&binding(&[""])), keys(&declared)), (1, 0));

    // The name after the value is on the same line.
    let outputs = [bound(Some("yaml"), "{db: hunter2, zone: a}\n")];
    let column = |binding: &Config| {
        let found = definition(b"a: ${infra.zone}", 12, &outputs, &application(binding));
        found.unwrap().target.start
    };
    assert_eq!((column(&binding(&[""])), column(&declared)), (14, 0));
}

#[test]
fn redaction_replaces_declared_values() {
    let check = |document: &OutputsDocument, declared: &str, expected: &str, names: &[&str]| {
        let binding = binding(&[declared]);
        let redaction = redact(document, &[], Some(&binding), &|_| false).unwrap();
        let redacted = splice(&document.content, &redaction.edits).unwrap();
        assert_eq!(String::from_utf8(redacted).unwrap(), expected);
        assert_eq!(redaction.outputs, names);
    };
    check(&dotenv(), "", DOTENV, &[]);
    check(
        &dotenv(),
        NAMES,
        "REGION=eu\nPASSWORD=\"(sensitive)\"\n",
        &["PASSWORD"],
    );
    // Comments may contain former values.
    check(
        &bound(
            Some("yaml"),
            "# hunter1\na: # hunter1\n- 1 # hunter1\nPASSWORD: # hunter1\n- hunter2 # hunter1\nz: 1 # hunter1\n",
        ),
        NAMES,
        "#\na: #\n- 1 #\nPASSWORD: [\"(sensitive)\"] #\nz: 1 #\n",
        &["PASSWORD"],
    );
    check(
        &bound(
            None,
            r#"{"PASSWORD": {"value": "hunter2"}, "a": {"value": 1}}"#,
        ),
        NAMES,
        r#"{"PASSWORD": {"value": "(sensitive)"}, "a": {"value": 1}}"#,
        &["PASSWORD"],
    );
}

/// An output is sensitive if another document of its name says so.
#[test]
fn redaction_replaces_values_that_other_documents_mark() {
    let document = bound(Some("json"), r#"{"PASSWORD": "hunter2", "a": 1}"#);
    let sensitive = |other: &str, name: &str| {
        let others = [OutputsDocument {
            name: name.to_owned(),
            ..bound(None, other)
        }];
        redact(&document, &others, None, &|_| false)
            .unwrap()
            .outputs
    };
    let marked = r#"{"PASSWORD": {"value": "x", "sensitive": true}}"#;
    let secure = r#"{"PASSWORD": {"type": "SecureString"}}"#;
    assert_eq!(sensitive(marked, "infra"), ["PASSWORD"]);
    assert_eq!(sensitive(secure, "infra"), ["PASSWORD"]);
    assert_eq!(sensitive("{", "infra"), ["PASSWORD", "a"]);
    assert_eq!(sensitive("", "infra"), [""; 0]);
    assert_eq!(sensitive(marked, "other"), [""; 0]);
}

#[test]
fn nothing_is_rendered_or_shown_with_an_invalid_binding() {
    let invalid = binding(&[", sensitiv: [PASSWORD]"]);
    let manifest = "a: ${infra.PASSWORD | number}\n";
    let request = request(vec![dotenv()], invalid.clone());
    let found = sources(manifest).generate(&request).unwrap_err();
    assert_eq!(rules(&found), [Rule::InvalidBinding]);
    let found = hover(
        b"a: ${infra.PASSWORD}",
        14,
        &[dotenv()],
        &application(&invalid),
    )
    .unwrap();
    assert!(matches!(
        found.kind,
        HoverKind::Output {
            sensitive: true,
            ..
        }
    ));
    assert_eq!(redact(&dotenv(), &[], Some(&invalid), &|_| false), None);
}

#[test]
fn a_declaration_never_removes_a_mark() {
    let marked = [bound(
        None,
        r#"{"PASSWORD": {"sensitive": true, "value": "hunter2"}, "a": {"value": 1}}"#,
    )];
    for declared in ["", NAMES, ", sensitive: [a]", ", sensitive: []"] {
        let binding = binding(&[declared]);
        assert!(is_sensitive(&marked, &binding, "PASSWORD"));
    }
}

#[test]
fn each_document_has_the_declaration_of_its_own_item() {
    let first = bound(Some("dotenv"), "A=1\nPASSWORD=hunter2\n");
    let second = bound(Some("dotenv"), "B=1\n");
    let mut documents = [first, second];
    let binding = binding(&[ALL, ""]);
    let starts = item_starts(&binding);
    let mut found = |starts: [Option<usize>; 2]| {
        for (document, start) in documents.iter_mut().zip(starts) {
            document.declared_at = start;
        }
        ["A", "PASSWORD", "B"].map(|name| is_sensitive(&documents, &binding, name))
    };
    assert_eq!(found([starts[0], starts[1]]), [true, true, false]);
    // The order of documents says nothing.
    assert_eq!(found([starts[1], starts[0]]), [false, false, true]);
    // A flag binds files without saying for which item.
    assert_eq!(found([None, None]), [true, true, true]);
    assert_eq!(found([starts[1], None]), [false, false, true]);
}

#[test]
fn all_declarations_apply_if_a_document_is_missing_or_replaced() {
    let one = [bound(Some("dotenv"), "PASSWORD=hunter2\n")];
    for declarations in [[NAMES, ""], ["", NAMES], [ALL, ""]] {
        assert!(is_sensitive(&one, &binding(&declarations), "PASSWORD"));
    }
    let two = [one[0].clone(), bound(Some("dotenv"), "A=1\n")];
    assert!(is_sensitive(&two, &binding(&[NAMES]), "PASSWORD"));
    assert!(is_sensitive(&two, &binding(&[ALL]), "A"));
}

/// The later document does not mark the output, and `a` is on the same line.
#[test]
fn an_output_stays_sensitive_in_later_documents() {
    let marked = bound(None, r#"{"PASSWORD": {"sensitive": true, "value": "x"}}"#);
    let later = |value: &str| {
        let content = format!(r#"{{"PASSWORD": {{"value": "{value}"}}, "a": {{"value": null}}}}"#);
        bound(None, &content)
    };
    let manifest = format!("{}  a: ${{infra.a}}\n", config_map("PASSWORD"));
    let reported = |value: &str| {
        let documents = vec![marked.clone(), later("y"), later(value)];
        let request = request(documents, binding(&["", "", ""]));
        sources(&manifest).generate(&request).unwrap_err()
    };
    let found = reported("hunter2");
    assert_eq!(
        rules(&found),
        [
            Rule::OutputOverridden,
            Rule::OutputOverridden,
            Rule::OutputOverridden,
            Rule::SensitiveOutput,
            Rule::EmptyOutput
        ]
    );
    assert_eq!(found, reported("hunter2 hunter2"));
}

/// A value that cannot be read may be that of a sensitive output.
#[test]
fn an_error_in_a_later_document_reveals_no_length() {
    let marked = bound(None, r#"{"PASSWORD": {"sensitive": true, "value": "x"}}"#);
    let reported = |value: &str| {
        let later = format!("{{PASSWORD: {value}, a: &x 1}}\n");
        let documents = vec![marked.clone(), bound(Some("yaml"), &later)];
        let request = request(documents, binding(&["", ""]));
        sources("{}\n").generate(&request).unwrap_err()
    };
    assert_eq!(reported("hunter2"), reported("hunter2hunter2"));
    assert_eq!(rules(&reported("hunter2"))[..1], [Rule::InvalidOutputs]);
}

/// An entry that cannot be read has a name that may be declared.
#[test]
fn an_output_that_cannot_be_read_may_be_listed() {
    let azure = bound(
        None,
        r#"{"a": {"type": "Int", "value": 1}, "key": {"type": "SecureString"}}"#,
    );
    let configmap = bound(
        None,
        "apiVersion: v1\nkind: ConfigMap\ndata: {a: \"1\"}\nbinaryData: {key: /w==}\n",
    );
    let found = |document: &OutputsDocument, declared: &str| {
        let request = request(vec![document.clone()], binding(&[declared]));
        let answer = sources("a: ${infra.a}\n").generate(&request);
        answer.err().map_or(Vec::new(), |found| {
            let messages = found.iter().map(|found| found.message.clone());
            messages.collect()
        })
    };
    for document in [&azure, &configmap] {
        assert_eq!(found(document, ", sensitive: [key]"), [""; 0]);
        assert_eq!(
            found(document, ", sensitive: [keys]"),
            ["`infra` has no output `keys`"]
        );
    }
    assert_eq!(
        found(&azure, ", notSensitive: [key]"),
        ["`infra.key` is sensitive, and the Binding cannot change that"]
    );
    assert_eq!(found(&configmap, ", notSensitive: [key]"), [""; 0]);
}

/// The earlier document names a secret without its value, and the later one has the value
/// without a mark.
#[test]
fn an_output_that_cannot_be_read_stays_sensitive_in_later_documents() {
    let later = bound(Some("json"), r#"{"PASSWORD": "hunter2"}"#);
    for (earlier, declared) in [
        (r#"{"PASSWORD": {"type": "SecureString"}}"#, ""),
        (
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "binaryData": {"PASSWORD": "/w=="}}"#,
            NAMES,
        ),
    ] {
        let mut documents = vec![bound(None, earlier), later.clone()];
        let binding = binding(&[declared, ""]);
        for (document, start) in documents.iter_mut().zip(item_starts(&binding)) {
            document.declared_at = start;
        }
        let request = request(documents, binding);
        let found = sources(&config_map("PASSWORD")).generate(&request);
        assert_eq!(
            rules(&found.unwrap_err()),
            [Rule::OutputOverridden, Rule::SensitiveOutput]
        );
    }
}
