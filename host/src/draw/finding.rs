//! Draws one diagnostic with annotate-snippets.

use std::borrow::Cow;
use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};
use landfall_sandbox::types::Origin as DocumentOf;
use landfall_sandbox::types::{Diagnostic, Fix, Label, ResourceRef, Severity};

use super::document::{Document, Located};
use super::excerpt::{Excerpt, Marked, excerpts};
use super::place::Place;
use super::position::Positions;
use crate::sanitize;

/// Delimiters of a placeholder: a number that is passed to annotate-snippets as the
/// path. annotate-snippets computes columns in the excerpt, where a line may be
/// shortened, so its output is replaced by the location in the document.
const PLACEHOLDER_START: char = '\u{f8f0}';
const PLACEHOLDER_END: char = '\u{f8f1}';

/// Appends the drawn diagnostic to `out`.
pub(super) fn draw(
    renderer: &Renderer,
    documents: &Located<'_>,
    diagnostic: &Diagnostic,
    out: &mut String,
) {
    let mut paths = PathPlaceholders::default();
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(&diagnostic.message)
        .id(&diagnostic.rule);
    let mut groups =
        vec![Group::with_title(title).elements(elements(documents, diagnostic, &mut paths))];
    groups.extend(
        diagnostic
            .fixes
            .iter()
            .map(|fix| suggestion(documents, diagnostic, fix, &mut paths)),
    );
    paths.replace(&renderer.render(&groups), out);
    out.push('\n');
}

/// Returns the excerpts of all documents, then the resource and field, then the help.
fn elements<'a>(
    documents: &Located<'_>,
    diagnostic: &'a Diagnostic,
    paths: &mut PathPlaceholders,
) -> Vec<Element<'a>> {
    let mut elements = Vec::new();
    let mut drawn: Vec<DocumentOf> = Vec::new();
    for label in &diagnostic.labels {
        let origin = label.span.origin;
        if drawn.contains(&origin) {
            continue;
        }
        drawn.push(origin);
        let labels: Vec<_> = diagnostic
            .labels
            .iter()
            .filter(|label| label.span.origin == origin)
            .collect();
        match documents.get(label.span.origin) {
            Some((document, positions)) => {
                let has_primary = drawn.len() == 1;
                snippets(
                    document,
                    positions,
                    &labels,
                    has_primary,
                    paths,
                    &mut elements,
                );
            }
            None => elements.extend(labels.iter().filter_map(|label| note(&label.message))),
        }
    }
    elements.extend(subject(diagnostic).map(|text| Level::NOTE.message(text).into()));
    let help = diagnostic.help.as_deref();
    elements.extend(help.map(|help| Level::HELP.message(help).into()));
    elements
}

fn note(message: &str) -> Option<Element<'_>> {
    (!message.is_empty()).then(|| Level::NOTE.message(message).into())
}

/// Adds the excerpts of one document.
fn snippets<'a>(
    document: Document<'_>,
    positions: &Positions<'_>,
    labels: &[&'a Label],
    has_primary: bool,
    paths: &mut PathPlaceholders,
    elements: &mut Vec<Element<'a>>,
) {
    let marks: Vec<_> = labels.iter().map(|label| marked(label)).collect();
    let Some(mut excerpts) = excerpts(positions, &marks) else {
        // Not UTF-8: show only the locations.
        for label in labels {
            elements.push(
                Origin::path(paths.add(document, positions, label.span.start as usize))
                    .line(1)
                    .char_column(1)
                    .into(),
            );
            elements.extend(note(&label.message));
        }
        return;
    };
    if has_primary {
        // The excerpt with the primary label comes first.
        let primary = excerpts
            .iter()
            .position(|excerpt| excerpt.marks.iter().any(|(label, _)| *label == 0));
        excerpts[..=primary.unwrap_or(0)].rotate_right(1);
    }
    for Excerpt {
        first_byte,
        text,
        marks,
    } in excerpts
    {
        let foremost = marks.iter().map(|(label, _)| *label).min().unwrap_or(0);
        let line = positions.at(first_byte).line;
        let annotations = marks.into_iter().map(|(label, span)| {
            let kind = if has_primary && label == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let message = &labels[label].message;
            kind.span(span)
                .label((!message.is_empty()).then_some(message.as_str()))
        });
        let snippet = Snippet::source(text)
            .line_start(line)
            .path(paths.add(document, positions, labels[foremost].span.start as usize))
            .annotations(annotations);
        elements.push(snippet.into());
    }
}

fn marked(label: &Label) -> Marked {
    // Outputs documents contain values, so they are always concealed.
    let is_outputs = matches!(label.span.origin, DocumentOf::Outputs(_));
    Marked {
        span: label.span.start as usize..label.span.end as usize,
        conceal: label.conceal || is_outputs,
    }
}

/// Formats `in Deployment web (namespace shop), field spec.replicas`.
fn subject(diagnostic: &Diagnostic) -> Option<String> {
    let field = diagnostic
        .field
        .as_deref()
        .filter(|field| !field.is_empty());
    let mut text = String::new();
    if let Some(ResourceRef {
        kind,
        name,
        namespace,
        ..
    }) = &diagnostic.resource
    {
        let kind = if kind.is_empty() { "resource" } else { kind };
        let _ = write!(text, "in {}", format!("{kind} {name}").trim_end());
        if !namespace.is_empty() {
            let _ = write!(text, " (namespace {namespace})");
        }
    }
    if let Some(field) = field {
        let separator = if text.is_empty() { "in" } else { "," };
        let _ = write!(text, "{separator} field {field}");
    }
    (!text.is_empty()).then_some(text)
}

/// Draws a fix as a diff, or only its title if the lines are concealed.
fn suggestion<'a>(
    documents: &Located<'_>,
    diagnostic: &Diagnostic,
    fix: &'a Fix,
    paths: &mut PathPlaceholders,
) -> Group<'a> {
    let title = Level::HELP.secondary_title(&fix.title);
    let Some(snippet) = patched(documents, diagnostic, fix, paths) else {
        return Group::with_title(title);
    };
    title.element(snippet)
}

fn patched<'a>(
    documents: &Located<'_>,
    diagnostic: &Diagnostic,
    fix: &'a Fix,
    paths: &mut PathPlaceholders,
) -> Option<Snippet<'a, Patch<'a>>> {
    let target = fix.target;
    let is_concealed = diagnostic
        .labels
        .iter()
        .any(|label| label.span.origin == target && marked(label).conceal);
    if is_concealed || matches!(fix.target, DocumentOf::Outputs(_)) {
        return None;
    }
    let (document, positions) = documents.get(fix.target)?;
    let marks: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| Marked {
            span: edit.start as usize..edit.end as usize,
            conceal: false,
        })
        .collect();
    let [
        Excerpt {
            first_byte,
            text,
            marks,
        },
    ] = <[_; 1]>::try_from(excerpts(positions, &marks)?).ok()?;
    let line = positions.at(first_byte).line;
    let mut patches = Vec::with_capacity(marks.len());
    for (edit, span) in marks {
        let replacement = std::str::from_utf8(&fix.edits[edit].text).ok()?;
        patches.push(Patch::new(span, sanitize::source(replacement)));
    }
    let mut snippet = Snippet::source(text).line_start(line).patches(patches);
    let is_other_document = diagnostic
        .labels
        .first()
        .is_none_or(|label| label.span.origin != target);
    if is_other_document {
        snippet = snippet.path(paths.add(document, positions, fix.edits.first()?.start as usize));
    }
    Some(snippet)
}

/// The locations that replace the placeholders, by number.
#[derive(Default)]
struct PathPlaceholders(Vec<String>);

impl PathPlaceholders {
    /// Returns the placeholder for `offset` in `document`.
    fn add(
        &mut self,
        document: Document<'_>,
        positions: &Positions<'_>,
        offset: usize,
    ) -> Cow<'static, str> {
        self.0
            .push(Place::new(document, positions, offset).to_string());
        format!("{PLACEHOLDER_START}{}{PLACEHOLDER_END}", self.0.len() - 1).into()
    }

    /// Appends `drawn` to `out` with each placeholder, and the line and column after it,
    /// replaced by the location.
    fn replace(&self, drawn: &str, out: &mut String) {
        let mut rest = drawn;
        while let Some((before, after)) = rest.split_once(PLACEHOLDER_START) {
            out.push_str(before);
            let Some((number, after)) = after.split_once(PLACEHOLDER_END) else {
                break;
            };
            let location = number
                .parse::<usize>()
                .ok()
                .and_then(|number| self.0.get(number));
            out.push_str(location.map_or("", String::as_str));
            rest = after.trim_start_matches(|char: char| char == ':' || char.is_ascii_digit());
        }
        out.push_str(rest);
    }
}
