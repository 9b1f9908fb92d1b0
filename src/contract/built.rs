//! The check of manifests that another tool has built from rendered files.

use crate::collections::OrderedSet;
use crate::config::policy::Policy;
use crate::config::{EffectiveConfig, binding};
use crate::contract::adopt::SensitiveValues;
use crate::contract::{Request, Sources};
use crate::kubernetes::resources::Resources;
use crate::outputs::Bindings;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Document, Span, Tree, decode, line_start, locate, split};

impl Sources {
    /// Reports what another tool must not have left in the manifests that it built, which
    /// are these sources: references with names that the request knows, and the values of
    /// sensitive outputs outside the resources that may contain them. Rendering has put
    /// every sensitive value into such a resource, but a tool can copy it to another.
    ///
    /// Only values that are distinct enough to be recognised are found: not short ones, and
    /// none that the tool has encoded or split.
    // Inlined into the component's export, it would be compiled for speed there.
    #[inline(never)]
    #[must_use]
    pub fn check_built(&self, request: &Request) -> Diagnostics {
        let (config, _) = EffectiveConfig::new(
            (request.binding.as_ref()).map(|binding| binding::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            &request.ceiling,
        );
        let is_bound = !request.outputs.is_empty() || !request.known_names.is_empty();
        let mut found = match is_bound {
            true => self.unrendered(request, &[]),
            // No text can be a reference then.
            false => Diagnostics::default(),
        };
        let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
        let sensitive = SensitiveValues::new(&bindings);
        if sensitive.is_empty() {
            return found;
        }
        for (file, text) in self.texts().enumerate() {
            for document in text.map(split).unwrap_or_default() {
                let Ok(tree) = locate(document.text) else {
                    continue;
                };
                let copies = copies(document, &tree, &sensitive, &config.policy);
                found.extend(copies.into_iter().map(|Copy { line, output }| {
                    let span = Span::point(document.offset + line);
                    let message = format!(
                        "the sensitive output `{output}` was copied to a field that may not contain it"
                    );
                    Diagnostic::error(Rule::SensitiveOutput, message)
                        .at_concealed(Origin::Manifest(file), span, "in this line")
                        .help("let it reference the Secret, and remove what copies the value: `replacements`, `vars`, or a patch with a `target`")
                }));
            }
        }
        found
    }
}

/// A sensitive value in a field that may not contain it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Copy<'s> {
    /// The start of its line: its own bytes would reveal its length.
    line: usize,
    output: &'s str,
}

fn copies<'s>(
    document: Document<'_>,
    tree: &Tree,
    sensitive: &'s SensitiveValues,
    policy: &Policy,
) -> OrderedSet<Copy<'s>> {
    let resources = Resources::new(tree);
    let mut copies = OrderedSet::default();
    for (id, _) in tree.nodes() {
        let Some(decoded) = decode(document.text, tree, id) else {
            continue;
        };
        let found = sensitive.find(&decoded.text);
        if found.is_empty() {
            continue;
        }
        let occurrences = resources.occurrences(id, None);
        let is_allowed = occurrences.is_ok_and(|occurrences| {
            (occurrences.all()).all(|occurrence| policy.allows_sensitive(occurrence))
        });
        if is_allowed {
            continue;
        }
        let line = line_start(document.text, decoded.raw.start);
        let outputs = found.iter().flat_map(|occurrence| occurrence.outputs);
        copies.extend(outputs.map(|output| Copy { line, output }));
    }
    copies
}

#[cfg(test)]
mod tests {
    use crate::{File, OutputsDocument, Request, Sources};

    const OUTPUTS: &str = r#"{
        "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
        "password": {"sensitive": true, "type": "string", "value": "correct-horse-battery"}
    }"#;

    #[track_caller]
    fn check(built: &str, expected: &[&str]) {
        let sources = Sources::new(vec![File {
            path: "built.yaml".into(),
            content: built.into(),
        }]);
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: OUTPUTS.into(),
                ..OutputsDocument::default()
            }],
            ..Request::default()
        };
        let found = sources.check_built(&request);
        let reported: Vec<String> = (found.iter())
            .map(|found| {
                let at = found.labels[0].span.start;
                let line = 1 + built[..at].matches('\n').count();
                format!("{} {line}", found.rule.id())
            })
            .collect();
        assert_eq!(reported, expected);
    }

    const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  url: pg://u:correct-horse-battery@h\n";

    #[test]
    fn accepts_values_where_rendering_puts_them() {
        check(SECRET, &[]);
        check(
            "apiVersion: v1\nkind: ConfigMap\ndata: {vpc: vpc-0ab1}\n",
            &[],
        );
    }

    #[test]
    fn reports_a_sensitive_value_that_was_copied_out_of_a_secret() {
        let built = format!(
            "{SECRET}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  # copied\n  password: correct-horse-battery\n"
        );
        check(&built, &["sensitive-output 12"]);
        check(
            &SECRET.replace("stringData", "metadata2"),
            &["sensitive-output 5"],
        );
    }

    #[test]
    fn reports_references_that_are_left() {
        check(
            "apiVersion: v1\nkind: ConfigMap\ndata: {vpc: \"${infra.vpc_id}\"}\n",
            &["unrendered-reference 3"],
        );
        check(
            "apiVersion: v1\nkind: Secret\ndata:\n  URL: aHR0cDovLyR7aW5mcmEuZG9tYWlufQ==\n",
            &["encoded-reference 4"],
        );
    }
}
