//! The checks of a running sidecar: its user, mounts and plugin.yaml, and the server's socket.
//!
//! Nothing is changed, no file of a repository is read, and no program is started.

mod access;
mod mounts;
mod plugin;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::report::Check;

use super::layout;
use mounts::Mounts;

/// The container that is checked. Tests provide another root.
pub(crate) struct Sidecar<'a> {
    /// The folder of all absolute paths: `/`.
    pub(crate) root: PathBuf,
    /// The id of the user. None where users have no ids.
    pub(crate) user: Option<u32>,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Sidecar<'_> {
    /// Returns whether this looks like the sidecar of a plugin, which has volumes of
    /// repo-server. A container of the same image that is run by itself does not.
    pub(crate) fn is_present(&self) -> bool {
        let volumes = [layout::SOCKETS, layout::PROGRAMS];
        volumes.iter().any(|path| self.at(path).exists())
    }

    /// Makes all checks.
    pub(crate) fn checks(&self) -> Vec<Check> {
        let mounts = std::fs::read_to_string(self.at("/proc/self/mountinfo"));
        let mounts = Mounts::parse(&mounts.unwrap_or_default());
        let mut checks = vec![
            self.user(),
            root_folder(&mounts),
            self.server(),
            self.sockets_folder(&mounts),
            self.temporary_folder(&mounts),
        ];
        checks.extend(self.plugin());
        checks.extend(self.helpers());
        checks
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn user(&self) -> Check {
        let name = "user";
        let fix = || Some(format!("set `securityContext.runAsUser: {}`", layout::USER));
        match self.user {
            None => Check::warning(name, "users have no ids on this system", None),
            Some(0) => Check::error(name, "the container runs as root", fix()),
            Some(layout::USER) => Check::ok(name, layout::USER.to_string()),
            // OpenShift runs all containers of a namespace as one user of its own.
            Some(user) if access::owner(&self.at(layout::SERVER)) == Some(user) => {
                Check::ok(name, format!("{user}, as repo-server"))
            }
            Some(user) => Check::warning(
                name,
                format!(
                    "{user}, but repo-server usually runs as {}, and must be able to open the socket",
                    layout::USER
                ),
                fix(),
            ),
        }
    }

    fn server(&self) -> Check {
        let name = "argocd-cmp-server";
        let path = layout::SERVER;
        let fix = Some(format!(
            "mount the volume `{}` at {}",
            layout::PROGRAMS_VOLUME,
            layout::PROGRAMS
        ));
        let found = self.at(path);
        if !found.exists() {
            Check::error(name, format!("{path} does not exist"), fix)
        } else if !access::is_executable(&found) {
            Check::error(name, format!("{path} is not executable"), fix)
        } else {
            Check::ok(name, path)
        }
    }

    fn sockets_folder(&self, mounts: &Mounts) -> Check {
        let name = "sockets";
        let path = self.sockets();
        let path = path.to_string_lossy();
        let fix = Some(format!(
            "mount the volume `{}`, which repo-server has too, at {path}",
            layout::SOCKETS_VOLUME
        ));
        let found = self.at(&path);
        if !found.is_dir() {
            Check::error(name, format!("{path} is not a folder"), fix)
        } else if !access::is_writable(&found) {
            Check::error(name, format!("{path} is not writable"), fix)
        } else if !mounts.is_empty() && mounts.at(&path).is_none() {
            let message = format!("{path} is not a volume, so repo-server does not see the socket");
            Check::error(name, message, fix)
        } else {
            Check::ok(name, format!("{path} is writable"))
        }
    }

    /// Returns the folder of the sockets.
    fn sockets(&self) -> PathBuf {
        let named = (self.variable)(layout::SOCKETS_VARIABLE).filter(|path| !path.is_empty());
        named.map_or_else(|| PathBuf::from(layout::SOCKETS), PathBuf::from)
    }

    fn temporary_folder(&self, mounts: &Mounts) -> Check {
        let name = "temporary folder";
        let path = layout::TEMPORARY;
        let fix = Some(format!(
            "mount an `emptyDir` of the sidecar's own, such as `{}`, at {path}",
            layout::TEMPORARY_VOLUME
        ));
        let found = self.at(path);
        let mount = mounts.at(path);
        // What repo-server keeps there: clones of all repositories, and the socket through
        // which Git asks it for passwords.
        let is_repo_server_s = found.join("_argocd-repo").exists()
            || found
                .join("reposerver-ask-pass.sock")
                .symlink_metadata()
                .is_ok()
            || mount.and_then(mounts::Mount::empty_dir)
                == Some(layout::REPO_SERVER_TEMPORARY_VOLUME);
        if !found.is_dir() {
            Check::error(name, format!("{path} is not a folder"), fix)
        } else if !access::is_writable(&found) {
            let message =
                format!("{path} is not writable, so repositories cannot be extracted into it");
            Check::error(name, message, fix)
        } else if is_repo_server_s {
            let message = format!(
                "{path} is repo-server's own, with the clones of all repositories and its socket for Git passwords"
            );
            Check::error(name, message, fix)
        } else if !mounts.is_empty() && mount.is_none() {
            Check::warning(name, format!("{path} is not a volume"), fix)
        } else {
            Check::ok(name, format!("{path} is writable, and not repo-server's"))
        }
    }

    /// Looks for the programs that render folders of other tools.
    fn helpers(&self) -> Vec<Check> {
        [
            (
                "kustomize",
                "not available: `tool: kustomize` is refused (the image landfall-tools has it)",
            ),
            (
                "helm",
                "not available: `tool: helm` is refused (the image landfall-tools has it)",
            ),
        ]
        .map(|(program, missing)| {
            let found = self.program(program);
            let found = found.map(|path| path.to_string_lossy().into_owned());
            Check::ok(program, found.unwrap_or_else(|| missing.to_owned()))
        })
        .into()
    }

    /// Finds a program as the server does, which runs commands from the folder of an
    /// application: by an absolute path, or on PATH.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let is_executable = |path: &Path| {
            path.is_absolute() && access::is_executable(&self.at(&path.to_string_lossy()))
        };
        if name.contains('/') {
            let path = PathBuf::from(name);
            return is_executable(&path).then_some(path);
        }
        let path = (self.variable)("PATH")?;
        std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|path| is_executable(path))
    }
}

fn root_folder(mounts: &Mounts) -> Check {
    let name = "root folder";
    match mounts.at("/") {
        Some(mount) if mount.is_read_only => Check::ok(name, "read-only"),
        Some(_) => Check::warning(
            name,
            "writable",
            "set `securityContext.readOnlyRootFilesystem: true`".to_owned(),
        ),
        None => Check::warning(
            name,
            "unknown, because /proc/self/mountinfo cannot be read",
            None,
        ),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
