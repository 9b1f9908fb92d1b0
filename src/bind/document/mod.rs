//! One document: its references found, resolved, judged by their places, and
//! turned into edits.

mod assign;
mod assignment;
mod concealment;
mod created;
mod embedded;
mod ground;
mod holders;
mod judge;
mod kept_type;
mod mismatch;
mod not_found;
mod parts;
mod repeated;
mod sensitive;
mod setter;
mod targets;
mod values;
mod withheld;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::analysis::targets::{FieldBindings, Listed};
use crate::bind::document::ground::Ground;
use crate::bind::document::targets::Followed;
use crate::config::policy::Policy;
use crate::functions::Evaluation;
use crate::kubernetes::resources::Field;
use crate::kubernetes::types::CustomKinds;
use crate::outputs::Bindings;
use crate::reference::{Heads, Reference, is_setter, parse};
use crate::reference::{Mask, locate, mask_references};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Substitution};
use yaml::{CommentScan, Document, LocateError, masked};
use yaml::{Edit, Span};

/// How often a document may be parsed again because a reference ended elsewhere
/// than its raw text told.
const REREADINGS: usize = 4;

/// How many references are looked at for one that is not closed, when a document
/// does not parse.
const MOST_LOOKED_AT: usize = 64;

/// What every document of a render shares.
pub(crate) struct Context<'c> {
    pub(crate) bindings: &'c Bindings,
    pub(crate) heads: &'c Heads,
    pub(crate) policy: &'c Policy,
    /// The kinds that the manifests themselves define.
    pub(crate) custom: &'c CustomKinds<'c>,
    pub(crate) field_bindings: &'c FieldBindings,
    /// The embedded documents that the Binding lists.
    pub(crate) embedded: &'c Listed,
    /// References stay as they are; setter comments are rendered.
    pub(crate) keep_references: bool,
    /// Whether sensitive values are read where they may be written. If not, what is
    /// found depends on none of them.
    pub(crate) evaluation: Evaluation,
    /// Position of the source file.
    pub(crate) file: usize,
    /// Render only what stands under this key of the root: a ResourceList's
    /// `items`.
    pub(crate) only_under: Option<&'c str>,
    pub(crate) wants_substitutions: bool,
    pub(crate) budget: &'c Budget,
}

/// The bytes that a render may still write: the same on every machine, unlike
/// the memory that is there.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: std::cell::Cell<u64>,
}

impl Budget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self {
            limit,
            left: std::cell::Cell::new(limit),
        }
    }

    fn has(&self, bytes: usize) -> bool {
        u64::try_from(bytes).is_ok_and(|bytes| bytes <= self.left.get())
    }

    fn take(&self, bytes: usize) -> bool {
        let left = self
            .left
            .get()
            .checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn exceeded(&self) -> Diagnostic {
        Diagnostic::error(
            Rule::AnswerTooLarge,
            format!("the values would write more than {} bytes", self.limit),
        )
        .help("raise the limit with `--max-answer`, if so much text is meant")
    }
}

/// What became of one document. Spans point into its file.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) edits: Vec<Edit>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) substitutions: Vec<Substitution>,
    /// Where scalars became lists or objects.
    pub(crate) reshaped: Vec<usize>,
    /// The first sensitive reference inside of a node with an anchor.
    pub(crate) anchored: Option<Span>,
    /// How the field paths went on that lead into an embedded document.
    followed: Vec<Followed>,
}

/// A reference that was found.
struct Read {
    reference: Reference,
    /// Its bytes in the text of the document; empty when it stands in the Binding.
    raw: Range<usize>,
    origin: Origin,
    span: Span,
    /// As it was written, when a report is wanted.
    written: String,
}

/// Renders one document of a file.
pub(crate) fn render(document: Document<'_>, context: &Context<'_>) -> Rendered {
    let ground = Ground::of_file(document, Origin::Manifest(context.file));
    let mut rendered = render_text(&ground, context);
    for edit in &mut rendered.edits {
        edit.span = edit.span.shifted(document.offset);
    }
    for place in &mut rendered.reshaped {
        *place += document.offset;
    }
    rendered
}

/// Renders one text. Edits count its own bytes, everything else those of the
/// file.
fn render_text(ground: &Ground<'_>, context: &Context<'_>) -> Rendered {
    let source = ground.text;

    let mut known = BTreeMap::new();
    for _ in 0..REREADINGS {
        let masks = mask_references(source, context.heads, &known);
        let scratch = masked(source, masks.iter().map(|mask| &mask.range));
        let renderer = Renderer {
            ground,
            context,
            rendered: Rendered::default(),
            unbounded: false,
            followed: Vec::new(),
        };
        let tree = match locate(scratch) {
            Ok(tree) => tree,
            Err(error) => {
                let followed = renderer.unread_targets(&error);
                let rendered = renderer.unparsed(&error, &masks);
                return Rendered {
                    followed,
                    ..rendered
                };
            }
        };
        match renderer.document(&tree, &masks, &mut known) {
            Some(rendered) => return rendered,
            None => continue,
        }
    }
    let mut rendered = Rendered::default();
    let span = ground.span(&(0..0));
    rendered.diagnostics.push(
        Diagnostic::error(
            Rule::InvalidReference,
            "it cannot be told where the references of this document end",
        )
        .at(ground.origin, span, "this document")
        .help("put quotes around the scalars that hold references"),
    );
    rendered
}

/// A render under way; `'d` is the text's.
struct Renderer<'d, 'c> {
    ground: &'d Ground<'d>,
    context: &'c Context<'c>,
    rendered: Rendered,
    /// That aliases repeat its values without end has been reported.
    unbounded: bool,
    /// The field paths that lead into this text or on from it.
    followed: Vec<Followed>,
}

impl<'d> Renderer<'d, '_> {
    const fn origin(&self) -> Origin {
        self.ground.origin
    }

    fn span(&self, raw: &Range<usize>) -> Span {
        self.ground.span(raw)
    }

    /// A diagnostic with the field that it belongs to.
    fn placed(&self, mut diagnostic: Diagnostic, field: &Field) -> Diagnostic {
        diagnostic = diagnostic.in_field(Some(field));
        if field.is_of_secret() || self.ground.in_secret() {
            diagnostic
                .labels
                .iter_mut()
                .for_each(|label| label.conceal = true);
        }
        diagnostic
    }

    fn tell(&mut self, diagnostic: Diagnostic, field: &Field) {
        if !self.rendered.diagnostics.keeps(diagnostic.severity) {
            self.rendered.diagnostics.omit(diagnostic.severity);
            return;
        }
        let placed = self.placed(diagnostic, field);
        self.rendered.diagnostics.push(placed);
    }

    /// A document that no YAML parser reads: an error when it holds a reference
    /// outside comments, else it passes.
    fn unparsed(mut self, error: &LocateError, masks: &[Mask]) -> Rendered {
        let source = self.ground.text;
        let first = match self.context.keep_references {
            true => None,
            false => first_outside_comments(source, masks),
        };
        let Some(first) = first.or_else(|| first_in_setter(source, masks)) else {
            return self.rendered;
        };
        let unterminated = masks.iter().take(MOST_LOOKED_AT).find_map(|mask| {
            let line = memchr::memchr(b'\n', &source.as_bytes()[mask.range.start..]);
            let line_end = line.map_or(source.len(), |length| mask.range.start + length);
            let syntax = parse(&source[..line_end], mask.range.start).err()?;
            (syntax.unterminated && !mask.escaped).then_some((mask, syntax))
        });
        let diagnostic = match unterminated {
            Some((mask, syntax)) => {
                Diagnostic::error(Rule::UnterminatedReference, "this reference is not closed")
                    .at(self.origin(), self.span(&mask.range), syntax.message)
                    .help("a reference ends with `}`")
            }
            None => {
                let embedded = self.ground.inside.is_some();
                let message = error.described(match (error.too_deep, embedded) {
                    (false, false) => "the document holds references but",
                    (false, true) => "the embedded document holds references but",
                    (true, false) => "the document holds references and",
                    (true, true) => "the embedded document holds references and",
                });
                Diagnostic::error(Rule::DocumentIsNotYaml, message)
                    .at(self.origin(), self.span(&(error.at..error.at)), error.label())
                    .at(self.origin(), self.span(&first.range), "the first reference")
                    .help(match source.contains("{{") {
                        _ if error.too_deep => "move the references into a document with less nesting; documents without references are not parsed",
                        _ if embedded => "what is named like a YAML or JSON file must be one; the Binding can say that it is text: `embedded: [{select: {…}, fieldPaths: […], format: text}]`",
                        true => "this looks like a Helm template, which is no YAML yet: render it with `helm template` first, and landfall renders what it writes",
                        false => "documents without references to bound names may be anything; this one must parse",
                    })
            }
        };
        let mut diagnostic = diagnostic;
        let replaces = first_in_setter(source, masks).is_some();
        if source.contains("Secret") || replaces || self.ground.in_secret() {
            // It may be one, or a former value: nobody can tell without a tree.
            diagnostic
                .labels
                .iter_mut()
                .for_each(|label| label.conceal = true);
        }
        self.rendered.diagnostics.push(diagnostic);
        self.rendered
    }
}

/// The first mask that does not stand behind a `#` that begins a comment, as far
/// as that can be told without parsing.
fn first_outside_comments<'m>(source: &str, masks: &'m [Mask]) -> Option<&'m Mask> {
    let mut comments = CommentScan::default();
    masks
        .iter()
        .find(|mask| !comments.covers(source, mask.range.start))
}

/// The first mask that stands on its line behind what begins a setter comment.
fn first_in_setter<'m>(source: &str, masks: &'m [Mask]) -> Option<&'m Mask> {
    let mut seen = 0;
    masks.iter().find(|mask| {
        let between = seen..mask.range.start;
        seen = mask.range.end;
        // What stands before the last mask of the same line has been looked at.
        let text = source.get(between).unwrap_or_default();
        let line = text.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let mut comments = text[line..].match_indices('#');
        comments.any(|(at, _)| {
            let begins = at == 0 || text[line..line + at].ends_with([' ', '\t']);
            begins && is_setter(&text[line + at..])
        })
    })
}
