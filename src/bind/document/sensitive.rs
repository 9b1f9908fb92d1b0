//! Where sensitive values are allowed: decided by their fields alone, before anything
//! of them is known.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::source::RenderSource;
use crate::config::policy::Policy;
use crate::kubernetes::resources::{Field, Identity, Occurrence, Occurrences};
use crate::outputs::Mark;
use crate::report::{Diagnostic, Rule};
use yaml::Span;

/// A place that takes no sensitive value.
struct Refused {
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
    /// Whether a node takes the sensitive value of a reference, everywhere that it
    /// appears; if not, says so.
    pub(crate) fn takes_sensitive(
        &mut self,
        identity: &Identity<'_>,
        occurrences: &Occurrences,
        read: &FoundReference,
        mark: &Mark,
    ) -> bool {
        let policy = self.context.policy;
        let refused = match decides(occurrences).filter(|_| self.source.inside.is_some()) {
            // Not even the data of a Secret takes it.
            Some(reason) => vec![Refused {
                field: occurrences.own.field.clone(),
                alias: None,
                why: Why::Policy(
                    reason.to_owned(),
                    "write a literal value, or use an output that is not sensitive".to_owned(),
                ),
            }],
            None => self.source.refused(policy, identity, occurrences.all()),
        };
        let is_taken = refused.is_empty();
        for Refused { field, alias, why } in refused {
            let output = &mark.output;
            let mut error = match &why {
                Why::Policy(reason, _) => Diagnostic::error(
                    Rule::SensitiveOutput,
                    format!("the sensitive output `{output}` is not allowed here: {reason}"),
                )
                .at(
                    read.origin,
                    read.span,
                    "this value would be written in plain text",
                ),
                Why::Ambiguous(span, what) => Diagnostic::error(
                    Rule::AmbiguousResource,
                    format!("YAML readers may disagree about this resource, which would receive the sensitive output `{output}`: it has {what}"),
                )
                .at(self.origin(), *span, "here")
                .at(read.origin, read.span, "the sensitive output"),
            };
            if let Some(alias) = alias {
                error = error.at(self.origin(), alias, "an alias repeats it here");
            }
            let help = match why {
                Why::Policy(_, help) => help,
                Why::Ambiguous(..) => "write `apiVersion`, `kind`, `metadata` and the data of a resource with sensitive values once each, without tags, anchors or aliases".to_owned(),
            };
            self.report(mark.label(error).help(help), &field);
        }
        is_taken
    }
}

impl RenderSource<'_> {
    /// The occurrences among these that take no sensitive value. Who can read the outermost
    /// scalar can read everything in it: what that takes is taken in all documents that
    /// it embeds. Else each of them is judged like a resource in a resource.
    fn refused<'o>(
        &self,
        policy: &Policy,
        identity: &Identity<'_>,
        occurrences: impl Iterator<Item = &'o Occurrence>,
    ) -> Vec<Refused> {
        if let Some(inside) = &self.inside {
            let outer = inside
                .source
                .refused(policy, inside.identity, inside.occurrences.iter());
            let may_nest = || {
                inside
                    .occurrences
                    .iter()
                    .all(|place| policy.nests_sensitive(place))
            };
            if outer.is_empty() || !may_nest() {
                return outer;
            }
            let ambiguous = inside
                .source
                .ambiguous(inside.identity, inside.occurrences.iter());
            if !ambiguous.is_empty() {
                return ambiguous;
            }
        }
        let (allowed, refused): (Vec<_>, Vec<_>) =
            occurrences.partition(|place| policy.allows_sensitive(place));
        if refused.is_empty() {
            return self.ambiguous(identity, allowed.into_iter());
        }
        let refused = refused.into_iter().map(|place| {
            let reason = policy.sensitive_rule(place);
            self.place(
                identity,
                place,
                Why::Policy(reason, policy.sensitive_help(place)),
            )
        });
        refused.collect()
    }

    fn ambiguous<'o>(
        &self,
        identity: &Identity<'_>,
        mut occurrences: impl Iterator<Item = &'o Occurrence>,
    ) -> Vec<Refused> {
        let first = occurrences.find_map(|place| Some((place, identity.ambiguity(place)?)));
        let refused = first.map(|(place, ambiguity)| {
            let why = Why::Ambiguous(self.span(&ambiguity.range), ambiguity.what);
            self.place(identity, place, why)
        });
        refused.into_iter().collect()
    }

    fn place(&self, identity: &Identity<'_>, place: &Occurrence, why: Why) -> Refused {
        Refused {
            field: place.field.clone(),
            alias: place.alias.map(|alias| self.span(&identity.bytes(alias))),
            why,
        }
    }
}

/// Why an embedded document takes nothing sensitive at its keys and its header: what
/// is there decides how other values are read and compared.
fn decides(occurrences: &Occurrences) -> Option<&'static str> {
    let is_header = |field: &Field| {
        field.resource.is_some()
            && field.steps.len() == 1
            && matches!(field.key(0), Some("apiVersion" | "kind"))
    };
    if occurrences.all().any(|place| place.is_key) {
        return Some("it would be a key, and keys are compared with each other");
    }
    let mut fields = occurrences.all().map(|place| &place.field);
    fields
        .any(is_header)
        .then_some("it would determine the kind of the resource")
}
