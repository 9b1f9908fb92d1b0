//! The operator's folder of outputs documents, `--mounted-outputs`.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Need, OutputsDocument};

use crate::argocd::{SHARED, is_subdomain};
use crate::files::{Budget, FileError, Root};
use crate::settings::MountedOutputs;

/// How the paths of mounted documents begin in diagnostics.
pub(super) const MOUNTED: &str = "mounted:";

/// The link that Kubernetes replaces when it updates a mounted ConfigMap or Secret. The
/// other files of the volume are links through it.
const GENERATION: &str = "..data";

/// How often documents are read again when the volume is updated in between.
const ATTEMPTS: usize = 3;

/// The folders in which a render may find mounted documents.
#[derive(Debug, Default)]
pub(crate) struct MountedFolders {
    /// In the order in which they are searched, each with its name in diagnostics.
    folders: Vec<(PathBuf, String)>,
    /// Documents whose format does not mark what is sensitive are not sensitive.
    pub(super) is_public: bool,
}

/// Why mounted documents are not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotMounted {
    /// No folder is mounted.
    NoFolder,
    /// Helm does not pass the Application's project to a getter.
    Getter,
    /// Argo CD did not pass the Application's project.
    NoProject,
    /// The project has a name that no folder can have.
    InvalidProject,
    /// The folder of the operator does not exist, or cannot be opened.
    Folder(String),
}

impl MountedFolders {
    /// Returns the folder that `--mounted-outputs` names.
    pub(crate) fn by_hand(mounted: &MountedOutputs) -> Result<Self, NotMounted> {
        Self::of(mounted, vec![(mounted.folder.clone(), MOUNTED.to_owned())])
    }

    /// Returns the folders of an Argo CD project: its own, and the shared one.
    pub(crate) fn of_project(
        mounted: &MountedOutputs,
        project: Option<&str>,
    ) -> Result<Self, NotMounted> {
        let project = project.filter(|project| !project.is_empty());
        let project = project.ok_or(NotMounted::NoProject)?;
        if !is_subdomain(project) {
            return Err(NotMounted::InvalidProject);
        }
        let folder = |name: &str| (mounted.folder.join(name), format!("{MOUNTED}{name}/"));
        Self::of(mounted, vec![folder(project), folder(SHARED)])
    }

    /// Returns the canonical paths of the folders that exist.
    pub(super) fn real(&self) -> Vec<PathBuf> {
        let folders = self.folders.iter();
        let real = folders.filter_map(|(folder, _)| std::fs::canonicalize(folder).ok());
        real.collect()
    }

    fn of(mounted: &MountedOutputs, folders: Vec<(PathBuf, String)>) -> Result<Self, NotMounted> {
        if mounted.folder.is_dir() {
            Ok(Self {
                folders,
                is_public: mounted.is_public,
            })
        } else {
            Err(NotMounted::Folder(mounted.folder.display().to_string()))
        }
    }

    /// Reads documents from one generation of each volume: if a volume is updated
    /// meanwhile, all of them are read again.
    pub(super) fn read(
        &self,
        needs: &[&Need],
        budget: &mut Budget,
    ) -> Vec<Result<OutputsDocument, NotFound>> {
        let mut attempt = 1;
        loop {
            let mut left = budget.clone();
            let volumes: Vec<_> = self.folders.iter().map(Volume::open).collect();
            let read: Vec<_> = needs
                .iter()
                .map(|need| read_one(&volumes, need, &mut left))
                .collect();
            if volumes.iter().all(Volume::is_current) {
                *budget = left;
                return read;
            }
            if attempt == ATTEMPTS {
                return needs
                    .iter()
                    .map(|need| Err(NotFound::updated(need)))
                    .collect();
            }
            attempt += 1;
        }
    }
}

/// A document that was not read.
#[derive(Debug)]
pub(super) struct NotFound {
    /// Its path in diagnostics.
    pub(super) path: String,
    /// The other path at which it was looked for.
    pub(super) other: Option<String>,
    pub(super) error: FileError,
}

impl NotFound {
    fn updated(need: &Need) -> Self {
        let error = std::io::Error::other("the volume was updated again and again");
        Self {
            path: format!("{MOUNTED}{}", need.path),
            other: None,
            error: FileError::Unreadable(error),
        }
    }

    /// Returns whether the document does not exist, so that waiting for it makes sense.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self.error, FileError::Missing)
    }
}

/// One mounted volume, at one generation.
struct Volume<'f> {
    folder: &'f Path,
    shown: &'f str,
    /// The target of [`GENERATION`].
    generation: Option<PathBuf>,
    root: Result<Root, FileError>,
}

impl<'f> Volume<'f> {
    fn open((folder, shown): &'f (PathBuf, String)) -> Self {
        let generation = generation(folder);
        Self {
            folder,
            shown,
            root: Root::open(generation.as_deref().unwrap_or(folder)).map_err(|error| match folder
                .symlink_metadata()
            {
                Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => {
                    FileError::Missing
                }
                _ => unopened(error),
            }),
            generation,
        }
    }

    fn is_current(&self) -> bool {
        generation(self.folder) == self.generation
    }
}

/// Returns the error of a folder that exists and cannot be opened. Its documents must not be
/// replaced by those of another folder.
fn unopened(error: FileError) -> FileError {
    match error {
        FileError::Unreadable(error) => FileError::Unreadable(error),
        _ => FileError::Unreadable(std::io::Error::other("its folder cannot be opened")),
    }
}

/// Returns the folder with the files of a volume that Kubernetes has mounted, as long as it
/// is inside the volume.
fn generation(folder: &Path) -> Option<PathBuf> {
    let volume = std::fs::canonicalize(folder).ok()?;
    let generation = std::fs::canonicalize(folder.join(GENERATION)).ok()?;
    generation.starts_with(volume).then_some(generation)
}

fn read_one(
    volumes: &[Volume<'_>],
    need: &Need,
    budget: &mut Budget,
) -> Result<OutputsDocument, NotFound> {
    let mut not_found: Option<NotFound> = None;
    for volume in volumes {
        let path = format!("{}{}", volume.shown, need.path);
        let read = match &volume.root {
            Ok(root) => root.read(Path::new(&need.path), budget),
            Err(FileError::Missing) => Err(FileError::Missing),
            Err(_) => Err(unopened(FileError::IsSpecial)),
        };
        match read {
            Ok(content) => {
                return Ok(OutputsDocument {
                    name: need.name.clone(),
                    path,
                    content,
                    format: need.format.clone(),
                    sensitive: false,
                    declared_at: Some(need.start),
                });
            }
            Err(error) => {
                let is_missing = matches!(error, FileError::Missing);
                not_found = Some(match not_found.take() {
                    Some(first) => NotFound {
                        other: Some(path),
                        ..first
                    },
                    None => NotFound {
                        path,
                        other: None,
                        error,
                    },
                });
                // A document that exists in the first folder must not be replaced by that of
                // another, whatever is wrong with it.
                if !is_missing {
                    break;
                }
            }
        }
    }
    Err(not_found.unwrap_or_else(|| NotFound {
        path: need.path.clone(),
        other: None,
        error: FileError::Missing,
    }))
}
