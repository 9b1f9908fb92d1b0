//! Where programs and examples are found. A test names the programs that it needs in its
//! attribute (`landfall_test_needs`), so a missing one is a mistake.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landfall_test_support::skip::needed_program;

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
///
/// # Panics
/// It is not a file.
#[must_use]
pub fn landfall() -> PathBuf {
    let path = std::env::var_os("LANDFALL_BIN").map_or_else(
        || {
            let command = format!("landfall{}", std::env::consts::EXE_SUFFIX);
            repository().join("dist").join(command)
        },
        PathBuf::from,
    );
    assert!(
        path.is_file(),
        "{} not found: run cargo xtask dist",
        path.display()
    );
    path
}

/// Returns a program that `cargo xtask tools` builds.
///
/// # Panics
/// There is no such program in its table, or it was not built.
#[must_use]
pub fn tool(name: &str) -> PathBuf {
    let program = landfall_tools::named(name).expect("a program of landfall-tools");
    landfall_tools::Store::of_this_machine()
        .find(program)
        .unwrap_or_else(|| {
            let version = program.version;
            panic!("{name} {version} not found: run cargo xtask tools")
        })
}

/// Returns a file of the Go module from which the tool `tool` is built, such as Argo CD's
/// manifests.
///
/// # Panics
/// Go is not there, or the module cannot be downloaded, or has no such file.
#[must_use]
pub fn go_module_file(module: &str, tool: &str, file: &str) -> PathBuf {
    let version = landfall_tools::named(tool).expect("a program of landfall-tools");
    let output = Command::new(needed_program("go"))
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
    path
}

/// Returns `$PATH` with `first` before everything else.
#[must_use]
pub fn path_with(first: &Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(all).expect("no separator in a folder's name")
}
