//! Whether a file holds outputs rather than manifests, whatever it is used as.

use crate::outputs::document::Document;
use crate::outputs::formats;
use crate::outputs::other_document::{identify, is_assignment};
use crate::report::Origin;

/// The keys that every resource has.
const OF_RESOURCES: [&str; 2] = ["apiVersion", "kind"];

/// Returns whether a text is an outputs document, a state or a plan, and not a manifest: an
/// object of JSON that only a publisher of outputs writes, or that is not a resource and holds
/// no reference, even if it is not valid; or lines of `NAME=value`. An outputs document that
/// is a Kubernetes object is a manifest, and plain YAML may be one.
pub(crate) fn is_outputs(text: &str) -> bool {
    let document = Document::of_text(text, Origin::Outputs(0));
    let is_empty = || document.members().is_ok_and(|members| members.is_empty());
    if formats::outputs_as_manifest(&document).is_some() && !is_empty() {
        return true;
    }
    let body = document.body().trim_ascii_start();
    if !body.starts_with('{') {
        return is_assignment(document.first_line(), "=");
    }
    let holds_references = || body.contains("${") || body.contains("{{");
    match document.members() {
        Ok(members) => {
            let is_resource = OF_RESOURCES
                .iter()
                .all(|key| members.iter().any(|member| member.name == *key));
            let is_state_or_plan = identify(&document).is_some();
            !members.is_empty() && !is_resource && (is_state_or_plan || !holds_references())
        }
        // Without its end, a state is still one.
        Err(_) if body.contains("\"sensitive\"") || body.contains("\"terraform_version\"") => true,
        Err(_) => {
            let names_both = OF_RESOURCES.iter().all(|key| body.contains(key));
            body.contains('"') && !names_both && !holds_references()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_outputs;

    #[test]
    fn tells_outputs_from_manifests() {
        for outputs in [
            r#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#,
            "\u{feff}{\"password\": \"hunter2\"}",
            r#"{"version": 4, "terraform_version": "1.9", "outputs": {}, "resources": []}"#,
            // A policy of AWS.
            r#"{"path": {"sensitive": false, "value": "/home/${aws:username}"}}"#,
            r#"{"resource_changes": [], "planned_values": {"a": "${aws:username}"}}"#,
            // Was the download interrupted?
            r#"{"version": 4, "outputs": {"password": {"value": "hunter2""#,
            r#"{"Stack": {"Url": "https://example.com"}}"#,
            "# of the shop\nPASSWORD=hunter2\n",
        ] {
            assert!(is_outputs(outputs), "{outputs}");
        }
        for manifest in [
            "",
            "{}",
            "a: b\n",
            "a: b=c\n",
            r#"[{"op": "add", "path": "/a", "value": "b"}]"#,
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}"#,
            r#"{"apiVersion": "v1", "kind": "Secret", "data": {"a": "#,
            r#"{"region": "${infra.region}"}"#,
            "{ ${infra.name}: 1 }",
            "apiVersion: v1\nkind: Secret\nstringData: {a: b}\n",
        ] {
            assert!(!is_outputs(manifest), "{manifest}");
        }
    }
}
