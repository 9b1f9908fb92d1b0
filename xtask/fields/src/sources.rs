//! The Go modules from which the table is generated, and their download.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_yaml::Value;

/// A module in the version whose types are in the committed table.
pub(crate) struct Source {
    pub(crate) module: &'static str,
    pub(crate) version: &'static str,
    /// The folder of its CustomResourceDefinitions; that of the schema, for client-go.
    folder: &'static str,
}

/// Kubernetes' own types.
pub(crate) const CLIENT_GO: Source = Source {
    module: "k8s.io/client-go",
    version: "v0.37.2",
    folder: "applyconfigurations",
};

/// The custom resources that are often deployed next to them. These are the newest versions
/// that Go 1.26 downloads; helm-controller must be asked for by version, since its list of
/// versions is not served.
pub(crate) const DEFINITIONS: &[Source] = &[
    Source {
        module: "github.com/argoproj/argo-cd/v3",
        version: "v3.2.12",
        folder: "manifests/crds",
    },
    Source {
        module: "github.com/fluxcd/kustomize-controller",
        version: "v1.9.6",
        folder: "config/crd/bases",
    },
    Source {
        module: "github.com/fluxcd/source-controller",
        version: "v1.9.6",
        folder: "config/crd/bases",
    },
    Source {
        module: "github.com/fluxcd/helm-controller",
        version: "v1.4.3",
        folder: "config/crd/bases",
    },
    Source {
        module: "sigs.k8s.io/karpenter",
        version: "v1.14.1",
        folder: "pkg/apis/crds",
    },
    Source {
        module: "github.com/aws/karpenter-provider-aws",
        version: "v1.14.1",
        folder: "pkg/apis/crds",
    },
    Source {
        module: "github.com/cert-manager/cert-manager",
        version: "v1.21.2",
        folder: "deploy/crds",
    },
    Source {
        module: "github.com/external-secrets/external-secrets",
        version: "v1.3.2",
        folder: "config/crds/bases",
    },
    Source {
        module: "sigs.k8s.io/gateway-api",
        version: "v1.6.3",
        folder: "config/crd/standard",
    },
    Source {
        module: "github.com/prometheus-operator/prometheus-operator",
        version: "v0.85.0",
        folder: "example/prometheus-operator-crd",
    },
    Source {
        module: "github.com/kedacore/keda/v2",
        version: "v2.21.0",
        folder: "config/crd/bases",
    },
];

impl Source {
    /// Returns the folder with the types, after the ordinary Go client has fetched and
    /// verified the module.
    ///
    /// # Errors
    /// Go is missing, or it cannot fetch the module.
    pub(crate) fn download(&self) -> Result<PathBuf> {
        let module = format!("{}@{}", self.module, self.version);
        let output = Command::new("go")
            .args(["mod", "download", "-json", &module])
            .stderr(Stdio::inherit())
            .output()
            .context("starting go")?;
        // JSON is YAML. If a download fails, the reason is in it too.
        let answer: Value = serde_yaml::from_slice(&output.stdout).unwrap_or_default();
        let text = |key| answer.get(key).and_then(Value::as_str);
        match text("Dir").filter(|_| output.status.success()) {
            Some(folder) => Ok(Path::new(folder).join(self.folder)),
            None => bail!(
                "go mod download {module} failed ({}): {}",
                output.status,
                text("Error").unwrap_or_default()
            ),
        }
    }
}
