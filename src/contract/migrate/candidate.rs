//! A change of a manifest, with the texts that may be written.

use std::ops::Range;

use crate::reference::{Call, Dialect, LANDFALL, Reference, Syntax};
use yaml::{Edit, Span, Style};

/// A change that is made if rendering confirms it.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) file: usize,
    /// The bytes of the file that it replaces.
    pub(super) range: Range<usize>,
    /// What replaces them: the first that renders to the same is written.
    texts: Vec<String>,
    /// The position of the text that is tried.
    choice: usize,
    /// What is tried after them: the text without the quotes around it, for a field that
    /// takes only numbers or bools.
    unquoted: Option<Edit>,
    /// What it is about, for messages: `${vpc_id}`.
    pub(super) subject: String,
}

impl Candidate {
    pub(super) fn new(
        file: usize,
        range: Range<usize>,
        texts: Vec<String>,
        subject: impl Into<String>,
    ) -> Self {
        Self {
            file,
            range,
            texts,
            choice: 0,
            unquoted: None,
            subject: subject.into(),
        }
    }

    /// Adds what is tried last.
    pub(super) fn or_unquoted(mut self, edit: Option<Edit>) -> Self {
        self.unquoted = edit;
        self
    }

    /// Returns the change to make; `None` if none renders to the same.
    pub(super) fn edit(&self) -> Option<Edit> {
        if let Some(text) = self.texts.get(self.choice) {
            return Some(Edit {
                span: Span::from(self.range.clone()),
                text: text.clone().into_bytes(),
            });
        }
        if self.choice > self.texts.len() {
            return None;
        }
        self.unquoted.clone()
    }

    /// Tries the next text.
    pub(super) fn try_next(&mut self) {
        self.choice = self.choice.saturating_add(1);
    }

    /// Writes nothing.
    pub(super) fn withdraw(&mut self) {
        self.choice = usize::MAX;
    }
}

/// Returns a reference as it is written in a scalar inside scalars of these styles, outermost
/// first; `None` if its quotes would have to be escaped more than once.
pub(super) fn written(reference: &Reference, styles: &[Style]) -> Option<String> {
    let write = |quote| LANDFALL.write(&Syntax::Reference(reference), quote);
    let fits = |text: &String| {
        styles.iter().all(|style| match style {
            Style::SingleQuoted => !text.contains('\''),
            Style::DoubleQuoted => !text.contains(['"', '\\']),
            Style::Plain | Style::Literal | Style::Folded => true,
        })
    };
    let texts = ['"', '\''].into_iter().filter_map(write);
    if let Some(text) = texts.clone().find(fits) {
        return Some(text);
    }
    let text = texts.into_iter().next()?;
    match styles {
        [Style::SingleQuoted] => Some(text.replace('\'', "''")),
        [Style::DoubleQuoted] => Some(text.replace('\\', "\\\\").replace('"', "\\\"")),
        _ => None,
    }
}

/// Returns a reference that calls one more function, last.
pub(super) fn with_call(reference: &Reference, function: &str) -> Reference {
    let mut reference = reference.clone();
    reference.calls.push(Call::new(function, &[]));
    reference
}

/// Returns how a dialect writes a reference, for messages.
pub(super) fn shown(dialect: &dyn Dialect, reference: &Reference) -> String {
    let written = dialect.display(&Syntax::Reference(reference));
    written.unwrap_or_else(|| reference.path.display())
}
