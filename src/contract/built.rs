//! The check of manifests that another tool has built from rendered files.

use crate::collections::OrderedSet;
use crate::config::policy::Policy;
use crate::config::{EffectiveConfig, binding};
use crate::contract::adopt::{Occurrence, SensitiveValues};
use crate::contract::{Request, Sources, built_types};
use crate::kubernetes::resources::Resources;
use crate::outputs::{Bindings, base64_bytes};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Severity};
use yaml::{Document, Span, Tree, decode, line_start, locate, split};

impl Sources {
    /// Reports what another tool must not have left in the manifests that it built, which
    /// are these sources: references with names that the request knows, and the values of
    /// sensitive outputs outside the resources that may contain them. Rendering has put
    /// every sensitive value into such a resource, but a tool can copy it to another.
    /// `rendered` are the files that the tool has read: a value that is outside such a
    /// resource there too was written by hand, like the user name in `image: postgres`.
    ///
    /// Also reported are values that the API server rejects in their fields. If `rendered` is
    /// empty, the manifests were built before they were rendered, and these are all: an error
    /// under a ceiling, else a warning.
    ///
    /// Only values that are distinct enough to be recognised are found: not short ones, and
    /// none that the tool has split or encoded in another way than as base64.
    // Inlined into the component's export, it would be compiled for speed there.
    #[inline(never)]
    #[must_use]
    pub fn check_built(&self, rendered: &Self, request: &Request) -> Diagnostics {
        let (config, _) = EffectiveConfig::new(
            (request.binding.as_ref()).map(|binding| binding::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            &request.ceiling,
        );
        let is_bound = !request.outputs.is_empty() || !request.known_names.is_empty();
        let is_built_last = !rendered.files.is_empty();
        let mut found = match is_bound && is_built_last {
            true => self.unrendered(request, &[]),
            // No text can be a reference then.
            false => Diagnostics::default(),
        };
        let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
        let sensitive = SensitiveValues::new(&bindings);
        // A tool can put a part of a sensitive value into any field: its type would reveal it.
        if sensitive.is_empty() || !config.policy.allows_any_sensitive() {
            let severity = match request.ceiling.is_set() {
                true => Severity::Error,
                false => Severity::Warning,
            };
            found.extend(built_types::refused(self, rendered, severity));
        }
        if sensitive.is_empty() || !is_built_last {
            return found;
        }
        found.extend(self.unparsed());
        let search = Search {
            sensitive: &sensitive,
            policy: &config.policy,
        };
        let by_hand = search.find(rendered);
        let by_hand: OrderedSet<&str> = by_hand.iter().map(|copy| &*copy.value).collect();
        let copies = search.find(self);
        let copies = copies.iter().filter(|copy| !by_hand.contains(&*copy.value));
        let lines: OrderedSet<(usize, usize, &str)> = copies
            .map(|copy| (copy.file, copy.line, copy.output))
            .collect();
        found.extend(lines.iter().map(|(file, line, output)| {
            let message = format!(
                "the sensitive output `{output}` was copied to a field that may not contain it"
            );
            Diagnostic::error(Rule::SensitiveOutput, message)
                .at_concealed(Origin::Manifest(*file), Span::point(*line), "in this line")
                .help("let it reference the Secret, and remove what copies the value: `replacements`, `vars`, or a patch with a `target`")
        }));
        found
    }

    /// Returns an error for each document that cannot be searched.
    fn unparsed(&self) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for (file, text) in self.texts().enumerate() {
            // What is not UTF-8 has been reported, because something is bound.
            for document in text.map(split).unwrap_or_default() {
                if let Err(error) = locate(document.text) {
                    let message = error.described("the manifest");
                    let at = Span::point(document.offset + error.at);
                    errors.push(
                        Diagnostic::error(Rule::DocumentIsNotYaml, message)
                            .at_concealed(Origin::Manifest(file), at, error.label())
                            .help("it cannot be searched for sensitive values: have the tool write YAML that every reader accepts"),
                    );
                }
            }
        }
        errors
    }
}

/// A sensitive value in a field that may not contain it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Copy<'s> {
    file: usize,
    /// The start of its line: its own bytes would reveal its length.
    line: usize,
    output: &'s str,
    /// Several members of a sensitive object have the same output. Never shown.
    value: String,
}

/// What is looked for.
struct Search<'s> {
    sensitive: &'s SensitiveValues,
    policy: &'s Policy,
}

impl<'s> Search<'s> {
    fn find(&self, sources: &Sources) -> OrderedSet<Copy<'s>> {
        let mut copies = OrderedSet::default();
        for (file, text) in sources.texts().enumerate() {
            for document in text.map(split).unwrap_or_default() {
                if let Ok(tree) = locate(document.text) {
                    self.find_in(file, document, &tree, &mut copies);
                }
            }
        }
        copies
    }

    fn find_in(
        &self,
        file: usize,
        document: Document<'_>,
        tree: &Tree,
        copies: &mut OrderedSet<Copy<'s>>,
    ) {
        let resources = Resources::new(tree);
        for (id, _) in tree.nodes() {
            let Some(decoded) = decode(document.text, tree, id) else {
                continue;
            };
            // A tool encodes what it puts into a Secret, and may copy it from there.
            let plain = base64_bytes(decoded.text.trim());
            let plain = plain.and_then(|bytes| String::from_utf8(bytes).ok());
            let texts = [Some(&*decoded.text), plain.as_deref()];
            let found: Vec<(&str, Occurrence<'s>)> = (texts.into_iter().flatten())
                .flat_map(|text| {
                    let found = self.sensitive.find(text).into_iter();
                    found.map(move |occurrence| (text, occurrence))
                })
                .collect();
            if found.is_empty() {
                continue;
            }
            let occurrences = resources.occurrences(id, None);
            let is_allowed = occurrences.is_ok_and(|occurrences| {
                (occurrences.all()).all(|occurrence| self.policy.allows_sensitive(occurrence))
            });
            if is_allowed {
                continue;
            }
            let line = document.offset + line_start(document.text, decoded.raw.start);
            for (text, occurrence) in &found {
                let value = text.get(occurrence.range.clone());
                let value = value.unwrap_or_default().to_owned();
                copies.extend(occurrence.outputs.iter().map(|output| Copy {
                    file,
                    line,
                    output,
                    value: value.clone(),
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, OutputsDocument, Request, Sources};

    const OUTPUTS: &str = r#"{
        "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
        "password": {"sensitive": true, "type": "string", "value": "correct-horse-battery"},
        "db": {"sensitive": true, "type": "dynamic", "value": {"user": "postgres", "key": "staple-2-battery"}}
    }"#;

    #[track_caller]
    fn check(built: &str, expected: &[&str]) {
        check_from(SECRET, built, expected);
    }

    /// Checks manifests that were built from `rendered`.
    #[track_caller]
    fn check_from(rendered: &str, built: &str, expected: &[&str]) {
        let [rendered, sources] = [rendered, built].map(|text| {
            Sources::new(vec![File {
                path: "a.yaml".into(),
                content: text.into(),
            }])
        });
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: OUTPUTS.into(),
                ..OutputsDocument::default()
            }],
            ..Request::default()
        };
        let found = sources.check_built(&rendered, &request);
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
    fn accepts_a_value_that_was_written_by_hand() {
        let by_hand = "apiVersion: v1\nkind: Pod\nmetadata: {name: correct-horse-battery}\n";
        check(by_hand, &["sensitive-output 3"]);
        check_from(&format!("{SECRET}---\n{by_hand}"), by_hand, &[]);
        // Another member of the same output.
        let user = "apiVersion: v1\nkind: ConfigMap\ndata: {image: \"postgres:17\"}\n";
        check_from(user, user, &[]);
        check_from(
            user,
            &user.replace("postgres:17", "staple-2-battery"),
            &["sensitive-output 3"],
        );
    }

    #[test]
    fn reports_base64_that_was_copied_out_of_a_secret() {
        // `correct-horse-battery`
        let data = "apiVersion: v1\nkind: Secret\ndata: {a: Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5}\n";
        check(data, &[]);
        check(
            &data.replace("Secret", "ConfigMap"),
            &["sensitive-output 3"],
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
