//! What a dialect is: a parser into the syntax tree, and a writer out of it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::reference::{
    ArgumentValue, Call, DIALECTS, LANDFALL, Path, Reference, SyntaxError, parse,
};

/// One syntax of references. A dialect is a file in `dialects/` and a row in
/// [`DIALECTS`](crate::reference::DIALECTS): nothing else knows how references are
/// written.
///
/// A document's references are found twice. In raw text, before anything is known of its
/// YAML, [`opening`](Self::opening) and [`extent`](Self::extent) say which bytes are
/// masked; in the decoded text of a scalar, [`parse`](Self::parse) decides. So `extent`
/// may be wrong about where a reference ends, and must never leave what the grammar
/// can hold.
pub(crate) trait Dialect: fmt::Debug + Sync {
    /// Returns the words and signs that never change.
    fn notation(&self) -> &'static Notation;

    /// Returns the beginning of a reference at byte `at`, where `opener` is, bound or not.
    /// `bytes` may be anything: raw YAML, decoded text, decoded base64.
    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening>;

    /// Parses the reference whose opener is at byte `at` of `text`.
    ///
    /// # Errors
    /// The first thing in the text that no reference may have.
    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError>;

    /// Returns the bytes of raw YAML text that the reference at byte `at` probably takes:
    /// on its line, up to its closer, or else up to the first byte that the grammar
    /// cannot hold.
    fn extent(&self, raw: &str, at: usize) -> Range<usize>;

    /// Writes a piece of syntax, its strings in `quote`. `None`: the dialect has no
    /// notation for it.
    fn write(&self, syntax: &Syntax<'_>, quote: char) -> Option<String>;

    /// Returns what must be inserted into a reference so that it calls these functions
    /// last, in the order of the text. `None`: the dialect has no notation for it.
    fn append(&self, reference: &Reference, calls: &[Call], quote: char) -> Option<Vec<Insertion>>;

    /// Returns the first beginning of a reference from byte `from` on.
    fn find(&self, bytes: &[u8], mut from: usize) -> Option<Opening> {
        let opener = self.notation().opener.as_bytes();
        // The first byte is rare enough that looking for it alone takes half the time of
        // looking for all of them.
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

    /// Returns the bytes of `comment`, which begins with `#`, that are the template of a
    /// setter comment.
    fn setter(&self, comment: &str) -> Option<Range<usize>> {
        let text = comment.strip_prefix('#')?.trim_start();
        let template = text.strip_prefix(self.notation().setter?)?;
        Some(comment.len() - template.len()..comment.len())
    }
}

/// The words and signs of a dialect.
#[derive(Debug)]
pub(crate) struct Notation {
    /// Its name in `spec.dialect`.
    pub(crate) id: &'static str,
    /// What every reference begins with: two bytes of ASCII at least.
    pub(crate) opener: &'static str,
    /// What every reference ends with, in ASCII.
    pub(crate) closer: &'static str,
    /// What makes text of a reference when it is right before it, and is left out then.
    pub(crate) escape: &'static str,
    /// What a setter comment begins with, after its `#`.
    pub(crate) setter: Option<&'static str>,
    /// How a reference is written, for help.
    pub(crate) form: &'static str,
}

/// Where a reference may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The first byte of the opener.
    pub(crate) at: usize,
    /// The bytes of the binding's name, or of the output's where no binding is named.
    pub(crate) name: Range<usize>,
    pub(crate) is_binding: bool,
}

impl Opening {
    /// Returns the name of the binding in the bytes that were looked at; `None` where
    /// none is named.
    pub(crate) fn binding<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        bytes.get(self.name.clone()).filter(|_| self.is_binding)
    }
}

/// Something that a dialect writes.
pub(crate) enum Syntax<'a> {
    /// All of a reference: `${infra.vpc_id | upper}`.
    Reference(&'a Reference),
    /// One segment of a path, with what separates it from the one before: `.vpc_id`.
    Segment(&'a Path, usize),
    /// A call, as help shows it: `| default("…")`.
    Call(&'a Call),
    Argument(&'a ArgumentValue),
}

/// Text that is inserted into a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub(crate) place: Place,
    pub(crate) text: String,
}

/// A place in a reference, whatever is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    #[cfg_attr(
        not(feature = "toy-dialect"),
        expect(dead_code, reason = "landfall's own dialect has its calls at the end")
    )]
    AfterOpener,
    BeforeCloser,
}

impl dyn Dialect + '_ {
    /// Returns the dialect with an id.
    pub(crate) fn of_id(id: &str) -> Option<&'static dyn Dialect> {
        let mut dialects = DIALECTS.iter().copied();
        dialects.find(|dialect| dialect.notation().id == id)
    }

    /// Writes a piece of syntax as messages show it.
    pub(crate) fn shown(&self, syntax: &Syntax<'_>) -> Option<String> {
        self.write(syntax, '"')
    }

    /// Returns a message in which calls are written in this dialect. Messages have them
    /// in landfall's own: `` `| json` makes a text of it ``.
    pub(crate) fn worded<'t>(&self, message: &'t str) -> Cow<'t, str> {
        if self.notation().id == LANDFALL.notation().id {
            return Cow::Borrowed(message);
        }
        let pieces = message.split('`').map(|piece| {
            let calls = piece.starts_with("| ").then(|| self.calls(piece));
            calls.flatten().map_or(Cow::Borrowed(piece), Cow::Owned)
        });
        Cow::Owned(pieces.collect::<Vec<_>>().join("`"))
    }

    /// Rewrites `| json | base64`; calls without a notation become their functions' names.
    fn calls(&self, written: &str) -> Option<String> {
        let reference = parse(&format!("${{x.y {written}}}"), 0).ok()?;
        let call = |call: &Call| {
            let shown = self.shown(&Syntax::Call(call));
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
