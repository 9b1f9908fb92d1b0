//! Exit codes.

/// How a run ended. Every subcommand has the same exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done,
    /// The input has errors, and nothing was written.
    InputErrors,
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
            Self::InputErrors => 1,
            Self::Usage => 2,
            Self::Halted => 3,
            Self::BrokenPipe => 141,
        }
    }
}
