//! Text that names an output but is not a reference: `{{infra.x}}`, `$infra.x`,
//! `${join(",", infra.x)}`, `${vpc_id}`, and references in the setter comments of another
//! dialect. It is left unchanged and reported, because its author may have meant a reference.
//!
//! An analysis does not know which outputs exist: it only finds the positions, with a scan
//! of the text. `bind/near_miss.rs` drops those that name no output, and parses the
//! documents of the others.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use crate::reference::{DIALECTS, Dialect, Heads, Path, opening_at, skip_name};

/// How far a text may extend beyond its opener, and a setter comment before it.
const MAX_LENGTH: usize = 256;

/// Openers with their closers, the longest first.
static FORMS: &[(&str, &str)] = &[
    ("${{", "}}"),
    ("{{", "}}"),
    ("${", "}"),
    ("$(", ")"),
    ("#{", "}"),
    ("$", ""),
];

/// Text that may name an output.
#[derive(Debug)]
pub(crate) struct NearMiss<'t> {
    pub(crate) form: Form,
    /// From its opener to its closer.
    pub(crate) range: Range<usize>,
    /// The path in it, or the name.
    pub(crate) path: Range<usize>,
    /// `None`: an output of any bound document.
    pub(crate) binding: Option<Cow<'t, str>>,
    pub(crate) output: Cow<'t, str>,
}

/// How it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// `{{infra.x}}`: a path, perhaps with functions, and the closer if it has one.
    Path { closer: Option<&'static str> },
    /// `${join(",", infra.x)}`
    Expression,
    /// `${vpc_id}`
    Variable,
    /// A reference in a setter comment of this dialect.
    Setter(&'static dyn Dialect),
}

/// Returns the positions of all texts that may name an output of a bound document,
/// ascending.
pub(crate) fn candidates(text: &str, heads: &Heads) -> Vec<usize> {
    let mut found = Vec::new();
    if heads.names().next().is_none() {
        return found;
    }
    let bytes = text.as_bytes();
    let dialect = heads.dialect();
    // References whose ends are not known yet: they matter only to what may be inside.
    let mut own = Vec::new();
    let mut end = 0;
    for at in memchr::memchr2_iter(b'$', b'{', bytes) {
        let at = match bytes.get(at.wrapping_sub(1)) {
            Some(b'#') if bytes[at] == b'{' => at - 1,
            _ if bytes[at] == b'{' && bytes.get(at + 1) != Some(&b'{') => continue,
            _ => at,
        };
        if at < end {
            continue;
        }
        match text_at(text, at, heads) {
            TextAt::Reference => own.push(at),
            TextAt::NearMiss(near) => {
                for own in own.drain(..) {
                    if own >= end {
                        end = dialect.extent(text, own).end;
                    }
                }
                if at >= end {
                    end = near.range.end;
                    found.push(at);
                }
            }
            TextAt::Other => {}
        }
    }
    found
}

/// Returns the text at byte `at` that may name an output.
pub(crate) fn near_miss<'t>(text: &'t str, at: usize, heads: &Heads) -> Option<NearMiss<'t>> {
    match text_at(text, at, heads) {
        TextAt::NearMiss(near) => Some(near),
        TextAt::Reference | TextAt::Other => None,
    }
}

/// What begins at an opener.
enum TextAt<'t> {
    /// A reference of the dialect, perhaps an escaped one.
    Reference,
    NearMiss(NearMiss<'t>),
    Other,
}

fn text_at<'t>(text: &'t str, at: usize, heads: &Heads) -> TextAt<'t> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    // An escape, or a part of `${{`.
    let is_escaped = matches!(before, Some(b'\\' | b'$'));
    let in_setter = if bytes.get(at) == Some(&b'$') {
        in_other_setter(text, at, heads.dialect())
    } else {
        None
    };
    let near = match in_setter {
        None if is_own(heads.dialect(), bytes, at) => return TextAt::Reference,
        _ if is_escaped => None,
        None => foreign(text, at, heads),
        in_setter => in_setter,
    };
    near.map_or(TextAt::Other, TextAt::NearMiss)
}

/// Returns the text at byte `at` in the form of another tool.
fn foreign<'t>(text: &'t str, at: usize, heads: &Heads) -> Option<NearMiss<'t>> {
    let bytes = text.as_bytes();
    let rest = bytes.get(at..)?;
    let (opener, closer) = FORMS
        .iter()
        .find(|(opener, _)| rest.starts_with(opener.as_bytes()))?;
    let start = at + opener.len();
    if closer.is_empty() {
        let path = bound_path(text, start, heads)?;
        return Some(path.near_miss(at..path.range.end, Form::Path { closer: None }));
    }
    // `{{-` trims the text before.
    let trims = opener.ends_with("{{") && bytes.get(start) == Some(&b'-');
    let mut first = skip_blanks(bytes, start + usize::from(trims));
    if let Some(b'.' | b'$') = bytes.get(first) {
        first += 1;
    }
    if let Some(path) = bound_path(text, first, heads) {
        let inside = inside(text, start, closer);
        // It is unclosed if anything but functions follows.
        let rest = text.get(path.range.end..inside.end).unwrap_or_default();
        let after = rest.trim_start();
        let is_closed = inside.is_closed && (after.is_empty() || after.starts_with('|'));
        return Some(if is_closed {
            let closer = Some(*closer);
            path.near_miss(at..inside.after, Form::Path { closer })
        } else if *opener == "${" && inside.is_closed {
            path.near_miss(at..inside.after, Form::Expression)
        } else {
            path.near_miss(at..path.range.end, Form::Path { closer: None })
        });
    }
    if *opener != "${" {
        return None;
    }
    let end = skip_name(bytes, start);
    if bytes.get(end) == Some(&b'}') && is_name_start(bytes, start) {
        return Some(NearMiss {
            form: Form::Variable,
            range: at..end + 1,
            path: start..end,
            binding: None,
            output: Cow::Borrowed(&text[start..end]),
        });
    }
    let inside = inside(text, start, closer);
    let path = path_in_expression(text, start..inside.end, heads)?;
    let end = if inside.is_closed {
        inside.after
    } else {
        path.range.end
    };
    Some(path.near_miss(at..end, Form::Expression))
}

/// Whether a reference of the dialect begins at byte `at`.
fn is_own(dialect: &dyn Dialect, bytes: &[u8], at: usize) -> bool {
    !dialect.only_in_setters() && opening_at(dialect, bytes, at).is_some()
}

/// The text after an opener, on its line.
struct Inside {
    end: usize,
    /// After the closer.
    after: usize,
    is_closed: bool,
}

fn inside(text: &str, start: usize, closer: &str) -> Inside {
    let bytes = text.as_bytes();
    let most = bytes.len().min(start + MAX_LENGTH);
    let line = &bytes[start..most];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    match memmem::find(line, closer.as_bytes()) {
        Some(length) => Inside {
            end: start + length,
            after: start + length + closer.len(),
            is_closed: true,
        },
        None => Inside {
            end: start + line.len(),
            after: start + line.len(),
            is_closed: false,
        },
    }
}

/// The path of an output of a bound document.
struct BoundPath<'t> {
    range: Range<usize>,
    binding: &'t str,
    output: &'t str,
}

impl<'t> BoundPath<'t> {
    fn near_miss(&self, range: Range<usize>, form: Form) -> NearMiss<'t> {
        NearMiss {
            form,
            range,
            path: self.range.clone(),
            binding: Some(Cow::Borrowed(self.binding)),
            output: Cow::Borrowed(self.output),
        }
    }
}

/// Returns the path that begins at byte `start`, if its first name is bound.
fn bound_path<'t>(text: &'t str, start: usize, heads: &Heads) -> Option<BoundPath<'t>> {
    let bytes = text.as_bytes();
    if !is_name_start(bytes, start) {
        return None;
    }
    let name_end = skip_name(bytes, start);
    if !matches!(bytes.get(name_end), Some(b'.' | b'['))
        || !heads.is_bound(Some(&bytes[start..name_end]))
    {
        return None;
    }
    let mut end = name_end;
    let mut output = None;
    loop {
        let key = match bytes.get(end) {
            Some(b'.') => end + 1..skip_name(bytes, end + 1),
            Some(b'[') => {
                let inside = inside(text, end + 1, "]");
                if !inside.is_closed {
                    break;
                }
                end + 1..inside.end
            }
            _ => break,
        };
        if key.is_empty() {
            break;
        }
        end = key.end + usize::from(bytes.get(end) == Some(&b'['));
        output.get_or_insert(key);
    }
    // In double quotes, those around a key are escaped.
    let output = text.get(output?)?.trim_matches(['"', '\'', '\\']);
    Some(BoundPath {
        range: start..end,
        binding: &text[start..name_end],
        output,
    })
}

/// Returns the first path of a bound document in an expression, except in its strings and in
/// references: `${NAME:-${infra.x}}` of a shell has a reference as its default.
fn path_in_expression<'t>(
    text: &'t str,
    within: Range<usize>,
    heads: &Heads,
) -> Option<BoundPath<'t>> {
    let bytes = text.as_bytes();
    let mut at = within.start;
    while at < within.end {
        if bytes[at] == b'$' && is_own(heads.dialect(), bytes, at) {
            at = heads.dialect().extent(text, at).end.max(at + 1);
            continue;
        }
        let end = skip_name(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if !matches!(before, Some(b'.' | b'"' | b'\'' | b'/'))
            && let Some(path) = bound_path(text, at, heads)
        {
            return Some(path);
        }
        at = end;
    }
    None
}

/// Returns the reference at byte `at` if it is in a setter comment of another dialect.
fn in_other_setter<'t>(text: &'t str, at: usize, own: &dyn Dialect) -> Option<NearMiss<'t>> {
    let comment = text.get(hash_before(text, at)?..at)?;
    let dialect = *DIALECTS.iter().find(|dialect| {
        dialect.notation().id != own.notation().id && dialect.setter(comment).is_some()
    })?;
    opening_at(dialect, text.as_bytes(), at)?;
    let Path {
        binding, segments, ..
    } = dialect.parse(text, at).ok()?.path;
    let extent = dialect.extent(text, at);
    Some(NearMiss {
        form: Form::Setter(dialect),
        path: extent.clone(),
        range: extent,
        binding: binding.map(Cow::Owned),
        output: Cow::Owned(segments.first()?.step.key().into_owned()),
    })
}

/// Returns the `#` of what could be a setter comment of the dialect around byte `at`.
pub(crate) fn setter_before(dialect: &dyn Dialect, text: &str, at: usize) -> Option<usize> {
    let start = at.saturating_sub(4 * MAX_LENGTH);
    let line = text.as_bytes().get(start..at)?;
    let line_start = memchr::memrchr(b'\n', line).map_or(0, |end| end + 1);
    let mut hashes =
        memchr::memrchr_iter(b'#', &line[line_start..]).map(|hash| start + line_start + hash);
    hashes.find(|hash| {
        let comment = text.get(*hash..at).unwrap_or_default();
        dialect.setter(comment).is_some()
    })
}

/// Returns the last `#` before byte `at` on its line.
fn hash_before(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = at.saturating_sub(MAX_LENGTH);
    let hash = start + memchr::memrchr2(b'#', b'\n', bytes.get(start..at)?)?;
    (bytes[hash] == b'#').then_some(hash)
}

fn is_name_start(bytes: &[u8], at: usize) -> bool {
    (bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let heads = Heads::new(["infra"]);
        let found = candidates(text, &heads).into_iter().map(|at| {
            let near = near_miss(text, at, &heads).unwrap();
            let binding = near.binding.as_deref().unwrap_or("-");
            format!("{} {binding} {}", &text[near.range], near.output)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn finds_every_form() {
        for (text, output) in [
            ("{{infra.x}}", "x"),
            ("{{ .infra.x }}", "x"),
            ("{{ $infra.x }}", "x"),
            ("{{- .infra.x }}", "x"),
            ("${{ infra.x }}", "x"),
            ("{{infra.x | upper}}", "x"),
            ("$infra.x", "x"),
            ("$infra.x.y[0]", "x"),
            ("$(infra.x)", "x"),
            ("#{infra.x}", "x"),
            ("${ .infra.x }", "x"),
            ("${join(\",\", infra.x)}", "x"),
            ("${join(\",\", infra[\"a.b\"])}", "a.b"),
            ("${upper(infra.x) }", "x"),
            ("${1 + infra.x}", "x"),
        ] {
            check(text, &[&format!("{text} infra {output}")]);
            check(
                &format!("a: 'é {text}' # b"),
                &[&format!("{text} infra {output}")],
            );
        }
        check("${vpc_id}", &["${vpc_id} - vpc_id"]);
        check("{{infra.x", &["{{infra.x infra x"]);
        check(
            "$infra.x. $infra.y",
            &["$infra.x infra x", "$infra.y infra y"],
        );
        check("a: b # kpt-set: ${a}-${b}", &["${a} - a", "${b} - b"]);
        check("a: b # kpt-set: ${infra.x}", &["${infra.x} - infra.x"]);
    }

    #[test]
    fn leaves_other_text_alone() {
        for text in [
            "${infra.x}",
            "$${infra.x}",
            "${infra.x | default(\"{{infra.y}}\")}",
            "$$infra.x",
            "$${{infra.x}}",
            "\\$infra.x",
            "$infra",
            "$infra-x",
            "{{infra}}",
            "{{ other.x }}",
            "{{ .Values.infra.x }}",
            "$(other.x)",
            "$other.x",
            "{infra.x}",
            "# {infra.x}",
            "${other.x | default(infra.y)}",
            "${file(\"infra.json\")}",
            "${}",
            "${a:-b}",
            "${B:-${infra.n}}",
            "${A/${infra.n}/x}",
            "${B:-${infra.n | default(\"x\")}-y}",
            "$",
            "{{",
            "#{",
        ] {
            check(text, &[]);
        }
    }
}
