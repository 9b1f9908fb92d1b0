//! The property of each generated case, which the fuzz target `aliases` checks too.

use landfall::Request;

use super::case::{Case, bound, is_secret, violations};
use crate::choices::Choices;
use crate::reading::{documents, leaks};

/// Renders one case, and checks what serde_yaml reads in it. Returns the source and the
/// output, or `None` if the render fails.
pub fn is_right_for_one_reader(
    choices: &mut Choices<'_>,
    render: impl Fn(&str, &Request) -> Option<String>,
) -> Option<(String, String)> {
    let case = Case::generate(choices);
    let output = render(&case.text, &bound())?;
    for merges in [false, true] {
        for document in documents(&output, merges).into_iter().flatten() {
            let reported = || format!("merge keys {merges}\n{output}of\n{}", case.text);
            assert_eq!(leaks(&document, &is_secret), [""; 0], "{}", reported());
            if merges && !case.redefines {
                assert_eq!(violations(&document), [""; 0], "{}", reported());
            }
        }
    }
    Some((case.text, output))
}
