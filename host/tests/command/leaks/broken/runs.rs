//! The commands that read these documents, and what they may show.

use std::fs;

use super::super::commands::{expand, run_line};
use super::super::traces::{Traces, outside_secrets};
use super::super::values::Canaries;
use super::faults::Fault;
use super::places::{self, Document, INFRA, OUTPUTS, PLAN, Place, binding};
use crate::run::{TestFolder, config_map};

const APPLICATION_SET: &str = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web}\nspec:\n  generators: [{clusters: {}}]\n  template:\n    metadata: {name: '{{name}}'}\n    spec: {project: a, source: {repoURL: a, path: '{{server}}'}, destination: {name: '{{name}}'}}\n";

/// What a command may write of the secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Nothing,
    /// The data of the Secrets that it writes.
    Secrets,
    /// What it was given, on standard output: manifests, or the examples of a contract.
    Given,
    /// The same in a ResourceList, but not in its results.
    List,
}

use Shows::{Given, List, Nothing, Secrets};

/// The folders of the documents that a command reads, and the command. It is run for each
/// document, which is `@`, or for all in one run. `{a,b}` is each of the parts, and `< FILE`
/// is standard input.
#[rustfmt::skip]
pub(super) const ROWS: &[(&str, Shows, &str)] = &[
    ("manifests", Given, "render manifests -b infra.json"),
    ("manifests", Nothing, "check manifests -b infra.json -o {text,json,sarif,github,junit}"),
    ("manifests", Nothing, "check manifests -o {text,json} --no-references"),
    ("manifests", Nothing, "explain manifests -b infra.json -o {text,json}"),
    ("manifests", Nothing, "diff manifests --plan plan.json -o {text,json,markdown}"),
    ("manifests", Nothing, "render @ -b infra.json --in-place --check"),
    ("manifests", Nothing, "check @ -b infra.json --dialect {flux,kpt-set}"),
    ("manifests", Nothing, "adopt @ -b infra.json -o {text,json}"),
    ("manifests", Nothing, "migrate @ -b infra.json --from {flux,kpt-set}"),
    ("manifests", Nothing, "diff @ --from infra.json --to other.json -o {text,json,markdown}"),
    ("manifests", Nothing, "expand @ --clusters @"),
    ("manifests", Given, "cmp generate -b infra=../infra.json -c ../empty.yaml --allow-secret-files --allow-sensitive"),
    ("manifests", Nothing, "cmp {init,discover,parameters}"),
    ("manifests", Nothing, "argocd doctor manifests -o {text,json}"),
    ("manifests", Nothing, "install infra.json"),
    ("manifests", Nothing, "argocd install --as {kustomize,helm-values,patch}"),
    ("lists", List, "krm -b infra.json < @"),

    ("outputs apps", Secrets, "render @"),
    ("outputs apps", Secrets, "render @ --output-dir rendered"),
    ("outputs apps", Nothing, "check @ -o {text,json,sarif,github,junit}"),
    ("outputs apps", Nothing, "check config-map.yaml -c @/landfall.yaml -o {text,json,sarif,github,junit}"),
    ("outputs apps", Nothing, "explain @ -o {text,json}"),
    ("outputs apps", Nothing, "explain @ --unused"),
    ("outputs apps", Nothing, "adopt @ -o {text,json}"),
    ("outputs apps", Nothing, "helm values landfall://@/secret.yaml"),
    ("outputs apps", Nothing, "migrate @ --from {flux,kpt-set}"),
    ("outputs apps", Nothing, "diff @ --from infra.json --to other.json -o {text,json,markdown}"),
    ("outputs apps", Nothing, "outputs check -c @/landfall.yaml -o {text,json,sarif,github,junit}"),
    ("outputs apps", Nothing, "outputs contract -c @/landfall.yaml"),
    ("outputs apps", Nothing, "export {public,dotenv,helm-values} -c @/landfall.yaml"),
    ("outputs apps", Secrets, "export flux -c @/landfall.yaml"),
    ("outputs apps", Secrets, "export argocd-cluster -c @/landfall.yaml --name prod --server https://a"),
    ("outputs apps", Nothing, "export external-secret -c @/landfall.yaml --store a --remote-key {name}"),
    ("outputs", Nothing, "diff secret.yaml -c @/landfall.yaml --from infra.json --to @/infra.doc"),
    ("outputs", Nothing, "expand set.yaml --clusters @/infra.doc"),
    ("outputs", Nothing, "stamp -b @/infra.doc"),

    ("contracts", Nothing, "outputs check -b infra.json --contract @ -o {text,json,sarif,github,junit}"),
    ("contracts", Given, "sample --contract @"),
    ("terraform", Nothing, "outputs contract --from-terraform @"),
    ("terraform", Nothing, "check secret.yaml --outputs-from-terraform @ -o {text,json,sarif,github,junit}"),
    ("plans", Nothing, "diff secret.yaml --plan @ -o {text,json,markdown}"),
    ("credentials", Secrets, "export argocd-cluster -b infra.json --name prod --server https://a --config-file @"),
];

/// A command line.
pub(super) struct Line {
    shows: Shows,
    line: String,
}

/// In how many of the faults a document is read alone.
const ONE_IN: usize = 3;

/// Returns the command lines for a fault: those of all documents, and for some of the documents
/// one of those that read it alone, another one for each fault. `factor` is how many times as
/// many there are of these.
pub(super) fn lines(places: &[Place], number: usize, factor: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |row: &(&str, Shows, &str), nth: usize, target: &str| {
        let mut choices = expand(row.2);
        let line = choices.swap_remove((number + nth) % choices.len());
        let line = line.replace('@', target);
        lines.push(Line { shows: row.1, line });
    };
    for row in ROWS.iter().filter(|row| !row.2.contains('@')) {
        add(row, 0, "");
    }
    for (position, place) in places.iter().enumerate() {
        let reads = |row: &&(&str, Shows, &str)| {
            row.2.contains('@') && row.0.split(' ').any(|folder| folder == place.folder)
        };
        let own: Vec<_> = ROWS.iter().filter(reads).collect();
        for (nth, row) in own.iter().enumerate() {
            let turn = (number + position + ONE_IN * nth) % (ONE_IN * own.len());
            if turn < factor {
                add(row, nth, &place.target);
            }
        }
    }
    lines
}

/// The files of a fault, and the secrets in them.
pub(super) struct Files {
    folder: TestFolder,
    pub(super) places: Vec<Place>,
    secrets: Traces,
}

impl Files {
    /// Writes all documents with a fault, and the other files that commands read.
    pub(super) fn write(folder: TestFolder, fault: Fault) -> Self {
        let mut canaries = Canaries::new(8_000);
        let places = places::all(&mut canaries);
        let infra = Document::new(INFRA, &mut canaries).text;
        let plan = Document::new(PLAN, &mut canaries).text;
        let mut secrets = Traces::new(8);
        for token in &canaries.tokens {
            secrets.add(token);
        }
        for place in &places {
            let text = &place.document.text;
            assert!(secrets.find(text).is_some(), "{}: {text}", place.path);
            folder.write(&place.path, fault.of(&place.document));
        }
        let reference = "  password: ${infra.password}\n  vpc: ${infra.vpc_id}\n";
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n{reference}"
        );
        for place in &places {
            if ["outputs", "apps"].contains(&place.folder) {
                folder.write(&format!("{}/secret.yaml", place.target), &secret);
            }
        }
        for (name, more, _) in OUTPUTS {
            let spec =
                format!("  outputs:\n  - {{name: infra, from: {{file: infra.doc}}{more}}}\n");
            folder.write(&format!("outputs/{name}/landfall.yaml"), binding(&spec));
        }
        folder.write("other.json", infra.replace("vpc-0ab1", "vpc-0ab2"));
        folder.write("infra.json", infra);
        folder.write("plan.json", plan);
        folder.write("secret.yaml", secret);
        folder.write("config-map.yaml", config_map(reference.trim()));
        folder.write("empty.yaml", binding("  outputs: []\n"));
        folder.write("set.yaml", APPLICATION_SET);
        // The root, which contains the files of all applications.
        folder.write(".git/HEAD", "");
        Self {
            folder,
            places,
            secrets,
        }
    }

    /// Runs a command. Returns its exit code, and what is wrong with what it wrote.
    pub(super) fn run(&self, line: &Line) -> (Option<i32>, Option<String>) {
        let Line { shows, line } = line;
        let run = run_line(&self.folder, line, "manifests");
        let mut stdout = String::from_utf8_lossy(&run.stdout).into_owned();
        for (path, content) in self.written() {
            stdout.push_str(&format!("---\n# {path}\n{content}"));
        }
        let stdout = match shows {
            Nothing => stdout,
            Secrets => outside_secrets(&stdout),
            Given => String::new(),
            List => stdout
                .split_once("\nresults:")
                .map_or("", |(_, results)| results)
                .to_owned(),
        };
        let shown = stdout + "\n" + &run.stderr;
        let wrong = match self.secrets.find(&shown) {
            Some(trace) => Some(format!("shows `{trace}`")),
            None if matches!(run.code, Some(0..=2)) && !shown.contains("panicked") => None,
            None => Some(format!("exit code {:?}", run.code)),
        };
        let wrong = wrong.map(|wrong| format!("landfall {line}: {wrong}\n{shown}"));
        (run.code, wrong)
    }

    /// Returns the files that a command wrote into a folder, and removes them.
    fn written(&self) -> Vec<(String, String)> {
        let folder = self.folder.at("rendered");
        if !folder.exists() {
            return Vec::new();
        }
        let written = self.folder.snapshot().into_iter();
        let written = written.filter(|(path, _)| path.starts_with(&folder) && path.is_file());
        let written = written
            .map(|(path, content)| {
                (
                    path.display().to_string(),
                    String::from_utf8_lossy(&content).into_owned(),
                )
            })
            .collect();
        fs::remove_dir_all(folder).unwrap();
        written
    }
}
