//! An outputs contract as a document of its own.

use crate::config::Config;
use crate::config::binding::{header, with_document};
use crate::config::keys::CONTRACT_ROOT;
use crate::config::outputs_contract::Contract;
use crate::config::reader::Reader;
use crate::report::{Diagnostics, Origin, Rule};

/// The `kind` of the document.
pub(super) const KIND: &str = "OutputsContract";

/// Reads a contract's document:
///
/// ```yaml
/// apiVersion: landfall.dev/v1alpha1
/// kind: OutputsContract
/// spec:
///   infra:
///     vpc_id: {type: string, pattern: ^vpc-}
/// ```
///
/// # Errors
/// Every problem in the document.
pub(crate) fn read_document(config: &Config) -> Result<Contract, Diagnostics> {
    let (origin, rule) = (Origin::Contract, Rule::InvalidContract);
    with_document(config, origin, rule, |tree| {
        let mut reader = Reader::new(tree, 0, origin, rule);
        let root = reader.mapping(0, "the contract", &CONTRACT_ROOT);
        header(&mut reader, 0, &root, KIND);
        let contract = match root.get("spec") {
            Some(spec) => Contract::read(&mut reader, *spec, "spec"),
            None => {
                let help =
                    "map bound names to their outputs: `spec: {infra: {vpc_id: {type: string}}}`";
                reader.error(0, "missing `spec`", help);
                Contract::default()
            }
        };
        reader.finish(contract)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the errors of a document.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let config = Config {
            path: "contract.yaml".into(),
            content: text.into(),
        };
        let found = read_document(&config).err().unwrap_or_default();
        assert!(
            found
                .iter()
                .all(|error| error.rule == Rule::InvalidContract)
        );
        assert_eq!(crate::config::tests::described(text, &found), expected);
    }

    const HEAD: &str = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\n";

    #[test]
    fn reads_the_entries_of_a_contract() {
        check(
            &format!("{HEAD}spec:\n  infra:\n    vpc_id: {{type: string, sensitive: true}}\n"),
            &[],
        );
        check(&format!("{HEAD}metadata: {{name: x}}\nspec: {{}}\n"), &[]);
    }

    #[test]
    fn reports_every_mistake() {
        check(
            &format!("{HEAD}spec:\n  infra:\n    vpc_id: {{sensitive: maybe, typ: string}}\n"),
            &[
                "\"typ\": unknown key `typ` in `spec.infra.vpc_id`; did you mean `type`?",
                "\"maybe\": invalid value `maybe` for `sensitive`; expected `true` or `false`",
            ],
        );
        check(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspecs: {}\n",
            &[
                "\"specs\": unknown key `specs` in the contract; did you mean `spec`?",
                "\"Binding\": `kind` must be `OutputsContract`, found `Binding`; write `kind: OutputsContract`",
                "\"\": missing `spec`; map bound names to their outputs: `spec: {infra: {vpc_id: {type: string}}}`",
            ],
        );
    }

    #[test]
    fn shows_no_value_of_an_output_that_it_declares_sensitive() {
        for clause in [
            "{sensitive: true, enum: [[], hunter2]}",
            "{sensitive: true, example: hunter2, enum: [x]}",
            "{sensitive: true, value: hunter2}",
            "{sensitive: True, example: hunter2, enum: [x]}",
            "{sensitive: yes, value: hunter2}",
            "{sensitive: true, value: !hunter2 x}",
            "{sensitive: true, enum: [hunter2}",
        ] {
            let config = Config {
                path: "contract.yaml".into(),
                content: format!("{HEAD}spec: {{infra: {{key: {clause}}}}}\n").into(),
            };
            let found = read_document(&config).unwrap_err();
            let text = str::from_utf8(&config.content).unwrap();
            crate::config::tests::assert_concealed(text, &found, "hunter2");
        }
    }

    #[test]
    fn quotes_nothing_from_a_document_that_is_not_a_contract() {
        let config = Config {
            path: "outputs.json".into(),
            content: r#"{"password": {"sensitive": true, "value": "hunter2"}}"#.into(),
        };
        let found = read_document(&config).unwrap_err();
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
        let mut labels = found.iter().flat_map(|found| &found.labels);
        assert!(labels.all(|label| label.conceal && label.span.start == label.span.end));
    }
}
