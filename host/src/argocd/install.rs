//! The configuration that adds the sidecar to Argo CD's repo-server, in the form that
//! Argo CD was installed with.

use serde::Serialize;

use crate::settings::{ArgocdForm, ArgocdInstall};

use super::layout;
use super::sidecar::{Container, Volume, volumes};

const COMPONENT: &str = "\
# Adds landfall to Argo CD's repo-server, as a kustomize Component. Written by
# `landfall argocd install --as kustomize`.
#
# List its folder under `components` of the kustomization that installs Argo CD. The
# container is appended by a JSON patch: a strategic merge would put it before
# repo-server's own, which breaks patches of `containers/0`.
";

const HELM_VALUES: &str = "\
# Adds landfall to Argo CD's repo-server, as values of the Helm chart argo-cd
# (https://argoproj.github.io/argo-helm). Written by
# `landfall argocd install --as helm-values`.
#
# Helm replaces lists: if your values have `extraContainers` or `volumes` already, add these
# entries to them.
";

const PATCH: &str = "\
# Adds landfall to Argo CD's repo-server, for a Deployment that exists. Written by
# `landfall argocd install --as patch`.
#
#   kubectl patch deployment argocd-repo-server --namespace argocd --patch-file FILE
#
# Applying it again changes nothing. `$setElementOrder` keeps repo-server's own container
# first.
";

/// Returns the configuration as YAML.
pub(crate) fn configuration(install: &ArgocdInstall) -> String {
    let (comment, body) = match install.form {
        ArgocdForm::Kustomize => (COMPONENT, yaml(&Component::new(install))),
        ArgocdForm::HelmValues => (HELM_VALUES, yaml(&HelmValues::new(install))),
        ArgocdForm::Patch => (PATCH, yaml(&Patch::new(install))),
    };
    format!("{comment}{body}")
}

/// Serializes data of this module, which cannot fail: it has neither maps with keys that are
/// not strings nor values that YAML cannot express.
fn yaml(value: &impl Serialize) -> String {
    yaml_serde::to_string(value).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    api_version: &'static str,
    kind: &'static str,
    patches: [ComponentPatch; 1],
}

#[derive(Serialize)]
struct ComponentPatch {
    target: Target,
    /// A JSON patch (RFC 6902) as YAML.
    patch: String,
}

#[derive(Serialize)]
struct Target {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Addition<'a> {
    Container(Operation<Container<'a>>),
    Volume(Operation<Volume<'a>>),
}

#[derive(Serialize)]
struct Operation<T> {
    op: &'static str,
    path: &'static str,
    value: T,
}

impl Component {
    fn new(install: &ArgocdInstall) -> Self {
        let mut patch = vec![Addition::Container(Operation {
            op: "add",
            path: "/spec/template/spec/containers/-",
            value: Container::new(install),
        })];
        patch.extend(volumes(install).into_iter().map(|value| {
            Addition::Volume(Operation {
                op: "add",
                path: "/spec/template/spec/volumes/-",
                value,
            })
        }));
        Self {
            api_version: "kustomize.config.k8s.io/v1alpha1",
            kind: "Component",
            patches: [ComponentPatch {
                target: Target {
                    group: "apps",
                    version: "v1",
                    kind: "Deployment",
                    name: layout::DEPLOYMENT,
                },
                patch: yaml(&patch),
            }],
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HelmValues<'a> {
    repo_server: RepoServerValues<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepoServerValues<'a> {
    extra_containers: [Container<'a>; 1],
    volumes: Vec<Volume<'a>>,
}

impl<'a> HelmValues<'a> {
    fn new(install: &'a ArgocdInstall) -> Self {
        Self {
            repo_server: RepoServerValues {
                extra_containers: [Container::new(install)],
                volumes: volumes(install),
            },
        }
    }
}

#[derive(Serialize)]
struct Patch<'a> {
    spec: DeploymentSpec<'a>,
}

#[derive(Serialize)]
struct DeploymentSpec<'a> {
    template: PodTemplate<'a>,
}

#[derive(Serialize)]
struct PodTemplate<'a> {
    spec: PodSpec<'a>,
}

#[derive(Serialize)]
struct PodSpec<'a> {
    #[serde(rename = "$setElementOrder/containers")]
    order: [Name; 2],
    containers: [Container<'a>; 1],
    volumes: Vec<Volume<'a>>,
}

#[derive(Serialize)]
struct Name {
    name: &'static str,
}

impl<'a> Patch<'a> {
    fn new(install: &'a ArgocdInstall) -> Self {
        let spec = PodSpec {
            order: [layout::REPO_SERVER_CONTAINER, layout::NAME].map(|name| Name { name }),
            containers: [Container::new(install)],
            volumes: volumes(install),
        };
        Self {
            spec: DeploymentSpec {
                template: PodTemplate { spec },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use yaml_serde::Value;

    use super::configuration;
    use crate::settings::{ArgocdForm, ArgocdInstall, OutputsSource, OutputsVolume};

    fn install(form: ArgocdForm) -> ArgocdInstall {
        ArgocdInstall {
            form,
            image: concat!("landfall:", env!("CARGO_PKG_VERSION")).to_owned(),
            mounted_outputs: Vec::new(),
            is_public: false,
            digest_key: None,
            operator_policy: None,
        }
    }

    fn parsed(install: &ArgocdInstall) -> Value {
        yaml_serde::from_str(&configuration(install)).unwrap()
    }

    /// `UPDATE=1 cargo test -p landfall-host` rewrites them.
    #[test]
    fn the_committed_files_are_the_output_of_the_command() {
        for (form, file) in [
            (ArgocdForm::Kustomize, "component/kustomization.yaml"),
            (ArgocdForm::HelmValues, "helm-values.yaml"),
            (ArgocdForm::Patch, "patch.yaml"),
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../deploy/argocd")
                .join(file);
            let actual = configuration(&install(form));
            if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &actual).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                committed == actual,
                "deploy/argocd/{file} is out of date: run UPDATE=1 cargo test -p landfall-host and review the diff"
            );
        }
    }

    /// The chart's keys are documented in its README (argo-helm, charts/argo-cd):
    /// `repoServer.extraContainers` and `repoServer.volumes`, both lists as in a Pod. The
    /// chart itself is not rendered here.
    #[test]
    fn helm_values_have_the_container_and_the_volumes_of_the_component() {
        let mut install = install(ArgocdForm::HelmValues);
        install.operator_policy = Some("policy".to_owned());
        let values = parsed(&install);
        install.form = ArgocdForm::Kustomize;
        let component = parsed(&install);
        let patch = component["patches"][0]["patch"].as_str().unwrap();
        let patch: Vec<Value> = yaml_serde::from_str(patch).unwrap();

        assert_eq!(values.as_mapping().unwrap().len(), 1);
        let repo_server = &values["repoServer"];
        assert_eq!(repo_server.as_mapping().unwrap().len(), 2);
        assert_eq!(repo_server["extraContainers"][0], patch[0]["value"]);
        assert_eq!(
            repo_server["extraContainers"].as_sequence().unwrap().len(),
            1
        );
        let volumes = repo_server["volumes"].as_sequence().unwrap();
        let added: Vec<_> = patch[1..].iter().map(|add| add["value"].clone()).collect();
        assert_eq!(*volumes, added);
    }

    #[test]
    fn outputs_are_mounted_by_project_and_nothing_keeps_repo_server_from_starting() {
        let mut install = install(ArgocdForm::HelmValues);
        install.operator_policy = Some("policy".to_owned());
        install.digest_key = Some("key".to_owned());
        install.is_public = true;
        install.mounted_outputs = vec![
            OutputsVolume {
                project: None,
                source: OutputsSource::Secret,
                name: "outputs".to_owned(),
            },
            OutputsVolume {
                project: Some("team-a".to_owned()),
                source: OutputsSource::ConfigMap,
                name: "outputs-a".to_owned(),
            },
        ];
        let values = parsed(&install);
        let container = &values["repoServer"]["extraContainers"][0];
        let expected: Value = yaml_serde::from_str(
            "- {name: LANDFALL_OPERATOR_POLICY, value: /etc/landfall/operator-policy/operator-policy.yaml}\n\
             - {name: LANDFALL_DIGEST_KEY, value: /etc/landfall/digest-key/digest-key}\n\
             - {name: LANDFALL_MOUNTED_OUTPUTS, value: /etc/landfall/outputs}\n\
             - {name: LANDFALL_MOUNTED_OUTPUTS_PUBLIC, value: 'true'}\n",
        )
        .unwrap();
        assert_eq!(container["env"], expected);
        let expected: Value = yaml_serde::from_str(
            "- {name: landfall-operator-policy, mountPath: /etc/landfall/operator-policy, readOnly: true}\n\
             - {name: landfall-digest-key, mountPath: /etc/landfall/digest-key, readOnly: true}\n\
             - {name: landfall-outputs, mountPath: /etc/landfall/outputs/_shared, readOnly: true}\n\
             - {name: landfall-outputs-2, mountPath: /etc/landfall/outputs/team-a, readOnly: true}\n",
        )
        .unwrap();
        let mounts = container["volumeMounts"].as_sequence().unwrap();
        assert_eq!(mounts[3..], *expected.as_sequence().unwrap());
        let expected: Value = yaml_serde::from_str(
            "- {name: landfall-tmp, emptyDir: {}}\n\
             - {name: landfall-operator-policy, configMap: {name: policy, optional: true}}\n\
             - {name: landfall-digest-key, secret: {secretName: key, optional: true}}\n\
             - {name: landfall-outputs, secret: {secretName: outputs, optional: true}}\n\
             - {name: landfall-outputs-2, configMap: {name: outputs-a, optional: true}}\n",
        )
        .unwrap();
        assert_eq!(values["repoServer"]["volumes"], expected);
    }

    /// `012` and `1e3` are valid names.
    #[test]
    fn names_stay_strings() {
        for name in ["012", "1e3", "0x1", "null", "true", "0o7", "0"] {
            let mut install = install(ArgocdForm::HelmValues);
            install.operator_policy = Some(name.to_owned());
            let text = configuration(&install);
            assert!(
                text.contains(&format!("name: '{name}'"))
                    || text.contains(&format!("name: \"{name}\"")),
                "{text}"
            );
        }
    }
}
