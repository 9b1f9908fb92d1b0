//! References to outputs that are declared, but have no values yet.

use crate::config::Config;
use crate::config::outputs_contract::{self, Contract};
use crate::contract::{Request, Sources};
use crate::report::{Diagnostics, Rule};

impl Sources {
    /// Returns the problems that a render would have if the outputs of contracts existed. Of
    /// these outputs only their names are known, and which are sensitive: functions and types
    /// of fields are not checked where their values matter. The n-th contract has the origin
    /// of an outputs document after those of the request.
    ///
    /// # Examples
    /// ```
    /// use landfall::{Config, File, Request, Sources};
    ///
    /// let declared = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {infra: {vpc_id: {}}}\n";
    /// let declared = Config { path: "main.tf".into(), content: declared.into() };
    /// let content = b"vpc: ${infra.vpc_id}\nzone: ${infra.zone}\n".to_vec();
    /// let sources = Sources::new(vec![File { path: "app.yaml".into(), content }]);
    /// let found = sources.check_references(&Request::default(), &[declared]);
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(found[0].message, "`infra` has no output `zone`");
    /// ```
    #[must_use]
    pub fn check_references(&self, request: &Request, declared: &[Config]) -> Diagnostics {
        let contracts: Result<Vec<Contract>, _> = declared
            .iter()
            .map(outputs_contract::read_document)
            .collect();
        let rendered = contracts.and_then(|contracts| self.generate_with(request, &contracts));
        let found = rendered.map_or_else(|found| found, |answer| answer.diagnostics);
        let mut checked = Diagnostics::default();
        checked.add_omitted(found.omitted());
        // A field binding may select resources by a name that is not known.
        checked.extend(
            found
                .into_iter()
                .filter(|found| found.rule != Rule::TargetNotFound),
        );
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Configuration, File};
    use crate::outputs::OutputsDocument;

    const SPEC: &str = "{infra: {id: {}, list: {type: list}, key: {sensitive: true}, object: {}}}";

    /// Checks the messages about a manifest.
    #[track_caller]
    fn check(manifest: &str, expected: &[&str]) {
        check_with("{}", manifest, expected);
    }

    /// Checks the messages about a manifest with the `spec` of a Binding.
    #[track_caller]
    fn check_with(binding: &str, manifest: &str, expected: &[&str]) {
        let document = |path: &str, kind: &str, spec: &str| Config {
            path: path.into(),
            content: format!("apiVersion: landfall.dev/v1alpha1\nkind: {kind}\nspec: {spec}\n")
                .into(),
        };
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: manifest.into(),
        }]);
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "net".into(),
                content: br#"{"zone": {"value": "eu"}}"#.to_vec(),
                ..OutputsDocument::default()
            }],
            application: Configuration {
                binding: Some(document("landfall.yaml", "Binding", binding)),
                ..Configuration::default()
            }
            .into(),
            ..Request::default()
        };
        let declared = document("main.tf", "OutputsContract", SPEC);
        let found = sources.check_references(&request, &[declared]);
        let errors = found
            .iter()
            .filter(|found| found.rule != Rule::UnusedOutput);
        let messages: Vec<&str> = errors.map(|found| found.message.as_str()).collect();
        assert_eq!(messages, expected, "{manifest}");
    }

    #[test]
    fn accepts_any_use_of_a_declared_output() {
        for reference in [
            "${infra.id}",
            "a-${infra.id}-${net.zone}",
            "${infra.list[7].x | upper | join(\",\")}",
            "${infra.object[\"k\"] | json}",
            "${infra.id | default(infra.old)}",
            "${infra.old | default(infra.id) | upper}",
            "${infra.id | required(\"x\")}",
            "${net.zone | concat(infra.id)}",
            "${infra.key | nonsensitive}",
        ] {
            check(
                &format!(
                    "apiVersion: apps/v1\nkind: Deployment\nspec: {{replicas: '{reference}'}}\n"
                ),
                &[],
            );
        }
    }

    #[test]
    fn applies_what_the_binding_declares_sensitive() {
        let manifest = |output: &str| {
            format!("apiVersion: v1\nkind: ConfigMap\ndata: {{a: '${{infra.{output}}}'}}\n")
        };
        let item = "{name: infra, from: {file: a.json}";
        let names = format!("{{outputs: [{item}, sensitive: [id]}}]}}");
        let all = format!("{{outputs: [{item}}}, {item}, sensitive: true}}]}}");
        let error = |output: &str| {
            format!(
                "the sensitive output `infra.{output}` is not allowed here: this is a ConfigMap, but only the data of a Secret is secret"
            )
        };
        check_with(&names, &manifest("id"), &[&error("id")]);
        check_with(&names, &manifest("list | join(\",\")"), &[]);
        check_with(&all, &manifest("id"), &[&error("id")]);
        check_with(&all, &manifest("object.a"), &[&error("object")]);
    }

    #[test]
    fn reports_outputs_that_are_not_declared() {
        check("a: ${infra.idd}\n", &["`infra` has no output `idd`"]);
        check(
            "a: ${infra.id | concat(infra.old)}\n",
            &["`infra` has no output `old`"],
        );
        check("a: ${net.zonee}\n", &["`net` has no output `zonee`"]);
    }

    #[test]
    fn reports_sensitive_outputs_outside_secrets() {
        let secret = "apiVersion: v1\nkind: Secret\nstringData: {a: '${infra.key}'}\n";
        check(secret, &[]);
        check(
            "apiVersion: v1\nkind: Secret\ndata: {a: '${infra.key | base64}'}\n",
            &[],
        );
        check(
            &secret.replace("Secret", "ConfigMap"),
            &[
                "the sensitive output `infra.key` is not allowed here: this is a ConfigMap, but only the data of a Secret is secret",
            ],
        );
    }

    #[test]
    fn keys_and_names_may_be_unknown() {
        check(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'x-${infra.id}'}\ndata: {'${infra.id}': a, '${infra.list}': b}\n",
            &[],
        );
        check_with(
            "{substitutions: [{value: '${infra.id}', targets: [{select: {name: web}, fieldPaths: [data.a]}]}]}",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${infra.id}'}\ndata: {a: b}\n",
            &[],
        );
    }

    #[test]
    fn a_contract_of_the_binding_requires_only_that_outputs_exist() {
        check_with(
            "{contract: {infra: {id: {type: number, min: 3}, gone: {}}}}",
            "a: ${infra.id}\n",
            &["`infra` has no output `gone`, which the contract requires"],
        );
    }
}
