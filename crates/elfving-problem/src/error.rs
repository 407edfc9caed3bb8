//! Why a problem cannot be posed. Shells add their own words for their own options.

use elfving::design::{Criterion, DesignError};
use elfving::estimate::EstimateError;
use elfving::pool::PoolError;
use elfving::rounding::RoundingError;
use elfving::surrogate::SurrogateError;
use elfving::text::TextError;
use elfving::units::{ErrorKind, InvalidValue};
use elfving_table::TableError;

/// What can be wrong with a table, its options, its targets or a document about them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A table is refused; the text carries its own codes.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// The pool has no answer.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The design has no answer.
    #[error(transparent)]
    Design(DesignError),
    /// The counts have no answer.
    #[error(transparent)]
    Rounding(#[from] RoundingError),
    /// The estimate has no answer.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// The columns cannot be modelled.
    #[error(transparent)]
    Surrogate(#[from] SurrogateError),
    /// A target that no design on the pool can determine, by the name the user knows.
    #[error("{target} lies outside what the pool can measure: its variance is infinite at gamma = {gamma:e}")]
    NotIdentifiable {
        /// The target.
        target: String,
        /// The ridge.
        gamma: f64,
    },
    /// Runs that leave coefficients open.
    #[error(
        "{runs} runs cannot determine {coefficients} coefficients; open: {}{}", named.join(", "),
        if *open > named.len() { format!(" and {} more", open - named.len()) } else { String::new() }
    )]
    TooFewRuns {
        /// Runs asked for.
        runs: u64,
        /// Coefficients of the model.
        coefficients: usize,
        /// How many of them stay open.
        open: usize,
        /// The first of these.
        named: Vec<String>,
    },
    /// Two models at once.
    #[error("{first} and another model exclude each other: give one of formula, polynomial model and kernel")]
    TwoModels {
        /// One of them.
        first: &'static str,
    },
    /// A formula that cannot be understood, or does not fit the columns.
    #[error("{0}")]
    Formula(TextError),
    /// As many names as rows are needed.
    #[error("{got} ids for {rows} {what}: give one each")]
    NameCount {
        /// Names given.
        got: usize,
        /// Rows there are.
        rows: usize,
        /// Of what.
        what: &'static str,
    },
    /// Two rows of one name.
    #[error("{name:?} is the id of rows {first} and {second}: give each its own")]
    NameTwice {
        /// The name.
        name: String,
        /// The first row.
        first: usize,
        /// The second.
        second: usize,
    },
    /// No row of that name.
    #[error("there is no {what} {name:?}")]
    UnknownName {
        /// The name.
        name: String,
        /// Of what.
        what: &'static str,
        /// The most similar name there is.
        nearest: Option<String>,
        /// Rows there are.
        rows: usize,
        /// The first names.
        examples: Vec<String>,
    },
    /// As many feature names as features are needed.
    #[error("{names} names for {features} features: give one each")]
    FeatureNames {
        /// Names given.
        names: usize,
        /// Features there are.
        features: usize,
    },
    /// Every candidate was left out.
    #[error("every {what} is forbidden")]
    NothingLeft {
        /// `candidate` or `target`.
        what: &'static str,
    },
    /// Criterion c is about one target.
    #[error("criterion c needs one target")]
    NeedsOneTarget,
    /// A direction is a question for criterion c.
    #[error("a direction is the one target of criterion c, not of {criterion}")]
    DirectionForC {
        /// The criterion.
        criterion: Criterion,
    },
    /// Criteria d and a are about all coefficients.
    #[error("criterion {criterion} is about all coefficients and takes no targets")]
    NoTargets {
        /// The criterion.
        criterion: Criterion,
    },
    /// As many numbers as features are needed.
    #[error("the direction has {got} numbers for {features} features")]
    DirectionLength {
        /// Numbers given.
        got: usize,
        /// Features there are.
        features: usize,
        /// Their names, the first ones.
        names: Vec<String>,
    },
    /// A kernel matrix that is not of the size of pool and targets.
    #[error(
        "{file}: the kernel matrix is {rows} x {columns}, but there are {candidates} candidates and {targets} targets"
    )]
    MatrixSize {
        /// The file as the user named it.
        file: String,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Candidates of the pool.
        candidates: usize,
        /// Targets beside it.
        targets: usize,
    },
    /// A table of factors where candidates are wanted.
    #[error("{file} lists {factors} factors and their ranges, not candidates")]
    Ranges {
        /// The file as the user named it.
        file: String,
        /// Its rows.
        factors: usize,
    },
    /// The pool has no columns for what was asked.
    #[error("{what} needs the columns of a table, and the pool has none")]
    NoTable {
        /// What asks for them.
        what: &'static str,
    },
    /// A file that is not the document it should be.
    #[error("this is not a {what}: {problem}")]
    NotADocument {
        /// `design` or `plan`.
        what: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A document of a later version.
    #[error("this {what} has schema {schema}, and this version reads up to {known}")]
    NewerDocument {
        /// `design` or `plan`.
        what: &'static str,
        /// Its schema.
        schema: u32,
        /// The newest that is known.
        known: u32,
    },
    /// A document that was computed on another pool.
    #[error("{problem}")]
    OtherPool {
        /// How they differ.
        problem: String,
    },
    /// Slots without an outcome.
    #[error("{missing} of {slots} measurements have no outcome")]
    Incomplete {
        /// Slots without an outcome.
        missing: usize,
        /// Slots there are.
        slots: usize,
    },
    /// Nothing was measured at all.
    #[error("there is no outcome at all")]
    NoOutcome,
    /// An estimator whose theory is about the other kind of plan.
    #[error("{estimator} {needs}")]
    OtherKindOfPlan {
        /// The estimator.
        estimator: crate::Estimator,
        /// What it needs instead.
        needs: &'static str,
    },
    /// A setting that makes no sense.
    #[error("{option} must be {range}, got {got}")]
    Setting {
        /// What it is called.
        option: &'static str,
        /// What it may be.
        range: &'static str,
        /// What it is.
        got: String,
    },
    /// The data are not what the question needs.
    #[error("{problem}")]
    Data {
        /// What is wrong.
        problem: String,
    },
    /// An algorithm has no answer.
    #[error(transparent)]
    Bandit(#[from] elfving::bandit::BanditError),
    /// A cost has no answer.
    #[error(transparent)]
    Complexity(#[from] elfving_lab::complexity::ComplexityError),
    /// A simulated run failed.
    #[error("{algorithm}: {source}")]
    Simulation {
        /// Whose run.
        algorithm: &'static str,
        /// Why.
        source: elfving_lab::simulate::SimulationError,
    },
}

impl ProblemError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Table(error) => error.kind(),
            Self::Invalid(error) => error.kind(),
            Self::Pool(error) => error.kind(),
            Self::Design(error) => error.kind(),
            Self::Rounding(error) => error.kind(),
            Self::Estimate(error) => error.kind(),
            Self::Surrogate(error) => error.kind(),
            Self::Bandit(error) => error.kind(),
            Self::Complexity(error) => error.kind(),
            Self::Simulation { source, .. } => source.kind(),
            Self::NotIdentifiable { .. } | Self::TooFewRuns { .. } => ErrorKind::NotIdentifiable,
            Self::TwoModels { .. }
            | Self::Formula(_)
            | Self::UnknownName { .. }
            | Self::NothingLeft { .. }
            | Self::NeedsOneTarget
            | Self::DirectionForC { .. }
            | Self::NoTargets { .. }
            | Self::DirectionLength { .. }
            | Self::NoTable { .. }
            | Self::OtherKindOfPlan { .. }
            | Self::Setting { .. } => ErrorKind::Usage,
            Self::NameCount { .. }
            | Self::NameTwice { .. }
            | Self::FeatureNames { .. }
            | Self::MatrixSize { .. }
            | Self::Ranges { .. }
            | Self::NotADocument { .. }
            | Self::OtherPool { .. }
            | Self::NoOutcome
            | Self::Data { .. } => ErrorKind::Data,
            Self::NewerDocument { .. } => ErrorKind::Newer,
            Self::Incomplete { .. } => ErrorKind::RoundIncomplete,
        }
    }
}

impl From<DesignError> for ProblemError {
    fn from(error: DesignError) -> Self {
        match error {
            DesignError::Pool(error) => Self::Pool(error),
            DesignError::Invalid(error) => Self::Invalid(error),
            other => Self::Design(other),
        }
    }
}
