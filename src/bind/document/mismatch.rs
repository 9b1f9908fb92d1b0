//! Values that do not fit, told with both sides of the mismatch.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::judge::Arrival;
use crate::functions::called_behind;
use crate::functions::sensitive_failure;
use crate::kubernetes::resources::Field;
use crate::kubernetes::types::{FieldType, Refusal};
use crate::outputs::Mark;
use crate::outputs::{Type, Value};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Edit;
use yaml::{DataType, Misfit, TextHolder, Why};
use yaml::{Kind, Node, Style, Tree, decode};

/// Whether a reference is in a scalar itself, not in a comment or the Binding.
fn is_in(node: &Node, read: &FoundReference) -> bool {
    !read.raw.is_empty() && node.range().start <= read.raw.start && read.raw.end <= node.range().end
}

/// A misfit in words.
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
                    TextHolder::Part => "a part of a text",
                };
                let help = match (found, holder) {
                    (DataType::Null, _) => "say what should stand here: `| default(\"…\")`",
                    (DataType::List, TextHolder::Key) => "name one item, such as `[0]`",
                    (_, TextHolder::Key) => "name one of its keys",
                    (DataType::List, TextHolder::Quotes) => {
                        "`| join(\",\")` or `| json` makes a text of it; without the quotes it becomes YAML of its own"
                    }
                    (_, TextHolder::Quotes) => {
                        "drop the quotes: then it becomes YAML of its own; `| json` or `| yaml` makes a text of it"
                    }
                    (DataType::List, _) => {
                        "`| join(\",\")` or `| json` makes a text of it; or name one item, such as `[0]`"
                    }
                    _ => "`| json` or `| yaml` makes a text of it; or name one of its keys",
                };
                let found = Type::from(*found).described();
                (format!("{found} cannot stand in {holder_name}"), help)
            }
            Why::Tag { found, tag } => {
                let found = Type::from(*found).described();
                (
                    format!("{found} cannot stand behind the tag `!!{tag}`"),
                    "drop the tag: the value brings its own type",
                )
            }
            Why::LongKey => (
                "a key would have more than 1024 characters, which YAML does not allow".to_owned(),
                "bind a shorter value",
            ),
            Why::NoPosition => (
                "there is no place for a value here".to_owned(),
                "write the field with some value first",
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
    /// The value of the reference at position `nth` has no place here.
    pub(crate) fn misfit(
        &mut self,
        arrival: &Arrival<'_, '_>,
        nth: usize,
        misfit: &Misfit,
        tree: &Tree,
    ) {
        let Some((read, value)) = arrival.each().nth(nth) else {
            return;
        };
        if let Some(mark) = &value.mark {
            return self.sensitive_misfit(read, mark, arrival.field);
        }
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
                format!("the output is {} here", value.source_type.described()),
            );
        }
        let node = &tree[arrival.id];
        // Only a reference that stands in the scalar itself is left there
        // without the quotes.
        let in_place = is_in(node, read);
        if let Some(edit) = self.joined(read, value.value.as_ref(), arrival, tree)
            && words.as_json
        {
            error = error.fix("join it with commas", read.origin, vec![edit]);
        }
        if let (true, true, Some(decoded)) = (
            words.unquote,
            in_place,
            decode(self.ground.text, tree, arrival.id),
        ) {
            let edits = vec![Edit {
                span: self.span(&node.range()),
                text: decoded.text.as_bytes().to_vec(),
            }];
            error = error.fix("drop the quotes", self.origin(), edits);
        }
        if words.as_json && read.origin == self.origin() {
            let edits = vec![called_behind(read.span, "json")];
            error = error.fix("write it as JSON", read.origin, edits);
        }
        self.tell(error.help(words.help), arrival.field);
    }

    /// A sensitive value that has no place here, for whatever reason.
    fn sensitive_misfit(&mut self, read: &FoundReference, mark: &Mark, field: &Field) {
        let message = format!(
            "the sensitive `{}` does not fit here",
            read.reference.path.spelled()
        );
        let error = sensitive_failure::error(message).at(read.origin, read.span, "");
        let error = mark.label(error).help(
            "its type is not what this field or a part of a text takes: `| join(\",\")` makes a text of a list, `| json` of any value",
        );
        self.tell(error, field);
    }

    /// A value that the type of its field, or of a field where an alias repeats it,
    /// rules out.
    pub(crate) fn refused(&mut self, arrivals: &[Arrival<'_, '_>], refusal: &Refusal, tree: &Tree) {
        let Some(arrival) = arrivals.first() else {
            return;
        };
        if let Some((read, mark)) = arrivals.iter().find_map(Arrival::mark) {
            return self.sensitive_misfit(read, mark, arrival.field);
        }
        let (field, mismatch) = (&refusal.field, &refusal.mismatch);
        let takes = mismatch.takes.described();
        let found = mismatch.described();
        let path = arrival
            .reads
            .first()
            .map(|read| read.reference.path.spelled());
        let message = match (path, &mismatch.inside[..]) {
            (Some(path), []) if !refusal.joined => {
                format!("`{field}` takes {takes}, and `{path}` is {found}")
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
        for (read, value) in arrival.each() {
            let found = value.value.value_type().described();
            error = error.at(read.origin, read.span, format!("this is {found}"));
        }
        if let Some(alias) = refusal.alias {
            let span = self.span(&tree[alias].range());
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for (_, value) in arrival.each() {
            if let Some((document, span)) = value.source {
                let found = value.value.value_type().described();
                let message = format!("the output is {found} here");
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        let mut each = arrival.each();
        if let (Some((read, value)), None, false) = (each.next(), each.next(), refusal.joined)
            && mismatch.inside.is_empty()
            && matches!(mismatch.takes, FieldType::String | FieldType::Either)
            && let Some(edit) = self.joined(read, value.value.as_ref(), arrival, tree)
        {
            error = error.fix("join it with commas", read.origin, vec![edit]);
        }
        self.tell(error.help(refusal.help()), field);
    }

    /// The change that makes one text of a list, with the quotes that are free there.
    /// None for what cannot be joined, and where every kind of quote would end a scalar.
    fn joined(
        &self,
        read: &FoundReference,
        value: &Value,
        arrival: &Arrival<'_, '_>,
        tree: &Tree,
    ) -> Option<Edit> {
        let Value::List(items) = value else {
            return None;
        };
        if read.origin != self.origin() || items.iter().any(|item| item.text().is_none()) {
            return None;
        }
        let node = &tree[arrival.id];
        let style = match node.kind() {
            Kind::Scalar { style, .. } if is_in(node, read) => Some(style),
            _ => None,
        };
        let is_quoted = |quote, own| style == Some(own) || self.ground.is_quoted(quote);
        let double = is_quoted(b'"', Style::DoubleQuoted);
        let single = is_quoted(b'\'', Style::SingleQuoted);
        let call = match (double, single) {
            (false, _) => "join(\",\")",
            (true, false) => "join(',')",
            (true, true) => return None,
        };
        Some(called_behind(read.span, call))
    }
}
