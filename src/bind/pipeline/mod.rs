//! A reference while its functions are evaluated.

mod arguments;

use std::borrow::Cow;
use std::rc::Rc;

use crate::bind::resolve::{Facts, Resolved};
use crate::config::policy::{Empty, Missing as MissingPolicy, Policy};
use crate::functions::Evaluation;
use crate::functions::look_up::{Found, Missing, Source, look_up, name_of};
use crate::functions::operators;
use crate::functions::sensitive_failure;
use crate::functions::{self, Arguments, Body, FailedCall, Failure, Function, Reported};
use crate::outputs::Mark;
use crate::outputs::{Bindings, Bound, Type, Value};
use crate::reference::Site;
use crate::reference::{Argument, ArgumentValue, Call, Path, Reference, Step, Syntax};
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// The result of a pipeline.
pub(crate) enum Finished<'b> {
    Resolved(Resolved<'b>),
    /// The value depends on a sensitive output.
    Withheld(Facts<'b>),
}

/// What a pipeline evaluates to.
pub(crate) enum Evaluated<'b> {
    Value(Cow<'b, Value>),
    /// The items of this list, each in an item of its own.
    Items(Cow<'b, Value>),
    Omitted,
    Unknown,
}

/// A value between two functions, and what has gone into it.
pub(crate) struct Pipeline<'r, 'b, 's> {
    bindings: &'b Bindings,
    policy: &'s Policy,
    site: &'s Site<'s>,
    evaluation: Evaluation,
    /// Whether null and empty values are treated like other values.
    allows_empty: bool,
    found: Found<'b>,
    source: Source<'r, 'b>,
    source_type: Type,
    /// The path that the value came from.
    path: &'r Path,
    /// The last call that changed the value of the path or of a default.
    last_call: Option<&'r Call>,
    /// Whether the value is a literal in the reference, which no function has changed.
    is_literal: bool,
    /// The size of the value, if `concat` produced it.
    concatenated: Option<usize>,
    /// Whether `spread` was called.
    is_spread: bool,
    /// The sensitive output that the value depends on, unless `nonsensitive` removed the
    /// mark.
    mark: Option<Rc<Mark>>,
    /// The first sensitive output that the value depends on: diagnostics must not depend
    /// on it, even if `nonsensitive` allows it to be written.
    first_sensitive: Option<Rc<Mark>>,
    warnings: Vec<Diagnostic>,
}

impl<'r, 'b, 's> Pipeline<'r, 'b, 's> {
    /// Looks up the path.
    ///
    /// # Errors
    /// The lookup fails even if a `default` follows.
    pub(crate) fn new(
        path: &'r Path,
        bindings: &'b Bindings,
        policy: &'s Policy,
        evaluation: Evaluation,
        site: &'s Site<'s>,
    ) -> Result<Self, Box<Diagnostic>> {
        let (found, source) = look_up(path, bindings, evaluation, site)?;
        let mark = source
            .mark()
            .map(|(path, bound)| Rc::new(Mark::of(path, bound)));
        Ok(Self {
            bindings,
            policy,
            site,
            evaluation,
            allows_empty: policy.choices.empty.value == Empty::Allow,
            source_type: source_type(&found, source),
            found,
            source,
            path,
            last_call: None,
            is_literal: false,
            concatenated: None,
            is_spread: false,
            first_sensitive: mark.clone(),
            mark,
            warnings: Vec::new(),
        })
    }

    /// Declares in advance that the value depends on this output.
    pub(crate) fn depend_on(&mut self, output: Rc<Mark>) {
        self.first_sensitive = Some(output);
    }

    /// Calls the functions, which have been checked.
    ///
    /// # Errors
    /// The first failure, unless a later `default` applies.
    pub(crate) fn call_all(&mut self, calls: &'r [Call]) -> Result<(), Box<Diagnostic>> {
        for call in calls {
            let Some(function) = Function::of_name(&call.function) else {
                continue;
            };
            match function.body {
                Body::Default => {
                    self.concatenated = None;
                    self.apply_default(call)?;
                }
                Body::Required => self.apply_required(call)?,
                Body::Nonsensitive => self.apply_nonsensitive(call)?,
                Body::Value(body) => {
                    self.concatenated = None;
                    self.call_function(call, function, |value, arguments, may_work| {
                        functions::run(body, value, arguments, may_work).map(|result| {
                            *value = Cow::Owned(result);
                        })
                    })?;
                }
                Body::Concat => {
                    let known = self.concatenated.take();
                    let mut size = None;
                    self.call_function(call, function, |value, arguments, may_work| {
                        size = Some(functions::concat(value, known, arguments, may_work)?);
                        Ok(())
                    })?;
                    self.concatenated = size;
                }
                Body::Each => {
                    self.concatenated = None;
                    self.call_function(call, function, |value, arguments, may_work| {
                        *value = Cow::Owned(functions::each(value, call, arguments, may_work)?);
                        Ok(())
                    })?;
                }
                Body::Spread => {
                    self.is_spread = true;
                    self.call_function(call, function, |value, _, _| match &**value {
                        Value::List(_) => Ok(()),
                        _ => Err(Failure::Type("a list")),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the value, or the facts about one that is withheld.
    ///
    /// # Errors
    /// There is no value.
    pub(crate) fn finish(mut self) -> Result<Finished<'b>, Box<Diagnostic>> {
        self.assume_empty();
        let output = name_of(self.path, self.bindings);
        let source = self
            .source
            .bound()
            .map(|bound| (bound.document, bound.span));
        let source_type = self.source_type;
        let warnings = std::mem::take(&mut self.warnings);
        if let Some(first_sensitive) = self.first_sensitive.take() {
            return Ok(Finished::Withheld(Facts {
                first_sensitive,
                mark: self.mark,
                output,
                source,
                source_type,
                warnings,
            }));
        }
        let is_literal = self.is_literal;
        let (value, shape, unknown) = self.evaluated()?.into_parts();
        Ok(Finished::Resolved(Resolved {
            value,
            shape,
            mark: None,
            output,
            source,
            source_type,
            warnings,
            is_literal,
            kept: false,
            unknown,
        }))
    }

    /// Returns the value.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn evaluated(mut self) -> Result<Evaluated<'b>, Box<Diagnostic>> {
        self.assume_empty();
        match self.found {
            Found::Missing(missing) => Err(Box::new(missing.error)),
            Found::Value(ref value) if self.counts_as_missing(value) => {
                Err(Box::new(self.empty_error(value)))
            }
            Found::Value(value) if self.is_spread => Ok(Evaluated::Items(value)),
            Found::Value(value) => Ok(Evaluated::Value(value)),
            Found::Omitted => Ok(Evaluated::Omitted),
            Found::Unknown => Ok(Evaluated::Unknown),
            // Only a pass that evaluates everything asks for the value.
            Found::Withheld => Err(Box::new(self.empty_error(&Value::Null))),
        }
    }

    /// Replaces an output that does not exist with an empty string, with a warning, if the
    /// policy says so.
    fn assume_empty(&mut self) {
        let is_assumed = self.policy.choices.missing.value == MissingPolicy::Empty;
        if let Found::Missing(missing) = &self.found
            && is_assumed
            && missing.error.rule == Rule::UnknownOutput
        {
            self.warnings.push(Diagnostic {
                severity: Severity::Warning,
                ..missing.error.clone()
            });
            self.found = Found::Value(Cow::Owned(Value::String(String::new())));
        }
    }

    /// Removes the mark, unless a policy refuses that.
    fn apply_nonsensitive(&mut self, call: &Call) -> Result<(), Box<Diagnostic>> {
        let refusal = self.policy.refuses_nonsensitive();
        let (Some(mark), Some(refusal)) = (self.mark.take(), refusal) else {
            return Ok(());
        };
        let what = format!("`nonsensitive` on the sensitive output `{}`", mark.output);
        let error = self.site.label(refusal.error(&what), &call.range, "");
        let instead = "put the value in a Secret and reference that Secret here";
        let error = refusal.help(mark.label(error), instead, "nonsensitive: allow");
        Err(Box::new(refusal.refused_here(error)))
    }

    /// Uses the argument if there is no value.
    fn apply_default(&mut self, call: &'r Call) -> Result<(), Box<Diagnostic>> {
        let Some(argument) = call.arguments.first() else {
            return Ok(());
        };
        self.warn_of_operator(call);
        if self.first_sensitive.is_some() {
            return self.apply_sensitive_default(argument);
        }
        match &self.found {
            Found::Value(value) if !value.is_empty() => return Ok(()),
            // Whether the default is used is unknown, too.
            Found::Unknown | Found::Omitted => return Ok(()),
            Found::Value(_) | Found::Withheld => {}
            Found::Missing(missing) if missing.error.rule == Rule::UnreadableOutput => {
                return Err(Box::new(missing.error.clone()));
            }
            Found::Missing(missing) => {
                let typo = default_for_typo(missing, argument, self.path, self.site);
                self.warnings.extend(typo);
            }
        }
        if argument.value == ArgumentValue::Omit {
            (self.found, self.source) = (Found::Omitted, Source::Literal);
            return Ok(());
        }
        // Evaluated only now: an argument that is not needed may be missing.
        let default = self.evaluate_argument(argument)?;
        self.inherit_marks(&default);
        self.source_type = default.source_type;
        (self.found, self.source) = (default.found, default.source);
        self.is_literal = default.is_literal;
        self.last_call = default.last_call;
        self.warnings.extend(default.warnings);
        if let Source::Output(path, _) | Source::Missing(path) = self.source {
            self.path = path;
        }
        Ok(())
    }

    /// Warns about an operator that is no fallback in a shell.
    fn warn_of_operator(&mut self, call: &Call) {
        if let Some(elsewhere) = operators::elsewhere(&call.function) {
            let message = format!("`{}` is a fallback", call.function);
            let warning = Diagnostic::warning(Rule::MisleadingOperator, message);
            let warning = self.site.label(warning, &call.range, elsewhere);
            self.warnings
                .push(warning.help("write `:=` for a fallback"));
        }
    }

    /// Applies a default to a value that depends on a sensitive output. Whether that value
    /// exists must not be revealed: the argument is evaluated, and its mark counts, even if
    /// it is not used.
    fn apply_sensitive_default(&mut self, argument: &'r Argument) -> Result<(), Box<Diagnostic>> {
        if argument.value == ArgumentValue::Omit {
            match &self.found {
                Found::Value(value) if !value.is_empty() => {}
                Found::Value(_) | Found::Missing(_) => self.found = Found::Omitted,
                Found::Omitted | Found::Withheld | Found::Unknown => {}
            }
            return Ok(());
        }
        let default = self.evaluate_argument(argument)?;
        self.inherit_marks(&default);
        let has_value = match &self.found {
            Found::Value(value) => !value.is_empty(),
            Found::Missing(_) => false,
            Found::Omitted | Found::Withheld | Found::Unknown => true,
        };
        if has_value {
            return Ok(());
        }
        self.found = match default.found {
            Found::Missing(_) => missing(self.empty_error(&Value::Null)),
            found => found,
        };
        self.source = default.source;
        self.last_call = default.last_call;
        Ok(())
    }

    /// Fails with the author's message if there is no value.
    fn apply_required(&mut self, call: &Call) -> Result<(), Box<Diagnostic>> {
        let mut error = match &self.found {
            // It is not missing.
            Found::Missing(missing) if missing.error.rule == Rule::UnreadableOutput => {
                return Err(Box::new(missing.error.clone()));
            }
            Found::Missing(missing) => missing.error.clone(),
            Found::Value(value) if value.is_empty() => self.empty_error(value),
            Found::Value(_) | Found::Omitted | Found::Withheld | Found::Unknown => return Ok(()),
        };
        let why = match call.arguments.first().map(|argument| &argument.value) {
            Some(ArgumentValue::String(why)) if !why.is_empty() => why.clone(),
            _ => error.message.clone(),
        };
        let what = std::mem::replace(&mut error.message, why);
        if error.rule == Rule::EmptyOutput {
            // It would suggest a default.
            error.help = None;
        }
        error.rule = Rule::RequiredOutput;
        if let Some(primary) = error.labels.first_mut() {
            primary.message = what;
        }
        Err(Box::new(error))
    }

    /// Calls a function on the value, if there is one. A null or empty value counts as
    /// missing, unless a default provided it.
    fn call_function(
        &mut self,
        call: &'r Call,
        function: &'static Function,
        body: impl FnOnce(
            &mut Cow<'b, Value>,
            &Arguments<'_>,
            &dyn Fn(usize) -> bool,
        ) -> Result<(), Failure>,
    ) -> Result<(), Box<Diagnostic>> {
        self.assume_empty();
        let value = match std::mem::replace(&mut self.found, Found::Withheld) {
            Found::Value(value) if self.counts_as_missing(&value) => {
                self.found = missing(self.empty_error(&value));
                return Ok(());
            }
            none @ (Found::Missing(_) | Found::Omitted) => {
                self.found = none;
                return Ok(());
            }
            Found::Value(value) => Some(value),
            Found::Withheld => None,
            Found::Unknown => {
                self.found = Found::Unknown;
                None
            }
        };
        // `each` has no arguments of its own.
        let called = call.with_nested().last().unwrap_or(call);
        let Some(arguments) = self.evaluate_arguments(called)? else {
            return Ok(());
        };
        let Some(mut value) = value else {
            return Ok(());
        };
        let may_work = |bytes| self.bindings.may_work(bytes);
        match body(&mut value, &Arguments(&arguments), &may_work) {
            Ok(()) => {
                self.found = Found::Value(value);
                self.is_literal = false;
                self.last_call = Some(call);
            }
            Err(failure) => {
                self.found = self.after_failure(failure, call, function, &value)?;
            }
        }
        Ok(())
    }

    /// Returns what remains after a function failed: a missing value if a later `default`
    /// may apply.
    fn after_failure(
        &self,
        failure: Failure,
        call: &'r Call,
        function: &'static Function,
        value: &Value,
    ) -> Result<Found<'b>, Box<Diagnostic>> {
        // An empty value has no result, and a later default may still apply.
        let is_empty = value.is_empty() && self.source.bound().is_some();
        if let Some(first_sensitive) = &self.first_sensitive {
            let error = sensitive_failure::function(call, first_sensitive, self.site);
            return if is_empty || failure.is_missing() {
                Ok(missing(error))
            } else {
                Err(Box::new(error))
            };
        }
        if is_empty {
            return Ok(missing(self.empty_error(value)));
        }
        let called = FailedCall {
            function,
            call,
            subject: self.subject(),
            value,
            levels: 0,
        };
        match called.report(failure, self.site) {
            Reported::Error(error) => Err(Box::new(self.with_output(error))),
            Reported::Missing(Missing { error, typo }) => {
                let error = self.with_output(error);
                Ok(Found::Missing(Box::new(Missing { error, typo })))
            }
        }
    }

    /// Returns the name of the value in messages.
    fn subject(&self) -> String {
        let origin = match self.source {
            Source::Literal => "the default".to_owned(),
            Source::Output(..) | Source::Missing(_) => format!("`{}`", self.path.display()),
        };
        match self.last_call {
            Some(call) => format!("the result of `{}` on {origin}", call.function),
            None => origin,
        }
    }

    /// Returns whether a value counts as missing. An empty value of a default is
    /// intended.
    fn counts_as_missing(&self, value: &Value) -> bool {
        value.is_empty() && !self.allows_empty && self.source.bound().is_some()
    }

    /// Adds the location of the output to an error, if there is an output.
    fn with_output(&self, error: Diagnostic) -> Diagnostic {
        match self.source.bound() {
            Some(bound) => with_output_label(error, bound, self.source_type.described()),
            None => error,
        }
    }

    /// Returns the error for an output, or the result of a function on it, that is null
    /// or an empty string and has no default.
    fn empty_error(&self, value: &Value) -> Diagnostic {
        if let Some(first_sensitive) = &self.first_sensitive {
            return match self.last_call {
                Some(call) => sensitive_failure::function(call, first_sensitive, self.site),
                None => sensitive_failure::no_value(self.path, first_sensitive, self.site),
            };
        }
        let what = emptiness(value);
        let message = format!("{} is {what}", self.subject());
        let error = Diagnostic::error(Rule::EmptyOutput, message);
        let range = self.last_call.map_or(&self.path.range, |call| &call.range);
        let error = self.site.label(error, range, "");
        let dialect = self.site.dialect;
        let (error, with_default) = match (self.last_call, self.source.bound()) {
            (None, Some(bound)) => {
                let with_default = vec![Call::new("default", &["…"])];
                let with_default = Reference::new(self.path.clone(), with_default);
                let with_default = dialect.display(&Syntax::Reference(&with_default));
                (with_output_label(error, bound, what), with_default)
            }
            _ => (self.with_output(error), None),
        };
        let with_default =
            with_default.map_or_else(|| dialect.translate_calls("`| default(\"…\")`"), Cow::Owned);
        let call = dialect.display(&Syntax::Call(&Call::new("default", &[""])));
        let empty_default = call.as_deref().unwrap_or("default");
        let empty_default = empty_default.strip_prefix("| ").unwrap_or(empty_default);

        error.help(format!(
            "provide a fallback: {with_default}, or `{empty_default}` to allow an empty value"
        ))
    }
}

fn missing<'b>(error: Diagnostic) -> Found<'b> {
    Found::Missing(Box::new(Missing { error, typo: None }))
}

/// Returns the type of the value at a path; for a sensitive output, the type of the whole
/// output.
fn source_type(found: &Found<'_>, source: Source<'_, '_>) -> Type {
    match source.mark() {
        Some((_, bound)) => bound.value.value_type(),
        None => found.value_type(),
    }
}

/// Adds the location of an output to an error.
fn with_output_label(error: Diagnostic, bound: &Bound, what: &str) -> Diagnostic {
    let origin = Origin::Outputs(bound.document);
    error.at_concealed(origin, bound.span, format!("this output is {what}"))
}

fn emptiness(value: &Value) -> &'static str {
    match value.value_type() {
        Type::Null => "null",
        _ => "an empty string",
    }
}

/// Warns about a default that is used for a probable typo, unless it names that output
/// itself.
fn default_for_typo(
    missing: &Missing,
    argument: &Argument,
    path: &Path,
    site: &Site<'_>,
) -> Option<Diagnostic> {
    let near = missing.typo.as_ref()?;
    let named = match &argument.value {
        ArgumentValue::Path(path) => Some(path),
        ArgumentValue::Reference(reference) => Some(&reference.path),
        _ => None,
    };
    let names_it = named.is_some_and(|path| {
        let mut segments = path.segments.iter();
        segments.any(|segment| segment.step == Step::Key(near.clone()))
    });
    if names_it {
        return None;
    }
    let text = format!("the default is used for a missing name, but `{near}` exists");
    Some(site.label(
        Diagnostic::warning(Rule::DefaultForNearMiss, text),
        &path.range,
        format!("did you mean `{near}`?"),
    ))
}
