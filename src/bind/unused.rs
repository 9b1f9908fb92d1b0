//! Bound outputs that nothing uses.

use crate::collections::OrderedMap;
use crate::config::outputs_contract::Contract;
use crate::config::policy::Unused;
use crate::outputs::{Bindings, Bound};
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// How many names a diagnostic lists.
const LISTED: usize = 10;
/// How many of them it shows.
const SHOWN: usize = 3;

/// The rules of errors that come after all references have been read: what is
/// unused then is unused, and can be reported with them.
const AFTER_READING: &[Rule] = &[
    Rule::NotAResource,
    Rule::UnknownKey,
    Rule::EmptyOutput,
    Rule::TypeMismatch,
    Rule::FieldTypeMismatch,
    Rule::DuplicateKey,
    Rule::ConflictingSubstitutions,
    Rule::ExpansionConflict,
    Rule::SensitiveOutput,
    Rule::SecretDataNotBase64,
    Rule::RefusedByOperator,
    Rule::RefusedByPolicy,
    Rule::InvalidBinding,
    Rule::InvalidPolicy,
];

/// One diagnostic for each outputs document with unused outputs, and one more
/// where the contract says that some of them must be used. `found` is all that is
/// known to be wrong: a render with errors gets no notes, and no error that may
/// only follow from another one.
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
                wanted: Vec::new(),
                others: Vec::new(),
            });
            match to_be_used.get(&(name, output.as_str())) {
                Some(place) => document.wanted.push((output, bound, Some(*place))),
                None => document.others.push((output, bound, None)),
            }
        }
    }
    let mut reported = Vec::new();
    for Document {
        name,
        wanted,
        others,
    } in unused.into_values()
    {
        let help =
            "the contract requires them to be used: reference them, or remove `unused: error`";
        reported.extend(diagnostic(name, wanted, Severity::Error, help));
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
    /// The contract wants these used.
    wanted: Vec<Entry<'b>>,
    others: Vec<Entry<'b>>,
}

/// An output, and where the contract speaks of it.
type Entry<'b> = (&'b str, &'b Bound, Option<(Origin, yaml::Span)>);

fn diagnostic(
    name: &str,
    mut entries: Vec<Entry<'_>>,
    severity: Severity,
    help: &str,
) -> Option<Diagnostic> {
    // In the order of the document, as people read it.
    entries.sort_unstable_by_key(|(_, bound, _)| bound.span);
    let listed: Vec<_> = entries
        .iter()
        .take(LISTED)
        .map(|(output, ..)| format!("`{output}`"))
        .collect();
    let mut list = listed.join(", ");
    if entries.len() > LISTED {
        list.push_str(&format!(" and {} more", entries.len() - LISTED));
    }
    let message = match entries.len() {
        0 => return None,
        1 => format!("unused output of `{name}`: {list}"),
        count => format!("{count} unused outputs of `{name}`: {list}"),
    };
    let mut reported = Diagnostic {
        severity,
        ..Diagnostic::error(Rule::UnusedOutput, message)
    };
    for (_, bound, place) in entries.iter().take(SHOWN) {
        reported = reported.at_concealed(Origin::Outputs(bound.document), bound.span, "");
        if let Some((origin, span)) = place {
            reported = reported.in_config(*origin, *span, "required here");
        }
    }
    Some(reported.help(help))
}
