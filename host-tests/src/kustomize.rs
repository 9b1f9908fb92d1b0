//! `kustomize build` with landfall as an exec function.
//!
//! What it did (kustomize 5.8.1; tests in `tests/real/kustomize_itself.rs`):
//! - With `--enable-alpha-plugins` and without `--enable-exec` an exec function is
//!   skipped in silence, exit 0. Without `--enable-alpha-plugins` the build fails
//!   (`external plugins disabled`), with or without the other flag.
//! - The function's `path` is looked for on PATH when it is a bare name, else from
//!   the folder of the kustomization that names it; that is its working folder
//!   too. An unknown key in `exec` (`argz`) fails the build.
//! - Quotes, comments and key order are gone before the function runs.
//! - An empty answer with exit 0 deletes every resource, exit 0.
//! - A failing function's stderr stands before `Error: couldn't execute function:
//!   exit status 1`; its stdout is dropped, but must parse: else the error is
//!   `MalformedYAMLError` and says nothing of the exit status.
//! - `results` are ignored: an error among them with exit 0 passes.
//! - **A validator that returns its input is refused**: kustomize gives each item
//!   of the answer a path annotation and takes that for a change. A validator
//!   passes by returning no items. Its input equals a transformer's, so that a
//!   function cannot tell which of the two it is.
//! - A transformer is called even when there are no resources.

use std::path::Path;
use std::process::{Command, Stdio};

/// The flags that let kustomize start an exec function. Both are needed.
pub const FLAGS: [&str; 2] = ["--enable-alpha-plugins", "--enable-exec"];

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// It exited with 0.
    pub success: bool,
    /// The resources.
    pub stdout: String,
    /// The words of kustomize and of the functions that it started.
    pub stderr: String,
}

/// Builds `folder` with these flags. `function` is found by its file name: its
/// folder comes first on PATH. `None`: skipped.
///
/// # Panics
/// kustomize cannot be started, or writes what is not UTF-8.
#[must_use]
pub fn build(folder: &Path, flags: &[&str], function: &Path) -> Option<Built> {
    let kustomize = crate::program::tool("kustomize")?;
    let output = Command::new(kustomize)
        .arg("build")
        .args(flags)
        .arg(folder)
        .env(
            "PATH",
            crate::program::path_with(function.parent().expect("a file in a folder")),
        )
        .stdin(Stdio::null())
        .output()
        .expect("kustomize starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Some(Built {
        success: output.status.success(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    })
}
