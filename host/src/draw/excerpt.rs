//! The lines around spans, small enough to draw: long lines are cut around the
//! spans, and of concealed lines nothing shows but the spans themselves.

use std::ops::Range;

use super::position::Positions;
use crate::foreign::{is_harmless, replacement};

/// Bytes on either side of a span that stay of a line that is cut.
const AROUND: usize = 60;
/// Bytes of a span that stay when it is longer.
const LONGEST_SPAN: usize = 160;
/// A line up to this length, in bytes, is shown whole.
const LONGEST_LINE: usize = 240;
/// Lines of a span that are shown; of a longer one only the first.
const LONGEST_SPAN_LINES: usize = 6;
/// Unmarked lines between two spans of one excerpt.
const LARGEST_GAP: usize = 2;
/// What stands where text is left out.
const OMISSION: char = '…';

/// A span to show, and whether the rest of its lines may be seen.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    pub(super) span: Range<usize>,
    pub(super) conceal: bool,
}

/// A few lines of a document, as they may be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// Where its first line begins in the document.
    pub(super) first_byte: usize,
    pub(super) text: String,
    /// For each mark that it shows: its position in the list that was given, and
    /// its bytes in `text`.
    pub(super) marks: Vec<(usize, Range<usize>)>,
}

/// Excerpts that show all marks, in the order of the document. None when a line
/// that has to be shown is not UTF-8.
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
            if next.span.start > end
                && positions.lines_between(end, next.span.start) > LARGEST_GAP + 1
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

/// The mark inside the document, its end on the first line when it has too many.
fn clamp(positions: &Positions<'_>, mark: &Marked) -> Marked {
    let length = positions.content().len();
    let start = mark.span.start.min(length);
    let end = mark.span.end.clamp(start, length);
    let first_line_end = positions.line_end(start).max(start);
    let end = if positions.lines_between(start, end) < LONGEST_SPAN_LINES {
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

/// Where a mark that ends before `offset` ends in `text`: after all that stands
/// for bytes before it.
fn end_of(text: &str, map: &[(usize, usize)], offset: usize) -> usize {
    let next = map.partition_point(|(from, _)| *from < offset);
    let end = map.get(next).map_or(text.len(), |(_, at)| *at);
    // A line's first byte belongs to it; a mark that ends there ends on the line before.
    if text[..end].ends_with('\n') {
        end - 1
    } else {
        end
    }
}

enum Kept {
    Bytes(Range<usize>),
    /// Hidden bytes begin here.
    Omission(usize),
}

/// What of a line is shown.
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
            .map(|span| span.start..span.end.min(span.start + LONGEST_SPAN))
            .collect()
    } else if marks.iter().all(|(_, mark)| on_line(mark).is_none()) {
        // A line between two marks: context, which concealed places have not.
        if conceals || line.len() > LONGEST_LINE {
            Vec::new()
        } else {
            vec![line.clone()]
        }
    } else if line.len() <= LONGEST_LINE {
        vec![line.clone()]
    } else {
        let spans = marks.iter().filter_map(|(_, mark)| on_line(mark));
        spans
            .map(|span| {
                let end = span.end.min(span.start + LONGEST_SPAN);
                span.start.saturating_sub(AROUND).max(line.start)..(end + AROUND).min(line.end)
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

/// Adds bytes of the document, and for each character where it came from.
fn push(
    content: &[u8],
    range: Range<usize>,
    text: &mut String,
    map: &mut Vec<(usize, usize)>,
) -> Option<()> {
    // A window may begin or end inside a character.
    let is_boundary = |at: usize| content.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
    let start = (range.start..range.end).find(|&at| is_boundary(at))?;
    let end = (range.end..content.len().min(range.end + 3))
        .find(|&at| is_boundary(at))
        .unwrap_or(range.end);
    let piece = std::str::from_utf8(content.get(start..end)?).ok()?;
    for (at, char) in piece.char_indices() {
        map.push((start + at, text.len()));
        match char {
            // Not seen by editors either.
            '\u{feff}' if start + at == 0 => {}
            '\t' => text.push('\t'),
            _ if is_harmless(char) => text.push(char),
            _ => text.push(replacement(char)),
        }
    }
    Some(())
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
