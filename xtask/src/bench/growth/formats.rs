//! Every format of outputs documents, with the document on one line and on many.

use super::Case;
use super::cases::{RENDER_BOUND, bound, repeat};

/// How a format writes outputs.
struct Writing {
    format: &'static str,
    /// The document, with `…` for the outputs.
    document: &'static str,
    /// An output, with `N` for its number.
    output: &'static str,
    /// What references have before the name of an output.
    path: &'static str,
}

const fn writing(format: &'static str, document: &'static str, output: &'static str) -> Writing {
    Writing {
        format,
        document,
        output,
        path: "",
    }
}

const MEMBER: &str = "\"oN\": \"subnet-N\"";
const MARKED: &str =
    "\"oN\": {\"sensitive\": false, \"type\": \"string\", \"value\": \"subnet-N\"}";

/// Formats that separate outputs by commas, so that they may be on one line.
#[rustfmt::skip]
const IN_FLOW: &[Writing] = &[
    writing("terraform", "{…}", MARKED),
    writing("tfstate", r#"{"version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "0", "outputs": {…}, "resources": []}"#, MARKED),
    writing("terraform-show", r#"{"format_version": "1.0", "terraform_version": "1.11.0", "values": {"outputs": {…}, "root_module": {}}}"#, MARKED),
    writing("pulumi", "{…}", MEMBER),
    writing("pulumi-state", r#"{"version": 3, "deployment": {"resources": [{"urn": "urn:pulumi:dev::a::pulumi:pulumi:Stack::a-dev", "type": "pulumi:pulumi:Stack", "outputs": {…}}]}}"#, MEMBER),
    writing("cloudformation", r#"{"Stacks": [{"StackName": "a", "Outputs": […]}]}"#, r#"{"OutputKey": "oN", "OutputValue": "subnet-N"}"#),
    Writing { path: "stack.", ..writing("cdk", r#"{"stack": {…}}"#, MEMBER) },
    writing("azure", r#"{"id": "/deployments/d", "name": "d", "properties": {"outputs": {…}}}"#, r#""oN": {"type": "String", "value": "subnet-N"}"#),
    writing("gcp", r#"{"name": "projects/p/locations/l/deployments/d/revisions/r-0", "applyResults": {"content": "gs://b", "outputs": {…}}}"#, MARKED),
    writing("configmap", r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "infra"}, "data": {…}}"#, MEMBER),
    writing("secret", r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "infra"}, "stringData": {…}}"#, MEMBER),
    Writing { path: "annotations.", ..writing("argocd-cluster", r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "prod", "labels": {"argocd.argoproj.io/secret-type": "cluster"}, "annotations": {…}}, "stringData": {"name": "prod", "server": "https://prod.example"}}"#, MEMBER) },
    writing("json", "{…}", MEMBER),
    writing("yaml", "{…}", MEMBER),
];

/// Formats in which each output has its own line.
#[rustfmt::skip]
const IN_LINES: &[Writing] = &[
    writing("configmap", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: infra\ndata:\n…", "  oN: subnet-N"),
    writing("secret", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: infra\nstringData:\n…", "  oN: subnet-N"),
    Writing { path: "annotations.", ..writing("argocd-cluster", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n  annotations:\n…stringData:\n  name: prod\n  server: https://prod.example\n", "    oN: subnet-N") },
    writing("dotenv", "…", "oN=subnet-N"),
    writing("yaml", "…", "oN: subnet-N"),
];

/// Returns a case for each format and layout: a reference to each output, in a Secret, where
/// sensitive values may be.
pub(super) fn all() -> Vec<Case> {
    let mut all = Vec::new();
    for writing in IN_FLOW {
        all.push(writing.case("one line", ", "));
        all.push(writing.case("many lines", ",\n"));
    }
    all.extend(IN_LINES.iter().map(|writing| writing.case("block", "\n")));
    all
}

impl Writing {
    fn case(&'static self, layout: &str, separator: &'static str) -> Case {
        let name = format!("outputs in {}, {layout}", self.format);
        let files = move |n: usize| {
            let outputs = repeat(n, &format!("{}{separator}", self.output));
            let outputs = outputs.trim_end_matches(separator);
            let outputs = self.document.replace('…', &format!("{outputs}\n"));
            let data = repeat(n, &format!("  aN: ${{infra.{}oN}}\n", self.path));
            let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: web\nstringData:\n";
            bound(&format!("{secret}{data}"), self.format, "", &outputs)
        };
        Case::new(name, 10_000, files, RENDER_BOUND, 0, "a0: subnet-0")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The page that lists all formats in its first table.
    const PAGE: &str = include_str!("../../../../docs/language/outputs-documents.md");

    #[test]
    fn every_format_is_measured() {
        let listed = PAGE.lines().skip_while(|line| !line.starts_with("| ---"));
        let listed = listed.skip(1).map_while(|line| line.strip_prefix("| `"));
        let listed: BTreeSet<_> = listed.filter_map(|line| line.split('`').next()).collect();
        let measured = IN_FLOW.iter().chain(IN_LINES).map(|writing| writing.format);
        assert_eq!(measured.collect::<BTreeSet<_>>(), listed);
    }
}
