//! `examples/app-of-apps`: the Applications of a cluster's add-ons, rendered by the real
//! argocd-cmp-server.

use landfall_host_tests::plugin_server::{Application, PluginServer};
use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::manifests::{documents_under, parsed};

const APPS: &str = "examples/app-of-apps/apps";

fn generate(server: &PluginServer, repository: &Scratch) -> Vec<Value> {
    let manifests = server.generate(&Application {
        root: repository.path(),
        folder: &repository.at(APPS),
        source_path: APPS,
    });
    parsed(&manifests.unwrap())
}

#[test(tools)]
fn renders_the_applications_with_the_outputs() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("app-of-apps");
    let expected = documents_under(&program::example("app-of-apps").join("expected"));
    assert_eq!(generate(&server, &repository), expected);
}

/// Argo CD replaces `$NAME` in `helm.parameters`, so a `$` in an output is doubled there.
#[test(tools)]
fn an_output_reaches_the_chart_unchanged() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("app-of-apps");
    repository.replace(
        "examples/app-of-apps/outputs/infra.json",
        "\"vpc-0ab12cd34ef567890\"",
        r#""vpc-$ARGOCD_APP_NAME: # {x}""#,
    );
    repository.replace(
        "examples/app-of-apps/outputs/infra.json",
        "\"Z0123456789ABCDEFGHIJ\"",
        r#""0123: # {x}""#,
    );
    let manifests = generate(&server, &repository);
    let source = |name: &str| {
        let named = |manifest: &&Value| manifest["metadata"]["name"] == name;
        manifests.iter().find(named).unwrap()["spec"]["source"].clone()
    };
    let parameters = &source("aws-load-balancer-controller")["helm"]["parameters"];
    assert_eq!(parameters[1]["value"], "vpc-$$ARGOCD_APP_NAME: # {x}");
    let values = source("external-dns");
    let values: Value = serde_yaml::from_str(values["helm"]["values"].as_str().unwrap()).unwrap();
    assert_eq!(values["extraArgs"][0], "--zone-id-filter=0123: # {x}");
}
