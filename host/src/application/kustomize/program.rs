//! Runs kustomize: without a shell, with arguments of our own, an environment that leads
//! nowhere, and a deadline.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The name of the program on PATH.
const NAME: &str = "kustomize";

/// How much of its messages is kept.
const MAX_MESSAGES: u64 = 64 << 10;

/// What a run of kustomize has written.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// It cannot be started.
    NotStarted(io::Error),
    /// It was killed at the deadline.
    TimedOut,
    /// It was killed because it wrote too much.
    TooMuch,
}

/// Returns the program that is named `named`, or the one on PATH. A name without a folder is
/// looked up on PATH, of which only absolute folders count: `.` may be an author's folder.
pub(super) fn find(named: Option<&Path>, path: Option<&OsStr>) -> Option<PathBuf> {
    let name = named.unwrap_or(Path::new(NAME));
    if name.components().count() > 1 || name.is_absolute() {
        return std::path::absolute(name).ok();
    }
    let name = match name.extension() {
        None => name.with_extension(std::env::consts::EXE_EXTENSION),
        Some(_) => name.to_owned(),
    };
    let folders = path.map(std::env::split_paths).into_iter().flatten();
    let mut programs = folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name));
    programs.find(|program| is_executable(program))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = path.metadata();
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Returns the command that builds the kustomization in the folder `current`. `home` is an
/// empty folder. Functions, plugins and Helm stay disabled, which is the default.
pub(super) fn command(program: &Path, current: &Path, home: &Path, restricted: bool) -> Command {
    let mut command = Command::new(program);
    command.arg("build").arg(".");
    if !restricted {
        command.args(["--load-restrictor", "LoadRestrictionsNone"]);
    }
    command
        .current_dir(current)
        .env_clear()
        // There is no git and no helm that it could start, whatever a path is taken for.
        .env("PATH", home)
        .env("HOME", home)
        .env("TMPDIR", home)
        // Downloads are refused before this. If one were missed it would fail at once, because
        // nothing listens at port 0; but Go makes requests to this machine without a proxy.
        .envs(["HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name, "http://127.0.0.1:0")))
        .stdin(Stdio::null());
    command
}

/// Runs a command to its end. It is killed when it takes longer than `limit`, or writes more
/// than `max` bytes.
pub(super) fn run(command: &mut Command, limit: Duration, max: u64) -> Result<Finished, Failure> {
    let deadline = Instant::now() + limit;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Failure::NotStarted)?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        read(stdout, max.saturating_add(1), sender.clone(), Pipe::Stdout);
    }
    if let Some(stderr) = child.stderr.take() {
        read(stderr, MAX_MESSAGES, sender, Pipe::Stderr);
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let failure = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Pipe::Stdout(bytes)) if bytes.len() as u64 > max => break Some(Failure::TooMuch),
            Ok(Pipe::Stdout(bytes)) => stdout = bytes,
            Ok(Pipe::Stderr(bytes)) => stderr = bytes,
            Err(mpsc::RecvTimeoutError::Timeout) => break Some(Failure::TimedOut),
            // Both have ended, and the program with them.
            Err(mpsc::RecvTimeoutError::Disconnected) => break None,
        }
    };
    if failure.is_some() {
        // It may have ended by itself in the meantime.
        let _ = child.kill();
    }
    let mut failure = failure;
    let status = loop {
        match child.try_wait().map_err(Failure::NotStarted)? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            // It has closed its output, and goes on.
            None => {
                let _ = child.kill();
                failure.get_or_insert(Failure::TimedOut);
            }
        }
    };
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Finished {
            status,
            stdout,
            stderr,
        }),
    }
}

enum Pipe {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// Reads a pipe in a thread: its first `max` bytes are sent, and the rest is dropped.
fn read(
    mut pipe: impl Read + Send + 'static,
    max: u64,
    sender: mpsc::Sender<Pipe>,
    kind: fn(Vec<u8>) -> Pipe,
) {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(max).read_to_end(&mut bytes);
        let _ = sender.send(kind(bytes));
        if read.is_ok() {
            // A full pipe would block the program.
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
    });
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    use super::{Failure, command, find, run};

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn returns_what_the_program_writes() {
        let finished = run(&mut sh("echo a; echo b >&2; exit 3"), LONG, 100).unwrap();
        assert_eq!(finished.stdout, b"a\n");
        assert_eq!(finished.stderr, b"b\n");
        assert_eq!(finished.status.code(), Some(3));
    }

    #[test]
    fn kills_a_program_at_the_deadline() {
        let failure = run(
            &mut sh("exec cat /dev/zero >&2"),
            Duration::from_millis(50),
            100,
        );
        assert!(matches!(failure, Err(Failure::TimedOut)), "{failure:?}");
    }

    #[test]
    fn kills_a_program_that_writes_too_much() {
        let failure = run(&mut sh("exec cat /dev/zero"), LONG, 100);
        assert!(matches!(failure, Err(Failure::TooMuch)), "{failure:?}");
        assert!(run(&mut sh("printf 12345"), LONG, 5).is_ok());
    }

    #[test]
    fn the_program_inherits_nothing() {
        let home = tempfile::tempdir().unwrap();
        let mut env = command(Path::new("/usr/bin/env"), home.path(), home.path(), true);
        let names: Vec<_> = env.get_envs().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(
            names,
            ["HOME", "HTTPS_PROXY", "HTTP_PROXY", "PATH", "TMPDIR"]
        );
        let arguments: Vec<_> = env.get_args().collect();
        assert_eq!(arguments, ["build", "."]);
        assert!(run(&mut env, LONG, 100).is_ok());
    }

    #[test]
    fn only_absolute_folders_of_path_are_searched() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("kustomize");
        std::fs::write(&program, "").unwrap();
        let path = folder.path().as_os_str();
        assert_eq!(find(None, Some(path)), None);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, executable).unwrap();
        assert_eq!(find(None, Some(path)), Some(program.clone()));
        assert_eq!(find(None, Some(".".as_ref())), None);
        assert_eq!(find(None, None), None);
        assert_eq!(find(Some(&program), None), Some(program.clone()));
        assert_eq!(
            find(Some(Path::new("kustomize")), Some(path)),
            Some(program)
        );
    }
}
