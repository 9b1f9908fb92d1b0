//! The cases: inputs as JavaScript passes them, and the core's native results for them.

use std::fs;
use std::path::{Path, PathBuf};

use landfall::{Ceiling, Configuration, Content, Request, Sources, splice};
use landfall_host_tests::program::{example, repository};
use serde_json::{Value, json};

use crate::config::Configs;
use crate::notation;
use crate::outputs::Expanded;
use crate::page;

/// One input.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) manifests: Vec<(String, Vec<u8>)>,
    pub(crate) request: Request,
    /// Manifest and offset in UTF-16 code units.
    pub(crate) completed: Vec<(usize, usize)>,
}

impl Case {
    /// Returns the call that the package's wrapper makes.
    fn call(&self) -> landfall_browser::Call {
        let request = &self.request;
        let mut call = landfall_browser::Call::new(request.resources_only, request.keep_references);
        for (path, content) in self.manifests.clone() {
            call.manifest(path, content);
        }
        for of in request.outputs.clone() {
            call.outputs(of.path, of.content, of.name, of.format, of.sensitive);
        }
        if let Some(binding) = request.configuration().binding.clone() {
            call.binding(binding.path, binding.content);
        }
        if let Some(policy) = &request.configuration().policy {
            let policy: Value = serde_yaml::from_slice(&policy.content).unwrap();
            call.policy(policy.to_string());
        }
        call
    }

    /// Returns the input, with the contents of its documents converted by `content`.
    fn input(&self, content: &dyn Fn(&[u8]) -> Value) -> Value {
        let with = |mut document: Value, bytes: &[u8]| {
            if let (Some(document), Value::Object(content)) =
                (document.as_object_mut(), content(bytes))
            {
                document.extend(content);
            }
            document
        };
        let manifests = self.manifests.iter();
        let manifests = manifests.map(|(path, bytes)| with(json!({"path": path}), bytes));
        let outputs = self.request.outputs.iter().map(|of| {
            let mut document = json!({"path": of.path, "name": of.name});
            if let Some(format) = &of.format {
                document["format"] = json!(format);
            }
            if of.sensitive {
                document["sensitive"] = json!(true);
            }
            with(document, &of.content)
        });
        let mut input = json!({
            "manifests": manifests.collect::<Vec<_>>(),
            "outputs": outputs.collect::<Vec<_>>(),
            "resourcesOnly": self.request.resources_only,
            "keepReferences": self.request.keep_references,
        });
        if let Some(binding) = &self.request.configuration().binding {
            input["binding"] = with(json!({"path": binding.path}), &binding.content);
        }
        if let Some(policy) = &self.request.configuration().policy {
            input["policy"] = serde_yaml::from_slice(&policy.content).unwrap();
        }
        input
    }

    /// Returns the case for `run.mjs`.
    pub(crate) fn to_json(&self) -> Value {
        let content = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) => json!({"content": text}),
            Err(_) => json!({"base64": base64(bytes)}),
        };
        let at = self.completed.iter();
        let at = at.map(|(manifest, offset)| json!({"manifest": manifest, "offset": offset}));
        json!({"input": self.input(&content), "at": at.collect::<Vec<_>>()})
    }

    /// Returns the expected output of the package.
    pub(crate) fn expected(&self) -> Value {
        let answer = |answer: String| -> Value {
            let mut answer: Value = serde_json::from_str(&answer).unwrap();
            answer["Ok"].take()
        };
        type Ask = fn(landfall_browser::Call, usize, usize) -> String;
        let asked = |ask: Ask| -> Vec<Value> {
            let at = self.completed.iter();
            at.map(|(manifest, offset)| answer(ask(self.call(), *manifest, *offset)))
                .collect()
        };
        let redacted = self.request.outputs.iter().map(|of| {
            let request = Request {
                outputs: vec![of.clone()],
                ..Request::default()
            };
            let manifests = self.manifests.clone();
            let one = Case {
                manifests,
                request,
                ..Self::default()
            };
            answer(one.call().redact())
        });
        json!({
            "redact": redacted.collect::<Vec<_>>(),
            "render": answer(self.call().render()),
            "check": answer(self.call().check()),
            "explain": answer(self.call().explain()),
            "complete": asked(landfall_browser::Call::complete),
            "hover": asked(landfall_browser::Call::hover),
            "definition": asked(landfall_browser::Call::definition),
        })
    }

    /// Returns the rendered files as the core's own hosts write them, or `None` if there
    /// are errors.
    pub(crate) fn rendered(&self) -> Option<Vec<String>> {
        let files = self.manifests.iter().map(|(path, content)| landfall::File {
            path: path.clone(),
            content: content.clone(),
        });
        let answer = Sources::new(files.collect()).generate(&self.request).ok()?;
        let contents = self.manifests.iter().zip(&answer.sources);
        let contents = contents.map(|((_, source), content)| match content {
            Content::Edited(edits) => String::from_utf8(splice(source, edits).unwrap()).unwrap(),
            Content::Unchanged => String::from_utf8(source.clone()).unwrap(),
        });
        Some(contents.collect())
    }
}

/// Returns every example of `docs/language/`.
pub(crate) fn documentation() -> Vec<Case> {
    let folder = repository().join("docs/language");
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages.iter().flat_map(|path| of_page(path)).collect()
}

fn of_page(path: &Path) -> Vec<Case> {
    let name = path.file_stem().unwrap().to_string_lossy();
    let text = fs::read_to_string(path).unwrap();
    // The index has no examples.
    let examples = page::examples(&text).unwrap_or_default();
    let cases = examples.iter().map(|example| {
        let manifest = example.blocks.iter().find(|block| block.role == "manifest");
        let manifest = manifest.unwrap();
        let bound = example
            .blocks
            .iter()
            .filter(|block| !matches!(&block.role[..], "manifest" | "result" | "diagnostics"))
            .filter(|block| !Configs::is_role(&block.role));
        let outputs = bound.map(|block| Expanded::new(block).unwrap().document);
        let mut request = Configs::new(example).put_into(Request {
            outputs: outputs.collect(),
            resources_only: manifest.marks.folder,
            ..Request::default()
        });
        // A browser has no ceiling.
        request.configure(|configuration| configuration.ceiling = Ceiling::default());
        let content = notation::read(&manifest.content, manifest.marks).into_bytes();
        Case {
            name: format!("{name}: it {}", example.sentence),
            completed: everywhere(&content),
            manifests: vec![("manifest.yaml".to_owned(), content)],
            request,
        }
    });
    cases.collect()
}

/// Returns both applications of `examples/karpenter`.
pub(crate) fn examples() -> Vec<Case> {
    let root = example("karpenter");
    let read = |path: &str| fs::read(root.join(path)).unwrap();
    let outputs = landfall::OutputsDocument {
        name: "infra".to_owned(),
        path: "outputs/terraform.json".to_owned(),
        content: read("outputs/terraform.json"),
        ..landfall::OutputsDocument::default()
    };
    let case = |folder: &str, files: &[&str]| {
        let manifests: Vec<(String, Vec<u8>)> = files
            .iter()
            .map(|file| {
                (
                    format!("{folder}/{file}"),
                    read(&format!("{folder}/{file}")),
                )
            })
            .collect();
        let path = format!("{folder}/landfall.yaml");
        Case {
            name: format!("examples/karpenter/{folder}"),
            completed: manifests
                .iter()
                .enumerate()
                .flat_map(|(nth, (_, content))| {
                    everywhere(content)
                        .into_iter()
                        .map(move |(_, at)| (nth, at))
                })
                .collect(),
            manifests,
            request: Request {
                outputs: vec![outputs.clone()],
                application: Configuration {
                    binding: Some(landfall::Config {
                        content: read(&path),
                        path,
                    }),
                    ..Configuration::default()
                }
                .into(),
                resources_only: true,
                ..Request::default()
            },
        }
    };
    let app = [
        "cluster-info.yaml",
        "karpenter.yaml",
        "monitoring.yaml",
        "namespace.yaml",
        "nodes/ec2nodeclass.yaml",
        "nodes/nodepools.yaml",
        "service-account.yaml",
    ];
    vec![case("app", &app), case("bootstrap", &["secret.yaml"])]
}

/// Returns cursor positions in a manifest: before, in and after every reference.
pub(crate) fn everywhere(content: &[u8]) -> Vec<(usize, usize)> {
    let Ok(text) = std::str::from_utf8(content) else {
        return vec![(0, 0)];
    };
    let units = |at: usize| text[..at].encode_utf16().count();
    let end = units(text.len());
    let near = |(at, _): (usize, &str)| {
        let at = units(at);
        [0, 2, 5, 9, 20].map(|distance| (0, (at + distance).min(end)))
    };
    text.match_indices("${").take(4).flat_map(near).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk
            .iter()
            .fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            text.push(char::from(DIGITS[number >> (18 - 6 * digit) & 63]));
        }
    }
    text
}
