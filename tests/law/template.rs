//! A manifest whose references are known: the position of each, the kind of scalar, and
//! what it names.

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
    /// Index in the references.
    Reference(usize),
    /// A scalar begins, including its quotes or its block header.
    Open,
    /// The last opened scalar ends.
    Close,
}

/// A reference or an escape in a scalar.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) names: Names,
    /// In source form: `${infra.v0}`.
    pub(crate) spelled: String,
    pub(crate) properties: ScalarProperties,
}

/// What a reference is replaced by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// The value of this output; if it is null or empty, the default.
    Output {
        number: usize,
        default: Option<String>,
    },
    /// An escape, replaced by this text.
    Text(String),
    /// An output that may remove or multiply the entry or item that is the reference.
    Member { number: usize, member: Member },
}

/// What happens to an entry or item with the value of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// `default(omit)`
    Omit,
    /// `spread`
    Spread,
    /// `each(default(0)) | spread`
    EachSpread,
    /// `default(omit) | spread`
    OmitSpread,
}

impl Member {
    pub(crate) const fn spelled(self) -> &'static str {
        match self {
            Self::Omit => "default(omit)",
            Self::Spread => "spread",
            Self::EachSpread => "each(default(0)) | spread",
            Self::OmitSpread => "default( omit )|spread",
        }
    }
}

/// The properties of a scalar that affect how a value is written in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScalarProperties {
    /// The scalar is plain, so a reference that is the whole scalar determines its type.
    pub(crate) plain: bool,
    /// The scalar was generated as a key.
    pub(crate) key: bool,
    /// The scalar is tagged `!!str`.
    pub(crate) tagged_text: bool,
    /// The chomping of a block scalar.
    pub(crate) chomping: Option<Chomping>,
}

/// How the trailing line breaks of a block scalar are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chomping {
    Strip,
    Clip,
    Keep,
}

/// A template as text.
pub(crate) struct Spelled {
    pub(crate) text: String,
    /// The byte range of every scalar with a reference in it.
    pub(crate) scalars: Vec<Range<usize>>,
    /// The byte range of every reference.
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

    /// Begins a scalar.
    pub(crate) fn open(&mut self) {
        self.pieces.push(Piece::Open);
    }

    /// Ends the scalar.
    pub(crate) fn close(&mut self) {
        self.pieces.push(Piece::Close);
    }

    pub(crate) fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Creates a template from `text` with references at these bytes, each in the given
    /// scalar. Ascending; several references may share a scalar.
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

    /// Returns the same template with other references.
    pub(crate) fn map_references(mut self, other: impl FnMut(Reference) -> Reference) -> Self {
        self.references = self.references.into_iter().map(other).collect();
        self
    }

    /// Turns every line break into `\r\n`.
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

    /// Removes the line break at the end.
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

    /// Returns the manifest to render.
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

    /// Returns the manifest with a unique word for every reference, for the independent
    /// parser.
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

/// Returns the placeholder word for reference `number`: a string to every reader.
pub(crate) fn token(number: usize) -> String {
    format!("Tk{number}kT")
}

/// Returns the tokens in a text with the numbers of their references.
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
    /// Applies chomping to the text after substitution.
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
