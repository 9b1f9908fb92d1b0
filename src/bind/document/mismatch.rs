//! Reports values that do not fit, with both sides of the mismatch.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::validate::Placement;
use crate::functions::call_last;
use crate::functions::sensitive_failure;
use crate::kubernetes::resources::Field;
use crate::kubernetes::types::{FieldType, Refusal};
use crate::outputs::Mark;
use crate::outputs::{Type, Value};
use crate::reference::Call;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Edit;
use yaml::{DataType, Misfit, TextHolder, Why};
use yaml::{Kind, Node, Style, Tree, decode};

/// Whether a reference is in a scalar itself, not in a comment or the Binding.
fn is_in(node: &Node, read: &FoundReference) -> bool {
    !read.raw.is_empty() && node.range().start <= read.raw.start && read.raw.end <= node.range().end
}

/// The words for a misfit.
struct Words {
    message: String,
    help: &'static str,
    /// The quotes around the scalar should go.
    unquote: bool,
    /// The value's JSON could be here.
    as_json: bool,
}

impl Words {
    fn of(misfit: &Misfit) -> Self {
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
                let found = Type::from(*found).described();
                (format!("{found} is not allowed in {holder_name}"), help)
            }
            Why::Tag { found, tag } => {
                let found = Type::from(*found).described();
                (
                    format!("{found} is not allowed after the tag `!!{tag}`"),
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
                holder == TextHolder::Quotes && !tagged,
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
    pub(crate) fn misfit(
        &mut self,
        placement: &Placement<'_, '_>,
        nth: usize,
        misfit: &Misfit,
        tree: &Tree,
    ) {
        let Some((read, value)) = placement.each().nth(nth) else {
            return;
        };
        if let Some(mark) = &value.mark {
            return self.sensitive_misfit(read, mark, placement.field);
        }
        let dialect = self.context.dialect();
        let words = Words::of(misfit);
        let mut error = Diagnostic::error(
            Rule::TypeMismatch,
            format!("`{}`: {}", read.reference.path.spelled(), words.message),
        )
        .at(
            read.origin,
            read.span,
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
        // Only a reference in the scalar itself remains there
        // without the quotes.
        let in_place = is_in(node, read);
        if let Some(edits) = self.joined(read, value.value.as_ref(), placement, tree)
            && words.as_json
        {
            error = error.fix("join the items with commas", read.origin, edits);
        }
        if let (true, true, Some(decoded)) = (
            words.unquote,
            in_place,
            decode(self.source.text, tree, placement.id),
        ) {
            let edits = vec![Edit {
                span: self.span(&node.range()),
                text: decoded.text.as_bytes().to_vec(),
            }];
            error = error.fix("remove the quotes", self.origin(), edits);
        }
        if words.as_json && read.origin == self.origin() {
            let json = [Call::of("json", &[])];
            if let Some(edits) = call_last(dialect, (&read.reference, read.span), &json, '"') {
                error = error.fix("convert it to JSON", read.origin, edits);
            }
        }
        self.report(error.help(dialect.worded(words.help)), placement.field);
    }

    /// Reports a sensitive value that is not allowed here, for whatever reason.
    fn sensitive_misfit(&mut self, read: &FoundReference, mark: &Mark, field: &Field) {
        let message = format!(
            "the sensitive `{}` does not fit here",
            read.reference.path.spelled()
        );
        let error = sensitive_failure::error(message).at(read.origin, read.span, "");
        let dialect = self.context.dialect();
        let error = mark.label(error).help(dialect.worded(
            "its type does not match the field or string: convert a list with `| join(\",\")`, or any value with `| json`",
        ));
        self.report(error, field);
    }

    /// A value that the type of its field, or of a field where an alias repeats it,
    /// rules out.
    pub(crate) fn refused(
        &mut self,
        placements: &[Placement<'_, '_>],
        refusal: &Refusal,
        tree: &Tree,
    ) {
        let Some(placement) = placements.first() else {
            return;
        };
        if let Some((read, mark)) = placements.iter().find_map(Placement::mark) {
            return self.sensitive_misfit(read, mark, placement.field);
        }
        let (field, mismatch) = (&refusal.field, &refusal.mismatch);
        let takes = mismatch.takes.described();
        let found = mismatch.described();
        let path = placement
            .references
            .first()
            .map(|read| read.reference.path.spelled());
        let message = match (path, &mismatch.inside[..]) {
            (Some(path), []) if !refusal.joined => {
                format!("`{field}` expects {takes}, but `{path}` is {found}")
            }
            (Some(path), inside) if !refusal.joined => {
                let steps = inside.to_vec();
                let inside = Field {
                    resource: None,
                    steps,
                };
                format!("`{field}` expects {takes} in `{inside}`, but `{path}` has {found} there")
            }
            _ => format!("`{field}` expects {takes}, but the resulting text is not one"),
        };
        let mut error = Diagnostic::error(Rule::FieldTypeMismatch, message);
        for (read, value) in placement.each() {
            let found = value.value.value_type().described();
            error = error.at(read.origin, read.span, format!("this is {found}"));
        }
        if let Some(alias) = refusal.alias {
            let span = self.span(&tree[alias].range());
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for (_, value) in placement.each() {
            if let Some((document, span)) = value.source {
                let found = value.value.value_type().described();
                let message = format!("this output is {found}");
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        let mut each = placement.each();
        if let (Some((read, value)), None, false) = (each.next(), each.next(), refusal.joined)
            && mismatch.inside.is_empty()
            && matches!(mismatch.takes, FieldType::String | FieldType::Either)
            && let Some(edits) = self.joined(read, value.value.as_ref(), placement, tree)
        {
            error = error.fix("join the items with commas", read.origin, edits);
        }
        let help = self.context.dialect().worded(refusal.help());
        self.report(error.help(help), field);
    }

    /// Returns the change that joins a list, with quotes that are not used there.
    /// None for what cannot be joined, and where every kind of quote would end a scalar.
    fn joined(
        &self,
        read: &FoundReference,
        value: &Value,
        placement: &Placement<'_, '_>,
        tree: &Tree,
    ) -> Option<Vec<Edit>> {
        let Value::List(items) = value else {
            return None;
        };
        if read.origin != self.origin() || items.iter().any(|item| item.text().is_none()) {
            return None;
        }
        let node = &tree[placement.id];
        let style = match node.kind() {
            Kind::Scalar { style, .. } if is_in(node, read) => Some(style),
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
        let join = [Call::of("join", &[","])];
        call_last(dialect, (&read.reference, read.span), &join, quote)
    }
}
