//! The arguments of a call: literals, outputs, nested references and texts made of them.

use std::borrow::Cow;
use std::rc::Rc;

use crate::bind::pipeline::{Pipeline, emptiness, missing, source_type, with_output_label};
use crate::functions::failed_call::too_much_work;
use crate::functions::look_up::{Found, Source, look_up};
use crate::functions::{Function, check_argument, literal_value, sensitive_failure};
use crate::outputs::{Mark, Type, Value};
use crate::reference::{Argument, ArgumentValue, Call, Reference};
use crate::report::{Diagnostic, Rule};

/// An evaluated argument.
pub(super) struct EvaluatedArgument<'r, 'b> {
    pub(super) found: Found<'b>,
    pub(super) source: Source<'r, 'b>,
    pub(super) source_type: Type,
    pub(super) last_call: Option<&'r Call>,
    pub(super) mark: Option<Rc<Mark>>,
    pub(super) first_sensitive: Option<Rc<Mark>>,
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether it is a literal, which has been checked already.
    is_checked: bool,
    /// Whether the value is a literal in the reference.
    pub(super) is_literal: bool,
}

impl<'r, 'b> Pipeline<'r, 'b, '_> {
    /// Evaluates an argument.
    ///
    /// # Errors
    /// `[*]`, or a function of a nested reference, fails.
    pub(super) fn evaluate_argument(
        &self,
        argument: &'r Argument,
    ) -> Result<EvaluatedArgument<'r, 'b>, Box<Diagnostic>> {
        let (found, source) = match &argument.value {
            ArgumentValue::Reference(reference) => return self.evaluate_nested(reference),
            ArgumentValue::Concatenation(parts) => return self.concatenate(parts),
            ArgumentValue::Path(path) => look_up(path, self.bindings, self.evaluation, self.site)?,
            literal => {
                let value = literal_value(literal).unwrap_or(Value::Null);
                (Found::Value(Cow::Owned(value)), Source::Literal)
            }
        };
        let mark = source
            .mark()
            .map(|(path, bound)| Rc::new(Mark::of(path, bound)));
        Ok(EvaluatedArgument {
            source_type: source_type(&found, source),
            found,
            source,
            last_call: None,
            first_sensitive: mark.clone(),
            mark,
            warnings: Vec::new(),
            is_checked: matches!(source, Source::Literal),
            is_literal: matches!(source, Source::Literal),
        })
    }

    /// Evaluates a reference that is an argument.
    fn evaluate_nested(
        &self,
        reference: &'r Reference,
    ) -> Result<EvaluatedArgument<'r, 'b>, Box<Diagnostic>> {
        let (bindings, policy) = (self.bindings, self.policy);
        let path = &reference.path;
        let mut nested = Pipeline::new(path, bindings, policy, self.evaluation, self.site)?;
        nested.call_all(&reference.calls)?;
        nested.assume_empty();
        Ok(EvaluatedArgument {
            found: nested.found,
            source: nested.source,
            source_type: nested.source_type,
            last_call: nested.last_call,
            mark: nested.mark,
            first_sensitive: nested.first_sensitive,
            warnings: nested.warnings,
            is_checked: false,
            is_literal: nested.is_literal,
        })
    }

    /// Evaluates the parts of an argument and joins their texts.
    ///
    /// # Errors
    /// A part has no text, or a function of a nested reference fails.
    fn concatenate(
        &self,
        parts: &'r [Argument],
    ) -> Result<EvaluatedArgument<'r, 'b>, Box<Diagnostic>> {
        let mut joined = EvaluatedArgument {
            found: Found::Value(Cow::Owned(Value::Null)),
            source: Source::Literal,
            source_type: Type::String,
            last_call: None,
            mark: None,
            first_sensitive: None,
            warnings: Vec::new(),
            is_checked: false,
            is_literal: false,
        };
        let mut text = String::new();
        let mut rest = None;
        for part in parts {
            let evaluated = self.evaluate_argument(part)?;
            joined.mark = joined.mark.or(evaluated.mark);
            joined.first_sensitive = joined.first_sensitive.or(evaluated.first_sensitive);
            joined.warnings.extend(evaluated.warnings);
            let is_missing = |value: &Value| {
                value.is_empty() && !self.allows_empty && evaluated.source.bound().is_some()
            };
            match evaluated.found {
                Found::Value(value) if is_missing(&value) => {
                    let error = self.empty_part(&value, evaluated.source, part);
                    rest = Some(rest.unwrap_or_else(|| missing(error)));
                }
                Found::Value(value) => match value.text() {
                    Some(part) if self.bindings.may_work(part.len()) => text.push_str(part),
                    Some(_) => {
                        return Err(Box::new(self.site.label(too_much_work(), &part.range, "")));
                    }
                    None => {
                        let error = self.not_text(&value, evaluated.source, part);
                        return Err(Box::new(match &joined.first_sensitive {
                            Some(first) => sensitive_failure::no_value(self.path, first, self.site),
                            None => error,
                        }));
                    }
                },
                // What is missing, withheld or unknown in a part is so in the whole.
                found => rest = Some(rest.unwrap_or(found)),
            }
        }
        joined.found = rest.unwrap_or(Found::Value(Cow::Owned(Value::String(text))));
        Ok(joined)
    }

    /// Returns the error for a part of a text that is null or an empty string.
    fn empty_part(&self, value: &Value, source: Source<'_, '_>, part: &Argument) -> Diagnostic {
        let what = match source {
            Source::Output(path, _) | Source::Missing(path) => format!("`{}`", path.display()),
            Source::Literal => "a part of the fallback".to_owned(),
        };
        if let Some((path, bound)) = source.mark() {
            let mark = Rc::new(Mark::of(path, bound));
            return sensitive_failure::no_value(path, &mark, self.site);
        }
        let message = format!("{what} is {}", emptiness(value));
        let error = Diagnostic::error(Rule::EmptyOutput, message);
        let error = self.site.label(error, &part.range, "");
        match source.bound() {
            Some(bound) => with_output_label(error, bound, emptiness(value)),
            None => error,
        }
    }

    /// Returns the error for a part of a text that has no text.
    fn not_text(&self, value: &Value, source: Source<'_, '_>, part: &Argument) -> Diagnostic {
        let found = value.value_type().described();
        let message = format!("a part of the fallback is {found}, which has no text");
        let error = Diagnostic::error(Rule::TypeMismatch, message);
        let error = self.site.label(error, &part.range, "");
        match source.bound() {
            Some(bound) => with_output_label(error, bound, found),
            None => error,
        }
    }

    /// Marks the value with the sensitive output that an argument depends on.
    pub(super) fn inherit_marks(&mut self, argument: &EvaluatedArgument<'r, 'b>) {
        let or = |own: &mut Option<Rc<Mark>>, other: &Option<Rc<Mark>>| {
            if own.is_none() {
                own.clone_from(other);
            }
        };
        or(&mut self.first_sensitive, &argument.first_sensitive);
        or(&mut self.mark, &argument.mark);
    }

    /// Returns the values of a call's arguments; `None` if one of them is withheld or
    /// unknown.
    pub(super) fn evaluate_arguments(
        &mut self,
        call: &'r Call,
    ) -> Result<Option<Vec<Cow<'b, Value>>>, Box<Diagnostic>> {
        let Some(function) = Function::of_name(&call.function) else {
            return Ok(Some(Vec::new()));
        };
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut is_withheld = false;
        for (nth, argument) in call.arguments.iter().enumerate() {
            let evaluated = self.evaluate_argument(argument)?;
            self.inherit_marks(&evaluated);
            let value = match evaluated.found {
                Found::Missing(missing) => return Err(Box::new(missing.error)),
                // No argument is omitted.
                Found::Withheld | Found::Omitted => {
                    is_withheld = true;
                    continue;
                }
                Found::Unknown => {
                    self.found = Found::Unknown;
                    is_withheld = true;
                    continue;
                }
                Found::Value(value) => value,
            };
            if !evaluated.is_checked {
                self.check_value(&value, evaluated.source, function, nth, argument)
                    .map_err(|error| match &evaluated.first_sensitive {
                        Some(first_sensitive) => {
                            let first_sensitive =
                                self.first_sensitive.as_ref().unwrap_or(first_sensitive);
                            Box::new(sensitive_failure::function(
                                call,
                                first_sensitive,
                                self.site,
                            ))
                        }
                        None => error,
                    })?;
            }
            self.warnings.extend(evaluated.warnings);
            arguments.push(value);
        }
        Ok((!is_withheld).then_some(arguments))
    }

    /// Checks whether a value that is not a literal is valid as an argument.
    fn check_value(
        &self,
        value: &Value,
        source: Source<'_, '_>,
        function: &'static Function,
        nth: usize,
        argument: &Argument,
    ) -> Result<(), Box<Diagnostic>> {
        let found = value.value_type().described();
        let bound = source.bound();
        let reported = |error| match bound {
            Some(bound) => Box::new(with_output_label(error, bound, found)),
            None => Box::new(error),
        };
        let subject = match source {
            Source::Output(path, _) | Source::Missing(path) => format!("`{}`", path.display()),
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
}
