//! The examples of the documentation as ResourceLists.

use std::fs;

use landfall_host_tests::program::repository;
use serde_json::{Map, Value, json};

use crate::config::Configs;
use crate::notation;
use crate::outputs::Expanded;
use crate::page::{Block, Example, examples};

/// One run of the command.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) stdin: String,
}

impl Case {
    /// A run of `krm`.
    pub(crate) fn krm(name: &str, list: &str) -> Self {
        Self::new(name, &["krm"], list)
    }

    pub(crate) fn new(name: &str, arguments: &[&str], stdin: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: arguments.iter().map(|&one| one.to_owned()).collect(),
            stdin: stdin.to_owned(),
        }
    }
}

/// Why an example is no ResourceList.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotCarried {
    /// It has an operator's policy, or Argo CD's ceiling.
    Ceiling,
    /// Its outputs are no JSON: those of a resource are part of a YAML document.
    Outputs,
    /// Its Binding cannot be read, or has what only a folder has.
    Binding,
    /// Its manifest is no series of mappings.
    Manifest,
}

/// Returns all examples below `docs/` that a ResourceList can carry, and why the others can't.
pub(crate) fn documentation() -> (Vec<Case>, Vec<NotCarried>) {
    let docs = repository().join("docs");
    let mut pages: Vec<_> = ["language", "dialects"]
        .iter()
        .flat_map(|folder| fs::read_dir(docs.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .chain([docs.join("binding.md"), docs.join("rules.md")])
        .collect();
    pages.sort();
    let (mut carried, mut others) = (Vec::new(), Vec::new());
    for path in pages {
        let page = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        // Chapters whose blocks are files and a console are no examples.
        let Ok(examples) = examples(&page) else {
            continue;
        };
        for example in examples {
            match resource_list(&example) {
                Ok(list) => carried.push(Case::krm(&format!("{name}:{}", example.line), &list)),
                Err(why) => others.push(why),
            }
        }
    }
    (carried, others)
}

fn resource_list(example: &Example) -> Result<String, NotCarried> {
    let is_role = |role: &str| matches!(role, "manifest" | "result" | "diagnostics");
    let manifest = example.blocks.iter().find(|block| block.role == "manifest");
    let manifest = manifest.ok_or(NotCarried::Manifest)?;
    let has_operator = example.blocks.iter().any(|block| block.role == "operator");
    if manifest.marks.argo_cd || has_operator {
        return Err(NotCarried::Ceiling);
    }
    let bound = example.blocks.iter().filter(|block| !is_role(&block.role));
    let bound: Vec<&Block> = bound
        .filter(|block| !Configs::is_role(&block.role))
        .collect();
    let documents = bound.iter().map(|block| document(block));
    let documents = documents.collect::<Result<Vec<_>, _>>()?;
    let binding = binding(example, &documents)?;
    let items = items(&notation::read(&manifest.content, manifest.marks))?;

    let mut list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n".to_owned();
    list.push_str(&items);
    for (nth, (_, document)) in documents.iter().enumerate() {
        let item = json!({
            "apiVersion": "example.org/v1",
            "kind": "Outputs",
            "metadata": {"name": format!("outputs-{nth}")},
            "status": document,
        });
        list.push_str(&format!("- {item}\n"));
    }
    list.push_str(&format!("functionConfig: {binding}\n"));
    let is_read = serde_yaml::from_str::<serde_yaml::Value>(&list).is_ok();
    is_read.then_some(list).ok_or(NotCarried::Manifest)
}

/// Returns the name and the content of an outputs document.
fn document(block: &Block) -> Result<(String, Value), NotCarried> {
    if block.language != "json" {
        return Err(NotCarried::Outputs);
    }
    let expanded = Expanded::new(block).map_err(|_| NotCarried::Outputs)?;
    let content = serde_json::from_slice(&expanded.document.content);
    Ok((
        block.role.clone(),
        content.map_err(|_| NotCarried::Outputs)?,
    ))
}

/// Returns the Binding as one line, with the documents from resources of the list.
fn binding(example: &Example, documents: &[(String, Value)]) -> Result<Value, NotCarried> {
    let block = example.blocks.iter().find(|block| block.role == "binding");
    let text = block.map_or("spec: {}", |block| &block.content);
    let mut root: Value = serde_yaml::from_str(text).map_err(|_| NotCarried::Binding)?;
    let spec = root.get_mut("spec").and_then(Value::as_object_mut);
    let spec = spec.ok_or(NotCarried::Binding)?;
    let only_in_folders = ["tool", "manifests", "schemas", "kustomize", "helm"];
    if only_in_folders.iter().any(|key| spec.contains_key(*key)) {
        return Err(NotCarried::Binding);
    }
    let declared = spec.remove("outputs").unwrap_or_default();
    let mut declared = declared.as_array().cloned().unwrap_or_default();
    let mut outputs = Vec::new();
    for (nth, (name, content)) in documents.iter().enumerate() {
        let at = declared.iter().position(|item| item["name"] == **name);
        let mut item = at.map_or_else(|| json!({"name": name}), |at| declared.remove(at));
        let resource = json!({"kind": "Outputs", "name": format!("outputs-{nth}")});
        item["from"] = json!({"resource": resource});
        // Recognised by the content of a document alone.
        let is_terraform = content.as_object().is_some_and(|outputs| {
            let mut outputs = outputs.values();
            outputs.all(|output| output.get("sensitive").is_some())
        });
        if item.get("format").is_none() && is_terraform {
            item["format"] = json!("terraform");
        }
        outputs.push(item);
    }
    if declared
        .iter()
        .any(|item| item["from"].get("inline").is_none())
    {
        return Err(NotCarried::Binding);
    }
    outputs.extend(declared);
    spec.insert("outputs".to_owned(), outputs.into());
    // As the examples have it.
    let policy = spec.entry("policy").or_insert_with(|| Map::new().into());
    if !text.contains("unused") {
        policy["unused"] = json!("ignore");
    }
    root["apiVersion"] = json!("landfall.dev/v1alpha1");
    root["kind"] = json!("Binding");
    root["metadata"] = json!({"name": "landfall"});
    Ok(root)
}

/// Returns the documents of a manifest as items of a block sequence.
fn items(manifest: &str) -> Result<String, NotCarried> {
    let has_directives = manifest
        .lines()
        .any(|line| line.starts_with('%') || line == "...");
    if has_directives || manifest.contains(['\u{feff}', '\r', '\t']) {
        return Err(NotCarried::Manifest);
    }
    let mut items = String::new();
    let (mut is_first, mut is_empty) = (true, true);
    for line in manifest.lines() {
        if line == "---" {
            is_first = true;
            continue;
        }
        if line.starts_with("---") {
            return Err(NotCarried::Manifest);
        }
        let is_content = !line.trim().is_empty() && !line.starts_with('#');
        let indent = if is_first && is_content { "- " } else { "  " };
        is_first &= !is_content;
        is_empty &= !is_content;
        if !line.is_empty() {
            items.push_str(indent);
        }
        items.push_str(line);
        items.push('\n');
    }
    if is_empty {
        return Err(NotCarried::Manifest);
    }
    Ok(items)
}
