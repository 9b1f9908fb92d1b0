//! Excerpts of documents: the lines around spans, with long lines shortened. In concealed
//! lines only the spans themselves are shown.

use std::ops::Range;

use super::position::Positions;
use crate::sanitize::{is_safe, replacement};

/// The context on either side of a span in a shortened line, in bytes.
const CONTEXT_LEN: usize = 60;
/// The length to which a span in a shortened line is cut, in bytes.
const MAX_SPAN_LEN: usize = 160;
/// Lines longer than this, in bytes, are shortened.
const MAX_LINE_LEN: usize = 240;
/// If a span has more lines than this, only the first is shown.
const MAX_SPAN_LINES: usize = 6;
/// The maximum number of lines between two spans in one excerpt.
const MAX_GAP: usize = 2;
/// Shown in place of omitted text.
const OMISSION: char = '…';

/// A span to show, and whether to conceal the rest of its lines.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    pub(super) span: Range<usize>,
    pub(super) conceal: bool,
}

/// Consecutive lines of a document, shortened and concealed as needed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The offset of its first line in the document.
    pub(super) first_byte: usize,
    pub(super) text: String,
    /// The marks in this excerpt: the index of each, and its range in `text`.
    pub(super) marks: Vec<(usize, Range<usize>)>,
}

/// Returns excerpts that show all marks, in the order of the document. None if a line to
/// show is not UTF-8.
pub(super) fn excerpts(positions: &Positions<'_>, marks: &[Marked]) -> Option<Vec<Excerpt>> {
    let mut order: Vec<(usize, Marked)> = marks
        .iter()
        .map(|mark| clamp(positions, mark))
        .enumerate()
        .collect();
    order.sort_by_key(|(_, mark)| (mark.span.start, mark.span.end));

    let mut excerpts = Vec::new();
    let mut rest = order.as_slice();
    while let Some((_, first)) = rest.first() {
        let mut end = first.span.end;
        let mut taken = 1;
        while let Some((_, next)) = rest.get(taken) {
            if next.span.start > end && positions.lines_between(end, next.span.start) > MAX_GAP + 1
            {
                break;
            }
            end = end.max(next.span.end);
            taken += 1;
        }
        let (together, others) = rest.split_at(taken);
        excerpts.push(excerpt(positions, together)?);
        rest = others;
    }
    Some(excerpts)
}

/// Limits a mark to the document, and to its first line if it has too many lines.
fn clamp(positions: &Positions<'_>, mark: &Marked) -> Marked {
    let length = positions.content().len();
    let start = mark.span.start.min(length);
    let end = mark.span.end.clamp(start, length);
    let first_line_end = positions.line_end(start).max(start);
    let end = if positions.lines_between(start, end) < MAX_SPAN_LINES {
        end
    } else {
        first_line_end
    };
    Marked {
        span: start..end,
        conceal: mark.conceal,
    }
}

fn excerpt(positions: &Positions<'_>, marks: &[(usize, Marked)]) -> Option<Excerpt> {
    let content = positions.content();
    let first_byte = positions.line_start(marks.first()?.1.span.start);
    let last_byte = marks.iter().map(|(_, mark)| mark.span.end).max()?;
    let conceals = marks.iter().any(|(_, mark)| mark.conceal);

    let mut text = String::new();
    let mut map = Vec::new();
    let mut start = first_byte;
    loop {
        let end = positions.line_end(start);
        for kept in kept(start..end, marks, conceals) {
            match kept {
                Kept::Bytes(range) => push(content, range, &mut text, &mut map)?,
                Kept::Omission(at) => {
                    map.push((at, text.len()));
                    text.push(OMISSION);
                }
            }
        }
        map.push((end, text.len()));
        let next = positions.line_break(end) + 1;
        if next > last_byte.min(content.len()) {
            break;
        }
        text.push('\n');
        start = next;
    }
    let find = |offset: usize| {
        map[map
            .partition_point(|(from, _)| *from <= offset)
            .saturating_sub(1)]
        .1
    };
    let marks = marks
        .iter()
        .map(|(position, mark)| {
            let start = find(mark.span.start);
            let end = if mark.span.is_empty() {
                start
            } else {
                end_of(&text, &map, mark.span.end)
            };
            (*position, start..end.max(start))
        })
        .collect();
    Some(Excerpt {
        first_byte,
        text,
        marks,
    })
}

/// Returns the end in `text` of a mark that ends at `offset` in the document.
fn end_of(text: &str, map: &[(usize, usize)], offset: usize) -> usize {
    let next = map.partition_point(|(from, _)| *from < offset);
    let end = map.get(next).map_or(text.len(), |(_, at)| *at);
    // A mark that ends at the start of a line ends on the line before.
    if text[..end].ends_with('\n') {
        end - 1
    } else {
        end
    }
}

/// A part of a shortened line.
enum Kept {
    Bytes(Range<usize>),
    /// Omitted bytes that start at this offset.
    Omission(usize),
}

/// Returns the parts of a line to show.
fn kept(line: Range<usize>, marks: &[(usize, Marked)], conceals: bool) -> Vec<Kept> {
    let on_line = |mark: &Marked| {
        let span = mark.span.start.max(line.start)..mark.span.end.min(line.end);
        (span.start <= span.end && mark.span.start <= line.end).then_some(span)
    };
    let is_concealed = marks
        .iter()
        .any(|(_, mark)| mark.conceal && on_line(mark).is_some());
    let mut windows: Vec<Range<usize>> = if is_concealed {
        let concealed = marks.iter().filter(|(_, mark)| mark.conceal);
        concealed
            .filter_map(|(_, mark)| on_line(mark))
            .map(|span| span.start..span.end.min(span.start + MAX_SPAN_LEN))
            .collect()
    } else if marks.iter().all(|(_, mark)| on_line(mark).is_none()) {
        // A line between two marks, which is never shown around concealed marks.
        if conceals || line.len() > MAX_LINE_LEN {
            Vec::new()
        } else {
            vec![line.clone()]
        }
    } else if line.len() <= MAX_LINE_LEN {
        vec![line.clone()]
    } else {
        let spans = marks.iter().filter_map(|(_, mark)| on_line(mark));
        spans
            .map(|span| {
                let end = span.end.min(span.start + MAX_SPAN_LEN);
                let start = span.start.saturating_sub(CONTEXT_LEN);
                start.max(line.start)..(end + CONTEXT_LEN).min(line.end)
            })
            .collect()
    };
    windows.sort_by_key(|window| window.start);

    let mut kept = Vec::new();
    let mut done = line.start;
    for window in windows {
        if window.start > done {
            kept.push(Kept::Omission(done));
        }
        let start = window.start.max(done);
        if start < window.end {
            kept.push(Kept::Bytes(start..window.end));
            done = window.end;
        }
        done = done.max(window.start);
    }
    if done < line.end {
        kept.push(Kept::Omission(done));
    }
    kept
}

/// Appends bytes of the document to `text`, and the offset of each character to `map`.
fn push(
    content: &[u8],
    range: Range<usize>,
    text: &mut String,
    map: &mut Vec<(usize, usize)>,
) -> Option<()> {
    // The range may start or end inside a character.
    let is_boundary = |at: usize| content.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
    let start = (range.start..range.end).find(|&at| is_boundary(at))?;
    let end = (range.end..content.len().min(range.end + 3))
        .find(|&at| is_boundary(at))
        .unwrap_or(range.end);
    let piece = std::str::from_utf8(content.get(start..end)?).ok()?;
    for (at, char) in piece.char_indices() {
        map.push((start + at, text.len()));
        match char {
            // Editors do not show it either.
            '\u{feff}' if start + at == 0 => {}
            '\t' => text.push('\t'),
            _ if is_safe(char) => text.push(char),
            _ => text.push(replacement(char)),
        }
    }
    Some(())
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
