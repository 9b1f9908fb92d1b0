//! The commands that read outputs, on every format of outputs documents: each is measured
//! with a document of one line and with one of many.

use super::inputs::{InputFiles, lines};
use super::prepared::Work;

/// How a format writes outputs: what is before the first, each of them, and what is after
/// the last.
struct Writing {
    format: &'static str,
    before: &'static str,
    output: fn(usize) -> String,
    after: &'static str,
    /// What references have before the name of an output.
    path: &'static str,
    /// The kind of the manifest that gets the values, with the field for them.
    kind: (&'static str, &'static str),
}

const CONFIG_MAP: (&str, &str) = ("ConfigMap", "data");
const SECRET: (&str, &str) = ("Secret", "stringData");

const fn writing(
    format: &'static str,
    before: &'static str,
    output: fn(usize) -> String,
    after: &'static str,
) -> Writing {
    Writing {
        format,
        before,
        output,
        after,
        path: "",
        kind: CONFIG_MAP,
    }
}

/// Returns a value that occurs once.
fn value(nth: usize) -> String {
    format!("subnet-0a1b2c{nth}")
}

fn member(nth: usize) -> String {
    format!("\"o{nth}\": \"{}\"", value(nth))
}

fn marked(nth: usize) -> String {
    let value = value(nth);
    format!("\"o{nth}\": {{\"sensitive\": false, \"type\": \"string\", \"value\": \"{value}\"}}")
}

fn entry(nth: usize) -> String {
    format!("o{nth}: {}", value(nth))
}

/// Formats that separate outputs by commas, so that they may be on one line.
#[rustfmt::skip]
const IN_FLOW: &[Writing] = &[
    writing("terraform", "{", marked, "}"),
    writing("tfstate", "{\"version\": 4, \"terraform_version\": \"1.11.0\", \"serial\": 1, \"lineage\": \"0\", \"outputs\": {", marked, "}, \"resources\": []}"),
    writing("terraform-show", "{\"format_version\": \"1.0\", \"terraform_version\": \"1.11.0\", \"values\": {\"outputs\": {", marked, "}, \"root_module\": {}}}"),
    writing("pulumi", "{", member, "}"),
    writing("pulumi-state", "{\"version\": 3, \"deployment\": {\"resources\": [{\"urn\": \"urn:pulumi:dev::a::pulumi:pulumi:Stack::a-dev\", \"type\": \"pulumi:pulumi:Stack\", \"outputs\": {", member, "}}]}}"),
    writing("cloudformation", "{\"Stacks\": [{\"StackName\": \"a\", \"Outputs\": [", |nth| format!("{{\"OutputKey\": \"o{nth}\", \"OutputValue\": \"{}\"}}", value(nth)), "]}]}"),
    Writing { path: "stack.", ..writing("cdk", "{\"stack\": {", member, "}}") },
    writing("azure", "{\"id\": \"/deployments/d\", \"name\": \"d\", \"properties\": {\"outputs\": {", |nth| format!("\"o{nth}\": {{\"type\": \"String\", \"value\": \"{}\"}}", value(nth)), "}}}"),
    writing("gcp", "{\"name\": \"projects/p/locations/l/deployments/d/revisions/r-0\", \"applyResults\": {\"content\": \"gs://b\", \"outputs\": {", marked, "}}}"),
    writing("configmap", "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"infra\"}, \"data\": {", member, "}}"),
    Writing { kind: SECRET, ..writing("secret", "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"infra\"}, \"stringData\": {", member, "}}") },
    Writing { path: "annotations.", ..writing("argocd-cluster", "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"prod\", \"labels\": {\"argocd.argoproj.io/secret-type\": \"cluster\"}, \"annotations\": {", member, "}}, \"stringData\": {\"name\": \"prod\", \"server\": \"https://prod.example\"}}") },
    writing("json", "{", member, "}"),
    writing("yaml", "{", member, "}"),
];

/// Formats in which each output has its own line.
#[rustfmt::skip]
const IN_LINES: &[Writing] = &[
    writing("configmap", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: infra\ndata:\n", |nth| format!("  {}", entry(nth)), ""),
    Writing { kind: SECRET, ..writing("secret", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: infra\nstringData:\n", |nth| format!("  {}", entry(nth)), "") },
    Writing { path: "annotations.", ..writing("argocd-cluster", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n  annotations:\n", |nth| format!("    {}", entry(nth)), "stringData:\n  name: prod\n  server: https://prod.example\n") },
    writing("dotenv", "", |nth| format!("o{nth}={}", value(nth)), ""),
    writing("yaml", "", entry, ""),
];

/// A command that reads an outputs document.
pub(super) struct OutputsCommand {
    pub(super) name: &'static str,
    /// The number of outputs in the smaller document, with which a run takes some ten
    /// milliseconds.
    pub(super) n: usize,
    arguments: &'static [&'static str],
    manifest: Manifest,
    /// What is in its output.
    shows: &'static str,
}

/// The manifest of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manifest {
    None,
    /// One with a reference to each output.
    References,
    /// One with the value of each output, written by hand.
    Values,
}

/// The columns of the table.
#[rustfmt::skip]
pub(super) const COMMANDS: &[OutputsCommand] = &[
    OutputsCommand { name: "render", n: 5_000, arguments: &["render"], manifest: Manifest::References, shows: "a0: subnet-0a1b2c0\n" },
    OutputsCommand { name: "check", n: 5_000, arguments: &["check", "-o", "json"], manifest: Manifest::References, shows: "\"errors\": 0" },
    OutputsCommand { name: "explain", n: 5_000, arguments: &["explain", "-o", "json"], manifest: Manifest::References, shows: "o0" },
    OutputsCommand { name: "adopt", n: 5_000, arguments: &["adopt"], manifest: Manifest::Values, shows: "o0" },
    OutputsCommand { name: "export public", n: 5_000, arguments: &["export", "public"], manifest: Manifest::None, shows: "o0" },
    OutputsCommand { name: "export dotenv", n: 5_000, arguments: &["export", "dotenv", "--json"], manifest: Manifest::None, shows: "" },
    OutputsCommand { name: "outputs contract", n: 5_000, arguments: &["outputs", "contract"], manifest: Manifest::None, shows: "infra:" },
];

/// One row of the table: how the outputs are written.
pub(super) struct Row {
    writing: &'static Writing,
    separator: &'static str,
    layout: &'static str,
}

/// Returns all rows of the table.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for writing in IN_FLOW {
        for (layout, separator) in [("one line", ", "), ("many lines", ",\n")] {
            rows.push(Row {
                writing,
                separator,
                layout,
            });
        }
    }
    rows.extend(IN_LINES.iter().map(|writing| Row {
        writing,
        separator: "\n",
        layout: "block",
    }));
    rows
}

impl Row {
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.writing.format, self.layout)
    }

    /// Returns what a command has to do for n outputs.
    pub(super) fn work(&self, command: &OutputsCommand, n: usize) -> Work {
        let Writing {
            format,
            before,
            output,
            after,
            path,
            kind: (kind, field),
        } = self.writing;
        let outputs: Vec<_> = (0..n).map(output).collect();
        let outputs = format!("{before}{}\n{after}", outputs.join(self.separator));
        let data = match command.manifest {
            Manifest::None => String::new(),
            Manifest::References => lines(n, |nth| format!("a{nth}: ${{infra.{path}o{nth}}}")),
            Manifest::Values => lines(n, |nth| format!("a{nth}: {}", value(nth))),
        };
        let manifest =
            format!("apiVersion: v1\nkind: {kind}\nmetadata:\n  name: web\n{field}:\n{data}");
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: web}}\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}, format: {format}}}]\n"
        );
        Work {
            files: InputFiles {
                manifest,
                binding: Some(binding),
                outputs,
            },
            command: command.arguments,
            has_manifest: command.manifest != Manifest::None,
            exit: 0,
            shows: command.shows,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use landfall_test_support::skip::{Requirement, skipped};

    use super::super::prepared::Prepared;
    use super::{COMMANDS, rows};
    use crate::dist;
    use crate::workspace::Workspace;

    /// The page that lists all formats in its first table.
    const PAGE: &str = include_str!("../../../../docs/language/outputs-documents.md");

    #[test]
    fn every_format_has_a_row() {
        let listed = PAGE.lines().skip_while(|line| !line.starts_with("| ---"));
        let listed = listed.skip(1).map_while(|line| line.strip_prefix("| `"));
        let listed: BTreeSet<_> = listed.filter_map(|line| line.split('`').next()).collect();
        let measured: BTreeSet<_> = rows().iter().map(|row| row.writing.format).collect();
        assert_eq!(measured, listed);
    }

    #[test]
    fn every_command_reads_every_row() {
        let workspace = Workspace::current().unwrap();
        let program = workspace.dist.join(dist::COMMAND);
        if !program.exists() {
            skipped(Requirement::Dist, "no dist/landfall: run cargo xtask dist");
            return;
        }
        let folder = workspace.target.join("bench/growth-test");
        let mut wrong = Vec::new();
        for row in rows() {
            for command in COMMANDS {
                let work = row.work(command, 3);
                let prepared = Prepared::new(&work, &program, &folder).unwrap();
                if let Err(error) = prepared.run().and_then(|_| prepared.check()) {
                    wrong.push(format!("{} of {}: {error:#}", command.name, row.name()));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
