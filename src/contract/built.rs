//! The check of manifests that another tool has built from rendered files.

use crate::analysis::emitted::{self, Emitted};
use crate::contract::hard_coded::SensitiveValues;
use crate::contract::sources::{FileText, without_resources};
use crate::contract::{Request, Sources, built_types};
use crate::outputs::Bindings;
use crate::report::{Diagnostics, Severity};

impl Sources {
    /// Reports what another tool must not have left in the manifests that it built, which
    /// are these sources: that there are none, references with names that the request knows, and values that the API
    /// server rejects in their fields, which are an error under a ceiling, else a warning.
    /// `rendered` are the files that the tool has read, without sensitive values (see
    /// [`crate::StandIn`]). If it is empty, the manifests were built before they were rendered,
    /// and can have no references.
    #[must_use]
    pub fn check_built(&self, rendered: &Self, request: &Request) -> Diagnostics {
        let (config, _) = request.application.effective();
        let is_bound = !request.outputs.is_empty() || !request.known_names.is_empty();
        let is_built_last = !rendered.files.is_empty();
        let mut found = if is_bound && is_built_last {
            self.unrendered(request, &[])
        } else {
            // No text can be a reference then.
            Diagnostics::default()
        };
        let emits = |text: FileText<'_>| text.map_or(Emitted::Something, emitted::of_text);
        if config.needs_resources() && self.texts().all(|text| emits(text) != Emitted::Something) {
            found.push(without_resources());
        }
        // The type of a sensitive value would reveal it.
        let has_sensitive = || {
            let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
            config.policy.allows_any_sensitive() && !SensitiveValues::new(&bindings).is_empty()
        };
        if is_built_last || !has_sensitive() {
            let severity = if request.configuration().ceiling.is_set() {
                Severity::Error
            } else {
                Severity::Warning
            };
            found.extend(built_types::refused(self, rendered, severity));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, OutputsDocument, Request, Sources};

    #[track_caller]
    fn check(built: &str, expected: &[&str]) {
        let sources = |content: &str| {
            Sources::new(vec![File {
                path: "a.yaml".into(),
                content: content.into(),
            }])
        };
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: "{}".into(),
                ..OutputsDocument::default()
            }],
            ..Request::default()
        };
        let found = sources(built).check_built(&sources(""), &request);
        let reported: Vec<&str> = found.iter().map(|found| found.rule.id()).collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn reports_manifests_without_resources() {
        for built in [
            "",
            "# Source: a.yaml\n",
            "apiVersion: v1\nkind: List\nitems: []\n",
        ] {
            let sources = Sources::new(vec![File {
                path: "a.yaml".into(),
                content: built.into(),
            }]);
            let found = sources.check_built(&Sources::new(Vec::new()), &Request::default());
            let rules: Vec<_> = found.iter().map(|found| found.rule.id()).collect();
            assert_eq!(rules, ["no-manifests"], "{built}");
        }
    }

    #[test]
    fn reports_references_that_are_left() {
        check(
            "apiVersion: v1\nkind: ConfigMap\ndata: {vpc: \"${infra.vpc_id}\"}\n",
            &["unrendered-reference"],
        );
        check(
            "apiVersion: v1\nkind: Secret\ndata:\n  URL: aHR0cDovLyR7aW5mcmEuZG9tYWlufQ==\n",
            &["encoded-reference"],
        );
    }
}
