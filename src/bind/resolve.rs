//! Resolves a reference in two passes. The first reads no sensitive output: it evaluates
//! public values, and withholds every value that depends on something sensitive. The
//! second evaluates those, once their placement is known to accept sensitive values. So a
//! function never runs on a sensitive value that is then refused, and no failure depends
//! on one.

use std::borrow::Cow;
use std::rc::Rc;

use crate::bind::pipeline::{Evaluated, Finished, Pipeline};
use crate::config::policy::Policy;
use crate::functions::Evaluation;
use crate::functions::look_up::{OutputName, public_output};
use crate::functions::sensitive_failure;
use crate::functions::{self, Body};
use crate::outputs::Mark;
use crate::outputs::{Bindings, Type, Value};
use crate::reference::{MemberCall, Reference, Site};
use crate::report::{Diagnostic, Rule};
use yaml::Span;

/// Shown instead of an unknown value, as in Terraform.
pub(crate) const UNKNOWN: &str = "(known after apply)";

/// What a value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It replaces the reference.
    Value,
    /// Its items, of which there may be none, replace the item that the reference is.
    Items,
    /// There is none: the entry or item that the reference is is removed.
    Omitted,
}

/// A reference that has a value.
#[derive(Debug)]
pub(crate) struct Resolved<'b> {
    pub(crate) value: Cow<'b, Value>,
    pub(crate) shape: Shape,
    /// The sensitive output that the value depends on, unless `nonsensitive` removed the
    /// mark.
    pub(crate) mark: Option<Rc<Mark>>,
    /// The output as messages name it: `infra.vpc_id`.
    pub(crate) output: OutputName<'b>,
    /// The output's document and the bytes of its name; `None` if it is missing.
    pub(crate) source: Option<(usize, Span)>,
    /// The type of the value at the path, before any function; for a sensitive output,
    /// the type of the whole output.
    pub(crate) source_type: Type,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Whether the value is a literal in the reference, which no function has changed.
    pub(crate) is_literal: bool,
    /// Whether it has no value, and stays in the text as it is.
    pub(crate) kept: bool,
    /// Whether the value is unknown; `value` is [`UNKNOWN`] then, and is only reported.
    pub(crate) unknown: bool,
}

/// The first pass over a reference.
#[derive(Debug)]
pub(crate) enum Outcome<'b> {
    Resolved(Resolved<'b>),
    Withheld(Withheld<'b>),
}

/// A reference whose value is sensitive, not evaluated yet.
#[derive(Debug)]
pub(crate) struct Withheld<'b> {
    /// The sensitive output that its placement must accept.
    pub(crate) mark: Rc<Mark>,
    facts: Facts<'b>,
}

/// Everything about a withheld value except the value itself, on which nothing here
/// depends.
#[derive(Debug)]
pub(crate) struct Facts<'b> {
    /// The first sensitive output that the value depends on.
    pub(crate) first_sensitive: Rc<Mark>,
    /// `None` if `nonsensitive` removed the mark.
    pub(crate) mark: Option<Rc<Mark>>,
    pub(crate) output: OutputName<'b>,
    pub(crate) source: Option<(usize, Span)>,
    pub(crate) source_type: Type,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Resolved<'_> {
    /// Returns a text of the manifest, which depends on no output.
    pub(crate) fn of_text(text: &str) -> Self {
        Self {
            value: Cow::Owned(Value::String(text.to_owned())),
            shape: Shape::Value,
            mark: None,
            output: OutputName::Other(String::new()),
            source: None,
            source_type: Type::String,
            warnings: Vec::new(),
            kept: false,
            unknown: false,
            is_literal: false,
        }
    }

    /// Returns an item of the value, as if it was the value.
    pub(crate) fn item<'v>(&self, item: &'v Value) -> Resolved<'v>
    where
        Self: 'v,
    {
        Resolved {
            value: Cow::Borrowed(item),
            shape: Shape::Value,
            mark: self.mark.clone(),
            output: OutputName::Other(self.output.to_string()),
            source: self.source,
            source_type: self.source_type,
            warnings: Vec::new(),
            is_literal: false,
            kept: false,
            unknown: false,
        }
    }

    pub(crate) const fn is_sensitive(&self) -> bool {
        self.mark.is_some()
    }

    /// Returns approximately how many bytes functions produced for it.
    pub(crate) fn produced_size(&self) -> usize {
        match &self.value {
            Cow::Borrowed(_) => 0,
            Cow::Owned(value) => functions::size(value),
        }
    }
}

/// Looks up the path and calls the functions, unless the value depends on something
/// sensitive. A value whose mark `nonsensitive` removes is public because its author says
/// so: it is evaluated here too.
///
/// # Errors
/// The first problem of this reference. It depends on no sensitive value, except one that
/// may be written anywhere.
pub(crate) fn resolve<'b>(
    reference: &Reference,
    bindings: &'b Bindings,
    policy: &Policy,
    site: &Site<'_>,
) -> Result<Outcome<'b>, Box<Diagnostic>> {
    if let Some(resolved) = resolve_output(reference, bindings) {
        return Ok(Outcome::Resolved(resolved));
    }
    // The calls first: problems with them apply to every output.
    check_calls(reference, site)?;
    let mut pipeline = Pipeline::new(&reference.path, bindings, policy, Evaluation::Public, site)?;
    pipeline.call_all(&reference.calls)?;
    let facts = match pipeline.finish()? {
        Finished::Resolved(resolved) => return Ok(Outcome::Resolved(resolved)),
        Finished::Withheld(facts) => facts,
    };
    match facts.mark.clone() {
        Some(mark) if reference.member_call().is_some() => {
            Err(Box::new(depends_on_sensitive(reference, &mark, site)))
        }
        Some(mark) => Ok(Outcome::Withheld(Withheld { mark, facts })),
        None => evaluate(reference, facts, bindings, policy, site).map(Outcome::Resolved),
    }
}

/// Resolves a reference that is an output and nothing else, as most are: what the pipeline
/// would return, without its steps.
fn resolve_output<'b>(reference: &Reference, bindings: &'b Bindings) -> Option<Resolved<'b>> {
    if !reference.calls.is_empty() {
        return None;
    }
    let (output, bound) = public_output(&reference.path, bindings)?;
    Some(Resolved {
        value: Cow::Borrowed(&bound.value),
        shape: Shape::Value,
        mark: None,
        output,
        source: Some((bound.document, bound.span)),
        source_type: bound.value.value_type(),
        warnings: Vec::new(),
        is_literal: false,
        kept: false,
        unknown: false,
    })
}

/// Returns the error of a reference by which an entry or item, or the number of items, would
/// depend on a sensitive output.
fn depends_on_sensitive(reference: &Reference, mark: &Mark, site: &Site<'_>) -> Diagnostic {
    let (call, depends) = match reference.member_call() {
        Some(MemberCall::Spread) => ("spread", "the number of items"),
        _ => ("default(omit)", "whether there is an entry or item"),
    };
    let message = format!(
        "`{call}` is not allowed on the sensitive output `{}`",
        mark.output
    );
    let error = site.label(
        Diagnostic::error(Rule::SensitiveOutput, message),
        &reference.range,
        "",
    );
    mark.label(error).help(format!(
        "{depends} would reveal part of it: use the value itself, and `required` or a fallback if there may be none"
    ))
}

/// Checks every call of a reference, and those of references in its arguments.
fn check_calls(reference: &Reference, site: &Site<'_>) -> Result<(), Box<Diagnostic>> {
    for (nth, call) in reference.calls.iter().enumerate() {
        let function = functions::check(call, site)?;
        if matches!(function.body, Body::Spread) && nth + 1 < reference.calls.len() {
            let message = "`spread` must be the last function";
            let error = Diagnostic::error(Rule::InvalidArgument, message);
            let error = site.label(error, &call.range, "");
            let help = "functions before it apply to the list; `each` calls one on every item";
            return Err(Box::new(error.help(help)));
        }
        for argument in &call.arguments {
            argument.for_each_nested(&mut |nested| check_calls(nested, site))?;
        }
    }
    Ok(())
}

impl<'b> Withheld<'b> {
    /// Evaluates the reference. Must only be called if its placement accepts sensitive
    /// values.
    ///
    /// # Errors
    /// What failed, without anything that depends on the value.
    pub(crate) fn evaluate(
        self,
        reference: &Reference,
        bindings: &'b Bindings,
        policy: &Policy,
        site: &Site<'_>,
    ) -> Result<Resolved<'b>, Box<Diagnostic>> {
        evaluate(reference, self.facts, bindings, policy, site)
    }

    /// Returns a placeholder for the value, on which it does not depend.
    pub(crate) fn replaced_by(self, text: String) -> Resolved<'b> {
        self.facts.with_value(Cow::Owned(Value::String(text)))
    }
}

fn evaluate<'b>(
    reference: &Reference,
    facts: Facts<'b>,
    bindings: &'b Bindings,
    policy: &Policy,
    site: &Site<'_>,
) -> Result<Resolved<'b>, Box<Diagnostic>> {
    let path = &reference.path;
    let value = Pipeline::new(path, bindings, policy, Evaluation::All, site)
        .and_then(|mut pipeline| {
            pipeline.depend_on(Rc::clone(&facts.first_sensitive));
            pipeline.call_all(&reference.calls)?;
            pipeline.evaluated()
        })
        .map_err(|error| {
            Box::new(sensitive_failure::hide_reason(
                *error,
                reference,
                &facts.first_sensitive,
                site,
            ))
        })?;
    let (value, shape, unknown) = value.into_parts();
    let resolved = facts.with_value(value);
    Ok(Resolved {
        shape,
        unknown,
        ..resolved
    })
}

impl<'b> Evaluated<'b> {
    /// Returns the value, or what is reported instead of it, what it becomes, and whether it
    /// is unknown.
    pub(crate) fn into_parts(self) -> (Cow<'b, Value>, Shape, bool) {
        match self {
            Self::Value(value) => (value, Shape::Value, false),
            Self::Items(items) => (items, Shape::Items, false),
            Self::Omitted => (Cow::Owned(Value::Null), Shape::Omitted, false),
            Self::Unknown => {
                let shown = Value::String(UNKNOWN.to_owned());
                (Cow::Owned(shown), Shape::Value, true)
            }
        }
    }
}

impl<'b> Facts<'b> {
    fn with_value(self, value: Cow<'b, Value>) -> Resolved<'b> {
        Resolved {
            value,
            shape: Shape::Value,
            mark: self.mark,
            output: self.output,
            source: self.source,
            source_type: self.source_type,
            warnings: self.warnings,
            is_literal: false,
            kept: false,
            unknown: false,
        }
    }
}

/// Returns the values of references, if all of them have one.
pub(crate) fn all_values<'v>(values: &'v [Option<Resolved<'_>>]) -> Option<Vec<&'v Value>> {
    values
        .iter()
        .map(|value| {
            let known = value.as_ref().filter(|value| !value.unknown);
            known.map(|value| &*value.value)
        })
        .collect()
}
