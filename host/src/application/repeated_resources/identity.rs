//! What identifies the resource in a document, found by its lines.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::{Finder, find};

use crate::splice::Spliced;

/// What identifies a resource in a cluster.
#[derive(Debug)]
pub(super) struct Identity<'t> {
    api_version: Cow<'t, [u8]>,
    kind: Cow<'t, [u8]>,
    /// Empty: the default.
    namespace: Cow<'t, [u8]>,
    name: Cow<'t, [u8]>,
    /// Where the name is, before it is rendered.
    pub(super) at: usize,
}

impl Identity<'_> {
    /// Returns the group, the kind, the namespace and the name.
    pub(super) fn parts(&self) -> [&[u8]; 4] {
        let slash = memchr::memchr(b'/', &self.api_version);
        let group = &self.api_version[..slash.unwrap_or(0)];
        [group, &self.kind, &self.namespace, &self.name]
    }
}

/// The keys of a document, each after a line break.
pub(super) struct Keys {
    api_version: Finder<'static>,
    kind: Finder<'static>,
    metadata: Finder<'static>,
}

impl Keys {
    pub(crate) fn new() -> Self {
        Self {
            api_version: Finder::new(b"\napiVersion:"),
            kind: Finder::new(b"\nkind:"),
            metadata: Finder::new(b"\nmetadata:"),
        }
    }

    /// Returns what identifies the resource that is rendered from the bytes `range`. None: it
    /// has no name, or is not written plainly.
    pub(super) fn identity<'t>(
        &self,
        source: Spliced<'t>,
        range: Range<usize>,
    ) -> Option<Identity<'t>> {
        let document = Document { source, range };
        let kind = document.scalar(document.after(&self.kind)?)?;
        let api_version = document.scalar(document.after(&self.api_version)?)?;
        let start = document.after(&self.metadata)?;
        let metadata = document.metadata(start)?;
        let name = metadata.name?;
        Some(Identity {
            api_version,
            kind,
            namespace: metadata.namespace.unwrap_or_default(),
            name,
            at: metadata.at,
        })
    }
}

/// A document of a rendered file.
struct Document<'t> {
    source: Spliced<'t>,
    range: Range<usize>,
}

#[derive(Default)]
struct Metadata<'t> {
    name: Option<Cow<'t, [u8]>>,
    namespace: Option<Cow<'t, [u8]>>,
    at: usize,
}

impl<'t> Document<'t> {
    fn text(&self) -> &'t [u8] {
        &self.source.original()[..self.range.end]
    }

    /// Returns the first byte after a key in the first column.
    fn after(&self, key: &Finder<'_>) -> Option<usize> {
        let text = &self.text()[self.range.start..];
        let (line_break, name) = key.needle().split_at(1);
        if text.starts_with(name) {
            return Some(self.range.start + name.len());
        }
        let at = key.find(text)?;
        Some(self.range.start + at + line_break.len() + name.len())
    }

    /// Returns the end of the line that contains the byte at `start`.
    fn line_end(&self, start: usize) -> usize {
        let end = memchr::memchr(b'\n', &self.text()[start..]);
        end.map_or(self.range.end, |at| start + at)
    }

    /// Returns the rest of a line as it is rendered. None if an edit crosses its bounds.
    fn rest_of_line(&self, start: usize) -> Option<Cow<'t, [u8]>> {
        let (text, end) = (self.text(), self.line_end(start));
        let mut edits = self.source.edits().touching(start..end).peekable();
        if edits.peek().is_none() {
            return Some(Cow::Borrowed(&text[start..end]));
        }
        let mut line = Vec::new();
        let mut done = start;
        for edit in edits {
            if edit.start < start || edit.end > end || edit.text.contains(&b'\n') {
                return None;
            }
            line.extend_from_slice(&text[done..edit.start]);
            line.extend_from_slice(edit.text);
            done = edit.end;
        }
        line.extend_from_slice(&text[done..end]);
        Some(Cow::Owned(line))
    }

    /// Returns the scalar in the rest of a line.
    fn scalar(&self, start: usize) -> Option<Cow<'t, [u8]>> {
        match self.rest_of_line(start)? {
            Cow::Borrowed(line) => scalar(line).map(Cow::Borrowed),
            Cow::Owned(line) => scalar(&line).map(|text| Cow::Owned(text.to_vec())),
        }
    }

    /// Returns the metadata, whose value begins at `start`.
    fn metadata(&self, start: usize) -> Option<Metadata<'t>> {
        match self.rest_of_line(start)? {
            Cow::Borrowed(line) if !is_blank(line) => {
                let [name, namespace] = flow(line)?.map(|found| found.map(Cow::Borrowed));
                Some(Metadata {
                    name,
                    namespace,
                    at: start,
                })
            }
            Cow::Owned(line) if !is_blank(&line) => {
                let owned = |found: &[u8]| Cow::Owned(found.to_vec());
                let [name, namespace] = flow(&line)?.map(|found| found.map(owned));
                Some(Metadata {
                    name,
                    namespace,
                    at: start,
                })
            }
            _ => self.block(self.line_end(start) + 1),
        }
    }

    /// Reads the lines of a block mapping, the first of which begins at `start`.
    fn block(&self, start: usize) -> Option<Metadata<'t>> {
        let text = self.text();
        let mut metadata = Metadata::default();
        let mut column = 0;
        let mut at = start;
        while at < self.range.end {
            let end = self.line_end(at);
            let line = &text[at..end];
            let indent = line.iter().take_while(|byte| **byte == b' ').count();
            let content = &line[indent..];
            let next = end + 1;
            if is_blank(content) {
                at = next;
                continue;
            }
            if indent == 0 {
                break;
            }
            if column == 0 {
                column = indent;
            }
            if indent < column {
                return None;
            }
            if indent == column {
                let key = at + indent;
                if let Some(rest) = content.strip_prefix(b"name:") {
                    metadata.at = key;
                    metadata.name = Some(self.scalar(end - rest.len())?);
                } else if let Some(rest) = content.strip_prefix(b"namespace:") {
                    metadata.namespace = Some(self.scalar(end - rest.len())?);
                } else if !content[0].is_ascii_lowercase() {
                    // A quoted or complex key, an alias, or a merge key.
                    return None;
                }
            }
            at = next;
        }
        // What is written between the lines may be another name.
        let mut edits = self.source.edits().touching(start..at.min(self.range.end));
        let is_name = |text: &[u8]| find(text, b"name").is_some() && text.contains(&b':');
        (!edits.any(|edit| is_name(edit.text))).then_some(metadata)
    }
}

/// Returns whether a line has no content but a comment.
fn is_blank(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line.starts_with(b"#")
}

/// Returns the text of a plain or quoted scalar that ends a line. None if it is anything else.
fn scalar(line: &[u8]) -> Option<&[u8]> {
    if !line.starts_with(b" ") {
        return None;
    }
    let end = find(line, b" #").unwrap_or(line.len());
    let text = line[..end].trim_ascii();
    let text = match text {
        [quote @ (b'"' | b'\''), inner @ .., last] if quote == last => inner,
        text => text,
    };
    is_plain(text).then_some(text)
}

/// Returns whether a text means itself in every notation: names, versions and kinds do.
fn is_plain(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:/".contains(byte);
    text.first().is_some_and(u8::is_ascii_alphanumeric) && text.iter().all(is_plain)
}

/// Returns the name and the namespace in a flow mapping that fills the rest of a line. None if
/// it is not written plainly.
fn flow(line: &[u8]) -> Option<[Option<&[u8]>; 2]> {
    let comment = find(line, b"} #").map_or(line.len(), |at| at + 1);
    let line = line[..comment].trim_ascii();
    let members = line.strip_prefix(b"{")?.strip_suffix(b"}")?;
    let mut found = [None, None];
    let mut depth = 0_usize;
    let mut start = 0;
    let mut quote = None;
    for (at, byte) in members.iter().chain(b",").enumerate() {
        match byte {
            b'\\' | b'#' => return None,
            b'"' | b'\'' => match quote {
                None => quote = Some(byte),
                Some(open) if open == byte => quote = None,
                Some(_) => {}
            },
            _ if quote.is_some() => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                let member = members.get(start..at)?.trim_ascii();
                start = at + 1;
                if let Some(value) = member.strip_prefix(b"name:") {
                    found[0] = Some(scalar(value)?);
                } else if let Some(value) = member.strip_prefix(b"namespace:") {
                    found[1] = Some(scalar(value)?);
                } else if member
                    .first()
                    .is_some_and(|first| !first.is_ascii_lowercase())
                {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(found)
}
