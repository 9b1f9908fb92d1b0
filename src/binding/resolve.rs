//! A reference's value: its path looked up in the bound outputs, its functions
//! called in turn.

use std::borrow::Cow;
use std::ops::Range;

use super::functions::{
    self, Arguments, Body, Called, Failure, Function, Told, check_argument, literal_value,
};
use super::look_up::{Found, Missing, Source, look_up};
use super::policy::{Empty, Policy};
use crate::manifest::Style;
use crate::outputs::{Bindings, Bound, Type, Value};
use crate::reference::{Argument, ArgumentValue, Call, Path, Reference, Step};
use crate::report::{Diagnostic, Origin, Rule, Span};

/// A reference that has a value.
#[derive(Debug)]
pub(crate) struct Resolved<'b> {
    pub(crate) value: Cow<'b, Value>,
    pub(crate) sensitive: bool,
    /// The sensitive output that marks it: its name, its document, and the bytes
    /// of its name there.
    pub(crate) marked_by: Option<(String, usize, Span)>,
    /// The output as it is spoken of: `infra.vpc_id`.
    pub(crate) output: String,
    /// The output's document and the bytes of its name; none when it is missing.
    pub(crate) source: Option<(usize, Span)>,
    /// The type of what the path leads to, before any function.
    pub(crate) source_type: Type,
    pub(crate) warnings: Vec<Diagnostic>,
    /// It has no value, and stays in the text as it is.
    pub(crate) kept: bool,
}

impl Resolved<'_> {
    /// The bytes that functions have made for it, about.
    pub(crate) fn made(&self) -> usize {
        match &self.value {
            Cow::Borrowed(_) => 0,
            Cow::Owned(value) => functions::size(value),
        }
    }
}

/// Where a reference stands: leads from the bytes it was read from to those of
/// its manifest.
pub(crate) struct Site<'a> {
    pub(crate) manifest: Origin,
    pub(crate) span_of: &'a dyn Fn(&Range<usize>) -> Span,
    /// How the scalar is written, and so what must be escaped in it.
    pub(crate) style: Style,
}

impl Site<'_> {
    /// A diagnostic whose primary place is `range` of the reference's text.
    pub(crate) fn tell(
        &self,
        diagnostic: Diagnostic,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        diagnostic.at(self.manifest, (self.span_of)(range), message)
    }
}

/// Looks the path up and calls the functions.
///
/// # Errors
/// The one thing that is wrong with this reference.
pub(crate) fn resolve<'b>(
    reference: &Reference,
    bindings: &'b Bindings,
    policy: &Policy,
    site: &Site<'_>,
) -> Result<Resolved<'b>, Box<Diagnostic>> {
    // The calls first: what is wrong with them is wrong for every output.
    let functions = reference
        .calls
        .iter()
        .map(|call| functions::check(call, site))
        .collect::<Result<Vec<_>, _>>()?;
    let mut pipeline = Pipeline::new(&reference.path, bindings, policy, site);
    for (call, function) in reference.calls.iter().zip(functions) {
        match function.body {
            Body::Default => pipeline.default(call),
            Body::Required => pipeline.required(call)?,
            Body::Nonsensitive => pipeline.nonsensitive(call, policy)?,
            Body::Value(body) => pipeline.call(call, function, body)?,
        }
    }
    pipeline.resolved()
}

/// A reference on its way through its functions.
struct Pipeline<'r, 'b, 's> {
    bindings: &'b Bindings,
    site: &'s Site<'s>,
    /// What is null or empty is a value like others.
    allows_empty: bool,
    found: Found<'b>,
    source: Source<'r, 'b>,
    source_type: Type,
    /// The path that the value came from.
    spoken: &'r Path,
    /// The last call that made the value of what the path or a default gave.
    made_by: Option<&'r Call>,
    /// The sensitive output that has gone into the value, unless `nonsensitive`
    /// has taken the mark off.
    marked_by: Option<(&'r Path, &'b Bound)>,
    /// Something sensitive has gone into the value: diagnostics tell nothing of
    /// it, even where `nonsensitive` allows to write it.
    guarded: bool,
    warnings: Vec<Diagnostic>,
}

impl<'r, 'b, 's> Pipeline<'r, 'b, 's> {
    fn new(path: &'r Path, bindings: &'b Bindings, policy: &Policy, site: &'s Site<'s>) -> Self {
        let (found, source) = look_up(path, bindings, site);
        let marked_by = source.mark();
        Self {
            bindings,
            site,
            allows_empty: policy.empty == Empty::Allow,
            source_type: found.value_type(),
            found,
            source,
            spoken: path,
            made_by: None,
            marked_by,
            guarded: marked_by.is_some(),
            warnings: Vec::new(),
        }
    }

    /// Takes the mark off, unless the operator refuses that.
    fn nonsensitive(&mut self, call: &Call, policy: &Policy) -> Result<(), Box<Diagnostic>> {
        let (Some((path, bound)), Some((origin, span))) =
            (self.marked_by.take(), policy.nonsensitive_refused)
        else {
            return Ok(());
        };
        let message = format!(
            "the operator's policy does not allow `nonsensitive` on the sensitive output `{}`",
            output_name(path)
        );
        let error = Diagnostic::error(Rule::RefusedByOperator, message);
        let error = self
            .site
            .tell(error, &call.range, "")
            .at_concealed(
                Origin::Outputs(bound.document),
                bound.span,
                "marked sensitive here",
            )
            .in_config(origin, span, "refused here")
            .help("put the value into a Secret and refer to that Secret here");
        Err(Box::new(error))
    }

    fn default(&mut self, call: &'r Call) {
        let Some(argument) = call.arguments.first() else {
            return;
        };
        match &self.found {
            Found::Value(value) if !value.is_empty() => return,
            Found::Value(_) => {}
            Found::Missing(missing) => {
                let typo = default_for_typo(missing, argument, self.spoken, self.site);
                self.warnings.extend(typo);
            }
        }
        // Only now: what it names may be missing where it is not needed.
        (self.found, self.source) = self.argument(argument);
        self.mark(self.source);
        self.source_type = self.found.value_type();
        self.made_by = None;
        if let Source::Output(path, _) | Source::Nowhere(path) = self.source {
            self.spoken = path;
        }
    }

    fn argument(&self, argument: &'r Argument) -> (Found<'b>, Source<'r, 'b>) {
        match &argument.value {
            ArgumentValue::Path(path) => look_up(path, self.bindings, self.site),
            literal => {
                let value = literal_value(literal).unwrap_or(Value::Null);
                (Found::Value(Cow::Owned(value)), Source::Literal)
            }
        }
    }

    /// Marks the value as what a sensitive output has gone into.
    fn mark(&mut self, source: Source<'r, 'b>) {
        let mark = source.mark();
        self.guarded |= mark.is_some();
        self.marked_by = self.marked_by.or(mark);
    }

    /// Fails with the author's words where there is nothing.
    fn required(&mut self, call: &Call) -> Result<(), Box<Diagnostic>> {
        let mut error = match &self.found {
            Found::Missing(missing) => missing.error.clone(),
            Found::Value(value) if value.is_empty() => self.empty(value),
            Found::Value(_) => return Ok(()),
        };
        let why = match call.arguments.first().map(|argument| &argument.value) {
            Some(ArgumentValue::String(why)) if !why.is_empty() => why.clone(),
            _ => error.message.clone(),
        };
        let what = std::mem::replace(&mut error.message, why);
        if error.rule == Rule::EmptyOutput {
            // It would offer a default.
            error.help = None;
        }
        error.rule = Rule::RequiredOutput;
        if let Some(primary) = error.labels.first_mut() {
            primary.message = what;
        }
        Err(Box::new(error))
    }

    /// Calls a function on the value, if there is one. What is null or empty is
    /// as good as missing, unless a default says so.
    fn call(
        &mut self,
        call: &'r Call,
        function: &'static Function,
        body: fn(&Value, &Arguments<'_>) -> Result<Value, Failure>,
    ) -> Result<(), Box<Diagnostic>> {
        let nothing = Found::Value(Cow::Owned(Value::Null));
        let value = match std::mem::replace(&mut self.found, nothing) {
            Found::Value(value) if self.is_nothing(&value) => {
                let error = self.empty(&value);
                self.found = Found::Missing(Box::new(Missing { error, typo: None }));
                return Ok(());
            }
            Found::Value(value) => value,
            missing @ Found::Missing(_) => {
                self.found = missing;
                return Ok(());
            }
        };
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (nth, argument) in call.arguments.iter().enumerate() {
            let (found, source) = self.argument(argument);
            self.mark(source);
            let value = match found {
                Found::Missing(missing) => return Err(Box::new(missing.error)),
                Found::Value(value) => value,
            };
            if let Source::Output(path, bound) = source {
                let found = value.value_type().described();
                let told = |error| of_output(error, bound, found);
                let subject = format!("`{}`", path.spelled());
                if value.is_empty() && !self.allows_empty {
                    let message = format!("{subject} is {}", emptiness(&value));
                    let error = Diagnostic::error(Rule::EmptyOutput, message);
                    return Err(Box::new(told(self.site.tell(error, &argument.range, ""))));
                }
                check_argument(function, nth, &value, &subject, &argument.range, self.site)
                    .map_err(|error| Box::new(told(*error)))?;
            }
            arguments.push(value);
        }
        match functions::run(body, &value, &Arguments(&arguments)) {
            Ok(made) => {
                self.found = Found::Value(Cow::Owned(made));
                self.made_by = Some(call);
            }
            // Nothing can be made of it, and a later default may still answer.
            Err(_) if value.is_empty() && self.source.bound().is_some() => {
                let error = self.empty(&value);
                self.found = Found::Missing(Box::new(Missing { error, typo: None }));
            }
            Err(failure) => {
                let called = Called {
                    function,
                    call,
                    subject: self.subject(),
                    value: &value,
                    open: !self.guarded,
                };
                match called.failed(failure, self.site) {
                    Told::Error(error) => return Err(Box::new(self.with_output(error))),
                    Told::Missing(Missing { error, typo }) => {
                        let error = self.with_output(error);
                        self.found = Found::Missing(Box::new(Missing { error, typo }));
                    }
                }
            }
        }
        Ok(())
    }

    fn resolved(self) -> Result<Resolved<'b>, Box<Diagnostic>> {
        let value = match self.found {
            Found::Missing(missing) => return Err(Box::new(missing.error)),
            Found::Value(ref value) if self.is_nothing(value) => {
                return Err(Box::new(self.empty(value)));
            }
            Found::Value(value) => value,
        };
        Ok(Resolved {
            value,
            sensitive: self.marked_by.is_some(),
            marked_by: self
                .marked_by
                .map(|(path, bound)| (output_name(path), bound.document, bound.span)),
            output: output_name(self.spoken),
            source: self
                .source
                .bound()
                .map(|bound| (bound.document, bound.span)),
            source_type: self.source_type,
            warnings: self.warnings,
            kept: false,
        })
    }

    /// What the value is called in a message.
    fn subject(&self) -> String {
        let origin = match self.source {
            Source::Literal => "the default".to_owned(),
            Source::Output(..) | Source::Nowhere(_) => format!("`{}`", self.spoken.spelled()),
        };
        match self.made_by {
            Some(call) => format!("what `{}` makes of {origin}", call.function),
            None => origin,
        }
    }

    /// Whether a value is as good as missing. One that a default has written is
    /// meant.
    fn is_nothing(&self, value: &Value) -> bool {
        value.is_empty() && !self.allows_empty && self.source.bound().is_some()
    }

    /// The same error with the output's own place, if there is an output.
    fn with_output(&self, error: Diagnostic) -> Diagnostic {
        match self.source.bound() {
            Some(bound) => of_output(error, bound, self.source_type.described()),
            None => error,
        }
    }

    /// An output, or what a function made of it, that is null or an empty string
    /// and that no default answers.
    fn empty(&self, value: &Value) -> Diagnostic {
        let what = emptiness(value);
        let message = format!("{} is {what}", self.subject());
        let error = Diagnostic::error(Rule::EmptyOutput, message);
        let range = self.made_by.map_or(&self.spoken.range, |call| &call.range);
        let error = self.site.tell(error, range, "");
        let (error, answered) = match (self.made_by, self.source.bound()) {
            (None, Some(bound)) => {
                let answered = format!("${{{} | default(\"…\")}}", self.spoken.spelled());
                (of_output(error, bound, what), answered)
            }
            _ => (self.with_output(error), "`| default(\"…\")`".to_owned()),
        };
        error.help(format!(
            "say what should stand here then: {answered}; default(\"\") where nothing should"
        ))
    }
}

/// The same error with an output's place.
fn of_output(error: Diagnostic, bound: &Bound, what: &str) -> Diagnostic {
    let origin = Origin::Outputs(bound.document);
    error.at_concealed(origin, bound.span, format!("this output is {what}"))
}

fn emptiness(value: &Value) -> &'static str {
    match value.value_type() {
        Type::Null => "null",
        _ => "an empty string",
    }
}

/// A default that answers for what is probably a typing mistake, unless it names
/// that very output itself.
fn default_for_typo(
    missing: &Missing,
    argument: &Argument,
    path: &Path,
    site: &Site<'_>,
) -> Option<Diagnostic> {
    let near = missing.typo.as_ref()?;
    let names_it = matches!(&argument.value, ArgumentValue::Path(path)
        if path.segments.iter().any(|segment| segment.step == Step::Key(near.clone())));
    if names_it {
        return None;
    }
    let text = format!(
        "the default answers for a missing name, and `{near}` exists: is it a typing mistake?"
    );
    Some(site.tell(
        Diagnostic::warning(Rule::DefaultForNearMiss, text),
        &path.range,
        format!("did you mean `{near}`?"),
    ))
}

/// `infra.vpc_id` of `infra.vpc_id["x"]`.
fn output_name(path: &Path) -> String {
    let segments = path.segments.iter().take(1).cloned().collect();
    Path {
        binding: path.binding.clone(),
        segments,
        range: path.range.clone(),
    }
    .spelled()
}
