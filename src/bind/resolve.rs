//! A reference's value, in two passes. The first reads nothing of sensitive
//! outputs: it evaluates what is public, and withholds every value that something
//! sensitive goes into. The second evaluates those, once their placement is known
//! to take sensitive values. So a function never runs on a sensitive value that is
//! then refused, and no failure depends on one.

use std::borrow::Cow;
use std::rc::Rc;

use crate::bind::pipeline::Pipeline;
use crate::config::policy::Policy;
use crate::functions;
use crate::functions::Evaluation;
use crate::functions::sensitive_failure;
use crate::outputs::Mark;
use crate::outputs::{Bindings, Type, Value};
use crate::reference::{ArgumentValue, Reference, Site};
use crate::report::Diagnostic;
use yaml::Span;

/// A reference that has a value.
#[derive(Debug)]
pub(crate) struct Resolved<'b> {
    pub(crate) value: Cow<'b, Value>,
    /// The sensitive output that has gone into the value, unless `nonsensitive` has
    /// taken the mark off.
    pub(crate) mark: Option<Rc<Mark>>,
    /// The output as it is spoken of: `infra.vpc_id`.
    pub(crate) output: String,
    /// The output's document and the bytes of its name; none when it is missing.
    pub(crate) source: Option<(usize, Span)>,
    /// The type of what the path leads to, before any function; of a sensitive
    /// output its own.
    pub(crate) source_type: Type,
    pub(crate) warnings: Vec<Diagnostic>,
    /// It has no value, and stays in the text as it is.
    pub(crate) kept: bool,
}

/// The first pass over a reference.
#[derive(Debug)]
pub(crate) enum Outcome<'b> {
    Resolved(Resolved<'b>),
    Withheld(Withheld),
}

/// A reference whose value is sensitive, not evaluated yet.
#[derive(Debug)]
pub(crate) struct Withheld {
    /// What its placement has to take.
    pub(crate) mark: Rc<Mark>,
    facts: Facts,
}

/// Everything about a value that something sensitive has gone into, but the value:
/// none of it depends on that.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The first sensitive output that has gone into it.
    pub(crate) first: Rc<Mark>,
    /// None where `nonsensitive` has taken the mark off.
    pub(crate) mark: Option<Rc<Mark>>,
    pub(crate) output: String,
    pub(crate) source: Option<(usize, Span)>,
    pub(crate) source_type: Type,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Resolved<'_> {
    pub(crate) const fn is_sensitive(&self) -> bool {
        self.mark.is_some()
    }

    /// The bytes that functions have made for it, about.
    pub(crate) fn made(&self) -> usize {
        match &self.value {
            Cow::Borrowed(_) => 0,
            Cow::Owned(value) => functions::size(value),
        }
    }
}

/// Looks the path up and calls the functions, as far as nothing sensitive has gone
/// into the value. A value whose mark `nonsensitive` takes off is public by its
/// author's word: it is evaluated here too.
///
/// # Errors
/// The one thing that is wrong with this reference. It depends on no sensitive
/// value that may not be written anywhere.
pub(crate) fn resolve<'b>(
    reference: &Reference,
    bindings: &'b Bindings,
    policy: &Policy,
    site: &Site<'_>,
) -> Result<Outcome<'b>, Box<Diagnostic>> {
    // The calls first: what is wrong with them is wrong for every output.
    check_calls(reference, site)?;
    let mut pipeline = Pipeline::new(&reference.path, bindings, policy, Evaluation::Public, site);
    pipeline.call_all(&reference.calls)?;
    let facts = match pipeline.finish()? {
        Ok(resolved) => return Ok(Outcome::Resolved(resolved)),
        Err(facts) => facts,
    };
    match facts.mark.clone() {
        Some(mark) => Ok(Outcome::Withheld(Withheld { mark, facts })),
        None => evaluated(reference, facts, bindings, policy, site).map(Outcome::Resolved),
    }
}

/// Checks every call of a reference, and of those that are its arguments.
fn check_calls(reference: &Reference, site: &Site<'_>) -> Result<(), Box<Diagnostic>> {
    for call in &reference.calls {
        functions::check(call, site)?;
        for argument in &call.arguments {
            if let ArgumentValue::Reference(nested) = &argument.value {
                check_calls(nested, site)?;
            }
        }
    }
    Ok(())
}

impl Withheld {
    /// Evaluates the reference. To be called only where its placement takes
    /// sensitive values.
    ///
    /// # Errors
    /// What failed. It says nothing that depends on the value.
    pub(crate) fn evaluate<'b>(
        self,
        reference: &Reference,
        bindings: &'b Bindings,
        policy: &Policy,
        site: &Site<'_>,
    ) -> Result<Resolved<'b>, Box<Diagnostic>> {
        evaluated(reference, self.facts, bindings, policy, site)
    }
}

fn evaluated<'b>(
    reference: &Reference,
    facts: Facts,
    bindings: &'b Bindings,
    policy: &Policy,
    site: &Site<'_>,
) -> Result<Resolved<'b>, Box<Diagnostic>> {
    let mut pipeline = Pipeline::new(&reference.path, bindings, policy, Evaluation::All, site);
    pipeline.guard(Rc::clone(&facts.first));
    let value = pipeline
        .call_all(&reference.calls)
        .and_then(|()| pipeline.into_value())
        .map_err(|error| {
            Box::new(sensitive_failure::sealed(
                *error,
                reference,
                &facts.first,
                site,
            ))
        })?;
    Ok(Resolved {
        value,
        mark: facts.mark,
        output: facts.output,
        source: facts.source,
        source_type: facts.source_type,
        warnings: facts.warnings,
        kept: false,
    })
}

/// The values of references that all have one.
pub(crate) fn all_values<'v>(values: &'v [Option<Resolved<'_>>]) -> Option<Vec<&'v Value>> {
    values
        .iter()
        .map(|value| value.as_ref().map(|value| &*value.value))
        .collect()
}
