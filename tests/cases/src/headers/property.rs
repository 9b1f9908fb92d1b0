//! The property of each generated case, which the fuzz target `headers` checks too.

use landfall::Request;

use super::case::document;
use crate::aliases::{bound, is_secret};
use crate::choices::Choices;
use crate::reading::{documents, documents_of_older_readers, leaks};

/// Renders one case, and checks what serde_yaml reads in it. Returns the source and the
/// output, or `None` if the render fails.
pub fn leaks_nothing_to_one_reader(
    choices: &mut Choices<'_>,
    render: impl Fn(&str, &Request) -> Option<String>,
) -> Option<(String, String)> {
    let text = document(choices);
    let output = render(&text, &bound())?;
    let readings = [
        documents(&output, false),
        documents(&output, true),
        documents_of_older_readers(&output),
    ];
    for (nth, document) in readings.into_iter().enumerate() {
        for document in document.into_iter().flatten() {
            let found = leaks(&document, &is_secret);
            assert_eq!(found, [""; 0], "reading {nth}\n{output}of\n{text}");
        }
    }
    Some((text, output))
}
