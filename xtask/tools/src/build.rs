//! Builds one Go program into one folder.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::catalogue::{Program, Source};

/// No paths, no debug tables, no version control stamps: the same bytes wherever
/// they are built, and less to link.
const FLAGS: [&str; 3] = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w"];

/// Builds `program` into the folder `bin`.
pub(crate) fn build(program: &Program, bin: &Path) -> Result<()> {
    let mut go = Command::new("go");
    match program.source {
        Source::Published { package } => {
            go.arg("install")
                .args(FLAGS)
                .arg(format!("{package}@v{}", program.version))
                .env("GOBIN", absolute(bin)?);
        }
        Source::Ours { module, .. } => {
            let module = Path::new(env!("CARGO_MANIFEST_DIR")).join(module);
            let mut folder = absolute(bin)?;
            // Go treats an output that ends in a separator as a folder.
            folder.push("");
            go.arg("build")
                .args(FLAGS)
                .arg("-o")
                .arg(folder)
                .arg(format!("./{}", program.name))
                .current_dir(module);
        }
    }
    go.env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .stdin(Stdio::null());
    let shown = shown(&go);
    let output = match go.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "`go` was not found on PATH: {} {} is built by it.\n\
             Install Go (https://go.dev/dl/, or the package golang of your distribution), then run\n    \
             cargo xtask tools {}",
            program.name,
            program.version,
            program.name
        ),
        Err(error) => bail!("{shown}: {error}"),
    };
    if !output.status.success() {
        // Downloads are reported line by line and hide the actual error.
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stderr: Vec<&str> = stderr
            .lines()
            .filter(|line| !line.starts_with("go: downloading "))
            .collect();
        bail!(
            "{} {}: {} ({shown})\n{}",
            program.name,
            program.version,
            output.status,
            stderr.join("\n")
        );
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<std::path::PathBuf> {
    Ok(std::path::absolute(path)?)
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
