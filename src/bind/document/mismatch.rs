//! Reports values that do not fit, with both sides of the mismatch.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::typed::described;
use crate::bind::document::validate::Placement;
use crate::config::policy::Empty;
use crate::functions::call_last;
use crate::functions::sensitive_failure;
use crate::kubernetes::resources::{Field, FieldStep};
use crate::kubernetes::types::{FieldType, FieldTypes, Refusal, field_type};
use crate::outputs::Mark;
use crate::outputs::{Key, Type, Value};
use crate::reference::Call;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Edit;
use yaml::{DataType, Misfit, TextHolder, Why};
use yaml::{Kind, Node, Role, Style, Tree, decode};

/// Returns whether a reference is in a scalar itself, not in a comment or the Binding.
fn is_in_node(node: &Node, found: &FoundReference) -> bool {
    !found.raw.is_empty()
        && node.range().start <= found.raw.start
        && found.raw.end <= node.range().end
}

/// Returns whether a field is where operations of a JSON patch are: a document of them, if that
/// `is_patch`, or a `patch` or `jsonOp`, or an item of one.
pub(crate) fn is_in_operations(field: &Field, is_patch: bool) -> bool {
    let list = match &field.steps[..] {
        [list @ .., FieldStep::Index(_)] => list,
        list => list,
    };
    let last = list.last();
    last.map_or(is_patch, |last| {
        last.is_key("patch") || last.is_key("jsonOp")
    })
}

/// Returns whether a value is an operation of a JSON patch (RFC 6902), or a list of them.
fn has_operation(value: &Value) -> bool {
    let has = |entries: &[(Key, Value)], name: &str| {
        let mut entries = entries.iter();
        entries.any(|(key, member)| key.name == name && member.text().is_some())
    };
    match value {
        Value::List(items) => items.iter().any(has_operation),
        Value::Object(entries) => has(entries, "op") && has(entries, "path"),
        _ => false,
    }
}

/// The message for a misfit.
struct MisfitText {
    message: String,
    help: &'static str,
    /// Whether to suggest removing the quotes around the scalar.
    unquote: bool,
    /// Whether the value would be allowed here as JSON.
    as_json: bool,
}

impl MisfitText {
    /// `is_scalar_field`: a list or an object is not allowed without the quotes either.
    fn of(misfit: &Misfit, is_scalar_field: bool) -> Self {
        let (message, help) = match &misfit.why {
            Why::NotText { found, holder, .. } => {
                let holder_name = match holder {
                    TextHolder::Key => "a key",
                    TextHolder::Quotes => "a quoted scalar",
                    TextHolder::Block => "a block scalar",
                    TextHolder::Part => "part of a string",
                };
                let help = match (found, holder) {
                    (DataType::Null, _) => "provide a fallback: `| default(\"…\")`",
                    (DataType::List, TextHolder::Key) => "select one item, such as `[0]`",
                    (_, TextHolder::Key) => "select one of its keys",
                    (DataType::List, TextHolder::Quotes) if is_scalar_field => {
                        "convert it to a string with `| join(\",\")` or `| json`"
                    }
                    (_, TextHolder::Quotes) if is_scalar_field => {
                        "convert it to a string with `| json` or `| yaml`"
                    }
                    (DataType::List, TextHolder::Quotes) => {
                        "convert it to a string with `| join(\",\")` or `| json`, or remove the quotes to insert it as YAML"
                    }
                    (_, TextHolder::Quotes) => {
                        "remove the quotes to insert it as YAML, or convert it to a string with `| json` or `| yaml`"
                    }
                    (DataType::List, _) => {
                        "convert it to a string with `| join(\",\")` or `| json`, or select one item, such as `[0]`"
                    }
                    _ => {
                        "convert it to a string with `| json` or `| yaml`, or select one of its keys"
                    }
                };
                let found_type = Type::from(*found).described();
                (
                    format!("{found_type} is not allowed in {holder_name}"),
                    help,
                )
            }
            Why::Tag { found, tag } => {
                let found_type = Type::from(*found).described();
                (
                    format!("{found_type} is not allowed after the tag `!!{tag}`"),
                    "remove the tag: the value has its own type",
                )
            }
            Why::LongKey => (
                "the key would exceed YAML's limit of 1024 characters".to_owned(),
                "bind a shorter value",
            ),
            Why::NoPosition => (
                "a value is not allowed here".to_owned(),
                "write the field with a placeholder value first",
            ),
        };
        let (unquote, as_json) = match misfit.why {
            Why::NotText {
                found,
                holder,
                tagged,
            } if found != DataType::Null => (
                holder == TextHolder::Quotes && !tagged && !is_scalar_field,
                holder != TextHolder::Key,
            ),
            _ => (false, false),
        };
        Self {
            message,
            help,
            unquote,
            as_json,
        }
    }
}

impl Renderer<'_, '_> {
    /// Reports that the value of the reference at position `nth` is not allowed here.
    pub(crate) fn report_misfit(
        &mut self,
        placement: &Placement<'_, '_>,
        nth: usize,
        misfit: &Misfit,
        tree: &Tree,
    ) {
        let Some((found, value)) = placement.each().nth(nth) else {
            return;
        };
        if let Some(mark) = &value.mark {
            return self.report_sensitive_misfit(found, mark, placement.field);
        }
        let dialect = self.context.dialect();
        let text = MisfitText::of(misfit, self.is_scalar_field(placement));
        let mut error = Diagnostic::error(
            Rule::TypeMismatch,
            format!("`{}`: {}", found.reference.path.display(), text.message),
        )
        .at(
            found.origin,
            found.span,
            format!("this is {}", value.value.value_type().described()),
        );
        if let Some((document, span)) = value.source {
            error = error.at_concealed(
                Origin::Outputs(document),
                span,
                format!("this output is {}", value.source_type.described()),
            );
        }
        let node = &tree[placement.id];
        // Without the quotes, only a reference in the scalar itself remains.
        let in_place = is_in_node(node, found);
        if let Some(edits) = self.join_fix(found, value.value.as_ref(), placement, tree)
            && text.as_json
        {
            error = error.fix("join the items with commas", found.origin, edits);
        }
        if let (true, true, Some(decoded)) = (
            text.unquote,
            in_place,
            decode(self.source.text, tree, placement.id),
        ) {
            let edits = vec![Edit {
                span: self.span(&node.range()),
                text: decoded.text.as_bytes().to_vec(),
            }];
            error = error.fix("remove the quotes", self.origin(), edits);
        }
        if text.as_json && found.origin == self.origin() {
            let json = [Call::new("json", &[])];
            if let Some(edits) = call_last(dialect, &found.reference, found.span, &json, '"') {
                error = error.fix("convert it to JSON", found.origin, edits);
            }
        }
        self.report(
            error.help(dialect.translate_calls(text.help)),
            placement.field,
        );
    }

    /// Returns whether a field of the value takes no list or object.
    fn is_scalar_field(&self, placement: &Placement<'_, '_>) -> bool {
        let mut all = placement.occurrences.all();
        all.any(|occurrence| field_type(&occurrence.field, self.context.custom).is_scalar())
    }

    /// Reports a sensitive value that is not allowed here, for any reason.
    pub(crate) fn report_sensitive_misfit(
        &mut self,
        found: &FoundReference,
        mark: &Mark,
        field: &Field,
    ) {
        let message = format!(
            "the sensitive `{}` does not fit here",
            found.reference.path.display()
        );
        let error = sensitive_failure::error(message).at(found.origin, found.span, "");
        let dialect = self.context.dialect();
        let error = mark.label(error).help(dialect.translate_calls(
            "its type does not match the field or string: convert a list with `| join(\",\")`, or any value with `| json`",
        ));
        self.report(error, field);
    }

    /// Reports a value that the type of its field, or of a field where an alias repeats
    /// it, does not accept.
    pub(crate) fn report_refusal(
        &mut self,
        placements: &[Placement<'_, '_>],
        refusal: &Refusal,
        tree: &Tree,
    ) {
        let Some(placement) = placements.first() else {
            return;
        };
        if let Some((found, mark)) = placements.iter().find_map(Placement::mark) {
            return self.report_sensitive_misfit(found, mark, placement.field);
        }
        let (field, mismatch) = (&refusal.field, &refusal.mismatch);
        let shown = described(field);
        let expected = mismatch.takes.described();
        let found_type = mismatch.described();
        let path = placement
            .references
            .first()
            .map(|found| found.reference.path.display());
        let message = match (path, &mismatch.inside[..]) {
            (Some(path), []) if !refusal.joined => {
                format!("{shown} expects {expected}, but `{path}` is {found_type}")
            }
            (Some(path), inside) if !refusal.joined => {
                let steps = inside.to_vec();
                let inside = Field {
                    steps,
                    ..Field::default()
                };
                format!(
                    "{shown} expects {expected} in `{inside}`, but `{path}` has {found_type} there"
                )
            }
            _ => format!("{shown} expects {expected}, but the resulting text is not one"),
        };
        let unknown = self.unknown_member(placement, refusal);
        let other = unknown.or_else(|| self.conflict(placement, refusal));
        let mut error = other.unwrap_or_else(|| {
            let error = Diagnostic::error(Rule::FieldTypeMismatch, message);
            self.at_values(error, placement)
        });
        if let Some(alias) = refusal.alias {
            let span = self.span(&tree[alias].range());
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for (_, value) in placement.each() {
            if let Some((document, span)) = value.source {
                let value_type = value.value.value_type().described();
                let message = format!("this output is {value_type}");
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        let mut each = placement.each();
        if let (Some((found, value)), None, false) = (each.next(), each.next(), refusal.joined)
            && mismatch.inside.is_empty()
            && value.value.value_type() == Type::List
            && let Some(edits) = self.spread_fix(found, placement, tree)
        {
            error = error.fix("write each item of the list here", found.origin, edits);
            let help = "to write each item of the list as an item here, add `| spread`";
            return self.report(error.help(help), field);
        }
        let mut each = placement.each();
        if let (Some((found, value)), None, false) = (each.next(), each.next(), refusal.joined)
            && mismatch.inside.is_empty()
            && matches!(mismatch.takes, FieldType::String | FieldType::Either)
            && let Some(edits) = self.join_fix(found, value.value.as_ref(), placement, tree)
        {
            error = error.fix("join the items with commas", found.origin, edits);
        }
        let help = refusal.help();
        let help = self.context.dialect().translate_calls(&help);
        self.report(error.help(help), field);
    }

    /// Returns the edits that put the items of a list in the place of an item, if the
    /// reference is one.
    fn spread_fix(
        &self,
        found: &FoundReference,
        placement: &Placement<'_, '_>,
        tree: &Tree,
    ) -> Option<Vec<Edit>> {
        let node = &tree[placement.id];
        let is_item = matches!(node.role(), Role::Item(_)) && node.style() == Some(Style::Plain);
        let is_whole = found.raw == node.range() && node.tag().is_none() && !node.has_anchor();
        if found.origin != self.origin()
            || !is_item
            || !is_whole
            || found.reference.member_call().is_some()
        {
            return None;
        }
        let (dialect, spread) = (self.context.dialect(), [Call::new("spread", &[])]);
        call_last(dialect, &found.reference, found.span, &spread, '"')
    }

    /// Adds the references to an error, each with the type of its value.
    pub(crate) fn at_values(
        &self,
        mut error: Diagnostic,
        placement: &Placement<'_, '_>,
    ) -> Diagnostic {
        for (found, value) in placement.each() {
            let value_type = value.value.value_type().described();
            error = error.at(found.origin, found.span, format!("this is {value_type}"));
        }
        error
    }

    /// Reports a null inside a list or an object in a field that does not accept it there, and
    /// a whole operation of a patch. Returns whether there is one.
    pub(crate) fn report_member(
        &mut self,
        placements: &[Placement<'_, '_>],
        value: &Value,
        field_types: &FieldTypes<'_>,
    ) -> bool {
        let Some(placement) = placements.first() else {
            return false;
        };
        let is_patch = self.context.custom.is_patch(self.context.file);
        if is_in_operations(placement.field, is_patch) && has_operation(value) {
            let message = "an operation of a patch cannot come from an output as a whole: the field that it sets would not be checked";
            let error = Diagnostic::error(Rule::MisplacedReference, message);
            let error = self.at_values(error, placement);
            let help = "write `op` and `path` in the patch, and a reference for its `value`";
            self.report(error.help(help), placement.field);
            return true;
        }
        if self.context.policy.choices.empty.value == Empty::Allow
            || self.removes_nulls(placement.field)
        {
            return false;
        }
        let refusal = field_types.null_member(value, placement.occurrences);
        if let Some(refusal) = &refusal {
            self.report_refusal(placements, refusal, field_types.tree());
        }
        refusal.is_some()
    }

    /// Returns whether a null removes a field: in a patch that is merged.
    pub(crate) fn removes_nulls(&self, field: &Field) -> bool {
        let Field { steps, patch, .. } = field;
        !(patch.as_ref()).is_some_and(|patch| patch.is_operation(steps))
            && match &self.source.container {
                Some(_) => self.source.in_patch(),
                None => self.context.custom.is_patch(self.context.file),
            }
    }

    /// Returns the edits that join a list, with quotes that are not used there. `None` if
    /// it cannot be joined, or if either kind of quotes would end a scalar.
    fn join_fix(
        &self,
        found: &FoundReference,
        value: &Value,
        placement: &Placement<'_, '_>,
        tree: &Tree,
    ) -> Option<Vec<Edit>> {
        let Value::List(items) = value else {
            return None;
        };
        if found.origin != self.origin() || items.iter().any(|item| item.text().is_none()) {
            return None;
        }
        let node = &tree[placement.id];
        let style = match node.kind() {
            Kind::Scalar { style, .. } if is_in_node(node, found) => Some(style),
            _ => None,
        };
        let is_quoted = |quote, own| style == Some(own) || self.source.is_quoted(quote);
        let double = is_quoted(b'"', Style::DoubleQuoted);
        let single = is_quoted(b'\'', Style::SingleQuoted);
        let quote = match (double, single) {
            (false, _) => '"',
            (true, false) => '\'',
            (true, true) => return None,
        };
        let dialect = self.context.dialect();
        let join = [Call::new("join", &[","])];
        call_last(dialect, &found.reference, found.span, &join, quote)
    }
}
