//! Applies the policies to a reference: one without a value may stay in the text, and
//! null may become an empty string.

use std::borrow::Cow;

use crate::bind::document::Context;
use crate::bind::resolve::{Outcome, Resolved, Shape, Withheld, resolve};
use crate::config::policy::Missing;
use crate::functions::look_up::OutputName;
use crate::outputs::{Type, Value};
use crate::reference::Reference;
use crate::reference::Site;
use crate::report::{Diagnostic, Rule, Severity};
use yaml::{Kind, Node, Role, Style};

/// Resolves a reference in `text`, the decoded text of the scalar `node`. A sensitive
/// value is withheld.
///
/// # Errors
/// What is wrong with it; `None` if that was already reported for its outputs document.
pub(crate) fn apply_missing_policy<'b>(
    reference: &Reference,
    node: &Node,
    text: &str,
    context: &Context<'b>,
    site: &Site<'_>,
) -> Result<Outcome<'b>, Option<Box<Diagnostic>>> {
    match resolve(reference, context.bindings, context.policy, site) {
        Ok(Outcome::Resolved(resolved)) => {
            let resolved = with_text_of_null(resolved, reference, node, text);
            let resolved = if site.dialect.notation().has_plain_literals {
                with_plain_literal(resolved, reference, node, text)
            } else {
                resolved
            };
            Ok(Outcome::Resolved(resolved))
        }
        Ok(withheld) => Ok(withheld),
        Err(error) if follows_from_its_document(&error, reference, context) => Err(None),
        Err(error)
            if error.rule == Rule::UnknownOutput
                && context.policy.choices.missing.value == Missing::Keep =>
        {
            let text = text.get(reference.range.clone()).unwrap_or_default();
            Ok(Outcome::Resolved(kept(*error, text)))
        }
        Err(error) => Err(Some(error)),
    }
}

/// Evaluates a sensitive reference whose placement accepts it.
///
/// # Errors
/// What failed, without anything that depends on the value.
pub(crate) fn evaluate<'b>(
    withheld: Withheld<'b>,
    reference: &Reference,
    node: &Node,
    text: &str,
    context: &Context<'b>,
    site: &Site<'_>,
) -> Result<Resolved<'b>, Box<Diagnostic>> {
    let resolved = withheld.evaluate(reference, context.bindings, context.policy, site)?;
    Ok(with_text_of_null(resolved, reference, node, text))
}

/// Replaces the null of an output, which the policy allows, with an empty string, unless
/// the scalar can become null. A null that the author wrote may be a mistake, and stays.
fn with_text_of_null<'b>(
    mut resolved: Resolved<'b>,
    reference: &Reference,
    node: &Node,
    text: &str,
) -> Resolved<'b> {
    let is_outputs = resolved.source.is_some() && resolved.value.value_type() == Type::Null;
    if is_outputs && !is_whole(reference, node, text) {
        resolved.value = Cow::Owned(Value::String(String::new()));
    }
    resolved
}

/// Replaces a literal that is all of a plain scalar with what YAML reads there: its author
/// wrote it as a part of the manifest.
fn with_plain_literal<'b>(
    mut resolved: Resolved<'b>,
    reference: &Reference,
    node: &Node,
    text: &str,
) -> Resolved<'b> {
    if resolved.is_literal
        && is_whole(reference, node, text)
        && let Some(value) = resolved.value.text().and_then(plain_value)
    {
        resolved.value = Cow::Owned(value);
    }
    resolved
}

/// Returns the number, bool or null that every YAML reader reads in a plain scalar, the
/// content of a quoted one, or an empty collection.
pub(crate) fn plain_value(text: &str) -> Option<Value> {
    let quoted = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains([quote, '\\'])).then(|| Value::String(inner.to_owned()))
    };
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        "[]" => Some(Value::List(Vec::new())),
        "{}" => Some(Value::Object(Vec::new())),
        _ if yaml::is_number(text) && !text.contains(['e', 'E']) => {
            Some(Value::Number(text.to_owned()))
        }
        _ => quoted('"').or_else(|| quoted('\'')),
    }
}

/// Returns whether an output is missing only because its document could not be read.
fn follows_from_its_document(
    error: &Diagnostic,
    reference: &Reference,
    context: &Context<'_>,
) -> bool {
    if !matches!(error.rule, Rule::UnknownOutput | Rule::RequiredOutput) {
        return false;
    }
    let mut follows = false;
    reference.for_each_path(&mut |path| {
        follows |= context.bindings.is_incomplete(path.binding.as_deref());
    });
    follows
}

/// Returns a reference that stays as its own text, with the error as a warning.
fn kept<'b>(error: Diagnostic, text: &str) -> Resolved<'b> {
    let warning = Diagnostic {
        severity: Severity::Warning,
        ..error
    };
    Resolved {
        value: Cow::Owned(Value::String(text.to_owned())),
        shape: Shape::Value,
        mark: None,
        output: OutputName::Other(String::new()),
        source: None,
        source_type: Type::Null,
        warnings: vec![warning],
        is_literal: false,
        kept: true,
        unknown: false,
    }
}

/// Returns whether the reference is a whole plain scalar without a tag, and not a key:
/// only there null is null.
fn is_whole(reference: &Reference, node: &Node, text: &str) -> bool {
    let is_plain = matches!(
        node.kind(),
        Kind::Scalar {
            style: Style::Plain,
            ..
        }
    );
    is_plain
        && node.role() != Role::Key
        && node.tag().is_none()
        && reference.range == (0..text.len())
}
