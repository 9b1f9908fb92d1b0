//! Field paths that lead nowhere, reported with the fields of a document.

use crate::analysis::document::{DocumentAnalysis, InnerTarget};
use crate::analysis::targets::{Members, PathId};
use crate::bind::document::{Rendered, Renderer};
use crate::kubernetes::resources::Resources;
use crate::report::Diagnostic;
use yaml::{Span, Tree};

/// One path in one resource, or in one document that a scalar holds.
#[derive(Debug)]
pub(crate) struct Followed {
    id: PathId,
    /// It led somewhere.
    found: bool,
    /// Where it ended instead.
    ended: Option<Ended>,
}

#[derive(Debug)]
struct Ended {
    /// None where it would not be shown.
    diagnostic: Option<Diagnostic>,
    /// It is an error wherever else the path leads.
    unfit: bool,
}

impl Followed {
    /// What is reported if the path leads nowhere else.
    pub(crate) fn diagnostic(&mut self) -> Option<&mut Diagnostic> {
        self.ended.as_mut()?.diagnostic.as_mut()
    }

    const fn new(id: PathId) -> Self {
        Self {
            id,
            found: false,
            ended: None,
        }
    }

    /// Adds where the path ended; what is an error in any case comes first.
    fn end(&mut self, ended: Ended) {
        let known = self.ended.as_ref();
        if known.is_none_or(|known| ended.unfit && !known.unfit) {
            self.ended = Some(ended);
        }
    }
}

impl Renderer<'_, '_> {
    /// Takes over where the field paths of a document end.
    pub(crate) fn follow(
        &mut self,
        analysis: &DocumentAnalysis<'_>,
        located: Option<(&Tree, &Resources<'_>)>,
    ) {
        if analysis.followed.is_empty() {
            return;
        }
        let members = located.map(|(tree, resources)| (Members::new(tree), resources));
        for path in &analysis.followed {
            let mut followed = Followed::new(path.id);
            followed.found = path.found;
            if let (Some((end, unfit)), Some((members, resources))) = (path.end, &members) {
                let shown = (unfit || !followed.found) && self.context.missing.wants(path.id);
                followed.end(Ended {
                    diagnostic: shown.then(|| self.not_found(path.id, end, members, resources)),
                    unfit,
                });
            }
            self.followed.push(followed);
        }
        for end in &analysis.text_ends {
            let id = self.followed[end.followed].id;
            let ended = self.ended_in_text(id, &end.message, end.span, end.help);
            self.followed[end.followed].end(ended);
        }
    }

    fn ended_in_text(&self, id: PathId, message: &str, span: Span, help: &str) -> Ended {
        let (_, _, path) = self.context.scope.field_bindings.path(id);
        let shown = self.context.missing.wants(id);
        Ended {
            diagnostic: shown.then(|| self.ends_in_text(path, message, span, help)),
            unfit: true,
        }
    }

    /// Adds how paths went on in the document of a scalar.
    pub(crate) fn went_on(&mut self, targets: &[InnerTarget], followed: Vec<Followed>) {
        for (inner, followed) in targets.iter().zip(followed) {
            let outer = &mut self.followed[inner.outer];
            outer.found |= followed.found;
            if let Some(ended) = followed.ended {
                outer.end(ended);
            }
        }
    }

    /// What has become of this document: where paths have ended is reported to the
    /// text around it, or for the whole render.
    pub(crate) fn finish(mut self) -> Rendered {
        if self.source.inside.is_some() {
            self.rendered.followed = self.followed;
            return self.rendered;
        }
        for followed in self.followed {
            if let Some(ended) = followed
                .ended
                .filter(|ended| ended.unfit || !followed.found)
            {
                let missing = &self.context.missing;
                missing.add(followed.id, ended.diagnostic);
            }
        }
        self.rendered
    }
}
