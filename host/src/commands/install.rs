//! `landfall install`: puts the command where kustomize, kpt and plugins of Helm look for it.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, TempPath};

use crate::exit::Exit;
use crate::paths;
use crate::problem::Problem;
use crate::sanitize;

use super::session::Session;
use super::write::NOTHING_WRITTEN;

/// The name under which the command is a KRM function without an argument.
const FUNCTION: &str = "landfall-krm";

pub(super) fn run(session: Session, folder: &Path) -> Exit {
    match install(folder) {
        Ok(text) => session.write_text(Exit::Done, &text),
        Err(problem) => session.refuse(vec![problem], NOTHING_WRITTEN),
    }
}

/// Writes the command into a folder, and returns what was done.
fn install(folder: &Path) -> Result<String, Problem> {
    let failed = |path: &Path, error: &io::Error| Problem::output(path, error);
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let at = |name: &str| folder.join(format!("{name}{EXE_SUFFIX}"));
    let (command, function) = (at("landfall"), at(FUNCTION));
    for path in [&command, &function] {
        if path.is_dir() {
            return Err(failed(path, &io::ErrorKind::IsADirectory.into()));
        }
    }
    // Both are complete before one is in its place.
    let staged_command = stage(folder, &command).map_err(|error| failed(&command, &error))?;
    let staged_function = stage_function(folder).map_err(|error| failed(&function, &error))?;
    for (staged, path) in [
        // First, because a link is right with each command.
        (Some(staged_function), &function),
        (staged_command, &command),
    ] {
        if let Some(staged) = staged {
            staged
                .persist(path)
                .map_err(|found| failed(path, &found.error))?;
        }
    }
    let shown = |path: &Path| sanitize::line(&paths::display(path)).into_owned();
    let mut text = format!(
        "{}\n{}: runs `landfall krm`\n",
        shown(&command),
        shown(&function)
    );
    if !is_on_path(folder) {
        text.push_str(&format!(
            "add {} to PATH: kustomize, kpt and plugins of Helm search there\n",
            shown(folder)
        ));
    }
    Ok(text)
}

/// Writes this command next to `path`. None: `path` is this command.
fn stage(folder: &Path, path: &Path) -> io::Result<Option<TempPath>> {
    let own = std::env::current_exe()?.canonicalize()?;
    let is_file = path.symlink_metadata().is_ok_and(|it| it.is_file());
    if is_file && path.canonicalize()? == own {
        return Ok(None);
    }
    copy(&own, folder).map(Some)
}

fn copy(command: &Path, folder: &Path) -> io::Result<TempPath> {
    let mut staged = staged().tempfile_in(folder)?;
    // In one write: a file that was copied page by page starts more slowly.
    staged.write_all(&fs::read(command)?)?;
    staged
        .as_file()
        .set_permissions(fs::metadata(command)?.permissions())?;
    Ok(staged.into_temp_path())
}

/// Writes what becomes the KRM function: a link to the command in the same folder.
#[cfg(unix)]
fn stage_function(folder: &Path) -> io::Result<TempPath> {
    let link = |path: &Path| std::os::unix::fs::symlink("landfall", path);
    Ok(staged().make_in(folder, link)?.into_temp_path())
}

/// Writes what becomes the KRM function: a copy, because links need a privilege.
#[cfg(not(unix))]
fn stage_function(folder: &Path) -> io::Result<TempPath> {
    copy(&std::env::current_exe()?, folder)
}

fn staged() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".landfall-");
    builder
}

fn is_on_path(folder: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = folder.canonicalize().ok();
    std::env::split_paths(&path).any(|on_path| on_path.canonicalize().ok() == folder)
}
