//! A container of a Pod, run as a kubelet and its runtime run it: in the folder of an
//! [`Image`], with the Pod's volumes, user and read-only root folder, without capabilities
//! and without a network.
//!
//! It needs root, for mounts and `chroot`. The server in it is the real argocd-cmp-server,
//! which the Pod's init container copies into a volume.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use landfall_test_support::skip::{Requirement, on_path, skipped};
use serde_json::Value;

use crate::image::Image;
use crate::plugin_server::PluginServer;
use crate::program;
use crate::scratch::Scratch;

/// The script that makes the container: it mounts everything, and then becomes its command.
/// `$1` is the root folder, `$2` the user, `$3` a list of folders, mount points and how they are
/// mounted, `$4` how the root folder is mounted, and the rest the command.
const RUNTIME: &str = r#"
set -eu
root=$1 user=$2 mounts=$3 mode=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
while read -r folder point access; do
    mount --bind "$folder" "$root$point"
    mount -o "remount,bind,$access" "$root$point"
done < "$mounts"
mount -t proc proc "$root/proc"
mount --bind /dev/null "$root/dev/null"
mount -o "remount,bind,$mode" "$root"
cd /
exec "$@"
"#;

/// A running container.
pub struct Sidecar {
    /// The server in it.
    pub server: PluginServer,
    environment: BTreeMap<String, String>,
    user: String,
    nsenter: PathBuf,
    _image: Image,
}

/// What ConfigMaps and Secrets contain, by their names.
pub type Data<'a> = BTreeMap<&'a str, BTreeMap<&'a str, String>>;

impl Sidecar {
    /// Starts the container `landfall` of a Pod, with the data of its ConfigMaps and
    /// Secrets. Returns `None` if the test is skipped, because this user may not mount.
    ///
    /// # Panics
    /// The Pod is not valid, or the server does not start listening.
    #[must_use]
    pub fn start(image: Image, pod: &Value, data: &Data<'_>) -> Option<Self> {
        let [unshare, chroot, env, nsenter] =
            ["unshare", "chroot", "env", "nsenter"].map(|name| on_path(name, Requirement::Root));
        let (unshare, chroot, env, nsenter) = (unshare?, chroot?, env?, nsenter?);
        let may_mount = Command::new(&unshare)
            .args(["--mount", "--net", "true"])
            .stderr(Stdio::null())
            .status();
        if !may_mount.is_ok_and(|status| status.success()) {
            skipped(Requirement::Root, "mounts need root: run the tests as root");
            return None;
        }
        let container = named(&pod["containers"], "landfall");
        let folder = Scratch::new();
        let mut mounts = String::new();
        let mut sockets = None;
        for mount in items(&container["volumeMounts"]) {
            let (name, point) = (text(&mount["name"]), text(&mount["mountPath"]));
            let volume = folder.at(name);
            if !volume.exists() {
                fill(&volume, named(&pod["volumes"], name), data);
            }
            fs::create_dir_all(image.path(point)).expect("the mount point");
            let access = mode(&mount["readOnly"]);
            mounts.push_str(&format!("{} {point} {access}\n", volume.display()));
            if name == "plugins" {
                sockets = Some(volume.clone());
            }
        }
        init(pod, &folder);
        for folder in ["proc", "dev"] {
            fs::create_dir_all(image.path(folder)).expect("a folder of the runtime");
        }
        fs::write(image.path("dev/null"), "").expect("the mount point");
        folder.write("mounts", &mounts);

        let security = &container["securityContext"];
        assert_eq!(security["capabilities"]["drop"][0], "ALL");
        let user = match security["runAsUser"].as_u64() {
            Some(user) => format!("{user}:{user}"),
            None => image.user.clone(),
        };
        let mode = mode(&security["readOnlyRootFilesystem"]);
        let mut environment = image.environment.clone();
        for variable in items(&container["env"]) {
            let (name, value) = (text(&variable["name"]), text(&variable["value"]));
            environment.insert(name.to_owned(), value.to_owned());
        }
        let root = image.path("/");
        let mut command = Command::new(unshare);
        command
            .args([
                "--mount", "--net", "--ipc", "--uts", "sh", "-c", RUNTIME, "sh",
            ])
            .arg(&root)
            .arg(&user)
            .arg(folder.at("mounts"))
            .arg(mode)
            .arg(env)
            .arg("-i")
            .args(assignments(&environment))
            .arg(chroot)
            .arg(format!("--userspec={user}"))
            .arg("--groups=")
            .arg(&root)
            .args(items(&container["command"]).map(text));
        let sockets = sockets.expect("the volume of the sockets is mounted");
        let server = PluginServer::listening(&mut command, &sockets, folder);
        Some(Self {
            server,
            environment,
            user,
            nsenter,
            _image: image,
        })
    }

    /// Runs a program in the container, as `kubectl exec` does.
    #[must_use]
    pub fn exec(&self, arguments: &[&str]) -> Output {
        let words = self.enter();
        Command::new(&words[0])
            .args(&words[1..])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("nsenter starts")
    }

    /// Returns the command line before that of a program that is to run in the container.
    #[must_use]
    pub fn enter(&self) -> Vec<String> {
        let (user, group) = self.user.split_once(':').expect("USER:GROUP");
        let mut words = vec!["/usr/bin/env".to_owned(), "-i".to_owned()];
        words.extend(assignments(&self.environment));
        words.push(self.nsenter.display().to_string());
        words.push(format!("--target={}", self.server.process_id()));
        words.extend(["--mount", "--net", "--ipc", "--uts", "--root", "--wd"].map(str::to_owned));
        words.push(format!("--setuid={user}"));
        words.push(format!("--setgid={group}"));
        words
    }
}

/// Returns the option of `mount` for a field that makes something read-only.
fn mode(is_read_only: &Value) -> &'static str {
    if is_read_only == true { "ro" } else { "rw" }
}

fn assignments(environment: &BTreeMap<String, String>) -> Vec<String> {
    let variables = environment.iter();
    variables
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// Creates the folder of a volume.
fn fill(folder: &Path, volume: &Value, data: &Data<'_>) {
    fs::create_dir(folder).expect("a folder");
    let source = match (
        &volume["configMap"]["name"],
        &volume["secret"]["secretName"],
    ) {
        (Value::String(name), _) | (_, Value::String(name)) => {
            let files = data.get(name.as_str());
            assert!(
                files.is_some()
                    || volume["configMap"]["optional"] == true
                    || volume["secret"]["optional"] == true,
                "{name} keeps the Pod from starting"
            );
            files
        }
        _ => {
            assert!(volume["emptyDir"].is_object(), "{volume}");
            None
        }
    };
    for (key, value) in source.into_iter().flatten() {
        fs::write(folder.join(key), value).expect("a key");
    }
    // An `emptyDir` can be written by all of the Pod's users.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("its mode");
}

/// Does what the init container of repo-server does: copies Argo CD's program into a volume,
/// as argocd-cmp-server.
fn init(pod: &Value, folder: &Scratch) {
    let init = named(&pod["initContainers"], "copyutil");
    let target = text(&init["command"][3]);
    let mount = &init["volumeMounts"][0];
    let volume = folder.at(text(&mount["name"]));
    let name = Path::new(target)
        .strip_prefix(text(&mount["mountPath"]))
        .expect("in the volume");
    let server = program::tool("argocd-cmp-server");
    // A link, because the program has more than 100 MB.
    if fs::hard_link(&server, volume.join(name)).is_err() {
        fs::copy(&server, volume.join(name)).expect("a copy of the server");
    }
}

/// Returns the item of a list with this name.
fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    let mut all = items(list).filter(|item| item["name"] == name);
    let (Some(item), None) = (all.next(), all.next()) else {
        panic!("not exactly one {name} in {list:#}")
    };
    item
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is not a string"))
}
