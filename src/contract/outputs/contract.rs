//! The contract that outputs documents satisfy.

use crate::config::outputs_contract::contract_of;
use crate::contract::outputs::{Opened, OutputsInputs};
use crate::outputs::Bindings;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};

/// The merge key of YAML: the only name that configuration documents cannot have as a key.
const MERGE_KEY: &str = "<<";

/// Returns a document of the kind OutputsContract: the names and types of all outputs, and
/// which are sensitive. It has no value, and the outputs satisfy it.
///
/// # Errors
/// Every problem with the documents: a contract of only some of the outputs would not
/// require the others.
///
/// # Examples
/// ```
/// use landfall::{OutputsDocument, OutputsInputs, outputs_contract};
///
/// let contract = outputs_contract(&OutputsInputs {
///     documents: vec![OutputsDocument {
///         name: "infra".into(),
///         content: br#"{"key": {"sensitive": true, "value": "hunter2"}}"#.to_vec(),
///         ..OutputsDocument::default()
///     }],
///     ..OutputsInputs::default()
/// });
/// let expected = b"apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    key: {type: string, sensitive: true}\n";
/// assert_eq!(contract.unwrap(), expected);
/// ```
pub fn outputs_contract(inputs: &OutputsInputs) -> Result<Vec<u8>, Diagnostics> {
    let Opened {
        bindings,
        mut diagnostics,
        ..
    } = inputs.open();
    diagnostics.extend(merge_keys(&bindings));
    if diagnostics.has_errors() {
        Err(diagnostics)
    } else {
        Ok(contract_of(&bindings).into_bytes())
    }
}

/// Reports outputs with a name that no contract can have.
fn merge_keys(bindings: &Bindings) -> impl Iterator<Item = Diagnostic> {
    let outputs = bindings.names().filter_map(|name| bindings.outputs(name));
    let named = outputs.filter_map(|outputs| outputs.get(MERGE_KEY));
    named.map(|bound| {
        let message = format!("a contract cannot have an output named `{MERGE_KEY}`");
        Diagnostic::error(Rule::InvalidOutputs, message)
            .at_concealed(Origin::Outputs(bound.document), bound.span, "")
            .help("rename it: YAML readers merge mappings at this key")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::contract::outputs::check_outputs;
    use crate::outputs::OutputsDocument;

    #[test]
    fn names_of_any_length_are_read_back() {
        for name in ["a".repeat(1024), "a".repeat(1025), "é\"".repeat(600)] {
            let bound = "b".repeat(name.chars().count());
            let content = serde_json::json!({&name: {"value": "x"}}).to_string();
            let mut inputs = OutputsInputs {
                documents: vec![OutputsDocument {
                    name: bound.clone(),
                    content: content.into(),
                    ..OutputsDocument::default()
                }],
                ..OutputsInputs::default()
            };
            let content = outputs_contract(&inputs).unwrap();
            let text = String::from_utf8_lossy(&content);
            // The maximum length of a key without `? ` in YAML.
            let explicit = usize::from(name.len() > 1024) * 2;
            assert_eq!(text.matches("\n  ? b").count() * 2, explicit);
            assert_eq!(text.matches("? ").count(), explicit);
            inputs.contract = Some(Config {
                path: "contract.yaml".into(),
                content,
            });
            let found = check_outputs(&inputs);
            assert!(found.is_empty(), "{}: {found:?}", name.len());
            // The contract has the name: without its output, it is violated.
            inputs.documents[0].content = b"{\"other\": {\"value\": 1}}".to_vec();
            let found = check_outputs(&inputs);
            assert_eq!(found[0].rule, Rule::ContractViolation);
        }
    }
}
