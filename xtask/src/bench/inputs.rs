//! The texts that programs substitute in: the same on every machine.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::table::grouped;

/// The document of `terraform output -json` in the folder of the texts.
pub(super) const OUTPUTS: &str = "outputs.json";

/// One application: `@app@` is its name, and every other `@…@` one of [`THINGS`]. 9 of these
/// are in double quotes, 7 plain, 3 in block literals and 1 in single quotes: about as in real
/// repositories.
const TEMPLATE: &str = include_str!("inputs/app.yaml");
/// The number of possible references in an application.
const PLACES: usize = 20;

/// The applications that the infrastructure is for, and the outputs of each of them.
#[rustfmt::skip]
const SERVICES: [&str; 10] = ["billing", "checkout", "external_dns", "grafana", "karpenter", "ledger", "orders", "payments", "search", "velero"];
#[rustfmt::skip]
const THINGS: [&str; 5] = ["bucket", "endpoint", "queue_url", "role_arn", "security_group_id"];

/// The text with few references, in the manifests of kube-prometheus.
pub(super) const SPARSE: &str = "sparse";

/// How a reference is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `${infra.vpc_id}`, for landfall. Any other `$` is text.
    Infra,
    /// `${VPC_ID}`. Any other `$` is text to a program that is given a list of names.
    Shell,
    /// `${VPC_ID}`, and every other `$` is written as `$$`.
    Flux,
    /// The value itself: the expected result.
    Expected,
}

impl Dialect {
    const ALL: [Self; 4] = [Self::Infra, Self::Shell, Self::Flux, Self::Expected];

    /// Returns the name of the file of a text.
    pub(super) fn file(self, text: &str) -> String {
        format!("{text}.{self:?}.yaml").to_lowercase()
    }

    pub(super) fn reference(self, output: &Output) -> String {
        match self {
            Self::Infra => format!("${{infra.{}}}", output.name),
            Self::Shell | Self::Flux => format!("${{{}}}", output.variable()),
            Self::Expected => output.value.clone(),
        }
    }
}

/// One output: a string that is written the same in every context of YAML, so that
/// substituting text and substituting in YAML give the same result.
pub(super) struct Output {
    pub(super) name: String,
    pub(super) value: String,
}

impl Output {
    /// Returns the name as an environment variable.
    pub(super) fn variable(&self) -> String {
        self.name.to_uppercase()
    }
}

/// A folder of texts, with the values of their references.
pub(super) struct Inputs {
    pub(super) folder: PathBuf,
    pub(super) outputs: Vec<Output>,
}

impl Inputs {
    /// Writes the outputs document.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let mut outputs = Vec::new();
        let mut entries = Vec::new();
        for service in SERVICES {
            let name = service.replace('_', "-");
            for thing in THINGS {
                let id = (outputs.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let value = match thing {
                    "bucket" => format!("acme-{name}-{:08x}", id >> 32),
                    "endpoint" => format!("{name}.c{id:x}.eu-west-1.rds.amazonaws.com"),
                    "queue_url" => {
                        format!("https://sqs.eu-west-1.amazonaws.com/412345678901/{name}")
                    }
                    "role_arn" => format!("arn:aws:iam::412345678901:role/acme-{name}"),
                    _ => format!("sg-0{id:016x}"),
                };
                let name = format!("{service}_{thing}");
                entries.push(format!("  \"{name}\": {{\"sensitive\": false, \"type\": \"string\", \"value\": \"{value}\"}}"));
                outputs.push(Output { name, value });
            }
        }
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let document = format!("{{\n{}\n}}\n", entries.join(",\n"));
        fs::write(folder.join(OUTPUTS), document).context("writing the outputs")?;
        let folder = folder.to_path_buf();
        Ok(Self { folder, outputs })
    }

    /// Writes a text of applications in all dialects. Each has as many references as its number
    /// gets. Returns a description, and the size for landfall in bytes.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn make(
        &self,
        name: &str,
        applications: usize,
        references: fn(usize) -> usize,
    ) -> Result<(String, usize)> {
        let corpus = if name == SPARSE {
            corpus()?
        } else {
            Vec::new()
        };
        let mut bytes = 0;
        for dialect in Dialect::ALL {
            let path = self.folder.join(dialect.file(name));
            let mut file =
                File::create(&path).with_context(|| format!("writing {}", path.display()))?;
            // In pieces: the memory of a measured program begins with the peak of this one.
            let mut write = |text: &str| {
                if dialect == Dialect::Infra {
                    bytes += text.len();
                }
                file.write_all(text.as_bytes())
            };
            for number in 0..applications {
                let share = |nth: usize| corpus.len() * nth / applications;
                for path in &corpus[share(number)..share(number + 1)] {
                    let text = fs::read_to_string(path)?;
                    write("---\n")?;
                    let text = text.strip_prefix("---\n").unwrap_or(&text);
                    match dialect {
                        Dialect::Flux => write(&text.replace('$', "$$"))?,
                        _ => write(text)?,
                    }
                }
                write(&self.application(number, references(number), dialect)?)?;
            }
        }
        let about = format!(
            "{name}: {} references, {} bytes",
            grouped((0..applications).map(references).sum()),
            grouped(bytes)
        );
        Ok((about, bytes))
    }

    /// Returns an application with `references` of the possible references, spread evenly. The
    /// others are written as the value itself.
    fn application(&self, number: usize, references: usize, dialect: Dialect) -> Result<String> {
        let mut text = String::new();
        let mut place = 0;
        for (position, piece) in TEMPLATE.split('@').enumerate() {
            if position % 2 == 0 {
                text.push_str(piece);
            } else if piece == "app" {
                text.push_str(&format!("app-{number:04}"));
            } else {
                let thing = THINGS.iter().position(|thing| *thing == piece);
                let thing = thing.with_context(|| format!("app.yaml: there is no @{piece}@"))?;
                let service = (number + 7 * place) % SERVICES.len();
                let is_reference = (place + 1) * references / PLACES > place * references / PLACES;
                let dialect = if is_reference {
                    dialect
                } else {
                    Dialect::Expected
                };
                text.push_str(&dialect.reference(&self.outputs[service * THINGS.len() + thing]));
                place += 1;
            }
        }
        Ok(text)
    }
}

/// Returns the manifests of kube-prometheus, in the order of their paths.
fn corpus() -> Result<Vec<PathBuf>> {
    let corpora = env::var_os("LANDFALL_CORPORA").context("LANDFALL_CORPORA is not set")?;
    let mut files = Vec::new();
    let mut folders = vec![Path::new(&corpora).join("kube-prometheus")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder);
        for entry in entries.with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_in_every_dialect() {
        let folder = env::temp_dir().join(format!("landfall-bench-{}", std::process::id()));
        let inputs = Inputs::new(&folder).unwrap();
        let (about, _) = inputs.make("small", 1, |_| 12).unwrap();
        // Results of different days can only be compared if it stays the same.
        assert_eq!(about, "small: 12 references, 5,465 bytes");
        for dialect in Dialect::ALL {
            let read = |dialect: Dialect| fs::read_to_string(folder.join(dialect.file("small")));
            let replaced = inputs
                .outputs
                .iter()
                .fold(read(dialect).unwrap(), |text, output| {
                    text.replace(&dialect.reference(output), &output.value)
                });
            assert_eq!(replaced, read(Dialect::Expected).unwrap());
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
