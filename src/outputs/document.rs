//! An outputs document as its formats see it: bytes, and what several formats need.

use std::cell::{Cell, OnceCell};

use crate::outputs::json::{self, Json, Member, Node};
use crate::outputs::other_document;
use crate::outputs::position::line_of;
use crate::outputs::{DeclaredSensitive, OutputsDocument};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Span, Tree};

/// An outputs document that is non-empty text.
pub(super) struct Document<'a> {
    /// All of it, a byte order mark included.
    pub(super) text: &'a str,
    /// Where the content begins: after the byte order mark.
    pub(super) start: usize,
    pub(super) origin: Origin,
    /// The outputs that are sensitive, whatever the format marks.
    declared: DeclaredSensitive,
    /// Shared by all formats based on JSON, so that the document is parsed once.
    json: OnceCell<Result<Json<'a>, json::Error>>,
    /// Shared by all formats based on YAML.
    tree: OnceCell<Option<Tree>>,
    /// The start of the line of the byte that was asked for last, and that byte.
    last_line: Cell<(usize, usize)>,
}

impl<'a> Document<'a> {
    /// Opens a document. `declared` are outputs that its Binding declares sensitive.
    ///
    /// # Errors
    /// It is not UTF-8, or empty.
    pub(super) fn open(
        document: &'a OutputsDocument,
        declared: DeclaredSensitive,
        origin: Origin,
    ) -> Result<Self, Diagnostics> {
        let content = &document.content;
        let text = match std::str::from_utf8(content) {
            Ok(text) => text,
            Err(error) => {
                if let Some(found) = other_document::identify_binary(content) {
                    let message = format!("the outputs document {}", found.what);
                    let error = Diagnostic::error(Rule::NotUtf8, message).at_concealed(
                        origin,
                        Span::point(0),
                        "",
                    );
                    return Err(error.help(found.help).into());
                }
                let line = line_of(content, error.valid_up_to());
                return Err(
                    Diagnostic::error(Rule::NotUtf8, "the outputs document is not UTF-8")
                        .at_concealed(origin, line, "this line is not UTF-8")
                        .help("write it again, for example with `terraform output -json > outputs.json`; PowerShell's `>` writes UTF-16: use `Out-File -Encoding utf8`")
                        .into(),
                );
            }
        };
        let opened = Self {
            declared: if document.sensitive {
                DeclaredSensitive::All
            } else {
                declared
            },
            ..Self::of_text(text, origin)
        };
        if opened.body().trim_ascii().is_empty() {
            return Err(
                Diagnostic::error(Rule::OutputsEmpty, "the outputs document is empty")
                    .at_concealed(origin, Span::point(0), "expected outputs here")
                    .help("was the command that writes it interrupted? `terraform output -json > outputs.json` writes at least `{}`")
                    .into(),
            );
        }
        Ok(opened)
    }

    /// Opens text that may be an outputs document.
    pub(super) fn of_text(text: &'a str, origin: Origin) -> Self {
        let mark = '\u{feff}';
        Self {
            text,
            start: if text.starts_with(mark) {
                mark.len_utf8()
            } else {
                0
            },
            origin,
            declared: DeclaredSensitive::None,
            json: OnceCell::new(),
            tree: OnceCell::new(),
            last_line: Cell::default(),
        }
    }

    /// Returns the text without its byte order mark.
    pub(super) fn body(&self) -> &'a str {
        self.text.get(self.start..).unwrap_or_default()
    }

    /// Returns the first line that is neither blank nor a comment after `#`.
    pub(super) fn first_line(&self) -> &'a str {
        let mut lines = self.body().lines().map(str::trim);
        let says_something = |line: &&str| !line.is_empty() && !line.starts_with('#');
        lines.find(says_something).unwrap_or_default()
    }

    /// Returns the document as JSON.
    pub(super) fn json(&self) -> Result<&Json<'a>, json::Error> {
        let read = || Json::read(self.text, self.start);
        self.json.get_or_init(read).as_ref().map_err(|error| *error)
    }

    /// Returns the nodes of the first document of a YAML stream; `None` if it is not YAML.
    pub(super) fn tree(&self) -> Option<&Tree> {
        let locate = || yaml::locate(yaml::split(self.text).first()?.text).ok();
        self.tree.get_or_init(locate).as_ref()
    }

    /// Returns the start of a byte's line: the most precise location where something before it
    /// may be secret. Asking in ascending order reads the text once, also if it is one line.
    pub(super) fn line_of(&self, at: usize) -> Span {
        let (start, last) = self.last_line.get();
        let at = at.min(self.text.len());
        let line = if at >= last {
            let between = self.text.as_bytes().get(last..at).unwrap_or_default();
            memchr::memrchr(b'\n', between).map_or(start, |end| last + end + 1)
        } else if at >= start {
            start
        } else {
            line_of(self.text.as_bytes(), at).start
        };
        self.last_line.set((line, at));
        Span::point(line)
    }

    /// Returns whether an output is declared sensitive, by the Binding or by the caller
    /// that bound the document.
    pub(super) fn declares_sensitive(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Returns whether any output is declared sensitive, so that no location may depend on
    /// values.
    pub(super) fn declares_any_sensitive(&self) -> bool {
        !self.declared.is_empty()
    }

    /// Returns the members of the JSON object that the document is.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn members(&self) -> Result<Vec<Member<'_>>, Diagnostics> {
        match self.json() {
            Ok(json) if json.root().is_object() => Ok(json.root().members()),
            Ok(_) => {
                let message = "the outputs document is not a JSON object".to_owned();
                Err(self.invalid(message, self.start, "").into())
            }
            Err(error) => Err(self.not_json(error).into()),
        }
    }

    /// Returns the members of an object in the document. Two members with the same name are
    /// an error at their lines, because it is unknown what is sensitive.
    pub(super) fn unique_members<'j>(
        &self,
        node: Node<'j>,
    ) -> Result<Vec<Member<'j>>, Diagnostics> {
        let members = node.members();
        match json::first_duplicate(&members) {
            None => Ok(members),
            Some(same) => {
                let message = "duplicate key in an object of the outputs document".to_owned();
                let lines = same.map(|key| self.line_of(key.span.start));
                Err(self.duplicate_error(message, lines).into())
            }
        }
    }

    /// Returns an error at a location, or at the start of its line if the column could
    /// reveal the length of a sensitive value.
    pub(super) fn invalid(&self, message: String, at: usize, label: &str) -> Diagnostic {
        let span = if self.declares_any_sensitive() {
            self.line_of(at)
        } else {
            Span::point(at)
        };
        let error = Diagnostic::error(Rule::InvalidOutputs, message);
        error.at_concealed(self.origin, span, label)
    }

    /// Returns the error of a document that should be JSON. Its location is the line,
    /// because it is unknown what is sensitive in a document that cannot be read.
    pub(super) fn not_json(&self, error: json::Error) -> Diagnostic {
        let message = format!("the outputs document is not valid JSON: {}", error.message);
        let line = self.line_of(error.at);
        Diagnostic::error(Rule::InvalidOutputs, message)
            .at_concealed(self.origin, line, "invalid JSON on this line")
            .help("bind the unchanged output of `terraform output -json` or `tofu output -json`")
    }

    /// Returns the error of a name that occurs twice.
    pub(super) fn duplicate_error(&self, message: String, [first, again]: [Span; 2]) -> Diagnostic {
        Diagnostic::error(Rule::DuplicateOutput, message)
            .at_concealed(self.origin, again, "defined again here")
            .at_concealed(self.origin, first, "first defined here")
            .help("readers disagree about which one to use: write each name once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_same_in_every_order_of_questions() {
        let text = "{\"a\": 1,\n\n\"b\": 2, \"c\": 3}\né\n";
        let document = Document::of_text(text, Origin::Outputs(0));
        for step in 1..text.len() {
            for nth in 0..text.len() {
                let at = nth * step % (text.len() + 3);
                assert_eq!(document.line_of(at), line_of(text.as_bytes(), at), "{at}");
            }
        }
    }
}
