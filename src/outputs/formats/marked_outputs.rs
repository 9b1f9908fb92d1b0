//! What the formats with marks share: somewhere in a JSON document is an object of outputs,
//! `{name: {"value": …, "type"?: …, "sensitive"?: bool}}`.

use crate::outputs::document::Document;
use crate::outputs::formats::declared_type::{DeclaredType, Mismatch};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, is_like_mark, is_mark,
    reject_repeated,
};
use crate::outputs::json::{Member, Node, first_duplicate, names, previous_occurrences};
use crate::outputs::position::Positions;
use crate::outputs::public::{LEFT_OUT, LEFT_OUT_HELP, LEFT_OUT_WHY, is_left_out};
use crate::outputs::redact::{Redaction, redacted_field};
use crate::outputs::value::Type;
use crate::outputs::{Output, ReadOutputs, Unreadable, Value};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::Span;

/// A format with marks.
pub(super) struct MarkedFormat {
    pub(super) id: &'static str,
    pub(super) as_manifest: AsManifest,
    pub(super) publication: Publication,
    #[cfg(feature = "toys")]
    pub(super) sample: FormatSample,
    /// Returns where a document has its outputs; `None` if it isn't in this format.
    pub(super) outputs: fn(&Document<'_>) -> Option<MarkedOutputs>,
}

/// The members of a document that is a JSON object.
pub(super) struct Root<'d>(pub(super) Vec<Member<'d>>);

impl<'d> Root<'d> {
    /// Returns the members, unless SOPS encrypted some of their values.
    pub(super) fn of(document: &'d Document<'_>) -> Option<Self> {
        let root = Self(document.members().ok()?);
        root.member("sops").is_none().then_some(root)
    }

    /// Returns the value of the first member with this name.
    pub(super) fn member(&self, name: &str) -> Option<Node<'d>> {
        let member = self.0.iter().find(|member| member.name == name)?;
        Some(member.value)
    }
}

/// Where a document has its outputs, and how it writes their types.
pub(super) struct MarkedOutputs {
    /// The keys that lead to the object of outputs. If one is missing or its value is null,
    /// there are no outputs.
    pub(super) path: &'static [&'static str],
    pub(super) types: &'static dyn Types,
}

/// The types that a tool writes next to values.
pub(super) trait Types {
    /// Reads a type; `None` if the tool never writes it.
    fn read<'j>(&self, node: Node<'j>) -> Option<DeclaredType<'j>>;

    /// Returns whether an output with this type, or without one, has to be treated as
    /// sensitive even if it has no mark.
    fn is_sensitive(&self, node: Option<Node<'_>>) -> bool;

    /// Returns why the tool doesn't write the values of this type, and what to do instead;
    /// `None` if it writes them.
    fn without_value(&self, node: Node<'_>) -> Option<[&'static str; 2]>;

    /// Returns the type of a redacted output, as JSON.
    fn redacted(&self, node: Node<'_>) -> String;
}

/// Terraform's types.
pub(super) struct TerraformTypes;

impl Types for TerraformTypes {
    fn read<'j>(&self, node: Node<'j>) -> Option<DeclaredType<'j>> {
        DeclaredType::of_terraform(node)
    }

    fn is_sensitive(&self, _: Option<Node<'_>>) -> bool {
        false
    }

    fn without_value(&self, _: Node<'_>) -> Option<[&'static str; 2]> {
        None
    }

    /// Terraform writes the keys of an object into its type, too.
    fn redacted(&self, _: Node<'_>) -> String {
        "\"dynamic\"".to_owned()
    }
}

impl Format for MarkedFormat {
    fn properties(&self) -> Properties {
        Properties {
            id: self.id,
            marks_sensitive: true,
            as_manifest: self.as_manifest,
            publication: self.publication,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        match (self.outputs)(document) {
            Some(_) => Recognition::Certain,
            None => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        if let Err(diagnostics) = self.read_into(&mut read, document) {
            read.diagnostics.append(diagnostics);
        }
        read
    }

    /// Replaces everything outside of the outputs, too: the resources of a state contain
    /// secrets in plain text. If a name occurs twice, it is unknown which one decides
    /// whether it is sensitive.
    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        let MarkedOutputs { path, types } = (self.outputs)(document)?;
        let located = Located::find(document, path).ok()?;
        let members = located.outputs;
        let earlier = previous_occurrences(&names(&members));
        let declared = |member: &Member<'_>| document.declares_sensitive(&member.name);
        let mut sensitive: Vec<bool> = members.iter().map(declared).collect();
        for (again, member) in members.iter().enumerate() {
            if let Some(before) = earlier[again] {
                (sensitive[before], sensitive[again]) = (true, true);
            }
            sensitive[again] |=
                !member.value.is_object() || is_sensitive(&member.value.members(), types);
        }
        let mut redaction = Redaction::default();
        for (nth, member) in members.iter().enumerate() {
            if !sensitive[nth] {
                continue;
            }
            if earlier[nth].is_none() {
                redaction.outputs.push(member.name.clone().into_owned());
            }
            if !member.value.is_object() {
                redaction.replace(member.value.span(), "{}".to_owned());
            }
            for field in member.value.members() {
                let text = match &*field.name {
                    "type" => Some(types.redacted(field.value)),
                    LEFT_OUT => Some(is_left_out(&field).to_string()),
                    _ => redacted_field(&field, is_public),
                };
                if let Some(text) = text {
                    redaction.replace(field.value.span(), text);
                }
            }
        }
        for other in located.others {
            let empty = match other.value.value_type() {
                Type::Object => "{}",
                Type::List => "[]",
                Type::String => "\"\"",
                // A state is recognized by it.
                Type::Number if other.name != "version" => "0",
                Type::Number | Type::Bool | Type::Null => continue,
            };
            redaction.replace(other.value.span(), empty.to_owned());
        }
        redaction.edits.sort_by_key(|edit| edit.span.start);
        Some(redaction)
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        self.sample
    }
}

impl MarkedFormat {
    fn read_into(
        &self,
        read: &mut ReadOutputs,
        document: &Document<'_>,
    ) -> Result<(), Diagnostics> {
        let Some(MarkedOutputs { path, types }) = (self.outputs)(document) else {
            document.members()?;
            let message = format!("the outputs document is not in the format `{}`", self.id);
            return Err(document.invalid(message, document.start, "").into());
        };
        let located = Located::find(document, path)?;
        let mut positions = Positions::new(document.text.as_bytes());
        for other in &located.others {
            let end = other.value.span().end;
            let may_hold_secrets = matches!(other.value.value_type(), Type::List | Type::Object);
            if may_hold_secrets && end <= located.start {
                positions.hide(end);
            }
        }
        let members = located.outputs;
        let earlier = previous_occurrences(&names(&members));
        let is_unique = earlier.iter().all(Option::is_none);
        for (member, earlier) in members.iter().zip(&earlier) {
            let span = positions.reported(member.span);
            // If a name occurs twice, it is unknown which one counts.
            let mut sensitive = document.declares_sensitive(&member.name) || earlier.is_some();
            let name = || member.name.clone().into_owned();
            let invalid = |message: String, span: Span, label: String| {
                let error = Diagnostic::error(Rule::InvalidOutputs, message);
                Some(error.at_concealed(document.origin, span, label))
            };
            let error = match output(member, types, &positions, &mut sensitive) {
                Ok(value) => {
                    read.outputs.push(Output {
                        name: name(),
                        span,
                        value,
                        written: member.value.span(),
                        sensitive,
                    });
                    None
                }
                Err(OutputError::Unreadable([why, help])) if is_unique => {
                    read.unreadable.push(Unreadable {
                        name: name(),
                        span,
                        sensitive,
                        why,
                        help,
                        is_written: is_written(member),
                    });
                    None
                }
                Err(OutputError::Unreadable(_)) => {
                    let message = format!("the output `{}` {NO_VALUE}", member.name);
                    invalid(message, span, String::new())
                }
                Err(OutputError::Invalid(message)) => invalid(message, span, String::new()),
                Err(OutputError::Mismatch(message, at, label)) => invalid(message, at, label),
                Err(OutputError::Duplicate(message, spans)) => {
                    Some(document.duplicate_error(message, spans))
                }
                Err(OutputError::MisspeltMark(message, at)) => invalid(message, at, String::new())
                    .map(|error| error.help("did you mean `sensitive`?")),
            };
            if let Some(error) = error {
                read.diagnostics.push(error);
            }
            if sensitive {
                positions.hide(member.value.span().end);
            }
        }
        reject_repeated(document, read);
        Ok(())
    }
}

/// The outputs in a document.
struct Located<'d> {
    outputs: Vec<Member<'d>>,
    /// Where they begin.
    start: usize,
    /// The members around them.
    others: Vec<Member<'d>>,
}

impl<'d> Located<'d> {
    /// Finds the object of outputs at a path.
    ///
    /// # Errors
    /// The document is not an object, or a value on the path isn't one, or occurs twice.
    fn find(document: &'d Document<'_>, path: &[&str]) -> Result<Self, Diagnostics> {
        let mut located = Self {
            outputs: document.members()?,
            start: document.start,
            others: Vec::new(),
        };
        // What precedes a key on its line may be secret.
        let line = |key: &Member<'_>| document.line_of(key.span.start);
        for key in path {
            let members = std::mem::take(&mut located.outputs);
            let (mut found, others): (Vec<_>, Vec<_>) =
                members.into_iter().partition(|member| member.name == *key);
            located.others.extend(others);
            if let [first, again, ..] = &*found {
                let message = format!("duplicate key `{key}` in the outputs document");
                let error = document.duplicate_error(message, [line(first), line(again)]);
                return Err(error.into());
            }
            let Some(member) = found.pop() else { break };
            match member.value.value_type() {
                Type::Object => {
                    located.start = member.value.span().start;
                    located.outputs = member.value.members();
                }
                Type::Null => break,
                _ => {
                    let message = format!("`{key}` in the outputs document is not an object");
                    let error = Diagnostic::error(Rule::InvalidOutputs, message).at_concealed(
                        document.origin,
                        line(&member),
                        "",
                    );
                    return Err(error.into());
                }
            }
        }
        Ok(located)
    }
}

/// Returns whether an output with these fields is sensitive, or may be.
fn is_sensitive(fields: &[Member<'_>], types: &dyn Types) -> bool {
    let mut declared = fields.iter().filter(|field| field.name == "type");
    types.is_sensitive(declared.next().map(|field| field.value))
        || declared.any(|field| types.is_sensitive(Some(field.value)))
        || (fields.iter()).any(|field| marks_as_sensitive(field) || is_left_out(field))
}

fn marks_as_sensitive(field: &Member<'_>) -> bool {
    is_like_mark(&field.name) && field.value.raw() != "false"
}

/// Returns whether an output has a value.
fn is_written(output: &Member<'_>) -> bool {
    let fields = output.value.members();
    fields
        .iter()
        .any(|field| field.name == "value" && field.value.raw() != "null")
}

const NO_VALUE: &str = "has no `value`";

/// Why an output cannot be read.
enum OutputError {
    /// The tool doesn't write its value: why, and what to do instead.
    Unreadable([&'static str; 2]),
    Invalid(String),
    /// The value differs from its type, at a location with a label.
    Mismatch(String, Span, String),
    Duplicate(String, [Span; 2]),
    MisspeltMark(String, Span),
}

/// Reads the value of one output, and whether it is sensitive. A value that cannot be read
/// is sensitive.
fn output(
    member: &Member<'_>,
    types: &dyn Types,
    positions: &Positions<'_>,
    sensitive: &mut bool,
) -> Result<Value, OutputError> {
    let name = &member.name;
    let fields = member.value.members();
    let field = |name: &str| fields.iter().find(|field| field.name == name);
    let (value, declared) = (field("value"), field("type"));
    let mut positions = positions.clone();
    let mut key_span = |field: &Member<'_>| {
        if let Some(value) = value.filter(|value| value.span.start < field.span.start) {
            positions.hide(value.value.span().end);
        }
        positions.reported(field.span)
    };
    if let Some(same) = first_duplicate(&fields) {
        // The value may be sensitive: it is unknown which key decides.
        *sensitive = true;
        let spans = same.map(key_span);
        let message = format!("duplicate key `{}` in the output `{name}`", same[0].name);
        return Err(OutputError::Duplicate(message, spans));
    }
    let is_misspelt = |field: &&Member<'_>| is_like_mark(&field.name) && !is_mark(&field.name);
    if let Some(field) = fields.iter().find(is_misspelt) {
        *sensitive = true;
        let message = format!("unknown key `{}` in the output `{name}`", field.name);
        return Err(OutputError::MisspeltMark(message, key_span(field)));
    }
    *sensitive |= is_sensitive(&fields, types);
    if fields.iter().any(is_left_out) {
        return Err(OutputError::Unreadable([LEFT_OUT_WHY, LEFT_OUT_HELP]));
    }
    let declared = declared.map(|field| field.value);
    let without_value = || declared.and_then(|declared| types.without_value(declared));
    if value.is_none()
        && let Some(why) = without_value()
    {
        return Err(OutputError::Unreadable(why));
    }
    let why = match value.map(|field| (field.value, field.value.value())) {
        Some((node, Ok(value))) => match check_type(node, declared, types, *sensitive) {
            Ok(()) => return Ok(value),
            Err((why, Some(Mismatch { at, label }))) => {
                let message = format!("the output `{name}` {why}");
                let at = positions.reported(Span::point(at));
                return Err(OutputError::Mismatch(message, at, label));
            }
            Err((why, None)) => why,
        },
        // The keys of a sensitive value are part of it.
        Some((_, Err(keys))) if !*sensitive => {
            let message = format!("duplicate key in an object of the output `{name}`");
            let spans = keys.map(|key| positions.reported(key));
            return Err(OutputError::Duplicate(message, spans));
        }
        Some(_) => "has an object with a duplicate key",
        None => NO_VALUE,
    };
    *sensitive = true;
    Err(OutputError::Invalid(format!("the output `{name}` {why}")))
}

/// Compares a value with the type next to it. Of a sensitive value, only its own type is
/// compared: diagnostics must not depend on what is in it.
///
/// # Errors
/// What is wrong with the output; the location if a part of the value differs.
fn check_type(
    value: Node<'_>,
    declared: Option<Node<'_>>,
    types: &dyn Types,
    sensitive: bool,
) -> Result<(), (&'static str, Option<Mismatch>)> {
    const DIFFERS: &str = "does not match its `type`";
    let Some(declared) = declared else {
        return if types.is_sensitive(None) {
            Err(("has no `type`", None))
        } else {
            Ok(())
        };
    };
    match types.read(declared) {
        None => Err(("has an unknown `type`", None)),
        Some(declared) if sensitive => {
            if declared.accepts_type_of(value) {
                Ok(())
            } else {
                Err((DIFFERS, None))
            }
        }
        Some(declared) => (declared.check(value)).map_err(|mismatch| (DIFFERS, Some(mismatch))),
    }
}
