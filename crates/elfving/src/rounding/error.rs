//! What can be wrong with a rounding request.

use crate::design::{Criterion, DesignError};
use crate::pool::PointId;
use crate::units::{ErrorKind, InvalidValue};

/// A request that cannot be met, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoundingError {
    /// The design or its problem was refused.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A checked value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// The budget must lie between 1 and 2⁵³, so that it is exact as a number.
    #[error("the budget must be between 1 and 2^53 measurements, done ones included, got {got}")]
    Budget {
        /// Measurements asked for.
        got: u64,
    },
    /// A list names a point the pool does not have.
    #[error("the {list} name point {id}, but the pool has {points} points (ids start at 0)")]
    UnknownPoint {
        /// Which list.
        list: &'static str,
        /// The id.
        id: PointId,
        /// Points of the pool.
        points: usize,
    },
    /// A list names a point twice.
    #[error("the {list} name point {id} twice: give one number a point")]
    NamedTwice {
        /// Which list.
        list: &'static str,
        /// The id.
        id: PointId,
    },
    /// A point must be measured more often than it may be.
    #[error("point {id} must be measured at least {minimum} times but may be at most {maximum} times")]
    MinimumAboveMaximum {
        /// The point.
        id: PointId,
        /// Its minimum.
        minimum: u64,
        /// Its maximum.
        maximum: u64,
    },
    /// The forced measurements alone exceed the budget.
    #[error("the minima add up to {minima}, more than the budget of {budget}: raise it or force fewer")]
    MinimaAboveBudget {
        /// Sum of the minima.
        minima: u64,
        /// The budget.
        budget: u64,
    },
    /// The budget cannot be spent within the maxima.
    #[error("the maxima add up to {maxima}, less than the budget of {budget}: lower it or allow more")]
    MaximaBelowBudget {
        /// Sum of the maxima.
        maxima: u64,
        /// The budget.
        budget: u64,
    },
    /// A design was made for another criterion or ridge.
    #[error(
        "the design is for criterion {design} at gamma = {design_gamma}, \
         the problem is {problem} at gamma = {problem_gamma}: round with the problem it was made for"
    )]
    OtherProblem {
        /// Criterion of the design.
        design: Criterion,
        /// Ridge of the design.
        design_gamma: f64,
        /// Criterion of the problem.
        problem: Criterion,
        /// Ridge of the problem.
        problem_gamma: f64,
    },
    /// An allocation to improve breaks the constraints of the request.
    #[error("point {id} has count {count}, outside its bounds of {minimum} to {maximum}")]
    OutsideBounds {
        /// The point.
        id: PointId,
        /// Its count.
        count: u64,
        /// Its minimum.
        minimum: u64,
        /// Its maximum.
        maximum: u64,
    },
    /// Regret minimisation was given no usable α.
    #[error("regret minimisation needs at least one alpha, each a finite number > 0, got {got:?}")]
    Alpha {
        /// The values given.
        got: Vec<f64>,
    },
    /// Stored draws do not fit together.
    #[error("the integer weights of draws must be positive, in pool order and sum to 2^32, got {got}")]
    IntegerWeights {
        /// Their sum.
        got: u64,
    },
    /// Stored draws name a point of weight 0.
    #[error("point {id} was drawn but has no weight")]
    DrawnWithoutWeight {
        /// The point.
        id: PointId,
    },
}

impl RoundingError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            RoundingError::Design(error) => error.kind(),
            RoundingError::Invalid(error) => error.kind(),
            RoundingError::IntegerWeights { .. } | RoundingError::DrawnWithoutWeight { .. } => {
                ErrorKind::Data
            }
            _ => ErrorKind::Usage,
        }
    }
}
