//! References that something encoded before landfall saw them: `secretGenerator` and
//! `kubectl create secret` write `data` as base64, and what is in it is deployed as it
//! is.

mod scan;

use std::collections::BTreeMap;

use self::scan::encoded_heads;
use super::document::Disabled;
use super::functions::base64_bytes;
use super::place::{Field, Places};
use super::secret_data::holds_base64;
use super::unbound::View;
use crate::manifest::{Document, Kind, NodeId, Role, Tree, locate, mask_shapes, masked};
use crate::reference::{Reference, head_name, openings, parse};
use crate::report::{Diagnostic, Origin, Rule, Span};

/// A reference longer than this is not looked for in decoded bytes.
const MAX_REFERENCE: usize = 4096;

/// Whether a text may hold such entries: other documents are not looked at.
pub(crate) fn may_hold_encoded(text: &str) -> bool {
    let says = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    says("Secret") || says("binaryData")
}

/// Reports every entry of a Secret's `data`, and of a ConfigMap's `binaryData`, that
/// encodes a reference whose name `is_wanted`. Only documents that say the one or the
/// other and hold such base64 are parsed.
pub(crate) fn encoded_references(
    document: Document<'_>,
    file: usize,
    view: View<'_>,
    is_wanted: &dyn Fn(&[u8]) -> bool,
) -> Vec<Diagnostic> {
    let text = document.text;
    if !may_hold_encoded(text) {
        return Vec::new();
    }
    let hits = encoded_heads(text, is_wanted);
    if hits.is_empty() {
        return Vec::new();
    }
    let scratch = masked(text, mask_shapes(text).iter());
    let mut relaxed = String::new();
    let Ok(tree) = locate(&scratch, &mut relaxed) else {
        // No API server reads it either.
        return Vec::new();
    };
    let places = Places::new(&tree, BTreeMap::new());
    let disabled = Disabled::of(text, &tree, &places);
    let mut found = Vec::new();
    let mut hits = hits.into_iter().peekable();
    for (id, node) in tree.nodes.iter().enumerate() {
        if !matches!(node.kind, Kind::Scalar { .. }) {
            continue;
        }
        while hits.next_if(|hit| *hit < node.range.start).is_some() {}
        let mut is_hit = false;
        while hits.next_if(|hit| *hit < node.range.end).is_some() {
            is_hit = true;
        }
        let is_rendered = view
            .only_under
            .is_none_or(|key| places.root_key(id) == Some(key));
        if is_hit && is_rendered && !disabled.covers(&tree, id) {
            found.extend(entry(&tree, &places, id, document.offset, file, is_wanted));
        }
    }
    found
}

/// What is wrong with one entry, if it holds base64 of a reference.
fn entry(
    tree: &Tree<'_>,
    places: &Places<'_>,
    id: NodeId,
    offset: usize,
    file: usize,
    is_wanted: &dyn Fn(&[u8]) -> bool,
) -> Option<Diagnostic> {
    let Role::Value(key) = tree.nodes[id].role else {
        return None;
    };
    let field = places.field(id);
    let is_secret = holds_base64(&field) && field.steps.len() == 2;
    if !is_secret && !is_binary_data(&field) {
        return None;
    }
    let encoded: String = tree
        .text(id)?
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .collect();
    let reference = first_reference(&base64_bytes(&encoded)?, is_wanted)?;
    // The value's own bytes are a secret.
    let key = &tree.nodes[key].range;
    let span = Span::new(key.start, key.end).shifted(offset);
    let help = match is_secret {
        true => {
            "landfall renders `stringData`, and `| base64` in `data`: write it there, or render before this is encoded"
        }
        false => {
            "landfall renders `data` of a ConfigMap: write it there, or render before this is encoded"
        }
    };
    let message = format!(
        "`{field}` is base64 of a text with the reference `{}`, which nothing renders",
        reference.path.spelled()
    );
    let mut error = Diagnostic::error(Rule::EncodedReference, message)
        .at_concealed(Origin::Manifest(file), span, "")
        .help(help);
    error.resource.clone_from(&field.resource);
    error.field = Some(field.to_string());
    Some(error)
}

fn is_binary_data(field: &Field) -> bool {
    let resource = field.resource.as_ref();
    resource.is_some_and(|resource| resource.kind == "ConfigMap" && resource.api_version == "v1")
        && field.key(0) == Some("binaryData")
        && field.steps.len() == 2
}

/// The first reference in decoded bytes, which may be anything.
fn first_reference(bytes: &[u8], is_wanted: &dyn Fn(&[u8]) -> bool) -> Option<Reference> {
    openings(bytes)
        .filter(|&at| at == 0 || bytes[at - 1] != b'$')
        .filter(|&at| head_name(bytes, at).is_some_and(is_wanted))
        .find_map(|at| {
            let end = bytes.len().min(at + MAX_REFERENCE);
            let text = String::from_utf8_lossy(&bytes[at..end]);
            parse(&text, 0).ok()
        })
}
