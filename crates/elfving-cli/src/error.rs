//! What a failure is called: every error of the library gets a code and an exit code in one place.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use elfving::bandit::BanditError;
use elfving::design::DesignError;
use elfving::estimate::EstimateError;
use elfving::pool::PoolError;
use elfving::units::{ErrorKind, InvalidValue};
use elfving_plot::PictureError;
use elfving_problem::codes::{code_of, code_of_design, code_of_estimate, code_of_pool, code_of_value};
use elfving_table::{TableError, WriteError};
use serde_json::{Value, json};

use crate::campaign::CampaignFailure;
use crate::exit::ExitCode;
use crate::hints;
use crate::output;
use crate::signals;

/// A failure of a command.
#[derive(Debug)]
pub(crate) enum CliError {
    /// What was asked cannot be done, in the words of the command line: why, and what to do.
    Refused { kind: ErrorKind, code: &'static str, message: String, help: String },
    /// A table is refused; the text carries its own codes.
    Table(TableError),
    /// A value is outside its domain.
    Invalid(InvalidValue),
    /// The pool has no answer.
    Pool(PoolError),
    /// The design has no answer.
    Design(DesignError),
    /// A target that no design on the pool can determine, by the name the user knows.
    NotIdentifiable { target: String, gamma: f64 },
    /// A campaign cannot do what was asked; the text says what is on record.
    Campaign(Box<CampaignFailure>),
    /// A picture cannot be drawn.
    Picture(PictureError),
    /// A file or stdout cannot be written.
    Write { to: String, source: io::Error, record: Option<String> },
    /// Broken pipe: the reader of stdout has closed it.
    ReaderGone,
    /// `ask` has nothing to hand out; what it printed says why.
    NothingToDo,
    /// The data refute what is assumed; what was printed says so.
    Refuted,
    /// A signal ended a command that has left everything in order.
    Interrupted { signal: i32 },
}

impl CliError {
    pub(crate) fn refused(
        kind: ErrorKind,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::Refused { kind, code, message: message.into(), help: help.into() }
    }

    /// The command line asks for something that does not go together.
    pub(crate) fn usage(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::refused(ErrorKind::Usage, code, message, help)
    }

    /// A file that is not a table (a design, a Gram matrix) is refused.
    pub(crate) fn data(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::refused(ErrorKind::Data, code, message, help)
    }

    /// There is a choice that only the user can make.
    pub(crate) fn decision(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::refused(ErrorKind::Decision, code, message, help)
    }

    /// The answer is there, but without its certificate.
    pub(crate) fn no_certificate(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::refused(ErrorKind::Numerical, code, message, help)
    }

    pub(crate) fn write(to: &Path, source: io::Error) -> Self {
        Self::Write { to: to.display().to_string(), source, record: None }
    }

    /// A failure to write the answer, after the campaign has taken in what it is about.
    pub(crate) fn after_commit(mut self, what: &str, event: u64) -> Self {
        if let Self::Write { record, .. } = &mut self {
            *record = Some(format!("{what} (campaign at event {event})"));
        }
        self
    }

    pub(crate) fn exit(&self) -> ExitCode {
        self.kind().map_or_else(|outcome| outcome, exit_of)
    }

    /// The error as one line of JSON: `{"error":{"code":..,"message":..,"help":..,"exit":..}}`. A table that is refused also
    /// lists its problems, and notes that were held back come with it.
    pub(crate) fn to_json(&self, notes: &[String]) -> String {
        let table = match self {
            Self::Table(error) => Some(error),
            Self::Campaign(failure) => failure.table(),
            _ => None,
        };
        // `error[E312]: message`, then lines with what to do and what is on record.
        let text = self.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let (code, message) = match first.strip_prefix("error[").and_then(|rest| rest.split_once("]: ")) {
            Some((code, message)) => (code, message),
            None => (self.code(), first),
        };
        let rest: Vec<&str> = lines.map(str::trim_start).collect();
        let help = rest.iter().find_map(|line| line.strip_prefix("help: "));
        let record =
            rest.iter().find(|line| line.contains("campaign at event") || line.contains("campaign still at"));
        let mut error = json!({ "code": code, "message": message, "help": help, "exit": self.exit() as i32 });
        if let Some(record) = record {
            error["record"] = json!(record);
        }
        if let Some(table) = table {
            let problem = |problem: &elfving_table::Problem| {
                json!({
                    "code": problem.code.to_string(),
                    "file": problem.file,
                    "line": problem.line(),
                    "column": problem.column,
                    "message": problem.message,
                })
            };
            error["problems"] = table.problems().iter().map(problem).collect::<Value>();
            error["total"] = json!(table.total());
        }
        if !notes.is_empty() {
            error["notes"] = json!(notes);
        }
        json!({ "error": error }).to_string()
    }

    /// What kind of mistake it is; `Err` for what is none.
    fn kind(&self) -> Result<ErrorKind, ExitCode> {
        Ok(match self {
            Self::Refused { kind, .. } => *kind,
            Self::Table(error) => error.kind(),
            Self::Invalid(error) => error.kind(),
            Self::Pool(error) => error.kind(),
            Self::Design(error) => error.kind(),
            Self::NotIdentifiable { .. } => ErrorKind::NotIdentifiable,
            Self::Campaign(failure) => failure.error.kind(),
            Self::Picture(error) => error.kind(),
            Self::Write { .. } => ErrorKind::Durability,
            Self::ReaderGone => return Err(ExitCode::Done),
            Self::NothingToDo => return Err(ExitCode::NothingToDo),
            Self::Refuted => return Err(ExitCode::Refuted),
            Self::Interrupted { signal } => return Err(signals::exit_code(*signal)),
        })
    }

    /// The code of every failure.
    fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code,
            Self::Invalid(error) => code_of_value(error),
            Self::Pool(error) => code_of_pool(error),
            Self::Design(error) => code_of_design(error),
            Self::NotIdentifiable { .. } => code_of(ErrorKind::NotIdentifiable),
            Self::Campaign(failure) => failure.code(),
            Self::Picture(PictureError::Extension { .. }) => "E204",
            Self::Picture(_) => "E710",
            Self::Write { .. } => "E501",
            // A table has a code for each of its problems.
            Self::Table(_)
            | Self::ReaderGone
            | Self::NothingToDo
            | Self::Refuted
            | Self::Interrupted { .. } => "",
        }
    }

    fn help(&self) -> Option<&str> {
        match self {
            Self::Refused { help, .. } => Some(help),
            Self::NotIdentifiable { .. } => {
                Some("give a small positive --gamma such as 1e-3, or remove the target")
            }
            Self::Pool(PoolError::NotPositiveSemidefinite { .. } | PoolError::NotSymmetric { .. }) => Some(
                "nothing was added to the diagonal; for a matrix in single precision use --residual 1e-6",
            ),
            Self::Pool(PoolError::KernelNotFinite { .. })
            | Self::Design(DesignError::Overflow { .. } | DesignError::Singular { .. }) => {
                Some("--standardize scales every column to mean 0 and standard deviation 1")
            }
            Self::Write { to, .. } if to == output::STDOUT => Some("check where stdout goes, and its disk"),
            Self::Write { .. } => Some("check the folder, its permissions and the disk"),
            _ => None,
        }
    }
}

/// How the program ends after a mistake of a kind: the one place that says so.
fn exit_of(kind: ErrorKind) -> ExitCode {
    match kind {
        ErrorKind::Usage | ErrorKind::FileExists => ExitCode::Usage,
        ErrorKind::Data | ErrorKind::MissingFile | ErrorKind::UnknownSlot | ErrorKind::Conflict => {
            ExitCode::DataRefused
        }
        ErrorKind::RoundIncomplete | ErrorKind::Budget | ErrorKind::Decision => ExitCode::DecisionNeeded,
        ErrorKind::Damaged => ExitCode::Damaged,
        ErrorKind::Durability => ExitCode::Durability,
        ErrorKind::Locked => ExitCode::Locked,
        ErrorKind::Newer => ExitCode::Newer,
        // Numerical and its like, and what a later version of the library may add.
        _ => ExitCode::NoCertificate,
    }
}

/// What to do about an error of an estimate, in the options of the program.
fn help_of_estimate(error: &EstimateError) -> &'static str {
    match (error, error.kind()) {
        (EstimateError::NeedsBound { .. }, _) => "give --bound B, larger than every mean in absolute value",
        (EstimateError::Bound { .. }, _) => "give a number >= 0",
        (EstimateError::NothingMeasured, _) => "measure candidates with features that are not zero",
        (_, ErrorKind::TooFewSamples) => "--mean soft-truncated needs no minimum; or make more measurements",
        (_, ErrorKind::NotIdentifiable) => "give --gamma, or measure more candidates",
        (_, ErrorKind::Numerical) => "bring outcomes and features to a scale near 1",
        (_, ErrorKind::Data) => "look at the plan and its outcomes",
        _ => "see --help",
    }
}

/// What to do about an error of an algorithm, in the options of the program.
pub(crate) fn help_of_bandit(error: &BanditError) -> Option<&'static str> {
    Some(match error {
        BanditError::NeedsAssumption { .. } => "state it with --norm, --bound or --noise sub-gaussian",
        BanditError::OtherGoal { .. } => "change --goal or --algorithm",
        BanditError::ChoicesNotMeasurable { .. } => "leave out --targets, or use --goal best",
        BanditError::Epsilon { .. } | BanditError::TopCount { .. } | BanditError::Horizon => {
            "see --goal, --epsilon and --top"
        }
        _ => return None,
    })
}

impl fmt::Display for CliError {
    /// `error[E701]: ...`, and the help on a line of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => return f.write_str(&error.render(&hints::words)),
            Self::Campaign(failure) => return write!(f, "{failure}"),
            Self::ReaderGone | Self::NothingToDo | Self::Refuted | Self::Interrupted { .. } => {
                return Ok(());
            }
            _ => write!(f, "error[{}]: ", self.code())?,
        }
        match self {
            Self::Refused { message, .. } => f.write_str(message)?,
            Self::Invalid(error) => write!(f, "{error}")?,
            Self::Pool(error) => write!(f, "{error}")?,
            Self::Design(error) => write!(f, "{error}")?,
            Self::NotIdentifiable { target, gamma } => write!(
                f,
                "{target} cannot be estimated from this pool: its variance is infinite at gamma = {gamma}"
            )?,
            Self::Picture(error) => write!(f, "{error}")?,
            Self::Write { to, source, .. } => write!(f, "{to}: cannot be written: {source}")?,
            Self::Table(_)
            | Self::Campaign(_)
            | Self::ReaderGone
            | Self::NothingToDo
            | Self::Refuted
            | Self::Interrupted { .. } => {}
        }
        if let Some(help) = self.help() {
            write!(f, "\n  help: {help}")?;
        }
        match self {
            Self::Write { record: Some(record), .. } => write!(f, "\n  {record}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for CliError {}

impl From<TableError> for CliError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Condition(error) => Self::usage("E211", error.to_string(), CONDITION_HELP),
            other => Self::Table(other),
        }
    }
}

/// Where conditions are described.
pub(crate) const CONDITION_HELP: &str =
    "for example \"dose <= 3 and ligand = 'XPhos'\"; a name with spaces goes in `backquotes`";

impl From<InvalidValue> for CliError {
    fn from(error: InvalidValue) -> Self {
        Self::Invalid(error)
    }
}

impl From<PoolError> for CliError {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

impl From<DesignError> for CliError {
    fn from(error: DesignError) -> Self {
        match error {
            DesignError::Pool(error) => Self::Pool(error),
            DesignError::Invalid(error) => Self::Invalid(error),
            other => Self::Design(other),
        }
    }
}

impl From<EstimateError> for CliError {
    fn from(error: EstimateError) -> Self {
        match error {
            EstimateError::Pool(error) => error.into(),
            EstimateError::Invalid(error) => error.into(),
            EstimateError::NeedsBound { estimator } => {
                let message = format!("{estimator} needs a bound on the mean outcomes");
                Self::refused(error.kind(), code_of_estimate(&error), message, help_of_estimate(&error))
            }
            error => {
                let help = help_of_estimate(&error);
                Self::refused(error.kind(), code_of_estimate(&error), error.to_string(), help)
            }
        }
    }
}

impl From<PictureError> for CliError {
    fn from(error: PictureError) -> Self {
        Self::Picture(error)
    }
}

/// A table that was computed is written; its numbers are finite and its rows complete.
pub(crate) fn write_error(to: PathBuf) -> impl Fn(WriteError) -> CliError {
    move |error| match error {
        WriteError::Io(source) => CliError::write(&to, source),
        other => CliError::write(&to, io::Error::other(other.to_string())),
    }
}
