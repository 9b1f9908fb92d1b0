//! The terms of one render: the policies in force and the contract of its
//! outputs, from all the documents that have a say.

use super::config::{self, Binding};
use super::field_binding::{FieldBinding, FieldBindings, Listed};
use super::outputs_contract::Contract;
use super::policy::{NoResources, Policies, Policy, Stated};
use super::unbound::{Names, View};
use super::{operator, unused};
use crate::contract::{Ceiling, Config};
use crate::outputs::Bindings;
use crate::reference::Heads;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use crate::{KnownName, Request};

/// What holds for one render.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub(crate) policy: Policy,
    contract: Contract,
    substitutions: Vec<FieldBinding>,
    pub(crate) embedded: Listed,
    /// The names that the Binding asks documents for.
    asked: Vec<String>,
    foreign: Vec<Stated<String>>,
}

impl Terms {
    /// The terms of a request, and everything that is wrong with its documents.
    pub(crate) fn of_request(request: &Request) -> (Self, Diagnostics) {
        let binding = request.binding.as_ref();
        Self::new(
            binding.map(|binding| config::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            &request.ceiling,
        )
    }

    /// The terms that a Binding and flags set under a ceiling.
    pub(crate) fn new(
        binding: Option<Result<Binding, Diagnostics>>,
        flags: Option<&Config>,
        ceiling: &Ceiling,
    ) -> (Self, Diagnostics) {
        let mut diagnostics = Diagnostics::default();
        let binding = binding.map(|binding| read(binding, &mut diagnostics));
        let binding = binding.unwrap_or_default();
        let flags = flags.map(|flags| read(Policies::of_flags(flags), &mut diagnostics));
        let operator = ceiling.operator_policy.as_ref();
        let operator = operator.map(|operator| read(operator::read(operator), &mut diagnostics));
        let (policy, refused) = Policy::in_force(
            &binding.policy,
            &flags.unwrap_or_default(),
            &operator.unwrap_or_default(),
            ceiling.built_in,
        );
        diagnostics.extend(refused);
        let terms = Self {
            policy,
            contract: binding.contract,
            substitutions: binding.substitutions,
            embedded: Listed::new(binding.embedded),
            foreign: binding.foreign,
            asked: binding.outputs.into_iter().map(|need| need.name).collect(),
        };
        (terms, diagnostics)
    }

    /// The field bindings, with the references to these heads found; they stand in
    /// the document `origin`. To be called once.
    pub(crate) fn field_bindings(
        &mut self,
        heads: &Heads,
        origin: Origin,
        diagnostics: &mut Diagnostics,
    ) -> FieldBindings {
        let substitutions = std::mem::take(&mut self.substitutions);
        FieldBindings::new(substitutions, heads, origin, diagnostics)
    }

    /// Whether a render without a resource is an error.
    pub(crate) fn needs_resources(&self) -> bool {
        self.policy.choices.no_resources.value == NoResources::Error
    }

    /// How documents are read that are not rendered; `only_under` is the key of the root
    /// that holds the manifests, if one does.
    pub(crate) const fn view<'v>(&'v self, only_under: Option<&'v str>) -> View<'v> {
        View {
            embedded: &self.embedded,
            only_under,
        }
    }

    /// What is known of names, bound or not; a name that is bound and declared as
    /// another tool's is an error.
    pub(crate) fn names(
        &self,
        known: &[KnownName],
        heads: &Heads,
        diagnostics: &mut Diagnostics,
    ) -> Names {
        let names = Names::new(
            known,
            self.asked.iter().cloned(),
            self.foreign.iter().map(|stated| stated.value.clone()),
        );
        for stated in &self.foreign {
            let name = &stated.value;
            if !names.usable(heads).any(|usable| usable == name) {
                continue;
            }
            let message = format!("`{name}` is bound, and cannot be another tool's too");
            diagnostics.push(
                Diagnostic::error(Rule::InvalidBinding, message)
                    .in_config(
                        stated.origin,
                        stated.span,
                        "declared as another tool's here",
                    )
                    .help("bind the outputs under another name, or take it out of `spec.foreign`"),
            );
        }
        names
    }

    /// Everything in which the outputs are not what the contract says, or what it may
    /// not say of sensitive ones.
    pub(crate) fn violations(&self, bindings: &Bindings) -> Diagnostics {
        if let Some(refusal) = self.policy.refuses_sensitive_contract() {
            let refused = self.contract.sensitive_refusals(bindings, refusal);
            if !refused.is_empty() {
                return refused.into();
            }
        }
        self.contract.violations(bindings, &self.asked)
    }

    /// What is told of outputs that nothing uses, once everything else has been
    /// `found`.
    pub(crate) fn unused(&self, bindings: &Bindings, found: &[Diagnostic]) -> Vec<Diagnostic> {
        unused::told(
            bindings,
            self.policy.choices.unused.value,
            &self.contract,
            found,
        )
    }
}

/// What could be read; what is wrong goes to the others.
fn read<T: Default>(read: Result<T, Diagnostics>, diagnostics: &mut Diagnostics) -> T {
    read.unwrap_or_else(|found| {
        diagnostics.append(found);
        T::default()
    })
}
