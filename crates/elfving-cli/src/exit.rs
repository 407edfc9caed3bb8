//! Exit codes. Scripts rely on them: a code never changes its meaning.

/// How a run of the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Done.
    Done = 0,
    /// A bug of the program itself.
    Bug = 1,
    /// The command line cannot be understood, or a value is outside its domain.
    Usage = 2,
    /// The data are refused.
    DataRefused = 3,
    /// A campaign is damaged, or is none.
    Damaged = 4,
    /// A file or a stream cannot be written.
    Durability = 5,
    /// A campaign is locked by another process.
    Locked = 6,
    /// Numerical: there is no certificate.
    NoCertificate = 7,
    /// The user has to decide something first.
    DecisionNeeded = 8,
    /// A campaign was written by a newer version.
    Newer = 9,
    /// `ask` has nothing to hand out: the campaign has stopped, or waits for results.
    NothingToDo = 10,
    /// `status --check`: the data refute what is assumed.
    Refuted = 11,
    /// Stopped with Ctrl-C; nothing is half-written.
    Interrupted = 130,
    /// Ended by SIGTERM; nothing is half-written.
    #[cfg(unix)]
    Terminated = 143,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
