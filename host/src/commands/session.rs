//! The end of every subcommand: diagnostics on standard error, the result on standard
//! output, and the exit code.

use std::io::{self, Write};

use landfall_sandbox::types::{BuiltInCeiling, Ceiling, Config};

use crate::draw::Documents;
use crate::engine::Halted;
use crate::exit::Exit;
use crate::problem::{Problem, diagnostics as problem_diagnostics};
use crate::report;
use crate::reporter::{Failed, Reporter};
use crate::sanitize;
use crate::settings::{Limits, ReportFormat, ReportSettings};

use super::stdout;

/// One run of a subcommand.
pub(super) struct Session {
    pub(super) reporter: Reporter,
    pub(super) limits: Limits,
    built_in_ceiling: BuiltInCeiling,
    /// How a run with errors ends.
    error_exit: Exit,
}

impl Session {
    pub(super) fn new(
        report: ReportSettings,
        limits: Limits,
        built_in_ceiling: BuiltInCeiling,
        error_exit: Exit,
    ) -> Self {
        Self {
            reporter: Reporter::new(report),
            limits,
            built_in_ceiling,
            error_exit,
        }
    }

    /// Returns the policy ceiling of this run: the subcommand's built-in ceiling and the
    /// operator's policy.
    pub(super) fn ceiling(&self, operator_policy: Option<Config>) -> Ceiling {
        Ceiling {
            built_in: self.built_in_ceiling,
            operator_policy,
        }
    }

    /// Reports problems that the host found.
    pub(super) fn add_problems(&mut self, problems: Vec<Problem>) {
        let found = problem_diagnostics(problems);
        self.reporter.add(&Documents::default(), &found);
    }

    /// Ends without a result. `outcome` is appended to the number of errors.
    pub(super) fn end(self, failed: &Failed, outcome: &str) -> Exit {
        match failed {
            Failed::Halted(halted) => self.halt(halted, outcome),
            Failed::Reported(_) => {
                write_stderr(&self.reporter.finish(outcome));
                self.error_exit
            }
        }
    }

    /// As [`Self::end`], after `write` has written the results of a failure to standard output.
    pub(super) fn end_with(
        self,
        outcome: &str,
        write: impl FnOnce(&mut stdout::Stdout) -> io::Result<()>,
    ) -> Exit {
        let exit = self.error_exit;
        self.write_and(exit, outcome, 0, write)
    }

    /// Ends without a result because of these problems.
    pub(super) fn refuse(mut self, problems: Vec<Problem>, outcome: &str) -> Exit {
        self.add_problems(problems);
        write_stderr(&self.reporter.finish(outcome));
        self.error_exit
    }

    /// Ends without an answer from the module.
    pub(super) fn halt(mut self, halted: &Halted, outcome: &str) -> Exit {
        self.reporter.halted(&halted.to_string());
        write_stderr(&self.reporter.finish(outcome));
        Exit::Halted
    }

    /// Ends successfully, without writing to standard output.
    pub(super) fn done(self) -> Exit {
        write_stderr(&self.reporter.finish(""));
        Exit::Done
    }

    /// Ends successfully after `write` has written to standard output. `size` is the
    /// approximate number of bytes.
    pub(super) fn write(
        self,
        size: usize,
        write: impl FnOnce(&mut stdout::Stdout) -> io::Result<()>,
    ) -> Exit {
        self.write_and(Exit::Done, "", size, write)
    }

    /// Ends with `exit` after writing `text` to standard output.
    pub(super) fn write_text(self, exit: Exit, text: &str) -> Exit {
        self.write_and(exit, "", text.len(), |out| out.write_all(text.as_bytes()))
    }

    /// Ends by writing all collected findings to standard output as `format`.
    pub(super) fn report(mut self, format: ReportFormat) -> Exit {
        let findings = self.reporter.take_collected();
        let exit = self.reporter.exit();
        let current_folder = std::env::current_dir().ok();
        let text = report::write(format, &findings, current_folder.as_deref());
        self.write_text(exit, &text)
    }

    fn write_and(
        self,
        exit: Exit,
        outcome: &str,
        size: usize,
        write: impl FnOnce(&mut stdout::Stdout) -> io::Result<()>,
    ) -> Exit {
        let error_exit = self.error_exit;
        write_stderr(&self.reporter.finish(outcome));
        let written = stdout::open(size).and_then(|mut out| {
            write(&mut out)?;
            out.flush()
        });
        match written {
            Ok(()) => exit,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
            Err(error) => {
                write_stderr(&format!(
                    "error: cannot write to standard output: {error}\n"
                ));
                error_exit
            }
        }
    }
}

/// Writes to standard error in one piece. Errors are ignored: there is nowhere to report
/// them.
fn write_stderr(text: &str) {
    if !text.is_empty() {
        let _ = io::stderr().write_all(sanitize::without_ci_commands(text).as_bytes());
    }
}
