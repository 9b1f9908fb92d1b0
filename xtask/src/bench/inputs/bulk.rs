//! Megabytes without references, like most of a GitOps repository.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::random::Random;
use super::texts::Texts;

/// The source of the text.
#[derive(Clone, Debug)]
pub(super) enum Bulk {
    /// The manifests of kube-prometheus, in the order of their paths.
    Corpus(Vec<PathBuf>),
    /// Generated text of the same kind and size.
    Generated,
}

/// The number of pieces of generated text: about as many bytes as the corpus.
const GENERATED_PIECES: usize = 96;

impl Bulk {
    /// Returns the corpus if the folder of corpora has it, else generated text.
    pub(super) fn find(corpora: Option<&Path>) -> Result<Self> {
        let Some(corpora) = corpora else {
            return Ok(Self::Generated);
        };
        let folder = corpora.join("kube-prometheus");
        let mut files = Vec::new();
        collect(&folder, &mut files)?;
        files.sort();
        if files.is_empty() {
            bail!("{} holds no YAML", folder.display());
        }
        Ok(Self::Corpus(files))
    }

    /// Returns the number of pieces.
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::Corpus(files) => files.len(),
            Self::Generated => GENERATED_PIECES,
        }
    }

    /// Writes one piece as separate documents.
    pub(super) fn write(&self, texts: &mut Texts, piece: usize, random: &mut Random) -> Result<()> {
        match self {
            Self::Corpus(files) => {
                let path = &files[piece];
                if !begins_with_marker(path)? {
                    texts.literal(b"---\n")?;
                }
                texts.literal_file(path)
            }
            Self::Generated if piece.is_multiple_of(4) => {
                texts.literal(dashboards(piece, random).as_bytes())?;
                Ok(())
            }
            Self::Generated => {
                texts.literal(definition(piece, random).as_bytes())?;
                Ok(())
            }
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension() == Some(OsStr::new("yaml")) {
            files.push(path);
        }
    }
    Ok(())
}

fn begins_with_marker(path: &Path) -> Result<bool> {
    let mut first = [0; 4];
    let mut file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
    match file.read_exact(&mut first) {
        Ok(()) => Ok(first == *b"---\n"),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

const WORDS: &[&str] = &[
    "the",
    "a",
    "of",
    "is",
    "and",
    "field",
    "pods",
    "selector",
    "when",
    "endpoint",
    "scraped",
    "interval",
    "default",
    "value",
    "label",
    "resources",
    "must",
    "be",
    "set",
    "to",
    "namespace",
    "secret",
    "key",
    "name",
    "which",
    "TLS",
    "config",
    "if",
    "not",
    "empty",
    "more",
    "info:",
];

fn sentence(random: &mut Random) -> String {
    let length = 8 + random.below(6);
    let words: Vec<&str> = (0..length)
        .map(|_| WORDS[random.below(WORDS.len())])
        .collect();
    format!("{}.", words.join(" "))
}

/// Returns a CustomResourceDefinition: deeply nested, with long descriptions.
fn definition(piece: usize, random: &mut Random) -> String {
    let mut text = format!(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  \
         name: things{piece}.example.com\nspec:\n  group: example.com\n  names: {{kind: Thing{piece}, plural: things{piece}}}\n  \
         scope: Namespaced\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n"
    );
    for property in 0..28 {
        text.push_str(&format!(
            "          property{property}:\n            description: |-\n"
        ));
        for _ in 0..4 {
            text.push_str(&format!("              {}\n", sentence(random)));
        }
        text.push_str("            type: object\n            properties:\n");
        for inner in 0..8 {
            text.push_str(&format!(
                "              inner{inner}:\n                description: {}\n                type: array\n                items:\n                  type: string\n",
                // A colon would end the plain scalar.
                sentence(random).replace(':', "")
            ));
        }
    }
    text
}

/// Returns a ConfigMap of dashboards: JSON in block literals, with variables that are not
/// references.
fn dashboards(piece: usize, random: &mut Random) -> String {
    let mut text = format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dashboards-{piece}\ndata:\n"
    );
    for dashboard in 0..6 {
        text.push_str(&format!(
            "  dashboard-{dashboard}.json: |-\n    {{\n      \"panels\": [\n"
        ));
        for panel in 0..30 {
            let comma = if panel == 29 { "" } else { "," };
            text.push_str(&format!(
                "        {{\n          \"datasource\": {{\"type\": \"prometheus\", \"uid\": \"${{datasource}}\"}},\n          \
                 \"description\": \"{}\",\n          \"targets\": [{{\"expr\": \"rate(requests{{cluster=\\\"$cluster\\\"}}[$__rate_interval])\"}}]\n        }}{comma}\n",
                sentence(random)
            ));
        }
        text.push_str("      ]\n    }\n");
    }
    text
}
