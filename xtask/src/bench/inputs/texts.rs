//! One text, written once for each language of references.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::outputs::Output;

/// How a reference is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `${infra.vpc_id}`. Any other `$` is text.
    Landfall,
    /// `${VPC_ID}`. Any other `$` is text to a program that is given a list of names.
    Shell,
    /// `${VPC_ID}`, and every other `$` is written as `$$`.
    Flux,
    /// The value itself: the expected result.
    Expected,
}

impl Dialect {
    pub(super) const ALL: [Self; 4] = [Self::Landfall, Self::Shell, Self::Flux, Self::Expected];

    /// Returns the file of the text `name` in `folder`.
    pub(crate) fn file(self, folder: &Path, name: &str) -> PathBuf {
        let dialect = match self {
            Self::Landfall => "landfall",
            Self::Shell => "shell",
            Self::Flux => "flux",
            Self::Expected => "expected",
        };
        folder.join(format!("{name}.{dialect}.yaml"))
    }
}

/// Writes a text in all dialects at once.
#[derive(Debug)]
pub(super) struct Texts {
    files: Vec<(Dialect, BufWriter<File>)>,
    /// The number of references written.
    pub(super) references: usize,
    /// The size of the text for landfall, in bytes.
    pub(super) bytes: u64,
}

impl Texts {
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self> {
        let mut files = Vec::new();
        for dialect in Dialect::ALL {
            let path = dialect.file(folder, name);
            let file =
                File::create(&path).with_context(|| format!("writing {}", path.display()))?;
            files.push((dialect, BufWriter::new(file)));
        }
        Ok(Self {
            files,
            references: 0,
            bytes: 0,
        })
    }

    /// Writes text that must not be changed.
    pub(super) fn literal(&mut self, text: &[u8]) -> io::Result<()> {
        self.bytes += text.len() as u64;
        for (dialect, file) in &mut self.files {
            if *dialect != Dialect::Flux {
                file.write_all(text)?;
                continue;
            }
            for piece in text.split_inclusive(|&byte| byte == b'$') {
                file.write_all(piece)?;
                if piece.ends_with(b"$") {
                    file.write_all(b"$")?;
                }
            }
        }
        Ok(())
    }

    /// Writes a whole file as text that must not be changed.
    ///
    /// It is copied in pieces to keep this process small, because the peak memory of a
    /// child begins with that of its parent.
    pub(super) fn literal_file(&mut self, path: &Path) -> Result<()> {
        let context = || format!("reading {}", path.display());
        let mut file = File::open(path).with_context(context)?;
        let mut piece = vec![0; 64 << 10];
        loop {
            let length = file.read(&mut piece).with_context(context)?;
            if length == 0 {
                return Ok(());
            }
            self.literal(&piece[..length])?;
        }
    }

    /// Writes a reference to an output.
    pub(super) fn reference(&mut self, output: &Output) -> io::Result<()> {
        self.references += 1;
        for (dialect, file) in &mut self.files {
            let text = match dialect {
                Dialect::Landfall => format!("${{infra.{}}}", output.name),
                Dialect::Shell | Dialect::Flux => format!("${{{}}}", output.variable),
                Dialect::Expected => output.value.clone(),
            };
            if *dialect == Dialect::Landfall {
                self.bytes += text.len() as u64;
            }
            file.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Flushes all files.
    pub(super) fn finish(self) -> io::Result<()> {
        for (_, mut file) in self.files {
            file.flush()?;
        }
        Ok(())
    }
}
