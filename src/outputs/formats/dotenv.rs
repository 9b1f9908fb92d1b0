//! `NAME=value` lines, as far as shells (bash 5.2, dash 0.5), dotenv libraries
//! (python-dotenv 1.2, dotenv 18 of Node.js, godotenv 1.5) and Compose's `env_file`
//! (compose-go 2.16) read them alike; anything else is an error. Every value is a string.

use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, reject_repeated, unmarked,
};
use crate::outputs::other_document::is_assignment;
use crate::outputs::{Output, ReadOutputs, Value};
use yaml::Span;

pub(super) struct Dotenv;

const ID: &str = "dotenv";

const HELP: &str = "write `NAME='text'`; for a text that single quotes cannot have, bind a JSON document with `format: json`";

const CARRIAGE_RETURN: &str =
    "a carriage return, which shells read as a part of the value: end lines with a line feed";

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
    None,
    Single,
    Double,
}

impl Quotes {
    /// Returns whether every reader reads a text in these quotes as it is:
    ///
    /// - Without quotes, shells expand or end at most characters.
    /// - In single quotes, Compose reads `\'` as a quote, so that a text that ends in `\`
    ///   would continue on the next line; python-dotenv reads `\\` as `\` and expands `${…}`.
    /// - In double quotes, shells and Compose expand `$` and backticks, interactive ones `!`,
    ///   and each reader knows other escapes.
    pub(crate) fn keep(self, text: &str) -> bool {
        if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
            return false;
        }
        match self {
            Self::None => {
                let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
                text.chars().all(is_plain)
            }
            Self::Single => {
                let differing = ["'", "\\\\", "${"];
                !text.ends_with('\\') && !differing.iter().any(|part| text.contains(part))
            }
            Self::Double => !text.contains(['"', '\\', '$', '`', '!']),
        }
    }

    /// Describes a value that readers read differently.
    const fn misread(self) -> &'static str {
        match self {
            Self::None => {
                "an unquoted value has other characters than letters, digits and `_-./:@%+,=`"
            }
            Self::Single => {
                "text in single quotes has `${`, `\\\\`, a `\\` at its end or a control character"
            }
            Self::Double => {
                "text in double quotes has `$`, `\\`, `!`, a backtick or a control character"
            }
        }
    }
}

/// Returns whether a name is one of shells and of Flux: `^[_a-zA-Z][_a-zA-Z0-9]*$`.
pub(crate) fn is_variable(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_part) && name.starts_with(|c: char| !c.is_ascii_digit())
}

impl Format for Dotenv {
    fn properties(&self) -> Properties {
        Properties {
            id: ID,
            marks_sensitive: false,
            as_manifest: AsManifest::Template,
            publication: Publication::ConvertedIfSensitive,
            of_plan: None,
        }
    }

    /// `terraform output` prints blanks around its `=`.
    fn recognise(&self, document: &Document<'_>) -> Recognition {
        if is_assignment(document.first_line(), "=") {
            Recognition::Generic {
                what: "is a file of NAME=value lines",
                otherwise: "",
            }
        } else {
            Recognition::No
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
                lines.read.diagnostics.push(error.help(HELP));
                lines.read.outputs.truncate(before);
                lines.until(b"\n");
            }
            // The line break.
            lines.at += 1;
        }
        let mut read = lines.read;
        if document.start > 0 {
            let message = "the outputs document has a byte order mark, which shells read as a part of the first name";
            let error = document.invalid(message.to_owned(), 0, "");
            read.diagnostics.push(error.help("remove it"));
        }
        unmarked::reject_marked(document, ID, &mut read);
        reject_repeated(document, &mut read);
        read
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_lines("# hunter2\n", |name, value| format!("{name}={value}"))
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
            let end = self.at;
            self.blanks();
            if self.at == end && self.byte() == Some(b'#') {
                return Err("no blank before a comment, which shells read as a part of the value");
            }
        }
        if self.byte() == Some(b'#') {
            let start = self.at + 1;
            self.until(b"\r\n");
            self.read.comments.push(Span::new(start, self.at));
        }
        match self.byte() {
            None | Some(b'\n') => Ok(()),
            Some(b'\r') => Err(CARRIAGE_RETURN),
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
        if self.byte() != Some(b'=') || !is_variable(&name) {
            return Err(
                "a line does not start with `NAME=`, where a name has letters, digits and `_`",
            );
        }
        self.at += 1;
        let start = self.at;
        let (quotes, text) = match self.byte() {
            Some(b'\'') => (Quotes::Single, self.quoted(b"'")?),
            Some(b'"') => (Quotes::Double, self.quoted(b"\"")?),
            _ => (Quotes::None, self.unquoted()),
        };
        if quotes == Quotes::None && text.ends_with('\r') {
            return Err(CARRIAGE_RETURN);
        }
        if !quotes.keep(text) {
            return Err(quotes.misread());
        }
        Ok(Output {
            sensitive: self.document.declares_sensitive(&name),
            name,
            span,
            value: Value::String(text.to_owned()),
            written: Span::new(start, self.at),
        })
    }

    /// Reads the text up to the closing quote.
    fn quoted(&mut self, quote: &[u8]) -> Result<&'a str, &'static str> {
        self.at += 1;
        let text = self.until(quote);
        match self.byte() {
            None => Err("unclosed quote"),
            Some(_) => {
                self.at += 1;
                Ok(text)
            }
        }
    }

    /// Reads the rest of a line without the blanks at its end.
    fn unquoted(&mut self) -> &'a str {
        let start = self.at;
        let text = self.until(b"\n").trim_end_matches([' ', '\t']);
        self.at = start + text.len();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_all_redacted, check_read, check_sensitive};
    use super::{CARRIAGE_RETURN, Quotes};

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
            "VPC_ID=vpc-0a1b\nexport REGION=\"eu-central-1\"\nEMPTY=\n\n# comment\nQUOTED='single $not \\n \"expanded\"' # comment\nMULTI=\"it's one\nline; two\"",
            &[
                "VPC_ID = \"vpc-0a1b\"",
                "REGION = \"eu-central-1\"",
                "EMPTY = \"\"",
                "QUOTED = \"single $not \\\\n \\\"expanded\\\"\"",
                "MULTI = \"it's one\\nline; two\"",
            ],
        );
    }

    #[test]
    fn every_value_is_a_string_as_it_is_written() {
        check(
            "A=1\nB=true\nC=arn:aws:iam::0123:role/a@b%c+d,e=f\nE=größe\n",
            &[
                "A = \"1\"",
                "B = \"true\"",
                "C = \"arn:aws:iam::0123:role/a@b%c+d,e=f\"",
                "E = \"größe\"",
            ],
        );
    }

    #[test]
    fn ignores_blanks_around_a_line() {
        check(
            "  A=a \t\n\tB='b' \n \nC=\"c\"\t# c\n",
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
        for value in [
            "b c", "b # c", "b#c", "b\"c\"", "b'c'", "b\\c", "`b`", "b\rc", "$HOME", "${HOME}",
            "a;b", "a&b", "a|b", "(a)", "<a>", "~", "*", "{a,b}", "a!", "\u{a0}b", "b\u{7f}",
        ] {
            refuses(&format!("A={value}\n"), Quotes::None.misread());
        }
        for value in ["a\\", "a\\\\b", "${HOME}", "a\rb", "\u{0}"] {
            refuses(&format!("A='{value}'\n"), Quotes::Single.misread());
        }
        for value in ["a\\nb", "\\\\", "$HOME", "${HOME}", "`b`", "a!", "a\r\nb"] {
            refuses(&format!("A=\"{value}\"\n"), Quotes::Double.misread());
        }
        for line in ["A=b\r", "A='b'\r", "A=\"b\" \r"] {
            refuses(&format!("{line}\n"), CARRIAGE_RETURN);
        }
        let comment = "no blank before a comment, which shells read as a part of the value";
        for value in ["\"x\"#c", "'x'#c", "''#"] {
            refuses(&format!("A={value}\n"), comment);
        }
        refuses("A=\"b\" c\n", "text after the closing quote");
        refuses("A=\"b\"\"c\"\n", "text after the closing quote");
        refuses("A='it''s'\n", "text after the closing quote");
        refuses("A='b\nC=d\n", "unclosed quote");
        refuses("A=\"b\n", "unclosed quote");
        for line in [
            "A", "A =b", "=b", "export A", "A B=c", "é=b", "a-b=c", "a.b=c", "1A=b",
        ] {
            refuses(
                &format!("{line}\n"),
                "a line does not start with `NAME=`, where a name has letters, digits and `_`",
            );
        }
        check(
            "\u{feff}A=a\n",
            &[
                "A = \"a\"",
                "the outputs document has a byte order mark, which shells read as a part of the first name: 1:1",
            ],
        );
    }

    #[test]
    fn reports_every_line_that_is_wrong() {
        let why = "the outputs document is not valid dotenv: a line does not start with `NAME=`, where a name has letters, digits and `_`";
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
            "# hunter2\nA=hunter2\nexport B='hunter2\nhunter2' # hunter2\nC=\"'\"\nD=",
            "#\nA=\"(sensitive)\"\nexport B=\"(sensitive)\" #\nC=\"(sensitive)\"\nD=\"(sensitive)\"",
        );
    }

    #[test]
    fn leaves_a_document_that_is_not_sensitive_unchanged() {
        use super::super::tests::{check_redacted, document};
        check_redacted(&document("dotenv", "A=b # c\n"), None);
        check_redacted(&document("dotenv", "A=b\n# c\n"), Some(("A=b\n# c\n", &[])));
    }
}
