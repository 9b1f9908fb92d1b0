//! Compares the trees of the two parsers, for tests and the fuzzer.

use super::{granit, scanner};
use crate::tree::Tree;

/// How the two parsers read the same document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The fast parser declines it.
    Declined,
    /// The trees are the same, in every field.
    Same,
    /// The trees differ, or the complete parser refuses it: how.
    Different(String),
}

/// Compares how the two parsers read a document.
#[must_use]
pub fn compare_parsers(text: &str) -> Comparison {
    let Some(tree) = scanner::scan(text) else {
        return Comparison::Declined;
    };
    let fast = Tree {
        source: text.to_owned(),
        ..tree
    };
    match granit::locate(text.to_owned()) {
        Err(error) => Comparison::Different(format!("refused at {}: {error}", error.at)),
        Ok(complete) if complete == fast => Comparison::Same,
        Ok(complete) => Comparison::Different(difference(&complete, &fast)),
    }
}

/// Returns the tree of a document from the fast parser, without its source; `None` if it
/// declines the document.
#[must_use]
pub fn locate_fast(text: &str) -> Option<Tree> {
    scanner::scan(text)
}

/// Returns the tree of a document from the complete parser, without its source; `None` if
/// it refuses the document.
#[must_use]
pub fn locate_completely(text: &str) -> Option<Tree> {
    granit::tree(text).ok()
}

/// Describes the first difference of two trees of the same source.
fn difference(complete: &Tree, fast: &Tree) -> String {
    let differing = (0..complete.len().max(fast.len()))
        .find(|&id| complete.get(id) != fast.get(id))
        .map(|id| {
            format!(
                "node {id}: expected {:#?} with text {:?}, found {:#?} with text {:?}",
                complete.get(id),
                complete.text(id),
                fast.get(id),
                fast.text(id)
            )
        });
    differing.unwrap_or_else(|| {
        format!(
            "expected {:?}, {:?}, {:?}, {:?}, found {:?}, {:?}, {:?}, {:?}",
            complete.decoded,
            complete.comments,
            complete.cut_off,
            complete.odd_anchor,
            fast.decoded,
            fast.comments,
            fast.cut_off,
            fast.odd_anchor
        )
    })
}
