//! `NAME=value` lines, as shells, dotenv libraries and Compose's `env_file` read them. They
//! agree on little more than this, so anything else is an error: an optional `export`;
//! unquoted values without characters that are special to one of them; any text in single
//! quotes; the escapes `\n`, `\"` and `\\` in double quotes. A `$` is literal. Every value
//! is a string.

use crate::outputs::document::Document;
use crate::outputs::formats::{Format, Recognition, reject_repeated, unmarked};
use crate::outputs::other_document::{is_assignment, is_name};
use crate::outputs::{Output, ReadOutputs, Value};
use yaml::Span;

pub(super) struct Dotenv;

impl Format for Dotenv {
    fn id(&self) -> &'static str {
        "dotenv"
    }

    fn marks_sensitive(&self) -> bool {
        false
    }

    /// `terraform output` prints blanks around its `=`.
    fn recognise(&self, document: &Document<'_>) -> Recognition {
        match is_assignment(document.first_line(), "=") {
            true => Recognition::Generic("is a file of NAME=value lines"),
            false => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut lines = Lines {
            document,
            text: document.text,
            at: document.start,
            read: ReadOutputs::default(),
        };
        while lines.at < lines.text.len() {
            let (start, before) = (lines.at, lines.read.outputs.len());
            if let Err(why) = lines.line() {
                let message = format!("the outputs document is not valid dotenv: {why}");
                let error = document.invalid(message, start, "this line");
                lines.read.diagnostics.push(error.help("write `NAME=value`, `NAME='any text'`, or `NAME=\"text\"` with the escapes `\\n`, `\\\"` and `\\\\`"));
                lines.read.outputs.truncate(before);
                lines.until(b"\n");
            }
            // The line break.
            lines.at += 1;
        }
        let mut read = lines.read;
        unmarked::reject_marked(document, self.id(), &mut read);
        reject_repeated(document, &mut read);
        read
    }
}

struct Lines<'t, 'a> {
    document: &'t Document<'a>,
    text: &'a str,
    at: usize,
    read: ReadOutputs,
}

impl<'a> Lines<'_, 'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes the text up to one of these bytes.
    fn until(&mut self, stops: &[u8]) -> &'a str {
        let start = self.at;
        while self.byte().is_some_and(|byte| !stops.contains(&byte)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    /// Reads a line up to its break. On an error, it may have read only part of the line.
    fn line(&mut self) -> Result<(), &'static str> {
        self.blanks();
        if !matches!(self.byte(), None | Some(b'#' | b'\r' | b'\n')) {
            let output = self.assignment()?;
            self.read.outputs.push(output);
            self.blanks();
        }
        if self.byte() == Some(b'#') {
            let start = self.at + 1;
            self.until(b"\r\n");
            self.read.comments.push(Span::new(start, self.at));
        }
        if self.byte() == Some(b'\r') {
            self.at += 1;
        }
        match self.byte() {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err("text after the closing quote"),
        }
    }

    fn assignment(&mut self) -> Result<Output, &'static str> {
        if self.text[self.at..].starts_with("export ") {
            self.at += "export ".len();
            self.blanks();
        }
        let start = self.at;
        let name = self.until(b"=\n").to_owned();
        let span = Span::new(start, self.at);
        if !is_name(&name) || self.byte() != Some(b'=') {
            return Err("a line does not start with `NAME=`");
        }
        self.at += 1;
        let start = self.at;
        let value = Value::String(match self.byte() {
            Some(b'\'') => {
                self.at += 1;
                let text = self.until(b"'").to_owned();
                self.close()?;
                text
            }
            Some(b'"') => self.double_quoted()?,
            _ => self.unquoted()?,
        });
        let written = Span::new(start, self.at);
        Ok(Output {
            sensitive: self.document.declares_sensitive(&name),
            name,
            span,
            value,
            written,
        })
    }

    fn close(&mut self) -> Result<(), &'static str> {
        match self.byte() {
            None => Err("unclosed quote"),
            Some(_) => {
                self.at += 1;
                Ok(())
            }
        }
    }

    fn double_quoted(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        self.at += 1;
        loop {
            text.push_str(self.until(b"\"\\"));
            if self.byte() != Some(b'\\') {
                self.close()?;
                return Ok(text);
            }
            self.at += 1;
            text.push(match self.byte() {
                Some(b'n') => '\n',
                Some(b'"') => '"',
                Some(b'\\') => '\\',
                _ => return Err("an escape in double quotes is not `\\n`, `\\\"` or `\\\\`"),
            });
            self.at += 1;
        }
    }

    fn unquoted(&mut self) -> Result<String, &'static str> {
        let start = self.at;
        let text = self.until(b"\n").trim_ascii_end();
        self.at = start + text.len();
        let means_more = |byte: u8| byte <= b' ' || b"#'\"\\`\x7f".contains(&byte);
        match text.bytes().any(means_more) {
            true => Err("an unquoted value has blanks, quotes, `#`, `\\` or a backtick"),
            false => Ok(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_all_redacted, check_read, check_sensitive};

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        check_read("dotenv", content, expected);
    }

    #[track_caller]
    fn refuses(content: &str, why: &str) {
        let message = format!("the outputs document is not valid dotenv: {why}: 1:1");
        check(content, &[&message]);
    }

    #[test]
    fn reads_values_in_every_kind_of_quotes() {
        check(
            "VPC_ID=vpc-0a1b\nexport REGION=\"eu-central-1\"\nEMPTY=\n\n# comment\nQUOTED='single $not \\n \"expanded\"' # comment\nMULTI=\"line \\\"one\\\"\\nline \\\\ two\"",
            &[
                "VPC_ID = \"vpc-0a1b\"",
                "REGION = \"eu-central-1\"",
                "EMPTY = \"\"",
                "QUOTED = \"single $not \\\\n \\\"expanded\\\"\"",
                "MULTI = \"line \\\"one\\\"\\nline \\\\ two\"",
            ],
        );
    }

    #[test]
    fn every_value_is_a_string_as_it_is_written() {
        check(
            "A=1\nB=true\nC=$HOME/${x}\nD=a=b&c;d\nE=größe\n",
            &[
                "A = \"1\"",
                "B = \"true\"",
                "C = \"$HOME/${x}\"",
                "D = \"a=b&c;d\"",
                "E = \"größe\"",
            ],
        );
    }

    #[test]
    fn ignores_blanks_around_a_line_and_trailing_carriage_returns() {
        check(
            "\u{feff}  A=a \t\r\n\tB='b' \r\n \r\nC=\"c\"# c\r\n",
            &["A = \"a\"", "B = \"b\"", "C = \"c\""],
        );
    }

    #[test]
    fn quoted_values_may_span_lines() {
        check(
            "KEY=\"-----BEGIN-----\nabc\n-----END-----\n\"\nB='x\n# y'\n",
            &[
                "KEY = \"-----BEGIN-----\\nabc\\n-----END-----\\n\"",
                "B = \"x\\n# y\"",
            ],
        );
    }

    #[test]
    fn rejects_what_readers_read_differently() {
        let unquoted = "an unquoted value has blanks, quotes, `#`, `\\` or a backtick";
        for value in [
            "b c", "b # c", "b#c", "b\"c\"", "b'c'", "b\\c", "`b`", "b\rc",
        ] {
            refuses(&format!("A={value}\n"), unquoted);
        }
        refuses(
            "A=\"\\t\"\n",
            "an escape in double quotes is not `\\n`, `\\\"` or `\\\\`",
        );
        refuses("A=\"b\" c\n", "text after the closing quote");
        refuses("A='it''s'\n", "text after the closing quote");
        refuses("A='b\nC=d\n", "unclosed quote");
        refuses("A=\"b\n", "unclosed quote");
        for line in ["A", "A =b", "=b", "export A", "A B=c", "é=b"] {
            refuses(&format!("{line}\n"), "a line does not start with `NAME=`");
        }
    }

    #[test]
    fn reports_every_line_that_is_wrong() {
        let why = "the outputs document is not valid dotenv: a line does not start with `NAME=`";
        check(
            "A=b\nwrong\nC=d\n  wrong\n",
            &[
                "A = \"b\"",
                "C = \"d\"",
                &format!("{why}: 2:1"),
                &format!("{why}: 4:1"),
            ],
        );
    }

    #[test]
    fn rejects_a_duplicate_name_with_both_locations() {
        check(
            "A=b\nC=d\nA=e\n",
            &[
                "A = \"b\"",
                "C = \"d\"",
                "duplicate output `A` in one document: A, A",
            ],
        );
    }

    #[test]
    fn errors_quote_nothing() {
        for content in [
            "hunter2\n",
            "A='hunter2\n",
            "A=hunter2 # x\n",
            "A='' hunter2\n",
            "hunter2 A=b\n",
        ] {
            let document = crate::OutputsDocument {
                content: content.into(),
                format: Some("dotenv".into()),
                sensitive: true,
                ..Default::default()
            };
            let read = crate::outputs::read(&document, crate::Origin::Outputs(0));
            assert!(read.outputs.is_empty() && read.diagnostics.has_errors());
            let reported = format!("{:?}", read.diagnostics);
            assert!(!reported.contains("hunter2"), "{reported}");
        }
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        check_sensitive("dotenv", "A=b\n", &["A = \"b\""]);
        check_all_redacted(
            "dotenv",
            "# hunter2\r\nA=hunter2\r\nexport B='hunter2\nhunter2' # hunter2\nC=\"\\\"\"\nD=",
            "#\r\nA=\"(sensitive)\"\r\nexport B=\"(sensitive)\" #\nC=\"(sensitive)\"\nD=\"(sensitive)\"",
        );
    }

    #[test]
    fn leaves_a_document_that_is_not_sensitive_unchanged() {
        use super::super::tests::{check_redacted, document};
        check_redacted(&document("dotenv", "A=b # c\n"), None);
        check_redacted(&document("dotenv", "A=b\n# c\n"), Some(("A=b\n# c\n", &[])));
    }
}
