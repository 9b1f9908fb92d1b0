//! Parts of large sources, which a host renders in several instances of the plugin.
//!
//! A part is a run of documents. Rendering all parts gives the answer of
//! [`Sources::generate`] unless something crosses from one part to another:
//!
//! | what crosses | why |
//! | --- | --- |
//! | CustomResourceDefinitions | they are the types of fields in other documents |
//! | kustomizations, and transformers of patches | they name the targets of patches in other files |
//! | field bindings, and the embedded documents that a Binding lists | what matches nowhere is reported, and all paths together have a limit |
//! | an alias without an anchor | YAML readers may resolve it to a sensitive value in an earlier document |
//! | unbound names, and text that names outputs without being a reference | each is reported once, with the number of its occurrences, and near misses have a limit |
//! | the substitutions report | the results of later documents move with each edit |
//! | resources | there must be at least one |
//! | limits on the text that edits insert, the work of functions, and diagnostics | they apply to all documents |
//! | errors | they are reported instead of an answer, and some not with others |
//! | unused outputs | only the whole shows which |
//!
//! A part in which any of these may matter has no result, and the host renders everything in
//! one instance. A part may use at most its share of a limit. Unused outputs are the only
//! thing that is put together again: an output is unused if it is unused in all parts.
//!
//! Everything else is decided within a document: `analysis::source` calls the analysis of
//! each document with the bytes of that document alone.

use crate::analysis::unbound::MAX_COMPARED;
use crate::bind::source::{SourceBinder, Values};
use crate::bind::unused;
use crate::contract::sources::{FileText, PreparedScope, bind_texts, near_misses_of};
use crate::contract::{Content, DEFAULT_ANSWER_LIMIT, Detail, File, Request, Sources};
use crate::functions::Evaluation;
use crate::kubernetes::types::may_name_patches;
use crate::kubernetes::{CustomKinds, DefinedKinds, may_define_kinds};
use crate::outputs::{Bindings, Bound, MAX_WORK};
use crate::report::Diagnostics;

/// The result of rendering a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPart {
    /// One for each file, as in an [`crate::Answer`].
    pub sources: Vec<Content>,
    /// Notes and warnings about everything except the sources, the same for all parts, and
    /// whether the part has unbound names.
    pub diagnostics: Diagnostics,
    /// The positions of unused outputs, ascending. Outputs are numbered in an order that is
    /// the same for all parts of a request.
    pub unused: Vec<usize>,
}

impl Sources {
    /// Renders these files, which are one of `parts` parts of a source: whole files, or
    /// documents of a file that begin at a `---`. Returns `None` if the answer of a render of
    /// the whole source may differ from that of its parts.
    #[must_use]
    pub fn render_part(&self, request: &Request, parts: u64) -> Option<RenderedPart> {
        let texts: Vec<_> = self.texts().collect();
        let defines_none = |text: &FileText<'_>| text.is_ok_and(|text| !may_define_kinds(text));
        let mut named = std::iter::zip(&self.files, &texts);
        let names_patches = |(file, text): (&File, &FileText<'_>)| {
            may_name_patches(&file.path, text.unwrap_or_default())
        };
        if request.detail != Detail::Diagnostics
            || !texts.iter().all(defines_none)
            || named.any(names_patches)
        {
            return None;
        }
        let prepared = PreparedScope::of(request, &[], &self.files, &texts);
        let scope = &prepared.scope;
        let (config, _) = request.application.effective();
        if !scope.field_bindings.list.is_empty() || !scope.listed.is_empty() {
            return None;
        }
        let (mut bindings, diagnostics) = Bindings::read(&request.outputs, &config.declarations);
        let answer_limit = request.answer_limit.unwrap_or(DEFAULT_ANSWER_LIMIT);
        bindings.limit_work(answer_limit);
        let mut diagnostics = prepared
            .check(&request.application, &bindings, diagnostics)
            .ok()?;
        if diagnostics.has_errors() || diagnostics.omitted().total() > 0 {
            return None;
        }
        let values = Values {
            bindings: &bindings,
            policy: &config.policy,
            evaluation: Evaluation::All,
            wants_substitutions: false,
            piped: self.piped(),
        };
        let custom = CustomKinds::new(Vec::new(), DefinedKinds::default());
        let mut binder = SourceBinder::new(scope, values, custom, answer_limit);
        let (sources, analysis) = bind_texts(&texts, scope, &mut binder, 0);
        let summary = &analysis.summary;
        let is_share = |used: u64, limit: u64| used <= limit / parts.max(1);
        let has_resources = !request.resources_only || summary.has_resources;
        let is_separable = binder.diagnostics.is_empty()
            && binder.diagnostics.omitted().total() == 0
            && binder.anchored.is_none()
            && summary.unbound.is_empty()
            && near_misses_of(&texts, scope, summary, &bindings).is_empty()
            && !summary.too_many_steps()
            && has_resources
            && is_share(summary.compared, MAX_COMPARED)
            && is_share(binder.written(), answer_limit)
            && is_share(
                bindings.worked(answer_limit),
                answer_limit.saturating_mul(MAX_WORK),
            );
        diagnostics.note_unbound_names(summary.has_unbound);
        is_separable.then(|| RenderedPart {
            sources,
            diagnostics,
            unused: outputs(&bindings)
                .enumerate()
                .filter(|(_, bound)| !bound.used.get())
                .map(|(nth, _)| nth)
                .collect(),
        })
    }
}

/// Returns what a render reports if it uses all outputs except those at the positions
/// `unused`, ascending, of a [`RenderedPart`].
#[must_use]
pub fn report_unused(request: &Request, unused: &[usize]) -> Diagnostics {
    let mut reported = Diagnostics::default();
    if request.keep_references {
        return reported;
    }
    let (config, _) = request.application.effective();
    let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
    for (nth, bound) in outputs(&bindings).enumerate() {
        bound.used.set(unused.binary_search(&nth).is_err());
    }
    let policy = config.policy.choices.unused.value;
    reported.extend(unused::unused(&bindings, policy, &config.contract, &[]));
    reported
}

/// Returns all outputs, by bound name and name.
fn outputs(bindings: &Bindings) -> impl Iterator<Item = &Bound> {
    let names = bindings.names();
    names.flat_map(|name| {
        bindings
            .outputs(name)
            .into_iter()
            .flat_map(|outputs| outputs.values())
    })
}
