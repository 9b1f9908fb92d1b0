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
