//! Parts of a source, rendered one by one, give the answer of the whole, or decline.

use std::ops::Range;

use landfall::{
    Config, Configuration, Content, Diagnostics, Edit, File, OutputsDocument, RenderedPart,
    Request, Sources, report_unused,
};
use landfall_test_needs::needs;
use proptest::prelude::*;
use serde_json::json;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{document, outputs};
use crate::scalars::scalars;
use crate::{corpora, document as manifests, hostile, skip};

const OUTPUTS: usize = 4;

/// Documents in which something may cross to others, and some in which nothing does.
const DOCUMENTS: &[&str] = &[
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  v: ${infra.v0}\n  w: \"${infra.v1} \"\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  v: ${infra.secret}\n",
    "kind: Service\napiVersion: v1\nspec: {clusterIP: \"${infra.v2}\"}\n",
    "x: 1\n",
    "",
    "# only a comment\n",
    // Sensitive values inside anchors, and aliases without anchors.
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: &a\n  v: ${infra.secret}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: *a\n",
    "a: &x [${infra.v3}]\nb: *x\n",
    // Custom resources and their definitions.
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {text: \"${infra.number}\", count: \"${infra.number}\"}\n",
    "apiVersion: example.com/v1\nkind: Widget\nspec:\n  text: ${infra.number}\n  count: ${infra.number}\n",
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}, count: {type: integer}}}}}}\n",
    // Unbound names.
    "script: |\n  echo ${other.name} ${array[0]}\n",
    "v: ${other.name}\n",
    "v: ${infar.v0}\n",
    "v: 1 # landfall: ${other.x}\n",
    // Setter comments, embedded documents, escapes and functions.
    "v: old # landfall: ${infra.v0}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e}\ndata:\n  c.yaml: |\n    v: ${infra.v1}\n    # ${infra.v2}\n",
    "v: $${infra.v0}\nw: ${infra.v1 | upper}\n",
    "v: x # kpt-set: ${v0}\nw: ${v1}\n",
    "v: '{{v2}}'\nw: ${v3:-x}\n",
    "v: ${infra.missing | default(\"x\")}\n",
    "v: \"a\n\n  ${infra.v3}\"\n",
    // Base64, documents of landfall's own kinds, errors.
    "apiVersion: v1\nkind: Secret\nmetadata: {name: d}\ndata: {v: JHtpbmZyYS52MH0=}\n",
    "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n",
    "v: ${infra.missing}\n",
    "v: ${infra.v0\n",
    "a: [\nb: ${infra.v0}\n",
    "v: ${infra.secret}\n",
    "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [{\"v\": \"${infra.v0}\"}]}\n",
];

const SEPARATORS: &[&str] = &[
    "---\n",
    "---\n",
    "---\n",
    "--- # c\n",
    "\n---\n",
    "...\n---\n",
    "...\n# c\n---\n",
    "...\n%YAML 1.2\n---\n",
    "...\n",
    "---\n# c\n---\n",
    "---\r\n",
    "",
];

/// A part: bytes of files.
type Part = Vec<(usize, Range<usize>)>;

/// Files with a request.
pub(crate) struct Case {
    pub(crate) files: Vec<File>,
    pub(crate) request: Request,
}

impl Case {
    pub(crate) fn generate(choices: &mut Choices<'_>) -> Self {
        let is_hostile = choices.one_in(2);
        // Most cases have few kinds of documents, so that parts are declined in some only.
        let last = choices.pick(&[4, 4, 23, DOCUMENTS.len()]);
        let mut files = Vec::new();
        for nth in 0..1 + choices.below(3) {
            let mut text = choices
                .pick(&["", "", "---\n", "\u{feff}", "# c\n"])
                .to_owned();
            for _ in 0..1 + choices.below(5) {
                match choices.below(4) {
                    0 => text.push_str(&manifests::manifest(choices, OUTPUTS).spelled().text),
                    _ => text.push_str(DOCUMENTS[choices.below(last)]),
                }
                text.push_str(choices.pick(SEPARATORS));
            }
            let path = format!("{nth}.yaml");
            let content = text.into_bytes();
            files.push(File { path, content });
        }
        let values: Vec<_> = (0..OUTPUTS)
            .map(|nth| {
                if is_hostile {
                    hostile::scalar(choices)
                } else {
                    json!(format!("v{nth}"))
                }
            })
            .collect();
        let named = values.iter().enumerate();
        let mut content: serde_json::Value = serde_json::from_slice(&outputs(
            named.map(|(nth, value)| (output_name(nth), value)),
        ))
        .unwrap();
        content["number"] = json!({"sensitive": false, "type": "number", "value": 5});
        content["secret"] = json!({"sensitive": true, "type": "string", "value": "s3cr3t"});
        if choices.one_in(4) {
            // A warning: it looks like a secret, and is not marked as one.
            content["admin_password"] = json!({"value": "hunter2"});
        }
        let mut request = request(choices, content.to_string().into_bytes());
        if choices.one_in(4) {
            // A note: it overrides an output.
            let other = outputs([(output_name(1), &json!("other"))]);
            request.outputs.push(document("infra", other));
        }
        Self { files, request }
    }

    /// Divides the files at some of the places that the contract allows.
    fn divide(&self, choices: &mut Choices<'_>) -> Vec<Part> {
        let mut parts = vec![Part::new()];
        for (nth, file) in self.files.iter().enumerate() {
            let text = std::str::from_utf8(&file.content).unwrap();
            let mut start = 0;
            for document in yaml::split(text) {
                let at = document.offset;
                if at > 0 && document.text.starts_with("---") && choices.below(3) != 1 {
                    parts.last_mut().unwrap().push((nth, start..at));
                    parts.push(Part::new());
                    start = at;
                }
            }
            parts.last_mut().unwrap().push((nth, start..text.len()));
            if choices.one_in(2) {
                parts.push(Part::new());
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Renders all parts and joins them. `None`: one has no result, or there is an error.
    fn joined(&self, parts: &[Part]) -> Option<(Vec<Content>, Diagnostics)> {
        let rendered = parts.iter().map(|part| {
            let files = part.iter().map(|(nth, bytes)| File {
                path: self.files[*nth].path.clone(),
                content: self.files[*nth].content[bytes.clone()].to_vec(),
            });
            Sources::new(files.collect()).render_part(&self.request, parts.len() as u64)
        });
        let rendered: Vec<RenderedPart> = rendered.collect::<Option<_>>()?;
        let mut edits: Vec<Vec<Edit>> = self.files.iter().map(|_| Vec::new()).collect();
        for (part, rendered) in parts.iter().zip(&rendered) {
            for ((file, bytes), content) in part.iter().zip(&rendered.sources) {
                if let Content::Edited(found) = content {
                    edits[*file].extend(found.iter().map(|edit| Edit {
                        span: edit.span.shifted(bytes.start),
                        text: edit.text.clone(),
                    }));
                }
            }
        }
        let mut unused = rendered[0].unused.clone();
        unused.retain(|output| rendered.iter().all(|part| part.unused.contains(output)));
        let mut diagnostics = rendered[0].diagnostics.clone();
        for found in report_unused(&self.request, &unused) {
            diagnostics.push(found);
        }
        let contents = edits.into_iter().map(|edits| {
            if edits.is_empty() {
                Content::Unchanged
            } else {
                Content::Edited(edits)
            }
        });
        (!diagnostics.has_errors()).then(|| (contents.collect(), diagnostics))
    }

    /// Checks the parts against the whole. Returns whether they have a result.
    fn check(&self, parts: &[Part]) -> Result<bool, TestCaseError> {
        let Some((sources, diagnostics)) = self.joined(parts) else {
            return Ok(false);
        };
        let shown = || {
            let texts = self
                .files
                .iter()
                .map(|file| String::from_utf8_lossy(&file.content));
            format!("{parts:?} of {:#?}", texts.collect::<Vec<_>>())
        };
        match Sources::new(self.files.clone()).generate(&self.request) {
            Ok(whole) => {
                prop_assert_eq!(&whole.sources, &sources, "{}", shown());
                let (all, of_parts) = (whole.diagnostics.as_slice(), diagnostics.as_slice());
                prop_assert_eq!(all, of_parts, "{}", shown());
                prop_assert_eq!(whole.diagnostics.omitted(), diagnostics.omitted());
            }
            Err(errors) => {
                let found: Vec<_> = errors.iter().map(|found| &found.message).collect();
                return Err(TestCaseError::fail(format!("{found:?}: {}", shown())));
            }
        }
        Ok(true)
    }
}

/// Returns a request with these outputs and various policies.
fn request(choices: &mut Choices<'_>, content: Vec<u8>) -> Request {
    let policy = choices.pick(&[
        "",
        "",
        "",
        "unused: error",
        "unused: ignore",
        "unbound: error",
    ]);
    let policy = (!policy.is_empty()).then(|| Config {
        path: "policy".into(),
        content: policy.into(),
    });
    let binding = choices.pick(&[
        "",
        "",
        "",
        "",
        "spec: {dialect: flux}\n",
        "spec: {dialect: kpt-set}\n",
        "spec: {dialect: applicationset}\n",
        "spec: {foreign: [other, array]}\n",
        "spec: {contract: {infra: {v0: {unused: error}}}}\n",
        "spec:\n  substitutions:\n  - value: ${infra.v0}\n    targets: [{select: {kind: Service}, fieldPaths: [spec.clusterIP]}]\n",
    ]);
    let binding = (!binding.is_empty()).then(|| Config {
        path: "landfall.yaml".into(),
        content: format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\n{binding}").into(),
    });
    Request {
        outputs: vec![OutputsDocument {
            sensitive: choices.one_in(8),
            ..document("infra", content)
        }],
        application: Configuration {
            policy,
            binding,
            ..Configuration::default()
        }
        .into(),
        resources_only: choices.one_in(6),
        keep_references: choices.one_in(8),
        answer_limit: choices.one_in(8).then_some(40),
        ..Request::default()
    }
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn parts_have_the_answer_of_the_whole(numbers in prop::collection::vec(any::<u16>(), 0..160)) {
        let choices = &mut Choices::new(&numbers);
        let case = Case::generate(choices);
        let parts = case.divide(choices);
        case.check(&parts)?;
    }
}

/// Without this, the property above could hold because every part is declined.
#[test]
fn many_parts_have_a_result_and_many_have_none() {
    let mut sequence = Sequence::new(1);
    let (mut results, mut declined) = (0, 0);
    for _ in 0..2_000 {
        let numbers = sequence.numbers(160);
        let choices = &mut Choices::new(&numbers);
        let case = Case::generate(choices);
        let parts = case.divide(choices);
        if parts.len() < 2 {
            continue;
        }
        match case.check(&parts) {
            Ok(true) => results += 1,
            Ok(false) => declined += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(results > 200 && declined > 200, "{results} {declined}");
}

/// Returns a file in which some scalars are references.
fn with_references(text: &str, sequence: &mut Sequence) -> Option<String> {
    let scalars = scalars(text)?;
    let every = 1 + sequence.below(40);
    let mut changed = String::new();
    let mut at = 0;
    for scalar in scalars.iter().skip(sequence.below(every)).step_by(every) {
        let range = scalar.inner.clone();
        let is_free = range.start >= at && !text[..range.start].ends_with('$');
        if is_free && !scalar.properties.key && scalar.properties.chomping.is_none() {
            changed.push_str(&text[at..range.start]);
            changed.push_str(&format!(
                "${{infra.{}}}",
                output_name(sequence.below(OUTPUTS))
            ));
            at = range.end;
        }
    }
    changed.push_str(&text[at..]);
    Some(changed)
}

#[needs(corpora)]
#[test]
fn parts_of_real_files_have_the_answer_of_the_whole() {
    let corpora = skip::needed_corpora();
    let mut sequence = Sequence::new(2);
    let (mut files, mut results) = (0, 0);
    for path in corpora::files(&corpora) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if !text.contains("\n---") {
            continue;
        }
        files += 1;
        for is_hostile in [false, true] {
            let Some(text) = with_references(&text, &mut sequence) else {
                continue;
            };
            let numbers = sequence.numbers(400);
            let choices = &mut Choices::new(&numbers);
            let values: Vec<_> = (0..OUTPUTS)
                .map(|_| {
                    if is_hostile {
                        hostile::scalar(choices)
                    } else {
                        json!("x")
                    }
                })
                .collect();
            let named = values.iter().enumerate();
            let content = outputs(named.map(|(nth, value)| (output_name(nth), value)));
            let case = Case {
                files: vec![File {
                    path: "manifest.yaml".into(),
                    content: text.into_bytes(),
                }],
                request: Request {
                    outputs: vec![document("infra", content)],
                    ..Request::default()
                },
            };
            let parts = case.divide(choices);
            match case.check(&parts) {
                Ok(has_result) => results += usize::from(has_result && parts.len() > 1),
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    assert!(files > 50 && results > files / 4, "{files} {results}");
}
