//! What tests need, and what this machine cannot run of them.
//!
//! A test that needs something outside the repository's sources has the attribute
//! [`needs`](crate::needs), with which the test runner ignores it:
//!
//! ```text
//! #[needs(terraform)]
//! #[test]
//! fn reads_what_terraform_writes() {
//!     let program = skip::needed_program("terraform");
//! ```
//!
//! One that does less without it calls [`skipped`] for the rest.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::exemptions::exemption;

/// What a test may need besides the repository's sources and a Rust toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirement {
    /// What `cargo xtask dist` builds.
    Dist,
    /// What `cargo xtask tools` builds: kustomize, Helm, Argo CD's plugin server.
    Tools,
    /// The folder of real manifests and outputs documents, `LANDFALL_CORPORA`.
    Corpora,
    /// Go, and the modules that it downloads.
    Go,
    /// Node and npm, and the packages that they download.
    Node,
    /// Python, and the packages that it downloads.
    Python,
    /// Chromium or Chrome.
    Browser,
    /// `terraform`.
    Terraform,
    /// `kubectl`.
    Kubectl,
    /// The rights of root, on Linux: to mount folders and to change the root folder.
    Root,
}

impl Requirement {
    const ALL: [Self; 10] = [
        Self::Dist,
        Self::Tools,
        Self::Corpora,
        Self::Go,
        Self::Node,
        Self::Python,
        Self::Browser,
        Self::Terraform,
        Self::Kubectl,
        Self::Root,
    ];

    /// Returns its name in messages and the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dist => "dist",
            Self::Tools => "tools",
            Self::Corpora => "corpora",
            Self::Go => "go",
            Self::Node => "node",
            Self::Python => "python",
            Self::Browser => "browser",
            Self::Terraform => "terraform",
            Self::Kubectl => "kubectl",
            Self::Root => "root",
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A test that was not run, or not in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// What was missing.
    pub requirement: Requirement,
    /// How it was missing, and what to do, on one line.
    pub why: String,
    /// The test's name.
    pub test: String,
}

impl Skip {
    /// Creates a skip of `test`. Line breaks in `why`, which may be a program's output,
    /// become spaces.
    pub fn new(requirement: Requirement, why: &str, test: &str) -> Self {
        let words: Vec<&str> = why.split_whitespace().collect();
        Self {
            requirement,
            why: words.join(" "),
            test: test.to_owned(),
        }
    }

    /// Parses a line of the log, as written by [`Skip::to_line`].
    ///
    /// ```
    /// use landfall_test_support::skip::{Requirement, Skip};
    ///
    /// let skip = Skip::new(Requirement::Go, "`go` was not found", "readers::go");
    /// assert_eq!(Skip::from_line(&skip.to_line()), Some(skip));
    /// assert_eq!(Skip::from_line("chatter"), None);
    /// ```
    #[must_use]
    pub fn from_line(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let name = parts.next()?;
        let requirement = Requirement::ALL
            .into_iter()
            .find(|requirement| requirement.name() == name)?;
        let (test, why) = (parts.next()?, parts.next()?);
        Some(Self::new(requirement, why, test))
    }

    /// Returns a line of the log, without its line break: requirement, test and reason,
    /// separated by tabs.
    #[must_use]
    pub fn to_line(&self) -> String {
        format!("{}\t{}\t{}", self.requirement, self.test, self.why)
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requirement,
            why,
            test,
        } = self;
        write!(f, "skipped: {requirement}: {why} ({test})")
    }
}

/// The variable that names the log of skips: `cargo xtask test` sets it, and counts what
/// the tests append.
pub const LOG: &str = "LANDFALL_SKIPS";

/// Records that the calling test is skipped, and why.
///
/// The line is written to stderr bypassing the test runner, which would show it only for
/// failing tests, and to the [`LOG`]. A test is recorded once per requirement, however
/// often it asks.
///
/// # Panics
/// If `CI=true`, unless [`crate::exemptions`] lists the requirement: all others are
/// mandatory.
pub fn skipped(requirement: Requirement, why: &str) {
    static RECORDED: Mutex<BTreeSet<(String, Requirement)>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let skip = Skip::new(requirement, why, thread.name().unwrap_or("a test"));
    assert!(
        !is_ci() || exemption(requirement, is_true).is_some(),
        "{skip}, but CI must run it: only what tests/support/src/exemptions.rs lists may be missing"
    );
    let is_new = RECORDED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert((skip.test.clone(), requirement));
    if !is_new {
        return;
    }
    // One write each: tests run in parallel, and lines must not be interleaved.
    let _ = std::io::stderr().write_all(format!("{skip}\n").as_bytes());
    if let Some(path) = std::env::var_os(LOG) {
        let written = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut log| log.write_all(format!("{}\n", skip.to_line()).as_bytes()));
        assert!(written.is_ok(), "{LOG}: {}: {written:?}", path.display());
    }
}

/// Whether an environment variable is `true`.
#[must_use]
pub fn is_true(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "true")
}

/// Whether this is continuous integration: `CI=true`.
#[must_use]
pub fn is_ci() -> bool {
    is_true("CI")
}

/// The name under which tests need Chromium, which has other names on other systems.
pub const BROWSER: &str = "browser";

/// The programs that are only looked for, by `cargo xtask test`: tests that need one have it in
/// their attribute.
pub const PROGRAMS: &[&str] = &["go", "kubectl", "node", "terraform"];

/// Returns the variable that names one of the [`PROGRAMS`], or the [`BROWSER`].
///
/// ```
/// # use landfall_test_support::skip;
/// assert_eq!(skip::variable("go"), "LANDFALL_GO");
/// ```
#[must_use]
pub fn variable(program: &str) -> String {
    format!("LANDFALL_{}", program.to_uppercase())
}

/// Returns one of the [`PROGRAMS`], or the [`BROWSER`], for a test that has it in its attribute.
///
/// # Panics
/// Its variable does not name a file.
#[must_use]
pub fn needed_program(program: &str) -> PathBuf {
    let variable = variable(program);
    let path = PathBuf::from(std::env::var_os(&variable).unwrap_or_default());
    assert!(path.is_file(), "{variable}: {path:?} is not a file");
    path
}

/// Returns a program on the `PATH`.
#[must_use]
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// Returns a program on the `PATH`, or skips for `requirement`.
#[must_use]
pub fn on_path(name: &str, requirement: Requirement) -> Option<PathBuf> {
    let found = find_on_path(name);
    if found.is_none() {
        skipped(requirement, &format!("`{name}` is not on the PATH"));
    }
    found
}

/// The variable that names the folder of the corpora.
const CORPORA: &str = "LANDFALL_CORPORA";

/// Returns the folder of the corpora, `$LANDFALL_CORPORA`, for a test that does more with
/// them: `None` has been recorded as a skip.
///
/// # Panics
/// The variable does not name a folder: a mistake, not a machine without corpora.
#[must_use]
pub fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os(CORPORA).map(PathBuf::from);
    match &folder {
        None => skipped(Requirement::Corpora, "LANDFALL_CORPORA is not set"),
        Some(folder) => assert!(
            folder.is_dir(),
            "{CORPORA}: {} is not a folder",
            folder.display()
        ),
    }
    folder
}

/// Returns the folder of the corpora for a test with the attribute `needs(corpora)`, which
/// is ignored without them.
///
/// # Panics
/// The variable is not set, or does not name a folder.
#[must_use]
pub fn needed_corpora() -> PathBuf {
    assert!(
        std::env::var_os(CORPORA).is_some(),
        "{CORPORA} is not set, and the test has no `needs(corpora)`"
    );
    corpora().expect("is set")
}

/// Returns a folder of the [`needed_corpora`].
///
/// # Panics
/// The corpora are missing, or have no such folder.
#[must_use]
pub fn corpus(name: &str) -> PathBuf {
    let folder = needed_corpora().join(name);
    assert!(folder.is_dir(), "{CORPORA} has no folder `{name}`");
    folder
}
