//! Writes `src/kubernetes/types/kubernetes.bin`, the types of fields: of Kubernetes' own
//! kinds from the schema that k8s.io/client-go carries for server-side apply, and of the
//! custom resources of GitOps from their definitions. `cargo xtask fields` runs it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a build tool: it starts Go, reads and writes files, and prints messages"
)]

mod client_go;
mod definitions;
mod field_rules;
mod graph;
mod sources;
mod table;
mod types;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use sources::{CLIENT_GO, DEFINITIONS, Source};
use table::Kinds;

/// The table, below the repository.
const TABLE: &str = "src/kubernetes/types/kubernetes.bin";

fn main() -> Result<()> {
    let path = repository().join(TABLE);
    let table = generate(&download()?)?;
    fs::write(&path, &table).with_context(|| format!("writing {}", path.display()))?;
    eprintln!("{TABLE}: {} bytes", table.len());
    Ok(())
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders with the types.
struct Folders {
    client_go: PathBuf,
    definitions: Vec<PathBuf>,
}

fn download() -> Result<Folders> {
    Ok(Folders {
        client_go: CLIENT_GO.download()?,
        definitions: DEFINITIONS
            .iter()
            .map(Source::download)
            .collect::<Result<_>>()?,
    })
}

fn generate(folders: &Folders) -> Result<Vec<u8>> {
    let (mut types, built_in) = client_go::read(&folders.client_go)?;
    field_rules::apply(&mut types)?;
    let mut custom = Vec::new();
    for folder in &folders.definitions {
        definitions::read(folder, &mut types, &mut custom)?;
    }
    custom.sort();
    // Some modules contain the definitions of others.
    custom.dedup();
    let source = format!("{} {}", CLIENT_GO.module, CLIENT_GO.version);
    table::write(&source, &types, &Kinds { built_in, custom })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use landfall_test_support::needs;

    use super::*;

    #[needs(go)]
    #[test]
    fn the_committed_table_is_up_to_date() {
        let committed = fs::read(repository().join(TABLE)).unwrap();
        let generated = generate(&download().unwrap()).unwrap();
        assert!(
            committed == generated,
            "{TABLE} is another: run `cargo xtask fields`"
        );
    }

    /// Every render loads the table, and the playground downloads it: without custom
    /// resources it has 21 KB, or 11 KB compressed.
    #[test]
    fn the_table_is_small() {
        let path = repository().join(TABLE);
        let output = Command::new("gzip").arg("-9c").arg(&path).output().unwrap();
        assert!(output.status.success(), "gzip failed ({})", output.status);
        let (bytes, compressed) = (fs::metadata(path).unwrap().len(), output.stdout.len());
        assert!(bytes <= 66_000, "{bytes} bytes");
        assert!(compressed <= 31_000, "{compressed} bytes compressed");
    }

    #[test]
    fn the_page_names_the_versions() {
        let page =
            fs::read_to_string(repository().join("docs/language/kubernetes-fields.md")).unwrap();
        for source in std::iter::once(&CLIENT_GO).chain(DEFINITIONS) {
            let Source {
                module, version, ..
            } = source;
            assert!(
                page.contains(&format!("{module} {version}")),
                "the page does not name {module} {version}"
            );
        }
    }
}
