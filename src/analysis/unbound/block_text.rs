//! Text in block scalars, recognised by its lines alone.
//!
//! A dashboard or a script of a megabyte is full of `${…}` that mean nothing to landfall.
//! They are recognised by their lines, so that the document is not parsed for them.

use memchr::{memchr, memrchr};

/// One block scalar that was found.
struct Block {
    /// Bytes of the text: its first line, and the end of the last line that was looked at.
    start: usize,
    seen: usize,
    /// The column of its lines.
    column: usize,
}

/// The block scalars of a text, found for ascending positions.
pub(crate) struct BlockText<'t> {
    text: &'t str,
    /// What references begin with.
    opener: &'static str,
    last: Option<Block>,
    /// Bytes that may still be walked over: a text of many scalars would be walked over
    /// for each of them.
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

    /// Whether byte `at` certainly belongs to the text of a block scalar. Of what is
    /// written in another way than people do, it says no. In the lines above `at` with
    /// fewer and fewer blanks in front, there is the scalar's key, and then the keys that
    /// hold it: nothing else could be open there, because what YAML lets go on over
    /// several lines is indented more than the line it began on.
    pub(crate) fn holds(&mut self, at: usize) -> bool {
        if let Some(block) = &mut self.last
            && block.start <= at
            && block.reaches(self.text, at)
        {
            return true;
        }
        self.last = Block::around((self.text, self.opener), at, &mut self.left);
        self.last.is_some()
    }
}

impl Block {
    fn around((text, opener): (&str, &str), at: usize, left: &mut usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut line = line_start(bytes, at);
        let mut column = indentation(line_at(text, line))?;
        let mut block: Option<Self> = None;
        // Where the lines end that may be the scalar's.
        let mut first = line;
        while column > 0 || block.is_none() {
            let end = line.checked_sub(1)?;
            line = line_start(bytes, end);
            *left = left.checked_sub(end - line)?;
            let above = &text[line..end];
            if above.trim_ascii().is_empty() {
                continue;
            }
            let indented = indentation(above)?;
            if indented >= column {
                first = if block.is_none() { line } else { first };
                continue;
            }
            column = indented;
            match (&block, key_of(above)) {
                (None, Some(Holds::Block)) => {
                    // Its whole text may be one reference, which is read as a value.
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
                (Some(_), Some(Holds::Members)) => {}
                (Some(_), _) => return None,
            }
        }
        block
            .filter(|_| column == 0)
            .and_then(|mut block| block.reaches(text, at).then_some(block))
    }

    /// Whether all lines up to that of byte `at` are the scalar's.
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

/// What a line's key holds.
enum Holds {
    /// Nothing on its own line, or a word.
    Members,
    Block,
}

/// Reads `key:` and `key: |`, with dashes in front or not.
fn key_of(line: &str) -> Option<Holds> {
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
        "" => Some(Holds::Members),
        // Another member of the same mapping, after the dash.
        plain if value.starts_with(' ') && plain.bytes().all(is_plain) && plain != "-" => {
            Some(Holds::Members)
        }
        "|" | "|-" | "|+" | ">" | ">-" | ">+" if value.starts_with(' ') => Some(Holds::Block),
        _ => None,
    }
}

/// How many blanks a line begins with; none where it has a tab there.
fn indentation(line: &str) -> Option<usize> {
    let blanks = line.bytes().take_while(|b| *b == b' ').count();
    (line.as_bytes().get(blanks) != Some(&b'\t')).then_some(blanks)
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1)
}

/// The line that begins at a byte, without its line feed.
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
        assert_eq!(BlockText::new(text, "${").holds(at), expected, "{text}");
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
    fn declines_what_is_none_or_may_be_none() {
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
    fn looks_at_each_line_a_few_times() {
        let mut text = "data:\n".to_owned();
        for n in 0..5_000 {
            text.push_str(&format!("  k{n}: |\n    x $\n"));
        }
        let mut blocks = BlockText::new(&text, "${");
        let found = text.match_indices('$').filter(|(at, _)| blocks.holds(*at));
        // Then it declines, and the document is parsed.
        assert!(found.count() < 5_000);
        assert_eq!(blocks.left, 0);
    }
}
