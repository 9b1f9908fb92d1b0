//! The interface of a dialect: it parses references into the syntax tree, and writes them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::reference::{ArgumentValue, Call, DIALECTS, LANDFALL, Path, Reference, SyntaxError};

/// One syntax of references. A dialect is a file in `dialects/` and a row in
/// [`DIALECTS`](crate::reference::DIALECTS): nothing else knows how references are
/// written.
///
/// A document's references are found twice. In raw text, before its YAML is parsed,
/// [`opening`](Self::opening) and [`extent`](Self::extent) determine which bytes are
/// masked; in the decoded text of a scalar, [`parse`](Self::parse) decides. So `extent`
/// may be wrong about where a reference ends, but must never include a byte that the
/// grammar does not allow.
pub(crate) trait Dialect: fmt::Debug + Sync {
    /// Returns the dialect's id, tokens and help.
    fn notation(&self) -> &'static Notation;

    /// Returns the beginning of the reference, bound or not, whose opener is at byte `at`.
    /// `bytes` may be anything: raw YAML, decoded text, decoded base64.
    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening>;

    /// Parses the reference whose opener is at byte `at` of `text`.
    ///
    /// # Errors
    /// The first syntax error in the text.
    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError>;

    /// Returns the bytes of raw YAML text that the reference at byte `at` probably spans:
    /// on its line, through its closer, otherwise up to the first byte that the grammar
    /// does not allow.
    fn extent(&self, raw: &str, at: usize) -> Range<usize>;

    /// Writes a piece of syntax, its strings in `quote`. Returns `None` if the dialect has
    /// no notation for it.
    fn write(&self, syntax: &Syntax<'_>, quote: char) -> Option<String>;

    /// Returns the insertions that make a reference call these functions last, in the order
    /// of the text, or `None` if the dialect has no notation for it.
    fn append(&self, reference: &Reference, calls: &[Call], quote: char) -> Option<Vec<Insertion>>;

    /// Whether a reference, or literal text that an escape leaves, may begin at byte `at`.
    fn is_opener(&self, bytes: &[u8], at: usize) -> bool {
        let opener = self.notation().opener.as_bytes();
        bytes.get(at..).is_some_and(|rest| rest.starts_with(opener))
    }

    /// Returns how many bytes of an escape precede byte `at`, where a reference begins: 0 if
    /// it isn't escaped. They are removed.
    fn escape_before(&self, bytes: &[u8], at: usize) -> usize {
        let escape = self.notation().escape.as_bytes();
        let before = bytes.get(..at).unwrap_or_default();
        if before.ends_with(escape) {
            escape.len()
        } else {
            0
        }
    }

    /// Returns the first beginning of a reference at or after byte `from`.
    fn find(&self, bytes: &[u8], mut from: usize) -> Option<Opening> {
        let opener = self.notation().opener.as_bytes();
        // The first byte is rare enough that searching for it alone takes half the time of
        // searching for the whole opener.
        let (first, rest) = opener.split_first()?;
        loop {
            let at = from + memchr::memchr(*first, bytes.get(from..)?)?;
            from = at + 1;
            if bytes[from..].starts_with(rest)
                && let Some(opening) = self.opening(bytes, at)
            {
                return Some(opening);
            }
        }
    }

    /// Whether references occur only in setter comments. Then text that looks like one
    /// elsewhere is text, and a part of a setter comment's template that names no output
    /// keeps its current value.
    fn only_in_setters(&self) -> bool {
        false
    }

    /// Returns the bytes of the template in `comment`, which begins with `#`, if it is a
    /// setter comment.
    fn setter(&self, comment: &str) -> Option<Range<usize>> {
        let text = comment.strip_prefix('#')?.trim_start();
        let template = text.strip_prefix(self.notation().setter?)?;
        Some(comment.len() - template.len()..comment.len())
    }
}

/// The id, tokens and help of a dialect.
#[derive(Debug)]
pub(crate) struct Notation {
    /// Its name in `spec.dialect`.
    pub(crate) id: &'static str,
    /// The token that begins every reference: at least two bytes of ASCII.
    pub(crate) opener: &'static str,
    /// The token that ends every reference, in ASCII.
    pub(crate) closer: &'static str,
    /// The prefix that makes a reference literal text; it is removed.
    pub(crate) escape: &'static str,
    /// The prefix of a setter comment after its `#`.
    pub(crate) setter: Option<&'static str>,
    /// How a reference is written, for help.
    pub(crate) form: &'static str,
    /// Whether a reference names a variable: an output of any bound document.
    pub(crate) names_variables: bool,
    /// The label or annotation with which the dialect's tool leaves a resource unchanged if
    /// it is `disabled`.
    pub(crate) disabled_by: Option<&'static str>,
    /// The kinds of resources in which references belong to the dialect's tool.
    pub(crate) ignored_kinds: &'static [&'static str],
    /// Whether a literal that is all of a plain scalar is YAML, as in the dialect's tool:
    /// `8080` in `${port:-8080}` is a number.
    pub(crate) has_plain_literals: bool,
    /// Whether values in a Secret's `data` are base64 already, because the dialect cannot
    /// encode them.
    pub(crate) data_is_encoded: bool,
    /// Whether references in base64 are searched. They are errors, because nothing replaces
    /// them.
    pub(crate) searches_base64: bool,
}

impl Notation {
    /// Adds to the help about a reference to `name` how it is written as literal text, if the
    /// dialect has an escape.
    pub(crate) fn or_literal(&self, help: &str, name: &str) -> String {
        let Self {
            escape,
            opener,
            closer,
            ..
        } = self;
        let literal = format!("or literal text, write `{escape}{opener}{name}{closer}`");
        if escape.is_empty() {
            help.to_owned()
        } else if help.ends_with('?') {
            format!("{help} F{literal}")
        } else {
            format!("{help}; f{literal}")
        }
    }

    /// The notation of a dialect whose references name bindings, of no other tool.
    pub(crate) const OWN: Self = Self {
        id: "",
        opener: "",
        closer: "",
        escape: "",
        setter: None,
        form: "",
        names_variables: false,
        disabled_by: None,
        ignored_kinds: &[],
        has_plain_literals: false,
        data_is_encoded: false,
        searches_base64: true,
    };
}

/// Where a reference may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The first byte of the opener.
    pub(crate) at: usize,
    /// The bytes of the binding's name, or of the output's if no binding is named.
    pub(crate) name: Range<usize>,
    pub(crate) is_binding: bool,
}

impl Opening {
    /// Returns the name of the binding, from the bytes that were searched, or `None` if no
    /// binding is named.
    pub(crate) fn binding<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        if !self.is_binding {
            return None;
        }
        bytes.get(self.name.clone())
    }
}

/// A piece of syntax that a dialect writes.
pub(crate) enum Syntax<'a> {
    /// A whole reference: `${infra.vpc_id | upper}`.
    Reference(&'a Reference),
    /// The segment at this position of a path, with its separator: `.vpc_id`.
    Segment(&'a Path, usize),
    /// A call, as help shows it: `| default("…")`.
    Call(&'a Call),
    Argument(&'a ArgumentValue),
}

/// Text that is inserted into a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub(crate) position: Position,
    pub(crate) text: String,
}

/// A position in a reference, whatever its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    #[cfg_attr(
        not(feature = "toys"),
        expect(dead_code, reason = "landfall's own dialect has its calls at the end")
    )]
    AfterOpener,
    BeforeCloser,
}

impl dyn Dialect + '_ {
    /// Returns the dialect with this id.
    pub(crate) fn of_id(id: &str) -> Option<&'static dyn Dialect> {
        let mut dialects = DIALECTS.iter().copied();
        dialects.find(|dialect| dialect.notation().id == id)
    }

    /// Writes a piece of syntax as messages show it.
    pub(crate) fn display(&self, syntax: &Syntax<'_>) -> Option<String> {
        self.write(syntax, '"')
    }

    /// Returns a message with its calls rewritten in this dialect. The sources write them
    /// in landfall's own: `` encode it with `| base64` ``.
    pub(crate) fn translate_calls<'t>(&self, message: &'t str) -> Cow<'t, str> {
        if self.notation().id == LANDFALL.notation().id {
            return Cow::Borrowed(message);
        }
        let pieces = message.split('`').map(|piece| {
            let calls = piece
                .starts_with("| ")
                .then(|| self.translate_pipeline(piece));
            calls.flatten().map_or(Cow::Borrowed(piece), Cow::Owned)
        });
        Cow::Owned(pieces.collect::<Vec<_>>().join("`"))
    }

    /// Rewrites calls such as `| json | base64`; those without a notation become their
    /// functions' names.
    fn translate_pipeline(&self, written: &str) -> Option<String> {
        let reference = LANDFALL.parse(&format!("${{x.y {written}}}"), 0).ok()?;
        let call = |call: &Call| {
            let shown = self.display(&Syntax::Call(call));
            shown.unwrap_or_else(|| call.function.clone())
        };
        Some(
            reference
                .calls
                .iter()
                .map(call)
                .collect::<Vec<_>>()
                .join(" "),
        )
    }
}
