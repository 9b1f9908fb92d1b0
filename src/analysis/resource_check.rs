//! Checks whether a document is a Kubernetes resource, without parsing it if its lines are
//! enough to decide.

use crate::collections::OrderedMap;
use crate::reference::Heads;
use crate::reference::{locate, mask_references};
use yaml::{Role, masked};

/// The kind of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// It has an apiVersion and a kind.
    Resource,
    /// Comments and blank lines.
    Blank,
    /// Something else, with the position and the reason.
    No { at: usize, message: String },
}

/// Checks one document.
pub(crate) fn check(text: &str, heads: &Heads) -> Check {
    if starts_a_line(text, "apiVersion:") && starts_a_line(text, "kind:") {
        return Check::Resource;
    }
    let Some(at) = first_content(text) else {
        return Check::Blank;
    };
    let masks = mask_references(text, heads, &OrderedMap::new());
    let scratch = masked(text, masks.iter().map(|mask| &mask.range));
    match locate(scratch) {
        Ok(tree) => {
            let has = |key: &str| {
                tree.nodes().any(|(id, node)| {
                    node.role() == Role::Key
                        && node.parent() == Some(0)
                        && tree.text(id) == Some(key)
                })
            };
            match (has("apiVersion"), has("kind")) {
                (true, true) => Check::Resource,
                (false, true) => Check::No {
                    at,
                    message: "the document has no `apiVersion`".to_owned(),
                },
                (true, false) => Check::No {
                    at,
                    message: "the document has no `kind`".to_owned(),
                },
                (false, false) => Check::No {
                    at,
                    message: "the document has neither `apiVersion` nor `kind`".to_owned(),
                },
            }
        }
        Err(error) => Check::No {
            at: error.at,
            message: error.described("the document"),
        },
    }
}

fn starts_a_line(text: &str, key: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), key)
        .any(|at| at == 0 || text.as_bytes()[at - 1] == b'\n')
}

/// Returns the first byte that is not part of a blank, comment, directive or marker; `None`
/// in a document without content.
pub(crate) fn first_content(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut content = line.trim_start_matches('\u{feff}');
        if let Some(rest) = content
            .strip_prefix("---")
            .or_else(|| content.strip_prefix("..."))
        {
            content = rest;
        }
        let content = content.trim_ascii_start();
        if !content.is_empty() && !content.starts_with('#') && !line.starts_with('%') {
            return Some(at + line.len() - content.len());
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(text: &str) -> Check {
        check(text, &Heads::new(["infra"]))
    }

    #[test]
    fn recognises_resources_in_any_style() {
        for text in [
            "apiVersion: v1\nkind: Pod\n",
            "---\n# c\nkind: Pod\napiVersion: v1\n",
            "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}",
            "\"apiVersion\": v1\n? kind\n: Pod\n",
            "apiVersion : v1\nkind : ${infra.kind}\nx: [${infra.a}]\n",
        ] {
            assert_eq!(check_text(text), Check::Resource, "{text}");
        }
    }

    #[test]
    fn treats_comments_alone_as_blank() {
        for text in [
            "",
            "---\n",
            "--- # c\n# c\n\n",
            "\u{feff}# c\n",
            "%YAML 1.2\n---\n...\n",
        ] {
            assert_eq!(check_text(text), Check::Blank, "{text:?}");
        }
    }

    #[test]
    fn reports_why_a_document_is_not_a_resource() {
        assert_eq!(
            check_text("# c\nfoo: 1\n"),
            Check::No {
                at: 4,
                message: "the document has neither `apiVersion` nor `kind`".into()
            }
        );
        assert_eq!(
            check_text("--- text\n"),
            Check::No {
                at: 4,
                message: "the document has neither `apiVersion` nor `kind`".into()
            }
        );
        assert_eq!(
            check_text("kind: Pod\n"),
            Check::No {
                at: 0,
                message: "the document has no `apiVersion`".into()
            }
        );
        assert!(matches!(check_text("a: [\n"), Check::No { .. }));
    }
}
