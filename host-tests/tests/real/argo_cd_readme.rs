//! `deploy/argocd/README.md`, followed word for word: each `sh` block is run in one folder,
//! which has a copy of the repository's files that it names. Blocks that need a registry or
//! the internet are marked `shell`.
//!
//! `docker` and `kubectl` are scripts here: `docker run` runs the command itself,
//! `kubectl apply --kustomize` builds with the real kustomize and Argo CD's own manifests,
//! and `kubectl exec` enters the sidecar of what was applied, which the real
//! argocd-cmp-server runs in.
//!
//! `UPDATE=1 cargo xtask test the_installation_guide` rewrites the output.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use landfall_host_tests::image::{Image, dockerfile};
use landfall_host_tests::plugin_server::Application;
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use landfall_host_tests::sidecar::{Data, Sidecar};
use pretty_assertions::assert_eq;

use crate::argo_cd_install::{argo_cd, repo_server};
use crate::manifests::documents;

/// `docker build` and `docker run`.
const DOCKER: &str = r#"#!/bin/sh
set -eu
case "$1" in
build)
    shift
    while [ $# -gt 1 ]; do
        case "$1" in
        --file) test -f "$2" ;;
        --target) echo "$2" >> "$RECORD/targets" ;;
        --tag) echo "$2" >> "$RECORD/tags" ;;
        *) echo "docker build: $1"; exit 1 ;;
        esac
        shift 2
    done
    test "$1" = .
    ;;
run)
    shift
    test "$1" = --rm
    shift
    while true; do
        case "$1" in
        --volume) cd "${2%%:*}"; shift 2 ;;
        --workdir) shift 2 ;;
        *) break ;;
        esac
    done
    grep -qx "$1" "$RECORD/tags"
    shift
    exec "$LANDFALL" "$@"
    ;;
*) echo "docker $1"; exit 1 ;;
esac
"#;

/// `kubectl`, without a cluster.
const KUBECTL: &str = r#"#!/bin/sh
set -eu
case "$1 ${2:-}" in
"create namespace" | "rollout status") ;;
"create configmap") test -f "$7" ;;
"patch deployment")
    test "$3 $4 $5 $6" = "argocd-repo-server --namespace argocd --patch-file"
    test -f "$7"
    ;;
"apply --server-side")
    test "$3" = --kustomize
    url=https://raw.githubusercontent.com/argoproj/argo-cd/v$ARGO_CD/manifests/install.yaml
    grep -qF "$url" "$4/kustomization.yaml"
    rm -rf "$RECORD/build"
    cp -R "$4" "$RECORD/build"
    cp "$RECORD/install.yaml" "$RECORD/build"
    sed "s|$url|install.yaml|" "$4/kustomization.yaml" > "$RECORD/build/kustomization.yaml"
    "$KUSTOMIZE" build "$RECORD/build" > "$RECORD/applied.yaml"
    ;;
"apply --filename") cp "$3" "$RECORD/application.yaml" ;;
"exec --namespace")
    test "$4 $5 $6 $7" = "deployment/argocd-repo-server --container landfall --"
    shift 7
    exec "$RECORD/enter" "$@"
    ;;
*) echo "kubectl $*"; exit 1 ;;
esac
"#;

/// A reader at a shell.
struct Reader {
    folder: Scratch,
    record: Scratch,
    sidecar: Option<Sidecar>,
}

impl Reader {
    fn new() -> Self {
        let (folder, record) = (Scratch::new(), Scratch::new());
        for file in ["Dockerfile", "plugin.yaml"] {
            let path = format!("deploy/argocd/{file}");
            folder.write(&path, &scratch::read(&program::repository().join(&path)));
        }
        record.write("install.yaml", &argo_cd("install.yaml"));
        for (name, script) in [("docker", DOCKER), ("kubectl", KUBECTL)] {
            executable(&record, &format!("bin/{name}"), script);
        }
        Self {
            folder,
            record,
            sidecar: None,
        }
    }

    /// Runs a block, and returns what a terminal shows. `None`: the test is skipped, because
    /// this user cannot start a sidecar.
    fn run(&mut self, script: &str) -> Option<String> {
        if script.contains("kubectl exec") && self.sidecar.is_none() {
            let applied = documents(&self.record.read("applied.yaml"));
            let image = Image::assemble("landfall");
            let sidecar = Sidecar::start(image, repo_server(&applied), &Data::new())?;
            let words: Vec<_> = sidecar
                .enter()
                .iter()
                .map(|word| format!("'{word}'"))
                .collect();
            let enter = format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "));
            executable(&self.record, "enter", &enter);
            self.sidecar = Some(sidecar);
        }
        let argo_cd = landfall_tools::named("argocd-cmp-server").unwrap().version;
        let output = Command::new("sh")
            .args(["-euc", &format!("exec 2>&1\n{script}")])
            .current_dir(self.folder.path())
            .env("PATH", program::path_with(&self.record.at("bin")))
            .env("RECORD", self.record.path())
            .env("LANDFALL", program::landfall())
            .env("KUSTOMIZE", program::tool("kustomize"))
            .env("ARGO_CD", argo_cd)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{script}\n{text}");
        Some(text)
    }

    /// Renders what `application.yaml` names, as repo-server does.
    fn render(&self) -> String {
        let application = documents(&self.record.read("application.yaml")).remove(0);
        let source = &application["spec"]["source"];
        let sidecar = self.sidecar.as_ref().unwrap();
        let name = source["plugin"]["name"].as_str().unwrap();
        assert_eq!(sidecar.server.socket_name(), format!("{name}.sock"));
        let path = source["path"].as_str().unwrap();
        let root = self.folder.at("shop");
        let manifests = sidecar.server.generate(&Application {
            root: &root,
            folder: &root.join(path),
            source_path: path,
        });
        manifests
            .unwrap()
            .iter()
            .map(|one| format!("{one}\n"))
            .collect()
    }
}

fn executable(folder: &Scratch, path: &str, text: &str) {
    folder.write(path, text);
    fs::set_permissions(folder.at(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test(go, tools)]
fn the_installation_guide_works_as_written() {
    let path = program::repository().join("deploy/argocd/README.md");
    let page = scratch::read(&path);
    let mut reader = Reader::new();
    let mut rewritten = String::new();
    // What the block that follows must show.
    let mut shown = None;
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        rewritten.push_str(line);
        let Some(language) = line.trim_end().strip_prefix("```") else {
            continue;
        };
        let block: String = lines
            .by_ref()
            .take_while(|line| line.trim_end() != "```")
            .collect();
        let output = match language {
            "sh" => {
                assert_eq!(shown.take().unwrap_or_default(), "", "before\n{block}");
                let Some(output) = reader.run(&block) else {
                    return;
                };
                shown = Some(output);
                block
            }
            "text" => shown.take().expect("a block before its output"),
            "json" => reader.render(),
            "" | "shell" => block,
            other => panic!("a block marked `{other}`"),
        };
        rewritten.push_str(&output);
        rewritten.push_str("```\n");
    }
    assert_eq!(shown.unwrap_or_default(), "");
    check_names(&reader);
    update_or_compare(&path, &page, &rewritten);
}

/// The images of the guide are stages of the Dockerfile, and the annotation of its
/// Application is the one that `doctor` prints.
fn check_names(reader: &Reader) {
    let instructions = dockerfile();
    let stages = instructions.iter().filter(|one| one.keyword == "FROM");
    let stages: Vec<_> = stages.map(|one| one.words[2].as_str()).collect();
    let targets = reader.record.read("targets");
    assert_eq!(
        targets.lines().collect::<Vec<_>>(),
        ["landfall", "landfall-tools"]
    );
    assert!(
        targets.lines().all(|target| stages.contains(&target)),
        "{stages:?}"
    );
    let version = env!("CARGO_PKG_VERSION");
    let tags = reader.record.read("tags");
    assert!(
        tags.lines()
            .all(|tag| tag.ends_with(&format!(":{version}"))),
        "{tags}"
    );

    let doctor = Command::new(program::landfall())
        .args(["argocd", "doctor", "app"])
        .current_dir(reader.folder.at("shop"))
        .output()
        .unwrap();
    let printed = String::from_utf8(doctor.stdout).unwrap();
    let key = "argocd.argoproj.io/manifest-generate-paths: ";
    let (_, annotation) = printed.split_once(key).unwrap();
    let application = reader.record.read("application.yaml");
    assert!(
        application.contains(&format!("{key}{annotation}")),
        "{application}"
    );
}

fn update_or_compare(path: &Path, page: &str, rewritten: &str) {
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(path, rewritten).unwrap();
    } else {
        assert_eq!(rewritten, page);
    }
}
