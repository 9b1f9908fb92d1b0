//! Where each value stands in the result: the edits lead from the source to it.

use std::ops::Range as Bytes;

use landfall::{Content, Edit, Span, Substitution};

use crate::answer::RenderedFile;
use crate::input::Input;
use crate::positions::{Positions, Range};

/// The way from sources to results, file by file.
#[derive(Debug)]
pub(crate) struct Provenance<'a> {
    files: Vec<Edited<'a>>,
}

/// A file with its edits and what came of it.
#[derive(Debug)]
struct Edited<'a> {
    source: &'a [u8],
    edits: &'a [Edit],
    /// Where the text of each edit begins in the result.
    starts: Vec<usize>,
    result: &'a [u8],
}

impl<'a> Provenance<'a> {
    pub(crate) fn new(
        input: &'a Input,
        contents: &'a [Content],
        files: &'a [RenderedFile],
    ) -> Self {
        let edits = contents.iter().map(|content| match content {
            Content::Edited(edits) => &edits[..],
            Content::Unchanged | Content::Replaced(_) => &[],
        });
        let files = input.manifests.iter().zip(edits).zip(files);
        let files = files.map(|((document, edits), file)| {
            Edited::new(&document.content, edits, file.content.as_bytes())
        });
        Self {
            files: files.collect(),
        }
    }

    /// The place of each value in the result of its file. They come in the order of
    /// files.
    pub(crate) fn results(&mut self, substitutions: &[Substitution]) -> Vec<Range> {
        let mut results = Vec::with_capacity(substitutions.len());
        for group in substitutions.chunk_by(|one, next| one.file == next.file) {
            let file = group.first().and_then(|first| self.files.get(first.file));
            let Some(file) = file else {
                results.extend(group.iter().map(|_| Range::default()));
                continue;
            };
            let positions = Positions::new(file.result);
            let found = file.results(group);
            results.extend(found.map(|place| positions.range(Span::new(place.start, place.end))));
        }
        results
    }
}

impl<'a> Edited<'a> {
    fn new(source: &'a [u8], edits: &'a [Edit], result: &'a [u8]) -> Self {
        let (mut written, mut read) = (0, 0);
        let starts = edits.iter().map(|edit| {
            let start = written + (edit.span.start - read);
            (written, read) = (start + edit.text.len(), edit.span.end);
            start
        });
        Self {
            starts: starts.collect(),
            source,
            edits,
            result,
        }
    }

    fn results(&self, group: &[Substitution]) -> impl Iterator<Item = Bytes<usize>> {
        let spans: Vec<(Span, Option<&str>)> = group
            .iter()
            .map(|one| (one.span(), (!one.sensitive).then_some(&one.value[..])))
            .collect();
        // Several references of one scalar may have become one edit: each is looked
        // for behind the one before.
        let mut found: Vec<Bytes<usize>> = Vec::with_capacity(spans.len());
        for (nth, (span, value)) in spans.iter().enumerate() {
            let touched = self.touched(*span);
            let place = match touched.clone().next() {
                Some(at) if touched.len() == 1 && self.is_wider(at, *span) => {
                    let edit = &self.edits[at];
                    let is_in =
                        |span: &Span| edit.span.start <= span.start && span.end <= edit.span.end;
                    let before = nth.checked_sub(1).filter(|n| is_in(&spans[*n].0));
                    let behind = spans.get(nth + 1).filter(|(next, _)| is_in(next));
                    let from = before.map(|n| (spans[n].0, found[n].end));
                    self.inside(at, *span, *value, from, behind.map(|(next, _)| *next))
                }
                Some(_) => self.hull(touched),
                None => self.moved(*span),
            };
            found.push(place);
        }
        found.into_iter()
    }

    /// The edits that have a part in what stands at `span`.
    fn touched(&self, span: Span) -> Bytes<usize> {
        let start = self.edits.partition_point(|edit| {
            edit.span.end < span.start
                || edit.span.end == span.start && !edit.span.range().is_empty()
        });
        let mut end = start;
        while self.edits.get(end).is_some_and(|edit| {
            edit.span.start < span.end
                || edit.span.range().is_empty() && edit.span.start == span.end
        }) {
            end += 1;
        }
        // A collection begins behind the comment of its line.
        let writes = |at: &usize| !self.edits[*at].text.is_empty();
        if !(start..end).any(|at| writes(&at))
            && let Some(next) = self.edits.get(end)
            && next.span.range().is_empty()
            && !next.text.is_empty()
            && self
                .source
                .get(span.end..next.span.start)
                .is_some_and(|between| !between.contains(&b'\n'))
        {
            return end..end + 1;
        }
        start..end
    }

    /// Whether an edit writes more than what stands at `span`.
    fn is_wider(&self, at: usize, span: Span) -> bool {
        let edit = self.edits[at].span;
        edit.start < span.start || span.end < edit.end
    }

    /// What these edits write, without the line breaks around it.
    fn hull(&self, touched: Bytes<usize>) -> Bytes<usize> {
        let writes = |at: &usize| !self.edits[*at].text.is_empty();
        let first = touched.clone().find(writes).unwrap_or(touched.start);
        let last = touched.clone().rev().find(writes).unwrap_or(first);
        let end = self.starts[last] + self.edits[last].text.len();
        self.trimmed(self.starts[first]..end)
    }

    fn trimmed(&self, place: Bytes<usize>) -> Bytes<usize> {
        let text = self.result.get(place.clone()).unwrap_or_default();
        let start = place.start + (text.len() - text.trim_ascii_start().len());
        let end = place.end - (text.len() - text.trim_ascii_end().len());
        if start < end { start..end } else { place }
    }

    /// A place that no edit touches.
    fn moved(&self, span: Span) -> Bytes<usize> {
        let behind = self
            .edits
            .partition_point(|edit| edit.span.end <= span.start);
        let (read, written) = match behind.checked_sub(1) {
            Some(last) => (
                self.edits[last].span.end,
                self.starts[last] + self.edits[last].text.len(),
            ),
            None => (0, 0),
        };
        let move_ = |at: usize| (at + written).saturating_sub(read).min(self.result.len());
        move_(span.start)..move_(span.end)
    }

    /// One value in an edit that writes more: the text between it and its neighbours
    /// stands in the result too, or the value itself does; else it is somewhere in
    /// the whole.
    fn inside(
        &self,
        at: usize,
        span: Span,
        value: Option<&str>,
        before: Option<(Span, usize)>,
        behind: Option<Span>,
    ) -> Bytes<usize> {
        let edit = &self.edits[at];
        let whole = self.starts[at]..self.starts[at] + edit.text.len();
        let (read, from) = before.map_or((edit.span.start, whole.start), |(span, found)| {
            (span.end, found)
        });
        let text = self.result.get(from..whole.end).unwrap_or_default();
        let literal = self.source.get(read..span.start).unwrap_or_default();
        let start = find(text, literal).map_or(0, |at| at + literal.len());
        let rest = text.get(start..).unwrap_or_default();
        if let Some(value) = value.filter(|value| !value.is_empty())
            && let Some(found) = find(rest, value.as_bytes())
        {
            let start = from + start + found;
            return start..start + value.len();
        }
        let next = behind.map_or(edit.span.end, |behind| behind.start);
        let literal = self.source.get(span.end..next).unwrap_or_default();
        let end = match behind {
            Some(_) if !literal.is_empty() => find(rest, literal),
            Some(_) => None,
            None => rest.ends_with(literal).then(|| rest.len() - literal.len()),
        };
        match end.filter(|end| *end > 0) {
            Some(end) => from + start..from + start + end,
            None => self.trimmed(from..whole.end),
        }
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    text.windows(wanted.len()).position(|part| part == wanted)
}
