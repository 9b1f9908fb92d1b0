//! `kustomize build` with landfall as an exec function.
//!
//! Observed behavior (kustomize 5.8.1; tests in `tests/real/kustomize_itself.rs`):
//! - With `--enable-alpha-plugins` and without `--enable-exec` an exec function is
//!   skipped silently, exit 0. Without `--enable-alpha-plugins` the build fails
//!   (`external plugins disabled`), with or without the other flag.
//! - A bare `path` of a function is looked up on PATH, any other relative to the folder
//!   of the kustomization that names it, which is also its working folder. An unknown key
//!   in `exec` (`argz`) fails the build.
//! - Quotes, comments and key order are gone before the function runs.
//! - An empty answer with exit 0 deletes every resource, exit 0.
//! - A failing function's stderr is printed before
//!   `Error: couldn't execute function: exit status 1`; its stdout is dropped but must
//!   parse: otherwise the error is `MalformedYAMLError` and does not mention the exit
//!   status.
//! - `results` are ignored: an error among them with exit 0 passes.
//! - **A validator that returns its input is refused**: kustomize adds a path annotation
//!   to each returned item and takes that for a change. A validator passes by returning
//!   no items. Its input is the same as a transformer's, so a function cannot tell which
//!   of the two it is.
//! - A transformer is called even when there are no resources.

use std::path::Path;
use std::process::{Command, Stdio};

/// The flags that let kustomize start an exec function. Both are needed.
pub const FLAGS: [&str; 2] = ["--enable-alpha-plugins", "--enable-exec"];

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Whether it exited with 0.
    pub success: bool,
    /// The rendered resources, on stdout.
    pub stdout: String,
    /// The messages of kustomize and of the functions that it started.
    pub stderr: String,
}

/// Builds `folder` with these flags. `function` is found by its file name: its folder
/// comes first on PATH.
///
/// # Panics
/// kustomize cannot be started, or writes what is not UTF-8.
#[must_use]
pub fn build(folder: &Path, flags: &[&str], function: &Path) -> Built {
    let output = Command::new(crate::program::tool("kustomize"))
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
    Built {
        success: output.status.success(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
