//! Checks the bound outputs against the contract and reports all violations at once.
//! Nothing about a sensitive output is reported but its type.

use std::cell::Cell;

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::outputs_contract::{Clause, Contract, Decimal, Limit, Member, Section, Wanted};
use crate::config::{ConfigLocation, Spanned};
use crate::outputs::{Bindings, Bound, DeclaredOutputs, Named, Value};
use crate::report::suggest;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;

/// The maximum number of violations that get a suggested name: each suggestion compares
/// every output.
const MAX_SUGGESTING: usize = 100;

/// Longer values are not shown in messages.
const MAX_SHOWN: usize = 80;

impl Contract {
    /// Reports every violation of the contract. `declared_names` are the bound names, also of
    /// documents that don't exist yet.
    pub(crate) fn violations(&self, bindings: &Bindings, declared_names: &[String]) -> Diagnostics {
        let mut found = Diagnostics::default();
        let is_declared: OrderedSet<&str> = declared_names.iter().map(String::as_str).collect();
        for section in &self.sections {
            let name = section.name.value.as_str();
            let Some(named) = bindings.named(name) else {
                if !is_declared.contains(name) {
                    let suggests = found.len() < MAX_SUGGESTING;
                    found.push(unbound(section, bindings, declared_names, suggests));
                }
                continue;
            };
            if named.is_absent {
                continue;
            }
            for clause in &section.clauses {
                let suggests = found.len() < MAX_SUGGESTING;
                found.extend(clause.violations(section, named, suggests));
            }
        }
        found
    }

    /// Returns the bound names that it has outputs of.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sections
            .iter()
            .map(|section| section.name.value.as_str())
    }

    /// Returns the outputs of each bound name, as declarations without values. `document` is
    /// the position of labels about them.
    pub(crate) fn declared(&self, document: usize) -> impl Iterator<Item = DeclaredOutputs<'_>> {
        self.sections.iter().map(move |section| {
            let outputs = section.clauses.iter().map(|clause| {
                let Spanned { value, span, .. } = &clause.output;
                (value.as_str(), *span, clause.requires_mark())
            });
            DeclaredOutputs {
                name: &section.name.value,
                outputs: outputs.collect(),
                document,
            }
        })
    }

    /// Returns the outputs that the contract requires to be used, each with the location
    /// that requires it: by bound name, then output.
    pub(crate) fn to_be_used(&self) -> OrderedMap<(&str, &str), (Origin, Span)> {
        let mut places = OrderedMap::new();
        for section in &self.sections {
            for clause in &section.clauses {
                if let Some(span) = clause.must_be_used {
                    let names = (section.name.value.as_str(), clause.output.value.as_str());
                    places.insert(names, (clause.output.origin, span));
                }
            }
        }
        places
    }
}

fn unbound(
    section: &Section,
    bindings: &Bindings,
    declared_names: &[String],
    suggests: bool,
) -> Diagnostic {
    let Spanned {
        value,
        origin,
        span,
    } = &section.name;
    let names = || {
        bindings
            .names()
            .chain(declared_names.iter().map(String::as_str))
    };
    let near = if suggests {
        suggest::closest(value, names())
    } else {
        None
    };
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "bind an outputs document to it, for example in `spec.outputs`".to_owned(),
    };
    let message = format!("the contract describes `{value}`, but nothing is bound to that name");
    let rule = match origin {
        Origin::Contract => Rule::InvalidContract,
        _ => Rule::InvalidBinding,
    };
    Diagnostic::error(rule, message)
        .in_config(*origin, *span, "")
        .help(help)
}

impl Clause {
    fn violations(&self, section: &Section, named: &Named, suggests: bool) -> Vec<Diagnostic> {
        let path = format!("{}.{}", section.name.value, self.output.value);
        let Some(bound) = named.outputs.get(&self.output.value) else {
            // The contents of a document that couldn't be read are unknown, and an entry that
            // cannot be read exists.
            let is_unknown = named.is_incomplete || named.unreadable(&self.output.value).is_some();
            return if self.required && !is_unknown {
                vec![self.missing(section, named, suggests)]
            } else {
                Vec::new()
            };
        };
        let subject = Subject {
            clause: self,
            path,
            bound,
        };
        if bound.unknown.is_some() {
            return self.mark_violation(&subject).into_iter().collect();
        }
        if bound.value == Value::Null {
            let message = "null, but the contract requires a value";
            let help = "give it a value, or set `required: false`";
            return if self.required {
                vec![subject.violation(message, self.output.location(), help)]
            } else {
                Vec::new()
            };
        }
        let mut found: Vec<_> = self.mark_violation(&subject).into_iter().collect();
        // A value that should be marked may be a secret too.
        let is_sensitive = bound.sensitive || self.requires_mark();
        found.extend(self.value_violations(&subject, is_sensitive));
        found
    }

    /// Reports what the contract requires of the value. At most one violation for a
    /// sensitive output.
    fn value_violations(&self, subject: &Subject<'_>, is_sensitive: bool) -> Vec<Diagnostic> {
        let bound = subject.bound;
        if let Some(violation) = self.type_violation(subject) {
            // Whether a number has a fraction reveals more than its type.
            let is_of_type = matches!(bound.value, Value::Number(_))
                && matches!(&self.wanted, Some(spanned) if spanned.value == Wanted::Integer);
            return if is_sensitive && is_of_type {
                vec![subject.sensitive_violation()]
            } else {
                vec![violation]
            };
        }
        let violations = [
            self.pattern_violation(subject),
            self.enum_violation(subject),
            self.range_violation(subject),
            self.length_violation(subject),
        ]
        .into_iter()
        .flatten();
        if is_sensitive {
            // The number of violations and their keys depend on the value.
            violations
                .take(1)
                .map(|_| subject.sensitive_violation())
                .collect()
        } else {
            violations.collect()
        }
    }

    fn missing(&self, section: &Section, named: &Named, suggests: bool) -> Diagnostic {
        let (name, output) = (&section.name.value, &self.output.value);
        let message = format!("`{name}` has no output `{output}`, which the contract requires");
        let error = Diagnostic::error(Rule::ContractViolation, message);
        let names = || named.outputs.keys().map(String::as_str);
        let near = if suggests {
            suggest::closest(output, names())
        } else {
            None
        };
        let (document, span, reported) = match near.and_then(|near| named.outputs.get(near)) {
            Some(near) => (near.document, near.span, "this output exists"),
            None => (named.document, Span::point(0), "not in this document"),
        };
        let required_at = self.output.location();
        let error = error
            .at_concealed(Origin::Outputs(document), span, reported)
            .in_config(required_at.origin, required_at.span, "required here");
        error.help(self.with_description("publish it, or set `required: false`"))
    }

    /// Returns whether the output must be marked as sensitive.
    pub(super) fn requires_mark(&self) -> bool {
        self.sensitive.as_ref().is_some_and(|mark| mark.value)
    }

    /// Checks a value that the contract itself names, which is not secret.
    ///
    /// # Errors
    /// The first violation, in which the output is called `example`.
    pub(super) fn accepts(&self, value: &Value) -> Result<(), Box<Diagnostic>> {
        let bound = public(value);
        let violations = self.value_violations(&self.example_subject(&bound), false);
        match violations.into_iter().next() {
            Some(violation) => Err(Box::new(violation)),
            None => Ok(()),
        }
    }

    /// Returns whether a value that equals a member of `enum` satisfies the other keys. The
    /// members are not compared: for each of many, that would take quadratic time.
    pub(super) fn accepts_member(&self, value: &Value) -> bool {
        let bound = public(value);
        let subject = self.example_subject(&bound);
        self.type_violation(&subject).is_none()
            && self.pattern_violation(&subject).is_none()
            && self.range_violation(&subject).is_none()
            && self.length_violation(&subject).is_none()
    }

    fn example_subject<'a>(&'a self, bound: &'a Bound) -> Subject<'a> {
        Subject {
            clause: self,
            path: "example".to_owned(),
            bound,
        }
    }

    fn mark_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let spanned = self.sensitive.as_ref()?;
        let (message, help) = match (spanned.value, subject.bound.sensitive) {
            (true, false) => (
                "not marked as sensitive, but the contract requires it",
                "set `sensitive = true` in its Terraform `output` block",
            ),
            (false, true) => (
                "sensitive, but the contract requires that it is not",
                "change the output, or the contract's `sensitive`",
            ),
            _ => return None,
        };
        Some(subject.violation(message, spanned.location(), help))
    }

    fn type_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let spanned = self.wanted.as_ref()?;
        let fits = match (spanned.value, &subject.bound.value) {
            (Wanted::String, Value::String(_))
            | (Wanted::Number, Value::Number(_))
            | (Wanted::Bool, Value::Bool(_))
            | (Wanted::List, Value::List(_))
            | (Wanted::Object, Value::Object(_)) => return None,
            (Wanted::Integer, Value::Number(digits)) => {
                Decimal::read(digits).is_some_and(|number| number.is_integer())
            }
            _ => false,
        };
        let wanted = spanned.value.described();
        let found = match (spanned.value, &subject.bound.value) {
            (Wanted::Integer, Value::Number(_)) => "a number with a fraction",
            (_, value) => value.value_type().described(),
        };
        let message = format!("{found}, but the contract requires {wanted}");
        let help = match (spanned.value, &subject.bound.value) {
            (Wanted::Number | Wanted::Integer, Value::String(_)) => {
                "convert it with `tonumber(…)` in Terraform"
            }
            (Wanted::String, Value::Number(_) | Value::Bool(_)) => {
                "convert it with `tostring(…)` in Terraform"
            }
            _ => "change the output or the contract's `type`",
        };
        (!fits).then(|| subject.violation(&message, spanned.location(), help))
    }

    fn pattern_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let spanned = self.pattern.as_ref()?;
        let (message, help) = match &subject.bound.value {
            Value::String(text) if spanned.value.is_match(text) => return None,
            Value::String(_) => (
                match subject.display_value() {
                    Some(value) => {
                        format!("{value}, which does not match the contract's `pattern`")
                    }
                    None => "a string that does not match the contract's `pattern`".to_owned(),
                },
                format!("the pattern is `{}`", spanned.value.as_str()),
            ),
            value => (
                format!(
                    "{}, but the contract's `pattern` applies to strings",
                    value.value_type().described()
                ),
                "convert it with `tostring(…)` in Terraform".to_owned(),
            ),
        };
        Some(subject.violation(&message, spanned.location(), &help))
    }

    fn enum_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let spanned = self.members.as_ref()?;
        let members = &spanned.value;
        if members
            .iter()
            .any(|member| member.equals(&subject.bound.value))
        {
            return None;
        }
        let message = match subject.display_value() {
            Some(value) => format!("{value}, which is not one of the contract's `enum` values"),
            None => "not one of the contract's `enum` values".to_owned(),
        };
        let named: Vec<_> = members.iter().map(Member::written).collect();
        let named = suggest::listed(named.iter().map(String::as_str));
        Some(subject.violation(
            &message,
            spanned.location(),
            &format!("allowed values: {named}"),
        ))
    }

    fn range_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let (limit, number) = match (&self.min, &self.max, &subject.bound.value) {
            (None, None, _) => return None,
            (min, max, Value::Number(digits)) => {
                let number = Decimal::read(digits)?;
                let is_less = |min: &&Spanned<Limit>| number < min.value.number;
                let is_more = |max: &&Spanned<Limit>| number > max.value.number;
                let less = min.as_ref().filter(is_less);
                let more = max.as_ref().filter(is_more);
                match (less, more) {
                    (Some(min), _) => (min, "less than the contract's `min`"),
                    (None, Some(max)) => (max, "greater than the contract's `max`"),
                    (None, None) => return None,
                }
            }
            (min, max, value) => {
                let found = value.value_type().described();
                let message =
                    format!("{found}, but the contract's `min` and `max` apply to numbers");
                let location = min.as_ref().or(max.as_ref())?.location();
                let help = "convert a string with `tonumber(…)` in Terraform";
                return Some(subject.violation(&message, location, help));
            }
        };
        let message = match subject.display_value() {
            Some(value) => format!("{value}, {number}"),
            None => number.to_owned(),
        };
        let help = "change the output or the contract";
        Some(subject.violation(&message, limit.location(), help))
    }

    fn length_violation(&self, subject: &Subject<'_>) -> Option<Diagnostic> {
        let spanned = self.min_length.as_ref()?;
        let least = spanned.value;
        let (length, unit) = match &subject.bound.value {
            Value::String(text) => (text.chars().count(), "characters"),
            Value::List(items) => (items.len(), "items"),
            value => {
                let message = format!(
                    "{}, but the contract's `minLength` applies to strings and lists",
                    value.value_type().described()
                );
                let help = "change the output or the contract";
                return Some(subject.violation(&message, spanned.location(), help));
            }
        };
        if length >= least {
            return None;
        }
        let message =
            format!("shorter than the contract's `minLength`: {length} of {least} {unit}");
        let help = "change the output or the contract";
        Some(subject.violation(&message, spanned.location(), help))
    }

    /// Adds the author's description of the output as help.
    fn with_description(&self, help: &str) -> String {
        match &self.description {
            Some(description) => format!("{description} ({help})"),
            None => help.to_owned(),
        }
    }
}

/// Returns a value that is in no outputs document and not sensitive.
fn public(value: &Value) -> Bound {
    Bound {
        value: value.clone(),
        unknown: None,
        sensitive: false,
        document: 0,
        span: Span::point(0),
        used: Cell::new(false),
    }
}

/// An output that violates its clause.
struct Subject<'a> {
    clause: &'a Clause,
    /// `infra.vpc_id`
    path: String,
    bound: &'a Bound,
}

impl Subject<'_> {
    /// Returns the one error of a sensitive output that violates its clause, whatever the
    /// violation.
    fn sensitive_violation(&self) -> Diagnostic {
        let message = format!(
            "the sensitive output `{}` does not match its contract",
            self.path
        );
        let Spanned { origin, span, .. } = self.clause.output;
        Diagnostic::error(Rule::ContractViolation, message)
            .at_concealed(Origin::Outputs(self.bound.document), self.bound.span, "this output")
            .in_config(origin, span, "the contract")
            .help(self.clause.with_description(
                "the reason is not reported, because it would reveal part of the value; change the output or the contract",
            ))
    }

    /// Reports a violation; `message` continues after `infra.vpc_id is`.
    fn violation(&self, message: &str, location: ConfigLocation, help: &str) -> Diagnostic {
        let (path, bound) = (&self.path, self.bound);
        let message = format!("`{path}` is {message}");
        Diagnostic::error(Rule::ContractViolation, message)
            .at_concealed(Origin::Outputs(bound.document), bound.span, "this output")
            .in_config(location.origin, location.span, "the contract")
            .help(self.clause.with_description(help))
    }

    /// Returns the value as a message may show it, or `None` if it is too long.
    fn display_value(&self) -> Option<String> {
        let value = &self.bound.value;
        let text = value.text()?;
        (text.len() <= MAX_SHOWN).then(|| value.to_json())
    }
}

impl Member {
    /// With its quotes.
    fn written(&self) -> String {
        if self.is_plain {
            self.text.clone()
        } else {
            Value::String(self.text.clone()).to_json()
        }
    }

    /// Returns whether an output equals this value. An unquoted member is its text and, if
    /// the text is one, also a number, a bool or null.
    pub(super) fn equals(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => *text == self.text,
            Value::Number(digits) => {
                self.is_plain
                    && Decimal::read(&self.text)
                        .is_some_and(|member| Decimal::read(digits) == Some(member))
            }
            Value::Bool(_) => self.is_plain && value.text() == Some(&self.text),
            Value::Null | Value::List(_) | Value::Object(_) => false,
        }
    }
}
