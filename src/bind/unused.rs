//! Bound outputs that nothing uses.

use crate::collections::OrderedMap;
use crate::config::outputs_contract::Contract;
use crate::config::policy::Unused;
use crate::outputs::{Bindings, Bound};
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// How many names a diagnostic lists.
const MAX_LISTED: usize = 10;
/// How many of them it shows with their location.
const MAX_SHOWN: usize = 3;

/// The rules of errors that are found after all references have been read: outputs that
/// are unused then can be reported with them.
const AFTER_READING: &[Rule] = &[
    Rule::NotAResource,
    Rule::UnknownKey,
    Rule::EmptyOutput,
    Rule::TypeMismatch,
    Rule::FieldTypeMismatch,
    Rule::DuplicateKey,
    Rule::ConflictingSubstitutions,
    Rule::ExpansionConflict,
    Rule::TemplateInValue,
    Rule::MisreadValue,
    Rule::SensitiveOutput,
    Rule::SecretDataNotBase64,
    Rule::RefusedByOperator,
    Rule::RefusedByPolicy,
    Rule::InvalidBinding,
    Rule::InvalidPolicy,
];

/// Returns one diagnostic for each outputs document with unused outputs, and another one
/// if the contract requires some of them to be used. `found` are all diagnostics so far:
/// a render with errors gets no notes, and no error that may only follow from another
/// one.
pub(crate) fn unused(
    bindings: &Bindings,
    policy: Unused,
    contract: &Contract,
    found: &[Diagnostic],
) -> Vec<Diagnostic> {
    let errors = || {
        found
            .iter()
            .filter(|found| found.severity == Severity::Error)
    };
    if errors().any(|error| !AFTER_READING.contains(&error.rule)) {
        return Vec::new();
    }
    let is_clean = errors().next().is_none();
    let to_be_used = contract.to_be_used();
    let mut unused: OrderedMap<usize, Document<'_>> = OrderedMap::new();
    for name in bindings.names() {
        let outputs = bindings.outputs(name).into_iter().flatten();
        for (output, bound) in outputs.filter(|(_, bound)| !bound.used.get()) {
            let document = unused.entry(bound.document).or_insert_with(|| Document {
                name,
                required: Vec::new(),
                others: Vec::new(),
            });
            let required_at = to_be_used.get(&(name, output.as_str())).copied();
            let outputs = match required_at {
                Some(_) => &mut document.required,
                None => &mut document.others,
            };
            outputs.push(UnusedOutput {
                name: output,
                bound,
                required_at,
            });
        }
    }
    let mut reported = Vec::new();
    for Document {
        name,
        required,
        others,
    } in unused.into_values()
    {
        let help =
            "the contract requires them to be used: reference them, or remove `unused: error`";
        reported.extend(diagnostic(name, required, Severity::Error, help));
        let help = "reference them, stop publishing them, or set the policy `unused: ignore`";
        match policy {
            Unused::Ignore => {}
            Unused::Note if !is_clean => {}
            Unused::Note => reported.extend(diagnostic(name, others, Severity::Note, help)),
            Unused::Error => reported.extend(diagnostic(name, others, Severity::Error, help)),
        }
    }
    if reported
        .iter()
        .any(|reported| reported.severity == Severity::Error)
    {
        reported.retain(|reported| reported.severity == Severity::Error);
    }
    reported
}

/// The unused outputs of one document, by name.
struct Document<'b> {
    name: &'b str,
    /// The outputs that the contract requires to be used.
    required: Vec<UnusedOutput<'b>>,
    others: Vec<UnusedOutput<'b>>,
}

struct UnusedOutput<'b> {
    name: &'b str,
    bound: &'b Bound,
    /// Where the contract requires it to be used.
    required_at: Option<(Origin, yaml::Span)>,
}

fn diagnostic(
    name: &str,
    mut outputs: Vec<UnusedOutput<'_>>,
    severity: Severity,
    help: &str,
) -> Option<Diagnostic> {
    // In the order of the document.
    outputs.sort_unstable_by_key(|output| output.bound.span);
    let listed: Vec<_> = outputs
        .iter()
        .take(MAX_LISTED)
        .map(|output| format!("`{}`", output.name))
        .collect();
    let mut list = listed.join(", ");
    if outputs.len() > MAX_LISTED {
        list.push_str(&format!(" and {} more", outputs.len() - MAX_LISTED));
    }
    let message = match outputs.len() {
        0 => return None,
        1 => format!("unused output of `{name}`: {list}"),
        count => format!("{count} unused outputs of `{name}`: {list}"),
    };
    let mut reported = Diagnostic {
        severity,
        ..Diagnostic::error(Rule::UnusedOutput, message)
    };
    for output in outputs.iter().take(MAX_SHOWN) {
        let origin = Origin::Outputs(output.bound.document);
        reported = reported.at_concealed(origin, output.bound.span, "");
        if let Some((origin, span)) = output.required_at {
            reported = reported.in_config(origin, span, "required here");
        }
    }
    Some(reported.help(help))
}
