//! The diagnostics of failures on a sensitive value: they report that it failed, and
//! nothing that depends on the value. There is one message for each stage that can fail,
//! with locations that depend only on the references.

use crate::functions::{self, Function};
use crate::outputs::Bound;
use crate::outputs::Mark;
use crate::reference::Site;
use crate::reference::{Call, Path, Reference, Step};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};

/// Reports that a path has no value, null or an empty string.
pub(crate) fn no_value(path: &Path, mark: &Mark, site: &Site<'_>) -> Diagnostic {
    let message = format!("the sensitive `{}` has no value", path.display());
    let error = site.label(error(message), &path.range, "");
    let mut steps = path.segments.iter().map(|segment| &segment.step);
    let help = if steps.any(|step| *step == Step::Splat) {
        "it is missing or null, or `[*]` failed; which of them is not reported, because it would reveal part of the value"
    } else {
        "it is missing, null or an empty string: provide a fallback, `| default(\"…\")`"
    };
    mark.label(error).help(site.dialect.translate_calls(help))
}

/// Reports that a function has no result.
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

/// Converts every error from the evaluation of a sensitive value: an error that was not
/// written for this purpose reports only that the evaluation failed.
pub(crate) fn hide_reason(
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
        reference.path.display()
    );
    mark.label(site.label(self::error(message), &reference.range, ""))
}

/// Returns the diagnostics of a render that failed only after sensitive values were read,
/// under a ceiling. Many references, each a guess, could reveal a value by which of them
/// fail: there is one error for all of them, without a location. `found` is from a render
/// that read no sensitive value.
pub(crate) fn hide_render_reason(mut found: Diagnostics) -> Diagnostics {
    let error = error("a sensitive value cannot be substituted for a reference").help(
        "which one and why is not reported, because it would reveal part of the value: render with outputs of your own and without the operator's policy to see it",
    );
    found.push(error);
    found
}

/// Creates an error without a location yet; `message` says what failed.
pub(crate) fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Rule::SensitiveFailure, message)
}

impl Mark {
    /// Returns the mark of the output that a path names.
    pub(crate) fn of(path: &Path, bound: &Bound) -> Self {
        Self {
            output: path.output(),
            document: bound.document,
            span: bound.span,
        }
    }

    /// Adds the output's location to the diagnostic.
    pub(crate) fn label(&self, error: Diagnostic) -> Diagnostic {
        let origin = Origin::Outputs(self.document);
        error.at_concealed(origin, self.span, "marked sensitive here")
    }
}
