//! What a failure is called: every error of the library gets a code and an exit code in one place.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use elfving::design::DesignError;
use elfving::pool::PoolError;
use elfving::units::{ErrorKind, InvalidValue};
use elfving_plot::PictureError;
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
    /// The command line asks for something that does not go together; what to write instead.
    Usage { code: &'static str, message: String, help: String },
    /// A file that is not a table (a design, a Gram matrix) is refused.
    Data { code: &'static str, message: String, help: String },
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
    /// A document of a later version.
    Newer { message: String, help: String },
    /// There is a choice that only the user can make.
    Decision { code: &'static str, message: String, help: String },
    /// The answer is there, but without its certificate.
    NoCertificate { code: &'static str, message: String, help: String },
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
    /// A signal ended a command that has left everything in order.
    Interrupted { signal: i32 },
}

impl CliError {
    pub(crate) fn usage(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { code, message: message.into(), help: help.into() }
    }

    pub(crate) fn data(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Data { code, message: message.into(), help: help.into() }
    }

    pub(crate) fn decision(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Decision { code, message: message.into(), help: help.into() }
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
        self.verdict().1
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
            None => (self.verdict().0, first),
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

    /// The code and the exit code of every failure.
    fn verdict(&self) -> (&'static str, ExitCode) {
        match self {
            Self::Usage { code, .. } => (code, ExitCode::Usage),
            Self::Data { code, .. } => (code, ExitCode::DataRefused),
            Self::Table(_) => ("", ExitCode::DataRefused),
            Self::Invalid(error) => of_value(error),
            Self::Pool(error) => of_pool(error),
            Self::Design(error) => of_design(error),
            Self::NotIdentifiable { .. } => ("E701", ExitCode::NoCertificate),
            Self::Newer { .. } => ("E901", ExitCode::Newer),
            Self::Decision { code, .. } => (code, ExitCode::DecisionNeeded),
            Self::NoCertificate { code, .. } => (code, ExitCode::NoCertificate),
            Self::Campaign(failure) => failure.verdict(),
            Self::Picture(PictureError::Extension { .. }) => ("E204", ExitCode::Usage),
            Self::Picture(_) => ("E710", ExitCode::NoCertificate),
            Self::Write { .. } => ("E501", ExitCode::Durability),
            Self::ReaderGone => ("", ExitCode::Done),
            Self::NothingToDo => ("", ExitCode::NothingToDo),
            Self::Interrupted { signal } => ("", signals::exit_code(*signal)),
        }
    }

    fn help(&self) -> Option<&str> {
        match self {
            Self::Usage { help, .. }
            | Self::Data { help, .. }
            | Self::Newer { help, .. }
            | Self::Decision { help, .. }
            | Self::NoCertificate { help, .. } => Some(help),
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

/// The code and the exit code of a kind of error; a variant may have a code of its own.
fn of_kind(kind: ErrorKind) -> (&'static str, ExitCode) {
    match kind {
        ErrorKind::Usage => ("E201", ExitCode::Usage),
        ErrorKind::Data => ("E354", ExitCode::DataRefused),
        ErrorKind::NotIdentifiable => ("E701", ExitCode::NoCertificate),
        ErrorKind::NotPositiveSemidefinite => ("E705", ExitCode::NoCertificate),
        ErrorKind::UnknownSlot => ("E337", ExitCode::DataRefused),
        ErrorKind::Conflict => ("E342", ExitCode::DataRefused),
        ErrorKind::RoundIncomplete => ("E801", ExitCode::DecisionNeeded),
        ErrorKind::Budget => ("E802", ExitCode::DecisionNeeded),
        // Numerical, and what a later version of the library may add.
        _ => ("E703", ExitCode::NoCertificate),
    }
}

pub(crate) fn of_value(error: &InvalidValue) -> (&'static str, ExitCode) {
    let (code, exit) = of_kind(error.kind());
    // Weights come from files, never from the command line.
    (if error.kind() == ErrorKind::Data { "E352" } else { code }, exit)
}

pub(crate) fn of_pool(error: &PoolError) -> (&'static str, ExitCode) {
    let (code, exit) = of_kind(error.kind());
    let code = match error {
        PoolError::Invalid(error) => of_value(error).0,
        PoolError::LengthscaleCount { .. } => "E206",
        PoolError::UnknownChoice { .. }
        | PoolError::Coefficient { .. }
        | PoolError::EmptyCombination { .. }
        | PoolError::NoTargets
        | PoolError::NoPairs { .. } => "E203",
        PoolError::DirectionsNeedFeatures => "E202",
        PoolError::NotSquare { .. } | PoolError::MeasurableCount { .. } => "E353",
        PoolError::NotSymmetric { .. } => "E704",
        _ => code,
    };
    (code, exit)
}

pub(crate) fn of_design(error: &DesignError) -> (&'static str, ExitCode) {
    let (code, exit) = of_kind(error.kind());
    let code = match error {
        DesignError::Pool(error) => of_pool(error).0,
        DesignError::Invalid(error) => of_value(error).0,
        DesignError::OneTarget { .. } => "E205",
        DesignError::Unsupported { .. } => "E207",
        DesignError::Singular { .. } => "E702",
        DesignError::NothingToMeasure => "E706",
        DesignError::UnknownPoint { .. } | DesignError::UnknownTarget { .. } => "E352",
        _ => code,
    };
    (code, exit)
}

impl fmt::Display for CliError {
    /// `error[E701]: ...`, and the help on a line of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, _) = self.verdict();
        match self {
            Self::Table(error) => return f.write_str(&error.render(&hints::words)),
            Self::Campaign(failure) => return write!(f, "{failure}"),
            Self::ReaderGone | Self::NothingToDo | Self::Interrupted { .. } => return Ok(()),
            _ => write!(f, "error[{code}]: ")?,
        }
        match self {
            Self::Usage { message, .. }
            | Self::Data { message, .. }
            | Self::Newer { message, .. }
            | Self::Decision { message, .. }
            | Self::NoCertificate { message, .. } => f.write_str(message)?,
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
