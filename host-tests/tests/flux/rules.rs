//! Why a document differs: the rules, in the words of `docs/dialects/flux.md`.

use std::fmt;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident => $id:literal,)+) => {
        /// Why landfall and Flux differ on a document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $($(#[doc = $doc])+ $name,)+
            /// landfall reports an error where Flux applies something.
            Refused(landfall::Rule),
        }

        /// Every rule but the errors of landfall.
        const RULES: &[Rule] = &[$(Rule::$name,)+];

        impl Rule {
            /// Returns its id, or that of landfall's error, and what it means.
            const fn described(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($id, concat!($($doc),+)),)+
                    Self::Refused(rule) => (rule.id(), REFUSED),
                }
            }
        }
    };
}

/// What an error of landfall means.
const REFUSED: &str = "landfall reports this error where Flux applies something.";

rules! {
    /// Flux writes the value into YAML text that no longer parses; landfall writes the value.
    FailsToParse => "flux-fails-to-parse",
    /// In Flux a value adds or removes fields, items or lists; in landfall it is a string.
    InjectsStructure => "flux-injects-structure",
    /// In Flux a string becomes the number, boolean or null that its text looks like.
    RetypesString => "flux-retypes-string",
    /// In Flux a field whose text is empty becomes null; in landfall it is an empty string.
    EmptyBecomesNull => "flux-empty-becomes-null",
    /// Flux cuts what YAML reads as a comment, a tag, an anchor, quotes or blanks off a string.
    CutsString => "flux-cuts-string",
    /// Flux substitutes in the quotes and escapes that kustomize writes, not in the string.
    SubstitutesInQuotes => "flux-substitutes-in-quotes",
    /// Flux removes the line breaks of values; landfall keeps them.
    DropsLineBreaks => "flux-drops-line-breaks",
    /// Flux refuses a name, label or annotation that became a number, boolean or null.
    RetypesMetadata => "flux-retypes-metadata",
    /// Flux refuses a fallback that names a missing variable even where it is not used.
    EvaluatesUnusedFallback => "flux-evaluates-unused-fallbacks",
    /// Flux's globs match bytes and can cut a character in half; landfall's match characters.
    CutsCharacters => "flux-cuts-characters",
    /// kustomize reads the string that landfall writes, and writes another: next line, U+0085.
    LosesNextLine => "kustomize-loses-next-line",
    /// kustomize reads a folded block with indented lines differently from other readers.
    FoldsAnew => "kustomize-folds-anew",
    /// A resource whose name is empty: kustomize, and so Flux, does not take it again.
    EmptyName => "empty-name",
    /// landfall leaves a variable unchanged that is written with escapes, `"\x24{a}"`.
    KeepsEscapes => "landfall-keeps-escapes",
    /// landfall writes a number or boolean because the Kubernetes field has that type.
    FieldType => "landfall-field-type",
    /// landfall doubles a value's `$` where Kubernetes would expand it.
    DoublesDollars => "landfall-doubles-dollars",
    /// landfall writes values into the document in a string (an entry `*.yaml` of a ConfigMap) as values, Flux as text.
    EmbeddedDocument => "landfall-embedded-document",
}

impl Rule {
    /// Returns its id.
    pub(crate) fn id(self) -> String {
        let (id, _) = self.described();
        match self {
            Self::Refused(_) => format!("landfall-refuses-{id}"),
            _ => id.to_owned(),
        }
    }

    /// Returns what it means.
    pub(crate) fn meaning(self) -> &'static str {
        self.described().1.trim()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

#[test]
fn every_rule_is_documented() {
    let page = landfall_host_tests::program::repository().join("docs/dialects/flux.md");
    let text = std::fs::read_to_string(page).unwrap();
    let rows = RULES.iter().map(|rule| (rule.id(), rule.meaning()));
    let refused = ("landfall-refuses-…".to_owned(), REFUSED);
    let missing: Vec<_> = rows
        .chain([refused])
        .map(|(id, meaning)| format!("| `{id}` | {} |", meaning.trim_end_matches('.')))
        .filter(|row| !text.contains(row))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/dialects/flux.md lacks\n{}",
        missing.join("\n")
    );
}
