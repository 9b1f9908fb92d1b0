//! Outputs documents with placeholder values.

use crate::config::{Config, outputs_contract, written_values};
use crate::outputs::OutputsDocument;
use crate::report::{Diagnostics, Origin};

/// Returns an outputs document for each bound name of a contract, with placeholder values
/// that satisfy it.
///
/// # Errors
/// All problems with the contract, among them requirements for which no value can be made.
///
/// # Examples
/// ```
/// let contract = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {infra: {vpc_id: {pattern: ^vpc-}}}\n";
/// let contract = landfall::Config { path: "contract.yaml".into(), content: contract.into() };
/// let documents = landfall::sample_outputs(&contract).unwrap();
/// assert_eq!(documents[0].name, "infra");
/// assert!(String::from_utf8_lossy(&documents[0].content).contains(r#""value": "vpc-""#));
/// ```
pub fn sample_outputs(contract: &Config) -> Result<Vec<OutputsDocument>, Diagnostics> {
    let samples = outputs_contract::read_document(contract)?.samples();
    let samples = samples.map_err(|mut found| {
        written_values::conceal_in(Some(contract), Origin::Contract, &mut found);
        found
    })?;
    let documents = samples.into_iter().map(|(name, content)| OutputsDocument {
        name,
        path: contract.path.clone(),
        content: content.into_bytes(),
        ..OutputsDocument::default()
    });
    Ok(documents.collect())
}
