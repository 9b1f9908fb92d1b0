//! Whether outputs documents can be read, and satisfy their contract.

use crate::bind::overridden;
use crate::config::{outputs_contract, written_values};
use crate::contract::outputs::{Opened, OutputsInputs};
use crate::report::{Diagnostics, Origin};

/// Returns every problem with outputs documents: what cannot be read, and what violates the
/// contract.
///
/// # Examples
/// ```
/// use landfall::{Config, OutputsDocument, OutputsInputs, check_outputs};
///
/// let contract = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {infra: {vpc_id: {type: string}}}\n";
/// let found = check_outputs(&OutputsInputs {
///     documents: vec![OutputsDocument {
///         name: "infra".into(),
///         content: br#"{"vpc_id": {"value": 7}}"#.to_vec(),
///         ..OutputsDocument::default()
///     }],
///     contract: Some(Config { path: "contract.yaml".into(), content: contract.into() }),
///     ..OutputsInputs::default()
/// });
/// assert_eq!(found[0].message, "`infra.vpc_id` is a number, but the contract requires a string");
/// ```
#[must_use]
pub fn check_outputs(inputs: &OutputsInputs) -> Diagnostics {
    let Opened {
        bindings,
        mut config,
        mut diagnostics,
    } = inputs.open();
    if let Some(contract) = &inputs.contract {
        config.contract = outputs_contract::read_document(contract).unwrap_or_else(|errors| {
            diagnostics.append(errors);
            outputs_contract::Contract::default()
        });
    }
    diagnostics.extend(overridden::overridden(
        &bindings,
        config.policy.choices.overridden.value,
    ));
    diagnostics.append(config.violations(&bindings));
    let binding = inputs.application.configuration().binding.as_ref();
    written_values::conceal_in(binding, Origin::Binding, &mut diagnostics);
    written_values::conceal_in(inputs.contract.as_ref(), Origin::Contract, &mut diagnostics);
    diagnostics
}
