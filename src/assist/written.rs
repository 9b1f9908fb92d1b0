//! Writes a new name where an old one was.

use std::ops::Range;

use crate::analysis::document::TextAt;
use crate::reference::{Dialect, Path, Step, Syntax};
use yaml::{Edit, NodeEditor, NodeId, Part, Text, Tree, decode};

/// Returns the edit that replaces bytes of a text.
pub(super) fn replaced(text: &TextAt<'_>, range: &Range<usize>, piece: &str) -> Edit {
    Edit {
        span: text.span(range),
        text: text.written(piece).into_bytes(),
    }
}

/// Returns the edit that replaces the output of a path, with the quotes that need the fewest
/// escapes. `None` if the dialect cannot name it.
pub(super) fn renamed(
    text: &TextAt<'_>,
    path: &Path,
    to: &str,
    dialect: &dyn Dialect,
) -> Option<Edit> {
    let mut renamed = path.clone();
    renamed.segments.first_mut()?.step = Step::Key(to.to_owned());
    let write = |quote| dialect.write(&Syntax::Segment(&renamed, 0), quote);
    let segments: Vec<String> = ['"', '\''].into_iter().filter_map(write).collect();
    let is_as_written = |segment: &&String| text.written(segment) == **segment;
    let segment = segments.iter().find(is_as_written).or(segments.first())?;
    let old = path.segments.first()?;
    let before = text.text.get(old.whole.start..old.range.start)?;
    let is_same = before.is_empty() && old.whole.end == old.range.end;
    Some(match segment.strip_prefix('.') {
        Some(name) if before == "." => replaced(text, &old.range, name),
        _ if is_same => replaced(text, &old.range, segment),
        _ => replaced(text, &old.whole, segment),
    })
}

/// Returns the edits after which a scalar of a configuration document has this text.
pub(super) fn renamed_scalar(source: &str, tree: &Tree, id: NodeId, to: &str) -> Option<Vec<Edit>> {
    let decoded = decode(source, tree, id)?;
    let editor = NodeEditor {
        source,
        tree,
        id,
        decoded: &decoded,
        json: false,
    };
    let whole = 0..decoded.text.len();
    let part = Part {
        raw: decoded.raw_range(&whole),
        decoded: whole,
        value: Some(&Text(to)),
    };
    editor.replace_parts(&[part]).ok()
}
