//! The data of a render: the files of an application with their request, and the module's
//! answer.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Configuration, File, OutputsDocument};

use crate::draw::{Document, Documents};
use crate::engine::{Answer, Halted, Request};
use crate::files::FileId;
use crate::splice::{BrokenEdits, Spliced};

/// A request with its source files. The lists have one entry per file.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) files: Vec<File>,
    /// Paths in diagnostics.
    pub(crate) display_paths: Vec<String>,
    /// Paths below an output folder. None: the file is rendered as part of its
    /// application, but not written.
    pub(crate) targets: Vec<Option<String>>,
    /// Canonical paths. Empty unless the files are rendered in place.
    pub(crate) real_paths: Vec<PathBuf>,
    /// Identities. None for standard input, and where other paths cannot lead to the
    /// same file.
    pub(crate) file_ids: Vec<Option<FileId>>,
    pub(crate) request: Request,
}

impl Application {
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
            manifests: std::iter::zip(&self.files, &self.display_paths)
                .map(|(file, path)| Document {
                    path,
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
        answer.check(&application.files)?;
        Ok(Self {
            application,
            answer,
        })
    }

    /// As [`files`].
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Result<Spliced<'_>, BrokenEdits>)> {
        files(&self.application, &self.answer)
    }

    /// Returns the source files to write in place. Only for a render in place.
    pub(crate) fn source_files(&self) -> impl Iterator<Item = SourceFile<'_>> {
        let Application {
            files,
            display_paths,
            targets,
            real_paths,
            ..
        } = &self.application;
        let sources = std::iter::zip(files, &self.answer.sources);
        let paths = std::iter::zip(display_paths, real_paths);
        let all = std::iter::zip(std::iter::zip(sources, paths), targets);
        all.filter(|(_, target)| target.is_some()).map(
            |(((file, content), (display_path, real_path)), _)| SourceFile {
                display_path,
                real_path,
                original: &file.content,
                edited: Spliced::new(&file.content, content),
            },
        )
    }
}

/// Returns the files to write with their paths below an output folder. Those that a tool has
/// built come last.
pub(crate) fn files<'a>(
    application: &'a Application,
    answer: &'a Answer,
) -> impl Iterator<Item = (&'a str, Result<Spliced<'a>, BrokenEdits>)> {
    let Application { files, targets, .. } = application;
    let contents = std::iter::zip(files, &answer.sources);
    let sources = std::iter::zip(targets, contents).filter_map(|(target, (file, content))| {
        Some((target.as_deref()?, Spliced::new(&file.content, content)))
    });
    let built = answer.built.iter();
    let built = built.map(|file| {
        let content = Spliced::unedited(&file.content);
        (file.path.as_str(), Ok(content))
    });
    sources.chain(built)
}

/// A source file that is rendered in place.
pub(crate) struct SourceFile<'a> {
    /// Its path in diagnostics.
    pub(crate) display_path: &'a str,
    /// Its canonical path.
    pub(crate) real_path: &'a Path,
    pub(crate) original: &'a [u8],
    pub(crate) edited: Result<Spliced<'a>, BrokenEdits>,
}
