//! How every subcommand ends: what is told on standard error, what is written to
//! standard output, and the exit code that says which it was.

use std::io::{self, Write};

use landfall_sandbox::types::{BuiltInCeiling, Ceiling, Config};

use crate::draw::Drawing;
use crate::engine::Halted;
use crate::exit::Exit;
use crate::foreign;
use crate::report::{self, Format};
use crate::settings::{Limits, ReportSettings};

use super::stdout;

/// One run of a subcommand.
pub(super) struct Session {
    pub(super) drawing: Drawing,
    pub(super) limits: Limits,
    built_in_ceiling: BuiltInCeiling,
}

impl Session {
    pub(super) fn new(
        report: ReportSettings,
        limits: Limits,
        built_in_ceiling: BuiltInCeiling,
    ) -> Self {
        Self {
            drawing: Drawing::new(report),
            limits,
            built_in_ceiling,
        }
    }

    /// The ceiling of every render of this run: what the subcommand has built in,
    /// and the operator's policy.
    pub(super) fn ceiling(&self, operator_policy: Option<Config>) -> Ceiling {
        Ceiling {
            built_in: self.built_in_ceiling,
            operator_policy,
        }
    }

    /// Ends with everything that is wrong; `outcome` is what that means.
    pub(super) fn fail(self, outcome: &str) -> Exit {
        tell(&self.drawing.finish(outcome));
        Exit::InputErrors
    }

    /// Ends because there is no answer.
    pub(super) fn halt(mut self, halted: &Halted, outcome: &str) -> Exit {
        self.drawing.halted(&halted.to_string());
        tell(&self.drawing.finish(outcome));
        Exit::Halted
    }

    /// Ends well, with nothing for standard output.
    pub(super) fn done(self) -> Exit {
        tell(&self.drawing.finish(""));
        Exit::Done
    }

    /// Ends well, with what `write` writes to standard output. `size` is about how
    /// many bytes that are.
    pub(super) fn write(
        self,
        size: usize,
        write: impl FnOnce(&mut stdout::Stdout) -> io::Result<()>,
    ) -> Exit {
        self.write_and(Exit::Done, size, write)
    }

    /// Ends as `exit` says, with all that was collected, as `format`, on standard
    /// output.
    pub(super) fn report(mut self, format: Format) -> Exit {
        let findings = self.drawing.take_collected();
        let exit = if self.drawing.has_errors() {
            Exit::InputErrors
        } else {
            Exit::Done
        };
        let here = std::env::current_dir().ok();
        let text = report::write(format, &findings, here.as_deref());
        self.write_and(exit, text.len(), |out| out.write_all(text.as_bytes()))
    }

    fn write_and(
        self,
        exit: Exit,
        size: usize,
        write: impl FnOnce(&mut stdout::Stdout) -> io::Result<()>,
    ) -> Exit {
        tell(&self.drawing.finish(""));
        let written = stdout::open(size).and_then(|mut out| {
            write(&mut out)?;
            out.flush()
        });
        match written {
            Ok(()) => exit,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
            Err(error) => {
                tell(&format!(
                    "error: standard output cannot be written: {error}\n"
                ));
                Exit::InputErrors
            }
        }
    }
}

/// Writes to standard error in one piece. Nobody can be told that it failed.
fn tell(text: &str) {
    if !text.is_empty() {
        let _ = io::stderr().write_all(foreign::without_commands(text).as_bytes());
    }
}
