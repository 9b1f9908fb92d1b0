//! The data of a render: the files of an application with their request, and the module's
//! answer.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use landfall_sandbox::types::{Configuration, Content, File, OutputsDocument};

use crate::draw::{Document, Documents};
use crate::engine::{Answer, Halted, Request};
use crate::files::FileId;
use crate::splice::{BrokenEdits, Spliced};

/// A request with its source files.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) request: Request,
    /// The files as the module reads them: one for each source.
    files: Vec<File>,
    sources: Vec<Source>,
    /// The positions of the files with the outputs documents that are resources, by the places of
    /// these documents in the Binding.
    pub(crate) resources: BTreeMap<u32, usize>,
}

/// What the module does not know about a source file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its path in diagnostics.
    pub(crate) display_path: String,
    /// Its path below an output folder. None: it is rendered as part of its application, but
    /// not written.
    pub(crate) target: Option<String>,
    /// Its canonical path. None unless it is rendered in place.
    pub(crate) real_path: Option<PathBuf>,
    /// Its identity. None for standard input, and where other paths cannot lead to the same
    /// file.
    pub(crate) id: Option<FileId>,
}

impl Source {
    /// Returns a source that is written, and for which no other path matters.
    pub(crate) const fn written(display_path: String, target: String) -> Self {
        Self {
            display_path,
            target: Some(target),
            real_path: None,
            id: None,
        }
    }
}

impl Application {
    pub(crate) const fn new(request: Request) -> Self {
        Self {
            request,
            files: Vec::new(),
            sources: Vec::new(),
            resources: BTreeMap::new(),
        }
    }

    /// Returns whether no outputs document is bound, not even one that cannot be read.
    pub(crate) fn has_no_outputs(&self) -> bool {
        let inputs = &self.request.inputs;
        let mut known = inputs.known_names.iter();
        inputs.documents.is_empty() && !known.any(|name| name.bound_by.is_none())
    }

    /// Adds a file to the sources.
    pub(crate) fn add(&mut self, file: File, source: Source) {
        self.files.push(file);
        self.sources.push(source);
    }

    /// Returns the files as the module reads them.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// Overwrites bytes of a file with blanks, so that all others keep their places, and returns
    /// its content. None: it has no such bytes.
    pub(crate) fn overwrite(&mut self, file: usize, bytes: Range<usize>) -> Option<&[u8]> {
        let content = &mut self.files.get_mut(file)?.content;
        let overwritten = content.get_mut(bytes)?.iter_mut();
        overwritten
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b' ');
        Some(content)
    }

    /// Returns what is known of each file.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns what is known of each file, to change it.
    pub(crate) fn sources_mut(&mut self) -> &mut [Source] {
        &mut self.sources
    }

    /// Returns the number of files that are written.
    pub(crate) fn written(&self) -> usize {
        let sources = self.sources.iter();
        sources.filter(|source| source.target.is_some()).count()
    }

    /// Returns each source file with what it becomes.
    pub(crate) fn edited<'a>(
        &'a self,
        contents: &'a [Content],
    ) -> impl Iterator<Item = SourceFile<'a>> {
        self.each()
            .zip(contents)
            .map(|((source, file), content)| SourceFile {
                source,
                original: &file.content,
                content,
            })
    }

    /// Returns each source with its file.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&Source, &File)> {
        std::iter::zip(&self.sources, &self.files)
    }

    /// Returns everything that may name an output: the files, and the Binding.
    pub(crate) fn texts(&self) -> Vec<&[u8]> {
        let files = self.files.iter().map(|file| &*file.content);
        let binding = self.request.configuration.binding.iter();
        files
            .chain(binding.map(|binding| &*binding.content))
            .collect()
    }

    /// Returns the documents that spans in diagnostics of this request point into.
    pub(crate) fn documents(&self) -> Documents<'_> {
        self.documents_with(&self.request.inputs.documents)
    }

    /// Returns the documents that spans in diagnostics point into when `outputs` are the
    /// outputs documents of the request.
    pub(crate) fn documents_with<'a>(&'a self, outputs: &'a [OutputsDocument]) -> Documents<'a> {
        let Configuration {
            binding,
            ceiling,
            policy,
            ..
        } = &self.request.configuration;
        Documents {
            manifests: self
                .each()
                .map(|(source, file)| Document {
                    path: &source.display_path,
                    content: &file.content,
                })
                .collect(),
            outputs: outputs.iter().map(Document::from).collect(),
            binding: binding.as_ref().map(Document::from),
            operator_policy: ceiling.operator_policy.as_ref().map(Document::from),
            policy: policy.as_ref().map(Document::from),
            contract: None,
        }
    }
}

/// An application with the module's answer, which was checked against the contract.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) application: Application,
    pub(crate) answer: Answer,
}

impl Rendered {
    /// Checks the answer against the contract, as [`Answer::check`].
    pub(crate) fn new(application: Application, answer: Answer) -> Result<Self, Halted> {
        answer.check(application.files())?;
        Ok(Self {
            application,
            answer,
        })
    }

    /// As [`files`].
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Result<Spliced<'_>, BrokenEdits>)> {
        files(&self.application, &self.answer)
    }

    /// Leaves nothing to write but what a tool has built.
    ///
    /// # Errors
    /// The edits of a file are not in it.
    pub(crate) fn into_built(self) -> Result<Self, Halted> {
        let files = self.files().map(|(path, file)| {
            let content = file.map_err(|BrokenEdits| Halted::BrokenAnswer)?.to_vec();
            let path = path.to_owned();
            Ok(File { path, content })
        });
        let built = files.collect::<Result<_, Halted>>()?;
        let Self {
            mut application,
            mut answer,
        } = self;
        let sources = application.sources_mut();
        sources.iter_mut().for_each(|source| source.target = None);
        answer.sources = vec![Content::Unchanged; sources.len()];
        answer.built = built;
        Ok(Self {
            application,
            answer,
        })
    }

    /// Returns the source files to write in place. Only for a render in place.
    pub(crate) fn source_files(&self) -> impl Iterator<Item = SourceFile<'_>> {
        let all = self.application.edited(&self.answer.sources);
        all.filter(|file| file.source.target.is_some())
    }
}

/// Returns the files to write with their paths below an output folder. Those that a tool has
/// built come last.
pub(crate) fn files<'a>(
    application: &'a Application,
    answer: &'a Answer,
) -> impl Iterator<Item = (&'a str, Result<Spliced<'a>, BrokenEdits>)> {
    let sources = application.edited(&answer.sources);
    let sources = sources.filter_map(|file| Some((file.source.target.as_deref()?, file.edited())));
    let built = answer.built.iter();
    let built = built.map(|file| {
        let content = Spliced::unedited(&file.content);
        (file.path.as_str(), Ok(content))
    });
    sources.chain(built)
}

/// A source file with what it becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceFile<'a> {
    pub(crate) source: &'a Source,
    pub(crate) original: &'a [u8],
    pub(crate) content: &'a Content,
}

impl<'a> SourceFile<'a> {
    /// Returns the file with its edits.
    ///
    /// # Errors
    /// They are not in it.
    pub(crate) fn edited(&self) -> Result<Spliced<'a>, BrokenEdits> {
        Spliced::new(self.original, self.content)
    }
}
