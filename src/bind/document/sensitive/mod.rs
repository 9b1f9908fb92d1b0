//! Where sensitive values are allowed: decided by their fields alone, before any value is
//! evaluated.

mod concealment;
mod withheld;

use std::borrow::Cow;

pub(crate) use withheld::ReferencesInText;

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::source::{Container, RenderSource};
use crate::config::policy::Policy;
use crate::kubernetes::resources::{Field, Identity, Occurrence, Occurrences};
use crate::outputs::Mark;
use crate::report::{Diagnostic, Rule};
use yaml::Span;

/// A field that does not accept a sensitive value.
struct RefusedField {
    field: Field,
    /// The alias that repeats the value there.
    alias: Option<Span>,
    why: Why,
}

enum Why {
    /// The reason, and what to do about it.
    Policy(String, String),
    /// Readers may disagree about the resource.
    Ambiguous(Span, &'static str),
}

impl Renderer<'_, '_> {
    /// Returns whether a node accepts the sensitive value of a reference in all its
    /// occurrences. Reports it if not.
    pub(crate) fn accepts_sensitive(
        &mut self,
        identity: &Identity<'_>,
        occurrences: &Occurrences,
        found: &FoundReference,
        mark: &Mark,
    ) -> bool {
        let policy = self.context.policy;
        let in_template = self.source.in_template();
        let refused = match reason_to_refuse(occurrences, in_template) {
            // Not even the data of a Secret accepts it.
            Some(reason) if self.source.container.is_some() => vec![RefusedField {
                field: occurrences.own.field.clone(),
                alias: None,
                why: Why::Policy(
                    reason.to_owned(),
                    "write a literal value, or use an output that is not sensitive".to_owned(),
                ),
            }],
            _ => self
                .source
                .refused_fields(policy, identity, occurrences.all()),
        };
        let is_accepted = refused.is_empty();
        for RefusedField { field, alias, why } in refused {
            let output = &mark.output;
            let mut error = match &why {
                Why::Policy(reason, _) => Diagnostic::error(
                    Rule::SensitiveOutput,
                    format!("the sensitive output `{output}` is not allowed here: {reason}"),
                )
                .at(
                    found.origin,
                    found.span,
                    "this value would be written in plain text",
                ),
                Why::Ambiguous(span, what) => Diagnostic::error(
                    Rule::AmbiguousResource,
                    format!("YAML readers may disagree about this resource, which would receive the sensitive output `{output}`: it has {what}"),
                )
                .at(self.origin(), *span, "here")
                .at(found.origin, found.span, "the sensitive output"),
            };
            if let Some(alias) = alias {
                error = error.at(self.origin(), alias, "an alias repeats it here");
            }
            let help = match why {
                Why::Policy(_, help) => help + &self.or_nonsensitive(mark),
                Why::Ambiguous(..) => "write `apiVersion`, `kind`, `metadata` and the data of a resource with sensitive values once each, without tags, anchors or aliases".to_owned(),
            };
            self.report(mark.label(error).help(help), &field);
        }
        is_accepted
    }

    /// Returns the help about an output that is sensitive only because everything in its
    /// document is, if the function `nonsensitive` exists in the dialect and is allowed.
    fn or_nonsensitive(&self, mark: &Mark) -> Cow<'static, str> {
        let dialect = self.context.dialect();
        let is_allowed = self.context.policy.refuses_nonsensitive().is_none();
        if !self.context.bindings.lacks_marks(mark)
            || !is_allowed
            || dialect.notation().names_variables
        {
            return Cow::Borrowed("");
        }
        dialect.translate_calls(
            "; all outputs of a Secret are sensitive: if this one is not secret, add `| nonsensitive`",
        )
    }
}

impl RenderSource<'_> {
    /// Returns the occurrences that do not accept a sensitive value. Anyone who can read
    /// the outermost scalar can read everything in it: if it accepts sensitive values, so
    /// do all documents embedded in it. Otherwise each of them is treated like a resource
    /// in all those around it.
    fn refused_fields<'o>(
        &self,
        policy: &Policy,
        identity: &Identity<'_>,
        occurrences: impl Iterator<Item = &'o Occurrence>,
    ) -> Vec<RefusedField> {
        if let Some(container) = &self.container {
            let outer = container.source.refused_fields(
                policy,
                container.identity,
                container.occurrences.iter(),
            );
            let nests = |around: &Container<'_>| {
                let mut occurrences = around.occurrences.iter();
                occurrences.all(|occurrence| policy.nests_sensitive(occurrence))
            };
            if outer.is_empty() || !self.around().all(nests) {
                return outer;
            }
            let ambiguous = |around: &Container<'_>| {
                let occurrences = around.occurrences.iter();
                around.source.ambiguous(around.identity, occurrences)
            };
            let ambiguous: Vec<_> = self.around().flat_map(ambiguous).collect();
            if !ambiguous.is_empty() {
                return ambiguous;
            }
        }
        let (allowed, refused): (Vec<_>, Vec<_>) =
            occurrences.partition(|occurrence| policy.allows_sensitive(occurrence));
        if refused.is_empty() {
            return self.ambiguous(identity, allowed.into_iter());
        }
        let refused = refused.into_iter().map(|occurrence| {
            let reason = policy.sensitive_rule(occurrence);
            self.refusal(
                identity,
                occurrence,
                Why::Policy(reason, policy.sensitive_help(occurrence)),
            )
        });
        refused.collect()
    }

    fn ambiguous<'o>(
        &self,
        identity: &Identity<'_>,
        mut occurrences: impl Iterator<Item = &'o Occurrence>,
    ) -> Vec<RefusedField> {
        let first =
            occurrences.find_map(|occurrence| Some((occurrence, identity.ambiguity(occurrence)?)));
        let refused = first.map(|(occurrence, ambiguity)| {
            let why = Why::Ambiguous(self.span(&ambiguity.range), ambiguity.what);
            self.refusal(identity, occurrence, why)
        });
        refused.into_iter().collect()
    }

    fn refusal(&self, identity: &Identity<'_>, occurrence: &Occurrence, why: Why) -> RefusedField {
        RefusedField {
            field: occurrence.field.clone(),
            alias: occurrence
                .alias
                .map(|alias| self.span(&identity.bytes(alias))),
            why,
        }
    }
}

/// Returns why an embedded document accepts no sensitive value in its keys, its
/// `apiVersion` and its `kind`, which determine how other values are read and compared, and
/// in a template.
fn reason_to_refuse(occurrences: &Occurrences, in_template: bool) -> Option<&'static str> {
    if in_template {
        // Whether it can be written depends on it.
        return Some("this is a Go template, and its actions could read it");
    }
    let is_header = |field: &Field| {
        field.resource.is_some()
            && field.steps.len() == 1
            && matches!(field.key(0), Some("apiVersion" | "kind"))
    };
    if occurrences.all().any(|occurrence| occurrence.is_key) {
        return Some("it would be a key, and keys are compared with each other");
    }
    let mut fields = occurrences.all().map(|occurrence| &occurrence.field);
    fields
        .any(is_header)
        .then_some("it would determine the kind of the resource")
}
