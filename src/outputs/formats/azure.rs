//! A deployment of Azure Resource Manager, as written by `az deployment group show`:
//! `{"id": …, "properties": {"outputs": {name: {"type": "String", "value": …}}}}`, or its
//! outputs alone (`--query properties.outputs`). Outputs of the types `SecureString` and
//! `SecureObject` are sensitive, and Azure returns them without a value. The case of types
//! depends on the version of the API.

use crate::outputs::document::Document;
use crate::outputs::formats::declared_type::DeclaredType;
use crate::outputs::formats::is_mark;
use crate::outputs::formats::marked_outputs::{MarkedFormat, MarkedOutputs, Root, Types};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{AsManifest, Publication};
use crate::outputs::json::{Member, Node};
use crate::outputs::value::Type;

pub(super) const AZURE: MarkedFormat = MarkedFormat {
    id: "azure",
    as_manifest: AsManifest::Outputs,
    publication: Publication::Converted,
    outputs,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_flow(
        "{\"id\": \"hunter2\", \"properties\": {\"outputs\": {",
        |name, value| format!("\"{name}\": {{\"type\": \"String\", \"value\": {value}}}"),
        "}, \"parameters\": \"hunter2\"}}",
    ),
};

fn outputs(document: &Document<'_>) -> Option<MarkedOutputs> {
    let root = Root::of(document)?;
    let is_string = |node: Node<'_>| node.value_type() == Type::String;
    let is_resource = ["id", "name", "type"]
        .iter()
        .any(|key| root.member(key).is_some_and(is_string));
    let properties = root.member("properties").map(Node::members);
    let has_outputs = properties.is_some_and(|properties| {
        let mut outputs = properties.iter().filter(|member| member.name == "outputs");
        outputs.any(|of| matches!(of.value.value_type(), Type::Object | Type::Null))
    });
    let path: &[&str] = if is_resource && has_outputs {
        &["properties", "outputs"]
    } else if are_outputs(&root.0) {
        &[]
    } else {
        return None;
    };
    Some(MarkedOutputs {
        path,
        types: &AzureTypes,
    })
}

/// Returns whether members are outputs of Azure: each has one of its types and no mark, and
/// not all of the types are also Terraform's.
pub(super) fn are_outputs(members: &[Member<'_>]) -> bool {
    let mut is_certain = false;
    members.iter().all(|member| {
        let fields = member.value.members();
        let declared = fields.iter().find(|field| field.name == "type");
        let Some(declared) = declared.map(|field| field.value) else {
            return false;
        };
        is_certain |= !matches!(declared.raw(), "\"string\"" | "\"bool\"");
        AzureTypes.read(declared).is_some() && !fields.iter().any(|field| is_mark(&field.name))
    }) && is_certain
}

struct AzureTypes;

impl AzureTypes {
    fn name(node: Node<'_>) -> Option<String> {
        node.string().map(|name| name.to_ascii_lowercase())
    }
}

impl Types for AzureTypes {
    fn read<'j>(&self, node: Node<'j>) -> Option<DeclaredType<'j>> {
        let any = || Box::new(DeclaredType::Any);
        Some(match Self::name(node)?.as_str() {
            "string" | "securestring" => DeclaredType::Scalar(Type::String),
            "int" => DeclaredType::Scalar(Type::Number),
            "bool" => DeclaredType::Scalar(Type::Bool),
            "array" => DeclaredType::List(any()),
            "object" | "secureobject" => DeclaredType::Map(any()),
            _ => return None,
        })
    }

    /// An unknown type may be a secure one.
    fn is_sensitive(&self, node: Option<Node<'_>>) -> bool {
        let name = node.and_then(Self::name);
        !matches!(
            name.as_deref(),
            Some("string" | "int" | "bool" | "array" | "object")
        )
    }

    fn without_value(&self, node: Node<'_>) -> Option<[&'static str; 2]> {
        let name = Self::name(node);
        matches!(name.as_deref(), Some("securestring" | "secureobject")).then_some([
            "Azure does not return the values of secure outputs",
            "write the value to a Key Vault in the deployment, and read it from there, for example with the External Secrets Operator",
        ])
    }

    fn redacted(&self, node: Node<'_>) -> String {
        match self.read(node) {
            Some(_) => node.raw().to_owned(),
            None => "\"SecureString\"".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_read, check_redacted, document};
    use crate::report::Origin;

    const OUTPUTS: &str = r#"{"name": {"type": "String", "value": "aks"}, "password": {"type": "SecureString"}, "zones": {"type": "Array", "value": [1, "a"]}}"#;

    #[test]
    fn reads_a_deployment_and_its_outputs() {
        for deployment in [
            OUTPUTS.to_owned(),
            format!("{{\"id\": \"/d\", \"properties\": {{\"outputs\": {OUTPUTS}}}}}"),
        ] {
            for format in ["", "azure"] {
                check_read(
                    format,
                    &deployment,
                    &["\"name\" = \"aks\"", "1:1 = [1,\"a\"]"],
                );
            }
        }
        for outputs in ["null", "{}"] {
            let deployment =
                format!("{{\"id\": \"/d\", \"properties\": {{\"outputs\": {outputs}}}}}");
            check_read("", &deployment, &[]);
        }
    }

    #[test]
    fn a_secure_output_is_unreadable() {
        let read = crate::outputs::read(&document("", OUTPUTS), Origin::Outputs(0));
        let names: Vec<_> = read.unreadable.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["password"]);
        // It is unknown which one counts.
        check_read(
            "",
            r#"{"a": {"type": "SecureString"}, "a": {"type": "String", "value": "b"}}"#,
            &[
                "1:1 = \"b\" (sensitive)",
                "the output `a` has no `value`: \"a\"",
            ],
        );
        // A value that is present is read.
        let secure =
            |value: &str| format!("{{\"a\": {{\"type\": \"secureobject\", \"value\": {value}}}}}");
        check_read(
            "",
            &secure("{\"b\": 1}"),
            &["\"a\" = {\"b\":1} (sensitive)"],
        );
        check_read("", &secure("null"), &["\"a\" = null (sensitive)"]);
        check_read(
            "",
            &secure("\"hunter2\""),
            &["the output `a` does not match its `type`: \"a\""],
        );
    }

    #[test]
    fn is_distinguished_from_terraform_by_its_types() {
        for (outputs, format) in [
            (r#"{"a": {"type": "string", "value": "b"}}"#, "terraform"),
            (r#"{"a": {"type": "bool", "value": true}}"#, "terraform"),
            (
                r#"{"a": {"type": ["object", {}], "value": {}}}"#,
                "terraform",
            ),
            (r#"{"a": {"type": "Bool", "value": true}}"#, "azure"),
            (r#"{"a": {"type": "int", "value": 1}}"#, "azure"),
            (r#"{"a": {"type": "object", "value": {}}}"#, "azure"),
            (
                r#"{"a": {"type": "string", "value": "b"}, "b": {"type": "securestring"}}"#,
                "azure",
            ),
        ] {
            let message =
                format!("the outputs document has the format `{format}`, not `yaml`: 1:1");
            check_read("yaml", outputs, &[&message]);
        }
        // Terraform writes the mark.
        check_read(
            "",
            r#"{"a": {"sensitive": true, "type": "SecureString", "value": "hunter2"}}"#,
            &["the output `a` has an unknown `type`: \"a\""],
        );
    }

    #[test]
    fn an_output_without_a_known_type_may_be_a_secure_one() {
        let deployment = |output: &str| {
            format!("{{\"id\": \"\", \"properties\": {{\"outputs\": {{\"a\": {output}}}}}}}")
        };
        check_read(
            "",
            &deployment("{\"value\": \"hunter2\"}"),
            &["the output `a` has no `type`: \"a\""],
        );
        check_read(
            "",
            &deployment("{\"type\": \"Secret\", \"value\": \"hunter2\"}"),
            &["the output `a` has an unknown `type`: \"a\""],
        );
        check_redacted(
            &document(
                "",
                &deployment("{\"type\": \"Secret\", \"value\": \"hunter2\"}"),
            ),
            Some((
                &deployment("{\"type\": \"SecureString\", \"value\": \"(sensitive)\"}"),
                &["a"],
            )),
        );
    }

    #[test]
    fn redaction_keeps_only_outputs_that_are_not_sensitive() {
        check_redacted(
            &document(
                "",
                r#"{"id": "hunter2", "properties": {"parameters": {"p": {"value": "hunter2"}}, "outputs": {"a": {"type": "Int", "value": 1}, "b": {"type": "SecureObject", "value": {"hunter2": 1}}}}, "tags": ["hunter2"]}"#,
            ),
            Some((
                r#"{"id": "", "properties": {"parameters": {}, "outputs": {"a": {"type": "Int", "value": 1}, "b": {"type": "SecureObject", "value": {}}}}, "tags": []}"#,
                &["b"],
            )),
        );
        check_redacted(&document("", OUTPUTS), Some((OUTPUTS, &["password"])));
    }
}
