//! Where references begin: `${`, a bound name, then `.` or `[`. Everything else
//! that begins with `${` is other people's text.

use std::ops::Range;

/// The heads of one request's bound names.
#[derive(Debug)]
pub(crate) struct Heads {
    names: Vec<String>,
}

/// A head in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The byte of its `$`.
    pub(crate) at: usize,
    /// A `$` directly precedes it: this is the escape.
    pub(crate) escaped: bool,
}

/// A head whose name is not bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnboundHead<'t> {
    /// The byte of its `$`.
    pub(crate) at: usize,
    pub(crate) name: &'t str,
    /// The first byte of the name.
    pub(crate) name_at: usize,
}

/// All of a text that is a head, or would be one if its name were bound.
#[derive(Debug, Default)]
pub(crate) struct TextHeads<'t> {
    /// The bytes of the `$` of heads and escapes, ascending.
    pub(crate) bound: Vec<usize>,
    /// What is not bound, in order; escapes are none.
    pub(crate) unbound: Vec<UnboundHead<'t>>,
}

impl TextHeads<'_> {
    /// Whether a head is among these bytes.
    pub(crate) fn any_in(&self, bytes: Range<usize>) -> bool {
        let first = self.bound.partition_point(|at| *at < bytes.start);
        self.bound.get(first).is_some_and(|at| *at < bytes.end)
    }
}

impl Heads {
    /// Heads of these names.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort();
        Self { names }
    }

    /// Every head in `text`, in order.
    pub(crate) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Head> + 't {
        openings(text.as_bytes())
            .filter(|&at| self.is_head(text, at))
            .map(|at| Head {
                at,
                escaped: at
                    .checked_sub(1)
                    .is_some_and(|before| text.as_bytes()[before] == b'$'),
            })
    }

    /// Whether `text` contains a head.
    pub(crate) fn any(&self, text: &str) -> bool {
        !self.names.is_empty() && self.find(text).next().is_some()
    }

    /// Whether the `${` at byte `at` begins a reference to a bound name.
    pub(crate) fn is_head(&self, text: &str, at: usize) -> bool {
        head_name(text.as_bytes(), at).is_some_and(|name| self.is_bound(name))
    }

    /// Every head in `text`, bound or not, found in one pass.
    pub(crate) fn all<'t>(&self, text: &'t str) -> TextHeads<'t> {
        let bytes = text.as_bytes();
        let mut heads = TextHeads::default();
        for at in openings(bytes) {
            let Some(name) = head_name(bytes, at) else {
                continue;
            };
            if self.is_bound(name) {
                heads.bound.push(at);
                continue;
            }
            let name_at = (name.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            let name = text.get(name_at..name_at + name.len());
            let is_escaped = at > 0 && bytes[at - 1] == b'$';
            if let Some(name) = name.filter(|_| !is_escaped) {
                heads.unbound.push(UnboundHead { at, name, name_at });
            }
        }
        heads
    }

    /// The bound names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(crate) fn is_bound(&self, name: &[u8]) -> bool {
        self.names
            .binary_search_by(|bound| bound.as_bytes().cmp(name))
            .is_ok()
    }
}

/// Every `${` in `text` that would begin a reference if its name were bound.
pub(crate) fn shapes(text: &str) -> impl Iterator<Item = usize> + '_ {
    openings(text.as_bytes()).filter(|&at| head_name(text.as_bytes(), at).is_some())
}

/// Every `${`. A `$` is rare enough that looking for it alone takes half the time
/// of looking for both.
pub(crate) fn openings(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr_iter(b'$', bytes).filter(|&at| bytes.get(at + 1) == Some(&b'{'))
}

/// The name after the `${` at byte `at`, if `.` or `[` follows it.
pub(crate) fn head_name(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let start = skip_breaks(bytes, at + 2);
    let end = skip_name(bytes, start);
    let name = &bytes[start..end];
    let begins = name
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let next = bytes.get(skip_breaks(bytes, end));
    (begins && matches!(next, Some(b'.' | b'['))).then_some(name)
}

/// Like [`skip_space`], and over the escaped line breaks of double quotes: the
/// the decoded text decides later whether they were references.
fn skip_breaks(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    match bytes.get(at..at + 2) {
        Some(b"\\\n" | b"\\\r") => skip_breaks(bytes, at + 2),
        _ => at,
    }
}

/// A byte of a name or of a key after a dot.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The first byte from `at` on that is not part of a name.
pub(crate) fn skip_name(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    at + bytes[at..].iter().take_while(|b| is_name_byte(**b)).count()
}

/// The first byte from `at` on that is no space; a reference may go on over a
/// line break.
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
    fn everything_else_is_other_peoples_text() {
        check(
            "${infra} ${infra:csv} ${DS_PROMETHEUS} ${infrastructure.x} ${.x} $infra.x ${",
            &[],
        );
    }

    #[test]
    fn a_dollar_before_it_makes_it_an_escape() {
        check("$${infra.x} $$${infra.x}", &[(1, true), (14, true)]);
    }
}
