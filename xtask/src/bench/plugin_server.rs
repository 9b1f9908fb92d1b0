//! A small application through Argo CD's own plugin server, with landfall and with `cat` as
//! the plugin.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::inputs::{self, Dialect};
use super::table::{Table, millis};
use crate::process::read;
use crate::tools;
use crate::workspace::Workspace;

/// The maximum ratio to `cat`.
const MAX_RATIO: f64 = 1.2;

/// Calls in one round of a plugin, and rounds.
const CALLS: usize = 10;
const ROUNDS: usize = 40;

/// How long a server may take to listen.
const START: Duration = Duration::from_secs(60);

/// The number of documents of `small`.
const DOCUMENTS: usize = 5;

const INTRODUCTION: &str = "\
A call of `GenerateManifest` for `small`, by Argo CD's own client and plugin server over
the server's socket: the repository is streamed to the server, which runs the plugin in it
and reads the manifests. landfall is configured by deploy/argocd/plugin.yaml, and `cat` as
a plugin with only `generate`. Ten calls with one, then ten with the other.
";

const CAT: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: cat}
spec:
  generate: {command: [cat, app.yaml]}
";

const BINDING: &str = "\
apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
  - {name: infra, from: {file: ../../infra.json}}
";

/// Measures both plugins and returns the section's text.
///
/// # Errors
/// The programs cannot be built, or a call fails.
pub(super) fn section(
    landfall: &Path,
    workspace: &Workspace,
    folder: &Path,
    day: &str,
) -> Result<String> {
    let tool = |name: &str| {
        let program = landfall_tools::named(name).with_context(|| format!("no tool `{name}`"))?;
        tools::ensure(program)
    };
    let (server, client) = (tool("argocd-cmp-server")?, tool("cmp-client")?);
    let inputs = inputs::make(folder, &["small"])?;
    let folder = folder.join("plugin-server");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    let application = folder.join("repo/apps/small");
    write(&application.join("landfall.yaml"), BINDING)?;
    for (from, to) in [
        (&inputs.document, folder.join("repo/infra.json")),
        (
            &inputs.all[0].file(Dialect::Landfall),
            application.join("app.yaml"),
        ),
    ] {
        fs::copy(from, &to).with_context(|| format!("writing {}", to.display()))?;
    }
    let configuration = workspace.root.join("deploy/argocd/plugin.yaml");
    let configuration = fs::read_to_string(&configuration)
        .with_context(|| format!("reading {}", configuration.display()))?;
    let bin = landfall.parent().context("the command has no folder")?;
    let plugins = [("cat", CAT), ("landfall", &configuration)].map(|(name, configuration)| {
        Plugin::start(name, configuration, &server, bin, &folder.join(name))
    });
    let mut all = Vec::new();
    for plugin in plugins {
        all.push((plugin?, Vec::new()));
    }
    for (plugin, _) in &all {
        plugin.check(&client, &folder)?;
    }
    for round in 0..ROUNDS {
        for turn in 0..all.len() {
            let at = (round + turn) % all.len();
            let (plugin, times) = &mut all[at];
            times.append(&mut plugin.calls(&client, &folder)?.1);
        }
    }
    let rows = all
        .iter()
        .map(|(plugin, times)| (plugin.name, times.as_slice()));
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.\n\n{}",
        table(rows)
    ))
}

/// Returns the table, with ratios to the first row.
fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a [f64])>) -> Table {
    let mut table = Table::new(&["plugin", "median ms", "least ms", "× cat", "", "calls"]);
    let mut base = None;
    for (name, times) in rows {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        let (Some(&median), Some(&least)) = (times.get(times.len() / 2), times.first()) else {
            continue;
        };
        let ratio = median / *base.get_or_insert(median);
        table.row(vec![
            name.to_owned(),
            millis(median / 1e3),
            millis(least / 1e3),
            format!("{ratio:.2}"),
            if ratio <= MAX_RATIO { "✓" } else { "✗" }.to_owned(),
            times.len().to_string(),
        ]);
    }
    table
}

/// A running server with one plugin, stopped when it is dropped.
struct Plugin {
    name: &'static str,
    process: Child,
    socket: PathBuf,
}

impl Plugin {
    fn start(
        name: &'static str,
        configuration: &str,
        server: &Path,
        bin: &Path,
        folder: &Path,
    ) -> Result<Self> {
        let (config, sockets) = (folder.join("config"), folder.join("plugins"));
        write(&config.join("plugin.yaml"), configuration)?;
        fs::create_dir_all(&sockets).with_context(|| format!("making {}", sockets.display()))?;
        let mut path = OsString::from(bin);
        path.push(":");
        path.push(env::var_os("PATH").unwrap_or_default());
        let process = Command::new(server)
            .arg("--config-dir-path")
            .arg(config)
            .args(["--loglevel", "error"])
            .env_clear()
            .env("PATH", path)
            .env("ARGOCD_BINARY_NAME", "argocd-cmp-server")
            .env("ARGOCD_PLUGINSOCKFILEPATH", &sockets)
            .env("ARGOCD_CMP_WORKDIR", folder)
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", server.display()))?;
        let plugin = Self {
            name,
            process,
            socket: sockets.join(format!("{name}.sock")),
        };
        let started = Instant::now();
        while UnixStream::connect(&plugin.socket).is_err() {
            if started.elapsed() > START {
                bail!(
                    "argocd-cmp-server does not listen on {}",
                    plugin.socket.display()
                );
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(plugin)
    }

    /// Checks the answer, which is not counted: the first call has cold caches.
    fn check(&self, client: &Path, folder: &Path) -> Result<()> {
        let (answer, _) = self.calls(client, folder)?;
        let has_references = answer.contains("${infra.");
        if answer.matches(r#"\"kind\":"#).count() < DOCUMENTS
            || has_references != (self.name == "cat")
        {
            bail!("the plugin {} gives a wrong answer: {answer}", self.name);
        }
        Ok(())
    }

    /// Returns the answer and the milliseconds of each call.
    fn calls(&self, client: &Path, folder: &Path) -> Result<(String, Vec<f64>)> {
        let repository = folder.join("repo");
        let text = read(
            Command::new(client)
                .arg("-socket")
                .arg(&self.socket)
                .arg("-repo")
                .arg(&repository)
                .arg("-app")
                .arg(repository.join("apps/small"))
                .args(["-env", "ARGOCD_APP_NAME=small"])
                .args(["-env", "ARGOCD_APP_PROJECT_NAME=default"])
                .args(["-env", "ARGOCD_APP_SOURCE_PATH=apps/small"])
                .args(["-env", "ARGOCD_APP_PARAMETERS=null"])
                .args(["-calls", &CALLS.to_string()])
                .arg("generate")
                .env("TMPDIR", folder)
                .stdin(Stdio::null()),
        )?;
        let (answer, times) = text
            .split_once('\n')
            .context("the client reports no times")?;
        Ok((answer.to_owned(), milliseconds(times)?))
    }
}

/// Parses `{"milliseconds":[4.1,3.9]}`.
fn milliseconds(line: &str) -> Result<Vec<f64>> {
    let list = line.strip_prefix(r#"{"milliseconds":["#);
    let list = list.and_then(|line| line.strip_suffix("]}"));
    let numbers = list.with_context(|| format!("`{line}` is not a list of times"))?;
    let times = numbers
        .split(',')
        .map(|time| time.parse().context("a time"));
    times.collect()
}

impl Drop for Plugin {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{milliseconds, table};

    #[test]
    fn ratios_are_those_of_the_medians() {
        let rows = [
            ("cat", &[4.0, 5.0, 9.0][..]),
            ("landfall", &[6.5, 6.0, 7.0]),
        ];
        assert_eq!(
            table(rows.into_iter()).to_string(),
            "\
| plugin   | median ms | least ms | × cat |     | calls |
| -------- | --------: | -------: | ----: | --: | ----: |
| cat      |      5.00 |     4.00 |  1.00 |   ✓ |     3 |
| landfall |      6.50 |     6.00 |  1.30 |   ✗ |     3 |
"
        );
    }

    #[test]
    fn reads_the_times_of_the_client() {
        assert_eq!(
            milliseconds(r#"{"milliseconds":[4.1,3]}"#).unwrap(),
            [4.1, 3.0]
        );
        assert!(milliseconds(r#"{"error":{}}"#).is_err());
    }
}
