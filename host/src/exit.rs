//! Exit codes.

/// How a run ended. Every subcommand has the same exit codes, except that `landfall diff`
/// has those of `kubectl diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done,
    /// The input has errors, and nothing was written.
    InputErrors,
    /// `landfall diff` found changes, or `--in-place --check` files that would change.
    Changed,
    /// Errors of `landfall diff`.
    DiffErrors,
    /// The command line is invalid.
    Usage,
    /// The sandbox stopped the module, or the module could not run.
    Halted,
    /// The reader of standard output closed it. The code is 128 + 13, as for a program
    /// killed by SIGPIPE, which Rust programs ignore.
    BrokenPipe,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::InputErrors | Self::Changed => 1,
            Self::DiffErrors | Self::Usage => 2,
            Self::Halted => 3,
            Self::BrokenPipe => 141,
        }
    }
}
