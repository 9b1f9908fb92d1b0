//! The problems with the files of a kustomization.

use std::collections::BTreeMap;
use std::ops::Range;

use landfall_sandbox::types::{Diagnostic, File, Findings, Label, Origin, Severity, Span};

use crate::files::{FileError, RootKind};
use crate::paths;
use crate::problem::{HostRule, Problem};
use crate::rendered::may_be_secret;
use crate::splice::Spliced;

use super::super::fields::Mention;
use super::super::local_path::{Named, from_folder, named};
use super::super::reader::folded;
use super::{Site, SourceFile, Use, Walk};

/// The maximum number of diagnostics, as in the module. Further ones are only counted.
const MAX_DIAGNOSTICS: usize = 1_000;

impl Walk<'_, '_> {
    /// Returns the path in diagnostics.
    pub(super) fn shown(&self, path: &str) -> String {
        let relative = from_folder(self.folder, path);
        paths::join(self.display_path, &relative)
    }

    pub(crate) fn report(&mut self, rule: HostRule, site: &Site, message: String, help: &str) {
        self.add(Diagnostic {
            help: Some(help.to_owned()).filter(|help| !help.is_empty()),
            ..located(rule, site.file, &site.span, message)
        });
    }

    pub(crate) fn add(&mut self, found: Diagnostic) {
        let Findings {
            diagnostics,
            omitted,
            ..
        } = &mut self.loader.loaded.findings;
        match found.severity {
            Severity::Error if diagnostics.len() < MAX_DIAGNOSTICS => diagnostics.push(found),
            Severity::Error => omitted.errors += 1,
            // There is always room for an error.
            _ if diagnostics.len() < MAX_DIAGNOSTICS / 2 => diagnostics.push(found),
            _ => omitted.warnings += 1,
        }
    }

    /// Reports a file that cannot be read.
    pub(super) fn unreadable(&mut self, path: &str, site: Option<&Site>, error: FileError) {
        let path = self.shown(path);
        let Some(site) = site else {
            return self.loader.report(Problem::manifest(&path, &error));
        };
        let (rule, message, help) = match error {
            FileError::Missing => (
                HostRule::MissingFile,
                format!("`{path}` does not exist"),
                "correct the path: it is relative to the folder of this kustomization",
            ),
            FileError::BrokenLink => (
                HostRule::MissingFile,
                format!("`{path}` is a broken link: its target does not exist"),
                "create the target, or remove the link",
            ),
            FileError::IsFolder => (
                HostRule::UnreadableFile,
                format!("`{path}` is a folder, not a file"),
                "name the files in it",
            ),
            FileError::IsSpecial => (
                HostRule::UnreadableFile,
                format!("`{path}` is a named pipe, a socket or a device, not a regular file"),
                "replace it with a file",
            ),
            FileError::OutsideRoot => (
                HostRule::OutsideRoot,
                format!("`{path}` is a link that points outside the root"),
                "replace the link with a copy of its target",
            ),
            error @ (FileError::TooLarge { .. } | FileError::Unreadable(_)) => {
                return self.loader.report(Problem::manifest(&path, &error));
            }
        };
        self.report(rule, site, message, help);
    }

    /// Returns the path that is named, relative to the root.
    pub(super) fn local(&mut self, folder: &str, mention: &Mention, site: &Site) -> Option<String> {
        let path = &mention.path;
        let (rule, message, help) = match named(folder, path) {
            Named::Local(path) => return Some(path),
            Named::Remote => (
                HostRule::InvalidKustomization,
                format!("`{path}` is remote, but landfall downloads nothing"),
                "vendor it: copy it into the repository, and name the copy",
            ),
            Named::Absolute => (
                HostRule::OutsideRoot,
                format!("`{path}` is an absolute path"),
                "write it relative to the folder of this kustomization",
            ),
            Named::OutsideRoot => (
                HostRule::OutsideRoot,
                format!("`{path}` is outside the root"),
                match self.root.kind() {
                    RootKind::ArgoCd => {
                        "move it into the repository, or add its folder to the annotation `argocd.argoproj.io/manifest-generate-paths`"
                    }
                    RootKind::ManualPlugin { .. } => {
                        "move it into the repository, and set ARGOCD_APP_SOURCE_PATH to the path of this folder in it"
                    }
                    RootKind::Named | RootKind::WorkTree | RootKind::NoWorkTree => {
                        "move it into the root, or pass a larger root with --root"
                    }
                },
            ),
            Named::Nothing => (
                HostRule::InvalidKustomization,
                "the path is empty".to_owned(),
                "write a path, or remove the entry",
            ),
        };
        self.report(rule, site, message, help);
        None
    }
}

/// Creates an error in a file of the application.
pub(crate) fn located(
    rule: HostRule,
    file: usize,
    span: &Range<usize>,
    message: String,
) -> Diagnostic {
    Problem::new(rule, message)
        .at(label(file, span))
        .diagnostic()
}

/// Creates a label of bytes in a file of the application.
pub(crate) fn label(file: usize, span: &Range<usize>) -> Label {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Label {
        span: Span {
            origin: Origin::Manifest(offset(file)),
            start: offset(span.start),
            end: offset(span.end),
        },
        message: String::new(),
        conceal: false,
    }
}

/// Conceals the lines of files that may contain a secret.
pub(crate) fn conceal(found: &mut [Diagnostic], files: &[SourceFile], originals: &[File]) {
    let mut known = BTreeMap::new();
    for label in found.iter_mut().flat_map(|found| &mut found.labels) {
        let Origin::Manifest(position) = label.span.origin else {
            continue;
        };
        let nth = position as usize;
        let (Some(file), Some(original)) = (files.get(nth), originals.get(nth)) else {
            continue;
        };
        let is_concealed = known.entry(nth);
        if *is_concealed.or_insert_with(|| may_have_secret(file, &original.content)) {
            label.conceal = true;
            label.span.end = label.span.start;
        }
    }
}

/// Returns whether a file may contain a secret. A configuration need not be valid YAML, and a
/// key can be written with escapes.
pub(crate) fn may_have_secret(file: &SourceFile, content: &[u8]) -> bool {
    let mut uses = file.uses.iter();
    let generates_secret = || {
        let text = folded(&String::from_utf8_lossy(content));
        text.contains("secretgenerator") || text.contains('\\')
    };
    uses.any(|usage| match usage {
        Use::Entry(target) => target.of_secret,
        Use::Kustomization | Use::Plugins => generates_secret(),
        Use::Yaml => false,
    }) || may_be_secret(Spliced::unedited(content))
}
