//! Outputs that a later document of the same name overrides.

use crate::config::policy;
use crate::outputs::{Bindings, Overridden};
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// Returns a diagnostic for each output that is overridden. One that loses its mark is at
/// least a warning.
pub(crate) fn overridden(
    bindings: &Bindings,
    policy: policy::Overridden,
) -> impl Iterator<Item = Diagnostic> {
    let severity = match policy {
        policy::Overridden::Error => Some(Severity::Error),
        policy::Overridden::Warn => Some(Severity::Warning),
        policy::Overridden::Note => Some(Severity::Note),
        policy::Overridden::Ignore => None,
    };
    bindings.overridden().iter().filter_map(move |overridden| {
        let severity = if overridden.is_unmarked {
            severity.max(Some(Severity::Warning))
        } else {
            severity
        };
        severity.map(|severity| diagnostic(overridden, severity))
    })
}

fn diagnostic(overridden: &Overridden, severity: Severity) -> Diagnostic {
    let Overridden {
        output,
        used: (used, used_span),
        ignored: (ignored, ignored_span),
        is_unmarked,
        is_inline,
    } = overridden;
    let (message, label, help) = if *is_unmarked {
        (
            format!(
                "`{output}` from a later document replaces a sensitive one, but is not marked sensitive"
            ),
            "this value is ignored, but the output stays sensitive",
            "mark it sensitive in the later document, declare it in the Binding, `sensitive: […]`, or rename one of them",
        )
    } else {
        (
            if *is_inline {
                format!("`{output}` in the Binding replaces that of a document")
            } else {
                format!("`{output}` from a later document replaces an earlier one")
            },
            "this value is ignored",
            "rename one of them, or set the policy `overridden: ignore`",
        )
    };
    let reported = Diagnostic {
        severity,
        ..Diagnostic::error(Rule::OutputOverridden, message)
    };
    reported
        .at_concealed(Origin::Outputs(*used), *used_span, "this value is used")
        .at_concealed(Origin::Outputs(*ignored), *ignored_span, label)
        .help(help)
}
