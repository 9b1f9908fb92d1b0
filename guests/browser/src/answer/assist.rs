//! Completion, hover and definition at an offset of a manifest.

use serde::Serialize;

use landfall::{Application, Completion, HoverKind, Origin, OutputsDocument, Span};

use super::ranges::RangeConverter;
use crate::input::Documents;
use crate::positions::{Positions, Range};

/// A completion.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Completion"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completed {
    /// The name.
    pub(crate) label: String,
    /// The kind of the name.
    pub(crate) kind: NameKind,
    /// The type of an output or key, but never its value, or the description of a function.
    pub(crate) detail: String,
    /// The text that replaces `range`.
    pub(crate) insert: String,
    /// The range to replace in the manifest.
    pub(crate) range: Range,
}

/// The kind of a name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CompletionKind"))]
#[serde(rename_all = "camelCase")]
pub(crate) enum NameKind {
    Binding,
    Output,
    Key,
    Function,
}

/// What a name in a reference means.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Hover"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hovered {
    /// The range of the name in the manifest.
    pub(crate) range: Range,
    /// The kind of the name; `output` for keys as well.
    pub(crate) kind: NameKind,
    /// `infra`, `infra.tags.team` or `join(separator)`.
    pub(crate) label: String,
    /// How many outputs a binding has, the type of an output, or what a function does.
    pub(crate) detail: String,
    /// The value of an output as text or as JSON; `(sensitive)` for a sensitive output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) value: Option<String>,
    /// Whether the output is sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) sensitive: Option<bool>,
    /// Index into `outputs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) document: Option<usize>,
    /// The location of the output's name in that document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) definition: Option<Range>,
}

/// Where a name in a reference is defined.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Definition"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Defined {
    /// The range of the name in the manifest.
    pub(crate) range: Range,
    /// Index into `outputs`.
    pub(crate) document: usize,
    /// The location of the output's name in that document, or the beginning of the document
    /// for the name of a binding.
    pub(crate) target: Range,
}

/// An offset in one of the manifests.
pub(crate) struct Cursor<'i> {
    manifest: usize,
    content: &'i [u8],
    /// In bytes.
    at: usize,
    ranges: RangeConverter<'i>,
    outputs: &'i [OutputsDocument],
    application: &'i Application,
}

impl<'i> Cursor<'i> {
    /// Finds an offset in UTF-16 code units.
    ///
    /// # Errors
    /// A message for programmers if there is no such manifest or offset.
    pub(crate) fn new(
        documents: &'i Documents,
        manifest: usize,
        offset: usize,
    ) -> Result<Self, String> {
        let manifests = documents.manifests();
        let document = manifests.get(manifest).ok_or_else(|| {
            let length = manifests.len();
            format!(
                "`manifest` is {manifest}: it must be an index of `manifests`, whose length is {length}"
            )
        })?;
        let positions = Positions::new(&document.content);
        if offset > positions.at(usize::MAX).offset {
            // Bytes that are not UTF-8 count as the characters that JavaScript shows for them.
            let text = String::from_utf8_lossy(&document.content);
            let (path, length) = (&document.path, text.encode_utf16().count());
            if offset > length {
                return Err(format!(
                    "`offset` is {offset}: it must be at most {length}, the length of {path} in UTF-16 code units"
                ));
            }
        }
        Ok(Self {
            manifest,
            content: &document.content,
            at: positions.byte(offset),
            ranges: RangeConverter::new(documents),
            outputs: &documents.request.outputs,
            application: &documents.request.application,
        })
    }

    fn range(&mut self, span: Span) -> Range {
        self.ranges.range(Origin::Manifest(self.manifest), span)
    }

    /// Returns completions.
    pub(crate) fn complete(mut self) -> Vec<Completed> {
        let completions = landfall::complete(self.content, self.at, self.outputs, self.application);
        let completed = |completion: Completion| Completed {
            label: completion.label,
            kind: match completion.kind {
                landfall::CompletionKind::Binding => NameKind::Binding,
                landfall::CompletionKind::Output => NameKind::Output,
                landfall::CompletionKind::Key => NameKind::Key,
                landfall::CompletionKind::Function => NameKind::Function,
            },
            detail: completion.detail,
            insert: completion.insert,
            range: self.range(completion.span),
        };
        completions.into_iter().map(completed).collect()
    }

    /// Returns what the name means.
    pub(crate) fn hover(mut self) -> Option<Hovered> {
        let found = landfall::hover(self.content, self.at, self.outputs, self.application)?;
        let hovered = |kind, label, detail| Hovered {
            range: Range::default(),
            kind,
            label,
            detail,
            value: None,
            sensitive: None,
            document: None,
            definition: None,
        };
        let hovered = match found.kind {
            HoverKind::Binding { name, outputs } => {
                let detail = match outputs {
                    1 => "1 output".to_owned(),
                    outputs => format!("{outputs} outputs"),
                };
                hovered(NameKind::Binding, name, detail)
            }
            HoverKind::Output {
                path,
                value_type,
                sensitive,
                value,
                origin,
                definition,
            } => Hovered {
                value: Some(value),
                sensitive: Some(sensitive),
                document: position(origin),
                definition: Some(self.ranges.range(origin, definition)),
                ..hovered(NameKind::Output, path, value_type.to_owned())
            },
            HoverKind::Function {
                signature, summary, ..
            } => hovered(NameKind::Function, signature, summary.to_owned()),
        };
        Some(Hovered {
            range: self.range(found.span),
            ..hovered
        })
    }

    /// Returns where the name is defined.
    pub(crate) fn definition(mut self) -> Option<Defined> {
        let found = landfall::definition(self.content, self.at, self.outputs, self.application)?;
        Some(Defined {
            range: self.range(found.span),
            document: position(found.origin)?,
            target: self.ranges.range(found.origin, found.target),
        })
    }
}

const fn position(origin: Origin) -> Option<usize> {
    match origin {
        Origin::Outputs(position) => Some(position),
        _ => None,
    }
}
