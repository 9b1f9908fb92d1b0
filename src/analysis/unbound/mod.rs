//! Unbound references: text that parses as `${name.output}` but whose name is not bound. It
//! is left unchanged. An author who forgot to bind the name must be warned, but not one
//! whose text belongs to another tool.

mod block_text;
mod comparisons;
mod heads;

pub(crate) use comparisons::MAX_STEPS as MAX_COMPARED;
pub(crate) use heads::{HeadContext, HeadText, ParsedAs, visit_heads};

use std::cmp::Reverse;

use crate::analysis::look_alike;
use crate::analysis::look_alike_diagnostic;
use crate::analysis::near_miss::setter_before;
use crate::analysis::texts::Comment;
use crate::analysis::unbound::block_text::BlockText;
use crate::analysis::unbound::comparisons::Comparisons;
use crate::analysis::{TextKind, View};
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::names::Names;
use crate::config::policy::Unbound as Policy;
use crate::kubernetes::resources::Field;
use crate::reference::{Heads, UnboundHead};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, ResourceRef, Rule, Severity};
use yaml::Document;
use yaml::{Edit, Span};

/// How many near misses are reported individually, and how many names of all other kinds:
/// vendor text may contain thousands.
const MAX_REPORTED: usize = 100;

/// What determines how the unbound references of a render are reported.
#[derive(Clone, Copy)]
pub(crate) struct UnboundContext<'t> {
    pub(crate) heads: &'t Heads,
    pub(crate) names: &'t Names,
    pub(crate) view: View<'t>,
    pub(crate) policy: Policy,
    /// Only setter comments are rendered: other text stays for a later render.
    pub(crate) setters_only: bool,
}

/// The unbound references of some files: one diagnostic for each name, with its first
/// location and the number of occurrences.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnboundReferences {
    has_any: bool,
    near_misses: Vec<Diagnostic>,
    look_alikes: Vec<Diagnostic>,
    /// Errors before warnings.
    reported: OrderedMap<(Reverse<Severity>, Reason, String), FirstOccurrence>,
}

/// The bound names that were probably meant by the unbound names of a render.
#[derive(Debug, Default)]
pub(crate) struct MeantNames {
    /// By the unbound name.
    known: OrderedMap<String, Option<String>>,
    comparisons: Comparisons,
}

/// The first name of Terraform's references to the outputs of a module, which are not those
/// of the root.
const MODULE: &str = "module";

/// Why an unbound name is reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Another Binding binds it.
    BoundElsewhere(String),
    /// Nothing is bound at all.
    NothingBound,
    /// Nothing is bound at all, and the name is that of an output. With the help.
    NoVariables(String),
    /// A function is called on it, as no other tool's text does.
    Call,
    Setter,
    Other,
}

/// The first occurrence of a name, and how many there are.
#[derive(Clone, Debug)]
struct FirstOccurrence {
    file: usize,
    span: Span,
    resource: Option<ResourceRef>,
    field: Option<String>,
    count: usize,
}

/// The unbound references of one file, while they are read.
struct FileReader<'r> {
    file: usize,
    context: UnboundContext<'r>,
    meant: &'r mut MeantNames,
    found: UnboundReferences,
}

impl MeantNames {
    /// Returns how many letters of names have been compared, at most [`MAX_COMPARED`].
    pub(crate) const fn compared(&self) -> u64 {
        self.comparisons.steps()
    }
}

impl UnboundReferences {
    /// Reads one file with these unbound heads. Documents without any are not parsed, and
    /// `documents` is not called if there are none to report.
    pub(crate) fn read<'t, 'd: 't>(
        heads: Vec<UnboundHead<'_>>,
        documents: impl FnOnce() -> &'t [Document<'d>],
        file: usize,
        context: UnboundContext<'_>,
        meant: &mut MeantNames,
    ) -> Self {
        let names = context.names;
        let mut heads = heads
            .into_iter()
            .filter(|head| !names.is_left_alone(head.name, head.is_binding))
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        if heads.peek().is_none() {
            return Self::default();
        }
        let mut reader = FileReader {
            file,
            context,
            meant,
            found: Self {
                has_any: true,
                ..Self::default()
            },
        };
        for document in documents() {
            let end = document.offset + document.text.len();
            let mut in_document = Vec::new();
            while let Some(head) = heads.next_if(|head| head.at < end) {
                in_document.push(head);
            }
            if !in_document.is_empty() {
                reader.read_document(*document, &in_document);
            }
        }
        reader.found
    }

    /// Adds those of a later file.
    pub(crate) fn append(&mut self, later: &Self) {
        self.has_any |= later.has_any;
        for near_miss in &later.near_misses {
            self.add_near_miss(near_miss.severity, || near_miss.clone());
        }
        let room = MAX_REPORTED.saturating_sub(self.look_alikes.len());
        let look_alikes = later.look_alikes.iter().take(room);
        self.look_alikes.extend(look_alikes.cloned());
        for (key, later) in &later.reported {
            match self.reported.get_mut(key) {
                Some(first) => first.count += later.count,
                None => drop(self.reported.insert(key.clone(), later.clone())),
            }
        }
    }

    fn add_near_miss(&mut self, severity: Severity, near_miss: impl FnOnce() -> Diagnostic) {
        if self.near_misses.len() == MAX_REPORTED {
            // Drop a warning to make room for an error.
            let is_warning = |found: &Diagnostic| found.severity < severity;
            match self.near_misses.iter().rposition(is_warning) {
                Some(last) => drop(self.near_misses.remove(last)),
                None => return,
            }
        }
        self.near_misses.push(near_miss());
    }

    /// Returns whether there are any, reported or not.
    pub(crate) const fn has_any(&self) -> bool {
        self.has_any
    }

    /// Returns the diagnostics, sorted by location. If there are too many names, warnings
    /// are omitted first.
    pub(crate) fn finish(self, meant: &MeantNames) -> Vec<Diagnostic> {
        let mut diagnostics = self.near_misses;
        let names = self.reported.len();
        let all = foreign_names(&self.reported);
        for ((severity, reason, name), occurrence) in self.reported.into_iter().take(MAX_REPORTED) {
            let found = diagnostic(severity.0, &reason, &name, &occurrence);
            diagnostics.push(match all.first() {
                Some(first) if reason == Reason::Other && all.len() > 1 && *first == name => {
                    let names = all.join(", ");
                    found.help(format!(
                        "bind these names in `spec.outputs`, or declare all of them as other tools' names: `spec.foreign: [{names}]`"
                    ))
                }
                _ => found,
            });
        }
        if let Some(more) = names.checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
            let message = format!("nothing is bound to {more} more names");
            diagnostics.push(Diagnostic::warning(Rule::UnboundReference, message));
        }
        diagnostics.extend(self.look_alikes);
        diagnostics.extend(meant.comparisons.exceeded());
        diagnostics.sort_by_key(|found| {
            let label = found.labels.first();
            (
                label.is_none(),
                label.map(|label| (label.origin, label.span)),
            )
        });
        diagnostics
    }
}

impl FileReader<'_> {
    /// Reads one document. The positions of `heads` are those of its file.
    fn read_document(&mut self, document: Document<'_>, heads: &[UnboundHead<'_>]) {
        let context = self.context;
        let starts: Vec<usize> = heads.iter().map(|head| head.at - document.offset).collect();
        let dialect = context.heads.dialect();
        let mut blocks = BlockText::new(document.text, dialect.notation().opener);
        // The text of a patch is part of a manifest. Dashboards are large, and have a `matcher`.
        let has = |word: &str| memchr::memmem::find(document.text.as_bytes(), word.as_bytes());
        let may_be_patch = has("patch").or_else(|| has("Patch")).is_some();
        if !may_be_patch
            && (heads.iter().zip(&starts)).all(|(head, at)| {
                blocks.contains(*at) && self.is_ignored_in_block(head, document.text, *at)
            })
        {
            return;
        }
        let mut heads = heads.iter();
        visit_heads(
            document,
            dialect,
            &starts,
            context.view,
            &mut |at, found| {
                let Some(head) = heads.find(|head| head.at == at + document.offset) else {
                    return;
                };
                match found {
                    HeadContext::Text(text) if !context.setters_only => {
                        self.report_text(head, text);
                    }
                    HeadContext::Text(_) => {}
                    HeadContext::Comment(comment) => {
                        self.report_comment(head, document, &comment);
                    }
                }
            },
        );
    }

    /// Whether text in a block scalar is not reported.
    fn is_ignored_in_block(&mut self, head: &UnboundHead<'_>, text: &str, at: usize) -> bool {
        let UnboundContext { heads, names, .. } = self.context;
        !names.is_empty(heads)
            && names.bound_by(head.name).is_none()
            && self.near(head).is_none()
            && !heads::calls_function(heads.dialect(), text, at)
            && setter_before(heads.dialect(), text, at).is_none()
    }

    /// Reports a head outside comments.
    fn report_text(&mut self, head: &UnboundHead<'_>, text: HeadText) {
        let UnboundContext {
            heads,
            names,
            policy,
            ..
        } = self.context;
        let HeadText {
            text_kind, field, ..
        } = text;
        let near = self.near(head);
        let ParsedAs::Reference { has_calls } = text.parsed_as else {
            // It may be another tool's notation, `${infr.x:-y}`.
            if let Some(near) = near {
                self.near_miss(head, &near, Severity::Warning, field.as_deref());
            }
            return;
        };
        // In text and in embedded documents, the same characters have other meanings:
        // `${array[0]}` in a script, `${__data.fields.Pod}` in a dashboard.
        let severity = match text_kind {
            TextKind::Scalar => Severity::Error,
            TextKind::Block | TextKind::Embedded | TextKind::Unparsed => Severity::Warning,
        };
        let reason = match names.bound_by(head.name) {
            _ if names.is_empty(heads) => nothing_bound(heads, head.name),
            Some(path) => Reason::BoundElsewhere(path.to_owned()),
            None => match near {
                Some(near) => {
                    return self.near_miss(head, &near, severity, field.as_deref());
                }
                None if has_calls => Reason::Call,
                None => Reason::Other,
            },
        };
        let is_likely_foreign = matches!(reason, Reason::Other | Reason::NothingBound);
        if text.is_owned && is_likely_foreign && !has_calls {
            return;
        }
        let severity = match (&reason, text_kind) {
            (Reason::Other, TextKind::Block | TextKind::Embedded) => return,
            (Reason::Other, TextKind::Scalar) => policy.severity(),
            (Reason::Other, TextKind::Unparsed) => Severity::Warning,
            _ => severity,
        };
        self.add(severity, reason, head, field.as_deref());
    }

    /// Reports a head in a comment.
    fn report_comment(&mut self, head: &UnboundHead<'_>, document: Document<'_>, place: &Comment) {
        let UnboundContext {
            heads,
            names,
            policy,
            ..
        } = self.context;
        let range = place.range.clone();
        let start = document.offset + range.start;
        let comment = document.text.get(range).unwrap_or_default();
        let origin = Origin::Manifest(self.file);
        let severity = policy.severity();
        if heads.dialect().setter(comment).is_some() {
            if names.is_empty(heads) {
                let reason = nothing_bound(heads, head.name);
                self.add(Severity::Error, reason, head, None);
            } else if let Some(path) = names.bound_by(head.name) {
                let reason = Reason::BoundElsewhere(path.to_owned());
                self.add(Severity::Error, reason, head, None);
            } else if let Some(near) = self.near(head) {
                self.near_miss(head, &near, severity, None);
            } else {
                self.add(severity, Reason::Setter, head, None);
            }
        } else if !heads.any(comment)
            && let Some(like) = look_alike(heads.dialect(), comment)
            && self.found.look_alikes.len() < MAX_REPORTED
        {
            let span = Span::new(start + like.range.start, start + like.range.end);
            let is_new = self.found.look_alikes.last().is_none_or(|last| {
                let label = last.labels.first();
                label.is_none_or(|label| (label.origin, label.span) != (origin, span))
            });
            if is_new {
                let dialect = heads.dialect();
                let found = look_alike_diagnostic(dialect, origin, span, &like, !place.is_embedded);
                let severity = place.severity(severity);
                self.found
                    .look_alikes
                    .push(Diagnostic { severity, ..found });
            }
        }
    }

    /// Returns the bound name that was probably meant.
    fn near(&mut self, head: &UnboundHead<'_>) -> Option<String> {
        let UnboundContext { heads, names, .. } = self.context;
        let MeantNames { known, comparisons } = &mut *self.meant;
        let name = head.name;
        if let Some(near) = known.get(name) {
            return near.clone();
        }
        let is_compared = comparisons.take(name, names.usable(heads), (self.file, head.name_at));
        let near = if is_compared {
            suggest::typo(name, names.usable(heads)).map(str::to_owned)
        } else {
            None
        };
        known.insert(name.to_owned(), near.clone());
        near
    }

    fn near_miss(
        &mut self,
        head: &UnboundHead<'_>,
        near: &str,
        severity: Severity,
        field: Option<&Field>,
    ) {
        let (origin, name) = (Origin::Manifest(self.file), head.name);
        self.found.add_near_miss(severity, || {
            let span = Span::new(head.name_at, head.name_at + name.len());
            let edit = Edit {
                span,
                text: near.as_bytes().to_vec(),
            };
            let found = Diagnostic {
                severity,
                ..Diagnostic::error(Rule::NearMiss, format!("nothing is bound to `{name}`"))
            }
                .at_concealed(origin, span, "")
                .help(format!(
                    "did you mean `{near}`? If `{name}` belongs to another tool, declare it in the Binding: `spec.foreign: [{name}]`"
                ))
                .fix(format!("replace with `{near}`"), origin, vec![edit]);
            found.in_field(field)
        });
    }

    fn add(
        &mut self,
        severity: Severity,
        reason: Reason,
        head: &UnboundHead<'_>,
        field: Option<&Field>,
    ) {
        let key = (Reverse(severity), reason, head.name.to_owned());
        let file = self.file;
        let occurrence = self.found.reported.entry(key).or_insert_with(|| {
            let (resource, field) = field.map_or((None, None), Field::reported);
            FirstOccurrence {
                file,
                span: Span::new(head.name_at, head.name_at + head.name.len()),
                resource,
                field,
                count: 0,
            }
        });
        occurrence.count += 1;
    }
}

/// Returns the names that are probably other tools', by their first occurrences.
fn foreign_names(
    reported: &OrderedMap<(Reverse<Severity>, Reason, String), FirstOccurrence>,
) -> Vec<String> {
    let mut found = Vec::new();
    for ((_, reason, name), first) in reported {
        if *reason == Reason::Other && name != MODULE && found.len() < MAX_REPORTED {
            found.push((first.file, first.span, name));
        }
    }
    found.sort_unstable();
    let mut seen = OrderedSet::new();
    let names = found.into_iter().map(|(_, _, name)| name.clone());
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn nothing_bound(heads: &Heads, name: &str) -> Reason {
    let notation = heads.dialect().notation();
    if notation.names_variables {
        Reason::NoVariables(notation.or_literal(
            &format!("bind a document that has the output `{name}`, for example in `spec.outputs` of a Binding"),
            name,
        ))
    } else {
        Reason::NothingBound
    }
}

/// Creates the diagnostic for one name.
fn diagnostic(
    severity: Severity,
    reason: &Reason,
    name: &str,
    occurrence: &FirstOccurrence,
) -> Diagnostic {
    let consequence = match severity {
        Severity::Error => "",
        _ => ": the text is left unchanged",
    };
    let count = match occurrence.count {
        1 => String::new(),
        count => format!(" ({count} occurrences)"),
    };
    let (rule, message, help) = match reason {
        Reason::BoundElsewhere(path) => (
            Rule::BoundElsewhere,
            format!("`{name}` is bound by {path} but not here{count}"),
            format!(
                "bind it here too in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Reason::NothingBound => (
            Rule::NothingBound,
            format!("reference to `{name}`, but nothing is bound{count}"),
            format!(
                "bind an outputs document to `{name}`, for example in `spec.outputs` of a Binding"
            ),
        ),
        Reason::NoVariables(help) => (
            Rule::NothingBound,
            format!("reference to `{name}`, but no outputs document is bound{count}"),
            help.clone(),
        ),
        Reason::Call => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`, but a function is called on it{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Reason::Setter => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`: this setter comment sets nothing{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Reason::Other => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`{consequence}{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
    };
    let help = match name {
        MODULE => "only the outputs of the root module are read: declare an `output` there, and reference that".to_owned(),
        _ => help,
    };
    Diagnostic {
        severity,
        resource: occurrence.resource.clone(),
        field: occurrence.field.clone(),
        ..Diagnostic::error(rule, message)
            .at_concealed(Origin::Manifest(occurrence.file), occurrence.span, "")
            .help(help)
    }
}
