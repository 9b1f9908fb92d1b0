//! Outputs in the form that another tool reads. A file for each target.

mod argocd_cluster;
mod dotenv;
mod external_secret;
mod flux;
mod helm_values;
mod manifest;
mod options;
mod public;
mod selection;

use crate::contract::outputs::{Opened, OutputsInputs};
use crate::contract::request::Parameter;
use crate::outputs::{Bindings, OutputsDocument};
use crate::report::suggest;
use crate::report::{Diagnostic, Diagnostics, Rule};

use options::Options;

/// What an export writes.
///
/// Its `Debug` form shows no content: values may be sensitive.
#[derive(Clone, PartialEq, Eq)]
pub struct Exported {
    /// One text: a YAML stream, or what the target reads.
    pub content: Vec<u8>,
    /// Warnings and notes: what was left out, and what the target's tool reads differently.
    pub diagnostics: Diagnostics,
}

impl std::fmt::Debug for Exported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exported")
            .field("bytes", &self.content.len())
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

/// What a target can be written from.
struct Export<'a> {
    documents: &'a [OutputsDocument],
    bindings: &'a Bindings,
    options: Options<'a>,
    diagnostics: Diagnostics,
}

/// A form that another tool reads.
struct Target {
    id: &'static str,
    /// The names of its options.
    options: &'static [&'static str],
    /// Writes it. After an error in the diagnostics, the text is not used.
    write: fn(&mut Export<'_>) -> String,
}

/// Every target.
const TARGETS: &[Target] = &[
    flux::TARGET,
    argocd_cluster::TARGET,
    helm_values::TARGET,
    dotenv::TARGET,
    external_secret::TARGET,
    public::TARGET,
];

/// Returns outputs in the form that the tool of `target` reads. Sensitive outputs are only
/// written to Secrets.
///
/// `options` are those of the target: see the page on exports.
///
/// # Errors
/// Every problem with the documents and the options, violations of the Binding's contract,
/// and outputs that the target cannot have.
///
/// # Examples
/// ```
/// use landfall::{OutputsDocument, OutputsInputs, export_outputs};
///
/// let inputs = OutputsInputs {
///     documents: vec![OutputsDocument {
///         name: "infra".into(),
///         content: br#"{"vpc_id": {"value": "vpc-0ab1"}}"#.to_vec(),
///         ..OutputsDocument::default()
///     }],
///     ..OutputsInputs::default()
/// };
/// let exported = export_outputs(&inputs, "flux", &[]).unwrap();
/// let expected = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: infra\ndata:\n  vpc_id: vpc-0ab1\n";
/// assert_eq!(exported.content, expected);
/// ```
pub fn export_outputs(
    inputs: &OutputsInputs,
    target: &str,
    options: &[Parameter],
) -> Result<Exported, Diagnostics> {
    let Some(target) = TARGETS.iter().find(|known| known.id == target) else {
        let message = format!("unknown export target `{target}`");
        let known = suggest::listed(TARGETS.iter().map(|known| known.id));
        let error = Diagnostic::error(Rule::InvalidExport, message);
        return Err(error.help(format!("expected one of: {known}")).into());
    };
    let Opened {
        bindings,
        config,
        mut diagnostics,
    } = inputs.open();
    diagnostics.append(config.violations(&bindings));
    let options = Options::new(options, target.options, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut export = Export {
        documents: &inputs.documents,
        bindings: &bindings,
        options,
        diagnostics,
    };
    let text = (target.write)(&mut export);
    if export.diagnostics.has_errors() {
        Err(export.diagnostics)
    } else {
        Ok(Exported {
            content: text.into_bytes(),
            diagnostics: export.diagnostics,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParameterValue;

    /// Returns an option with a text.
    pub(super) fn option(name: &str, text: &str) -> Parameter {
        let value = ParameterValue::Text(text.to_owned());
        let name = name.to_owned();
        Parameter { name, value }
    }

    /// Returns the inputs of documents in Terraform's format, bound to names.
    pub(super) fn inputs(documents: &[(&str, &str)]) -> OutputsInputs {
        let document = |(name, content): &(&str, &str)| OutputsDocument {
            name: (*name).to_owned(),
            content: content.as_bytes().to_vec(),
            ..OutputsDocument::default()
        };
        OutputsInputs {
            documents: documents.iter().map(document).collect(),
            ..OutputsInputs::default()
        }
    }

    /// Returns the text of an export, or its errors, and then each other diagnostic.
    pub(super) fn exported(
        target: &str,
        documents: &[(&str, &str)],
        options: &[Parameter],
    ) -> String {
        let (mut text, diagnostics) = match export_outputs(&inputs(documents), target, options) {
            Ok(Exported {
                content,
                diagnostics,
            }) => (String::from_utf8(content).unwrap(), diagnostics),
            Err(diagnostics) => (String::new(), diagnostics),
        };
        for found in diagnostics.iter() {
            let severity = format!("{:?}", found.severity).to_lowercase();
            text.push_str(&format!("{severity}: {}\n", found.message));
        }
        text
    }

    #[test]
    fn rejects_an_unknown_target_and_unknown_options() {
        assert_eq!(
            exported("fluxx", &[("infra", "{}")], &[]),
            "error: unknown export target `fluxx`\n"
        );
        assert_eq!(
            exported("flux", &[("infra", "{}")], &[option("names", "a")]),
            "error: unknown option `names`\n"
        );
    }

    #[test]
    fn writes_nothing_from_documents_with_errors() {
        let documents = [("infra", r#"{"a": {"value": 1}, "a": {"value": 2}}"#)];
        assert_eq!(
            exported("flux", &documents, &[]),
            "error: duplicate output `a` in one document\n"
        );
    }
}
