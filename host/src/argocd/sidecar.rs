//! The sidecar as data: its container and its volumes, from which every form of the
//! configuration is written.

use serde::Serialize;

use crate::settings::{
    ArgocdInstall, DIGEST_KEY, MOUNTED_OUTPUTS, MOUNTED_OUTPUTS_PUBLIC, OPERATOR_POLICY,
    OutputsSource, OutputsVolume,
};

use super::layout;

/// The container, with the keys of Kubernetes in the order in which people write them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Container<'a> {
    name: &'static str,
    image: &'a str,
    image_pull_policy: &'static str,
    command: [&'static str; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    env: Vec<Variable>,
    security_context: SecurityContext,
    resources: Resources,
    volume_mounts: Vec<VolumeMount>,
}

#[derive(Serialize)]
struct Variable {
    name: &'static str,
    value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SecurityContext {
    run_as_non_root: bool,
    run_as_user: u32,
    read_only_root_filesystem: bool,
    allow_privilege_escalation: bool,
    capabilities: Capabilities,
    seccomp_profile: SeccompProfile,
}

#[derive(Serialize)]
struct Capabilities {
    drop: [&'static str; 1],
}

#[derive(Serialize)]
struct SeccompProfile {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// Requests without limits: argocd-cmp-server alone takes 55 MB (3.2.12), the memory of a
/// render grows with its manifests, and a container that is killed for it fails all renders
/// at that moment.
#[derive(Serialize)]
struct Resources {
    requests: Requests,
}

#[derive(Serialize)]
struct Requests {
    cpu: &'static str,
    memory: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VolumeMount {
    name: String,
    mount_path: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    read_only: bool,
}

/// A volume of the Pod. One of the sources is set.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Volume<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    empty_dir: Option<EmptyDir>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<SecretVolume<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_map: Option<ConfigMapVolume<'a>>,
}

#[derive(Serialize)]
struct EmptyDir {}

/// Optional, like a ConfigMap: a Pod with a volume that cannot be mounted does not start,
/// and without repo-server Argo CD can deploy nothing, not even the missing Secret.
/// landfall reports what is missing for each Application that needs it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SecretVolume<'a> {
    secret_name: &'a str,
    optional: bool,
}

#[derive(Serialize)]
struct ConfigMapVolume<'a> {
    name: &'a str,
    optional: bool,
}

impl<'a> Container<'a> {
    pub(super) fn new(install: &'a ArgocdInstall) -> Self {
        let mut env = Vec::new();
        let mut volume_mounts = vec![
            mount(layout::PROGRAMS_VOLUME, layout::PROGRAMS, true),
            mount(layout::SOCKETS_VOLUME, layout::SOCKETS, false),
            mount(layout::TEMPORARY_VOLUME, layout::TEMPORARY, false),
        ];
        if install.operator_policy.is_some() {
            env.push(Variable {
                name: OPERATOR_POLICY,
                value: format!("{}/{}", layout::POLICY_FOLDER, layout::POLICY_KEY),
            });
            volume_mounts.push(mount(POLICY_VOLUME, layout::POLICY_FOLDER, true));
        }
        if install.digest_key.is_some() {
            env.push(Variable {
                name: DIGEST_KEY,
                value: format!("{}/{}", layout::DIGEST_KEY_FOLDER, layout::DIGEST_KEY_KEY),
            });
            volume_mounts.push(mount(DIGEST_KEY_VOLUME, layout::DIGEST_KEY_FOLDER, true));
        }
        if !install.mounted_outputs.is_empty() {
            env.push(Variable {
                name: MOUNTED_OUTPUTS,
                value: layout::OUTPUTS_FOLDER.to_owned(),
            });
            if install.is_public {
                env.push(Variable {
                    name: MOUNTED_OUTPUTS_PUBLIC,
                    value: true.to_string(),
                });
            }
        }
        for (nth, outputs) in install.mounted_outputs.iter().enumerate() {
            let folder = outputs.project.as_deref().unwrap_or(layout::SHARED);
            let path = format!("{}/{folder}", layout::OUTPUTS_FOLDER);
            volume_mounts.push(mount(&outputs_volume(nth), &path, true));
        }
        Self {
            name: layout::NAME,
            image: &install.image,
            image_pull_policy: "IfNotPresent",
            command: [layout::SERVER],
            env,
            security_context: SecurityContext {
                run_as_non_root: true,
                run_as_user: layout::USER,
                read_only_root_filesystem: true,
                allow_privilege_escalation: false,
                capabilities: Capabilities { drop: ["ALL"] },
                seccomp_profile: SeccompProfile {
                    kind: "RuntimeDefault",
                },
            },
            resources: Resources {
                requests: Requests {
                    cpu: "10m",
                    memory: "128Mi",
                },
            },
            volume_mounts,
        }
    }
}

/// Returns the volumes that the sidecar adds to repo-server's own.
pub(super) fn volumes(install: &ArgocdInstall) -> Vec<Volume<'_>> {
    let empty = |name: String| Volume {
        name,
        empty_dir: None,
        secret: None,
        config_map: None,
    };
    let config_map = |name| {
        Some(ConfigMapVolume {
            name,
            optional: true,
        })
    };
    let secret = |secret_name| {
        Some(SecretVolume {
            secret_name,
            optional: true,
        })
    };
    let mut volumes = vec![Volume {
        empty_dir: Some(EmptyDir {}),
        ..empty(layout::TEMPORARY_VOLUME.to_owned())
    }];
    if let Some(name) = &install.operator_policy {
        volumes.push(Volume {
            config_map: config_map(name),
            ..empty(POLICY_VOLUME.to_owned())
        });
    }
    if let Some(name) = &install.digest_key {
        volumes.push(Volume {
            secret: secret(name),
            ..empty(DIGEST_KEY_VOLUME.to_owned())
        });
    }
    for (nth, outputs) in install.mounted_outputs.iter().enumerate() {
        let OutputsVolume { source, name, .. } = outputs;
        let volume = empty(outputs_volume(nth));
        volumes.push(match source {
            OutputsSource::Secret => Volume {
                secret: secret(name),
                ..volume
            },
            OutputsSource::ConfigMap => Volume {
                config_map: config_map(name),
                ..volume
            },
        });
    }
    volumes
}

const POLICY_VOLUME: &str = "landfall-operator-policy";
const DIGEST_KEY_VOLUME: &str = "landfall-digest-key";

/// Returns the name of a volume with outputs documents. The name of a Secret or a project
/// can be longer than that of a volume.
fn outputs_volume(nth: usize) -> String {
    match nth {
        0 => "landfall-outputs".to_owned(),
        _ => format!("landfall-outputs-{}", nth + 1),
    }
}

fn mount(name: &str, path: &str, read_only: bool) -> VolumeMount {
    VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only,
    }
}
