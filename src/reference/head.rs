//! Finds where references to bound names begin. Everything else that looks like one is left
//! to other tools.

use std::ops::Range;

use crate::reference::{Dialect, LANDFALL, Opening, Path, Reference, Syntax};

/// The heads of one request's bound names, in its dialect.
#[derive(Debug)]
pub(crate) struct Heads {
    dialect: &'static dyn Dialect,
    names: Vec<String>,
}

/// A head in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The first byte of its opener.
    pub(crate) at: usize,
    /// Whether it follows the dialect's escape.
    pub(crate) escaped: bool,
}

/// A head whose name is not bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnboundHead<'t> {
    /// The first byte of its opener.
    pub(crate) at: usize,
    /// The binding's name, or the output's if no binding is named.
    pub(crate) name: &'t str,
    /// The first byte of the name.
    pub(crate) name_at: usize,
    pub(crate) is_binding: bool,
}

/// The heads of a text, bound or not.
#[derive(Debug, Default)]
pub(crate) struct TextHeads<'t> {
    /// The first bytes of the openers of bound heads, escaped or not, ascending.
    pub(crate) bound: Vec<usize>,
    /// The heads that are neither bound nor escaped, in order.
    pub(crate) unbound: Vec<UnboundHead<'t>>,
}

/// The bound heads of a text, taken piece by piece in the order of the text.
#[derive(Debug)]
pub(crate) struct HeadsByPiece<'h> {
    left: &'h [usize],
}

impl TextHeads<'_> {
    /// Returns the bound heads, to be taken in order.
    pub(crate) fn by_piece(&self) -> HeadsByPiece<'_> {
        HeadsByPiece { left: &self.bound }
    }
}

impl<'h> HeadsByPiece<'h> {
    /// Takes the heads that begin in these bytes, which follow those of the call before.
    pub(crate) fn take(&mut self, bytes: &Range<usize>) -> &'h [usize] {
        self.take_before(bytes.start);
        self.take_before(bytes.end)
    }

    fn take_before(&mut self, end: usize) -> &'h [usize] {
        let count = self.left.iter().take_while(|at| **at < end).count();
        let (before, rest) = self.left.split_at(count);
        self.left = rest;
        before
    }
}

impl Heads {
    /// Returns the heads of these names in landfall's own dialect.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::in_dialect(LANDFALL, names)
    }

    /// Returns the heads of these names in a dialect.
    pub(crate) fn in_dialect<'a>(
        dialect: &'static dyn Dialect,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort();
        Self { dialect, names }
    }

    pub(crate) fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// Returns every head in `text`, in order.
    pub(crate) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Head> + 't {
        let bytes = text.as_bytes();
        let openings = openings(self.dialect, bytes);
        openings
            .filter(|opening| self.is_bound(opening.binding(bytes)))
            .map(|opening| self.head(text, opening.at))
    }

    /// Returns the head that begins at byte `at`.
    pub(crate) fn head(&self, text: &str, at: usize) -> Head {
        Head {
            at,
            escaped: is_escaped(self.dialect, text.as_bytes(), at),
        }
    }

    /// Whether `text` contains a head.
    pub(crate) fn any(&self, text: &str) -> bool {
        !self.names.is_empty() && self.find(text).next().is_some()
    }

    /// Whether a reference to a bound name begins at byte `at`.
    pub(crate) fn is_head(&self, text: &str, at: usize) -> bool {
        let opening = opening_at(self.dialect, text.as_bytes(), at);
        opening.is_some_and(|opening| self.is_bound(opening.binding(text.as_bytes())))
    }

    /// Returns every head in `text`, bound or not, found in one pass.
    pub(crate) fn all<'t>(&self, text: &'t str) -> TextHeads<'t> {
        let bytes = text.as_bytes();
        let mut heads = TextHeads::default();
        let mut setters = self
            .dialect
            .only_in_setters()
            .then(|| Setters::new(self.dialect, text));
        for opening in openings(self.dialect, bytes) {
            let at = opening.at;
            if setters
                .as_mut()
                .is_some_and(|setters| !setters.may_contain(at))
            {
                continue;
            }
            if self.is_bound(opening.binding(bytes)) {
                heads.bound.push(at);
                continue;
            }
            let name_at = opening.name.start;
            let name = text.get(opening.name);
            if let Some(name) = name
                && !is_escaped(self.dialect, bytes, at)
            {
                heads.unbound.push(UnboundHead {
                    at,
                    name,
                    name_at,
                    is_binding: opening.is_binding,
                });
            }
        }
        heads
    }

    /// Returns an example for messages: a reference to an output of the first bound name.
    pub(crate) fn example(&self) -> Option<String> {
        let path = Path::new(self.names.first().cloned(), "output");
        let reference = Reference::new(path, Vec::new());
        let named = self.dialect.display(&Syntax::Reference(&reference));
        named.or_else(|| {
            let path = Path::new(None, "output");
            let reference = Reference::new(path, Vec::new());
            self.dialect.display(&Syntax::Reference(&reference))
        })
    }

    /// Returns the bound names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether this name is bound or, for a reference that names no binding, any name is.
    pub(crate) fn is_bound(&self, name: Option<&[u8]>) -> bool {
        let Some(name) = name else {
            return !self.names.is_empty();
        };
        self.names
            .binary_search_by(|bound| bound.as_bytes().cmp(name))
            .is_ok()
    }
}

/// The rests of lines that may be setter comments.
struct Setters<'t> {
    text: &'t str,
    word: memchr::memmem::Finder<'static>,
    /// The last one that was found.
    last: Range<usize>,
}

impl<'t> Setters<'t> {
    fn new(dialect: &'static dyn Dialect, text: &'t str) -> Self {
        let word = dialect.notation().setter.unwrap_or_default();
        Self {
            text,
            word: memchr::memmem::Finder::new(word),
            last: 0..0,
        }
    }

    /// Whether byte `at`, which is after all bytes before, follows the word of setter
    /// comments on its line.
    fn may_contain(&mut self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        while self.last.end <= at {
            let from = self.last.end;
            let Some(found) = self.word.find(&bytes[from..]) else {
                self.last = bytes.len()..usize::MAX;
                break;
            };
            let start = from + found;
            let rest = memchr::memchr2(b'\n', b'\r', &bytes[start..]);
            self.last = start..rest.map_or(bytes.len(), |length| start + length);
        }
        self.last.contains(&at)
    }
}

/// Whether the reference at byte `at` follows an escape.
pub(crate) fn is_escaped(dialect: &dyn Dialect, bytes: &[u8], at: usize) -> bool {
    dialect.escape_before(bytes, at) > 0
}

/// Returns the beginning of the reference, bound or not, at byte `at`.
pub(crate) fn opening_at(dialect: &dyn Dialect, bytes: &[u8], at: usize) -> Option<Opening> {
    if !dialect.is_opener(bytes, at) {
        return None;
    }
    dialect.opening(bytes, at)
}

/// Returns every beginning of a reference, bound or not.
pub(crate) fn openings<'b>(
    dialect: &'static dyn Dialect,
    bytes: &'b [u8],
) -> impl Iterator<Item = Opening> + 'b {
    let mut from = 0;
    std::iter::from_fn(move || {
        let opening = dialect.find(bytes, from)?;
        from = opening.at + 1;
        Some(opening)
    })
}

/// Whether a byte may be part of a name, or of a key after a dot.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns the offset of the first byte from `at` on that is not part of a name.
pub(crate) fn skip_name(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    at + bytes[at..].iter().take_while(|b| is_name_byte(**b)).count()
}

/// Returns the offset of the first byte from `at` on that is not white space: a reference
/// may contain line breaks.
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    at + bytes[at..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
        .count()
}

#[cfg(test)]
mod tests {
    use super::{Head, Heads};

    fn check(text: &str, expected: &[(usize, bool)]) {
        let heads = Heads::new(["infra", "net-work"]);
        let found: Vec<_> = heads
            .find(text)
            .map(|Head { at, escaped }| (at, escaped))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_head_is_a_bound_name_and_a_dot_or_bracket() {
        check(
            "${infra.x} ${infra[\"x\"]} ${ net-work . y }",
            &[(0, false), (11, false), (25, false)],
        );
    }

    #[test]
    fn ignores_text_that_is_not_a_head() {
        check(
            "${infra} ${infra:csv} ${DS_PROMETHEUS} ${infrastructure.x} ${.x} $infra.x ${",
            &[],
        );
    }

    #[test]
    fn a_dollar_before_a_head_escapes_it() {
        check("$${infra.x} $$${infra.x}", &[(1, true), (14, true)]);
    }
}
