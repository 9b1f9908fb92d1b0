//! Argo CD's plugin server, `argocd-cmp-server`, and the calls that repo-server
//! makes to it.
//!
//! Observed behavior (argocd-cmp-server 3.2.12; tests in `tests/real/argo_cd_server.rs`):
//! - The plugin's output is split at `---` lines and each document is read as YAML 1.1,
//!   keys included: `012` is 10, `yes` is true, `y: 1` is `{"true": 1}`.
//! - **A document that is separated from the one before it only by `...` is lost
//!   silently.** Any two documents need `---` between them.
//! - A marker line may have a comment and nothing else: `--- {a: 1}`, `--- !!map`
//!   and `--- |` fail with `invalid Yaml document separator`. `%YAML 1.2` fails
//!   with `found incompatible YAML document`.
//! - A document without a kind, or one that is a list, passes the server;
//!   repo-server refuses it.
//! - Output without a document (empty, comments, `null`) is a success without manifests,
//!   and Argo CD then deletes the application's resources.
//! - A failure's stderr reaches the user verbatim, after ``error generating manifests in
//!   cmp: … `landfall cmp generate` failed exit status 1: ``; leading and trailing
//!   whitespace is trimmed.
//! - At the deadline less 100 ms the command's group gets SIGTERM and the command
//!   SIGKILL, at once and in either order: `signal: killed` or, in about one run of ten,
//!   `signal: terminated`. There is no time to clean up; what was written to stderr by
//!   then is reported.
//! - A process in the background that holds stdout blocks the call until then, even if the
//!   command has ended.
//! - Of `discover.fileName`, `find.glob` and `find.command` only the first one that is set is
//!   used.
//! - `discover.find.command`: anything on stdout is a match; a failure is an error,
//!   which repo-server logs and counts as "not this plugin".
//! - The server logs one line when it listens; before that there is no socket. The
//!   socket's name is `NAME.sock`, or `NAME-VERSION.sock` with a version.
//! - SIGTERM removes the socket and does not end the server; SIGKILL does.
//! - With repo-server's `--plugin-use-manifest-generate-paths` the stream's root is the
//!   common folder of the annotation's paths, and the command runs in
//!   `…/_cmp_server/<uuid>/app` while `ARGOCD_APP_SOURCE_PATH` is still the path in the
//!   repository, `examples/karpenter/app`: only a suffix of it is a suffix of the working
//!   folder.
//! - The sender refuses an application folder without any file: `no files to send`.
//!   Symlinks are sent as links, and only if they stay inside.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde::Deserialize;

use crate::program;
use crate::scratch::Scratch;

/// How long a server may take to listen. It usually takes a quarter of a second.
const START: Duration = Duration::from_secs(60);

/// A running server, stopped when dropped.
pub struct PluginServer {
    process: Child,
    client: PathBuf,
    socket: PathBuf,
    folder: Scratch,
}

/// An application as repo-server streams it: a folder of the repository, with all files
/// of its root.
pub struct Application<'a> {
    /// The root of the stream: the repository, or the common folder of the paths in the
    /// annotation `manifest-generate-paths`.
    pub root: &'a Path,
    /// The application's folder, inside `root`.
    pub folder: &'a Path,
    /// The Application's `spec.source.path`: the folder's path in the repository, which
    /// is longer than its path in `root` if `root` is not the repository.
    pub source_path: &'a str,
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refusal {
    /// The gRPC status code's name; `Client` for what repo-server itself refuses.
    pub code: String,
    /// The message that a user of Argo CD reads.
    pub message: String,
}

/// The response of `CheckPluginConfiguration`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Configuration {
    /// Whether plugin.yaml configures how applications are discovered.
    pub is_discovery_configured: bool,
    /// Whether the plugin is given the repository's credentials.
    pub provide_git_creds: bool,
}

/// The response of `MatchRepository`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    /// Whether the plugin renders this application.
    pub is_supported: bool,
    /// Whether the plugin was asked.
    pub is_discovery_enabled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<T> {
    Answer(T),
    Error(Refusal),
}

#[derive(Deserialize)]
struct Generated {
    manifests: Vec<String>,
}

impl PluginServer {
    /// Starts a server with landfall's own plugin.yaml, which finds landfall on PATH.
    #[must_use]
    pub fn with_landfall() -> Self {
        Self::with_plugin_yaml(|config| config)
    }

    /// Starts a server with landfall's own plugin.yaml, whose operator names the program
    /// of this tool.
    ///
    /// # Panics
    /// plugin.yaml has another command.
    #[must_use]
    pub fn with_tool(tool: &str) -> Self {
        let program = program::tool(tool);
        let command = "[landfall, cmp, generate]";
        let named = format!("[landfall, cmp, generate, --{tool}, {}]", program.display());
        Self::with_plugin_yaml(|config| {
            assert!(config.contains(command), "{config}");
            config.replace(command, &named)
        })
    }

    fn with_plugin_yaml(changed: impl FnOnce(String) -> String) -> Self {
        let landfall = program::landfall();
        let config = program::repository().join("deploy/argocd/plugin.yaml");
        let folder = landfall.parent().expect("a file in a folder");
        Self::start(&changed(crate::scratch::read(&config)), folder)
    }

    /// Starts a server with this plugin.yaml, whose commands are looked up in the folder
    /// `first` before any other.
    ///
    /// # Panics
    /// The server does not start listening.
    #[must_use]
    pub fn start(plugin_yaml: &str, first: &Path) -> Self {
        let server = program::tool("argocd-cmp-server");
        let folder = Scratch::new();
        folder.write("config/plugin.yaml", plugin_yaml);
        std::fs::create_dir(folder.at("plugins")).expect("a folder for the socket");
        let first = first.canonicalize().expect("the plugin's folder is there");
        let sockets = folder.at("plugins");
        let mut command = Command::new(server);
        command
            .arg("--config-dir-path")
            .arg(folder.at("config"))
            .args(["--logformat", "text"])
            .env_clear()
            .env("PATH", program::path_with(&first))
            .env("ARGOCD_BINARY_NAME", "argocd-cmp-server")
            .env("ARGOCD_PLUGINSOCKFILEPATH", &sockets)
            .env("ARGOCD_CMP_WORKDIR", folder.path())
            .env("TMPDIR", folder.path());
        Self::listening(&mut command, &sockets, folder)
    }

    /// Starts a command that becomes a server with its socket in the folder `sockets`, and
    /// keeps `folder` as long as it runs.
    ///
    /// # Panics
    /// The server does not start listening.
    #[must_use]
    pub fn listening(command: &mut Command, sockets: &Path, folder: Scratch) -> Self {
        let client = program::tool("cmp-client");
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("argocd-cmp-server starts");
        let log = process.stderr.take().expect("stderr is piped");
        let (listens, heard) = mpsc::channel();
        std::thread::spawn(move || {
            let mut log = BufReader::new(log);
            let mut output = String::new();
            // Before this line there is no socket; after it connections are queued.
            while !output.contains(" serving on ") {
                match log.read_line(&mut output) {
                    Ok(1..) => {}
                    _ => break,
                }
            }
            let _ = listens.send(output);
            // A full pipe would block the server.
            let _ = log.read_to_end(&mut Vec::new());
        });
        let output = heard.recv_timeout(START);
        let entries = std::fs::read_dir(sockets).expect("the folder is there");
        let socket = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .next();
        let Some(socket) = socket.filter(|socket| UnixStream::connect(socket).is_ok()) else {
            let _ = process.kill();
            panic!(
                "argocd-cmp-server does not listen: {}",
                output.unwrap_or_default()
            );
        };
        Self {
            process,
            client,
            socket,
            folder,
        }
    }

    /// Returns the id of the server's process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the file name of the socket, which is what an Application names.
    #[must_use]
    pub fn socket_name(&self) -> String {
        self.socket
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// Calls `CheckPluginConfiguration`.
    ///
    /// # Errors
    /// The server refuses.
    pub fn configuration(&self) -> Result<Configuration, Refusal> {
        self.call("config", None, Duration::from_secs(60))
    }

    /// Calls `MatchRepository`: whether the plugin renders this application.
    ///
    /// # Errors
    /// The plugin's discovery fails.
    pub fn matches(&self, application: &Application<'_>) -> Result<Match, Refusal> {
        self.call("match", Some(application), Duration::from_secs(60))
    }

    /// Calls `GenerateManifest` and returns the manifests as the server does, each a JSON
    /// object on one line, after repo-server's processing.
    ///
    /// # Errors
    /// The plugin fails, or repo-server refuses what it returned.
    pub fn generate(&self, application: &Application<'_>) -> Result<Vec<String>, Refusal> {
        self.generate_within(application, Duration::from_secs(60))
    }

    /// Calls [`PluginServer::generate`] with this deadline instead of repo-server's 60 s.
    ///
    /// # Errors
    /// The plugin fails or takes longer.
    pub fn generate_within(
        &self,
        application: &Application<'_>,
        deadline: Duration,
    ) -> Result<Vec<String>, Refusal> {
        let generated: Generated = self.call("generate", Some(application), deadline)?;
        Ok(generated.manifests)
    }

    /// Calls [`PluginServer::generate`] for an Application whose source has these
    /// `plugin.parameters`, as JSON.
    ///
    /// # Errors
    /// As [`PluginServer::generate`].
    pub fn generate_with_parameters(
        &self,
        application: &Application<'_>,
        parameters: &str,
    ) -> Result<Vec<String>, Refusal> {
        let deadline = Duration::from_secs(60);
        let call = Some((application, parameters));
        let generated: Generated = self.call_with("generate", call, deadline)?;
        Ok(generated.manifests)
    }

    fn call<T: for<'a> Deserialize<'a>>(
        &self,
        method: &str,
        application: Option<&Application<'_>>,
        deadline: Duration,
    ) -> Result<T, Refusal> {
        // A block `plugin: {name: …}` without parameters.
        let call = application.map(|application| (application, "null"));
        self.call_with(method, call, deadline)
    }

    fn call_with<T: for<'a> Deserialize<'a>>(
        &self,
        method: &str,
        application: Option<(&Application<'_>, &str)>,
        deadline: Duration,
    ) -> Result<T, Refusal> {
        let mut client = Command::new(&self.client);
        client
            .arg("-socket")
            .arg(&self.socket)
            .arg("-timeout")
            .arg(format!("{}ms", deadline.as_millis()));
        if let Some((application, parameters)) = application {
            client
                .arg("-repo")
                .arg(application.root)
                .arg("-app")
                .arg(application.folder);
            for variable in application.environment(parameters) {
                client.arg("-env").arg(variable);
            }
        }
        // The client leaves an empty folder for each stream.
        client
            .arg(method)
            .env("TMPDIR", self.folder.path())
            .stdin(Stdio::null());
        let output = client.output().expect("cmp-client starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        match serde_json::from_slice(&output.stdout) {
            Ok(Outcome::Answer(answer)) => Ok(answer),
            Ok(Outcome::Error(refusal)) => Err(refusal),
            Err(error) => panic!("cmp-client {method}: {}: {error}: {stderr}", output.status),
        }
    }
}

impl Drop for PluginServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Application<'_> {
    /// Returns the variables that repo-server sends for an Application whose source has a
    /// block `plugin` with these parameters, as JSON.
    fn environment(&self, parameters: &str) -> Vec<String> {
        let revision = "0123456789abcdef0123456789abcdef01234567";
        vec![
            "ARGOCD_APP_NAME=karpenter-platform".to_owned(),
            "ARGOCD_APP_NAMESPACE=karpenter".to_owned(),
            "ARGOCD_APP_PROJECT_NAME=platform".to_owned(),
            format!("ARGOCD_APP_REVISION={revision}"),
            format!("ARGOCD_APP_REVISION_SHORT={}", &revision[..7]),
            format!("ARGOCD_APP_REVISION_SHORT_8={}", &revision[..8]),
            "ARGOCD_APP_SOURCE_REPO_URL=https://git.example.com/platform/infrastructure.git"
                .to_owned(),
            format!("ARGOCD_APP_SOURCE_PATH={}", self.source_path),
            "ARGOCD_APP_SOURCE_TARGET_REVISION=main".to_owned(),
            "KUBE_VERSION=1.34.2".to_owned(),
            "KUBE_API_VERSIONS=v1,apps/v1,karpenter.sh/v1,karpenter.k8s.aws/v1".to_owned(),
            format!("ARGOCD_APP_PARAMETERS={parameters}"),
        ]
    }
}
