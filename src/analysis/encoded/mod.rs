//! References that something encoded before landfall saw them: `secretGenerator` and
//! `kubectl create secret` write `data` as base64, and what is in it is deployed as it
//! is.

mod scan;

use std::ops::Range;

use crate::analysis::Disabled;
use crate::analysis::View;
use crate::analysis::encoded::scan::encoded_heads;
use crate::functions::base64_bytes;
use crate::kubernetes::resources::{Field, Occurrence, Resources};
use crate::reference::{Dialect, Reference, is_escaped, openings};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{Document, Kind, NodeId, Role, Tree};

/// A reference longer than this is not looked for in decoded bytes.
const MAX_REFERENCE: usize = 4096;

/// How many bytes of anchors, tags and blanks are looked over between a key and its value.
const MAX_PROPERTIES: usize = 256;

/// Finds where a text, in these bytes of it, may say that it is a resource with entries
/// that clusters decode, ascending: other documents are not looked at. Prose about
/// Secrets, of which the definitions of operators are full, is not enough.
pub(crate) fn decoded_kinds(text: &str, within: Range<usize>, found: &mut Vec<usize>) {
    let known = found.len();
    let start = within.start;
    for (word, is_kind) in [("Secret", true), ("binaryData", false)] {
        for at in memchr::memmem::find_iter(&text.as_bytes()[within.clone()], word) {
            let at = start + at;
            let after = &text[at + word.len()..];
            let is_one = match is_kind {
                true => is_value(&text[..at], after),
                false => is_key(after),
            };
            if is_one {
                found.push(at);
            }
        }
    }
    found[known..].sort_unstable();
}

/// Whether [`decoded_kinds`] finds any in a text.
pub(crate) fn may_hold_encoded(text: &str) -> bool {
    let mut found = Vec::new();
    decoded_kinds(text, 0..text.len(), &mut found);
    !found.is_empty()
}

/// Whether this may follow a key.
fn is_key(after: &str) -> bool {
    let after = after.trim_start_matches(['"', '\'']);
    after.trim_ascii_start().starts_with(':')
}

/// Whether the text between these two may be a whole value, `kind: Secret`.
fn is_value(before: &str, after: &str) -> bool {
    let after = after.strip_prefix("List").unwrap_or(after);
    let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    // An anchor and a tag may be between; nobody writes longer ones.
    let before = before.trim_end_matches(['"', '\'']).as_bytes();
    let mut before = &before[before.len().saturating_sub(MAX_PROPERTIES)..];
    loop {
        before = before.trim_ascii_end();
        match before.iter().rposition(u8::is_ascii_whitespace) {
            Some(at) if matches!(before.get(at + 1), Some(b'&' | b'!')) => before = &before[..at],
            _ => break,
        }
    }
    ends && matches!(
        before.last(),
        Some(b':' | b'-' | b'|' | b'>' | b',' | b'[' | b'{')
    )
}

/// Reports every entry of a Secret's `data`, and of a ConfigMap's `binaryData`, that
/// encodes a reference whose name `is_wanted`, in a document that
/// [`may_hold_encoded`] ones. Only
/// those that hold such base64 are parsed.
pub(crate) fn encoded_references(
    document: Document<'_>,
    dialect: &'static dyn Dialect,
    file: usize,
    view: View<'_>,
    is_wanted: &dyn Fn(Option<&[u8]>) -> bool,
) -> Vec<Diagnostic> {
    let text = document.text;
    let hits = encoded_heads(text, dialect, is_wanted);
    if hits.is_empty() {
        return Vec::new();
    }
    let Ok(tree) = view.tree(text, dialect) else {
        // No API server reads it either.
        return Vec::new();
    };
    let tree = &*tree;
    let resources = Resources::new(tree);
    let disabled = Disabled::of(text, tree, &resources);
    let mut found = Vec::new();
    let mut hits = hits.into_iter().peekable();
    for (id, node) in tree.nodes() {
        if !matches!(node.kind(), Kind::Scalar { .. }) {
            continue;
        }
        while hits.next_if(|hit| *hit < node.range().start).is_some() {}
        let mut is_hit = false;
        while hits.next_if(|hit| *hit < node.range().end).is_some() {
            is_hit = true;
        }
        if !is_hit {
            continue;
        }
        let is_rendered = |node: NodeId| {
            let is_under = view
                .only_under
                .is_none_or(|key| resources.root_key(node) == Some(key));
            is_under && !disabled.covers(tree, node)
        };
        if let Some(entry) = Entry::of(&resources, id, is_rendered) {
            found.extend(entry.validate((dialect, tree), document.offset, file, is_wanted));
        }
    }
    found
}

/// An entry that clusters decode.
struct Entry {
    scalar: NodeId,
    /// Its key, or the alias that repeats it there.
    shown: NodeId,
    field: Field,
}

impl Entry {
    /// The first place where a scalar is such an entry, aliases resolved. Where they
    /// repeat values without end, its own place: a render refuses that document.
    fn of(
        resources: &Resources<'_>,
        scalar: NodeId,
        is_rendered: impl Fn(NodeId) -> bool,
    ) -> Option<Self> {
        let own = || Occurrence {
            field: resources.field(scalar),
            ..Occurrence::default()
        };
        let occurrences = resources.occurrences(scalar, None);
        let occurrences =
            occurrences.map_or_else(|_| vec![own()], |found| found.all().cloned().collect());
        occurrences.into_iter().find_map(|place| {
            let is_entry = !place.is_key
                && place.field.steps.len() == 2
                && (place.field.holds_base64() || is_binary_data(&place.field));
            if !is_entry || !is_rendered(place.alias.unwrap_or(scalar)) {
                return None;
            }
            let shown = match (place.alias, resources.role(scalar)) {
                (Some(alias), _) => alias,
                (None, Role::Value(key)) => key,
                (None, _) => return None,
            };
            Some(Self {
                scalar,
                shown,
                field: place.field,
            })
        })
    }

    /// What is wrong with it, if it holds base64 of a reference.
    fn validate(
        &self,
        (dialect, tree): (&'static dyn Dialect, &Tree),
        offset: usize,
        file: usize,
        is_wanted: &dyn Fn(Option<&[u8]>) -> bool,
    ) -> Option<Diagnostic> {
        let field = &self.field;
        let encoded: String = tree
            .text(self.scalar)?
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .collect();
        let reference = first_reference(dialect, &base64_bytes(&encoded)?, is_wanted)?;
        // The value's own bytes are a secret.
        let shown = &tree[self.shown].range();
        let span = Span::new(shown.start, shown.end).shifted(offset);
        let help = match field.holds_base64() {
            true => "use `stringData`, or `| base64` in `data`, or render before encoding",
            false => "use `data` of the ConfigMap, or render before encoding",
        };
        let message = format!(
            "`{field}` is base64-encoded text with the reference `{}`, which is not rendered",
            reference.path.spelled()
        );
        let error = Diagnostic::error(Rule::EncodedReference, message)
            .at_concealed(Origin::Manifest(file), span, "")
            .help(dialect.worded(help));
        Some(error.in_field(Some(field)))
    }
}

fn is_binary_data(field: &Field) -> bool {
    let resource = field.resource.as_deref();
    resource.is_some_and(|resource| resource.kind == "ConfigMap" && resource.api_version == "v1")
        && field.key(0) == Some("binaryData")
}

/// The first reference in decoded bytes, which may be anything.
fn first_reference(
    dialect: &'static dyn Dialect,
    bytes: &[u8],
    is_wanted: &dyn Fn(Option<&[u8]>) -> bool,
) -> Option<Reference> {
    openings(dialect, bytes)
        .filter(|opening| !is_escaped(dialect, bytes, opening.at))
        .filter(|opening| is_wanted(opening.binding(bytes)))
        .find_map(|opening| {
            let at = opening.at;
            let end = bytes.len().min(at + MAX_REFERENCE);
            let text = String::from_utf8_lossy(&bytes[at..end]);
            dialect.parse(&text, 0).ok()
        })
}
