//! The size limit of a render's output, which is the same on every machine.

use landfall::{Config, Configuration, File, OutputsDocument, Request, Sources};

/// Checks the rules reported for a manifest whose answer may have `limit` bytes.
/// `infra.name` has eight bytes and is ordinary, `infra.text` has 1,000, `infra.list` ten
/// such items, `infra.objects` ten with an `id`.
fn check(manifest: &str, limit: u64, expected: &[&str]) {
    let text = "x".repeat(1000);
    let list = vec![text.as_str(); 10];
    let objects = vec![serde_json::json!({"id": "x"}); 10];
    let outputs = serde_json::json!({
        "name": {"value": "vpc-0ab1"},
        "text": {"value": text},
        "list": {"value": list},
        "objects": {"value": objects},
    });
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            content: outputs.to_string().into_bytes(),
            ..OutputsDocument::default()
        }],
        answer_limit: Some(limit),
        ..Request::default()
    };
    let file = File {
        path: "manifest.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    };
    let found = match Sources::new(vec![file]).generate(&request) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(|found| found.rule.id()).collect(),
    };
    assert_eq!(found, expected, "{manifest}");
}

#[test]
fn strings_count() {
    check("a: ${infra.text}\n", 1000, &[]);
    check(
        "a: ${infra.text}\nb: ${infra.text}\n",
        1999,
        &["answer-too-large"],
    );
}

#[test]
fn ordinary_text_counts_with_other_values() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\ndata:\n";
    let two = format!("{manifest}  a: ${{infra.name}}\n  b: ${{infra.name}}-x\n");
    check(&two, 16, &[]);
    check(&two, 15, &["answer-too-large"]);
    let other = format!("{two}  c: ${{infra.text}}\n");
    check(&other, 1016, &[]);
    check(&other, 1015, &["answer-too-large"]);
    check(&other, 7, &["answer-too-large"]);
}

#[test]
fn lists_count() {
    check("a: ${infra.list}\n", 20_000, &[]);
    check(
        "a: ${infra.list}\nb: ${infra.list}\n",
        20_000,
        &["answer-too-large"],
    );
}

#[test]
fn function_results_count_before_they_are_written() {
    let hex = "a: ${infra.text | hex}\n";
    check(hex, 2000, &[]);
    check(
        &format!("{hex}b: ${{infra.text | hex}}\n"),
        3999,
        &["answer-too-large"],
    );
    check(
        "a: ${infra.text | split(\"\")}\n",
        20_000,
        &["answer-too-large"],
    );
}

#[test]
fn looking_up_items_counts() {
    for call in ["", " | default(\"x\")"] {
        let manifest = format!("a: ${{infra.objects[*].id{call} | length}}\n---\n").repeat(2);
        check(&manifest, 1000, &[]);
        // Enough for one of them, and for both calls of `length`.
        check(&manifest, 85, &["answer-too-large"]);
    }
}

#[test]
fn comparing_resources_with_patterns_counts() {
    let render = |pattern: &str| {
        let target = serde_json::json!({
            "select": {"kind": "ConfigMap", "name": pattern},
            "fieldPaths": ["data.a"],
            "options": {"create": true},
        });
        let binding = serde_json::json!({
            "apiVersion": "landfall.dev/v1alpha1",
            "kind": "Binding",
            "spec": {"substitutions": [{"value": "${infra.a}", "targets": vec![target; 120]}]},
        });
        let name = "b".repeat(250);
        let manifest =
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
                .repeat(120);
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".to_owned(),
                content: br#"{"a": {"value": "v"}}"#.to_vec(),
                ..OutputsDocument::default()
            }],
            application: Configuration {
                binding: Some(Config {
                    path: "landfall.yaml".to_owned(),
                    content: binding.to_string().into_bytes(),
                }),
                ..Configuration::default()
            }
            .into(),
            ..Request::default()
        };
        let file = File {
            path: "manifest.yaml".to_owned(),
            content: manifest.into_bytes(),
        };
        match Sources::new(vec![file]).generate(&request) {
            Ok(_) => Vec::new(),
            Err(found) => found.iter().map(|found| found.rule.id()).collect(),
        }
    };
    assert_eq!(render("a.{0,300}z"), ["too-many-steps"]);
    assert_eq!(render("b+"), [""; 0]);
}

/// Renders `references`, each a whole value, with the outputs `infra`.
fn diagnostics(references: &[String], infra: &serde_json::Value) -> landfall::Diagnostics {
    limited(references, infra, None)
}

fn limited(
    references: &[String],
    infra: &serde_json::Value,
    answer_limit: Option<u64>,
) -> landfall::Diagnostics {
    let lines = references.iter().enumerate();
    let manifest: String = lines.map(|(nth, one)| format!("k{nth}: {one}\n")).collect();
    rendered(&manifest, infra, answer_limit)
}

/// Renders a manifest with the outputs `infra`.
fn diagnostics_of(manifest: &str, infra: &serde_json::Value) -> landfall::Diagnostics {
    rendered(manifest, infra, None)
}

fn rendered(
    manifest: &str,
    infra: &serde_json::Value,
    answer_limit: Option<u64>,
) -> landfall::Diagnostics {
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            content: infra.to_string().into_bytes(),
            ..OutputsDocument::default()
        }],
        answer_limit,
        ..Request::default()
    };
    let file = File {
        path: "manifest.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    };
    match Sources::new(vec![file]).generate(&request) {
        Ok(answer) => answer.diagnostics,
        Err(diagnostics) => diagnostics,
    }
}

#[test]
fn a_thousand_diagnostics_are_kept_and_all_are_counted() {
    let references = vec!["${infra.nothing}".to_owned(); 5_000];
    let found = diagnostics(&references, &serde_json::json!({"a": {"value": "a"}}));
    assert_eq!((found.len(), found.omitted().errors), (1_000, 4_000));
    let first = found.first().and_then(|found| found.labels.first());
    assert_eq!(
        first.map(|label| label.span.start),
        Some("k0: ${infra.".len())
    );
}

#[test]
fn warnings_do_not_displace_errors() {
    let mut references = vec!["${infra.number}".to_owned(); 5_000];
    references.push("${infra.nothing}".to_owned());
    let found = diagnostics(
        &references,
        &serde_json::json!({"number": {"value": 0.123_456_789_012_345_67}}),
    );
    assert!(found.has_errors());
    assert_eq!((found.len(), found.omitted().warnings), (1_000, 4_001));
    assert_eq!(
        found.last().map(|last| last.rule.id()),
        Some("unknown-output")
    );
}

#[test]
fn the_total_size_of_function_results_is_limited() {
    let outputs = serde_json::json!({"list": {"value": vec![""; 1_000]}});
    // Each chain computes 1 MB of values, and writes one digit.
    let chain = format!(
        "${{infra.list{} | length}}",
        " | concat(infra.list)".repeat(6)
    );
    assert_eq!(
        limited(&vec![chain.clone(); 2], &outputs, Some(1 << 20)).len(),
        0
    );
    let found = limited(&vec![chain; 100], &outputs, Some(1 << 20));
    let rules: std::collections::BTreeSet<_> = found.iter().map(|one| one.rule.id()).collect();
    assert_eq!(rules.into_iter().collect::<Vec<_>>(), ["answer-too-large"]);
}

/// A reference to a key of a large object takes as long as in a small one.
#[test]
fn keys_of_large_objects_are_found() {
    let entries = (0..5_000).map(|nth| (format!("key{nth}"), serde_json::json!(nth)));
    let object: serde_json::Map<_, _> = entries.collect();
    let outputs = serde_json::json!({"object": {"value": object}});
    let references: Vec<_> = (0..5_000)
        .map(|nth| format!("${{infra.object.key{nth}}}"))
        .collect();
    assert_eq!(diagnostics(&references, &outputs).len(), 0);
    let missing: Vec<_> = (0..5_000)
        .map(|nth| format!("${{infra.object.none{nth}}}"))
        .collect();
    let found = diagnostics(&missing, &outputs);
    assert_eq!((found.len(), found.omitted().errors), (1_000, 4_000));
}

/// 1,000 levels are read; anything deeper is reported at its first byte.
#[test]
fn nesting_is_limited() {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let manifest = format!("a: {open}${{infra.text}}{close}\n");
        let text = diagnostics_of(&manifest, &serde_json::json!({"text": {"value": "x"}}));
        let found = text.iter().next().map(|found| {
            let at = found.labels.first().map(|label| label.span.start);
            (found.message.clone(), at)
        });
        (text.len(), found)
    };
    assert_eq!(nested(1000), (0, None));
    let message =
        "the document contains references and nests lists and mappings more than 1000 levels deep";
    let at = "a: ".len() + 1000;
    assert_eq!(nested(1001), (1, Some((message.to_owned(), Some(at)))));
    assert_eq!(nested(20_000), (1, Some((message.to_owned(), Some(at)))));
}

/// It is reported however many warnings precede it.
#[test]
fn reports_a_near_miss_that_is_an_error() {
    let outputs = serde_json::json!({"vpc": {"value": "x"}});
    let manifest = format!("a: |\n{}b: ${{infr.vpc}}\n", "  ${infr.vpc}\n".repeat(200));
    let found = diagnostics_of(&manifest, &outputs);
    assert!(found.has_errors());
}

/// Each unbound name is compared with each bound one.
#[test]
fn comparing_names_counts() {
    let render = |names: usize| {
        let outputs = (0..names).map(|nth| OutputsDocument {
            name: format!("name{nth}"),
            content: b"{}".to_vec(),
            ..OutputsDocument::default()
        });
        let references = (0..names).map(|nth| format!("- ${{nome{nth}.x}}\n"));
        let request = Request {
            outputs: outputs.collect(),
            ..Request::default()
        };
        let file = File {
            path: "manifest.yaml".to_owned(),
            content: references.collect::<String>().into_bytes(),
        };
        let found = match Sources::new(vec![file]).generate(&request) {
            Ok(answer) => answer.diagnostics,
            Err(found) => found,
        };
        found
            .iter()
            .filter(|found| found.rule.id() == "too-many-steps")
            .count()
    };
    assert_eq!(render(300), 0);
    assert_eq!(render(1_500), 1);
}
