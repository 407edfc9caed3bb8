//! Which exception of Python every error of the library becomes: by its kind.

use elfving::bandit::BanditError;
use elfving::design::DesignError;
use elfving::estimate::EstimateError;
use elfving::estimate::robust_mean::MeanError;
use elfving::named::UnknownName;
use elfving::pool::PoolError;
use elfving::rounding::RoundingError;
use elfving::surrogate::SurrogateError;
use elfving::units::{ErrorKind, InvalidValue};
use elfving_campaign::CampaignError;
use elfving_lab::complexity::ComplexityError;
use elfving_lab::simulate::SimulationError;
use elfving_table::{TableError, WriteError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::hints;

/// The exceptions of `elfving.exceptions`, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Option,
    Data,
    MissingFile,
    FileExists,
    UnknownSlot,
    Conflict,
    RoundIncomplete,
    Numerical,
    NotIdentifiable,
    NotPositiveSemidefinite,
    Budget,
    Corrupt,
    Version,
    Durability,
    Locked,
    Internal,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Option => "OptionError",
            Self::Data => "DataError",
            Self::MissingFile => "MissingFileError",
            Self::FileExists => "CampaignExistsError",
            Self::UnknownSlot => "UnknownSlot",
            Self::Conflict => "ConflictError",
            Self::RoundIncomplete => "RoundIncomplete",
            Self::Numerical => "NumericalError",
            Self::NotIdentifiable => "NotIdentifiable",
            Self::NotPositiveSemidefinite => "NotPositiveSemidefinite",
            Self::Budget => "BudgetError",
            Self::Corrupt => "CorruptCampaign",
            Self::Version => "VersionError",
            Self::Durability => "DurabilityError",
            Self::Locked => "LockedError",
            Self::Internal => "InternalError",
        }
    }
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library refused, or found no answer.
    Refused(Class, String),
    /// Python itself raised.
    Python(PyErr),
}

/// The answer of a call, or why there is none.
pub(crate) type Answer<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn option(message: impl Into<String>) -> Self {
        Self::Refused(Class::Option, message.into())
    }

    pub(crate) fn internal(message: &str) -> Self {
        let report = "this is a bug of Elfving, please report it with the code that led here";
        Self::Refused(Class::Internal, format!("{message}; {report}"))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let (class, message) = match failure {
            Failure::Python(error) => return error,
            Failure::Refused(class, message) => (class, message),
        };
        Python::attach(|py| {
            let find = || py.import("elfving.exceptions").map(Bound::unbind);
            let raised = MODULE
                .get_or_try_init(py, find)
                .and_then(|module| module.bind(py).getattr(class.name()))
                .and_then(|exception| exception.call1((message,)));
            match raised {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}

/// The class of each error follows from its kind; its message is kept.
macro_rules! by_kind {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Refused(error.kind().into(), error.to_string())
            }
        }
    )+};
}

by_kind!(
    InvalidValue,
    PoolError,
    DesignError,
    RoundingError,
    MeanError,
    EstimateError,
    SurrogateError,
    BanditError,
    ComplexityError,
    SimulationError,
    WriteError,
);

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Self {
        Self::option(error.to_string())
    }
}

/// A refused table says what to do in the words of Python.
impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Self::Refused(error.kind().into(), error.render(&hints::words))
    }
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Table(error) => error.into(),
            error => Self::Refused(error.kind().into(), error.to_string()),
        }
    }
}

impl From<ErrorKind> for Class {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            // Python has no exit code 8: what only the user can decide is another option.
            ErrorKind::Usage | ErrorKind::Decision => Self::Option,
            ErrorKind::Data | ErrorKind::TooFewSamples => Self::Data,
            ErrorKind::NotIdentifiable => Self::NotIdentifiable,
            ErrorKind::NotPositiveSemidefinite => Self::NotPositiveSemidefinite,
            ErrorKind::Budget => Self::Budget,
            ErrorKind::UnknownSlot => Self::UnknownSlot,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::RoundIncomplete => Self::RoundIncomplete,
            ErrorKind::MissingFile => Self::MissingFile,
            ErrorKind::FileExists => Self::FileExists,
            ErrorKind::Damaged => Self::Corrupt,
            ErrorKind::Newer => Self::Version,
            ErrorKind::Durability => Self::Durability,
            ErrorKind::Locked => Self::Locked,
            // A kind that is not known here is one without an answer.
            _ => Self::Numerical,
        }
    }
}
