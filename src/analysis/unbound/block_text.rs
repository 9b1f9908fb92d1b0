//! Text in block scalars, recognised by its lines alone.
//!
//! A dashboard or a script of a megabyte is full of `${…}` that mean nothing to landfall.
//! They are recognised by their lines, so that the document is not parsed for them.

use memchr::{memchr, memrchr};

/// One block scalar that was found.
struct Block {
    /// Byte positions: the first line of the text, and the end of the last line checked.
    start: usize,
    seen: usize,
    /// The indentation of its lines.
    column: usize,
}

/// Finds the block scalars of a text around ascending positions.
pub(crate) struct BlockText<'t> {
    text: &'t str,
    /// The opener of references.
    opener: &'static str,
    last: Option<Block>,
    /// The bytes that may still be scanned: a text of many scalars would be scanned for
    /// each of them.
    left: usize,
}

impl<'t> BlockText<'t> {
    pub(crate) const fn new(text: &'t str, opener: &'static str) -> Self {
        let left = text.len().saturating_mul(4);
        Self {
            text,
            opener,
            last: None,
            left,
        }
    }

    /// Whether byte `at` certainly belongs to the text of a block scalar; false for unusual
    /// formatting. Upwards from `at`, the lines with decreasing indentation must be the
    /// scalar's key and then the keys that contain it. Nothing else can be open there,
    /// because YAML requires a multi-line value to be indented more than the line on which
    /// it begins.
    pub(crate) fn contains(&mut self, at: usize) -> bool {
        if let Some(block) = &mut self.last
            && block.start <= at
            && block.reaches(self.text, at)
        {
            return true;
        }
        self.last = Block::around(self.text, self.opener, at, &mut self.left);
        self.last.is_some()
    }
}

impl Block {
    fn around(text: &str, opener: &str, at: usize, left: &mut usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut line = line_start(bytes, at);
        let mut column = indentation(line_at(text, line))?;
        let mut block: Option<Self> = None;
        // The first of the lines that may be the scalar's.
        let mut first = line;
        while column > 0 || block.is_none() {
            let end = line.checked_sub(1)?;
            line = line_start(bytes, end);
            *left = left.checked_sub(end - line)?;
            let above = &text[line..end];
            if above.trim_ascii().is_empty() {
                continue;
            }
            let indent = indentation(above)?;
            if indent >= column {
                first = if block.is_none() { line } else { first };
                continue;
            }
            column = indent;
            match (&block, key_of(above)) {
                (None, Some(KeyValue::Block)) => {
                    // Its whole text may be a single reference, which is read as a value.
                    if line_at(text, first).trim_ascii_start().starts_with(opener) {
                        return None;
                    }
                    block = Some(Self {
                        start: first,
                        seen: first,
                        column: indentation(line_at(text, first))?,
                    });
                }
                // It may be the scalar's.
                (None, _) => first = line,
                (Some(_), Some(KeyValue::Members)) => {}
                (Some(_), _) => return None,
            }
        }
        let mut block = block?;
        (column == 0 && block.reaches(text, at)).then_some(block)
    }

    /// Whether all lines up to that of byte `at` belong to the scalar.
    fn reaches(&mut self, text: &str, at: usize) -> bool {
        while self.seen <= at {
            let line = line_at(text, self.seen);
            let pad = line.as_bytes().get(..self.column);
            let is_indented = pad.is_some_and(|pad| pad.iter().all(|byte| *byte == b' '));
            if !is_indented && !line.trim_ascii().is_empty() {
                return false;
            }
            self.seen += line.len() + 1;
        }
        true
    }
}

/// What follows a key on its line.
enum KeyValue {
    /// Nothing on the same line, or a word.
    Members,
    Block,
}

/// Parses `key:` and `key: |`, optionally after dashes.
fn key_of(line: &str) -> Option<KeyValue> {
    let mut line = line.trim_ascii();
    while let Some(rest) = line.strip_prefix("- ") {
        line = rest.trim_ascii_start();
    }
    let (key, value) = line.split_once(':')?;
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
    if key.is_empty() || key.starts_with('-') || !key.bytes().all(is_plain) {
        return None;
    }
    match value.trim_ascii_start() {
        "" => Some(KeyValue::Members),
        // Another member of the same mapping, after the dash.
        plain if value.starts_with(' ') && plain.bytes().all(is_plain) && plain != "-" => {
            Some(KeyValue::Members)
        }
        "|" | "|-" | "|+" | ">" | ">-" | ">+" if value.starts_with(' ') => Some(KeyValue::Block),
        _ => None,
    }
}

/// Returns how many spaces a line begins with; `None` if a tab follows them.
fn indentation(line: &str) -> Option<usize> {
    let blanks = line.bytes().take_while(|b| *b == b' ').count();
    (line.as_bytes().get(blanks) != Some(&b'\t')).then_some(blanks)
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1)
}

/// Returns the line that begins at a byte, without its line feed.
fn line_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    memchr(b'\n', rest.as_bytes()).map_or(rest, |end| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let at = text.find('$').unwrap();
        assert_eq!(BlockText::new(text, "${").contains(at), expected, "{text}");
    }

    #[test]
    fn finds_the_text_of_block_scalars() {
        for text in [
            "a: |\n  x $\n",
            "data:\n  a.json: |-\n    {\n\n      \"a\": $\n    }\n",
            "items:\n- apiVersion: v1\n  data:\n    a.json: >-\n      x\n       $\n",
            "---\r\na:\r\n  b: |\r\n    x\r\n    $\r\n",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn declines_text_that_may_not_be_in_a_block_scalar() {
        for text in [
            "a: $\n",
            "a:\n  b: $\n",
            "a: |\n  x\n# $\n",
            "a: |\n  x\nb: $\n",
            "a: |\n  x\n  \nb:\n  c: $\n",
            "a: \"\n  b: |\n    x $\"\n",
            "a: {b:\n  c: |\n    $ }\n",
            "a: |2\n   $\n",
            "a: | # note\n  x $\n",
            "a: &x |\n  x $\n",
            "a: |\n  ${x.y}\n",
            "a: |\n    x\n   $\n",
            "a: |\n\tx $\n",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn limits_how_often_lines_are_scanned() {
        let mut text = "data:\n".to_owned();
        for n in 0..5_000 {
            text.push_str(&format!("  k{n}: |\n    x $\n"));
        }
        let mut blocks = BlockText::new(&text, "${");
        let found = text
            .match_indices('$')
            .filter(|(at, _)| blocks.contains(*at));
        // Then it declines, and the document is parsed.
        assert!(found.count() < 5_000);
        assert_eq!(blocks.left, 0);
    }
}
