//! How a run ends.

/// The exit codes, the same for every subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// What was asked for is done.
    Done,
    /// The input has errors: nothing was written.
    InputErrors,
    /// The command line is wrong.
    Usage,
    /// The sandbox stopped the module, or there is none.
    Halted,
    /// The reader of standard output went away. As for a program that dies of
    /// SIGPIPE, which Rust programs do not: 128 + 13, in silence.
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
