//! The terms of one render: the policies in force and the contract of its
//! outputs, from all the documents that have a say.

use super::config::{self, Binding};
use super::field_binding::{FieldBinding, FieldBindings, Listed};
use super::outputs_contract::Contract;
use super::policy::{Policies, Policy};
use super::{operator, unused};
use crate::Request;
use crate::contract::Config;
use crate::outputs::Bindings;
use crate::reference::Heads;
use crate::report::{Diagnostic, Origin};

/// What holds for one render.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub(crate) policy: Policy,
    contract: Contract,
    substitutions: Vec<FieldBinding>,
    pub(crate) embedded: Listed,
    /// The names that the Binding asks documents for.
    asked: Vec<String>,
}

impl Terms {
    /// The terms of a request, and everything that is wrong with its documents.
    pub(crate) fn of_request(request: &Request) -> (Self, Vec<Diagnostic>) {
        let binding = request.binding.as_ref();
        Self::new(
            binding.map(|binding| config::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            request.operator_policy.as_ref(),
        )
    }

    /// The terms that a Binding, flags and an operator set.
    pub(crate) fn new(
        binding: Option<Result<Binding, Vec<Diagnostic>>>,
        flags: Option<&Config>,
        operator: Option<&Config>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let binding = binding.map(|binding| read(binding, &mut diagnostics));
        let binding = binding.unwrap_or_default();
        let flags = flags.map(|flags| read(Policies::of_flags(flags), &mut diagnostics));
        let operator = operator.map(|operator| read(operator::read(operator), &mut diagnostics));
        let (policy, refused) = Policy::in_force(
            &binding.policy,
            &flags.unwrap_or_default(),
            &operator.unwrap_or_default(),
        );
        diagnostics.extend(refused);
        let terms = Self {
            policy,
            contract: binding.contract,
            substitutions: binding.substitutions,
            embedded: Listed(binding.embedded),
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
        diagnostics: &mut Vec<Diagnostic>,
    ) -> FieldBindings {
        let substitutions = std::mem::take(&mut self.substitutions);
        FieldBindings::new(substitutions, heads, origin, diagnostics)
    }

    /// Everything in which the outputs are not what the contract says.
    pub(crate) fn violations(&self, bindings: &Bindings) -> Vec<Diagnostic> {
        self.contract.violations(bindings, &self.asked)
    }

    /// What is told of outputs that nothing uses, once everything else has been
    /// `found`.
    pub(crate) fn unused(&self, bindings: &Bindings, found: &[Diagnostic]) -> Vec<Diagnostic> {
        unused::told(bindings, self.policy.unused, &self.contract, found)
    }
}

/// What could be read; what is wrong goes to the others.
fn read<T: Default>(read: Result<T, Vec<Diagnostic>>, diagnostics: &mut Vec<Diagnostic>) -> T {
    read.unwrap_or_else(|found| {
        diagnostics.extend(found);
        T::default()
    })
}
