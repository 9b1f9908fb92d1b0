//! The folder of built programs: `NAME-VERSION/bin/NAME`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::catalogue::{Program, Source};

/// A folder of built programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Returns the store of this machine: `$LANDFALL_TOOLS`; else `landfall/tools` in the
    /// user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`), so that a fresh clone, or
    /// an empty target folder, builds nothing again; else, for a user without a home,
    /// `tools` in the target folder.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let cached = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        let folder = set("LANDFALL_TOOLS")
            .or_else(|| Some(cached()?.join("landfall").join("tools")))
            .or_else(|| Some(set("CARGO_TARGET_DIR")?.join("tools")))
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools"));
        Self { folder }
    }

    /// Returns a store in this folder.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns where the program is once it has been built.
    ///
    /// # Errors
    /// The sources of one of our own mains cannot be read.
    pub fn path(&self, program: &Program) -> Result<PathBuf> {
        let file = format!("{}{}", program.name, std::env::consts::EXE_SUFFIX);
        Ok(self.folder.join(key(program)?).join("bin").join(file))
    }

    /// Returns the program if it has been built.
    ///
    /// ```
    /// let kustomize = landfall_tools::named("kustomize").expect("in the table");
    /// assert_eq!(landfall_tools::Store::at("no/such/folder").find(kustomize), None);
    /// ```
    #[must_use]
    pub fn find(&self, program: &Program) -> Option<PathBuf> {
        self.path(program).ok().filter(|path| path.is_file())
    }

    /// Returns the program, after building it if necessary. `report` is called with one
    /// line before a build and one after it.
    ///
    /// # Errors
    /// Go is not installed, or it failed: its own message follows.
    pub fn ensure(&self, program: &Program, report: &mut dyn FnMut(&str)) -> Result<PathBuf> {
        let path = self.path(program)?;
        if path.is_file() {
            return Ok(path);
        }
        let started = std::time::Instant::now();
        report(&format!("{} {}: building", program.name, program.version));
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("{} cannot be created", self.folder.display()))?;
        self.build(program, &path)?;
        report(&format!(
            "{} {}: built in {:.1} s",
            program.name,
            program.version,
            started.elapsed().as_secs_f64()
        ));
        Ok(path)
    }

    /// Builds in a temporary folder and renames: an interrupted build leaves nothing that
    /// looks finished, and if two race the last one wins.
    fn build(&self, program: &Program, path: &Path) -> Result<()> {
        let unfinished = self
            .folder
            .join(format!(".{}.{}", program.name, std::process::id()));
        let built = crate::build::build(program, &unfinished).and_then(|()| {
            let bin = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(bin)
                .with_context(|| format!("{} cannot be created", bin.display()))?;
            // Go names the file after the package, and that of Helm 3 is `helm`, too.
            let file = fs::read_dir(&unfinished)?.next();
            let file = file.context("Go has written no program")??;
            fs::rename(file.path(), path)
                .with_context(|| format!("{} cannot be written", path.display()))
        });
        // Left after a failure, empty after a success.
        let _ = fs::remove_dir_all(&unfinished);
        built
    }
}

/// Returns the folder's name: the version, and for our own mains a fingerprint of their
/// sources, so that a change to them is a new program.
fn key(program: &Program) -> Result<String> {
    let Program { name, version, .. } = program;
    let Source::Ours { module, .. } = program.source else {
        return Ok(format!("{name}-{version}"));
    };
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join(module);
    let mut files = vec![module.join("go.mod"), module.join("go.sum")];
    let package = module.join(name);
    let listing =
        fs::read_dir(&package).with_context(|| format!("{} cannot be read", package.display()))?;
    for entry in listing {
        files.push(entry?.path());
    }
    files.sort();
    // FNV-1a: protects against our own mix-ups, not against forgery.
    let mut print = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let bytes =
            fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        for byte in bytes {
            print = (print ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(format!("{name}-{version}-{:08x}", print >> 32))
}

#[cfg(test)]
mod tests {
    use super::Store;
    use crate::PROGRAMS;

    #[test]
    fn every_program_has_its_own_path_with_its_version() {
        let store = Store::at("tools");
        let mut paths = std::collections::BTreeSet::new();
        for program in PROGRAMS {
            let path = store.path(program).unwrap();
            let shown = path.display().to_string();
            assert!(
                shown.starts_with(&format!("tools/{}-{}", program.name, program.version)),
                "{shown}"
            );
            assert!(paths.insert(path), "{shown} is not unique");
        }
    }
}
