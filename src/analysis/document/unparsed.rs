//! Documents that are not valid YAML.

use super::Analyser;
use crate::analysis::is_like_setter;
use crate::kubernetes::is_kind;
use crate::reference::{Dialect, Mask, has_own_text};
use crate::report::{Diagnostic, Rule, shown_at};
use yaml::{BLANKS, CommentScan, LocateError, Span};

/// How many references are parsed to find an unclosed one.
const MAX_PARSED: usize = 64;

impl Analyser<'_> {
    /// Reports a document that is not YAML if it contains a reference outside comments or
    /// in a setter comment. Others pass.
    pub(super) fn report_unparsed(&mut self, error: &LocateError, masks: &[Mask]) {
        let source = self.source.text;
        let origin = self.source.origin;
        let dialect = self.scope.heads.dialect();
        let first = if self.scope.keep_references {
            None
        } else {
            first_outside_comments(source, masks)
        };
        let in_setter = first_in_setter(dialect, source, masks);
        let Some(first) = first.or(in_setter) else {
            return;
        };
        let unterminated = masks.iter().take(MAX_PARSED).find_map(|mask| {
            let line = memchr::memchr(b'\n', &source.as_bytes()[mask.range.start..]);
            let line_end = line.map_or(source.len(), |length| mask.range.start + length);
            let syntax = dialect.parse(&source[..line_end], mask.range.start).err()?;
            (syntax.unterminated && !mask.escaped).then_some((mask, syntax))
        });
        let mut diagnostic = match unterminated {
            Some((mask, syntax)) => {
                Diagnostic::error(Rule::UnterminatedReference, "unclosed reference")
                    .at(origin, self.span(&mask.range), syntax.message)
                    .help(format!("close it with `{}`", dialect.notation().closer))
            }
            None => {
                let embedded = self.source.is_embedded();
                let message = error.described(match (error.too_deep, embedded) {
                    (false, false) => "the document contains references but",
                    (false, true) => "the embedded document contains references but",
                    (true, false) => "the document contains references and",
                    (true, true) => "the embedded document contains references and",
                });
                let at = shown_at(error);
                Diagnostic::error(Rule::DocumentIsNotYaml, message)
                    .at(origin, self.span(&(at..at)), error.label())
                    .at(origin, self.span(&first.range), "the first reference")
                    .help(match source.contains("{{") {
                        _ if error.too_deep => "move the references to a less deeply nested document; documents without references are not parsed",
                        _ if is_bom(source, error.at) => "remove the byte order mark there: it began a file that was added after other text. Save that file without it (PowerShell: `-Encoding utf8NoBOM`)",
                        _ if embedded => "fix it, or declare it as text in the Binding: `embedded: [{select: {…}, fieldPaths: […], format: text}]`",
                        true => "this looks like a Helm template: render it with `helm template` first, and pass the result to landfall",
                        false => "fix the syntax: only documents without references to bound names may be invalid",
                    })
            }
        };
        if may_be_secret(source) || has_setter(source) {
            // It may be a Secret, or an earlier value: only a tree could tell.
            for label in &mut diagnostic.labels {
                label.conceal = true;
                if has_own_text(self.source.raw(label.span)) {
                    label.span = Span::point(label.span.start);
                }
            }
        }
        self.findings.push(None, diagnostic);
    }
}

/// Whether a byte order mark is at byte `at`, or ends there.
fn is_bom(source: &str, at: usize) -> bool {
    let bom = '\u{feff}';
    source.get(at..).is_some_and(|rest| rest.starts_with(bom))
        || source.get(..at).is_some_and(|before| before.ends_with(bom))
}

/// Returns whether a document may be a Secret: it has the word, or a kind that is not a name.
fn may_be_secret(source: &str) -> bool {
    let is_unknown = |at: usize| {
        let rest = source
            .get(at..)
            .unwrap_or_default()
            .trim_start_matches(['"', '\''])
            .trim_start_matches(BLANKS);
        let Some(value) = rest.strip_prefix(':') else {
            return false;
        };
        let value = value.trim_start_matches([' ', '\t', '"', '\'']);
        let end = value.find([' ', '\t', '\n', '\r', '"', '\'', ',', '}']);
        let value = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
        value.is_empty() || !is_kind(value)
    };
    source.contains("Secret")
        || source.contains("stringData")
        || source.contains("secretGenerator")
        // A Binding may have outputs in it.
        || source.contains("landfall.dev/")
        || source.match_indices("kind").any(|(at, kind)| is_unknown(at + kind.len()))
}

/// Returns whether a document has a setter comment, or one that looks like one.
fn has_setter(source: &str) -> bool {
    /// What is read of a comment.
    const LENGTH: usize = 64;
    source.match_indices('#').any(|(at, _)| {
        let rest = source.get(at..).unwrap_or_default();
        let comment = rest.get(..LENGTH).unwrap_or(rest);
        is_like_setter(comment.lines().next().unwrap_or_default())
    })
}

/// Returns the first mask that is not in a comment, as far as that is known without
/// parsing.
fn first_outside_comments<'m>(source: &str, masks: &'m [Mask]) -> Option<&'m Mask> {
    let mut comments = CommentScan::default();
    masks
        .iter()
        .find(|mask| !comments.covers(source, mask.range.start))
}

/// Returns the first mask that follows the start of a setter comment on its line.
fn first_in_setter<'m>(dialect: &dyn Dialect, source: &str, masks: &'m [Mask]) -> Option<&'m Mask> {
    let mut seen = 0;
    masks.iter().find(|mask| {
        let between = seen..mask.range.start;
        seen = mask.range.end;
        // The text before the last mask of the same line was already checked.
        let text = source.get(between).unwrap_or_default();
        let line = text.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let mut comments = text[line..].match_indices('#');
        comments.any(|(at, _)| {
            let begins = at == 0 || text[line..line + at].ends_with([' ', '\t']);
            begins && dialect.setter(&text[line + at..]).is_some()
        })
    })
}
