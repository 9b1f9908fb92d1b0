//! The effective configuration of a render: the Binding, the flags and the operator's
//! policy, resolved once into values that the rest can trust.

use crate::config::Spanned;
use crate::config::binding::Binding;
use crate::config::names::Names;
use crate::config::operator;
use crate::config::outputs_contract::Contract;
use crate::config::policy::{Flags, NoResources, Policy};
use crate::config::substitutions::{EmbeddedFields, FieldBinding};
use crate::config::{Ceiling, Config, KnownName};
use crate::outputs::{Bindings, Declarations};
use crate::reference::{Dialect, Heads, LANDFALL};
use crate::report::{Diagnostic, Diagnostics, Rule};

/// The effective configuration of one render.
#[derive(Clone, Debug)]
pub(crate) struct EffectiveConfig {
    /// How the manifests write references.
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) policy: Policy,
    pub(crate) contract: Contract,
    pub(crate) substitutions: Vec<FieldBinding>,
    pub(crate) embedded: Vec<EmbeddedFields>,
    /// What the Binding declares about its outputs documents.
    pub(crate) declarations: Declarations,
    /// The names that the Binding binds.
    declared_names: Vec<String>,
    foreign: Vec<Spanned<String>>,
}

impl EffectiveConfig {
    /// Resolves a Binding and flags under a ceiling. Also returns every problem in these
    /// documents.
    pub(crate) fn new(
        binding: Option<Result<&Binding, &Diagnostics>>,
        flags: Option<&Config>,
        ceiling: &Ceiling,
    ) -> (Self, Diagnostics) {
        let mut diagnostics = Diagnostics::default();
        let none = Binding::default();
        let is_unreadable = matches!(binding, Some(Err(_)));
        let binding = match binding {
            Some(Ok(binding)) => binding,
            Some(Err(errors)) => {
                diagnostics.append(errors.clone());
                &none
            }
            None => &none,
        };
        let flags = flags
            .map(|flags| read(Flags::read(flags), &mut diagnostics))
            .unwrap_or_default();
        let operator = (ceiling.operator_policy.as_ref())
            .map(|operator| read(operator::read(operator), &mut diagnostics))
            .unwrap_or_default();
        let (mut policy, refused) = Policy::in_force(
            &binding.policy,
            &flags.policies,
            &operator,
            ceiling.built_in,
        );
        if ceiling.is_set() {
            policy.be_under_ceiling(&operator);
        }
        diagnostics.extend(refused);
        let declared_names = binding.bound_names().cloned().collect();
        let dialect = flags.dialect.or(binding.dialect).unwrap_or(LANDFALL);
        let mut declarations = if is_unreadable {
            Declarations::unknown()
        } else {
            binding.declarations.clone()
        };
        declarations.names_variables = dialect.notation().names_variables;
        let config = Self {
            dialect,
            policy,
            contract: binding.contract.clone(),
            substitutions: binding.substitutions.clone(),
            embedded: binding.embedded.clone(),
            foreign: binding.foreign.clone(),
            declared_names,
            declarations,
        };
        (config, diagnostics)
    }

    /// Returns whether a render without a resource is an error.
    pub(crate) fn needs_resources(&self) -> bool {
        self.policy.choices.no_resources.value == NoResources::Error
    }

    /// Returns what is known about names, bound or not. Reports a name that is both bound
    /// and declared as another tool's.
    pub(crate) fn names(
        &self,
        known: &[KnownName],
        heads: &Heads,
        diagnostics: &mut Diagnostics,
    ) -> Names {
        let names = Names::new(
            known,
            self.declared_names.iter().cloned(),
            self.foreign.iter().map(|declared| declared.value.clone()),
        );
        for declared in &self.foreign {
            let name = &declared.value;
            if !names.usable(heads).any(|usable| usable == name) {
                continue;
            }
            let message = format!("`{name}` is both bound and declared as another tool's name");
            diagnostics.push(
                Diagnostic::error(Rule::InvalidBinding, message)
                    .in_config(declared.origin, declared.span, "declared here")
                    .help("bind the outputs to another name, or remove it from `spec.foreign`"),
            );
        }
        names
    }

    /// Reports every violation of the outputs contract, and every clause that is not
    /// allowed for sensitive outputs.
    pub(crate) fn violations(&self, bindings: &Bindings) -> Diagnostics {
        if let Some(refusal) = self.policy.refuses_sensitive_contract() {
            let refused = self.contract.sensitive_refusals(bindings, refusal);
            if !refused.is_empty() {
                return refused.into();
            }
        }
        self.contract.violations(bindings, &self.declared_names)
    }
}

/// Returns what could be read, and appends the errors.
fn read<T: Default>(read: Result<T, Diagnostics>, diagnostics: &mut Diagnostics) -> T {
    read.unwrap_or_else(|found| {
        diagnostics.append(found);
        T::default()
    })
}
