//! Which exception of Python every error of the library becomes: one exhaustive match an enum.

use elfving::bandit::BanditError;
use elfving::design::DesignError;
use elfving::estimate::EstimateError;
use elfving::estimate::robust_mean::MeanError;
use elfving::pool::PoolError;
use elfving::rounding::RoundingError;
use elfving::surrogate::SurrogateError;
use elfving::units::InvalidValue;
use elfving_campaign::CampaignError;
use elfving_lab::complexity::ComplexityError;
use elfving_lab::simulate::SimulationError;
use elfving_table::{Code, TableError, WriteError};
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

    pub(crate) fn data(message: impl Into<String>) -> Self {
        Self::Refused(Class::Data, message.into())
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

/// Names the class of each error of an enum of the library, and keeps its message.
macro_rules! classes {
    ($($error:ty => $of:ident;)+) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Refused($of(&error), error.to_string())
            }
        }
    )+};
}

classes! {
    InvalidValue => of_value;
    PoolError => of_pool;
    DesignError => of_design;
    RoundingError => of_rounding;
    MeanError => of_mean;
    EstimateError => of_estimate;
    SurrogateError => of_surrogate;
    BanditError => of_bandit;
    ComplexityError => of_complexity;
    SimulationError => of_simulation;
    WriteError => of_write;
}

/// A refused table says what to do in the words of Python.
impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Self::Refused(of_table(&error), error.render(&hints::words))
    }
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Table(error) => error.into(),
            error => Self::Refused(of_campaign(&error), error.to_string()),
        }
    }
}

fn of_value(error: &InvalidValue) -> Class {
    match error {
        InvalidValue::Ridge { .. }
        | InvalidValue::Confidence { .. }
        | InvalidValue::Sigma { .. }
        | InvalidValue::Bound { .. }
        | InvalidValue::Tolerance { .. }
        | InvalidValue::Lengthscale { .. } => Class::Option,
        InvalidValue::Weight { .. } | InvalidValue::WeightSum { .. } => Class::Data,
    }
}

fn of_pool(error: &PoolError) -> Class {
    match error {
        PoolError::Invalid(error) => of_value(error),
        PoolError::Parameter { .. }
        | PoolError::NoKernels { .. }
        | PoolError::LengthscaleCount { .. }
        | PoolError::TooManyColumns { .. }
        | PoolError::UnknownChoice { .. }
        | PoolError::Coefficient { .. }
        | PoolError::EmptyCombination { .. }
        | PoolError::NoTargets
        | PoolError::NoPairs { .. }
        | PoolError::DirectionsNeedFeatures => Class::Option,
        PoolError::NotSquare { .. }
        | PoolError::MeasurableCount { .. }
        | PoolError::NoPoints
        | PoolError::NoFeatures
        | PoolError::NotFinite { .. }
        | PoolError::ColumnCount { .. }
        | PoolError::AllPointsEqual => Class::Data,
        PoolError::KernelNotFinite { .. } => Class::Numerical,
        PoolError::NotSymmetric { .. } | PoolError::NotPositiveSemidefinite { .. } => {
            Class::NotPositiveSemidefinite
        }
    }
}

fn of_design(error: &DesignError) -> Class {
    match error {
        DesignError::Pool(error) => of_pool(error),
        DesignError::Invalid(error) => of_value(error),
        DesignError::OneTarget { .. } | DesignError::Unsupported { .. } => Class::Option,
        DesignError::NotIdentifiable { .. } => Class::NotIdentifiable,
        DesignError::Singular { .. } | DesignError::Overflow { .. } | DesignError::NothingToMeasure => {
            Class::Numerical
        }
        DesignError::UnknownPoint { .. } | DesignError::UnknownTarget { .. } => Class::Data,
    }
}

fn of_rounding(error: &RoundingError) -> Class {
    match error {
        RoundingError::Design(error) => of_design(error),
        RoundingError::Invalid(error) => of_value(error),
        RoundingError::Budget { .. }
        | RoundingError::UnknownPoint { .. }
        | RoundingError::NamedTwice { .. }
        | RoundingError::MinimumAboveMaximum { .. }
        | RoundingError::MinimaAboveBudget { .. }
        | RoundingError::MaximaBelowBudget { .. }
        | RoundingError::OtherProblem { .. }
        | RoundingError::OutsideBounds { .. }
        | RoundingError::Alpha { .. } => Class::Option,
        RoundingError::IntegerWeights { .. } | RoundingError::DrawnWithoutWeight { .. } => Class::Data,
    }
}

fn of_mean(error: &MeanError) -> Class {
    match error {
        MeanError::TooFewSamples { .. }
        | MeanError::NonFinite { .. }
        | MeanError::BoundRefuted { .. }
        | MeanError::Length { .. }
        | MeanError::UnknownPoint { .. }
        | MeanError::Coefficient { .. }
        | MeanError::Direction { .. } => Class::Data,
        MeanError::Overflow { .. } => Class::Numerical,
        MeanError::Moment { .. } | MeanError::LogTerm { .. } | MeanError::NoBlocks => Class::Option,
    }
}

fn of_estimate(error: &EstimateError) -> Class {
    match error {
        EstimateError::Pool(error) => of_pool(error),
        EstimateError::Invalid(error) => of_value(error),
        EstimateError::Mean(error) => of_mean(error),
        EstimateError::OutcomeCount { .. }
        | EstimateError::Outcome { .. }
        | EstimateError::UnknownPoint { .. }
        | EstimateError::PerPoint { .. }
        | EstimateError::PerPointValue { .. } => Class::Data,
        EstimateError::NotIdentifiable { .. } => Class::NotIdentifiable,
        EstimateError::NothingMeasured | EstimateError::Overflow => Class::Numerical,
        EstimateError::NeedsBound { .. }
        | EstimateError::Bound { .. }
        | EstimateError::UnknownBias
        | EstimateError::Fit { .. } => Class::Option,
    }
}

fn of_surrogate(error: &SurrogateError) -> Class {
    match error {
        SurrogateError::NoRows
        | SurrogateError::CategoryLength { .. }
        | SurrogateError::OtherColumns { .. }
        | SurrogateError::Coordinate { .. }
        | SurrogateError::NoMeasurements
        | SurrogateError::UnknownPoint { .. }
        | SurrogateError::Outcome { .. }
        | SurrogateError::Variance { .. } => Class::Data,
        SurrogateError::Parameter { .. } => Class::Option,
        SurrogateError::Singular { .. } => Class::Numerical,
    }
}

fn of_bandit(error: &BanditError) -> Class {
    match error {
        BanditError::Epsilon { .. }
        | BanditError::TopCount { .. }
        | BanditError::Horizon
        | BanditError::Ridge { .. }
        | BanditError::Weights { .. }
        | BanditError::EmptyBatch
        | BanditError::OtherGoal { .. }
        | BanditError::NeedsAssumption { .. }
        | BanditError::ChoicesNotMeasurable { .. }
        | BanditError::NoRound => Class::Option,
        BanditError::UnknownSlot { .. } => Class::UnknownSlot,
        BanditError::Conflict { .. } => Class::Conflict,
        BanditError::NotAnOutcome { .. } | BanditError::Earlier { .. } | BanditError::RoundClosed { .. } => {
            Class::Data
        }
        BanditError::OverBudget { .. } => Class::Budget,
        BanditError::RoundIncomplete { .. } => Class::RoundIncomplete,
        BanditError::Invalid(error) => of_value(error),
        BanditError::Pool(error) => of_pool(error),
        BanditError::Design(error) => of_design(error),
        BanditError::Rounding(error) => of_rounding(error),
        BanditError::Surrogate(error) => of_surrogate(error),
        BanditError::Estimate(error) => of_estimate(error),
    }
}

fn of_complexity(error: &ComplexityError) -> Class {
    match error {
        ComplexityError::Design(error) => of_design(error),
        ComplexityError::Invalid(error) => of_value(error),
        ComplexityError::Length { .. } => Class::Data,
        ComplexityError::Parameter { .. }
        | ComplexityError::Tie { .. }
        | ComplexityError::NormBound { .. } => Class::Option,
    }
}

fn of_simulation(error: &SimulationError) -> Class {
    match error {
        SimulationError::Length { .. }
        | SimulationError::Value { .. }
        | SimulationError::NoRepeats { .. }
        | SimulationError::OtherPool { .. } => Class::Data,
        SimulationError::Parameter { .. } | SimulationError::Zero { .. } => Class::Option,
        SimulationError::Bandit(error) => of_bandit(error),
    }
}

fn of_table(error: &TableError) -> Class {
    match error {
        TableError::Refused { problems, .. } => {
            // A file whose problems are all of one kind that has a class of its own.
            let all = |code: Code| problems.iter().all(|problem| problem.code == code);
            if all(Code::UnknownSlot) {
                Class::UnknownSlot
            } else if all(Code::Conflict) {
                Class::Conflict
            } else {
                Class::Data
            }
        }
        TableError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => Class::MissingFile,
        TableError::Io { .. } => Class::Data,
    }
}

fn of_write(error: &WriteError) -> Class {
    match error {
        WriteError::Io(_) => Class::Durability,
        WriteError::NotFinite { .. } | WriteError::Ragged { .. } => Class::Data,
    }
}

fn of_campaign(error: &CampaignError) -> Class {
    match error {
        CampaignError::Missing { .. } => Class::MissingFile,
        CampaignError::Exists { .. } => Class::FileExists,
        CampaignError::NotACampaign { .. } | CampaignError::Damaged { .. } => Class::Corrupt,
        CampaignError::Newer { .. } => Class::Version,
        CampaignError::Durability { .. } => Class::Durability,
        CampaignError::Locked { .. } => Class::Locked,
        CampaignError::Table(error) => of_table(error),
        CampaignError::Setting { .. } | CampaignError::UnknownCandidate { .. } | CampaignError::NoRound => {
            Class::Option
        }
        CampaignError::UnknownSlot { .. } => Class::UnknownSlot,
        CampaignError::Conflict { .. } => Class::Conflict,
        CampaignError::NothingToCorrect { .. }
        | CampaignError::CannotFailLate { .. }
        | CampaignError::TooLate { .. }
        | CampaignError::NotAnOutcome { .. } => Class::Data,
        CampaignError::OverBudget { .. } => Class::Budget,
        CampaignError::RoundIncomplete { .. } => Class::RoundIncomplete,
        CampaignError::OutOfRange { .. } => Class::Numerical,
        CampaignError::Undecided { source } => of_campaign(source),
        CampaignError::Pool(error) => of_pool(error),
        CampaignError::Bandit(error) => of_bandit(error),
        CampaignError::Sheet(error) => of_write(error),
    }
}
