//! References that were encoded before landfall ran: `secretGenerator` and
//! `kubectl create secret` write `data` as base64, and references in it would be deployed
//! unrendered.

mod scan;

use std::ops::Range;

use crate::analysis::Disabled;
use crate::analysis::View;
use crate::analysis::encoded::scan::encoded_heads;
use crate::kubernetes::resources::{Field, Occurrence, Resources};
use crate::outputs::base64_bytes;
use crate::reference::{Dialect, Reference, is_escaped, openings};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{Document, Kind, NodeId, Role, Tree};

/// The maximum length of a reference in decoded bytes.
const MAX_REFERENCE: usize = 4096;

/// How many bytes of anchors, tags and blanks may be between a key and its value.
const MAX_PROPERTIES: usize = 256;

/// Appends to `found`, ascending, the positions at which the bytes `within` of a text may
/// declare a resource with entries that Kubernetes decodes. Documents without one are not
/// checked. Prose about Secrets, which is frequent in CustomResourceDefinitions, does not
/// count.
pub(crate) fn decoded_kinds(text: &str, within: Range<usize>, found: &mut Vec<usize>) {
    let known = found.len();
    let start = within.start;
    for (word, is_kind) in [("Secret", true), ("binaryData", false)] {
        for at in memchr::memmem::find_iter(&text.as_bytes()[within.clone()], word) {
            let at = start + at;
            let after = &text[at + word.len()..];
            let is_declaration = if is_kind {
                is_value(&text[..at], after)
            } else {
                is_key(after)
            };
            if is_declaration {
                found.push(at);
            }
        }
    }
    found[known..].sort_unstable();
}

/// Whether [`decoded_kinds`] finds anything in a text.
pub(crate) fn may_hold_encoded(text: &str) -> bool {
    let mut found = Vec::new();
    decoded_kinds(text, 0..text.len(), &mut found);
    !found.is_empty()
}

/// Whether `after` may be the text after a key.
fn is_key(after: &str) -> bool {
    let after = after.trim_start_matches(['"', '\'']);
    after.trim_ascii_start().starts_with(':')
}

/// Whether the text between `before` and `after` may be a whole value: `kind: Secret`.
fn is_value(before: &str, after: &str) -> bool {
    let after = after.strip_prefix("List").unwrap_or(after);
    let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    // An anchor and a tag may be in between; longer ones do not occur in practice.
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
/// encodes a reference whose name `is_wanted`. Documents must pass [`may_hold_encoded`];
/// only those that contain such base64 are parsed.
pub(crate) fn encoded_references(
    document: Document<'_>,
    dialect: &'static dyn Dialect,
    file: usize,
    view: View<'_>,
    is_wanted: &dyn Fn(Option<&[u8]>) -> bool,
) -> Vec<Diagnostic> {
    if !dialect.notation().searches_base64 {
        return Vec::new();
    }
    let text = document.text;
    let hits = encoded_heads(text, dialect, is_wanted);
    if hits.is_empty() {
        return Vec::new();
    }
    let Ok(trees) = view.trees(text, dialect) else {
        // The API server rejects it anyway.
        return Vec::new();
    };
    let tree = &*trees.masked;
    let resources = Resources::new(trees.written());
    let disabled = Disabled::of(text, tree, &resources, dialect);
    let mut found = Vec::new();
    let mut hits = hits.into_iter().peekable();
    for (id, node) in tree.nodes() {
        if !matches!(node.kind(), Kind::Scalar { .. }) {
            continue;
        }
        while hits.next_if(|hit| *hit < node.range().start).is_some() {}
        let mut has_hit = false;
        while hits.next_if(|hit| *hit < node.range().end).is_some() {
            has_hit = true;
        }
        if !has_hit {
            continue;
        }
        let is_rendered = |node: NodeId| {
            let is_under = view
                .only_under
                .is_none_or(|key| resources.root_key(node) == Some(key));
            is_under && !disabled.covers(tree, node)
        };
        if let Some(entry) = Entry::of(&resources, id, is_rendered) {
            found.extend(entry.validate(dialect, tree, document.offset, file, is_wanted));
        }
    }
    found
}

/// An entry that Kubernetes decodes from base64.
struct Entry {
    scalar: NodeId,
    /// Where to report it: its key, or the alias that repeats it.
    shown: NodeId,
    field: Field,
}

impl Entry {
    /// Returns the first occurrence of a scalar that is such an entry, aliases resolved. If
    /// they repeat values without bound, only its own field counts: a render rejects that
    /// document.
    fn of(
        resources: &Resources<'_>,
        scalar: NodeId,
        is_rendered: impl Fn(NodeId) -> bool,
    ) -> Option<Self> {
        let own = || Occurrence {
            field: resources.field(scalar),
            ..Occurrence::default()
        };
        let occurrences = resources
            .occurrences(scalar, None)
            .map_or_else(|_| vec![own()], |found| found.all().cloned().collect());
        occurrences.into_iter().find_map(|occurrence| {
            let is_entry = !occurrence.is_key
                && occurrence.field.steps.len() == 2
                && (occurrence.field.holds_base64() || is_binary_data(&occurrence.field));
            if !is_entry || !is_rendered(occurrence.alias.unwrap_or(scalar)) {
                return None;
            }
            let shown = match (occurrence.alias, resources.role(scalar)) {
                (Some(alias), _) => alias,
                (None, Role::Value(key)) => key,
                (None, _) => return None,
            };
            Some(Self {
                scalar,
                shown,
                field: occurrence.field,
            })
        })
    }

    /// Returns an error if the entry is base64 with a reference.
    fn validate(
        &self,
        dialect: &'static dyn Dialect,
        tree: &Tree,
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
        let help = if field.holds_base64() {
            "use `stringData`, or `| base64` in `data`, or render before encoding"
        } else {
            "use `data` of the ConfigMap, or render before encoding"
        };
        let message = format!(
            "`{field}` is base64-encoded text with the reference `{}`, which is not rendered",
            reference.path.display()
        );
        let error = Diagnostic::error(Rule::EncodedReference, message)
            .at_concealed(Origin::Manifest(file), span, "")
            .help(dialect.translate_calls(help));
        Some(error.in_field(Some(field)))
    }
}

fn is_binary_data(field: &Field) -> bool {
    let resource = field.resource.as_deref();
    resource.is_some_and(|resource| resource.kind == "ConfigMap" && resource.api_version == "v1")
        && field.key(0) == Some("binaryData")
}

/// Returns the first reference in decoded bytes, which need not be text.
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
