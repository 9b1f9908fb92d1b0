//! What outputs documents are, without their values.

use crate::contract::outputs::{Opened, OutputsInputs};
use crate::outputs::{DocumentFormat, recognise};
use crate::report::Diagnostics;

/// What is known of outputs documents without their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputsSummary {
    /// One for each document.
    pub formats: Vec<DocumentFormat>,
    /// Sorted by name. Not all of them if the diagnostics have errors.
    pub outputs: Vec<OutputSummary>,
    /// Every problem with the documents.
    pub diagnostics: Diagnostics,
}

/// An output under the name that it is bound to, after all documents of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSummary {
    /// The bound name.
    pub name: String,
    /// The output's own name.
    pub output: String,
    /// Who says that it is sensitive; `None`: it is not.
    pub sensitive: Option<Sensitivity>,
}

/// Who says that an output is sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// Its document does: a mark, or a type that is always one.
    Document,
    /// The host does, of the whole document.
    Host,
    /// The Binding does.
    Binding,
}

/// Returns which formats documents have, and which of their outputs are sensitive.
///
/// # Examples
/// ```
/// use landfall::{OutputsDocument, OutputsInputs, Sensitivity, read_outputs};
///
/// let read = read_outputs(&OutputsInputs {
///     documents: vec![OutputsDocument {
///         name: "infra".into(),
///         content: br#"{"key": {"sensitive": true, "value": "hunter2"}}"#.to_vec(),
///         ..OutputsDocument::default()
///     }],
///     ..OutputsInputs::default()
/// });
/// assert_eq!(read.formats[0].id, Some("terraform"));
/// assert_eq!(read.outputs[0].output, "key");
/// assert_eq!(read.outputs[0].sensitive, Some(Sensitivity::Document));
/// ```
#[must_use]
pub fn read_outputs(inputs: &OutputsInputs) -> OutputsSummary {
    let documents = &inputs.documents;
    let Opened {
        bindings,
        config,
        diagnostics,
    } = inputs.open();
    let declared = config.declarations.of_each(documents);
    let outputs = bindings.names().flat_map(|name| {
        let outputs = bindings.outputs(name).into_iter().flatten();
        outputs.map(|(output, bound)| {
            let is_declared = declared
                .get(bound.document)
                .is_some_and(|declared| declared.contains(output));
            let is_hosts = documents
                .get(bound.document)
                .is_some_and(|document| document.sensitive);
            let by = if is_declared {
                Sensitivity::Binding
            } else if is_hosts {
                Sensitivity::Host
            } else {
                Sensitivity::Document
            };
            OutputSummary {
                name: name.to_owned(),
                output: output.clone(),
                sensitive: bound.sensitive.then_some(by),
            }
        })
    });
    OutputsSummary {
        outputs: outputs.collect(),
        formats: documents.iter().map(recognise).collect(),
        diagnostics,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::contract::Configuration;
    use crate::outputs::OutputsDocument;

    fn document(content: &str, format: Option<&str>) -> OutputsDocument {
        OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            format: format.map(str::to_owned),
            ..OutputsDocument::default()
        }
    }

    fn read(documents: Vec<OutputsDocument>) -> OutputsSummary {
        let content = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: a}, sensitive: [declared]}\n";
        let binding = Some(Config {
            path: "landfall.yaml".into(),
            content: content.into(),
        });
        let configuration = Configuration {
            binding,
            ..Configuration::default()
        };
        read_outputs(&OutputsInputs {
            documents,
            application: configuration.into(),
            contract: None,
        })
    }

    #[test]
    fn says_who_makes_an_output_sensitive() {
        let marked = r#"{"a": {"value": 1}, "b": {"value": 1, "sensitive": true}, "declared": {"value": 1}}"#;
        let of = |document: OutputsDocument| {
            let outputs = read(vec![document]).outputs;
            outputs
                .iter()
                .map(|output| output.sensitive)
                .collect::<Vec<_>>()
        };
        let (by_document, by_binding) = (Some(Sensitivity::Document), Some(Sensitivity::Binding));
        assert_eq!(of(document(marked, None)), [None, by_document, by_binding]);
        let all = OutputsDocument {
            sensitive: true,
            ..document("declared=1\nother=2\n", Some("dotenv"))
        };
        assert_eq!(of(all), [by_binding, Some(Sensitivity::Host)]);
    }

    #[test]
    fn says_which_format_a_document_has_or_could_have() {
        let of = |content: &str, format: Option<&str>| {
            let DocumentFormat {
                id,
                possible,
                marks_sensitive,
            } = read(vec![document(content, format)]).formats.remove(0);
            (id, possible, marks_sensitive)
        };
        let terraform = r#"{"declared": {"value": 1, "sensitive": true}}"#;
        assert_eq!(of(terraform, None), (Some("terraform"), vec![], true));
        assert_eq!(of("A=1\n", None), (None, vec!["dotenv"], true));
        assert_eq!(of("A=1\n", Some("dotenv")), (Some("dotenv"), vec![], false));
        assert_eq!(of("a: 1\n", None), (None, vec!["yaml"], true));
        let strings = of(r#"{"a": "1"}"#, None);
        assert_eq!(strings, (None, vec!["json", "pulumi", "yaml"], true));
        assert_eq!(of(terraform, Some("json")), (None, vec!["terraform"], true));
        assert_eq!(of("\0", None), (None, vec![], true));
    }
}
