//! Reports outputs documents and plans among the manifests: rendering them would print
//! every sensitive value in them.

use crate::outputs::document::Document;
use crate::outputs::formats::{self, AsManifest};
use crate::outputs::json::{Json, Member, Node};
use crate::outputs::other_document::{self, OtherDocument};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// Reports a file of the manifests that is an outputs document, or another document of
/// Terraform. JSON with an apiVersion or a kind is a manifest.
pub(crate) fn named_as_manifest(
    text: &str,
    has_references: &dyn Fn(&str) -> bool,
    in_folder: bool,
    origin: Origin,
) -> Option<Diagnostic> {
    let document = Document::of_text(text, origin);
    if begins_resource(document.body()) {
        return None;
    }
    let root = document.json().ok().map(Json::root);
    let members = root.map(Node::members).unwrap_or_default();
    let has = |name: &str| members.iter().any(|member| member.name == name);
    if has("apiVersion") || has("kind") {
        return None;
    }
    let says_so = |member: &Member<'_>| {
        let fields = member.value.members();
        fields.iter().any(|field| field.name == "sensitive")
    };
    let is_outputs = match formats::outputs_as_manifest(&document) {
        Some(AsManifest::Template) => {
            !members.is_empty() && (members.iter().all(says_so) || !has_references(text))
        }
        found => found.is_some(),
    };
    let (rule, what, help) = match (is_outputs, other_document::identify_terraform(&has)) {
        (true, _) if in_folder => (
            Rule::OutputsAsManifest,
            "is an outputs document",
            "bind it in `spec.outputs` of the Binding, or exclude it with `spec.manifests.exclude`",
        ),
        (true, _) => (
            Rule::OutputsAsManifest,
            "is an outputs document",
            "bind it to a name instead of rendering it",
        ),
        (false, Some(OtherDocument { what, help })) => (Rule::NotAResource, what, help),
        (false, None) => return None,
    };
    let error = Diagnostic::error(rule, format!("this {what}, not a manifest"));
    let start = document.text.len() - document.body().trim_start().len();
    let start = Span::point(start);
    Some(error.at_concealed(origin, start, "").help(help))
}

/// Returns whether a text is a resource in JSON, judging from its first key: most are, and need
/// not be parsed.
fn begins_resource(body: &str) -> bool {
    let first = body.trim_ascii_start().strip_prefix('{');
    let first = first.unwrap_or_default().trim_ascii_start();
    first.starts_with("\"apiVersion\"") || first.starts_with("\"kind\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, has_references: bool, expected: Option<&str>) {
        let found = named_as_manifest(text, &|_| has_references, false, Origin::Manifest(0));
        let message = found.map(|found| found.message);
        assert_eq!(message.as_deref(), expected, "{text}");
    }

    #[test]
    fn finds_outputs_documents() {
        let outputs = Some("this is an outputs document, not a manifest");
        let written = r#"{"a": {"sensitive": true, "type": "string", "value": "${infra.b}"}}"#;
        check(written, false, outputs);
        check(written, true, outputs);
        check(&format!("\u{feff}\n {written}"), false, outputs);
        check(r#"{"a": {"value": 1}}"#, false, outputs);
        check(r#"{"a": {"value": "${infra.b}"}}"#, true, None);
    }

    #[test]
    fn finds_documents_that_contain_outputs_even_with_references() {
        for text in [
            r#"{"version": 3, "deployment": {"manifest": {}, "resources": []}}"#,
            r#"{"Stacks": [{"StackName": "${infra.b}"}]}"#,
            r#"{"Stacks": []}"#,
            r#"{"a": {"type": "SecureString"}}"#,
            r#"{"version": 4, "terraform_version": "1.9.0", "outputs": {}}"#,
            r#"{"version": 4, "serial": 1, "lineage": "", "resources": ["${infra.b}"]}"#,
            r#"{"format_version": "1.0", "values": {"root_module": {"a": "${infra.b}"}}}"#,
            r#"{"name": "", "applyResults": {}}"#,
            r#"{"applyResults": {"outputs": {"a": {"value": "${infra.b}"}}}}"#,
            r#"{"content": "", "outputs": {"a": {"value": "${infra.b}"}}}"#,
            r#"{"id": "", "properties": {"outputs": {"a": {"value": "${infra.b}"}}}}"#,
            r#"{"a": {"type": "String", "value": "${infra.b}"}}"#,
        ] {
            let outputs = Some("this is an outputs document, not a manifest");
            check(text, true, outputs);
        }
    }

    #[test]
    fn finds_other_states_and_plans() {
        check(
            r#"{"version": 3, "serial": 1, "lineage": "", "modules": []}"#,
            false,
            Some("this is a Terraform state file of an unsupported version, not a manifest"),
        );
        check(
            r#"{"serial": 1, "lineage": "", "encrypted_data": "", "encryption_version": "v0"}"#,
            false,
            Some("this is a state or plan that OpenTofu encrypted, not a manifest"),
        );
        check(
            r#"{"format_version": "1.2", "planned_values": {}, "resource_changes": []}"#,
            false,
            Some(
                "this is a Terraform plan, as written by `terraform show -json PLAN`, not a manifest",
            ),
        );
    }

    #[test]
    fn accepts_manifests() {
        for text in [
            "{}",
            "a: 1\n",
            "{a: {value: 1}}",
            r#"[{"value": 1}]"#,
            r#"{"a": {"value": 1}, "b": 2}"#,
            r#"{"a": {"value": 1}"#,
            r#"{"kind": {"value": 1}}"#,
            r#"{ "kind" : {"value": 1}, "a": {"value": 1}}"#,
            r#"{"a": {"value": 1}, "kind": {"value": 1}}"#,
            r#"{"apiVersion": "v1", "kind": "List", "items": [], "terraform_version": "1"}"#,
            r#"{"apiVersion": {"value": "v1"}}"#,
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "\"value\""}}"#,
            r#"{"apiVersion": "v1", "kind": "Secret", "stringData": {"value": "x"}}"#,
            r#"{"version": 4, "values": "terraform_version"}"#,
            r#"{"version": 3, "deployment": {"resources": {"limits": {}}}}"#,
            r#"{"Stacks": {"StackName": "shop"}}"#,
        ] {
            check(text, false, None);
        }
    }
}
