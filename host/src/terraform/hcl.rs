//! The `output` blocks of a file in Terraform's native syntax.

use std::ops::Range;

use hcl_edit::Span;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Block, Body};

use super::{Attributes, FileOutputs};

/// Reads the outputs of a file. The parser limits the depth of nesting.
pub(super) fn outputs(text: &str) -> FileOutputs {
    let mut outputs = FileOutputs::default();
    // The parser would not accept a byte order mark, which Terraform ignores.
    let (mark, content) = match text.strip_prefix('\u{feff}') {
        Some(content) => (text.len() - content.len(), content),
        None => (0, text),
    };
    let body: Body = match hcl_edit::parser::parse_body(content) {
        Ok(body) => body,
        Err(error) => {
            let at = error.location().offset() + mark;
            let message = format!("the file is not valid Terraform code: {}", error.message());
            // A point: the text may be a secret.
            outputs.errors.push((message, at..at));
            return outputs;
        }
    };
    let span = |node: &dyn Span| {
        let range = node.span().unwrap_or(0..0);
        range.start + mark..range.end + mark
    };
    for block in body.get_blocks("output") {
        let [label] = block.labels.as_slice() else {
            let message = "an `output` block must have one label, the name of the output";
            outputs
                .errors
                .push((message.to_owned(), span(&block.ident)));
            continue;
        };
        let name = label.as_str();
        let at = span(label);
        if !is_identifier(name) {
            let message = format!("`{name}` is not a valid name of an output");
            outputs.errors.push((message, at));
            continue;
        }
        let attributes = attributes(block, name, &span, &mut outputs.errors);
        outputs.blocks.push((name.to_owned(), at, attributes));
    }
    outputs
}

/// Returns whether a text is an identifier of Terraform.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

fn attributes(
    block: &Block,
    name: &str,
    span: &dyn Fn(&dyn Span) -> Range<usize>,
    errors: &mut Vec<(String, Range<usize>)>,
) -> Attributes {
    let mut attributes = Attributes::default();
    let mut type_of_value = None;
    for attribute in block.body.attributes() {
        let value = inner(&attribute.value);
        match attribute.key.as_str() {
            "sensitive" => match flag(value) {
                Some(flag) => attributes.sensitive = flag,
                None => {
                    let message =
                        format!("`sensitive` of the output `{name}` must be `true` or `false`");
                    errors.push((message, span(&attribute.key)));
                }
            },
            "description" => attributes.description = value.as_str().map(str::to_owned),
            "type" => attributes.value_type = declared_type(value),
            "value" => {
                type_of_value = literal_type(value);
                attributes.is_null = Some(matches!(value, Expression::Null(_)));
            }
            _ => {}
        }
    }
    attributes.value_type = attributes.value_type.or(type_of_value);
    attributes
}

/// Returns the expression inside parentheses.
fn inner(mut expression: &Expression) -> &Expression {
    while let Expression::Parenthesis(parenthesis) = expression {
        expression = parenthesis.inner();
    }
    expression
}

/// Returns the value of a bool, which Terraform converts from a string; null is not set.
fn flag(value: &Expression) -> Option<Option<bool>> {
    match value {
        Expression::Null(_) => Some(None),
        Expression::Bool(flag) => Some(Some(**flag)),
        Expression::String(text) => text.parse().ok().map(Some),
        _ => None,
    }
}

fn literal_type(value: &Expression) -> Option<&'static str> {
    match value {
        Expression::String(_) => Some("string"),
        Expression::Number(_) => Some("number"),
        Expression::Bool(_) => Some("bool"),
        Expression::Array(_) => Some("list"),
        Expression::Object(_) => Some("object"),
        _ => None,
    }
}

fn declared_type(constraint: &Expression) -> Option<&'static str> {
    match constraint {
        Expression::Variable(name) => super::contract::type_of(name.as_str()),
        Expression::FuncCall(call) => super::contract::type_of(call.name.name.as_str()),
        _ => None,
    }
}
