//! The source of a render, with the fields of the scalars that contain it.

use std::ops::Deref;
use std::sync::Arc;

use crate::analysis::document::SourceText;
use crate::kubernetes::go_template::FileAction;
use crate::kubernetes::resources::{Field, Identity, Occurrence, PatchTarget};
use crate::kubernetes::{Format, is_in_patch};
use crate::report::Origin;
use yaml::{Decoded, Document};

/// One text, with the scalar that contains it.
pub(crate) struct RenderSource<'a> {
    source: SourceText<'a>,
    pub(crate) container: Option<Container<'a>>,
}

/// The scalar that contains an embedded document.
pub(crate) struct Container<'a> {
    pub(crate) source: &'a RenderSource<'a>,
    /// The scalar's own position, and those where an alias repeats it.
    pub(crate) occurrences: &'a [Occurrence],
    /// The resources of the document that contains the scalar.
    pub(crate) identity: &'a Identity<'a>,
    /// What the text is by the name of its field, regardless of its content.
    pub(crate) format: Format,
    /// The actions of the Go template that the text is in.
    pub(crate) actions: &'a [FileAction],
    /// What the text applies to, if it is a patch.
    pub(crate) patch_target: Option<Arc<PatchTarget>>,
}

impl<'a> Container<'a> {
    /// Returns the source of one document in the text of the scalar. `None` if it is nested
    /// too deeply.
    pub(crate) fn document(
        self,
        decoded: &'a Decoded<'a>,
        document: Document<'a>,
    ) -> Option<RenderSource<'a>> {
        let source = self.source.source.embedded(decoded, document)?;
        let container = Some(self);
        Some(RenderSource { source, container })
    }
}

impl<'a> Deref for RenderSource<'a> {
    type Target = SourceText<'a>;

    fn deref(&self) -> &SourceText<'a> {
        &self.source
    }
}

impl<'a> RenderSource<'a> {
    pub(crate) const fn of_file(document: Document<'a>, origin: Origin) -> Self {
        Self {
            source: SourceText::of_file(document, origin),
            container: None,
        }
    }

    /// Returns the field whose value the text is; `None` for a document of a file.
    pub(crate) fn field(&self) -> Option<&Field> {
        let occurrence = self.container.as_ref()?.occurrences.first();
        occurrence.map(|occurrence| &occurrence.field)
    }

    /// Returns what contains the text, the innermost first.
    pub(crate) fn around(&self) -> impl Iterator<Item = &Container<'a>> {
        let outer = |around: &&Container<'a>| around.source.container.as_ref();
        std::iter::successors(self.container.as_ref(), outer)
    }

    /// Returns the actions of the Go template that the text is in.
    pub(crate) fn actions(&self) -> &[FileAction] {
        self.container
            .as_ref()
            .map_or(&[][..], |container| container.actions)
    }

    /// Returns whether the text is part of a Go template.
    pub(crate) fn in_template(&self) -> bool {
        self.container.as_ref().is_some_and(|container| {
            container.format == Format::Template || container.source.in_template()
        })
    }

    /// Returns whether the text is a patch, or part of one.
    pub(crate) fn in_patch(&self) -> bool {
        self.container.as_ref().is_some_and(|container| {
            let is_in_patch = |occurrence: &Occurrence| is_in_patch(&occurrence.field);
            container.occurrences.iter().any(is_in_patch) || container.source.in_patch()
        })
    }

    /// Returns whether a Secret contains the text.
    pub(crate) fn in_secret(&self) -> bool {
        self.container.as_ref().is_some_and(|container| {
            let is_of_secret = |occurrence: &Occurrence| occurrence.field.is_of_secret();
            container.occurrences.iter().any(is_of_secret) || container.source.in_secret()
        })
    }
}
