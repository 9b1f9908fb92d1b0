//! Finds written values in the text with all edits applied.

use std::borrow::Cow;
use std::ops::Range;

use super::collection::Members;
use super::parts::text_of;
use super::{Data, Edit, NodeEditor, Part};
use crate::line::line_break;
use crate::scalar::{Context, Decoded, decode_block_whole, decode_flow};
use crate::span::Span;
use crate::tree::{Kind, Style};

/// Bytes of a text whose edits are not all known yet. [`resolve`] finds them in the text
/// with the edits applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// A byte of the original text.
    pub source: usize,
    /// The position of the first edit at or after `source` that these bytes depend on;
    /// `None` if no edit changes them.
    pub edit: Option<usize>,
    /// The bytes, relative to the position of `source` in the edited text.
    pub range: Range<usize>,
}

impl Written {
    fn in_source(range: Range<usize>) -> Self {
        Self {
            source: range.start,
            edit: None,
            range: 0..range.len(),
        }
    }

    fn in_edit(nth: usize, edit: &Edit, range: Range<usize>) -> Self {
        Self {
            source: edit.span.start,
            edit: Some(nth),
            range,
        }
    }
}

/// Sorts the edits of one text, and returns the span of each of `written` in the text with
/// these edits applied.
///
/// # Examples
/// ```
/// use landfall_yaml::{Edit, Span, Written, resolve, splice};
///
/// let source = b"id: ID, zone: ZONE";
/// let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.into() };
/// let mut edits = vec![edit(14, 18, "zone-a"), edit(4, 6, "vpc-0ab1")];
/// let zone = Written { source: 14, edit: Some(0), range: 0..6 };
/// let spans = resolve(&mut edits, &[zone]);
/// let result = splice(source, &edits).unwrap();
/// assert_eq!(&result[spans[0].range()], b"zone-a");
/// ```
pub fn resolve(edits: &mut [Edit], written: &[Written]) -> Vec<Span> {
    if written.is_empty() {
        edits.sort_by_key(|edit| edit.span);
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|nth| edits[*nth].span);
    edits.sort_by_key(|edit| edit.span);
    let mut positions = vec![0; order.len()];
    // How many bytes are added and removed before each edit, and before the end.
    let mut before = Vec::with_capacity(order.len() + 1);
    let (mut added, mut removed) = (0, 0);
    for (position, (nth, edit)) in order.into_iter().zip(&*edits).enumerate() {
        positions[nth] = position;
        before.push((added, removed));
        added += edit.text.len();
        removed += edit.span.range().len();
    }
    before.push((added, removed));
    let resolved = written.iter().map(|written| {
        let of_edit = written.edit.and_then(|nth| positions.get(nth).copied());
        let position = of_edit.unwrap_or_else(|| {
            let source = written.source;
            edits.partition_point(|edit| edit.span.end <= source)
        });
        let (added, removed) = before.get(position).copied().unwrap_or_default();
        let start = (written.source + added).saturating_sub(removed);
        Span::new(start + written.range.start, start + written.range.end)
    });
    resolved.collect()
}

impl NodeEditor<'_> {
    /// Returns where parts are in the node after `edits`, the result of an operation with
    /// these `parts`: for each of `wanted` the part with this position, or only these
    /// bytes of its value's text. A value that replaces more than text, such as a whole
    /// plain scalar, includes the quotes around it; if bytes cannot be distinguished from
    /// others around them, the result is everything that was written.
    #[must_use]
    pub fn locate_parts<D: Data>(
        &self,
        parts: &[Part<'_, D>],
        edits: &[Edit],
        wanted: &[(usize, Option<Range<usize>>)],
    ) -> Vec<Written> {
        let mut starts = Vec::with_capacity(parts.len());
        let (mut start, mut at) = (0, 0);
        for part in parts {
            start += part.decoded.start - at;
            starts.push(start);
            start += text_of(part).len();
            at = part.decoded.end;
        }
        let target = self.text_with(parts);
        let ranges: Vec<_> = wanted
            .iter()
            .map(|(nth, within)| {
                let start = starts.get(*nth).copied().unwrap_or_default();
                let length = parts.get(*nth).map_or(0, |part| text_of(part).len());
                let within = within
                    .clone()
                    .filter(|within| within.end <= length)
                    .unwrap_or(0..length);
                start + within.start..start + within.end
            })
            .collect();
        let mut written = self.locate_text(&target, edits, &ranges);
        if self.style() == Style::Plain && parts.len() == 1 {
            return written;
        }
        for ((nth, within), written) in wanted.iter().zip(&mut written) {
            let Some(part) = parts.get(*nth) else {
                continue;
            };
            let at = edits.partition_point(|edit| edit.span.range().start < part.raw.start);
            if within.is_none()
                && let Some(edit) = edits.get(at)
                && edit.span.range() == part.raw
            {
                *written = Written::in_edit(at, edit, 0..edit.text.len());
            }
        }
        written
    }

    /// Returns where `ranges` of `target`, the text of the node after `edits`, are.
    #[must_use]
    pub fn locate_text(
        &self,
        target: &str,
        edits: &[Edit],
        ranges: &[Range<usize>],
    ) -> Vec<Written> {
        if ranges.is_empty() {
            return Vec::new();
        }
        let raw = &self.decoded.raw;
        let Some(first) = edits.first() else {
            let is_text = self.node().style().is_some() && is_same(self.decoded, target);
            let kept = |range: &Range<usize>| {
                if is_text {
                    self.decoded.raw_range(range)
                } else {
                    self.node().range().start..self.members_end()
                }
            };
            return ranges.iter().map(|r| Written::in_source(kept(r))).collect();
        };
        let header = self.decoded.header;
        let is_quoted = header.is_some_and(|header| header.start == first.span.start);
        let start = raw.start.min(first.span.start);
        let text = if is_quoted {
            // The lines of the block are removed.
            Cow::Borrowed(std::str::from_utf8(&first.text).unwrap_or_default())
        } else {
            Cow::Owned(self.edited_from(start, edits))
        };
        let decoded = match header {
            Some(header) if !is_quoted => {
                decode_block_whole(&text, header.indent, self.style() == Style::Folded)
            }
            _ => decode_any(&text),
        };
        let decoded = decoded.filter(|decoded| is_same(decoded, target));
        // The edit that writes the text, without line breaks and blanks around it.
        let edit_index = edits
            .iter()
            .position(|edit| !edit.text.is_empty())
            .unwrap_or_default();
        let edit = edits.get(edit_index).unwrap_or(first);
        let edit_text = std::str::from_utf8(&edit.text).unwrap_or_default();
        let begins = edit_text.len() - edit_text.trim_ascii_start().len();
        let trimmed = begins..edit_text.trim_ascii_end().len().max(begins);
        let trimmed_text = edit_text.get(trimmed.clone()).unwrap_or_default();
        let inner = decode_any(trimmed_text).filter(|inner| is_same(inner, target));
        let is_shown_whole = self.style() == Style::Plain && ranges.len() == 1;
        let written = ranges.iter().map(|range| {
            let is_all = is_shown_whole && *range == (0..target.len());
            if !is_all && let Some(decoded) = &decoded {
                let range = decoded.raw_range(&clamped(range, &decoded.text));
                return Written {
                    source: start,
                    edit: Some(0),
                    range,
                };
            }
            let range = match &inner {
                Some(inner) if !is_all => {
                    let range = inner.raw_range(&clamped(range, &inner.text));
                    trimmed.start + range.start..trimmed.start + range.end
                }
                _ => trimmed.clone(),
            };
            Written::in_edit(edit_index, edit, range)
        });
        written.collect()
    }

    /// Returns where the values inside `missing` are written by `edits`, the result of
    /// [`append`](Self::append) for it: for each of `wanted` the value with this position
    /// (0 is `missing` itself, followed by its first member), or only these bytes of its
    /// text.
    #[must_use]
    pub fn locate_appended<D: Data>(
        &self,
        missing: &D,
        edits: &[Edit],
        wanted: &[(usize, Option<Range<usize>>)],
    ) -> Vec<Written> {
        let Some((nth, edit)) = edits.iter().enumerate().next_back() else {
            return vec![Written::default(); wanted.len()];
        };
        let text = std::str::from_utf8(&edit.text).unwrap_or_default();
        let is_between = |c: char| matches!(c, ' ' | '\n' | '\r' | ',');
        let start = text.len() - text.trim_start_matches(is_between).len();
        let members = text.get(start..).unwrap_or_default();
        let column = match self.node().kind() {
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => column,
            Kind::Scalar { .. } | Kind::Alias(_) => self.member_column(),
        };
        let in_flow = matches!(
            self.node().kind(),
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
        );
        let in_block = Members::in_block(missing, column, line_break(self.source));
        let appended = if !in_flow && members.starts_with(&in_block.text) {
            in_block
        } else {
            let context = self.context();
            let flow = context.flow || in_flow;
            Members::in_flow(missing, Context { flow, ..context })
        };
        // A flow collection already has its brackets.
        let bracket = usize::from(in_flow);
        let found = wanted.iter().map(|(value, within)| {
            let range = appended.ranges.get(*value).cloned().unwrap_or_default();
            let within = within.as_ref().and_then(|within| {
                let decoded = decode_any(appended.text.get(range.clone())?)?;
                Some(decoded.raw_range(&clamped(within, &decoded.text)))
            });
            let within = within.unwrap_or(0..range.len());
            let start = (start + range.start).saturating_sub(bracket);
            Written::in_edit(nth, edit, start + within.start..start + within.end)
        });
        found.collect()
    }
}

/// Decodes `text`, which is one flow scalar.
fn decode_any(text: &str) -> Option<Decoded<'_>> {
    let style = match text.as_bytes().first() {
        Some(b'"') => Style::DoubleQuoted,
        Some(b'\'') => Style::SingleQuoted,
        _ => Style::Plain,
    };
    decode_flow(text, 0..text.len(), style)
}

/// Returns whether a scalar has this text, ignoring the trailing line breaks of a block
/// scalar.
fn is_same(decoded: &Decoded<'_>, target: &str) -> bool {
    decoded.text.trim_end_matches('\n') == target.trim_end_matches('\n')
}

fn clamped(range: &Range<usize>, text: &str) -> Range<usize> {
    range.start.min(text.len())..range.end.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Misfit, Value, decode_node, splice};
    use crate::locate::locate;

    /// Edits the scalar with an `X`, and shows `<` and `>` around what is found afterwards.
    #[track_caller]
    fn check(
        source: &str,
        expected: &str,
        change: impl Fn(&NodeEditor<'_>, &[usize]) -> Result<(Vec<Edit>, Vec<Written>), Misfit>,
    ) {
        let tree = locate(source).unwrap();
        let holds = |id: &usize| tree.text(*id).is_some_and(|text| text.contains('X'));
        let is_empty = |id: &usize| tree.text(*id) == Some("");
        let id = tree
            .ids()
            .find(holds)
            .or_else(|| tree.ids().find(is_empty))
            .unwrap_or(0);
        let decoded = decode_node(source, &tree, id).unwrap();
        let editor = NodeEditor {
            source,
            tree: &tree,
            id,
            decoded: &decoded,
            json: false,
        };
        let places: Vec<usize> = decoded.text.match_indices('X').map(|(at, _)| at).collect();
        let (mut edits, written) = change(&editor, &places).unwrap();
        // What precedes the scalar in the file may be edited too.
        edits.insert(0, Edit::new(&(0..0), "# c\n".to_owned()));
        let written: Vec<_> = written
            .into_iter()
            .map(|written| Written {
                edit: written.edit.map(|nth| nth + 1),
                ..written
            })
            .collect();
        let spans = resolve(&mut edits, &written);
        let mut shown = String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap();
        locate(shown.as_str()).unwrap();
        for span in spans.iter().rev() {
            shown.insert(span.end, '>');
            shown.insert(span.start, '<');
        }
        assert_eq!(shown.strip_prefix("# c\n"), Some(expected));
    }

    /// Writes a value in the place of each `X`.
    #[track_caller]
    fn check_parts(source: &str, values: &[Value], expected: &str) {
        check(source, expected, |editor, places| {
            let parts: Vec<_> = places
                .iter()
                .zip(values)
                .map(|(at, value)| Part {
                    decoded: *at..at + 1,
                    raw: editor.decoded.raw_range(&(*at..at + 1)),
                    value: Some(value),
                })
                .collect();
            let edits = editor.replace_parts(&parts)?;
            let wanted: Vec<_> = (0..parts.len()).map(|nth| (nth, None)).collect();
            let written = editor.locate_parts(&parts, &edits, &wanted);
            Ok((edits, written))
        });
    }

    #[test]
    fn parts_are_found_in_every_style() {
        let two = ["it's".into(), "é\"".into()];
        check_parts("a: -X-X-\n", &two, "a: -<it's>-<é\">-\n");
        check_parts("a: '-X-X-'\n", &two, "a: '-<it''s>-<é\">-'\n");
        check_parts("a: \"-X-X-\"\n", &two, "a: \"-<it's>-<é\\\">-\"\n");
        check_parts("a: |\n  -X-\n  X\n", &two, "a: |\n  -<it's>-\n  <é\">\n");
        check_parts("a: >-\n  -X-\n  X\n", &two, "a: >-\n  -<it's>-\n  <é\">\n");
        check_parts("X: 1\n", &["b".into()], "<b>: 1\n");
    }

    #[test]
    fn parts_are_found_after_their_scalar_changes_its_style() {
        let two = ["a\n".into(), "b".into()];
        check_parts("a: -X-X-\n", &two, "a: \"-<a\\n>-<b>-\"\n");
        check_parts("a: '-X-X-'\n", &two, "a: \"-<a\\n>-<b>-\"\n");
        check_parts(
            "a: |\n  -X-\n  X\nb: 1\n",
            &two,
            "a: |\n  -<a\n  >-\n  <b>\nb: 1\n",
        );
        check_parts("a: 'X'\n", &["a\nb".into()], "a: \"<a\\nb>\"\n");
        let two = ["\u{1}".into(), "b".into()];
        check_parts(
            "a: |\n  -X-\n  X\nb: 1\n",
            &two,
            "a: \"-<\\u0001>-\\n<b>\\n\"\nb: 1\n",
        );
    }

    #[test]
    fn a_whole_value_is_found_with_its_quotes_and_members() {
        check_parts("a: X # c\n", &["no".into()], "a: <\"no\"> # c\n");
        check_parts(
            "a: X # c\n",
            &[vec![1, 2].into()],
            "a: # c\n  <- 1\n  - 2>\n",
        );
        check_parts("a: X\n", &[vec![1, 2].into()], "a:\n  <- 1\n  - 2>\n");
        check_parts("a: [X]\n", &[vec!["b"].into()], "a: [<[b]>]\n");
        check_parts("a: 'X'\n", &["no".into()], "a: '<no>'\n");
    }

    #[test]
    fn bytes_of_a_value_are_found() {
        let value = Value::from("it's \"b\"");
        for (source, expected) in [
            ("a: -X-\n", "a: -it's <\"b\">-\n"),
            ("a: '-X-'\n", "a: '-it''s <\"b\">-'\n"),
            ("a: \"-X-\"\n", "a: \"-it's <\\\"b\\\">-\"\n"),
            ("a: |\n  -X-\n", "a: |\n  -it's <\"b\">-\n"),
            ("a: >\n  b\n  -X-\n", "a: >\n  b\n  -it's <\"b\">-\n"),
        ] {
            check(source, expected, |editor, places| {
                let decoded = places[0]..places[0] + 1;
                let part = [Part {
                    raw: editor.decoded.raw_range(&decoded),
                    decoded,
                    value: Some(&value),
                }];
                let edits = editor.replace_parts(&part)?;
                let written = editor.locate_parts(&part, &edits, &[(0, Some(5..8))]);
                Ok((edits, written))
            });
        }
    }

    #[test]
    fn text_is_found_in_what_was_empty() {
        let value = Value::from("it's: b");
        check("a:\nb: 1\n", "a: \"it<'s>: b\"\nb: 1\n", |editor, _| {
            let edits = editor.set(&value)?;
            let written = editor.locate_text("it's: b", &edits, std::slice::from_ref(&(2..4)));
            Ok((edits, written))
        });
    }

    #[test]
    fn text_is_found_where_nothing_is_written() {
        for (source, range, expected) in [
            ("a: 'b''X'\n", 1..3, "a: 'b<''X>'\n"),
            ("a: |\n  b\n  X\n", 2..3, "a: |\n  b\n  <X>\n"),
            ("- a: 1\n  b: 2\n\n", 0..1, "<- a: 1\n  b: 2>\n\n"),
        ] {
            check(source, expected, |editor, _| {
                let text = editor.decoded.text.clone();
                let written = editor.locate_text(&text, &[], std::slice::from_ref(&range));
                Ok((Vec::new(), written))
            });
        }
    }

    #[test]
    fn members_are_found_in_what_is_appended() {
        let items = Value::from(vec!["b", "it's \"c\""]);
        for (source, nth, within, expected) in [
            ("- a\n", 1, None, "- a\n- <b>\n- it's \"c\"\n"),
            ("- a\n", 2, Some(5..8), "- a\n- b\n- it's <\"c\">\n"),
            ("[a]\n", 1, None, "[a, <b>, it's \"c\"]\n"),
            ("[]\n", 2, None, "[b, <it's \"c\">]\n"),
        ] {
            check(source, expected, |editor, _| {
                let edits = editor.append(&items)?;
                let wanted = [(nth, within.clone())];
                let written = editor.locate_appended(&items, &edits, &wanted);
                Ok((edits, written))
            });
        }
    }
}
