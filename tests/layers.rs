//! The direction of dependencies between the modules of `src/`, of `host/src/` and of its
//! `flags/`: downwards only, without cycles, and no module with more than a quarter of the
//! lines. Only `yaml/` reads YAML.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests panic, and this one reads the sources"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a crate from top to bottom. Modules in the same layer don't depend on each
/// other.
struct Layered {
    sources: &'static str,
    /// What begins the path of a module in an import.
    prefix: &'static str,
    layers: &'static [&'static [&'static str]],
}

const LAYERED: [Layered; 3] = [
    Layered {
        sources: "src",
        prefix: "crate::",
        layers: &[
            &["assist"],
            &["contract"],
            &["bind"],
            &["analysis"],
            &["config"],
            &["kubernetes", "functions"],
            &["reference", "outputs"],
            &["report"],
            &["collections", "steps"],
        ],
    },
    Layered {
        sources: "host/src",
        prefix: "crate::",
        layers: &[
            &["commands"],
            &["fleet"],
            &["application"],
            &["tools"],
            &["loading", "flags"],
            &["discovery", "argocd"],
            &["reporter"],
            &["report"],
            &["rendered", "terraform"],
            &["draw", "problem"],
            &["engine"],
            &["files"],
            &["settings", "paths", "sanitize", "stream"],
            &["exit", "splice"],
        ],
    },
    Layered {
        sources: "host/src/flags",
        prefix: "super::",
        layers: &[
            &["resolve", "tips"],
            &["definition"],
            &["argocd", "export"],
            &["inputs", "each", "color"],
            &["binding", "environment", "policy", "quantity"],
            &["help"],
        ],
    },
];

/// The files above all modules.
const TOP: [&str; 4] = ["lib.rs", "main.rs", "mod.rs", "tests.rs"];

/// Returns every Rust file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

impl Layered {
    fn root(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.sources)
    }

    fn layer(&self, module: &str) -> Option<usize> {
        let mut layers = self.layers.iter();
        layers.position(|modules| modules.contains(&module))
    }

    /// Returns the files below the top, each with the path of its module.
    fn files(&self) -> Vec<(PathBuf, Vec<String>)> {
        let all = files(&self.root()).into_iter().filter_map(|file| {
            let inside = file.strip_prefix(self.root()).unwrap().to_str().unwrap();
            let path = inside.strip_suffix(".rs")?;
            let path = path.strip_suffix("/mod").unwrap_or(path);
            let path = path.split('/').map(str::to_owned).collect();
            (!TOP.contains(&inside)).then_some((file, path))
        });
        all.collect()
    }
}

/// Returns the code of a file, without comments and tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// Returns the names that follow `prefix` where it begins a path.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |at: &usize| !code[..*at].ends_with(|c: char| is_part(c) || c == ':');
    let found = code.match_indices(prefix).map(|(at, _)| at).filter(begins);
    let names = found.map(|at| {
        let rest = &code[at + prefix.len()..];
        rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

#[test]
fn modules_depend_downwards_only() {
    let mut wrong = Vec::new();
    for layered in LAYERED {
        for (file, path) in layered.files() {
            let module = &path[0];
            let own = layered.layer(module);
            let own = own.unwrap_or_else(|| panic!("`{module}` is in no layer"));
            let code = code(&file);
            for name in names_after(&code, layered.prefix) {
                // What isn't a module is an item of the root, which is above all of them:
                // imports must name the module.
                let is_below =
                    name == *module || layered.layer(&name).is_some_and(|other| other > own);
                if !is_below {
                    wrong.push(format!("{}: {}{name}", file.display(), layered.prefix));
                }
            }
            if layered.prefix != "crate::" {
                continue;
            }
            let is_inline = |line: &str| line.starts_with("mod ") && line.ends_with('{');
            let depth = path.len() + usize::from(code.lines().any(is_inline));
            // As many lead to the top.
            let outside = "super::".repeat(depth);
            for name in names_after(&code, &outside) {
                wrong.push(format!("{}: {outside}{name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports upwards:\n{}", wrong.join("\n"));
}

#[test]
fn no_module_has_more_than_a_quarter_of_the_lines() {
    for layered in LAYERED {
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for (file, path) in layered.files() {
            let own = fs::read_to_string(&file).unwrap().lines().count();
            *lines.entry(path[0].clone()).or_default() += own;
        }
        let all: usize = lines.values().sum();
        let large: Vec<_> = lines.iter().filter(|(_, own)| **own * 4 > all).collect();
        assert!(large.is_empty(), "{large:?} of {all} lines");
    }
}

#[test]
fn yaml_does_not_mention_its_consumers() {
    let yaml = Path::new(env!("CARGO_MANIFEST_DIR")).join("yaml");
    let manifest = fs::read_to_string(yaml.join("Cargo.toml")).unwrap();
    let (before, _) = manifest.split_once("[dev-dependencies]").unwrap();
    let is_consumer =
        |line: &str| line.starts_with("landfall") && !line.starts_with("landfall-yaml-");
    assert!(!before.lines().any(is_consumer), "{manifest}");
    let words = ["Kubernetes", "kubectl", "Argo", "Terraform", "reference to"];
    let mut wrong = Vec::new();
    for file in files(&yaml.join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        let found = words.iter().filter(|word| text.contains(*word));
        wrong.extend(found.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Crates that read YAML.
const PARSERS: [&str; 6] = [
    "granit-parser",
    "yaml_serde",
    "serde_yaml",
    "saphyr",
    "yaml-rust2",
    "libyaml",
];

/// Who may depend on one of them, and where. Two readers of the same text may read two values:
/// all that is rendered goes through `yaml/`.
const READERS: [(&str, &str, &[&str]); 2] = [
    ("yaml/events", "granit-parser", &[]),
    // Reads plugin.yaml as Argo CD does, and writes manifests of its own.
    (
        "host",
        "yaml_serde",
        &[
            "argocd/install.rs",
            "argocd/plugin_file.rs",
            "report/checkup.rs",
        ],
    ),
];

#[test]
fn only_yaml_reads_yaml() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shipped = [
        "",
        "yaml",
        "yaml/events",
        "guests/component",
        "guests/component/exports",
        "guests/browser",
        "guests/wasi",
        "sandbox",
        "comparison",
        "host",
    ];
    let mut found = Vec::new();
    for package in shipped {
        let manifest = fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
        let (_, dependencies) = manifest.split_once("\n[dependencies]").unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        let names = dependencies.lines().filter(|line| !line.starts_with('#'));
        for parser in PARSERS {
            if names.clone().any(|line| line.contains(parser)) {
                found.push((package, parser));
            }
        }
    }
    let expected = READERS.map(|(package, parser, _)| (package, parser));
    assert_eq!(found, expected);
    for (package, parser, allowed) in READERS {
        let sources = root.join(package).join("src");
        let uses = format!("{}::", parser.replace('-', "_"));
        for file in files(&sources) {
            let inside = file.strip_prefix(&sources).unwrap().to_string_lossy();
            let is_used = fs::read_to_string(&file).unwrap().contains(&uses);
            assert!(
                allowed.is_empty() || !is_used || allowed.contains(&&*inside),
                "{package}: {inside} reads YAML with {parser}"
            );
        }
    }
}
