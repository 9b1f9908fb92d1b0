//! What must hold of each made-up case; the fuzz target `aliases` asks for it too.

use landfall::Request;

use super::case::{Case, bound, is_secret, wrong};
use crate::choices::Choices;
use crate::reading::{documents, leaks};

/// Renders one case, and looks at what serde_yaml reads in it. The source and what it
/// became; none where it is refused.
pub(crate) fn is_right_for_one_reader(
    choices: &mut Choices<'_>,
    render: impl Fn(&str, &Request) -> Option<String>,
) -> Option<(String, String)> {
    let case = Case::made_up(choices);
    let output = render(&case.text, &bound())?;
    for merges in [false, true] {
        for document in documents(&output, merges).into_iter().flatten() {
            let reported = || format!("merge keys {merges}\n{output}of\n{}", case.text);
            assert_eq!(leaks(&document, &is_secret), [""; 0], "{}", reported());
            if merges && !case.redefines {
                assert_eq!(wrong(&document), [""; 0], "{}", reported());
            }
        }
    }
    Some((case.text, output))
}
