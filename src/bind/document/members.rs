//! Entries and items that are removed because they have no value, and items that become
//! several: what `default(omit)` and `spread` do to the members of a collection.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::assign::Assignments;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::sensitive::ReferencesInText;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::{NewFields, NotWritten, ResolvedReferences, Write};
use crate::bind::resolve::{Resolved, Shape};
use crate::collections::OrderedSet;
use crate::kubernetes::resources::{Field, Resources};
use crate::kubernetes::types::Coercion;
use crate::kubernetes::{Opened, keeps_if_absent, opened_by};
use crate::outputs::Value;
use crate::reference::{MemberCall, Reference};
use crate::report::{Diagnostic, Rule};
use yaml::{Edit, NodeEditor, NotRemoved, Part, Written, remove_members};
use yaml::{Node, NodeId, Role, Style, Tree};

/// The members that a document loses.
#[derive(Default)]
pub(crate) struct RemovedMembers {
    /// Values and items, ascending.
    ids: Vec<NodeId>,
    /// The same, with their keys.
    nodes: OrderedSet<NodeId>,
    edits: Vec<Edit>,
}

impl RemovedMembers {
    /// Returns whether a node is removed.
    pub(crate) fn contains(&self, id: NodeId) -> bool {
        self.nodes.contains(&id)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().copied()
    }
}

/// Returns why the location of a reference does not allow what it does to the entry or item.
pub(crate) fn misplaced(
    in_text: &ReferencesInText<'_>,
    found: &FoundReference,
) -> Option<Diagnostic> {
    let call = found.reference.member_call()?;
    let why = match call {
        MemberCall::Omit => not_removable(in_text, &found.reference),
        MemberCall::Spread => not_spreadable(in_text, &found.reference),
    };
    let (why, help) = why?;
    let message = match call {
        MemberCall::Omit => format!("`default(omit)` is not allowed {why}"),
        MemberCall::Spread => format!("`spread` is not allowed {why}"),
    };
    let error = Diagnostic::error(Rule::MisplacedReference, message);
    Some(error.at(found.origin, found.span, "").help(help))
}

const OMITS: &str = "it removes a whole entry or item: `key: ${name.output | default(omit)}`";
const SPREADS: &str = "write it as a whole item without quotes: `- ${name.output | spread}`";

fn not_removable(
    in_text: &ReferencesInText<'_>,
    reference: &Reference,
) -> Option<(&'static str, &'static str)> {
    let node = in_text.node;
    let key = match node.role() {
        _ if in_text.is_assigned => return Some(("for a field that is set from elsewhere", OMITS)),
        Role::Key => return Some(("in a key", OMITS)),
        Role::Root => return Some(("for a whole document", OMITS)),
        Role::Value(key) => in_text.tree.text(key),
        Role::Item(_) => None,
    };
    if reference.range != (0..in_text.text.len()) {
        return Some(("in a part of a text", OMITS));
    }
    if node.style().is_none_or(Style::is_block) {
        return Some(("in a block scalar", OMITS));
    }
    let fallback = "provide a fallback: `| default(\"…\")`";
    match key {
        Some("apiVersion" | "kind") => {
            Some(("for the `apiVersion` or `kind` of a resource", fallback))
        }
        Some("op" | "path" | "from") if is_in_operation(in_text.tree, node) => {
            Some(("for the `op` or a path of a JSON patch", fallback))
        }
        Some("value") if is_in_operation(in_text.tree, node) => Some((
            "for the `value` of a JSON patch, which would set null",
            fallback,
        )),
        _ => None,
    }
}

/// Returns whether a value is in an operation of a JSON patch.
pub(crate) fn is_in_operation(tree: &Tree, node: &Node) -> bool {
    let has = |wanted: &str| {
        let mut entries = node.parent().into_iter().flat_map(|id| tree.entries(id));
        entries.any(|(key, _)| tree.text(key) == Some(wanted))
    };
    has("op") && has("path")
}

fn not_spreadable(
    in_text: &ReferencesInText<'_>,
    reference: &Reference,
) -> Option<(&'static str, &'static str)> {
    let node = in_text.node;
    if in_text.is_assigned {
        return Some(("for a field that is set from elsewhere", SPREADS));
    }
    match node.role() {
        Role::Item(_) => {}
        Role::Key => return Some(("in a key", SPREADS)),
        Role::Value(_) | Role::Root => {
            let help = "it puts items among other items: `- ${name.output | spread}`; without it, the value is the list";
            return Some(("outside a list", help));
        }
    }
    if reference.range != (0..in_text.text.len()) {
        return Some(("in a part of a text", SPREADS));
    }
    match node.style() {
        Some(Style::Plain) => {}
        Some(Style::SingleQuoted | Style::DoubleQuoted) => {
            return Some(("in quotes", SPREADS));
        }
        _ => return Some(("in a block scalar", SPREADS)),
    }
    if node.has_anchor() || node.tag().is_some() {
        Some(("after an anchor or a tag", SPREADS))
    } else {
        None
    }
}

/// Returns whether the only value of a scalar removes it.
fn removes(values: &ResolvedReferences<'_>) -> bool {
    let [Some(value)] = &values.values[..] else {
        return false;
    };
    let is_gone = match (value.shape, &*value.value) {
        (Shape::Omitted, _) => true,
        (Shape::Items, Value::List(items)) => items.is_empty(),
        _ => false,
    };
    is_gone && !values.failed
}

impl<'c> Renderer<'_, 'c> {
    /// Decides which members of the document are removed, and reports those that cannot be.
    pub(crate) fn removed_members(
        &mut self,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        resolved: &[ResolvedReferences<'c>],
        filled: &[NodeId],
        assignments: &Assignments<'c>,
        resources: &Resources<'_>,
    ) -> RemovedMembers {
        let scalars = decoded_scalars.iter().zip(resolved);
        let removed = scalars.filter(|(_, values)| removes(values));
        let mut ids: Vec<NodeId> = removed.map(|(scalar, _)| scalar.id).collect();
        if ids.is_empty() {
            return RemovedMembers::default();
        }
        ids.sort_unstable();
        let mut nodes = OrderedSet::new();
        for id in &ids {
            nodes.insert(*id);
            if let Role::Value(key) = tree[*id].role() {
                nodes.insert(key);
            }
        }
        let mut edits = Vec::new();
        match remove_members(self.source.text, tree, &ids) {
            Ok(found) => edits = found,
            Err(errors) => {
                for error in errors {
                    self.report_not_removed(&error, tree, decoded_scalars, resources);
                }
            }
        }
        self.report_emptied(tree, &ids, assignments, resources);
        self.report_opened(tree, &ids, decoded_scalars, filled, resources);
        // Ordinary texts in keys.
        let is_kept = |edit: &Edit| {
            let next = edits.partition_point(|removal| removal.span.end <= edit.span.start);
            edits
                .get(next)
                .is_none_or(|removal| edit.span.end <= removal.span.start)
        };
        self.rendered.edits.retain(is_kept);
        RemovedMembers { ids, nodes, edits }
    }

    fn report_not_removed(
        &mut self,
        error: &NotRemoved,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        resources: &Resources<'_>,
    ) {
        let (id, message, help) = match error {
            NotRemoved::Anchor(id) => (
                *id,
                "an anchor that an alias repeats would be removed",
                "move the anchor elsewhere, or repeat the reference instead of using an alias",
            ),
            NotRemoved::Form(id) => (
                *id,
                "this entry or item cannot be removed",
                "write each entry on its own line, not after `?`, and no blank line or comment after it if a block scalar precedes it",
            ),
        };
        let node = match tree[id].role() {
            Role::Key => tree.value_of(id).unwrap_or(id),
            _ => id,
        };
        let scalar = decoded_scalars.iter().find(|scalar| scalar.id == node);
        let found = scalar.and_then(|scalar| scalar.references.first());
        let span = found.map_or_else(|| self.span(&tree[id].range()), |found| found.span);
        let error = Diagnostic::error(Rule::MisplacedReference, message)
            .at(self.origin(), span, "its value is omitted")
            .help(help);
        self.report(error, &resources.field(node));
    }

    /// Reports field bindings that add a member to a collection that loses all of its own.
    fn report_emptied(
        &mut self,
        tree: &Tree,
        removed: &[NodeId],
        assignments: &Assignments<'c>,
        resources: &Resources<'_>,
    ) {
        for assignment in &assignments.list {
            let Some(parent) = assignment.target.extended() else {
                continue;
            };
            let mut members = tree.members(parent).peekable();
            if members.peek().is_none() || !members.all(|id| removed.binary_search(&id).is_ok()) {
                continue;
            }
            let error = Diagnostic::error(
                Rule::ConflictingSubstitutions,
                "a field would be added where all others are omitted",
            )
            .at(assignment.origin, assignment.span, "this would add it")
            .at(self.origin(), self.span(&tree[parent].range()), "here")
            .help("keep one of them");
            self.report(error, &resources.field(parent));
        }
    }

    /// Reports fields that are removed, and collections that lose all of their members, where
    /// nothing selects everything.
    fn report_opened(
        &mut self,
        tree: &Tree,
        removed: &[NodeId],
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        filled: &[NodeId],
        resources: &Resources<'_>,
    ) {
        let is_removed = |id: NodeId| removed.binary_search(&id).is_ok();
        let mut seen = OrderedSet::new();
        for scalar in decoded_scalars
            .iter()
            .filter(|scalar| is_removed(scalar.id))
        {
            let (Some(parent), Some(found)) = (tree[scalar.id].parent(), scalar.references.first())
            else {
                continue;
            };
            let field = resources.field(scalar.id);
            let is_kept = || self.removes_nulls(&field) && keeps_if_absent(&field);
            if let Some(opened) = Opened::if_absent(&field)
                && !is_kept()
            {
                if !opened.is_restricted(tree, scalar.id, removed, filled) {
                    self.report_open_field(found, &field, opened);
                }
                continue;
            }
            if !seen.insert(parent) || !tree.members(parent).all(is_removed) {
                continue;
            }
            let emptied = resources.field(parent);
            if let Some(opened) = Opened::if_empty(&emptied)
                && !opened.is_restricted(tree, parent, removed, filled)
            {
                self.report_open_field(found, &emptied, opened);
            }
        }
    }

    /// Reports a null, and a list or an object without members, in a field that selects everything
    /// then: the field of the value, or one inside it.
    pub(crate) fn validate_open_field(
        &mut self,
        placement: &Placement<'_, '_>,
        value: &Value,
        tree: &Tree,
        filled: &[NodeId],
    ) {
        if value.text().is_some_and(|text| !text.is_empty()) {
            return;
        }
        let mut field = placement.field.clone();
        if let Some(found) = placement.references.first()
            && let Some(opened) = opened_by(&mut field, value)
            && (field != *placement.field || !opened.is_restricted(tree, placement.id, &[], filled))
        {
            self.report_open_field(found, &field, opened);
        }
    }

    /// Reports a field that selects everything because it is empty or absent.
    fn report_open_field(&mut self, found: &FoundReference, field: &Field, opened: Opened) {
        let Opened { state, what, .. } = opened;
        let message = format!("`{field}` would be {state}, which selects {what}");
        let warning = (self.context.policy.misread(message))
            .at(found.origin, found.span, format!("this leaves it {state}"))
            .help("give the output a value, or write the field without a reference if everything is meant");
        self.report(warning, field);
    }

    /// Adds the edits that remove members, with the substitutions of their references.
    pub(crate) fn remove(
        &mut self,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        resolved: &[ResolvedReferences<'c>],
        removed: RemovedMembers,
        resources: &Resources<'_>,
    ) {
        if removed.ids.is_empty() {
            return;
        }
        let (mut substitutions, mut written) = (Vec::new(), Vec::new());
        let scalars = decoded_scalars.iter().zip(resolved);
        for (scalar, values) in
            scalars.filter(|(scalar, _)| removed.ids.binary_search(&scalar.id).is_ok())
        {
            let raw = &scalar.decoded.raw;
            self.rendered.reshaped.push(raw.start);
            if !self.context.wants_substitutions {
                continue;
            }
            let Some(occurrences) = self.occurrences(tree, resources, scalar.id, None) else {
                continue;
            };
            let placement = Placement {
                id: scalar.id,
                references: scalar.references,
                template: None,
                values: &values.values,
                derived: &[],
                field: &occurrences.own.field,
                occurrences: &occurrences,
                listed: scalar.listed,
                encoded: false,
            };
            let before = substitutions.len();
            substitutions.extend(self.substitutions(&placement, None));
            // The edit that covers the reference.
            let next = removed
                .edits
                .partition_point(|edit| edit.span.start <= raw.start);
            let nth = next.saturating_sub(1);
            let at = removed
                .edits
                .get(nth)
                .map_or(raw.start, |edit| edit.span.start);
            written.resize(
                written.len() + substitutions.len() - before,
                Written {
                    source: at,
                    edit: Some(nth),
                    range: 0..0,
                },
            );
        }
        self.add_edits(removed.edits, substitutions, written);
    }

    /// Writes the items of a list in the place of one. Each is validated and converted as
    /// if it was the value of the reference.
    pub(crate) fn spread(
        &mut self,
        placement: &Placement<'_, 'c>,
        value: &Resolved<'c>,
        editor: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        fields: &NewFields<'_>,
    ) -> Result<(), NotWritten> {
        let (Value::List(items), [part]) = (&*value.value, parts) else {
            return Ok(());
        };
        let mut converted = Vec::with_capacity(items.len());
        for item in items {
            let values = [Some(value.item(item))];
            let placement = Placement {
                values: &values,
                ..*placement
            };
            let parts = [part.with(Some(item))];
            let write = Write {
                scalar: editor,
                parts: &parts,
                field_types: fields.field_types,
                has_secrets: fields.has_secrets,
                filled: fields.filled,
                in_place: true,
                changed_span: None,
                reference_ranges: &[],
            };
            let Some(item) = self.converted_item(&placement, item, &write)? else {
                return Ok(());
            };
            converted.push(item);
        }
        let (edits, written) = match editor.spread(&converted) {
            Ok(spread) => spread,
            Err(misfit) => {
                self.report_misfit(placement, 0, &misfit, editor.tree);
                return Err(NotWritten);
            }
        };
        let mut substitutions = Vec::new();
        if self.context.wants_substitutions {
            substitutions.extend(self.substitutions(placement, None));
        }
        self.rendered.reshaped.push(editor.decoded.raw.start);
        let written = vec![written; substitutions.len()];
        self.add_edits(edits, substitutions, written);
        Ok(())
    }

    /// Returns an item as it is written; `None` if its field refuses it, which is reported.
    fn converted_item(
        &mut self,
        placement: &Placement<'_, '_>,
        item: &Value,
        write: &Write<'_, '_>,
    ) -> Result<Option<Value>, NotWritten> {
        let placements = std::slice::from_ref(placement);
        let Write { scalar, parts, .. } = write;
        let coerced = (write.field_types).coerce(scalar, parts, placement.occurrences);
        if !matches!(coerced, Ok(Coercion::Free | Coercion::Fits)) {
            let found = placement.references.first();
            self.note_unknown_version(found, placement.occurrences);
        }
        self.warn_of_other_definition(placement, Some(item));
        let coercion = match coerced {
            Ok(coercion) => coercion,
            Err(refusal) => {
                self.report_refusal(placements, &refusal, scalar.tree);
                return Ok(None);
            }
        };
        if self.report_member(placements, item, write.field_types) {
            return Ok(None);
        }
        self.validate_open_field(placement, item, scalar.tree, write.filled);
        self.validate(placements, write, &coercion);
        self.validate_constraints(placements, write, &coercion);
        self.validate_actions(placements, &|| NodeText::of(placements, write));
        let value = match &coercion {
            Coercion::Whole(value) | Coercion::Joined(value) | Coercion::Unquoted(value) => value,
            Coercion::Free | Coercion::Fits => item,
        };
        if !self.report_helm_number(placements, Some(value)) {
            self.report_inexact(placement, value);
        }
        let text = NodeText::of(placements, write);
        let values = self.for_consumers(placements, scalar.tree, &text, &[Some(value)]);
        let written = values.ok_or(NotWritten)?.into_iter().flatten().next();
        Ok(written.map(|written| written.value.into_owned()))
    }
}
