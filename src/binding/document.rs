//! One document: its references found, resolved, judged by their places, and
//! turned into edits.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::fields::{CustomKinds, Landed, Landings, Refusal};
use super::functions::{called_behind, size};
use super::near_miss::begins_comment;
use super::place::{Field, Places};
use super::policy::Policy;
use super::resolve::{Resolved, Site};
use super::secret_data;
use super::settle::{settle, stays_whole};
use super::substitute::{Misfit, Part, Scalar};
use crate::manifest::{
    Decoded, Document, Granit, Kind, LocateError, Locator, Mask, NodeId, Role, Style, Tree, decode,
    mask_others, mask_references, masked,
};
use crate::outputs::{Bindings, Type, Value};
use crate::reference::{Heads, Reference, extent, parse};
use crate::report::{Diagnostic, Edit, Origin, Rule, Span, Substitution};

/// How often a document may be parsed again because a reference ended elsewhere
/// than its raw text told.
const REREADINGS: usize = 4;

/// How many references are looked at for one that is not closed, when a document
/// does not parse.
const MOST_LOOKED_AT: usize = 64;

/// What stands for a sensitive value, as Terraform words it.
const SENSITIVE: &str = "(sensitive)";

/// More than any name, kind or apiVersion may have.
const LONGEST_NAME: usize = 512;

/// What every document of a render shares.
pub(crate) struct Context<'c> {
    pub(crate) bindings: &'c Bindings,
    pub(crate) heads: &'c Heads,
    pub(crate) policy: &'c Policy,
    /// The kinds that the manifests themselves define.
    pub(crate) custom: &'c CustomKinds<'c>,
    /// Position of the source file.
    pub(crate) file: usize,
    /// Render only what stands under this key of the root: a ResourceList's
    /// `items`.
    pub(crate) only_under: Option<&'c str>,
    pub(crate) wants_substitutions: bool,
    pub(crate) budget: &'c Budget,
}

/// The bytes that a render may still write: the same on every machine, unlike
/// the memory that is there.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: std::cell::Cell<u64>,
}

impl Budget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self {
            limit,
            left: std::cell::Cell::new(limit),
        }
    }

    fn has(&self, bytes: usize) -> bool {
        u64::try_from(bytes).is_ok_and(|bytes| bytes <= self.left.get())
    }

    fn take(&self, bytes: usize) -> bool {
        let left = self
            .left
            .get()
            .checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn exceeded(&self) -> Diagnostic {
        Diagnostic::error(
            Rule::AnswerTooLarge,
            format!("the values would write more than {} bytes", self.limit),
        )
        .help("raise the limit with `--max-answer`, if so much text is meant")
    }
}

/// What became of one document. Spans point into its file.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) edits: Vec<Edit>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) substitutions: Vec<Substitution>,
    /// Where scalars became lists or objects.
    pub(crate) reshaped: Vec<usize>,
}

/// A reference in its scalar, read a second time from the decoded text.
struct Read {
    reference: Reference,
    raw: Range<usize>,
}

/// A scalar that holds references or escapes.
struct Holder<'t> {
    id: NodeId,
    decoded: Decoded<'t>,
    reads: Vec<Read>,
    /// Decoded bytes of the `$` that escapes lose.
    escapes: Vec<Range<usize>>,
}

/// Renders one document.
pub(crate) fn render(document: Document<'_>, context: &Context<'_>) -> Rendered {
    let source = document.text;
    let mut known = BTreeMap::new();
    for _ in 0..REREADINGS {
        let masks = mask_references(source, context.heads, &known);
        let scratch = masked(source, masks.iter().map(|mask| &mask.range));
        let relaxed;
        let tree = match Granit.locate(&scratch) {
            Ok(tree) => Ok(tree),
            Err(error) => {
                // Other people's placeholders may be all that YAML stumbles over.
                let others = mask_others(&scratch);
                if others.is_empty() {
                    Err(error)
                } else {
                    relaxed = masked(&scratch, others.iter());
                    Granit.locate(&relaxed).map_err(|_| error)
                }
            }
        };
        let renderer = Renderer {
            document,
            context,
            rendered: Rendered::default(),
        };
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => return renderer.unparsed(&error, &masks),
        };
        match renderer.document(&tree, &masks, &mut known) {
            Some(rendered) => return rendered,
            None => continue,
        }
    }
    let mut rendered = Rendered::default();
    let span = Span::new(0, 0).shifted(document.offset);
    rendered.diagnostics.push(
        Diagnostic::error(
            Rule::InvalidReference,
            "it cannot be told where the references of this document end",
        )
        .at(Origin::Manifest(context.file), span, "this document")
        .help("put quotes around the scalars that hold references"),
    );
    rendered
}

struct Renderer<'d, 'c> {
    document: Document<'d>,
    context: &'c Context<'c>,
    rendered: Rendered,
}

impl<'d> Renderer<'d, '_> {
    const fn origin(&self) -> Origin {
        Origin::Manifest(self.context.file)
    }

    fn span(&self, raw: &Range<usize>) -> Span {
        Span::new(raw.start, raw.end).shifted(self.document.offset)
    }

    /// A document that no YAML parser reads: an error when it holds a reference
    /// outside comments, else it passes.
    fn unparsed(mut self, error: &LocateError, masks: &[Mask]) -> Rendered {
        let source = self.document.text;
        let Some(first) = first_outside_comments(source, masks) else {
            return self.rendered;
        };
        let unterminated = masks.iter().take(MOST_LOOKED_AT).find_map(|mask| {
            let line = memchr::memchr(b'\n', &source.as_bytes()[mask.range.start..]);
            let line_end = line.map_or(source.len(), |length| mask.range.start + length);
            let syntax = parse(&source[..line_end], mask.range.start).err()?;
            (syntax.unterminated && !mask.escaped).then_some((mask, syntax))
        });
        let diagnostic = match unterminated {
            Some((mask, syntax)) => {
                Diagnostic::error(Rule::UnterminatedReference, "this reference is not closed")
                    .at(self.origin(), self.span(&mask.range), syntax.message)
                    .help("a reference ends with `}`")
            }
            None => {
                let message = format!(
                    "the document holds references but is not YAML: {}",
                    error.message
                );
                Diagnostic::error(Rule::DocumentIsNotYaml, message)
                    .at(self.origin(), Span::point(error.at).shifted(self.document.offset), "YAML cannot go on here")
                    .at(self.origin(), self.span(&first.range), "the first reference")
                    .help(match source.contains("{{") {
                        true => "this looks like a Helm template, which is no YAML yet: render it with `helm template` first, and landfall renders what it writes",
                        false => "documents without references to bound names may be anything; this one must parse",
                    })
            }
        };
        let mut diagnostic = diagnostic;
        if source.contains("Secret") {
            // It may be one: nobody can tell without a tree.
            diagnostic
                .labels
                .iter_mut()
                .for_each(|label| label.conceal = true);
        }
        self.rendered.diagnostics.push(diagnostic);
        self.rendered
    }

    /// None: the ends of some references were not where raw text told; `known`
    /// holds them now.
    fn document(
        mut self,
        tree: &Tree<'_>,
        masks: &[Mask],
        known: &mut BTreeMap<usize, usize>,
    ) -> Option<Rendered> {
        let places = Places::new(tree, BTreeMap::new());
        let (mut holders, strays) = self.holders(tree, masks);
        if let Some(key) = self.context.only_under {
            holders.retain(|holder| places.root_key(holder.id) == Some(key));
        }
        let mut reread = false;
        for holder in &mut holders {
            reread |= self.read(tree, &places, holder, masks, known);
        }
        if reread {
            return None;
        }
        for stray in strays {
            self.rendered.diagnostics.push(
                Diagnostic::error(
                    Rule::MisplacedReference,
                    "a reference cannot stand in an anchor, alias, tag or directive",
                )
                .at(self.origin(), self.span(&stray), "")
                .help("references belong into keys and values"),
            );
        }
        if holders.is_empty() {
            return Some(self.rendered);
        }
        if places.root_has("sops") {
            let raw = holders
                .iter()
                .find_map(|holder| holder.reads.first())
                .map(|read| read.raw.clone());
            if let Some(raw) = raw {
                self.rendered.diagnostics.push(
                    Diagnostic::error(Rule::EncryptedDocument, "a reference in a document that SOPS encrypted")
                        .at_concealed(self.origin(), self.span(&raw), "")
                        .help("editing it would break its MAC: put the reference before encrypting, or into another manifest"),
                );
            }
            // Escapes stay too: not one byte of it may change.
            return Some(self.rendered);
        }
        self.substitute(tree, &holders, places);
        Some(self.rendered)
    }

    /// The scalars that hold masks, and the masks that stand where no value can.
    fn holders(&self, tree: &Tree<'_>, masks: &[Mask]) -> (Vec<Holder<'d>>, Vec<Range<usize>>) {
        let mut holders = Vec::new();
        let mut strays = Vec::new();
        let mut next = 0;
        let mut stray = |mask: &Mask| {
            let commented = tree
                .comments
                .partition_point(|comment| comment.start <= mask.range.start);
            let in_comment = commented
                .checked_sub(1)
                .is_some_and(|nth| mask.range.start < tree.comments[nth].end);
            if !in_comment && !mask.escaped {
                strays.push(mask.range.clone());
            }
        };
        for (id, node) in tree.nodes.iter().enumerate() {
            if !matches!(node.kind, Kind::Scalar { .. }) {
                continue;
            }
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < node.range.start)
            {
                stray(&masks[next]);
                next += 1;
            }
            let first = next;
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < node.range.end)
            {
                next += 1;
            }
            if first < next {
                match decode(self.document.text, node) {
                    Some(decoded) => holders.push(Holder {
                        id,
                        decoded,
                        reads: Vec::new(),
                        escapes: Vec::new(),
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
        tree: &Tree<'_>,
        places: &Places<'_>,
        holder: &mut Holder<'_>,
        masks: &[Mask],
        known: &mut BTreeMap<usize, usize>,
    ) -> bool {
        let node = &tree.nodes[holder.id];
        let decoded = &holder.decoded;
        let first = masks.partition_point(|mask| mask.range.start < node.range.start);
        let mut reread = false;
        let mut behind = 0;
        for mask in masks[first..]
            .iter()
            .take_while(|mask| mask.range.start < node.range.end)
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
            if mask.escaped {
                holder.escapes.push(at - 1..at);
                continue;
            }
            match parsed {
                Ok(reference) => holder.reads.push(Read {
                    reference,
                    raw: mask.range.start..raw.end,
                }),
                Err(error) => {
                    let (rule, message, help) = if error.unterminated {
                        (
                            Rule::UnterminatedReference,
                            "this reference is not closed",
                            "a reference ends with `}`, in the same scalar",
                        )
                    } else {
                        (
                            Rule::InvalidReference,
                            "this is not a reference",
                            "a reference is ${name.output}, with functions behind `|`; $${… stays as it is, without the first $",
                        )
                    };
                    let wrong = decoded.text.get(error.at..).unwrap_or_default();
                    let length = wrong.chars().next().map_or(0, char::len_utf8);
                    let place = decoded.raw_range(&(error.at..error.at + length));
                    let diagnostic =
                        Diagnostic::error(rule, format!("{message}: {}", error.message))
                            .at(self.origin(), self.span(&place), "")
                            .at(
                                self.origin(),
                                self.span(&(mask.range.start..raw.end)),
                                "it begins here",
                            )
                            .help(help);
                    let field = places.field(holder.id);
                    self.rendered.diagnostics.push(placed(diagnostic, &field));
                    if error.at == decoded.text.len() || error.unterminated {
                        // It swallows what follows in this scalar.
                        break;
                    }
                }
            }
        }
        reread
    }

    fn substitute(&mut self, tree: &Tree<'_>, holders: &[Holder<'_>], before: Places<'_>) {
        // Values first: the places are judged on the keys, the apiVersion and the
        // kind that come out.
        let mut resolved: Vec<Vec<Option<Resolved<'_>>>> = Vec::with_capacity(holders.len());
        let mut failures: Vec<(usize, Diagnostic)> = Vec::new();
        // What functions make is held until all places are judged.
        let mut made = 0_usize;
        for (nth, holder) in holders.iter().enumerate() {
            let offset = self.document.offset;
            let span_of = |range: &Range<usize>| {
                let raw = holder.decoded.raw_range(range);
                Span::new(raw.start, raw.end).shifted(offset)
            };
            let site = Site {
                manifest: self.origin(),
                span_of: &span_of,
                style: match tree.nodes[holder.id].kind {
                    Kind::Scalar { style, .. } => style,
                    _ => Style::Plain,
                },
            };
            let mut values = Vec::with_capacity(holder.reads.len());
            for read in &holder.reads {
                let (node, text) = (&tree.nodes[holder.id], &holder.decoded.text);
                match settle(&read.reference, node, text, self.context, &site) {
                    Ok(value) => {
                        made = made.saturating_add(value.made());
                        if !self.context.budget.has(made) {
                            let error = self.context.budget.exceeded();
                            return self.rendered.diagnostics.push(error);
                        }
                        failures
                            .extend(value.warnings.iter().cloned().map(|warning| (nth, warning)));
                        values.push(Some(value));
                    }
                    Err(error) => {
                        failures.extend(error.map(|error| (nth, *error)));
                        values.push(None);
                    }
                }
            }
            resolved.push(values);
        }

        let mut changed = BTreeMap::new();
        let parts: Vec<Vec<Part<'_>>> = holders
            .iter()
            .zip(&resolved)
            .map(|(holder, values)| parts_of(holder, values))
            .collect();
        let json = is_json(tree, self.document.text, holders);
        let scalars: Vec<Scalar<'_>> = holders
            .iter()
            .map(|holder| Scalar {
                source: self.document.text,
                tree,
                id: holder.id,
                decoded: &holder.decoded,
                json,
            })
            .collect();
        let hidden = Value::String(SENSITIVE.to_owned());
        for (nth, (scalar, parts)) in scalars.iter().zip(&parts).enumerate() {
            let length = parts
                .iter()
                .filter_map(|part| part.value)
                .map(size)
                .sum::<usize>();
            if !self.context.budget.take(length) {
                return self
                    .rendered
                    .diagnostics
                    .push(self.context.budget.exceeded());
            }
            // Longer texts are neither keys nor names.
            if tree.nodes[scalar.id].role == Role::Key || length <= LONGEST_NAME {
                let values = &resolved[nth];
                let target = match values.iter().flatten().any(|value| value.sensitive) {
                    // Names and keys are told in diagnostics and in the report.
                    true => scalar.target(&concealed(parts, values, &hidden)),
                    false => scalar.target(parts),
                };
                changed.insert(scalar.id, scalar.decoded.chomped(&target).to_owned());
            }
        }
        let places = before.with(changed);
        let has_secrets = places.has_kind("Secret");

        for (nth, diagnostic) in failures {
            let field = places.field(holders[nth].id);
            self.rendered.diagnostics.push(placed(diagnostic, &field));
        }
        let mut failed: BTreeSet<NodeId> = holders
            .iter()
            .zip(&resolved)
            .filter(|(_, values)| values.iter().any(Option::is_none))
            .map(|(holder, _)| holder.id)
            .collect();
        let landings = Landings::new(tree, &places, self.context.custom);
        for (((holder, values), parts), scalar) in
            holders.iter().zip(&resolved).zip(&parts).zip(&scalars)
        {
            let field = places.field(holder.id);
            if values.iter().any(Option::is_none) || stays_whole(values, !holder.escapes.is_empty())
            {
                continue;
            }
            let landed = landings.land(scalar, parts, &field);
            let is_text = matches!(landed, Ok(Landed::Whole(Value::String(_))));
            let typed = scalar.keeps_type(parts) && !is_text;
            self.judge(tree, &places, holder, values, &field, typed);
            if has_secrets {
                self.secret_data(scalar, &places, holder, parts, &field);
            }
            let converted;
            let parts = match &landed {
                Ok(Landed::Whole(value)) => {
                    converted = [parts[0].with(Some(value))];
                    &converted
                }
                _ => &parts[..],
            };
            let edits = match &landed {
                Ok(Landed::Joined(value)) => Ok(scalar.joined(parts, value)),
                Err(refusal) => {
                    self.refused(holder, values, refusal, tree);
                    Ok(Vec::new())
                }
                _ => scalar.edits(parts),
            };
            if matches!(landed, Ok(Landed::Free)) {
                self.quotes_unknown(scalar, parts, holder, &field);
            }
            match edits {
                Ok(edits) => {
                    if scalar.becomes_collection(parts) {
                        let place = self.document.offset + scalar.decoded.raw.start;
                        self.rendered.reshaped.push(place);
                    }
                    self.rendered
                        .edits
                        .extend(edits.into_iter().map(|edit| Edit {
                            span: edit.span.shifted(self.document.offset),
                            text: edit.text,
                        }));
                }
                Err(misfit) => {
                    failed.insert(holder.id);
                    let nth = parts[..misfit.part]
                        .iter()
                        .filter(|part| part.value.is_some())
                        .count();
                    self.misfit(holder, nth, values, &field, &misfit, tree);
                }
            }
            if self.context.wants_substitutions {
                self.record(holder, values, &field);
            }
        }
        self.duplicate_keys(tree, &places, holders, &failed);
    }

    /// Whether these values may stand here, and wherever an alias repeats them.
    fn judge(
        &mut self,
        tree: &Tree<'_>,
        places: &Places<'_>,
        holder: &Holder<'_>,
        values: &[Option<Resolved<'_>>],
        field: &Field,
        typed: bool,
    ) {
        let is_key = tree.nodes[holder.id].role == Role::Key;
        for (read, value) in holder.reads.iter().zip(values.iter().flatten()) {
            if let Some(digits) = inexact(&value.value).filter(|_| typed) {
                let warning = Diagnostic::warning(
                    Rule::InexactNumber,
                    "this number fits neither a 64-bit integer nor a float: YAML readers will change its digits",
                )
                .at(self.origin(), self.span(&read.raw), format!("{} digits", digits.len()))
                .help("make it a string: `| string` here, or tostring(…) in Terraform");
                self.rendered.diagnostics.push(placed(warning, field));
            }
            let Some((output, document, span)) = &value.marked_by else {
                continue;
            };
            let mut landings = vec![(holder.id, field.clone())];
            landings.extend(
                aliases_of(tree, holder.id)
                    .into_iter()
                    .map(|alias| (alias, places.field(alias))),
            );
            for (landing, field) in landings {
                if self.context.policy.allows_sensitive(&field, is_key) {
                    continue;
                }
                let what = format!(
                    "the sensitive output `{output}` cannot stand here: {}",
                    self.context.policy.sensitive_rule(&field, is_key)
                );
                let mut error = Diagnostic::error(Rule::SensitiveOutput, what).at(
                    self.origin(),
                    self.span(&read.raw),
                    "this value would be written in plain text",
                );
                if landing != holder.id {
                    error = error.at(
                        self.origin(),
                        self.span(&tree.nodes[landing].range),
                        "an alias repeats it here",
                    );
                }
                error =
                    error.at_concealed(Origin::Outputs(*document), *span, "marked sensitive here");
                self.rendered.diagnostics.push(placed(
                    error.help(self.context.policy.sensitive_help()),
                    &field,
                ));
            }
        }
    }

    /// Whether this may stand in the data of a Secret, where it does or where an
    /// alias repeats it.
    fn secret_data(
        &mut self,
        scalar: &Scalar<'_>,
        places: &Places<'_>,
        holder: &Holder<'_>,
        parts: &[Part<'_>],
        field: &Field,
    ) {
        let tree = scalar.tree;
        if tree.nodes[holder.id].role == Role::Key {
            return;
        }
        let aliases = aliases_of(tree, holder.id).into_iter();
        let landing = std::iter::once((holder.id, field.clone()))
            .chain(aliases.map(|alias| (alias, places.field(alias))))
            .find(|(_, field)| secret_data::holds_base64(field));
        let Some((landing, field)) = landing else {
            return;
        };
        let written: Vec<_> = holder
            .reads
            .iter()
            .zip(parts.iter().filter(|part| part.read))
            .map(|(read, part)| secret_data::Written {
                reference: &read.reference,
                value: part.value,
                span: self.span(&read.raw),
            })
            .collect();
        let target = scalar.target(parts);
        let text = (!scalar.becomes_collection(parts)).then(|| scalar.decoded.chomped(&target));
        for mut error in secret_data::judge(&written, text, &field, self.origin()) {
            if landing != holder.id {
                let span = self.span(&tree.nodes[landing].range);
                error = error.at(self.origin(), span, "an alias repeats it here");
            }
            self.rendered.diagnostics.push(placed(error, &field));
        }
    }

    fn misfit(
        &mut self,
        holder: &Holder<'_>,
        nth: usize,
        values: &[Option<Resolved<'_>>],
        field: &Field,
        misfit: &Misfit,
        tree: &Tree<'_>,
    ) {
        let (Some(read), Some(Some(value))) = (holder.reads.get(nth), values.get(nth)) else {
            return;
        };
        let mut error = Diagnostic::error(
            Rule::TypeMismatch,
            format!("`{}`: {}", read.reference.path.spelled(), misfit.message),
        )
        .at(
            self.origin(),
            self.span(&read.raw),
            format!("this is {}", value.value.value_type().described()),
        );
        if let Some((document, span)) = value.source {
            error = error.at_concealed(
                Origin::Outputs(document),
                span,
                format!("the output is {} here", value.source_type.described()),
            );
        }
        if misfit.unquote {
            let range = &tree.nodes[holder.id].range;
            let edits = vec![Edit {
                span: self.span(range),
                text: holder.decoded.text.as_bytes().to_vec(),
            }];
            error = error.mend("drop the quotes", self.origin(), edits);
        }
        if misfit.as_json {
            let edits = vec![called_behind(self.span(&read.raw), "json")];
            error = error.mend("write it as JSON", self.origin(), edits);
        }
        self.rendered
            .diagnostics
            .push(placed(error.help(misfit.help.clone()), field));
    }

    /// A value that the type of its field, or of a field where an alias repeats it,
    /// rules out.
    fn refused(
        &mut self,
        holder: &Holder<'_>,
        values: &[Option<Resolved<'_>>],
        refusal: &Refusal,
        tree: &Tree<'_>,
    ) {
        let (field, mismatch) = (&refusal.field, &refusal.mismatch);
        let takes = mismatch.takes.described();
        let sensitive = values.iter().flatten().any(|value| value.sensitive);
        let found = mismatch.described();
        let path = holder
            .reads
            .first()
            .map(|read| read.reference.path.spelled());
        let message = match (path, &mismatch.inside[..]) {
            (Some(path), []) if !refusal.joined => {
                format!("`{field}` takes {takes}, and `{path}` is {found}")
            }
            // The keys of a sensitive value are part of it.
            (Some(path), _) if !refusal.joined && sensitive => {
                format!("`{field}` takes {takes} where `{path}` has {found}")
            }
            (Some(path), inside) if !refusal.joined => {
                let steps = inside.to_vec();
                let inside = Field {
                    resource: None,
                    steps,
                };
                format!("`{field}` takes {takes} in `{inside}`, and there `{path}` has {found}")
            }
            _ => format!("`{field}` takes {takes}, and the text that comes out is none"),
        };
        let mut error = Diagnostic::error(Rule::FieldTypeMismatch, message);
        for (read, value) in holder.reads.iter().zip(values.iter().flatten()) {
            let found = value.value.value_type().described();
            error = error.at(
                self.origin(),
                self.span(&read.raw),
                format!("this is {found}"),
            );
        }
        if let Some(alias) = refusal.alias {
            let span = self.span(&tree.nodes[alias].range);
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for value in values.iter().flatten() {
            if let Some((document, span)) = value.source {
                let found = value.value.value_type().described();
                let message = format!("the output is {found} here");
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        self.rendered
            .diagnostics
            .push(placed(error.help(refusal.help()), field));
    }

    /// A number or bool where neither quotes nor the field's type tell whether its
    /// text is meant. kustomize drops the quotes before its functions see them.
    fn quotes_unknown(
        &mut self,
        scalar: &Scalar<'_>,
        parts: &[Part<'_>],
        holder: &Holder<'_>,
        field: &Field,
    ) {
        let (Some(_), Some(read)) = (self.context.only_under, holder.reads.first()) else {
            return;
        };
        let found = match scalar.whole_value(parts).map(Value::value_type) {
            Some(found @ (Type::Number | Type::Bool)) if scalar.is_typed_by_its_place() => found,
            _ => return,
        };
        let message = format!(
            "`{field}` gets {}: of quotes that were around it, nothing is left here",
            found.described()
        );
        let note = Diagnostic::note(Rule::QuotesUnknown, message)
            .at(self.origin(), self.span(&read.raw), "")
            .help("where the field wants a string, say so: `| string`");
        self.rendered.diagnostics.push(placed(note, field));
    }

    fn record(&mut self, holder: &Holder<'_>, values: &[Option<Resolved<'_>>], field: &Field) {
        let replaced = holder.reads.iter().zip(values.iter().flatten());
        for (read, value) in replaced.filter(|(_, value)| !value.kept) {
            let span = self.span(&read.raw);
            let written = &self.document.text[read.raw.clone()];
            self.rendered.substitutions.push(Substitution {
                file: self.context.file,
                start: span.start,
                end: span.end,
                reference: written.split_whitespace().collect::<Vec<_>>().join(" "),
                output: value.output.clone(),
                document: value.source.map(|(document, _)| document),
                output_span: value.source.map(|(_, span)| (span.start, span.end)),
                value_type: value.value.value_type().name(),
                value: match (value.sensitive, value.value.text()) {
                    (true, _) => SENSITIVE.to_owned(),
                    (false, Some(text)) => text.to_owned(),
                    (false, None) => value.value.to_json(),
                },
                sensitive: value.sensitive,
                resource: field.resource.clone(),
                field: field.to_string(),
            });
        }
    }

    /// A key that came out equal to another one of its mapping.
    fn duplicate_keys(
        &mut self,
        tree: &Tree<'_>,
        places: &Places<'_>,
        holders: &[Holder<'_>],
        failed: &BTreeSet<NodeId>,
    ) {
        let changed: BTreeSet<NodeId> = holders
            .iter()
            .map(|holder| holder.id)
            .filter(|id| tree.nodes[*id].role == Role::Key)
            .collect();
        let mappings: BTreeSet<NodeId> = changed
            .iter()
            .filter_map(|id| tree.nodes[*id].parent)
            .collect();
        if mappings.is_empty() {
            return;
        }
        let mut seen: BTreeMap<(NodeId, &str), NodeId> = BTreeMap::new();
        for (id, node) in tree.nodes.iter().enumerate() {
            let (Role::Key, Some(mapping)) = (node.role, node.parent) else {
                continue;
            };
            // A key whose references failed has no text yet.
            let text = places
                .text(id)
                .filter(|_| mappings.contains(&mapping) && !failed.contains(&id));
            let Some(text) = text else {
                continue;
            };
            let Some(first) = seen.insert((mapping, text), id) else {
                continue;
            };
            if !changed.contains(&first) && !changed.contains(&id) {
                continue;
            }
            let error = Diagnostic::error(
                Rule::DuplicateKey,
                "two keys of this mapping are equal once the values are in",
            )
            .at(self.origin(), self.span(&node.range), "this key")
            .at(
                self.origin(),
                self.span(&tree.nodes[first].range),
                "and this one",
            );
            self.rendered
                .diagnostics
                .push(placed(error, &places.field(id)));
        }
    }
}

/// The parts of a scalar in the order of its text.
fn parts_of<'v>(holder: &Holder<'_>, values: &'v [Option<Resolved<'_>>]) -> Vec<Part<'v>> {
    let mut parts: Vec<Part<'v>> = holder
        .reads
        .iter()
        .zip(values)
        .map(|(read, value)| Part {
            decoded: read.reference.range.clone(),
            raw: read.raw.clone(),
            value: value.as_ref().map(|value| &*value.value),
            read: true,
        })
        .collect();
    parts.extend(holder.escapes.iter().map(|decoded| Part {
        decoded: decoded.clone(),
        raw: holder.decoded.raw_range(decoded),
        value: None,
        read: false,
    }));
    parts.sort_by_key(|part| part.decoded.start);
    parts
}

impl<'v> Part<'v> {
    /// The same part with another value.
    fn with(&self, value: Option<&'v Value>) -> Self {
        Self {
            decoded: self.decoded.clone(),
            raw: self.raw.clone(),
            value,
            read: self.read,
        }
    }
}

/// The same parts with every sensitive value hidden.
fn concealed<'v>(
    parts: &[Part<'v>],
    values: &[Option<Resolved<'_>>],
    hidden: &'v Value,
) -> Vec<Part<'v>> {
    let mut sensitive = values
        .iter()
        .map(|value| value.as_ref().is_some_and(|value| value.sensitive));
    parts
        .iter()
        .map(|part| match part.read && sensitive.next() == Some(true) {
            true => part.with(Some(hidden)),
            false => part.with(part.value),
        })
        .collect()
}

fn placed(mut diagnostic: Diagnostic, field: &Field) -> Diagnostic {
    diagnostic.resource.clone_from(&field.resource);
    diagnostic.field = (!field.steps.is_empty()).then(|| field.to_string());
    if field
        .resource
        .as_ref()
        .is_some_and(|resource| resource.kind == "Secret")
    {
        diagnostic
            .labels
            .iter_mut()
            .for_each(|label| label.conceal = true);
    }
    diagnostic
}

/// The aliases that repeat a node: its own, or those of a collection around it.
fn aliases_of(tree: &Tree<'_>, id: NodeId) -> Vec<NodeId> {
    let mut anchors = BTreeSet::new();
    let mut at = Some(id);
    while let Some(node) = at {
        anchors.extend(tree.nodes[node].anchor);
        at = tree.nodes[node].parent;
    }
    if anchors.is_empty() {
        return Vec::new();
    }
    let is_one = |id: &NodeId| matches!(tree.nodes[*id].kind, Kind::Alias(Some(anchor)) if anchors.contains(&anchor));
    (0..tree.nodes.len()).filter(is_one).collect()
}

/// Whether the document is JSON: its root is a flow collection, it has no comment
/// or marker, some text in double quotes, and nothing that only YAML can say.
fn is_json(tree: &Tree<'_>, source: &str, holders: &[Holder<'_>]) -> bool {
    let is_flow = matches!(
        tree.nodes.first().map(|root| &root.kind),
        Some(Kind::Mapping { flow: true, .. } | Kind::Sequence { flow: true, .. })
    );
    if !is_flow
        || !tree.comments.is_empty()
        || !source
            .trim_start_matches('\u{feff}')
            .trim_ascii_start()
            .starts_with(['{', '['])
    {
        return false;
    }
    let quoted = |style: &Style| *style == Style::DoubleQuoted;
    let is_literal = |text: &str| {
        matches!(text, "true" | "false" | "null")
            || text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    let held: BTreeSet<NodeId> = holders.iter().map(|holder| holder.id).collect();
    let mut texts = 0;
    for (id, node) in tree.nodes.iter().enumerate() {
        match &node.kind {
            Kind::Scalar { style, .. } if quoted(style) => texts += 1,
            Kind::Scalar {
                style: Style::Plain,
                text,
                ..
            } if is_literal(text) || held.contains(&id) => {}
            Kind::Scalar { .. } | Kind::Alias(_) => return false,
            Kind::Sequence { .. } | Kind::Mapping { .. } => {}
        }
    }
    texts > 0
}

/// A number that no reader keeps, alone or in a collection: too long for both
/// int64 and float64.
fn inexact(value: &Value) -> Option<&str> {
    let digits = match value {
        Value::Number(digits) => digits,
        Value::List(items) => return items.iter().find_map(inexact),
        Value::Object(entries) => return entries.iter().find_map(|(_, value)| inexact(value)),
        Value::Null | Value::Bool(_) | Value::String(_) => return None,
    };
    if digits.parse::<i64>().is_ok() {
        return None;
    }
    let float: f64 = digits.parse().ok()?;
    let significant = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let figures: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        figures
            .trim_start_matches('0')
            .trim_end_matches('0')
            .to_owned()
    };
    (!float.is_finite() || significant(digits) != significant(&format!("{float:e}")))
        .then_some(digits)
}

/// The first mask that does not stand behind a `#` that begins a comment, as far
/// as that can be told without parsing.
fn first_outside_comments<'m>(source: &str, masks: &'m [Mask]) -> Option<&'m Mask> {
    // Everything before `seen` has been looked at; `commented` tells whether its
    // line is in a comment there.
    let (mut seen, mut commented) = (0, false);
    masks.iter().find(|mask| {
        let between = &source[seen..mask.range.start];
        commented = match memchr::memrchr(b'\n', between.as_bytes()) {
            Some(end) => begins_comment(&between[end + 1..]),
            None if seen == 0 => begins_comment(between),
            None => commented || between.contains(" #") || between.contains("\t#"),
        };
        seen = mask.range.start;
        !commented
    })
}
