//! Writes the reference that was probably meant.

use std::ops::Range;

use crate::analysis::TextKind;
use crate::analysis::near_miss::{Form, near_miss};
use crate::analysis::texts::{ScalarText, fits_embedded};
use crate::bind::near_miss::{NearMissContext, owner};
use crate::functions::{ELSEWHERE, Function};
use crate::outputs::Bindings;
use crate::reference::{Dialect, LANDFALL, Path, Reference, Syntax, opening_at, openings};
use yaml::{Kind, Style};

/// Returns the reference that was meant by the text at byte `at` of a scalar's decoded text.
pub(super) fn in_scalar(
    scalar: &ScalarText<'_>,
    at: usize,
    binding: &str,
    context: NearMissContext<'_>,
) -> Option<String> {
    let quote = match style(scalar) {
        Some(Style::DoubleQuoted) => '\'',
        _ => '"',
    };
    let reference = meant(scalar.text(), at, binding, context)?;
    write(
        context.heads().dialect(),
        reference,
        context.bindings,
        quote,
    )
}

/// Returns the reference that was meant by the text at byte `at` of a document.
pub(super) fn in_text(
    text: &str,
    at: usize,
    binding: &str,
    context: NearMissContext<'_>,
) -> Option<String> {
    let reference = meant(text, at, binding, context)?;
    write(context.heads().dialect(), reference, context.bindings, '"')
}

/// Whether a text can be inserted into a scalar as it is.
pub(super) fn fits(scalar: &ScalarText<'_>, text: &str) -> bool {
    match (scalar.kind, style(scalar)) {
        (TextKind::Embedded, _) => fits_embedded(text),
        (_, Some(Style::DoubleQuoted)) => !text.contains(['"', '\\']),
        (_, Some(Style::SingleQuoted)) => !text.contains('\''),
        _ => true,
    }
}

fn style(scalar: &ScalarText<'_>) -> Option<Style> {
    match scalar.tree[scalar.id].kind() {
        Kind::Scalar { style, .. } => Some(style),
        _ => None,
    }
}

/// Returns the reference in landfall's own syntax tree.
fn meant(text: &str, at: usize, binding: &str, context: NearMissContext<'_>) -> Option<Reference> {
    let near = near_miss(text, at, context.heads())?;
    let path = &text[near.path.clone()];
    let source = match near.form {
        Form::Variable => {
            let path = Path::new(Some(binding.to_owned()), &near.output);
            return Some(Reference::new(path, Vec::new()));
        }
        Form::Path { closer } => {
            let end = near.range.end - closer.map_or(0, str::len);
            format!("${{{path}{}}}", &text[near.path.end..end])
        }
        Form::Expression => {
            let before = text[near.range.start..near.path.start].strip_prefix("${")?;
            let after = text[near.path.end..near.range.end].strip_suffix('}')?;
            format!("${{{path} | {}}}", call(before, after)?)
        }
        Form::Setter(_) => return None,
    };
    let reference = LANDFALL.parse(&source, 0).ok()?;
    let is_known = reference.calls.iter().all(|call| {
        Function::of_name(&call.function)
            .is_some_and(|function| function.accepts_count(call.arguments.len()))
    });
    (is_known && reference.range.end == source.len()).then_some(reference)
}

/// Returns the call of a function of Terraform's without the path among its arguments:
/// `join(",")` for `join(",", ` and `)`.
fn call(before: &str, after: &str) -> Option<String> {
    let (name, before) = before.trim().split_once('(')?;
    let name = name.trim();
    let name = (ELSEWHERE.iter())
        .find(|(other, _)| *other == name)
        .map_or(name, |(_, own)| own);
    let before = before.trim().trim_end_matches(',').trim();
    let inside = after.trim().strip_suffix(')')?.trim();
    let after = inside.trim_start_matches(',').trim();
    Some(match (before, after) {
        ("", "") => name.to_owned(),
        ("", only) | (only, "") => format!("{name}({only})"),
        (before, after) => format!("{name}({before}, {after})"),
    })
}

/// Writes a reference in a dialect.
fn write(
    dialect: &dyn Dialect,
    mut reference: Reference,
    bindings: &Bindings,
    quote: char,
) -> Option<String> {
    if dialect.notation().id != LANDFALL.notation().id {
        let output = reference.path.segments.first()?.step.key().into_owned();
        if !bindings.is_variable(reference.path.binding.as_deref()?, &output) {
            return None;
        }
        reference.path.binding = None;
    }
    dialect.write(&Syntax::Reference(&reference), quote)
}

/// Whether the template of a setter comment is one reference: other text of it may be that of
/// a Secret.
pub(super) fn is_one_reference(dialect: &'static dyn Dialect, template: &str) -> bool {
    let template = template.trim();
    opening_at(dialect, template.as_bytes(), 0).is_some()
        && dialect.parse(template, 0).is_ok_and(|reference| {
            reference.range == (0..template.len()) && reference.calls.is_empty()
        })
}

/// Returns a setter comment of `dialect`, with this template, in the dialect of the render.
pub(super) fn setter(
    dialect: &'static dyn Dialect,
    comment: &str,
    template: Range<usize>,
    context: NearMissContext<'_>,
) -> Option<String> {
    let own = context.heads().dialect();
    let word = own.notation().setter?;
    let template = comment.get(template)?.trim();
    let mut text = format!("# {word} ");
    let mut end = 0;
    for opening in openings(dialect, template.as_bytes()) {
        let reference = dialect.parse(template, opening.at).ok()?;
        let output = reference.path.segments.first()?.step.key().into_owned();
        let binding = owner(reference.path.binding.as_deref(), &output, context.bindings)?;
        text.push_str(template.get(end..opening.at)?);
        end = reference.range.end;
        let reference = match reference.path.binding {
            Some(_) => reference,
            None => Reference::new(Path::new(Some(binding), &output), reference.calls),
        };
        text.push_str(&write(own, reference, context.bindings, '"')?);
    }
    text.push_str(template.get(end..)?);
    Some(text)
}
