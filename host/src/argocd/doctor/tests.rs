use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use tempfile::TempDir;

use super::Sidecar;
use super::plugin::OperatorFlags;
use crate::report::{Check, Status};

const MOUNTS: &str = "\
1 0 0:1 / / ro - overlay overlay rw
2 1 8:1 /pods/1/volumes/kubernetes.io~empty-dir/var-files /var/run/argocd rw - ext4 /dev/a rw
3 1 8:1 /pods/1/volumes/kubernetes.io~empty-dir/plugins /home/argocd/cmp-server/plugins rw - ext4 /dev/a rw
4 1 8:1 /pods/1/volumes/kubernetes.io~empty-dir/landfall-tmp /tmp rw - ext4 /dev/a rw
";

/// A container in a folder, as landfall's image and the kubelet make it.
struct Container {
    root: TempDir,
    _server: UnixListener,
    user: u32,
}

impl Container {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in [
            "proc/self",
            "tmp",
            "usr/local/bin",
            "var/run/argocd",
            "home/argocd/cmp-server/config",
            "home/argocd/cmp-server/plugins",
        ] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let socket = root
            .path()
            .join("home/argocd/cmp-server/plugins/landfall.sock");
        let container = Self {
            _server: UnixListener::bind(socket).unwrap(),
            root,
            user: 999,
        };
        container.write("proc/self/mountinfo", MOUNTS);
        container.write(
            "home/argocd/cmp-server/config/plugin.yaml",
            include_str!("../../../../deploy/argocd/plugin.yaml"),
        );
        container.program("var/run/argocd/argocd-cmp-server");
        container.program("usr/local/bin/landfall");
        container
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.root.path().join(path), text).unwrap();
    }

    fn program(&self, path: &str) {
        self.write(path, "");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.root.path().join(path), executable).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root.path().join(path)).unwrap();
    }

    fn with<T>(&self, look: impl FnOnce(&Sidecar<'_>) -> T) -> T {
        look(&Sidecar {
            root: self.root.path().to_path_buf(),
            user: Some(self.user),
            variable: &|name| (name == "PATH").then(|| OsString::from("/usr/local/bin:/bin")),
        })
    }

    fn checks(&self) -> Vec<Check> {
        self.with(|sidecar| sidecar.checks())
    }

    /// Checks that these are all the warnings and errors, by parts of their text.
    #[track_caller]
    fn assert_problems(&self, expected: &[(Status, &str)]) {
        let checks = self.checks();
        let problems: Vec<_> = checks
            .iter()
            .filter(|check| check.status != Status::Ok)
            .collect();
        assert_eq!(problems.len(), expected.len(), "{problems:#?}");
        for (problem, (status, part)) in std::iter::zip(problems, expected) {
            assert_eq!(problem.status, *status, "{problem:?}");
            assert!(format!("{problem:?}").contains(part), "{part}: {problem:?}");
        }
    }
}

#[test]
fn an_intact_sidecar_has_no_problems() {
    let container = Container::new();
    container.assert_problems(&[]);
    assert!(container.with(|sidecar| sidecar.is_present()));
}

#[test]
fn another_machine_is_not_a_sidecar() {
    let empty = tempfile::tempdir().unwrap();
    let sidecar = Sidecar {
        root: empty.path().to_path_buf(),
        user: Some(1000),
        variable: &|_| None,
    };
    assert!(!sidecar.is_present());
    // The image by itself: `docker run landfall argocd doctor app`.
    let config = empty.path().join("home/argocd/cmp-server/config");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("plugin.yaml"), "").unwrap();
    assert!(!sidecar.is_present());
    // Every check that needs the sidecar fails without panicking.
    assert!(
        sidecar
            .checks()
            .iter()
            .any(|check| check.status == Status::Error)
    );
}

#[test]
fn the_user_is_repo_server_s() {
    let mut container = Container::new();
    container.user = 0;
    container.assert_problems(&[(Status::Error, "runAsUser: 999")]);
    container.user = 12345;
    container.assert_problems(&[(Status::Warning, "12345, but repo-server usually")]);
}

/// As on OpenShift, where repo-server's init container has the namespace's user too.
#[test]
fn the_owner_of_the_server_is_repo_server_s_user() {
    use std::os::unix::fs::MetadataExt as _;
    let mut container = Container::new();
    let server = container
        .root
        .path()
        .join("var/run/argocd/argocd-cmp-server");
    container.user = fs::metadata(&server).unwrap().uid();
    if container.user == 0 {
        // Running as root: only root may give a file away.
        std::os::unix::fs::chown(&server, Some(12345), None).unwrap();
        container.user = 12345;
    }
    container.assert_problems(&[]);
}

#[test]
fn a_writable_root_folder_is_a_warning() {
    let container = Container::new();
    container.write("proc/self/mountinfo", &MOUNTS.replace("/ ro", "/ rw"));
    container.assert_problems(&[(Status::Warning, "readOnlyRootFilesystem: true")]);
    container.remove("proc/self/mountinfo");
    container.assert_problems(&[(Status::Warning, "unknown")]);
}

#[test]
fn mounts_that_are_missing_are_errors_with_the_volume_to_mount() {
    let container = Container::new();
    container.remove("var/run/argocd/argocd-cmp-server");
    container.assert_problems(&[(Status::Error, "mount the volume `var-files`")]);
    container.write("var/run/argocd/argocd-cmp-server", "not executable");
    container.assert_problems(&[(Status::Error, "is not executable")]);

    let container = Container::new();
    let without = MOUNTS.replace("/home/argocd/cmp-server/plugins rw", "/elsewhere rw");
    container.write("proc/self/mountinfo", &without);
    container.assert_problems(&[(Status::Error, "repo-server does not see the socket")]);

    let container = Container::new();
    fs::remove_dir_all(container.root.path().join("home/argocd/cmp-server/plugins")).unwrap();
    container.assert_problems(&[
        (Status::Error, "plugins is not a folder"),
        (Status::Error, "landfall.sock does not exist"),
    ]);
}

#[test]
fn repo_server_s_temporary_folder_is_recognized() {
    let shared = "/tmp is repo-server's own";
    let container = Container::new();
    container.write(
        "proc/self/mountinfo",
        &MOUNTS.replace("/landfall-tmp", "/tmp"),
    );
    container.assert_problems(&[(Status::Error, shared)]);
    for file in ["tmp/_argocd-repo", "tmp/reposerver-ask-pass.sock"] {
        let container = Container::new();
        container.write(file, "");
        container.assert_problems(&[(Status::Error, shared)]);
    }
    let container = Container::new();
    container.write(
        "proc/self/mountinfo",
        &MOUNTS.replace("/tmp rw", "/elsewhere rw"),
    );
    container.assert_problems(&[(Status::Warning, "/tmp is not a volume")]);
}

#[test]
fn plugin_yaml_is_validated_with_its_commands() {
    let path = "home/argocd/cmp-server/config/plugin.yaml";
    let container = Container::new();
    container.remove(path);
    container.assert_problems(&[(Status::Error, "plugin.yaml does not exist")]);
    container.write(path, "kind: Plugin\nmetadata: {name: landfall}\n");
    container.assert_problems(&[(Status::Error, "`kind` is `Plugin`")]);

    let container = Container::new();
    container.remove("usr/local/bin/landfall");
    // generate, discover and parameters
    container.assert_problems(&[(Status::Error, "`landfall` is not on the PATH"); 3]);

    container.program("usr/local/bin/render");
    container.write(
        path,
        "kind: ConfigManagementPlugin\nmetadata: {name: landfall}\nspec: {version: v1, generate: {command: [render]}}\n",
    );
    container.assert_problems(&[
        (Status::Warning, "breaks every Application"),
        (Status::Warning, "`landfall-v1`"),
        (Status::Warning, "`render` is not landfall"),
        (Status::Error, "landfall-v1.sock does not exist"),
    ]);
}

#[test]
fn a_socket_without_a_server_is_an_error() {
    let container = Container::new();
    container.remove("home/argocd/cmp-server/plugins/landfall.sock");
    container.assert_problems(&[(Status::Error, "landfall.sock does not exist")]);
    container.write("home/argocd/cmp-server/plugins/landfall.sock", "");
    container.assert_problems(&[(Status::Error, "no server listens")]);
}

#[test]
fn other_tools_are_reported_whether_they_are_there_or_not() {
    let container = Container::new();
    container.program("usr/local/bin/kustomize");
    let shown = format!("{:?}", container.checks());
    assert!(shown.contains("/usr/local/bin/kustomize"), "{shown}");
    assert!(shown.contains("`tool: helm` is refused"), "{shown}");
}

#[test]
fn flags_of_the_plugin_s_command_name_the_operator_s_files() {
    let container = Container::new();
    assert_eq!(
        container.with(|sidecar| sidecar.operator_flags()),
        OperatorFlags::default()
    );
    container.write(
        "home/argocd/cmp-server/config/plugin.yaml",
        "kind: ConfigManagementPlugin\nmetadata: {name: landfall}\n\
         spec: {generate: {command: [landfall, cmp, generate], args: [--operator-policy, /a, --mounted-outputs=/b, --digest-key, /c]}}\n",
    );
    assert_eq!(
        container.with(|sidecar| sidecar.operator_flags()),
        OperatorFlags {
            operator_policy: Some("/a".into()),
            mounted_outputs: Some("/b".into()),
            digest_key: Some("/c".into()),
        }
    );
}
