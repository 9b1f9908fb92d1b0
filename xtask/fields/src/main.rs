//! Writes `src/kubernetes/types/kubernetes.bin`, the types of Kubernetes' own fields, from
//! the schema that k8s.io/client-go carries for server-side apply. `cargo xtask fields`
//! runs it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a build tool: it starts Go, reads and writes files, and prints messages"
)]

mod schema;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The module, and its version from which the committed table is generated.
const MODULE: &str = "k8s.io/client-go";
const VERSION: &str = "v0.37.2";

/// The table, below the repository.
const TABLE: &str = "src/kubernetes/types/kubernetes.bin";

fn main() -> Result<()> {
    let path = repository().join(TABLE);
    let table = generate(&download()?)?;
    fs::write(&path, &table).with_context(|| format!("writing {}", path.display()))?;
    eprintln!("{TABLE}: {} bytes from {MODULE} {VERSION}", table.len());
    Ok(())
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the folder of the module's source, after the ordinary Go client has fetched
/// and verified it.
fn download() -> Result<PathBuf> {
    let cache = go(&["env", "GOMODCACHE"])?;
    go(&["mod", "download", &format!("{MODULE}@{VERSION}")])?;
    Ok(Path::new(cache.trim_end()).join(format!("{MODULE}@{VERSION}")))
}

/// Runs Go and returns its stdout.
fn go(arguments: &[&str]) -> Result<String> {
    let output = Command::new("go")
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("starting go")?;
    if !output.status.success() {
        bail!("go {} failed ({})", arguments.join(" "), output.status);
    }
    String::from_utf8(output.stdout).context("the output of go")
}

fn generate(module: &Path) -> Result<Vec<u8>> {
    let folder = module.join("applyconfigurations");
    let path = folder.join("internal/internal.go");
    let source =
        fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let types = schema::types(&source).with_context(|| format!("in {}", path.display()))?;
    let kinds = kinds(&folder)?;
    table::write(&format!("{MODULE} {VERSION}"), &types, &kinds)
}

/// Returns every kind with its apiVersion and the name of its type, as set in the
/// generated constructors:
///
/// ```go
/// b.WithKind("Deployment")
/// b.WithAPIVersion("apps/v1")
/// … internal.Parser().Type("io.k8s.api.apps.v1.Deployment") …
/// ```
fn kinds(folder: &Path) -> Result<Vec<table::Kind>> {
    let mut kinds = Vec::new();
    for file in go_files(folder)? {
        let source =
            fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        if source.contains("float32") || source.contains("float64") {
            bail!(
                "{}: a float: `numeric` is no longer always an integer",
                file.display()
            );
        }
        let argument = |call: &str| {
            let (_, rest) = source.split_once(call)?;
            rest.split('"').next().map(str::to_owned)
        };
        let (Some(kind), Some(api_version), Some(type_name)) = (
            argument("b.WithKind(\""),
            argument("b.WithAPIVersion(\""),
            argument("Parser().Type(\""),
        ) else {
            continue;
        };
        kinds.push(table::Kind {
            api_version,
            kind,
            type_name,
        });
    }
    kinds.sort();
    kinds.dedup();
    Ok(kinds)
}

fn go_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(go_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "go") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use landfall_test_support::skip::{Requirement, skipped};

    use super::*;

    #[test]
    fn the_committed_table_is_up_to_date() {
        let committed = fs::read(repository().join(TABLE)).unwrap();
        let module = match download() {
            Ok(module) => module,
            Err(error) => {
                skipped(Requirement::Go, &format!("{error:#}"));
                return;
            }
        };
        let generated = generate(&module).unwrap();
        assert!(
            committed == generated,
            "{TABLE} is another: run `cargo xtask fields`"
        );
    }

    #[test]
    fn the_page_names_the_version() {
        let page =
            fs::read_to_string(repository().join("docs/language/kubernetes-fields.md")).unwrap();
        assert!(
            page.contains(&format!("{MODULE} {VERSION}")),
            "the page does not name {MODULE} {VERSION}"
        );
    }
}
