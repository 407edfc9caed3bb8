//! What can go wrong with a campaign, and what each failure is called.

use std::io;
use std::path::PathBuf;

use elfving::bandit::BanditError;
use elfving::pool::PoolError;
use elfving::units::ErrorKind;
use elfving_problem::ProblemError;
use elfving_problem::codes::{code_of, code_of_bandit, code_of_pool};
use elfving_table::{TableError, WriteError};

use crate::chain::Digest;

/// Why a campaign cannot do what was asked. Unless a message says otherwise, nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// There is no such file.
    #[error("{}: cannot be read: {source}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A campaign never takes the place of another file.
    #[error("{}: a file of that name exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: not a campaign file", path.display())]
    NotACampaign {
        /// The file.
        path: PathBuf,
    },
    /// The file is not as it was written.
    #[error("{}: damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// The file was written by a newer version.
    #[error("{}: the file has format {found}, and this version knows formats up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest one known.
        known: u32,
    },
    /// The disk did not take it.
    #[error("{}: cannot be written: {what}", path.display())]
    Durability {
        /// The file.
        path: PathBuf,
        /// What the operating system or SQLite said.
        what: String,
    },
    /// It is on record, but the disk has not confirmed it.
    #[error("{}: written, but the disk has not confirmed it: {what}", path.display())]
    Unconfirmed {
        /// The file.
        path: PathBuf,
        /// What the operating system or SQLite said.
        what: String,
        /// The last event on record.
        event: u64,
    },
    /// Another process is writing.
    #[error("{}: another process has held the file for more than {seconds} s", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// A table is refused.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A setting makes no sense.
    #[error("{message}")]
    Setting {
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A candidate that the pool does not have.
    #[error("there is no candidate {id:?}{}", hint(nearest))]
    UnknownCandidate {
        /// The id given.
        id: String,
        /// The id that was probably meant.
        nearest: Option<String>,
    },
    /// A slot that was never handed out.
    #[error("{slot:?} is not a slot of this campaign{}", hint(nearest))]
    UnknownSlot {
        /// The name given.
        slot: String,
        /// The slot that was probably meant.
        nearest: Option<String>,
    },
    /// A slot has another outcome already.
    #[error("slot {slot} has the outcome {known} on record; the new one is {told}")]
    Conflict {
        /// The slot.
        slot: String,
        /// What was told before.
        known: String,
        /// What is told now.
        told: String,
    },
    /// Something was appended since the state that the change was meant for.
    #[error(
        "the campaign has moved on to event {event}; its state is not the one with the hash {expected} any more"
    )]
    MovedOn {
        /// The seal of the state that was expected.
        expected: Digest,
        /// The last event now.
        event: u64,
    },
    /// The slot has no outcome that could be corrected.
    #[error("slot {slot} has no outcome yet: record it with tell")]
    NothingToCorrect {
        /// The slot.
        slot: String,
    },
    /// A measurement of a closed round cannot be made again.
    #[error("slot {slot} belongs to a closed round: its outcome can be corrected, but not marked as failed")]
    CannotFailLate {
        /// The slot.
        slot: String,
    },
    /// The round of the slot was closed without it.
    #[error("the round of slot {slot} was closed without it; its outcome comes too late")]
    TooLate {
        /// The slot.
        slot: String,
    },
    /// What was told is no outcome.
    #[error("slot {slot}: {problem}; mark a failed measurement as failed")]
    NotAnOutcome {
        /// The slot.
        slot: String,
        /// What is wrong.
        problem: String,
    },
    /// The slot is not with anybody.
    #[error("slot {slot} is not open: it has its outcome, or its candidate was set aside")]
    NotOpen {
        /// The slot.
        slot: String,
    },
    /// An algorithm by whole rounds cannot do that.
    #[error(
        "{what}: {algorithm} decides by whole rounds of its own design, and its proof needs every one of them as it was planned"
    )]
    WholeRounds {
        /// What was wanted.
        what: &'static str,
        /// The algorithm.
        algorithm: String,
    },
    /// A round with open slots does not close by itself.
    #[error("{open} slots of round {round} are open")]
    RoundIncomplete {
        /// The round.
        round: u64,
        /// Slots without an outcome, handed out or not.
        open: usize,
    },
    /// Nothing is under way that could be closed.
    #[error("no round is under way")]
    NoRound,
    /// A computed number is not finite.
    #[error("a number in the {what} event exceeds the range of floating-point numbers")]
    OutOfRange {
        /// The kind of event.
        what: &'static str,
    },
    /// The outcomes are on record, but their round has no decision.
    #[error("the outcomes are recorded, but their round cannot be decided: {source}")]
    Undecided {
        /// Why.
        source: Box<CampaignError>,
    },
    /// The pool cannot be built.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The algorithm finds something wrong with the question, or no answer.
    #[error(transparent)]
    Bandit(BanditError),
    /// A sheet cannot be written.
    #[error(transparent)]
    Sheet(#[from] WriteError),
}

impl CampaignError {
    /// What it is called, in every shell; empty for a table, which has a code for each of its problems.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotACampaign { .. } => "E401",
            Self::Table(TableError::Condition(_)) => "E211",
            Self::Table(_) => "",
            Self::UnknownCandidate { .. } => "E203",
            Self::TooLate { .. } | Self::CannotFailLate { .. } => "E343",
            Self::NothingToCorrect { .. } => "E358",
            Self::NotAnOutcome { .. } => "E312",
            Self::NotOpen { .. } => "E359",
            Self::MovedOn { .. } => "E360",
            Self::NoRound => "E202",
            Self::Undecided { source } => source.code(),
            Self::Pool(error) => code_of_pool(error),
            Self::Bandit(error) => code_of_bandit(error),
            Self::Sheet(_) => "E501",
            error => code_of(error.kind()),
        }
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::MissingFile,
            Self::Exists { .. } => ErrorKind::FileExists,
            Self::NotACampaign { .. } | Self::Damaged { .. } => ErrorKind::Damaged,
            Self::Newer { .. } => ErrorKind::Newer,
            Self::Durability { .. } | Self::Unconfirmed { .. } => ErrorKind::Durability,
            Self::Locked { .. } => ErrorKind::Locked,
            Self::Setting { .. } | Self::UnknownCandidate { .. } | Self::NoRound => ErrorKind::Usage,
            Self::UnknownSlot { .. } => ErrorKind::UnknownSlot,
            Self::Conflict { .. } | Self::MovedOn { .. } => ErrorKind::Conflict,
            Self::NothingToCorrect { .. }
            | Self::CannotFailLate { .. }
            | Self::TooLate { .. }
            | Self::NotAnOutcome { .. }
            | Self::NotOpen { .. } => ErrorKind::Data,
            Self::WholeRounds { .. } => ErrorKind::Decision,
            Self::RoundIncomplete { .. } => ErrorKind::RoundIncomplete,
            Self::OutOfRange { .. } => ErrorKind::Numerical,
            Self::Undecided { source } => source.kind(),
            Self::Table(error) => error.kind(),
            Self::Pool(error) => error.kind(),
            Self::Bandit(error) => error.kind(),
            Self::Sheet(error) => error.kind(),
        }
    }
}

impl From<ProblemError> for CampaignError {
    fn from(error: ProblemError) -> Self {
        match error {
            ProblemError::Table(error) => Self::Table(error),
            ProblemError::Pool(error) => Self::Pool(error),
            ProblemError::Bandit(error) => Self::Bandit(error),
            ProblemError::Estimate(error) => Self::Bandit(error.into()),
            ProblemError::Surrogate(error) => Self::Bandit(error.into()),
            ProblemError::Invalid(error) => Self::Bandit(error.into()),
            ProblemError::UnknownName { name: id, nearest, .. } => Self::UnknownCandidate { id, nearest },
            other => Self::Setting { message: other.to_string() },
        }
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; the nearest is {nearest:?}"))
}
