//! Where programs and examples are found. A `None` has been recorded as a skip
//! ([`landfall_test_support::skip::skipped`]): the test returns.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use landfall_test_support::skip::on_path;
use landfall_test_support::skip::{Requirement, skipped};

/// Returns the repository's folder.
#[must_use]
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("this crate is a folder of the repository")
        .to_path_buf()
}

/// Returns a folder under `examples/`.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    repository().join("examples").join(name)
}

/// Returns the landfall command: `$LANDFALL_BIN`, else `dist/landfall`.
#[must_use]
pub fn landfall() -> Option<PathBuf> {
    let named = std::env::var_os("LANDFALL_BIN").map(PathBuf::from);
    if let Some(path) = named {
        // A path that was set explicitly and does not exist is a mistake, not a skip.
        assert!(
            path.is_file(),
            "LANDFALL_BIN: {} is not a file",
            path.display()
        );
        return Some(path);
    }
    let built = repository()
        .join("dist")
        .join(format!("landfall{}", std::env::consts::EXE_SUFFIX));
    if built.is_file() {
        return Some(built);
    }
    skipped(
        Requirement::Dist,
        "dist/landfall not found: run cargo xtask dist",
    );
    None
}

/// Returns a program that `cargo xtask tools` builds.
///
/// # Panics
/// There is no such program in its table.
#[must_use]
pub fn tool(name: &str) -> Option<PathBuf> {
    let program = landfall_tools::named(name).expect("a program of landfall-tools");
    let found = landfall_tools::Store::of_this_machine().find(program);
    if found.is_none() {
        skipped(
            Requirement::Tools,
            &format!(
                "{name} {} not found: run cargo xtask tools",
                program.version
            ),
        );
    }
    found
}

/// Returns a file of the Go module from which the tool `tool` is built, such as Argo CD's
/// manifests, or `None` if the test is skipped.
///
/// # Panics
/// The module cannot be downloaded, or has no such file.
#[must_use]
pub fn go_module_file(module: &str, tool: &str, file: &str) -> Option<PathBuf> {
    let go = on_path("go", Requirement::Go)?;
    let version = landfall_tools::named(tool).expect("a program of landfall-tools");
    let output = Command::new(go)
        .args(["mod", "download", "-json"])
        .arg(format!("{module}@v{}", version.version))
        .env("GOWORK", "off")
        .stdin(Stdio::null())
        .output()
        .expect("go starts");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let folder = answer["Dir"].as_str();
    let path = Path::new(folder.unwrap_or_else(|| panic!("{answer}"))).join(file);
    assert!(path.exists(), "{}", path.display());
    Some(path)
}

/// Returns `$PATH` with `first` before everything else.
#[must_use]
pub fn path_with(first: &Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(all).expect("no separator in a folder's name")
}
