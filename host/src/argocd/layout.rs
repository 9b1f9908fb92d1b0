//! The paths and names that Argo CD and landfall agree on in the sidecar.
//!
//! Source: docs/operator-manual/config-management-plugins.md and common/common.go of
//! argo-cd v3.2.12.

/// The user that repo-server runs as, who owns the socket's folder.
pub(super) const USER: u32 = 999;

/// The folder into which repo-server's init container copies Argo CD's binary. The sidecars of
/// all plugins run it, so none of them needs to write there.
pub(super) const PROGRAMS: &str = "/var/run/argocd";

/// The program that the container runs.
pub(super) const SERVER: &str = "/var/run/argocd/argocd-cmp-server";

/// The folder of the plugins' sockets, which repo-server reads.
pub(super) const SOCKETS: &str = "/home/argocd/cmp-server/plugins";

/// The variable that names another folder for sockets.
pub(super) const SOCKETS_VARIABLE: &str = "ARGOCD_PLUGINSOCKFILEPATH";

/// The plugin's configuration. The image contains it.
pub(super) const PLUGIN_FILE: &str = "/home/argocd/cmp-server/config/plugin.yaml";

/// The folder into which the server extracts repositories.
pub(super) const TEMPORARY: &str = "/tmp";

/// The volume of [`PROGRAMS`], which is part of repo-server's Deployment.
pub(super) const PROGRAMS_VOLUME: &str = "var-files";

/// The volume of [`SOCKETS`], which is part of repo-server's Deployment.
pub(super) const SOCKETS_VOLUME: &str = "plugins";

/// The volume of repo-server's own /tmp, with the clones of all repositories.
pub(super) const REPO_SERVER_TEMPORARY_VOLUME: &str = "tmp";

/// The sidecar's own volume for [`TEMPORARY`].
pub(super) const TEMPORARY_VOLUME: &str = "landfall-tmp";

/// The name of the container, and of the plugin.
pub(super) const NAME: &str = "landfall";

/// The Deployment of repo-server in Argo CD's own manifests, and its container.
pub(super) const DEPLOYMENT: &str = "argocd-repo-server";
pub(super) const REPO_SERVER_CONTAINER: &str = "argocd-repo-server";

/// Where the ConfigMap with the operator's policy is mounted.
pub(super) const POLICY_FOLDER: &str = "/etc/landfall/operator-policy";

/// The key of that ConfigMap.
pub(super) const POLICY_KEY: &str = "operator-policy.yaml";

/// Where the Secret with the key of digests is mounted.
pub(super) const DIGEST_KEY_FOLDER: &str = "/etc/landfall/digest-key";

/// The key of that Secret.
pub(super) const DIGEST_KEY_KEY: &str = "digest-key";

/// Where outputs documents are mounted: a folder for each Argo CD project, and one for all.
pub(super) const OUTPUTS_FOLDER: &str = "/etc/landfall/outputs";

/// The subfolder of the mounted outputs that the Applications of every project may read. No
/// project has this name: that of a Kubernetes resource has no `_`.
pub(crate) const SHARED: &str = "_shared";
