//! `terraform output -json` and `tofu output -json`:
//! `{name: {"sensitive": bool, "type": …, "value": …, "deprecated"?: …}}`.
//! Sensitive values stand there in plain text; outputs that are null are left
//! out by Terraform (internal/command/views/output.go).

use super::{Output, json};
use crate::report::{Diagnostic, Origin, Rule};

/// An object whose members are all objects with a `value`; `{}` is what
/// Terraform writes when there is no output.
pub(super) fn recognizes(node: &json::Node) -> bool {
    node.is_object()
        && node.members().is_ok_and(|members| {
            members.iter().all(|member| {
                member
                    .value
                    .members()
                    .is_ok_and(|fields| fields.iter().any(|field| field.name == "value"))
            })
        })
}

pub(super) fn read(node: &json::Node, origin: Origin) -> (Vec<Output>, Vec<Diagnostic>) {
    let mut outputs: Vec<Output> = Vec::new();
    let mut diagnostics = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    let not_json = |error: json::Error| {
        Diagnostic::error(
            Rule::OutputsNotJson,
            format!("the outputs document cannot be read: {}", error.message),
        )
        .at_concealed(origin, crate::Span::point(error.at), "")
    };
    let members = match node.members() {
        Ok(members) => members,
        Err(error) => return (outputs, vec![not_json(error)]),
    };
    for member in members {
        if let Some(first) = seen.insert(member.name.clone(), member.span) {
            diagnostics.push(
                Diagnostic::error(
                    Rule::DuplicateOutput,
                    format!("the output `{}` stands twice in one document", member.name),
                )
                .at_concealed(origin, member.span, "here again")
                .at_concealed(origin, first, "first here"),
            );
            continue;
        }
        let output = member.value.members().and_then(|fields| {
            let field = |name: &str| fields.iter().find(|field| field.name == name);
            let value = match field("value") {
                Some(field) => field.value.value()?,
                None => {
                    let message = "an output has no `value`".to_owned();
                    return Err(json::Error {
                        message,
                        at: member.value.span.start,
                    });
                }
            };
            let sensitive = match field("sensitive") {
                Some(field) => field.value.value()? != super::Value::Bool(false),
                None => false,
            };
            Ok(Output {
                name: member.name,
                span: member.span,
                value,
                sensitive,
            })
        });
        match output {
            Ok(output) => outputs.push(output),
            Err(error) => diagnostics.push(not_json(error)),
        }
    }
    (outputs, diagnostics)
}
