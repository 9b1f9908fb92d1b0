//! What is reported where something fails on a sensitive value: that it failed, and
//! nothing that depends on the value. There is one message for each stage that can
//! fail, with places that the references alone decide.

use crate::functions::{self, Function};
use crate::outputs::Bound;
use crate::outputs::Mark;
use crate::reference::Site;
use crate::reference::{Call, Path, Reference};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};

/// The path has no value, null or an empty string.
pub(crate) fn no_value(path: &Path, mark: &Mark, site: &Site<'_>) -> Diagnostic {
    let message = format!("the sensitive `{}` has no value", path.spelled());
    let error = site.label(error(message), &path.range, "");
    mark.label(error).help(
        site.dialect.worded(
            "it is missing, null or an empty string: provide a fallback, `| default(\"…\")`",
        ),
    )
}

/// A function gives no value.
pub(crate) fn function(call: &Call, mark: &Mark, site: &Site<'_>) -> Diagnostic {
    let message = format!("`{}` failed on a sensitive value", call.function);
    let error = mark.label(site.label(error(message), &call.range, ""));
    let usage = Function::of_name(&call.function).map(functions::usage);
    error.help(format!(
        "{}; the reason is not reported, because it would reveal part of `{}`",
        usage.unwrap_or_default(),
        mark.output
    ))
}

/// The one way for an error out of the evaluation of a sensitive value: what was not
/// written for it says only that it failed.
pub(crate) fn sealed(
    error: Diagnostic,
    reference: &Reference,
    mark: &Mark,
    site: &Site<'_>,
) -> Diagnostic {
    if matches!(error.rule, Rule::SensitiveFailure | Rule::RequiredOutput) {
        return error;
    }
    let message = format!(
        "the sensitive `{}` cannot be evaluated",
        reference.path.spelled()
    );
    mark.label(site.label(self::error(message), &reference.range, ""))
}

/// What is shown of a render that failed only once sensitive values were read, under a
/// ceiling. Which of many references fail would spell a value, one guess in each: there
/// is one error for all of them, without a place. `found` comes of a render that read
/// none of them.
pub(crate) fn sealed_render(mut found: Diagnostics) -> Diagnostics {
    let error = error("a sensitive value cannot be substituted for a reference").help(
        "which one and why is not reported, because it would reveal part of the value: render with outputs of your own and without the operator's policy to see it",
    );
    found.push(error);
    found
}

/// An error without a place yet; `message` says what failed.
pub(crate) fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Rule::SensitiveFailure, message)
}

impl Mark {
    /// The mark of an output that a path names.
    pub(crate) fn of((path, bound): (&Path, &Bound)) -> Self {
        Self {
            output: path.output(),
            document: bound.document,
            span: bound.span,
        }
    }

    /// The same diagnostic with the output's place.
    pub(crate) fn label(&self, error: Diagnostic) -> Diagnostic {
        let origin = Origin::Outputs(self.document);
        error.at_concealed(origin, self.span, "marked sensitive here")
    }
}
