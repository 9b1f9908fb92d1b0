//! A reference while its functions are evaluated.

use std::borrow::Cow;
use std::rc::Rc;

use crate::bind::resolve::{Facts, Resolved};
use crate::config::policy::{Empty, Policy};
use crate::functions::Evaluation;
use crate::functions::look_up::{Found, Missing, Source, look_up};
use crate::functions::sensitive_failure;
use crate::functions::{
    self, Arguments, Body, FailedCall, Failure, Function, Reported, check_argument, literal_value,
};
use crate::outputs::Mark;
use crate::outputs::{Bindings, Bound, Type, Value};
use crate::reference::Site;
use crate::reference::{Argument, ArgumentValue, Call, Path, Reference, Step, Syntax};
use crate::report::{Diagnostic, Origin, Rule};

/// What an argument gives.
struct Taken<'r, 'b> {
    found: Found<'b>,
    source: Source<'r, 'b>,
    source_type: Type,
    made_by: Option<&'r Call>,
    mark: Option<Rc<Mark>>,
    guard: Option<Rc<Mark>>,
    warnings: Vec<Diagnostic>,
    /// It is written into the reference, and has been checked.
    is_checked: bool,
}

/// A value between two functions, and what has gone into it.
pub(crate) struct Pipeline<'r, 'b, 's> {
    bindings: &'b Bindings,
    policy: &'s Policy,
    site: &'s Site<'s>,
    evaluation: Evaluation,
    /// What is null or empty is a value like others.
    allows_empty: bool,
    found: Found<'b>,
    source: Source<'r, 'b>,
    source_type: Type,
    /// The path that the value came from.
    spoken: &'r Path,
    /// The last call that made the value of what the path or a default gave.
    made_by: Option<&'r Call>,
    /// The size of the value, where `concat` has made it.
    concatenated: Option<usize>,
    /// The sensitive output that has gone into the value, unless `nonsensitive`
    /// has taken the mark off.
    mark: Option<Rc<Mark>>,
    /// The first sensitive output that has gone into the value: diagnostics depend
    /// on nothing of it, even where `nonsensitive` allows to write it.
    guard: Option<Rc<Mark>>,
    warnings: Vec<Diagnostic>,
}

impl<'r, 'b, 's> Pipeline<'r, 'b, 's> {
    pub(crate) fn new(
        path: &'r Path,
        bindings: &'b Bindings,
        policy: &'s Policy,
        evaluation: Evaluation,
        site: &'s Site<'s>,
    ) -> Self {
        let (found, source) = look_up(path, bindings, evaluation, site);
        let mark = source.mark().map(Mark::of).map(Rc::new);
        Self {
            bindings,
            policy,
            site,
            evaluation,
            allows_empty: policy.choices.empty.value == Empty::Allow,
            source_type: source_type(&found, source),
            found,
            source,
            spoken: path,
            made_by: None,
            concatenated: None,
            guard: mark.clone(),
            mark,
            warnings: Vec::new(),
        }
    }

    /// Says that this output goes into the value, sooner or later.
    pub(crate) fn guard(&mut self, by: Rc<Mark>) {
        self.guard = Some(by);
    }

    /// Calls the functions, which have been checked.
    ///
    /// # Errors
    /// The first that fails, where no later `default` answers.
    pub(crate) fn call_all(&mut self, calls: &'r [Call]) -> Result<(), Box<Diagnostic>> {
        for call in calls {
            let Some(function) = Function::of_name(&call.function) else {
                continue;
            };
            match function.body {
                Body::Default => {
                    self.concatenated = None;
                    self.default(call)?;
                }
                Body::Required => self.required(call)?,
                Body::Nonsensitive => self.nonsensitive(call)?,
                Body::Value(body) => {
                    self.concatenated = None;
                    self.call(call, function, |value, arguments, may_work| {
                        functions::run(body, value, arguments, may_work).map(|made| {
                            *value = Cow::Owned(made);
                        })
                    })?;
                }
                Body::Concat => {
                    let known = self.concatenated.take();
                    let mut size = None;
                    self.call(call, function, |value, arguments, may_work| {
                        size = Some(functions::concat(value, known, arguments, may_work)?);
                        Ok(())
                    })?;
                    self.concatenated = size;
                }
            }
        }
        Ok(())
    }

    /// The value, or everything about one that is withheld.
    ///
    /// # Errors
    /// There is no value.
    pub(crate) fn finish(mut self) -> Result<Result<Resolved<'b>, Facts>, Box<Diagnostic>> {
        let binding = self.spoken.binding.as_deref();
        let binding = self
            .bindings
            .named_or_default(binding)
            .map(|(name, _)| name);
        let output = self.spoken.output_of(binding);
        let source = self
            .source
            .bound()
            .map(|bound| (bound.document, bound.span));
        let source_type = self.source_type;
        let warnings = std::mem::take(&mut self.warnings);
        if let Some(first) = self.guard.take() {
            return Ok(Err(Facts {
                first,
                mark: self.mark,
                output,
                source,
                source_type,
                warnings,
            }));
        }
        Ok(Ok(Resolved {
            value: self.into_value()?,
            mark: None,
            output,
            source,
            source_type,
            warnings,
            kept: false,
        }))
    }

    /// The value.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn into_value(self) -> Result<Cow<'b, Value>, Box<Diagnostic>> {
        match self.found {
            Found::Missing(missing) => Err(Box::new(missing.error)),
            Found::Value(ref value) if self.is_nothing(value) => Err(Box::new(self.empty(value))),
            Found::Value(value) => Ok(value),
            // Only a pass that reads everything asks for the value.
            Found::Withheld => Err(Box::new(self.empty(&Value::Null))),
        }
    }

    /// Takes the mark off, unless a policy refuses that.
    fn nonsensitive(&mut self, call: &Call) -> Result<(), Box<Diagnostic>> {
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

    /// Takes the argument where there is no value.
    fn default(&mut self, call: &'r Call) -> Result<(), Box<Diagnostic>> {
        let Some(argument) = call.arguments.first() else {
            return Ok(());
        };
        let is_guarded = self.guard.is_some();
        match &self.found {
            _ if is_guarded => {}
            Found::Value(value) if !value.is_empty() => return Ok(()),
            Found::Value(_) | Found::Withheld => {}
            Found::Missing(missing) => {
                let typo = default_for_typo(missing, argument, self.spoken, self.site);
                self.warnings.extend(typo);
            }
        }
        // Only now: what it names may be missing where it is not needed.
        let taken = self.argument(argument)?;
        // Whether a sensitive value is there is part of it: the argument's mark
        // counts, whether it is taken or not.
        self.mark(&taken);
        let Taken { found, source, .. } = taken;
        if is_guarded {
            let is_there = match &self.found {
                Found::Value(value) => !value.is_empty(),
                Found::Missing(_) => false,
                Found::Withheld => true,
            };
            if !is_there {
                self.found = match found {
                    Found::Missing(_) => missing(self.empty(&Value::Null)),
                    found => found,
                };
                self.source = source;
                self.made_by = taken.made_by;
            }
            return Ok(());
        }
        self.source_type = taken.source_type;
        (self.found, self.source) = (found, source);
        self.made_by = taken.made_by;
        self.warnings.extend(taken.warnings);
        if let Source::Output(path, _) | Source::Nowhere(path) = self.source {
            self.spoken = path;
        }
        Ok(())
    }

    /// Takes what an argument gives.
    ///
    /// # Errors
    /// A function of a nested reference fails.
    fn argument(&self, argument: &'r Argument) -> Result<Taken<'r, 'b>, Box<Diagnostic>> {
        let (found, source) = match &argument.value {
            ArgumentValue::Reference(reference) => return self.nested(reference),
            ArgumentValue::Path(path) => look_up(path, self.bindings, self.evaluation, self.site),
            literal => {
                let value = literal_value(literal).unwrap_or(Value::Null);
                (Found::Value(Cow::Owned(value)), Source::Literal)
            }
        };
        let mark = source.mark().map(Mark::of).map(Rc::new);
        Ok(Taken {
            source_type: source_type(&found, source),
            found,
            source,
            made_by: None,
            guard: mark.clone(),
            mark,
            warnings: Vec::new(),
            is_checked: matches!(source, Source::Literal),
        })
    }

    /// Evaluates a reference that is an argument.
    fn nested(&self, reference: &'r Reference) -> Result<Taken<'r, 'b>, Box<Diagnostic>> {
        let (bindings, policy) = (self.bindings, self.policy);
        let path = &reference.path;
        let mut nested = Pipeline::new(path, bindings, policy, self.evaluation, self.site);
        nested.call_all(&reference.calls)?;
        Ok(Taken {
            found: nested.found,
            source: nested.source,
            source_type: nested.source_type,
            made_by: nested.made_by,
            mark: nested.mark,
            guard: nested.guard,
            warnings: nested.warnings,
            is_checked: false,
        })
    }

    /// Marks the value with the sensitive output that has gone into an argument.
    fn mark(&mut self, taken: &Taken<'r, 'b>) {
        let or = |own: &mut Option<Rc<Mark>>, other: &Option<Rc<Mark>>| {
            if own.is_none() {
                own.clone_from(other);
            }
        };
        or(&mut self.guard, &taken.guard);
        or(&mut self.mark, &taken.mark);
    }

    /// Fails with the author's words where there is nothing.
    fn required(&mut self, call: &Call) -> Result<(), Box<Diagnostic>> {
        let mut error = match &self.found {
            Found::Missing(missing) => missing.error.clone(),
            Found::Value(value) if value.is_empty() => self.empty(value),
            Found::Value(_) | Found::Withheld => return Ok(()),
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
        body: impl FnOnce(
            &mut Cow<'b, Value>,
            &Arguments<'_>,
            &dyn Fn(usize) -> bool,
        ) -> Result<(), Failure>,
    ) -> Result<(), Box<Diagnostic>> {
        let value = match std::mem::replace(&mut self.found, Found::Withheld) {
            Found::Value(value) if self.is_nothing(&value) => {
                self.found = missing(self.empty(&value));
                return Ok(());
            }
            missing @ Found::Missing(_) => {
                self.found = missing;
                return Ok(());
            }
            Found::Value(value) => Some(value),
            Found::Withheld => None,
        };
        let Some(arguments) = self.arguments(call, function)? else {
            return Ok(());
        };
        let Some(mut value) = value else {
            return Ok(());
        };
        let may_work = |bytes| self.bindings.may_work(bytes);
        match body(&mut value, &Arguments(&arguments), &may_work) {
            Ok(()) => {
                self.found = Found::Value(value);
                self.made_by = Some(call);
            }
            Err(failure) => {
                self.found = self.failed(failure, call, function, &value)?;
            }
        }
        Ok(())
    }

    /// The values of a call's arguments; none when one of them is withheld.
    fn arguments(
        &mut self,
        call: &'r Call,
        function: &'static Function,
    ) -> Result<Option<Vec<Cow<'b, Value>>>, Box<Diagnostic>> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut is_withheld = false;
        for (nth, argument) in call.arguments.iter().enumerate() {
            let taken = self.argument(argument)?;
            self.mark(&taken);
            let value = match taken.found {
                Found::Missing(missing) => return Err(Box::new(missing.error)),
                Found::Withheld => {
                    is_withheld = true;
                    continue;
                }
                Found::Value(value) => value,
            };
            if !taken.is_checked {
                self.check_value(&value, taken.source, (function, nth), argument)
                    .map_err(|error| match &taken.guard {
                        Some(guard) => {
                            let guard = self.guard.as_ref().unwrap_or(guard);
                            Box::new(sensitive_failure::function(call, guard, self.site))
                        }
                        None => error,
                    })?;
            }
            self.warnings.extend(taken.warnings);
            arguments.push(value);
        }
        Ok((!is_withheld).then_some(arguments))
    }

    /// Whether a value that is not written into the reference may be an argument.
    fn check_value(
        &self,
        value: &Value,
        source: Source<'_, '_>,
        (function, nth): (&'static Function, usize),
        argument: &Argument,
    ) -> Result<(), Box<Diagnostic>> {
        let found = value.value_type().described();
        let bound = source.bound();
        let reported = |error| match bound {
            Some(bound) => Box::new(of_output(error, bound, found)),
            None => Box::new(error),
        };
        let subject = match source {
            Source::Output(path, _) | Source::Nowhere(path) => format!("`{}`", path.spelled()),
            Source::Literal => "the default".to_owned(),
        };
        if value.is_empty() && !self.allows_empty && bound.is_some() {
            let message = format!("{subject} is {}", emptiness(value));
            let error = Diagnostic::error(Rule::EmptyOutput, message);
            return Err(reported(self.site.label(error, &argument.range, "")));
        }
        check_argument(function, nth, value, &subject, &argument.range, self.site)
            .map_err(|error| reported(*error))
    }

    /// What is left where a function gives no value.
    fn failed(
        &self,
        failure: Failure,
        call: &'r Call,
        function: &'static Function,
        value: &Value,
    ) -> Result<Found<'b>, Box<Diagnostic>> {
        // An empty value has no result, and a later default may still apply.
        let is_empty = value.is_empty() && self.source.bound().is_some();
        if let Some(guard) = &self.guard {
            let error = sensitive_failure::function(call, guard, self.site);
            return match failure {
                Failure::Missing(_) => Ok(missing(error)),
                _ if is_empty => Ok(missing(error)),
                _ => Err(Box::new(error)),
            };
        }
        if is_empty {
            return Ok(missing(self.empty(value)));
        }
        let called = FailedCall {
            function,
            call,
            subject: self.subject(),
            value,
        };
        match called.failed(failure, self.site) {
            Reported::Error(error) => Err(Box::new(self.with_output(error))),
            Reported::Missing(Missing { error, typo }) => {
                let error = self.with_output(error);
                Ok(Found::Missing(Box::new(Missing { error, typo })))
            }
        }
    }

    /// What the value is called in a message.
    fn subject(&self) -> String {
        let origin = match self.source {
            Source::Literal => "the default".to_owned(),
            Source::Output(..) | Source::Nowhere(_) => format!("`{}`", self.spoken.spelled()),
        };
        match self.made_by {
            Some(call) => format!("the result of `{}` on {origin}", call.function),
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
        if let Some(guard) = &self.guard {
            return match self.made_by {
                Some(call) => sensitive_failure::function(call, guard, self.site),
                None => sensitive_failure::no_value(self.spoken, guard, self.site),
            };
        }
        let what = emptiness(value);
        let message = format!("{} is {what}", self.subject());
        let error = Diagnostic::error(Rule::EmptyOutput, message);
        let range = self.made_by.map_or(&self.spoken.range, |call| &call.range);
        let error = self.site.label(error, range, "");
        let dialect = self.site.dialect;
        let (error, answered) = match (self.made_by, self.source.bound()) {
            (None, Some(bound)) => {
                let answered = vec![Call::of("default", &["…"])];
                let answered = Reference::of(self.spoken.clone(), answered);
                let answered = dialect.shown(&Syntax::Reference(&answered));
                (of_output(error, bound, what), answered)
            }
            _ => (self.with_output(error), None),
        };
        let answered = answered.map_or_else(|| dialect.worded("`| default(\"…\")`"), Cow::Owned);
        let nothing = dialect.shown(&Syntax::Call(&Call::of("default", &[""])));
        let nothing = nothing.as_deref().unwrap_or("default");
        let nothing = nothing.strip_prefix("| ").unwrap_or(nothing);

        error.help(format!(
            "provide a fallback: {answered}, or `{nothing}` to allow an empty value"
        ))
    }
}

fn missing<'b>(error: Diagnostic) -> Found<'b> {
    Found::Missing(Box::new(Missing { error, typo: None }))
}

/// The type of what a path leads to; of a sensitive output its own.
fn source_type(found: &Found<'_>, source: Source<'_, '_>) -> Type {
    match source.mark() {
        Some((_, bound)) => bound.value.value_type(),
        None => found.value_type(),
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

/// Warns about a default that is used for a probable typo, unless it names
/// that very output itself.
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
