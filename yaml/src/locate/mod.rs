//! Builds the tree of a document from its text.

mod builder;
#[cfg(any(test, feature = "compare"))]
mod compare;
mod granit;
mod scanner;

#[cfg(any(test, feature = "compare"))]
pub use compare::{Comparison, compare_parsers, locate_completely, locate_fast};

use crate::scalar::decode;
use crate::tree::{MAX_LENGTH, Node, Style, Tree};

/// Locates every node of `text`, which is one document: [`split`](crate::split) a stream
/// first.
///
/// Nothing else calls a parser. There are two: a fast one, which declines the documents
/// that it is not sure about, and the complete one for these. Their trees are the same.
///
/// Aliases without an anchor are ordinary nodes (templates and fragments have them). A
/// duplicate key isn't an error here.
///
/// # Errors
/// The text is not one YAML document, is too long, or nests more than 1,000 levels deep.
///
/// # Examples
/// ```
/// use landfall_yaml::{Kind, locate};
///
/// let tree = locate("ports:\n  - 80 # http\n").unwrap();
/// assert!(matches!(tree[2].kind(), Kind::Sequence { flow: false, column: 2 }));
/// assert_eq!(&tree.source()[tree[3].range()], "80");
///
/// let error = locate("a: [1\n").unwrap_err();
/// assert!(error.described("the file").starts_with("the file is not valid YAML: "));
/// ```
pub fn locate(text: impl Into<String>) -> Result<Tree, LocateError> {
    #[cfg(feature = "count")]
    COUNT.with(|count| count.set(count.get() + 1));
    let text = text.into();
    if text.len() > MAX_LENGTH {
        return Err(LocateError::new(0, "it is longer than 4 GiB", text));
    }
    let mut tree = match scanner::scan(&text) {
        Some(tree) => Tree {
            source: text,
            ..tree
        },
        None => granit::locate(text)?,
    };
    decode_at_end(&mut tree);
    Ok(tree)
}

/// Corrects the text of a block scalar at the end of a document without a final line break:
/// both parsers add one, and no other reader does.
fn decode_at_end(tree: &mut Tree) {
    if tree.source.ends_with('\n') {
        return;
    }
    let is_block = |node: &Node| node.style().is_some_and(Style::is_block);
    let Some(last) = tree.nodes.iter().rposition(is_block) else {
        return;
    };
    let decoded = decode(&tree.source, tree, last);
    let text = decoded.map(|decoded| decoded.chomped(&decoded.text).to_owned());
    if let Some(text) = text.filter(|text| tree.text(last) != Some(text)) {
        tree.set_text(last, &text);
    }
}

#[cfg(feature = "count")]
thread_local! {
    static COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns how often [`locate`] has been called on this thread.
#[cfg(feature = "count")]
#[must_use]
pub fn locate_count() -> usize {
    COUNT.with(std::cell::Cell::get)
}

/// Why a document could not be located.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateError {
    /// The byte where the parser gave up.
    pub at: usize,
    /// Whether collections are nested more deeply than this library supports.
    pub too_deep: bool,
    /// The parser's message, without a position.
    message: String,
    text: String,
}

impl LocateError {
    fn new(at: usize, message: impl Into<String>, text: String) -> Self {
        Self {
            at,
            too_deep: false,
            message: message.into(),
            text,
        }
    }

    /// Describes the error; `what` is the subject: the file, the document.
    #[must_use]
    pub fn described(&self, what: &str) -> String {
        if self.too_deep {
            format!(
                "{what} nests lists and mappings more than {} levels deep",
                granit::NESTING_LIMIT
            )
        } else {
            format!("{what} is not valid YAML: {}", self.message)
        }
    }

    /// Returns the label for the byte where the parser gave up.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        if self.too_deep {
            "one level too many"
        } else {
            "invalid YAML here"
        }
    }

    /// Returns the text that couldn't be located, to try again with changes.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the text that couldn't be located.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for LocateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.described("the document"))
    }
}

impl std::error::Error for LocateError {}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn an_error_says_where_the_text_is_not_one_document() {
        for (text, at, expected) in [
            ("a: [1\n", 3, "unclosed bracket '['"),
            (
                "a: é\n  b: c\n",
                9,
                "mapping values are not allowed in this context",
            ),
            (
                "a\n---\nb\n",
                2,
                "another document starts here without `---`",
            ),
            ("a: b\rc: [\rd\n", 8, "unclosed bracket '['"),
        ] {
            let error = locate(text).unwrap_err();
            let expected = format!("the document is not valid YAML: {expected}");
            assert_eq!((error.at, error.to_string()), (at, expected), "{text:?}");
            assert_eq!(error.label(), "invalid YAML here");
            assert!(!error.too_deep);
            assert_eq!(error.text(), text);
            assert_eq!(error.into_text(), text);
        }
    }

    #[cfg(feature = "count")]
    #[test]
    fn each_call_is_counted() {
        let before = super::locate_count();
        assert!(locate("a").is_ok() && locate("[").is_err());
        assert_eq!(super::locate_count() - before, 2);
    }

    #[test]
    fn a_document_has_at_most_a_thousand_levels() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(locate(nested(1000)).is_ok());
        let error = locate(nested(1001)).unwrap_err();
        assert!(error.too_deep);
        assert_eq!(error.at, 1000);
        assert_eq!(error.label(), "one level too many");
        assert_eq!(
            error.described("x.yaml"),
            "x.yaml nests lists and mappings more than 1000 levels deep"
        );
    }

    #[test]
    fn a_block_scalar_at_the_end_has_no_line_break_that_is_not_written() {
        for (source, expected) in [
            ("a: |\n  b", "b"),
            ("a: |\n  b\n", "b\n"),
            ("a: >\n  b\n  c", "b c"),
            ("a: |+\n  b\n\n  ", "b\n\n"),
            ("c: |\n  d\na: |\n  b", "b"),
            ("a: |\n  b\nc: d", "b\n"),
            ("a: b\nc: d", "b"),
        ] {
            let tree = locate(source).unwrap();
            let key = tree.ids().find(|id| tree.text(*id) == Some("a")).unwrap();
            assert_eq!(tree.text(key + 1), Some(expected), "{source:?}");
        }
    }

    #[test]
    fn comments_and_anchors_are_part_of_the_tree() {
        // Both parsers: the second declines a key after `?`.
        for source in ["# a\nb: &c d # e\nf: &c g\n", "# a\n? b\n: &é d # e\n"] {
            let tree = locate(source).unwrap();
            let comments = tree.comments().iter().map(|range| &source[range.clone()]);
            assert_eq!(comments.collect::<Vec<_>>(), ["# a", "# e"]);
            let odd = tree.odd_anchor().and_then(|id| tree.text(id));
            let expected = if source.contains('?') { "d" } else { "g" };
            assert_eq!(odd, Some(expected), "{source:?}");
        }
        assert_eq!(locate("- &a b\n- *a\n").unwrap().odd_anchor(), None);
    }
}
