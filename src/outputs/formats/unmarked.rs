//! What formats without marks of sensitivity share: reading the members of a JSON object as
//! outputs, and what another tool masked or marked.

use crate::outputs::document::Document;
use crate::outputs::formats::pulumi_state::SIGNATURE;
use crate::outputs::formats::{self, has_value_and_mark, reject_repeated};
use crate::outputs::json::Node;
use crate::outputs::other_document::{self, MASKED_BY_PULUMI};
use crate::outputs::position::Positions;
use crate::outputs::{Output, ReadOutputs, Unreadable, Value};
use crate::report::{Diagnostic, Rule};

/// What `pulumi stack output` writes instead of a secret.
pub(super) const MASK: &str = "[secret]";

/// Reads the members of a JSON object as outputs, in the format with an id. For any other
/// document, `help` says what to bind.
pub(super) fn read_members(document: &Document<'_>, format: &str, help: &str) -> ReadOutputs {
    let mut read = ReadOutputs::default();
    let members = match document.members() {
        Ok(members) => members,
        Err(diagnostics) => {
            let helped = diagnostics.into_iter().map(|error| error.help(help));
            read.diagnostics = helped.collect();
            return read;
        }
    };
    // Other documents, recognised by their keys, do not mark their secrets.
    let has = |name: &str| members.iter().any(|member| member.name == name);
    if let Some(found) = other_document::identify_by_keys(&has) {
        read.diagnostics = formats::unreadable(document, found).into();
        return read;
    }
    let mut positions = Positions::new(document.text.as_bytes());
    for member in &members {
        let name = &member.name;
        let span = positions.reported(member.span);
        let written = member.value.span();
        let sensitive = document.declares_sensitive(name);
        let is_secret = sensitive || has_mark(member.value);
        match member.value.value() {
            Ok(value) => read.outputs.push(Output {
                name: name.clone().into_owned(),
                span,
                value,
                written,
                sensitive,
            }),
            // The keys of a sensitive value are part of it.
            Err(_) if is_secret => {
                let message = format!("the output `{name}` has an object with a duplicate key");
                let error = Diagnostic::error(Rule::InvalidOutputs, message).at_concealed(
                    document.origin,
                    span,
                    "",
                );
                read.diagnostics.push(error);
            }
            Err(keys) => {
                let message = format!("duplicate key in an object of the output `{name}`");
                let spans = keys.map(|key| positions.reported(key));
                read.diagnostics
                    .push(document.duplicate_error(message, spans));
            }
        }
        if is_secret {
            positions.hide(written.end);
        }
    }
    reject_marked(document, format, &mut read);
    reject_repeated(document, &mut read);
    read
}

/// How a value shows that it is a secret.
#[derive(Clone, Copy)]
enum Mark {
    /// `[secret]` is in its place.
    Masked,
    /// An object has a `value`, and a `sensitive`.
    Sensitive,
    /// An object is what Pulumi's state contains for a secret.
    Pulumi,
}

/// Removes the outputs whose values are masked: references cannot read them. Reports and
/// removes those that are marked as sensitive in a way that the format with an id doesn't
/// read.
pub(super) fn reject_marked(document: &Document<'_>, format: &str, read: &mut ReadOutputs) {
    let ReadOutputs {
        outputs,
        unreadable,
        diagnostics,
        ..
    } = read;
    outputs.retain(|output| {
        let name = &output.name;
        let lost = |what: &str| {
            format!("the output `{name}` has {what}, which the format `{format}` would lose")
        };
        let (message, help) = match mark(&output.value) {
            None => return true,
            Some(Mark::Masked) => {
                unreadable.push(Unreadable {
                    name: name.clone(),
                    span: output.span,
                    sensitive: true,
                    why: "it is masked",
                    help: MASKED_BY_PULUMI,
                    is_written: false,
                });
                return false;
            }
            Some(Mark::Sensitive) => (lost("a `sensitive` mark"), other_document::OUTPUT_JSON),
            Some(Mark::Pulumi) => (
                lost("a mark of Pulumi's state"),
                "bind the unchanged result of `pulumi stack export --show-secrets`",
            ),
        };
        let error = Diagnostic::error(Rule::InvalidOutputs, message).at_concealed(
            document.origin,
            output.span,
            "",
        );
        diagnostics.push(error.help(help));
        false
    });
}

/// Returns whether something in a value may mark a secret, so that no location after it
/// may depend on the value.
fn has_mark(node: Node<'_>) -> bool {
    let members = node.members();
    members.iter().any(|member| member.name == SIGNATURE)
        || has_value_and_mark(members.iter().map(|member| &*member.name))
        || members.iter().any(|member| has_mark(member.value))
        || node.items().any(has_mark)
}

fn mark(value: &Value) -> Option<Mark> {
    match value {
        Value::String(text) if text == MASK => Some(Mark::Masked),
        Value::List(items) => items.iter().find_map(mark),
        Value::Object(entries) => {
            let keys = || entries.iter().map(|(key, _)| &*key.name);
            if keys().any(|name| name == SIGNATURE) {
                return Some(Mark::Pulumi);
            }
            if has_value_and_mark(keys()) {
                return Some(Mark::Sensitive);
            }
            entries.iter().find_map(|(_, value)| mark(value))
        }
        _ => None,
    }
}
