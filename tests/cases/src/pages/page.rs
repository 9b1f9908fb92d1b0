//! A page of documentation, parsed into examples.

use std::ops::Range;

use super::notation::Marks;

/// An example: a sentence and its blocks.
#[derive(Debug)]
pub struct Example {
    /// The text of the heading.
    pub sentence: String,
    /// The heading's line, from 1.
    pub line: usize,
    /// The chapter's blocks first, then its own.
    pub blocks: Vec<Block>,
    /// The byte offset after its last block.
    pub end: usize,
}

/// A fenced block that has a role.
#[derive(Clone, Debug)]
pub struct Block {
    /// `yaml`, `json` or `text`.
    pub language: String,
    /// `manifest`, `binding`, `operator`, `result`, `diagnostics`, or the name that is
    /// bound.
    pub role: String,
    /// The words after its role.
    pub marks: Marks,
    /// Its lines, as the page shows them.
    pub content: String,
    /// The byte range in the page, from its first backtick to its last line's end.
    pub range: Range<usize>,
}

/// Parses the examples of a page.
///
/// # Errors
/// The errors in the page's form, each with its line.
pub fn examples(page: &str) -> Result<Vec<Example>, Vec<String>> {
    let mut reader = Reader::default();
    let mut lines = Lines {
        page,
        at: 0,
        nth: 0,
    };
    while let Some((range, line)) = lines.next() {
        if let Some(heading) = line.strip_prefix("### ") {
            reader.heading(heading, lines.nth, range.end);
        } else if line.starts_with("## ") {
            reader.chapter.clear();
            reader.in_example = false;
        } else if line.starts_with("```") {
            let backticks = line.len() - line.trim_start_matches('`').len();
            let (info, fence) = (&line[backticks..], &line[..backticks]);
            let (opened_at, start) = (lines.nth, range.start);
            let mut content = String::new();
            let end = loop {
                match lines.next() {
                    Some((range, line)) if line == fence => break range.end,
                    Some((_, line)) => {
                        content.push_str(line);
                        content.push('\n');
                    }
                    None => break page.len(),
                }
            };
            reader.block(info, content, start..end, opened_at);
        }
    }
    if reader.examples.is_empty() {
        reader.errors.push("1: the page has no example".to_owned());
    }
    if reader.errors.is_empty() {
        Ok(reader.examples)
    } else {
        Err(reader.errors)
    }
}

#[derive(Default)]
struct Reader {
    examples: Vec<Example>,
    /// Blocks that all examples of the chapter have.
    chapter: Vec<Block>,
    in_example: bool,
    errors: Vec<String>,
}

impl Reader {
    fn heading(&mut self, heading: &str, line: usize, end: usize) {
        let Some(sentence) = heading.strip_prefix("it ") else {
            self.errors
                .push(format!("{line}: an example's heading begins with `it`"));
            return;
        };
        self.in_example = true;
        self.examples.push(Example {
            sentence: sentence.to_owned(),
            line,
            blocks: self.chapter.clone(),
            end,
        });
    }

    fn block(&mut self, info: &str, content: String, range: Range<usize>, line: usize) {
        let mut words = info.split_whitespace();
        let (Some(language), Some(role)) = (words.next(), words.next()) else {
            if self.in_example {
                self.errors
                    .push(format!("{line}: the block of an example has no role"));
            }
            return;
        };
        let marks = match Marks::read(words) {
            Ok(marks) => marks,
            Err(word) => {
                self.errors.push(format!("{line}: unknown mark `{word}`"));
                return;
            }
        };
        let block = Block {
            language: language.to_owned(),
            role: role.to_owned(),
            marks,
            content,
            range,
        };
        match self.examples.last_mut().filter(|_| self.in_example) {
            Some(example) => {
                let is_replaced = |other: &Block| {
                    other.role == block.role && self.chapter.iter().any(|c| c.range == other.range)
                };
                example.blocks.retain(|other| !is_replaced(other));
                example.end = block.range.end;
                example.blocks.push(block);
            }
            None if matches!(role, "manifest" | "result" | "diagnostics") => self
                .errors
                .push(format!("{line}: a {role} block is outside an example")),
            None => self.chapter.push(block),
        }
    }
}

/// Iterates over the lines of a page without their line breaks, with the ranges including
/// them.
struct Lines<'p> {
    page: &'p str,
    at: usize,
    /// The number of the last line, from 1.
    nth: usize,
}

impl<'p> Iterator for Lines<'p> {
    type Item = (Range<usize>, &'p str);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.page[self.at..].split_inclusive('\n').next()?;
        let range = self.at..self.at + line.len();
        self.at = range.end;
        self.nth += 1;
        Some((range, line.trim_end_matches('\n')))
    }
}
