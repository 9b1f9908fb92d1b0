//! Contracts of sensitive outputs where a policy refuses them. Whether a value matches a
//! pattern reveals something about the value, so no value is inspected.

use crate::config::outputs_contract::{Clause, Contract, Wanted};
use crate::config::policy::Refusal;
use crate::outputs::Bindings;
use crate::report::{Diagnostic, Origin};
use yaml::Span;

impl Contract {
    /// Reports everything that the contract requires of the value of a sensitive output.
    /// The errors depend on which outputs are sensitive, and on no value.
    pub(crate) fn sensitive_refusals(
        &self,
        bindings: &Bindings,
        refusal: Refusal,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for section in &self.sections {
            let name = &section.name.value;
            let Some(outputs) = bindings.outputs(name) else {
                continue;
            };
            for clause in &section.clauses {
                let output = &clause.output.value;
                let Some(bound) = outputs.get(output).filter(|bound| bound.sensitive) else {
                    continue;
                };
                for (key, origin, span) in clause.about_the_value() {
                    let what = format!(
                        "`{key}` in the contract of the sensitive output `{name}.{output}`"
                    );
                    let error = refusal
                        .error(&what)
                        .in_config(origin, span, "")
                        .at_concealed(
                            Origin::Outputs(bound.document),
                            bound.span,
                            "marked sensitive here",
                        );
                    let error = refusal.help(error, "remove it", "sensitiveContract: allow");
                    found.push(refusal.refused_here(error));
                }
            }
        }
        found
    }
}

impl Clause {
    /// Returns the clauses that restrict more of a value than its type, each with its
    /// location.
    fn about_the_value(&self) -> impl Iterator<Item = (&'static str, Origin, Span)> {
        let keys = [
            (
                "pattern",
                self.pattern.as_ref().map(|it| (it.origin, it.span)),
            ),
            ("enum", self.members.as_ref().map(|it| (it.origin, it.span))),
            ("min", self.min.as_ref().map(|it| (it.origin, it.span))),
            ("max", self.max.as_ref().map(|it| (it.origin, it.span))),
            (
                "minLength",
                self.min_length.as_ref().map(|it| (it.origin, it.span)),
            ),
            (
                // Whether a number has a fraction reveals more than its type.
                "type: integer",
                self.wanted
                    .as_ref()
                    .filter(|it| it.value == Wanted::Integer)
                    .map(|it| (it.origin, it.span)),
            ),
        ];
        keys.into_iter()
            .filter_map(|(key, location)| location.map(|(origin, span)| (key, origin, span)))
    }
}
