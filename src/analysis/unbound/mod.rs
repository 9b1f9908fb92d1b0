//! References that nothing answers: text that reads as `${name.output}` and whose name
//! is not bound. It stays unchanged, and an author who forgot to bind it must be warned;
//! an author whose text is another tool's must not.

mod block_text;
mod comparisons;
mod site;

pub(crate) use site::{Found, Reads, View, read as read_document};

use std::rc::Rc;

use crate::analysis::look_alike;
use crate::analysis::look_alike_warning;
use crate::analysis::unbound::block_text::BlockText;
use crate::analysis::unbound::comparisons::Comparisons;
use crate::analysis::unbound::site::Site;
use crate::collections::OrderedMap;
use crate::config::names::Names;
use crate::config::policy::Unbound as Policy;
use crate::kubernetes::resources::Field;
use crate::reference::{Heads, UnboundHead};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, Rule, Severity};
use yaml::Document;
use yaml::{Edit, Span};

/// How many near misses are reported place by place, and how many names of every
/// other kind: vendor text may hold thousands.
const MAX_REPORTED: usize = 100;

/// What of a render decides about its unbound references.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    pub(crate) heads: &'t Heads,
    pub(crate) view: View<'t>,
    pub(crate) policy: Policy,
    /// Only setter comments are rendered: other text stays for a later render.
    pub(crate) setters_only: bool,
}

/// The unbound references of one render: one finding for each name, with its first
/// place and how many there are.
#[derive(Debug, Default)]
pub(crate) struct UnboundReferences {
    names: Names,
    /// What was probably meant by a name.
    near: OrderedMap<String, Option<String>>,
    comparisons: Comparisons,
    near_misses: Vec<Diagnostic>,
    look_alikes: Vec<Diagnostic>,
    found: OrderedMap<(Reverse, Kind, String), FirstSite>,
}

/// Errors before warnings.
type Reverse = std::cmp::Reverse<Severity>;

/// Why a name is not answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Another Binding binds it.
    Elsewhere(String),
    /// Nothing is bound at all.
    NothingBound,
    /// It calls a function, as no other tool's text does.
    Call,
    Setter,
    Other,
}

/// The first of them, and how many there are.
#[derive(Debug)]
struct FirstSite {
    file: usize,
    span: Span,
    field: Option<Rc<Field>>,
    count: usize,
}

impl UnboundReferences {
    pub(crate) fn new(names: Names) -> Self {
        Self {
            names,
            ..Self::default()
        }
    }

    /// Reads one file, of which `heads` are those without a bound name. Documents
    /// without any are not parsed, and without any of them `documents` is not asked for.
    pub(crate) fn read<'t, 'd: 't>(
        &mut self,
        heads: Vec<UnboundHead<'_>>,
        documents: impl FnOnce() -> &'t [Document<'d>],
        file: usize,
        terms: Scope<'_>,
    ) {
        let mut heads = heads
            .into_iter()
            .filter(|head| !self.names.is_left_alone(head.name, head.is_binding))
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        if heads.peek().is_none() {
            return;
        }
        for document in documents() {
            let end = document.offset + document.text.len();
            let mut inside = Vec::new();
            while let Some(head) = heads.next_if(|head| head.at < end) {
                inside.push(head);
            }
            if !inside.is_empty() {
                self.document(*document, &inside, file, terms);
            }
        }
    }

    /// Reads one document; `heads` count the bytes of its file.
    pub(crate) fn document(
        &mut self,
        document: Document<'_>,
        heads: &[UnboundHead<'_>],
        file: usize,
        terms: Scope<'_>,
    ) {
        let starts: Vec<usize> = heads.iter().map(|head| head.at - document.offset).collect();
        let dialect = terms.heads.dialect();
        let mut blocks = BlockText::new(document.text, dialect.notation().opener);
        if (heads.iter().zip(&starts)).all(|(head, at)| {
            blocks.holds(*at)
                && self.means_nothing_in_a_block(head, file, (document.text, *at), terms)
        }) {
            return;
        }
        let mut heads = heads.iter();
        site::read(document, dialect, &starts, terms.view, |at, found| {
            let Some(head) = heads.find(|head| head.at == at + document.offset) else {
                return;
            };
            match found {
                Found::Text { site, reads, field } if !terms.setters_only => {
                    self.text(head, file, (site, reads), field, terms);
                }
                Found::Text { .. } => {}
                Found::Comment(range) => {
                    let comment = document.text.get(range.clone()).unwrap_or_default();
                    let start = document.offset + range.start;
                    self.comment(head, file, comment, start, terms);
                }
            }
        });
    }

    /// Whether text in a block scalar is not reported.
    fn means_nothing_in_a_block(
        &mut self,
        head: &UnboundHead<'_>,
        file: usize,
        (text, at): (&str, usize),
        terms: Scope<'_>,
    ) -> bool {
        !self.names.is_empty(terms.heads)
            && self.names.bound_by(head.name).is_none()
            && self.near(head, file, terms.heads).is_none()
            && !site::calls(terms.heads.dialect(), text, at)
    }

    /// One text outside comments.
    fn text(
        &mut self,
        head: &UnboundHead<'_>,
        file: usize,
        (site, reads): (Site, Reads),
        field: Option<Rc<Field>>,
        terms: Scope<'_>,
    ) {
        let near = self.near(head, file, terms.heads);
        let Reads::Reference { calls } = reads else {
            // It may be another tool's notation, `${infr.x:-y}`.
            if let Some(near) = near {
                self.near_miss(head, &near, file, Severity::Warning, field.as_deref());
            }
            return;
        };
        // In text and in other documents the same characters mean other things:
        // `${array[0]}` in a script, `${__data.fields.Pod}` in a dashboard.
        let clear = match site {
            Site::Scalar => Severity::Error,
            Site::Block | Site::Embedded | Site::Unparsed => Severity::Warning,
        };
        let kind = match self.names.bound_by(head.name) {
            _ if self.names.is_empty(terms.heads) => Kind::NothingBound,
            Some(path) => Kind::Elsewhere(path.to_owned()),
            None => match near {
                Some(near) => return self.near_miss(head, &near, file, clear, field.as_deref()),
                None if calls => Kind::Call,
                None => Kind::Other,
            },
        };
        let severity = match (&kind, site) {
            (Kind::Other, Site::Block | Site::Embedded) => return,
            (Kind::Other, Site::Scalar) if terms.policy == Policy::Error => Severity::Error,
            (Kind::Other, _) => Severity::Warning,
            _ => clear,
        };
        self.add(severity, kind, head, file, field);
    }

    /// One text in a comment, which begins at byte `start` of the file.
    fn comment(
        &mut self,
        head: &UnboundHead<'_>,
        file: usize,
        comment: &str,
        start: usize,
        terms: Scope<'_>,
    ) {
        let origin = Origin::Manifest(file);
        if terms.heads.dialect().setter(comment).is_some() {
            if self.names.is_empty(terms.heads) {
                self.add(Severity::Error, Kind::NothingBound, head, file, None);
            } else if let Some(near) = self.near(head, file, terms.heads) {
                self.near_miss(head, &near, file, Severity::Warning, None);
            } else {
                self.add(Severity::Warning, Kind::Setter, head, file, None);
            }
        } else if !terms.heads.any(comment)
            && let Some(word) = look_alike(terms.heads.dialect(), comment)
            && self.look_alikes.len() < MAX_REPORTED
        {
            let span = Span::new(start + word.start, start + word.end);
            let is_new = self.look_alikes.last().is_none_or(|last| {
                let label = last.labels.first();
                label.is_none_or(|label| (label.origin, label.span) != (origin, span))
            });
            if is_new {
                self.look_alikes.push(look_alike_warning(
                    terms.heads.dialect(),
                    origin,
                    span,
                    true,
                ));
            }
        }
    }

    /// The name that was probably meant.
    fn near(&mut self, head: &UnboundHead<'_>, file: usize, heads: &Heads) -> Option<String> {
        let name = head.name;
        let place = (file, head.name_at);
        if let Some(near) = self.near.get(name) {
            return near.clone();
        }
        let near = match self.comparisons.take(name, self.names.usable(heads), place) {
            true => suggest::typo(name, self.names.usable(heads)).map(str::to_owned),
            false => None,
        };
        self.near.insert(name.to_owned(), near.clone());
        near
    }

    fn near_miss(
        &mut self,
        head: &UnboundHead<'_>,
        near: &str,
        file: usize,
        severity: Severity,
        field: Option<&Field>,
    ) {
        if self.near_misses.len() == MAX_REPORTED {
            // No warning takes the place of an error.
            let is_warning = |found: &Diagnostic| found.severity < severity;
            match self.near_misses.iter().rposition(is_warning) {
                Some(last) => drop(self.near_misses.remove(last)),
                None => return,
            }
        }
        let (origin, name) = (Origin::Manifest(file), head.name);
        let span = Span::new(head.name_at, head.name_at + name.len());
        let edit = Edit {
            span,
            text: near.as_bytes().to_vec(),
        };
        let found = Diagnostic {
            severity,
            ..Diagnostic::error(Rule::NearMiss, format!("nothing is bound to `{name}`"))
        };
        let found = found
            .at_concealed(origin, span, "")
            .help(format!(
                "did you mean `{near}`? If `{name}` belongs to another tool, declare it in the Binding: `spec.foreign: [{name}]`"
            ))
            .fix(format!("replace with `{near}`"), origin, vec![edit]);
        self.near_misses.push(found.in_field(field));
    }

    fn add(
        &mut self,
        severity: Severity,
        kind: Kind,
        head: &UnboundHead<'_>,
        file: usize,
        field: Option<Rc<Field>>,
    ) {
        let key = (std::cmp::Reverse(severity), kind, head.name.to_owned());
        let site = self.found.entry(key).or_insert_with(|| FirstSite {
            file,
            span: Span::new(head.name_at, head.name_at + head.name.len()),
            field,
            count: 0,
        });
        site.count += 1;
    }

    /// All that was found, errors first.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.near_misses;
        let names = self.found.len();
        for ((severity, kind, name), places) in self.found.into_iter().take(MAX_REPORTED) {
            diagnostics.push(diagnostic(severity.0, &kind, &name, &places));
        }
        if let Some(more) = names.checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
            let message = format!("nothing is bound to {more} more names");
            diagnostics.push(Diagnostic::warning(Rule::UnboundReference, message));
        }
        diagnostics.extend(self.look_alikes);
        diagnostics.extend(self.comparisons.exceeded());
        diagnostics.sort_by_key(|found| {
            let place = found.labels.first();
            (
                place.is_none(),
                place.map(|label| (label.origin, label.span)),
            )
        });
        diagnostics
    }
}

/// The finding for one name.
fn diagnostic(severity: Severity, kind: &Kind, name: &str, site: &FirstSite) -> Diagnostic {
    let stays = match severity {
        Severity::Error => "",
        _ => ": the text is left unchanged",
    };
    let count = match site.count {
        1 => String::new(),
        count => format!(" ({count} occurrences)"),
    };
    let (rule, message, help) = match kind {
        Kind::Elsewhere(path) => (
            Rule::BoundElsewhere,
            format!("`{name}` is bound by {path} but not here{count}"),
            format!(
                "bind it here too in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Kind::NothingBound => (
            Rule::NothingBound,
            format!("reference to `{name}`, but nothing is bound{count}"),
            format!(
                "bind an outputs document to `{name}`, for example in `spec.outputs` of a Binding"
            ),
        ),
        Kind::Call => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`, but a function is called on it{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Kind::Setter => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`: this setter comment sets nothing{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
        Kind::Other => (
            Rule::UnboundReference,
            format!("nothing is bound to `{name}`{stays}{count}"),
            format!(
                "bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`"
            ),
        ),
    };
    let found = Diagnostic {
        severity,
        ..Diagnostic::error(rule, message)
    };
    let found = found
        .at_concealed(Origin::Manifest(site.file), site.span, "")
        .help(help);
    found.in_field(site.field.as_deref())
}
