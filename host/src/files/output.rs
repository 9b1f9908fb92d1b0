//! Writes files into a folder: all of them, or none.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::splice::Spliced;

use super::staged::{Phase, Staged};
use super::staging::FOLDER;
use super::written::{Written, digest, is_inside};

/// Files larger than this, in bytes, are not compared with their record.
const MAX_SIZE: u64 = 1 << 30;

/// Files to write into a folder, staged until [`OutputFolder::publish`]. If it is dropped
/// before, nothing is left behind.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    /// The path as the user named it.
    path: PathBuf,
    staged: Staged,
    written: Written,
}

/// A file of an earlier run that is not removed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    /// False if it may contain sensitive values: its digest is not recorded.
    pub(crate) is_modified: bool,
}

impl OutputFolder {
    /// Opens the folder and creates it if it does not exist. Waits while another run
    /// writes there.
    pub(crate) fn open(folder: &Path) -> Result<Self, (PathBuf, io::Error)> {
        let staged = Staged::below(folder).map_err(|error| (folder.to_path_buf(), error))?;
        Ok(Self {
            path: folder.to_path_buf(),
            staged,
            written: Written::default(),
        })
    }

    /// Stages one file; `path` is relative to the folder. `is_sensitive`: whether it may contain
    /// sensitive values.
    pub(crate) fn write(
        &mut self,
        path: &str,
        file: Spliced<'_>,
        is_sensitive: bool,
    ) -> Result<(), (PathBuf, io::Error)> {
        self.stage(path, file, is_sensitive)
            .map_err(|error| (self.path.join(path), error))
    }

    fn stage(&mut self, path: &str, file: Spliced<'_>, is_sensitive: bool) -> io::Result<()> {
        if !is_inside(path) || Path::new(path).starts_with(FOLDER) {
            return Err(io::Error::other("the path is reserved for landfall"));
        }
        let digest = (!is_sensitive).then(|| digest(file));
        if !self.written.add(path, digest) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "two files would be written to this path",
            ));
        }
        self.staged.put(Path::new(path), file, None, Phase::Put)
    }

    /// Moves all files into the folder. With `prune`, removes files that an earlier run
    /// wrote and this one does not, and returns those that are kept because they were or may
    /// have been modified.
    pub(crate) fn publish(mut self, prune: bool) -> Result<Vec<Kept>, (PathBuf, io::Error)> {
        let record = Path::new(FOLDER).join("written");
        let kept = self
            .stage_record(&record, prune)
            .map_err(|error| (self.path.join(&record), error))?;
        let folder = self.path;
        self.staged
            .commit()
            .map_err(|(path, error)| (folder.join(path), error))?;
        let kept = kept.into_iter().map(|(path, is_modified)| Kept {
            path: folder.join(path),
            is_modified,
        });
        Ok(kept.collect())
    }

    /// Stages the removals and the record. Returns the files that are kept, and whether each was
    /// modified for certain. The record is written twice: first with the
    /// files of both runs, so that it is complete even if this run is killed.
    fn stage_record(&mut self, record: &Path, prune: bool) -> io::Result<Vec<(String, bool)>> {
        let earlier = match read(&self.staged, record)? {
            None => Written::default(),
            Some(bytes) => match Written::read(&bytes) {
                Some(earlier) => earlier,
                None if prune => {
                    return Err(io::Error::other(
                        "it is not a valid record of written files: restore or delete it",
                    ));
                }
                None => Written::default(),
            },
        };
        let mut kept = Vec::new();
        let mut after = self.written.clone();
        for (path, digests) in self.written.missing(&earlier) {
            let is_kept = match read(&self.staged, Path::new(path)) {
                _ if !prune => true,
                Ok(None) => false,
                Ok(Some(content)) if is_one_of(&content, digests) => {
                    self.staged.remove(Path::new(path))?;
                    false
                }
                // Modified, of unknown digest, or no longer a regular file.
                Ok(Some(_)) | Err(_) => {
                    kept.push((path.to_owned(), !digests.is_empty()));
                    true
                }
            };
            if is_kept {
                after.keep(path, digests);
            }
        }
        for (written, phase) in [
            (self.written.union(&earlier), Phase::Before),
            (after, Phase::After),
        ] {
            let bytes = written.to_bytes();
            let file = Spliced::unedited(&bytes);
            self.staged.put(record, file, None, phase)?;
        }
        Ok(kept)
    }
}

fn is_one_of(content: &[u8], digests: &BTreeSet<String>) -> bool {
    digests.contains(&digest(Spliced::unedited(content)))
}

/// Reads a regular file below the folder. None if it does not exist.
fn read(staged: &Staged, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let found = staged.open(path)?;
    let Some((file, size)) = found else {
        return Ok(None);
    };
    if size > MAX_SIZE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut content = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut content)?;
    Ok(Some(content))
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
