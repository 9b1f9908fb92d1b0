//! Runs another tool: without a shell, with fixed arguments, with an environment in which it
//! finds no other program, and with a deadline.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The maximum number of bytes that are kept of its standard error.
const MAX_MESSAGES: u64 = 64 << 10;

/// What a run has written.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It cannot be started.
    NotStarted(io::Error),
    /// It was killed at the deadline.
    TimedOut,
    /// It was killed because it wrote too much.
    TooMuch,
}

/// Returns the path of a program. A name without a folder is looked up on PATH, in its
/// absolute folders only: `.` may be a folder of an author.
pub(super) fn find(name: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
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

/// Returns a command that runs a program in the folder `current`. `home` is an empty folder.
pub(crate) fn command(program: &Path, current: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(current)
        .env_clear()
        // The folder is empty: even if a path is mistaken for a repository, there is no git.
        .env("PATH", home)
        .env("HOME", home)
        .env("TMPDIR", home)
        // Downloads are refused before this. If one were missed it would fail at once, because
        // nothing listens at port 0; but Go makes requests to this machine without a proxy.
        .envs(["HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name, "http://127.0.0.1:0")))
        .stdin(Stdio::null());
    command
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    /// The maximum number of bytes that it may write.
    pub(crate) output: u64,
    /// The maximum size of its data in memory, in bytes; at least [`MIN_MEMORY`].
    pub(crate) memory: u64,
}

/// How much memory a tool needs for ordinary folders.
const MIN_MEMORY: u64 = 1 << 30;

/// Runs a command to its end. It is killed when it exceeds a limit. `running` is called with
/// its process when it has started, and with None before it has ended.
pub(crate) fn run(
    command: &mut Command,
    limits: &Limits,
    running: &dyn Fn(Option<u32>),
) -> Result<Finished, Failure> {
    let Limits {
        time,
        output: max,
        memory,
    } = *limits;
    let deadline = Instant::now() + time;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Failure::NotStarted)?;
    running(Some(child.id()));
    limit_memory(child.id(), memory.max(MIN_MEMORY));
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        read(stdout, max.saturating_add(1), sender.clone(), Pipe::Stdout);
    }
    if let Some(stderr) = child.stderr.take() {
        read(stderr, MAX_MESSAGES, sender, Pipe::Stderr);
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut failure = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Pipe::Stdout(bytes)) if bytes.len() as u64 > max => break Some(Failure::TooMuch),
            Ok(Pipe::Stdout(bytes)) => stdout = bytes,
            Ok(Pipe::Stderr(bytes)) => stderr = bytes,
            Err(mpsc::RecvTimeoutError::Timeout) => break Some(Failure::TimedOut),
            // Both pipes are closed.
            Err(mpsc::RecvTimeoutError::Disconnected) => break None,
        }
    };
    if failure.is_some() {
        // Fails if it has exited in the meantime.
        let _ = child.kill();
    }
    // From here on, its number may become that of another process.
    running(None);
    let status = loop {
        match child.try_wait().map_err(Failure::NotStarted)? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            // It has closed its pipes, but is still running.
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

/// Limits the data of a process, where this is possible.
#[cfg(target_os = "linux")]
fn limit_memory(process: u32, bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    // Fails if it has exited.
    let _ = process.map(|process| prlimit(Some(process), Resource::Data, limit));
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: u32, _: u64) {}

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

    use super::{Failure, Finished, Limits, command, find, run};

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn limits(time: Duration, output: u64) -> Limits {
        Limits {
            time,
            output,
            memory: 0,
        }
    }

    fn run_sh(script: &str, time: Duration, output: u64) -> Result<Finished, Failure> {
        run(&mut sh(script), &limits(time, output), &|_| {})
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn returns_what_the_program_writes() {
        let finished = run_sh("echo a; echo b >&2; exit 3", LONG, 100).unwrap();
        assert_eq!(finished.stdout, b"a\n");
        assert_eq!(finished.stderr, b"b\n");
        assert_eq!(finished.status.code(), Some(3));
    }

    #[test]
    fn kills_a_program_at_the_deadline() {
        let failure = run_sh("exec cat /dev/zero >&2", Duration::from_millis(50), 100);
        assert!(matches!(failure, Err(Failure::TimedOut)), "{failure:?}");
    }

    #[test]
    fn kills_a_program_that_writes_too_much() {
        let failure = run_sh("exec cat /dev/zero", LONG, 100);
        assert!(matches!(failure, Err(Failure::TooMuch)), "{failure:?}");
        assert!(run_sh("printf 12345", LONG, 5).is_ok());
    }

    #[test]
    fn the_program_inherits_nothing() {
        let home = tempfile::tempdir().unwrap();
        let mut env = command(Path::new("/usr/bin/env"), home.path(), home.path());
        let names: Vec<_> = env.get_envs().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(
            names,
            ["HOME", "HTTPS_PROXY", "HTTP_PROXY", "PATH", "TMPDIR"]
        );
        let written = run(&mut env, &limits(LONG, 10_000), &|_| {})
            .unwrap()
            .stdout;
        let written = String::from_utf8(written).unwrap();
        assert_eq!(written.lines().count(), names.len(), "{written}");
    }

    #[test]
    fn only_absolute_folders_of_path_are_searched() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("kustomize");
        std::fs::write(&program, "").unwrap();
        let path = folder.path().as_os_str();
        let name = Path::new("kustomize");
        assert_eq!(find(name, Some(path)), None);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, executable).unwrap();
        assert_eq!(find(name, Some(path)), Some(program.clone()));
        assert_eq!(find(name, Some(".".as_ref())), None);
        assert_eq!(find(name, None), None);
        assert_eq!(find(&program, None), Some(program.clone()));
    }
}
