//! The scalars of a document that hold references, and the references in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::analysis::Disabled;
use crate::bind::document::assignment::Assignments;
use crate::bind::document::targets::Targets;
use crate::bind::document::{Read, Rendered, Renderer};
use crate::kubernetes::Format;
use crate::kubernetes::resources::Places;
use crate::reference::Mask;
use crate::reference::not_a_reference;
use crate::reference::{Site, extent, parse};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{Decoded, Kind, NodeId, Style, Tree, decode};

/// A scalar that holds references or escapes.
pub(crate) struct Holder<'t> {
    pub(crate) id: NodeId,
    pub(crate) decoded: Decoded<'t>,
    pub(crate) reads: Vec<Read>,
    /// Decoded bytes of the `$` that escapes lose.
    pub(crate) escapes: Vec<Range<usize>>,
    /// The scalar is a document itself; then it has neither reads nor escapes of
    /// its own.
    pub(crate) embedded: Option<Format>,
}

impl<'d> Renderer<'d, '_> {
    /// None: the ends of some references were not where raw text told; `known`
    /// holds them now.
    pub(crate) fn document(
        mut self,
        tree: &Tree,
        masks: &[Mask],
        known: &mut BTreeMap<usize, usize>,
    ) -> Option<Rendered> {
        let places = Places::new(tree, BTreeMap::new()).within(self.ground.field());
        let ground = self.ground;
        let site = Site {
            manifest: ground.origin,
            span_of: &|range| ground.span(range),
            style: Style::Plain,
        };
        let (disabled, unclear) = Disabled::find(ground.text, tree, &places, masks, &site);
        for (id, error) in unclear {
            self.tell(error, &places.field(id));
        }
        let (mut holders, strays) = self.holders(tree, masks);
        holders.retain(|holder| {
            self.is_rendered(&places, holder.id) && !disabled.covers(tree, holder.id)
        });
        let listed = self.context.embedded.find(tree, &places);
        let targets = self.targets(tree, &places, &disabled);
        self.hold_targets(tree, &targets, &mut holders);
        let mut reread = false;
        for holder in &mut holders {
            holder.embedded = match targets.inside.get(&holder.id) {
                Some(inside) => self.embedding_of_targets(&listed, &places, holder, inside),
                None => self.embedding(tree, &listed, &places, holder),
            };
            reread |= self.read(tree, &places, holder, masks, known);
        }
        if reread {
            return None;
        }
        let mut kept = BTreeSet::new();
        if self.context.keep_references {
            let stays = |holder: &&Holder<'_>| holder.embedded.is_none();
            kept.extend(holders.iter().filter(stays).map(|holder| holder.id));
            holders.retain(|holder| holder.embedded.is_some());
        } else {
            for stray in strays {
                let (message, help) = match tree.is_cut_off(stray.start) {
                    false => (
                        "a reference cannot stand in an anchor, alias, tag or directive",
                        "references belong into keys and values",
                    ),
                    true => (
                        "a reference in a comment that readers of YAML 1.1 end before it",
                        "remove the line break of YAML 1.1 (U+0085, U+2028 or U+2029) in the comment",
                    ),
                };
                let error = Diagnostic::error(Rule::MisplacedReference, message)
                    .at(self.origin(), self.span(&stray), "")
                    .help(help);
                self.rendered.diagnostics.push(error);
            }
        }
        let mut list = self.setters(tree, &places, &disabled);
        list.extend(targets.assignments);
        let assignments = Assignments {
            list,
            inside: targets.inside,
            kept,
        };
        if holders.is_empty() && assignments.is_empty() {
            self.conceal(tree, &places, &assignments, masks);
            return Some(self.finish());
        }
        if places.root_has("sops") {
            let reads = holders.iter().flat_map(|holder| &holder.reads);
            let first = reads.chain(assignments.reads()).next();
            let first = first.map(|read| (read.origin, read.span));
            if let Some((origin, span)) = first.or_else(|| self.first_inside(&assignments)) {
                let error = Diagnostic::error(
                    Rule::EncryptedDocument,
                    "a reference in a document that SOPS encrypted",
                );
                self.rendered.diagnostics.push(
                    error
                        .at_concealed(origin, span, "")
                        .help("editing it would break its MAC: put the reference before encrypting, or into another manifest"),
                );
            }
            // Escapes stay too: not one byte of it may change.
            self.conceal(tree, &places, &assignments, masks);
            return Some(self.rendered);
        }
        let places = self.substitute(tree, &holders, &assignments, places);
        self.conceal(tree, &places, &assignments, masks);
        Some(self.finish())
    }

    /// Adds the scalars in whose text field paths go on.
    fn hold_targets(&mut self, tree: &Tree, targets: &Targets<'_>, holders: &mut Vec<Holder<'d>>) {
        let held = holders.len();
        for (id, inside) in &targets.inside {
            let known = holders[..held].binary_search_by_key(id, |holder| holder.id);
            if known.is_ok() {
                continue;
            }
            let node = &tree[*id];
            match decode(self.ground.text, tree, *id) {
                Some(decoded) => holders.push(Holder {
                    id: *id,
                    decoded,
                    reads: Vec::new(),
                    escapes: Vec::new(),
                    embedded: None,
                }),
                None => {
                    let span = self.span(&node.range());
                    self.not_inside(inside, "it cannot be decoded", span, "write it in quotes");
                }
            }
        }
        holders.sort_by_key(|holder| holder.id);
    }

    /// The value of the first field path that goes on in a scalar.
    fn first_inside(&self, assignments: &Assignments<'_>) -> Option<(Origin, Span)> {
        let inner = assignments.inside.values().flatten().next()?;
        let bindings = self.context.field_bindings;
        Some((bindings.origin, bindings.list[inner.binding()].value.span))
    }

    /// Whether a node of this document is rendered at all.
    pub(crate) fn is_rendered(&self, places: &Places<'_>, id: NodeId) -> bool {
        match self.context.only_under {
            Some(key) if self.ground.inside.is_none() => places.root_key(id) == Some(key),
            _ => true,
        }
    }

    /// The scalars that hold masks, and the masks that stand where no value can.
    fn holders(&self, tree: &Tree, masks: &[Mask]) -> (Vec<Holder<'d>>, Vec<Range<usize>>) {
        let mut holders = Vec::new();
        let mut strays = Vec::new();
        let mut next = 0;
        let mut stray = |mask: &Mask| {
            let at = mask.range.start;
            if tree.comment_at(at).is_none() && !mask.escaped {
                strays.push(mask.range.clone());
            }
        };
        for (id, node) in tree.nodes() {
            if !matches!(node.kind(), Kind::Scalar { .. }) {
                continue;
            }
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < node.range().start)
            {
                stray(&masks[next]);
                next += 1;
            }
            let first = next;
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < node.range().end)
            {
                next += 1;
            }
            if first < next {
                match decode(self.ground.text, tree, id) {
                    Some(decoded) => holders.push(Holder {
                        id,
                        decoded,
                        reads: Vec::new(),
                        escapes: Vec::new(),
                        embedded: None,
                    }),
                    None => masks[first..next].iter().for_each(&mut stray),
                }
            }
        }
        masks[next..].iter().for_each(&mut stray);
        (holders, strays)
    }

    /// The second reading: the references of one scalar, from its decoded text.
    /// True when one ended elsewhere than its mask.
    fn read(
        &mut self,
        tree: &Tree,
        places: &Places<'_>,
        holder: &mut Holder<'_>,
        masks: &[Mask],
        known: &mut BTreeMap<usize, usize>,
    ) -> bool {
        let node = &tree[holder.id];
        let decoded = &holder.decoded;
        let first = masks.partition_point(|mask| mask.range.start < node.range().start);
        let mut reread = false;
        let mut behind = 0;
        for mask in masks[first..]
            .iter()
            .take_while(|mask| mask.range.start < node.range().end)
        {
            let Some(at) = decoded
                .decoded_at(mask.range.start)
                .filter(|at| *at >= behind)
            else {
                continue;
            };
            // Over a line break raw text may look like a head where the scalar's
            // own text is none.
            if !self.context.heads.is_head(&decoded.text, at) {
                continue;
            }
            let parsed = parse(&decoded.text, at);
            let end = match &parsed {
                Ok(reference) => reference.range.end,
                Err(_) => extent(&decoded.text, at).end,
            };
            let raw = decoded.raw_range(&(at..end));
            behind = end;
            if raw.end != mask.range.end && known.get(&mask.range.start) != Some(&raw.end) {
                known.insert(mask.range.start, raw.end);
                reread = true;
                continue;
            }
            // The document in this scalar reads its own.
            if holder.embedded.is_some() || self.context.keep_references {
                continue;
            }
            if mask.escaped {
                holder.escapes.push(at - 1..at);
                continue;
            }
            match parsed {
                Ok(reference) => {
                    let raw = mask.range.start..raw.end;
                    holder.reads.push(Read {
                        reference,
                        origin: self.ground.origin,
                        span: self.ground.span(&raw),
                        written: self.written(&self.ground.text[raw.clone()]),
                        raw,
                    });
                }
                Err(error) => {
                    let span_of = |range: &Range<usize>| self.span(&decoded.raw_range(range));
                    let (text, range) = (&decoded.text, at..end);
                    let told = not_a_reference(&error, text, &range, self.origin(), &span_of);
                    self.tell(told, &places.field(holder.id));
                    if error.at == decoded.text.len() || error.unterminated {
                        // It swallows what follows in this scalar.
                        break;
                    }
                }
            }
        }
        reread
    }

    /// A reference as the report shows it, when one is wanted.
    pub(crate) fn written(&self, reference: &str) -> String {
        match self.context.wants_substitutions {
            true => reference.split_whitespace().collect::<Vec<_>>().join(" "),
            false => String::new(),
        }
    }
}
