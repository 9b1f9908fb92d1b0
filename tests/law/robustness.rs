//! Nothing makes the plugin panic: any bytes as manifest, outputs, Binding or
//! ResourceList, real files truncated and damaged, unbounded depth and length.
//! Diagnostics point into their sources.

use std::cell::Cell;
use std::path::Path;

use landfall::{
    Ceiling, Config, Configuration, Diagnostic, DialectTokens, Edit, Folder, Origin, Request, Rule,
    dialect_tokens, format_samples, krm_needs, process, splice,
};
use landfall_test_needs::needs;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::corpora::files;
use crate::generated::cases;
use crate::render::{document, outputs, render, request};
use crate::{skip, tree};

/// The fragments of damaged documents.
const FRAGMENTS: &[&[u8]] = &[
    b"${infra.x}",
    b"${infra.l}",
    b"${infra.o}",
    b"$${infra.x}",
    b"${infra.",
    b"${infra[",
    b"${infra.x | default(\"",
    b"${infra.x | default('a')}",
    b"${ infra . x }",
    b"${infra.nope}",
    b"${infr.x}",
    b"${other}",
    b"a",
    b"key",
    b": ",
    b":",
    b"- ",
    b"-",
    b"? ",
    b"\n",
    b"\n",
    b"\n  ",
    b"\n    ",
    b"\r\n",
    b"\r",
    b"\t",
    b" ",
    b"#",
    b" # c",
    b"\"",
    b"'",
    b"\\",
    b"\\\n",
    b"\\u12",
    b"|",
    b"|2-",
    b">",
    b">+9",
    b"&a ",
    b"*a",
    b"!!str ",
    b"!",
    b"%YAML 1.2\n",
    b"---",
    b"\n---\n",
    b"\n...\n",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"<<",
    b"\xef\xbb\xbf",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\xc3",
    b"\0",
    b"\xf0\x9f\x98\x80",
    b"sops:",
    b"apiVersion: v1\n",
    b"kind: Secret\n",
    b"kind: ResourceList\n",
    b"kind: Binding\n",
    b"items:\n",
    b"functionConfig:\n",
    b"spec:\n",
    b"outputs: [",
    b"name: infra",
    b"from: {file: a.json}",
    b"\"sensitive\": true",
    b"\"value\": ",
    b"\"type\": ",
    b"1e999",
    b"null",
    b"true",
    b"\\ud800",
];

fn bytes(numbers: &[u16]) -> Vec<u8> {
    let choices = &mut Choices::new(numbers);
    let mut bytes = Vec::new();
    while choices.any_left() {
        bytes.extend_from_slice(FRAGMENTS[choices.below(FRAGMENTS.len())]);
    }
    bytes
}

/// Returns the outputs of most tests here.
fn ordinary() -> Vec<u8> {
    let values = [
        ("x", json!("a: b\n#")),
        ("l", json!(["a", {"b": 1}])),
        ("o", json!({"k": "v"})),
    ];
    let values: Vec<_> = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value))
        .collect();
    outputs(values)
}

/// Checks that every span of a diagnostic is on character boundaries of its source.
fn point_into_sources(
    diagnostics: &[Diagnostic],
    manifest: &[u8],
    outputs: &[u8],
    binding: &[u8],
) -> Result<(), String> {
    let source = |origin: Origin| match origin {
        Origin::Manifest(0) => manifest,
        Origin::Outputs(0) => outputs,
        Origin::Binding => binding,
        other => panic!("there is no {other:?}"),
    };
    let begins_character = |source: &[u8], at: usize| match std::str::from_utf8(source) {
        Ok(text) => text.is_char_boundary(at),
        Err(_) => at <= source.len(),
    };
    for diagnostic in diagnostics {
        let places = diagnostic.labels.iter().all(|label| {
            let (source, span) = (source(label.origin), label.span);
            span.start <= span.end
                && begins_character(source, span.start)
                && begins_character(source, span.end)
        });
        let fixes = diagnostic
            .fixes
            .iter()
            .all(|fix| splice(source(fix.target), &fix.edits).is_ok());
        if !places || !fixes {
            return Err(format!("this points nowhere: {diagnostic:?}"));
        }
    }
    Ok(())
}

/// Renders; any result must be consistent.
fn survives(manifest: &[u8], outputs: &[u8]) -> Result<(), String> {
    survives_with(&request(outputs.to_vec()), manifest)
}

/// Does the same with the only outputs document and the configuration of a request.
fn survives_with(request: &Request, manifest: &[u8]) -> Result<(), String> {
    let outputs = &request.outputs[0].content;
    let reported = |what: &str| format!("{what}: {:?}", String::from_utf8_lossy(manifest));
    let once = render(manifest, request);
    let diagnostics = match &once {
        Ok(rendered) if std::str::from_utf8(&rendered.output).is_err() => {
            return Err(reported("the output is not UTF-8"));
        }
        Ok(rendered) => &rendered.diagnostics,
        Err(diagnostics) if diagnostics.is_empty() => {
            return Err(reported("refused without a word"));
        }
        Err(diagnostics) => diagnostics,
    };
    point_into_sources(diagnostics, manifest, outputs, b"").map_err(|what| reported(&what))?;
    if render(manifest, request) != once {
        return Err(reported("another answer the second time"));
    }
    Ok(())
}

fn numbers(most: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..most)
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn any_manifest(numbers in numbers(40)) {
        survives(&bytes(&numbers), &ordinary()).map_err(TestCaseError::fail)?;
    }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn any_manifest_in_any_dialect(numbers in numbers(30), dialect in any::<u16>()) {
        let dialects: Vec<_> = dialect_tokens().collect();
        let DialectTokens { id, opener, closer, escape, setter } =
            dialects[usize::from(dialect) % dialects.len()];
        let reference = format!("{opener}x{closer}");
        let tokens = [opener, closer, escape, setter, &reference, " # ", "x", "l"];
        let mut manifest = Vec::new();
        for chunk in numbers.chunks(2) {
            manifest.extend(bytes(&chunk[1..]));
            manifest.extend(tokens[usize::from(chunk[0]) % tokens.len()].bytes());
        }
        let policy = Config { path: String::new(), content: format!("dialect: {id}").into() };
        let configuration = Configuration { policy: Some(policy), ..Configuration::default() };
        let request = Request { application: configuration.into(), ..request(ordinary()) };
        survives_with(&request, &manifest).map_err(TestCaseError::fail)?;
    }
}

/// Returns the beginnings of documents in every format, and other ones.
fn heads() -> Vec<String> {
    let heads = format_samples().map(|(_, sample)| sample.head("x"));
    let others = [
        "",
        "{\"x\": {\"value\": [\"",
        "{\"format_version\": \"1\", \"values\": {\"outputs\": {\"x\": {\"type\": [",
        "{\"x\": {\"type\": \"SecureString\", \"value\": ",
        "apiVersion: v1\nkind: Secret\ndata:\n  x: ",
        "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"data\": {\"x\": \"",
    ];
    heads.chain(others.map(str::to_owned)).collect()
}

proptest! {
    #![proptest_config(cases(10_000))]

    /// Not only of noise: some begin like outputs documents.
    #[test]
    fn any_outputs_document(numbers in numbers(30), head in any::<u16>(), format in any::<u16>()) {
        let (heads, formats) = (heads(), format_samples().collect::<Vec<_>>());
        let mut document = heads[usize::from(head) % heads.len()].clone().into_bytes();
        document.extend(bytes(&numbers));
        let mut request = request(document);
        for format in [None, Some(formats[usize::from(format) % formats.len()].0)] {
            request.outputs[0].format = format.map(str::to_owned);
            survives_with(&request, b"a: ${infra.x}\n").map_err(TestCaseError::fail)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn any_binding(numbers in numbers(40)) {
        let mut content = b"apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - ".to_vec();
        content.extend(bytes(&numbers));
        let binding = Config { path: "landfall.yaml".into(), content };
        let folder = Folder { shown: "app", paths: &["a.yaml", "b/c.json"] };
        let configuration = Configuration { binding: Some(binding), ..Configuration::default() };
        let request = Request { application: configuration.into(), ..request(ordinary()) };
        let plan = request.application.plan(&[], Some(&folder));
        let binding = request.configuration().binding.clone().unwrap_or_default();
        for found in [&plan.diagnostics, &plan.parameter_errors] {
            point_into_sources(found, b"", b"", &binding.content).map_err(TestCaseError::fail)?;
        }
        let manifest = b"a: ${infra.x}\n";
        let found = render(manifest, &request).err().unwrap_or_default();
        point_into_sources(&found, manifest, &ordinary(), &binding.content)
            .map_err(TestCaseError::fail)?;
    }
}

/// Most lists are noise and refused: some must not be, or nothing was tested.
#[test]
fn any_resource_list() {
    const LISTS: u32 = 4_000;
    let (accepted, edited) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig {
        source_file: Some(file!()),
        test_name: Some("any_resource_list"),
        ..cases(LISTS)
    };
    let count = config.cases;
    let property = |numbers: Vec<u16>| {
        let mut list =
            b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- ".to_vec();
        list.extend(bytes(&numbers));
        let outputs = [document("infra", ordinary())];
        if let Ok(processed) = process(&list, &outputs, &Ceiling::default(), None, &[]) {
            prop_assert!(splice(&list, &processed.edits).is_ok());
            point_into_sources(&processed.diagnostics, &list, &outputs[0].content, b"")
                .map_err(TestCaseError::fail)?;
            accepted.set(accepted.get() + 1);
            let is_edited = !processed.failed && !processed.edits.is_empty();
            edited.set(edited.get() + u32::from(is_edited));
        }
        let _ = krm_needs(&list);
        Ok(())
    };
    if let Err(failure) = TestRunner::new(config).run(&numbers(40), property) {
        panic!("{failure}");
    }
    let (accepted, edited) = (accepted.get(), edited.get());
    // A tenth is accepted, a hundredth edited.
    assert!(
        accepted > count / 20 && edited > count / 400,
        "of {count} lists {accepted} were accepted and {edited} edited"
    );
}

/// Returns `text` cut at some byte, with some bytes changed.
fn damaged(text: &[u8], sequence: &mut Sequence) -> Vec<u8> {
    let mut damaged = text.to_vec();
    if sequence.below(2) == 0 {
        damaged.truncate(sequence.below(text.len() + 1));
    }
    for _ in 0..sequence.below(4) {
        let fragment = FRAGMENTS[sequence.below(FRAGMENTS.len())];
        let at = sequence.below(damaged.len() + 1);
        let end = damaged.len().min(at + sequence.below(4));
        damaged.splice(at..end, fragment.iter().copied());
    }
    damaged
}

#[test]
fn damaged_examples() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/karpenter");
    let outputs = std::fs::read(example.join("outputs/terraform.json")).unwrap();
    let manifests: Vec<Vec<u8>> = files(&example.join("app"))
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let mut sequence = Sequence::new(5);
    for _ in 0..1_500 {
        let manifest = &manifests[sequence.below(manifests.len())];
        survives(&damaged(manifest, &mut sequence), &outputs).unwrap();
        survives(b"a: ${infra.vpc_id}\n", &damaged(&outputs, &mut sequence)).unwrap();
    }
}

#[test]
fn damaged_application_sets() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fleet");
    let read = |path: &str| std::fs::read(example.join(path)).unwrap();
    let set = read("argocd/promtail.yaml");
    let secret = read("clusters/prod-eu.yaml");
    let file = |content: Vec<u8>| landfall::File {
        path: "a.yaml".into(),
        content,
    };
    let mut sequence = Sequence::new(8);
    let mut expanded = 0;
    for _ in 0..3_000 {
        let sets = [file(damaged(&set, &mut sequence))];
        let clusters = [file(damaged(&secret, &mut sequence))];
        for (sets, clusters) in [
            (&sets, &[file(secret.clone())]),
            (&[file(set.clone())], &clusters),
        ] {
            expanded += usize::from(landfall::expand(sets, clusters).is_ok());
        }
    }
    assert!(expanded > 100, "{expanded}");
}

#[needs(corpora)]
#[test]
fn damaged_files_of_the_corpora() {
    let corpora = skip::needed_corpora();
    let ordinary = ordinary();
    let mut sequence = Sequence::new(6);
    for set in [
        "yaml-test-suite",
        "flux-xunholy",
        "flux-toboshii",
        "krm",
        "kube-prometheus",
    ] {
        let files: Vec<_> = files(&corpora.join(set))
            .into_iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
            .collect();
        for _ in 0..400 {
            let content = std::fs::read(&files[sequence.below(files.len())]).unwrap();
            let content = &content[..content.len().min(3_000)];
            // References in place of words.
            let mut text = String::from_utf8_lossy(content).into_owned();
            for _ in 0..3 {
                let words: Vec<usize> = text
                    .match_indices(|c: char| c.is_ascii_alphanumeric())
                    .map(|(at, _)| at)
                    .collect();
                if let Some(at) = words.get(sequence.below(words.len())) {
                    text.insert_str(*at, "${infra.x}");
                }
            }
            survives(&damaged(text.as_bytes(), &mut sequence), &ordinary).unwrap();
        }
    }
}

#[test]
fn twenty_thousand_brackets() {
    let outputs = ordinary();
    let mut deep: Vec<String> = Vec::new();
    for (open, close) in [
        ("[", "]"),
        ("{a: ", "}"),
        ("- ", ""),
        ("? ", ""),
        ("[{", "}]"),
    ] {
        deep.push(format!(
            "{}${{infra.x}}{}\n",
            open.repeat(20_000),
            close.repeat(20_000)
        ));
        deep.push(format!("{}${{infra.x}}\n", open.repeat(20_000)));
    }
    deep.push(
        (0..2_000)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect::<String>()
            + &" ".repeat(2_000)
            + "${infra.x}\n",
    );
    deep.push(format!("a: {}${{infra.x}}\n", "${".repeat(20_000)));
    deep.push(format!("a: ${{infra.x{}\n", "[\"".repeat(20_000)));
    deep.push(format!("a: ${{infra.x{}}}\n", "[0]".repeat(20_000)));
    deep.push(format!(
        "a: ${{infra.x{}}}\n",
        "| default(1)".repeat(20_000)
    ));
    for manifest in deep {
        survives(manifest.as_bytes(), &outputs).unwrap();
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        let document = format!("{{\"x\": {{\"value\": {nested}}}}}");
        let refused = render(b"a: ${infra.x}\n", &request(document.clone().into_bytes()));
        assert!(refused.is_err_and(|found| found.iter().any(|d| d.rule == Rule::InvalidOutputs)));
        survives(b"a: ${infra.x}\n", &document.as_bytes()[..30_000]).unwrap();
    }
}

/// Ten megabytes.
const LONG: usize = 10_000_000;

fn edits_of(manifest: &str) -> Vec<Edit> {
    match render(manifest.as_bytes(), &request(ordinary())) {
        Ok(rendered) => rendered.edits,
        Err(diagnostics) => panic!("{:?}", diagnostics.first()),
    }
}

#[test]
fn a_line_of_ten_megabytes() {
    let text = "lorem \\u00e9 ipsum ".repeat(LONG / 18);
    for manifest in [
        format!("a: {text}${{infra.l[0]}}\n"),
        format!("a: \"{text}${{infra.x}}\"\n"),
        format!("a: |\n  {text}${{infra.l[0]}}\n"),
        format!("a: ${{infra.x}} # {text}\n"),
    ] {
        assert_eq!(edits_of(&manifest).len(), 1);
    }
    // Only beginnings of references, in a comment and in a document that is not YAML.
    let heads = "${infra.x} ".repeat(LONG / 11);
    assert_eq!(
        edits_of(&format!("a: ${{infra.l[0]}} # {heads}\n")).len(),
        1
    );
    let broken = format!("a: [\n# {heads}\n");
    assert!(
        render(broken.as_bytes(), &request(ordinary()))
            .unwrap()
            .edits
            .is_empty()
    );
}

#[test]
fn a_value_of_ten_megabytes() {
    let value: Json = json!("it's: \n".repeat(LONG / 7));
    let document = outputs([("x".to_owned(), &value)]);
    let rendered = render(b"a: \"${infra.x}\"\n", &request(document)).unwrap();
    let read = tree::read(std::str::from_utf8(&rendered.output).unwrap()).unwrap();
    let mut texts = Vec::new();
    read[0].texts(&mut |text| texts.push(text.to_owned()));
    assert_eq!(texts[1], value.as_str().unwrap());
}
