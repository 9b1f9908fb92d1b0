//! Where programs and examples are found. A `None` has been recorded as a skip
//! ([`landfall_test_support::skip::skipped`]): the test returns.

use std::path::{Path, PathBuf};

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

/// Returns `$PATH` with `first` before everything else.
#[must_use]
pub fn path_with(first: &Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(all).expect("no separator in a folder's name")
}
