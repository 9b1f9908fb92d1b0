//! A parser for the YAML that people write, about ten times faster than the complete one.
//!
//! It reads the bytes of a document once, and either builds the same tree as the complete
//! parser, in every field, or declines the document. It never reports an error: invalid
//! YAML is declined too, and the complete parser explains what is wrong. Wherever the two
//! could differ, it declines.
//!
//! It reads block collections (also a list in the column of its key), flow collections,
//! scalars in all five styles over any number of lines, comments, anchors, aliases (also
//! as keys), tags, missing values, `---`, `...`, CRLF and a byte order mark. It declines:
//!
//! | what | why |
//! | --- | --- |
//! | directives, explicit keys (`? `), missing keys | rare, with rules of their own |
//! | collections as keys, pairs in brackets (`[a: b]`) | rare; the start of the key's node is known only at its colon |
//! | keys of more than 1,024 bytes, or over several lines | mostly errors, with exceptions in flow |
//! | tabs where indentation is expected | mostly errors, with exceptions |
//! | block scalars at the root, or without a line after their header | spans of their own |
//! | unusual characters: a lone carriage return, control characters, U+0085, U+2028, U+2029, U+FEFF inside | line breaks and blanks to some readers |
//! | nesting of more than 256 levels | so that the complete parser counts levels |
//!
//! | module | reads |
//! | --- | --- |
//! | `characters` | whether a document has unusual characters |
//! | `lines` | blanks, comments, line breaks and document markers |
//! | `block` | block collections, and the nodes in them |
//! | `flow` | flow collections |
//! | `properties` | anchors, tags and aliases |
//! | `plain`, `quoted`, `literal` | scalars |

mod block;
mod characters;
mod flow;
mod lines;
mod literal;
mod plain;
mod properties;
mod quoted;

use std::ops::Range;

use super::builder::Builder;
use crate::tree::{Kind, Style, Tree};

/// The maximum nesting of collections that is read here.
const MAX_LEVELS: usize = 256;

/// The maximum length of a key with its colon, in bytes. The complete parser counts
/// characters.
const MAX_KEY: usize = 1024;

/// Builds the tree of `text`, without its source; `None` declines the document.
pub(super) fn scan(text: &str) -> Option<Tree> {
    if !characters::are_usual(text) {
        return None;
    }
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        text,
        at: start,
        line: start,
        levels: Vec::with_capacity(16),
        ahead: None,
        builder: Builder::new(text),
    };
    scanner.document()?;
    Some(scanner.builder.tree)
}

/// A document, the position in it, and the tree so far.
struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte to read.
    at: usize,
    /// The first byte of its line, after a byte order mark.
    line: usize,
    /// The collections around the next token.
    levels: Vec<Level>,
    /// The column of the next token, if it has been found before its turn.
    ahead: Option<Column>,
    builder: Builder<'t>,
}

/// A number of characters before a token on its line; -1 around the root, and for the end
/// of the document, which ends every block collection.
type Column = isize;

/// A collection whose members are being read.
#[derive(Clone, Copy)]
struct Level {
    kind: LevelKind,
    /// Its column; in flow, that of the block collection around it.
    column: Column,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    Mapping,
    Sequence,
    /// A list in the column of its key.
    Indentless,
    FlowMapping,
    FlowSequence,
}

/// A scalar or an alias that has been read and is not in the tree yet: a mapping that
/// begins with it comes first.
struct Leaf {
    content: Content,
    range: Range<usize>,
    /// Whether it has a line break: then it cannot be a key.
    multiline: bool,
}

enum Content {
    Alias,
    /// A scalar whose text is a slice of the source.
    Slice(Style),
    /// A scalar whose text has been decoded, from this offset of the decoded texts.
    Decoded(Style, usize),
}

impl Scanner<'_> {
    /// Adds a scalar or an alias to the tree.
    #[inline]
    fn add(&mut self, leaf: Leaf, tag: Option<Range<usize>>) {
        let Leaf { content, range, .. } = leaf;
        match content {
            Content::Alias => {
                let name = self.text.get(range.start + 1..range.end);
                let target = name.and_then(|name| self.builder.anchored(name));
                self.builder.alias(target, range);
            }
            Content::Slice(style) => self.builder.scalar(style, 0, range, tag),
            Content::Decoded(style, start) => {
                self.builder.scalar(style, 0, range, tag);
                self.builder.take_text(start);
            }
        }
    }

    /// Adds a node that is not written.
    fn add_missing(&mut self, at: usize, tag: Option<Range<usize>>) {
        self.builder.scalar(Style::Plain, 0, at..at, tag);
    }

    /// Begins a collection.
    fn open(&mut self, level: Level, range: Range<usize>, tag: Option<Range<usize>>) -> Option<()> {
        if self.levels.len() >= MAX_LEVELS {
            return None;
        }
        let column = || usize::try_from(level.column).ok();
        let kind = match level.kind {
            LevelKind::Mapping => Kind::Mapping {
                flow: false,
                column: column()?,
            },
            LevelKind::Sequence | LevelKind::Indentless => Kind::Sequence {
                flow: false,
                column: column()?,
            },
            LevelKind::FlowMapping => Kind::Mapping {
                flow: true,
                column: 0,
            },
            LevelKind::FlowSequence => Kind::Sequence {
                flow: true,
                column: 0,
            },
        };
        self.builder.begin(kind, range, tag);
        self.levels.push(level);
        Some(())
    }

    /// Ends the innermost collection; a flow collection ends after `bracket`.
    fn close(&mut self, bracket: Option<usize>) {
        self.levels.pop();
        self.builder.end(bracket);
    }
}
