//! What can be wrong with a pool, a kernel or targets.

use crate::units::{ErrorKind, InvalidValue};

use super::ChoiceId;

/// A question about a pool that cannot be answered, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A checked value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// There is no row.
    #[error("the pool has no points: give at least one row")]
    NoPoints,
    /// There is no column.
    #[error("the points have no features: give at least one column")]
    NoFeatures,
    /// A coordinate or feature is NaN or infinite.
    #[error("row {row}, column {column} is {value}: every entry must be a finite number")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A feature that a formula makes of the columns is NaN or infinite.
    #[error("{feature} is {value} in row {row}: every feature must be a finite number")]
    FeatureNotFinite {
        /// Its name.
        feature: String,
        /// The row, from 0.
        row: usize,
        /// The feature.
        value: f64,
    },
    /// Two matrices that must have equally many columns do not.
    #[error("expected {expected} columns, got {got}")]
    ColumnCount {
        /// Columns needed.
        expected: usize,
        /// Columns given.
        got: usize,
    },
    /// A parameter of a kernel or feature map is outside its range.
    #[error("{parameter} must be {range}, got {got}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// Where it must lie.
        range: &'static str,
        /// The value given.
        got: f64,
    },
    /// A sum or product of no kernels.
    #[error("a {of} of kernels needs at least one of them")]
    NoKernels {
        /// `sum` or `product`.
        of: &'static str,
    },
    /// The number of per-feature lengthscales is not the number of features.
    #[error("{lengthscales} length scales for {features} features: give one, or one per feature")]
    LengthscaleCount {
        /// Lengthscales given.
        lengthscales: usize,
        /// Features of the points.
        features: usize,
    },
    /// A kernel value is not a finite number.
    #[error("the kernel between points {first} and {second} is not a finite number: rescale the features")]
    KernelNotFinite {
        /// One point (X first, then Z).
        first: usize,
        /// The other.
        second: usize,
    },
    /// A Gram matrix is not square.
    #[error("a Gram matrix must be square, got {rows} x {columns}")]
    NotSquare {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// The number of measurable points does not fit the Gram matrix.
    #[error(
        "{measurable} measurable points in a Gram matrix of {atoms}: give at least 1 and at most {atoms}"
    )]
    MeasurableCount {
        /// Measurable points claimed.
        measurable: usize,
        /// Rows of the Gram matrix.
        atoms: usize,
    },
    /// A Gram matrix differs from its transpose.
    #[error(
        "the kernel matrix is not symmetric: entry ({row}, {column}) is {value} but ({column}, {row}) is {mirrored}"
    )]
    NotSymmetric {
        /// Row of the worst entry.
        row: usize,
        /// Column of the worst entry.
        column: usize,
        /// The entry.
        value: f64,
        /// The entry across the diagonal.
        mirrored: f64,
    },
    /// A kernel matrix has a negative eigenvalue beyond the tolerance.
    #[error(
        "the kernel matrix is not positive semidefinite: its smallest eigenvalue is about {smallest:.3e}; \
         correct the kernel, or allow a larger residual if this is rounding"
    )]
    NotPositiveSemidefinite {
        /// An upper estimate of the smallest eigenvalue (negative).
        smallest: f64,
    },
    /// All points coincide, so there is no distance to take a length scale from.
    #[error("all points are equal: there is no distance to take a length scale from")]
    AllPointsEqual,
    /// The expansion would have too many columns.
    #[error("the expansion would have more than {limit} columns: lower the degree or drop features")]
    TooManyColumns {
        /// The most columns allowed.
        limit: usize,
    },
    /// A target names a choice that does not exist.
    #[error("target {target} names choice {id}, but the pool has {choices} choices (ids start at 0)")]
    UnknownChoice {
        /// Position of the target in the list.
        target: usize,
        /// The id.
        id: ChoiceId,
        /// Number of choices of the pool.
        choices: usize,
    },
    /// A coefficient of a combination is NaN or infinite.
    #[error("target {target}: the coefficient of choice {id} is {value}, not a finite number")]
    Coefficient {
        /// Position of the target in the list.
        target: usize,
        /// The choice.
        id: ChoiceId,
        /// The coefficient.
        value: f64,
    },
    /// A combination has no terms.
    #[error("target {target} is a combination of no choices")]
    EmptyCombination {
        /// Position of the target in the list.
        target: usize,
    },
    /// The target set is empty.
    #[error("there are no targets: name at least one")]
    NoTargets,
    /// Differences need two choices.
    #[error("differences need at least two choices, got {choices}")]
    NoPairs {
        /// Choices given.
        choices: usize,
    },
    /// Directions in feature space are given for a pool that has a kernel.
    #[error(
        "directions are vectors of features, and this pool is given by a kernel: use combinations of choices"
    )]
    DirectionsNeedFeatures,
}

impl PoolError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            PoolError::Invalid(error) => error.kind(),
            PoolError::NotSquare { .. }
            | PoolError::MeasurableCount { .. }
            | PoolError::NoPoints
            | PoolError::NoFeatures
            | PoolError::NotFinite { .. }
            | PoolError::ColumnCount { .. }
            | PoolError::AllPointsEqual => ErrorKind::Data,
            PoolError::KernelNotFinite { .. } => ErrorKind::Numerical,
            PoolError::NotSymmetric { .. } | PoolError::NotPositiveSemidefinite { .. } => {
                ErrorKind::NotPositiveSemidefinite
            }
            _ => ErrorKind::Usage,
        }
    }
}
