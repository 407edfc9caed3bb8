//! What can be wrong with the question of an estimate.

use super::robust_mean::MeanError;
use crate::design::TargetRef;
use crate::pool::{PointId, PoolError};
use crate::units::{ErrorKind, InvalidValue};

/// An estimate that cannot be made, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The targets were refused.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A checked value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// The robust mean refused its samples.
    #[error(transparent)]
    Mean(#[from] MeanError),
    /// One outcome for each measurement is needed.
    #[error("{expected} measurements were planned, but {got} outcomes are given: an estimate needs them all")]
    OutcomeCount {
        /// Measurements of the plan.
        expected: usize,
        /// Outcomes given.
        got: usize,
    },
    /// An outcome is NaN, infinite, or so large that its square is.
    #[error("outcome {index} is {got:e}; every outcome must be a finite number of at most 1e150")]
    Outcome {
        /// Position of the outcome.
        index: usize,
        /// The value given.
        got: f64,
    },
    /// The plan names a point the pool does not have.
    #[error("the plan names point {id}, but the pool has {points} points (ids start at 0)")]
    UnknownPoint {
        /// The id.
        id: PointId,
        /// Points of the pool.
        points: usize,
    },
    /// What was measured says nothing about this target.
    #[error("{target} is not determined by what was measured; give gamma > 0, or drop the target")]
    NotIdentifiable {
        /// The target.
        target: TargetRef,
    },
    /// Double precision does not tell whether the columns measured are dependent.
    #[error(
        "the columns of what was measured are nearly dependent: double precision cannot tell what they determine; \
         centre and rescale the columns, or give gamma > 0"
    )]
    NearlyDependent,
    /// Every feature of every measured point is zero.
    #[error("every feature of every measured point is zero: nothing can be estimated")]
    NothingMeasured,
    /// A number of the estimate left the range of floating-point numbers.
    #[error("the estimate overflows at this scale of features and outcomes: rescale them")]
    Overflow,
    /// The width of an importance-weighted mean needs a bound on the means.
    #[error("{estimator} needs a bound B on the mean outcomes for its width")]
    NeedsBound {
        /// The estimator.
        estimator: &'static str,
    },
    /// A list has not one entry for each point of the pool.
    #[error("expected {expected} values of {what}, one for each point of the pool, got {got}")]
    PerPoint {
        /// What is listed.
        what: &'static str,
        /// Points of the pool.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// A value of such a list is outside its domain.
    #[error("{what} of point {id} is {got}, which is not {wanted}")]
    PerPointValue {
        /// What is listed.
        what: &'static str,
        /// The point.
        id: PointId,
        /// The value given.
        got: f64,
        /// The domain.
        wanted: &'static str,
    },
    /// A bound on the norm or on the misspecification must be finite and not negative.
    #[error("the bound on {what} must be a number from 0 to 1e150, got {got}")]
    Bound {
        /// What is bounded.
        what: &'static str,
        /// The value given.
        got: f64,
    },
    /// Centring on intervals needs intervals that hold for the means.
    #[error("the earlier intervals leave out the bias of the ridge: give a bound on the norm there first")]
    UnknownBias,
    /// The min-max fit was given lists of different length, or no target.
    #[error("the min-max fit needs one value and one positive scale for each of its {targets} targets")]
    Fit {
        /// Rows given.
        targets: usize,
    },
}

impl EstimateError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            EstimateError::Pool(error) => error.kind(),
            EstimateError::Invalid(error) => error.kind(),
            EstimateError::Mean(error) => error.kind(),
            EstimateError::NotIdentifiable { .. } => ErrorKind::NotIdentifiable,
            EstimateError::NothingMeasured | EstimateError::NearlyDependent | EstimateError::Overflow => {
                ErrorKind::Numerical
            }
            EstimateError::NeedsBound { .. }
            | EstimateError::Bound { .. }
            | EstimateError::UnknownBias
            | EstimateError::Fit { .. } => ErrorKind::Usage,
            _ => ErrorKind::Data,
        }
    }
}
