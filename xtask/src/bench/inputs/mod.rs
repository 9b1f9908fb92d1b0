//! The inputs of DESIGN §11, the same on every machine with the same corpora.

mod app;
mod bulk;
mod outputs;
mod random;
mod texts;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(super) use outputs::Outputs;
pub(super) use texts::Dialect;

use bulk::Bulk;
use random::Random;
use texts::Texts;

/// The seed of all texts and values.
pub(super) const SEED: u64 = 20_261_120;

/// `dense16` is `dense`, repeated this many times.
const REPEATED: u64 = 16;

/// The variable that names the folder with the corpora.
const CORPORA: &str = "LANDFALL_CORPORA";

/// One text, as a file for each dialect.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Its name on the command line and in files.
    pub(super) name: &'static str,
    /// A description of its content.
    pub(super) about: String,
    /// The size of the text for landfall, in bytes.
    pub(super) bytes: u64,
    folder: PathBuf,
}

impl Input {
    /// The names of all inputs, in the order in which they are measured.
    pub(super) const NAMES: [&'static str; 4] = ["small", "sparse", "dense", "dense16"];

    /// Returns its file in `dialect`.
    pub(super) fn file(&self, dialect: Dialect) -> PathBuf {
        dialect.file(&self.folder, self.name)
    }
}

/// All inputs with the values of their references.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub(super) all: Vec<Input>,
    pub(super) outputs: Outputs,
    /// The path of the `terraform output -json` document.
    pub(super) document: PathBuf,
    /// Its size in bytes.
    pub(super) document_bytes: u64,
}

/// Generates the inputs with these names.
///
/// # Errors
/// The folder cannot be written, or the corpora are configured and missing.
pub(super) fn make(folder: &Path, wanted: &[&'static str]) -> Result<Inputs> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let random = Random::new(SEED);
    let outputs = Outputs::new(&mut random.clone());
    let document = folder.join("outputs.json");
    let text = outputs.document();
    fs::write(&document, &text).with_context(|| format!("writing {}", document.display()))?;

    let mut all = Vec::new();
    for &name in wanted {
        let maker = Maker {
            folder,
            outputs: &outputs,
            // Every text starts from the same state: leaving one out does not change the
            // others.
            random: random.clone(),
        };
        all.push(match name {
            "small" => maker.applications("small", 1, 12)?,
            "sparse" => maker.sparse()?,
            "dense" => maker.applications("dense", 1_000, app::PLACES)?,
            _ => {
                let dense = maker.applications("dense", 1_000, app::PLACES)?;
                repeat(&dense, "dense16")?
            }
        });
    }
    Ok(Inputs {
        all,
        outputs,
        document,
        document_bytes: text.len() as u64,
    })
}

struct Maker<'a> {
    folder: &'a Path,
    outputs: &'a Outputs,
    random: Random,
}

impl Maker<'_> {
    /// Writes only applications, with `references` in each.
    fn applications(
        mut self,
        name: &'static str,
        number: usize,
        references: usize,
    ) -> Result<Input> {
        let mut texts = Texts::create(self.folder, name)?;
        for application in 0..number {
            self.application(&mut texts, application, references)?;
        }
        let about = format!(
            "{} documents, {} references",
            grouped(number as u64 * 5),
            grouped(texts.references as u64)
        );
        self.finish(name, texts, about)
    }

    /// Writes ten applications with five references each, spread over megabytes without.
    fn sparse(mut self) -> Result<Input> {
        let corpora = std::env::var_os(CORPORA).map(PathBuf::from);
        let bulk = Bulk::find(corpora.as_deref())?;
        let about = match bulk {
            Bulk::Corpus(_) => "the manifests of kube-prometheus",
            Bulk::Generated => {
                eprintln!(
                    "bench: {CORPORA} is not set: sparse is made of generated text instead of kube-prometheus"
                );
                "generated definitions and dashboards (not kube-prometheus)"
            }
        };
        let mut texts = Texts::create(self.folder, "sparse")?;
        for piece in 0..bulk.pieces() {
            bulk.write(&mut texts, piece, &mut self.random)?;
            let applications = |pieces: usize| pieces * 10 / bulk.pieces();
            if applications(piece + 1) > applications(piece) {
                self.application(&mut texts, applications(piece), 5)?;
            }
        }
        let about = format!(
            "{about} and 10 applications, {} references",
            texts.references
        );
        self.finish("sparse", texts, about)
    }

    fn application(&mut self, texts: &mut Texts, number: usize, references: usize) -> Result<()> {
        let name = format!("app-{number:04}");
        app::write(texts, &name, references, self.outputs, &mut self.random)
            .context("writing an application")
    }

    fn finish(self, name: &'static str, texts: Texts, about: String) -> Result<Input> {
        let bytes = texts.bytes;
        texts.finish().with_context(|| format!("writing {name}"))?;
        Ok(Input {
            name,
            about,
            bytes,
            folder: self.folder.to_path_buf(),
        })
    }
}

/// Writes a text that repeats another one [`REPEATED`] times.
fn repeat(input: &Input, name: &'static str) -> Result<Input> {
    let repeated = Input {
        name,
        about: format!("{}, {REPEATED} times", input.name),
        bytes: input.bytes * REPEATED,
        folder: input.folder.clone(),
    };
    for dialect in Dialect::ALL {
        let (from, to) = (input.file(dialect), repeated.file(dialect));
        let context = || format!("writing {}", to.display());
        let mut target = File::create(&to).with_context(context)?;
        for _ in 0..REPEATED {
            let mut source =
                File::open(&from).with_context(|| format!("reading {}", from.display()))?;
            io::copy(&mut source, &mut target).with_context(context)?;
        }
        target.flush().with_context(context)?;
    }
    Ok(repeated)
}

/// Formats 20000 as `20,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::outputs::Output;
    use super::{Dialect, grouped, make};

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, expect) in [
            (0, "0"),
            (999, "999"),
            (20_000, "20,000"),
            (5_100_000, "5,100,000"),
        ] {
            assert_eq!(grouped(number), expect);
        }
    }

    #[test]
    fn the_same_text_in_every_dialect() {
        let folder = std::env::temp_dir().join(format!("landfall-bench-{}", std::process::id()));
        let inputs = make(&folder, &["small"]).unwrap();
        let [input] = &inputs.all[..] else {
            panic!("one input was asked for");
        };
        let read = |dialect| fs::read_to_string(input.file(dialect)).unwrap();
        let expected = read(Dialect::Expected);

        let landfall = read(Dialect::Landfall);
        assert_eq!(landfall.len() as u64, input.bytes);
        assert_eq!(landfall.matches("${infra.").count(), 12);
        let replaced = |text: String, reference: &dyn Fn(&Output) -> String| {
            let all = inputs.outputs.all().iter();
            all.fold(text, |text, output| {
                text.replace(&reference(output), &output.value)
            })
        };
        let infra = |output: &Output| format!("${{infra.{}}}", output.name);
        let variable = |output: &Output| format!("${{{}}}", output.variable);
        assert_eq!(replaced(landfall, &infra), expected);
        assert_eq!(replaced(read(Dialect::Shell), &variable), expected);
        let flux = replaced(read(Dialect::Flux), &variable).replace("$$", "$");
        assert_eq!(flux, expected);
        fs::remove_dir_all(&folder).unwrap();
    }
}
