//! The types of fields in manifests that another tool has built: a tool can put a value into
//! another field than the one for which it was rendered, or drop its quotes.

use crate::contract::Sources;
use crate::functions::is_base64;
use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::{Constraint, FieldType, kind_type_of};
use crate::kubernetes::validity::FieldRule;
use crate::kubernetes::{CustomKinds, DefinedKinds};
use crate::report::{Diagnostic, Origin, Rule, Severity};
use yaml::{Document, Kind, Node, NodeId, Role, Span, Style, Tree, is_number, locate, split};

/// Returns a diagnostic for each field whose value the API server refuses. `rendered` may
/// define kinds too.
pub(super) fn refused(built: &Sources, rendered: &Sources, severity: Severity) -> Vec<Diagnostic> {
    let texts = built.texts().chain(rendered.texts()).filter_map(Result::ok);
    let custom = CustomKinds::new(texts.collect(), DefinedKinds::default());
    let mut found = Vec::new();
    for (file, text) in built.texts().enumerate() {
        for document in text.map(split).unwrap_or_default() {
            // What is not YAML has no fields.
            if let Ok(tree) = locate(document.text) {
                check(file, document, &tree, &custom, severity, &mut found);
            }
        }
    }
    found
}

fn check(
    file: usize,
    document: Document<'_>,
    tree: &Tree,
    custom: &CustomKinds<'_>,
    severity: Severity,
    found: &mut Vec<Diagnostic>,
) {
    let resources = Resources::new(tree);
    // By node: parents come first.
    let mut types: Vec<FieldType> = Vec::with_capacity(tree.len());
    for (id, node) in tree.nodes() {
        let around = node.parent().and_then(|parent| types.get(parent));
        let mut takes = match (around, node.role()) {
            (Some(around), Role::Item(_)) => around.item(),
            (Some(around), Role::Value(key)) => around.field(tree.text(key).unwrap_or_default()),
            _ => FieldType::Unknown,
        };
        let refused = refused_as(tree, id, &takes).or_else(|| refused_text(tree, id, around?));
        if let Some(what) = refused {
            let field = resources.field(id);
            let message = format!(
                "`{field}` expects {}, but {what} was built",
                takes.described()
            );
            let error = Diagnostic::error(Rule::FieldTypeMismatch, message)
                .at_concealed(
                    Origin::Manifest(file),
                    Span::new(node.range().start, node.range().end).shifted(document.offset),
                    "the API server rejects this",
                )
                .help("set the field in a form that keeps its type: a patch without quotes around a number, or with quotes around a string")
                .in_field(Some(&field));
            found.push(Diagnostic { severity, ..error });
        }
        if is_plain_data(tree, id)
            && let field = resources.field(id)
            && field.holds_base64()
            && !tree.root_has("sops")
        {
            let message = format!(
                "`data` of a Secret must be base64, but another text was built in `{field}`"
            );
            let error = Diagnostic::error(Rule::SecretDataNotBase64, message)
                .at_concealed(
                    Origin::Manifest(file),
                    Span::new(node.range().start, node.range().end).shifted(document.offset),
                    "the API server rejects this",
                )
                .help("set the field in `stringData`, or copy a value that is base64")
                .in_field(Some(&field));
            found.push(Diagnostic { severity, ..error });
        }
        if let Kind::Mapping { .. } = node.kind()
            && let Some(resource) = resources.resource(id)
        {
            takes = kind_type_of(&resource, custom);
        }
        types.push(takes);
    }
}

/// Returns whether a node is a text that is not base64, and an entry of `data`.
fn is_plain_data(tree: &Tree, id: NodeId) -> bool {
    let node = &tree[id];
    let (Role::Value(_), Some(text), Some(data)) = (node.role(), tree.text(id), node.parent())
    else {
        return false;
    };
    matches!(tree[data].role(), Role::Value(key) if tree.text(key) == Some("data"))
        && node.tag().is_none()
        && Found::of(node, text) == Found::String
        && !is_base64(text)
}

/// Returns what a node is, if a field of this type does not accept it.
fn refused_as(tree: &Tree, id: NodeId, takes: &FieldType) -> Option<&'static str> {
    let node = &tree[id];
    if node.tag().is_some() || *takes == FieldType::Unknown {
        return None;
    }
    let found = Found::of(node, tree.text(id).unwrap_or_default());
    let accepts = match (takes, &found) {
        (_, Found::Null | Found::Other) | (FieldType::Unknown, _) => true,
        (FieldType::String, found) => *found == Found::String,
        (FieldType::Integer, found) => *found == Found::Integer,
        (FieldType::Number, found) => matches!(found, Found::Integer | Found::Number),
        (FieldType::Boolean, found) => *found == Found::Bool,
        (FieldType::Either, found) => {
            matches!(found, Found::String | Found::Integer | Found::Number)
        }
        (FieldType::List(_), found) => *found == Found::List,
        (FieldType::Object(_), found) => *found == Found::Object,
    };
    (!accepts).then(|| found.described())
}

/// Returns what a text is, if it has the digits of a port or count that a number would have:
/// `"80"` is no name of a port.
fn refused_text(tree: &Tree, id: NodeId, around: &FieldType) -> Option<&'static str> {
    let node = &tree[id];
    let (Role::Value(key), Some(text)) = (node.role(), tree.text(id)) else {
        return None;
    };
    let Some(Constraint::Rule(rule)) = around.field_constraint(tree.text(key)?) else {
        return None;
    };
    let takes_numbers = matches!(rule, FieldRule::PortOrName | FieldRule::CountOrPercent);
    let is_text = Found::of(node, text) == Found::String && node.tag().is_none();
    let is_refused = takes_numbers && is_text && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_refused && !text.is_empty()).then_some("a number in quotes")
}

/// What the API server's reader takes a node for (sigs.k8s.io/yaml 1.6, which reads YAML 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Null,
    String,
    Integer,
    Number,
    Bool,
    List,
    Object,
    /// An alias, or text that readers take for different types.
    Other,
}

impl Found {
    fn of(node: &Node, text: &str) -> Self {
        match node.kind() {
            Kind::Alias(_) => Self::Other,
            Kind::Sequence { .. } => Self::List,
            Kind::Mapping { .. } => Self::Object,
            Kind::Scalar {
                style: Style::Plain,
                ..
            } => Self::of_plain(text),
            Kind::Scalar { .. } => Self::String,
        }
    }

    fn of_plain(text: &str) -> Self {
        let begins_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Self::Bool,
            "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Self::Bool,
            _ if is_number(text) && is_whole(text) => Self::Integer,
            _ if is_number(text) => Self::Number,
            _ if begins_number => Self::Other,
            _ => Self::String,
        }
    }

    const fn described(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer | Self::Number => "a number",
            Self::Bool => "a bool",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Null | Self::Other => "another value",
        }
    }
}

/// Returns whether a number has no fraction. One with an exponent may have none.
fn is_whole(number: &str) -> bool {
    number.contains(['e', 'E'])
        || number
            .split_once('.')
            .is_none_or(|(_, fraction)| fraction.bytes().all(|digit| digit == b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::File;

    #[track_caller]
    fn check(built: &str, expected: &[&str]) {
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: built.into(),
        }]);
        let found = refused(&sources, &Sources::new(Vec::new()), Severity::Warning);
        let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, expected, "{built}");
    }

    fn deployment(field: &str) -> String {
        format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\n{field}\n")
    }

    #[test]
    fn reports_values_that_the_api_server_rejects() {
        for (field, expected) in [
            (
                "spec: {replicas: \"3\"}",
                "`spec.replicas` expects an integer, but a string was built",
            ),
            (
                "spec: {replicas: 1.5}",
                "`spec.replicas` expects an integer, but a number was built",
            ),
            (
                "spec: {replicas: true}",
                "`spec.replicas` expects an integer, but a bool was built",
            ),
            (
                "spec: {paused: \"true\"}",
                "`spec.paused` expects a bool, but a string was built",
            ),
            (
                "spec: {selector: {matchLabels: {a: 1}}}",
                "`spec.selector.matchLabels.a` expects a string, but a number was built",
            ),
            (
                "spec: {template: {metadata: {annotations: {a: yes}}}}",
                "`spec.template.metadata.annotations.a` expects a string, but a bool was built",
            ),
            (
                "spec: {template: {spec: {containers: [{args: a}]}}}",
                "`spec.template.spec.containers[0].args` expects a list, but a string was built",
            ),
            (
                "spec: {template: [a]}",
                "`spec.template` expects an object, but a list was built",
            ),
            (
                "spec: {strategy: {rollingUpdate: {maxSurge: \"1\", maxUnavailable: 25%}}}",
                "`spec.strategy.rollingUpdate.maxSurge` expects a number or a string, but a number in quotes was built",
            ),
        ] {
            check(&deployment(field), &[expected]);
        }
        let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  spec: {ports: [{port: \"80\", targetPort: true}]}\n- {apiVersion: example.com/v1, kind: Widget, metadata: {labels: {a: 1}}, spec: {a: 1}}\n";
        check(
            list,
            &[
                "`spec.ports[0].port` expects an integer, but a string was built",
                "`spec.ports[0].targetPort` expects a number or a string, but a bool was built",
                "`metadata.labels.a` expects a string, but a number was built",
            ],
        );
    }

    #[test]
    fn reports_data_of_a_secret_that_is_not_base64() {
        let message = "`data` of a Secret must be base64, but another text was built in `data.b`";
        let secret =
            |more: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\n{more}\n");
        check(
            &secret("data: {a: aGk=, b: 'pass word', c: ''}"),
            &[message],
        );
        check(&secret("data: {a: aGk=, b: hunter2}"), &[message]);
        check(&secret("stringData: {b: hunter2}"), &[]);
        check(
            &secret("data: {b: 'ENC[AES256_GCM,data:x]'}\nsops: {}"),
            &[],
        );
        check("apiVersion: v1\nkind: ConfigMap\ndata: {b: hunter2}\n", &[]);
        check(
            "apiVersion: example.com/v1\nkind: Secret\ndata: {b: hunter2}\n",
            &[],
        );
    }

    #[test]
    fn accepts_what_the_api_server_accepts() {
        for field in [
            "spec: {replicas: 3}",
            "spec: {replicas: 3.0}",
            "spec: {replicas: null, paused: true}",
            "spec: {replicas: !!int \"3\"}",
            "spec: {template: {spec: {containers: [{args: [\"1\"], resources: {limits: {cpu: 0.5, memory: 1Gi}}}]}}}",
            "spec: {template: {spec: {containers: [{args: [a, 1.2.3, 10.0.0.0/8]}]}}}",
            "spec: {template: {metadata: {annotations: {a: \"1\", b: \"yes\", c: 2024-01-01}}}}",
            "spec: {unknown: {field: 1}}",
        ] {
            check(&deployment(field), &[]);
        }
        check(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 3\n",
            &[],
        );
        check("a: [b\n", &[]);
        check("spec: {replicas: \"3\"}\n", &[]);
    }
}
