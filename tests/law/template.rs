//! A manifest whose references are known: where each stands, in what kind of
//! scalar, and what it names.

use std::ops::Range;

/// A manifest in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
    references: Vec<Reference>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// Position in the references.
    Reference(usize),
    /// A scalar begins: from its quotes, or its block header, on.
    Open,
    /// The scalar that was opened last ends.
    Close,
}

/// A reference or an escape in a scalar.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) names: Names,
    /// As the manifest writes it: `${infra.v0}`.
    pub(crate) spelled: String,
    pub(crate) place: Place,
}

/// What comes out for a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// The value of this output; when it is null or empty, the default.
    Output {
        number: usize,
        default: Option<String>,
    },
    /// An escape: this text.
    Text(String),
}

/// What decides how a value stands in a scalar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The scalar is plain, so that the reference gives it a type if it is all
    /// of it.
    pub(crate) plain: bool,
    /// The scalar is made to be a key.
    pub(crate) key: bool,
    /// `!!str` stands before it.
    pub(crate) tagged_text: bool,
    /// Of a block scalar.
    pub(crate) chomping: Option<Chomping>,
}

/// How a block scalar's last line breaks are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chomping {
    Strip,
    Clip,
    Keep,
}

/// A template as text.
pub(crate) struct Spelled {
    pub(crate) text: String,
    /// The bytes of every scalar with a reference in it.
    pub(crate) scalars: Vec<Range<usize>>,
    /// The bytes of every reference.
    pub(crate) references: Vec<Range<usize>>,
}

impl Template {
    pub(crate) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    pub(crate) fn reference(&mut self, reference: Reference) {
        self.pieces.push(Piece::Reference(self.references.len()));
        self.references.push(reference);
    }

    /// A scalar begins.
    pub(crate) fn open(&mut self) {
        self.pieces.push(Piece::Open);
    }

    /// It ends.
    pub(crate) fn close(&mut self) {
        self.pieces.push(Piece::Close);
    }

    pub(crate) fn references(&self) -> &[Reference] {
        &self.references
    }

    /// `text` with references at these bytes, each in the scalar that is given with
    /// it. Ascending; several references may share a scalar.
    pub(crate) fn of_text(
        text: &str,
        references: impl IntoIterator<Item = (Range<usize>, Range<usize>, Reference)>,
    ) -> Self {
        let mut template = Self::default();
        let mut at = 0;
        let mut open: Option<Range<usize>> = None;
        for (range, scalar, reference) in references {
            if open.as_ref() != Some(&scalar) {
                if let Some(last) = open.replace(scalar.clone()) {
                    template.push(&text[at..last.end]);
                    template.close();
                    at = last.end;
                }
                template.push(&text[at..scalar.start]);
                template.open();
                at = scalar.start;
            }
            template.push(&text[at..range.start]);
            template.reference(reference);
            at = range.end;
        }
        if let Some(last) = open {
            template.push(&text[at..last.end]);
            template.close();
            at = last.end;
        }
        template.push(&text[at..]);
        template
    }

    /// The same template with other references.
    pub(crate) fn map_references(mut self, other: impl FnMut(Reference) -> Reference) -> Self {
        self.references = self.references.into_iter().map(other).collect();
        self
    }

    /// Every line break as `\r\n`.
    pub(crate) fn with_carriage_returns(mut self) -> Self {
        for piece in &mut self.pieces {
            if let Piece::Text(text) = piece {
                *text = text.replace('\n', "\r\n");
            }
        }
        for reference in &mut self.references {
            reference.spelled = reference.spelled.replace('\n', "\r\n");
        }
        self
    }

    /// Without the line break at its end.
    pub(crate) fn without_last_line_break(mut self) -> Self {
        if let Some(Piece::Text(text)) = self
            .pieces
            .iter_mut()
            .rev()
            .find(|piece| !matches!(piece, Piece::Close))
        {
            let length = text.trim_end_matches(['\n', '\r']).len();
            text.truncate(length);
        }
        self
    }

    /// The manifest that is rendered.
    pub(crate) fn spelled(&self) -> Spelled {
        let mut spelled = Spelled {
            text: String::new(),
            scalars: Vec::new(),
            references: Vec::new(),
        };
        let mut opened = (0, 0);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => spelled.text.push_str(text),
                Piece::Reference(number) => {
                    let start = spelled.text.len();
                    spelled.text.push_str(&self.references[*number].spelled);
                    spelled.references.push(start..spelled.text.len());
                }
                Piece::Open => opened = (spelled.text.len(), spelled.references.len()),
                Piece::Close if spelled.references.len() > opened.1 => {
                    spelled.scalars.push(opened.0..spelled.text.len());
                }
                Piece::Close => {}
            }
        }
        spelled
    }

    /// The manifest with a unique word for every reference: what the independent
    /// parser reads.
    pub(crate) fn with_tokens(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Reference(number) => text.push_str(&token(*number)),
                Piece::Open | Piece::Close => {}
            }
        }
        text
    }
}

/// The word that stands for reference `number`: a string to every reader.
pub(crate) fn token(number: usize) -> String {
    format!("Tk{number}kT")
}

/// The tokens in a text, by reference.
pub(crate) fn tokens(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("Tk") {
        let digits = text[start + 2..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let end = start + 2 + digits;
        if digits > 0 && text[end..].starts_with("kT") {
            found.push((start..end + 2, text[start + 2..end].parse().unwrap()));
        }
    }
    found
}

impl Chomping {
    /// Of the text with its values in, before chomping.
    pub(crate) fn chomp(self, text: &str) -> String {
        let content = text.trim_end_matches('\n');
        match self {
            Self::Keep => text.to_owned(),
            Self::Strip => content.to_owned(),
            Self::Clip if content.is_empty() || content.len() == text.len() => content.to_owned(),
            Self::Clip => format!("{content}\n"),
        }
    }
}
