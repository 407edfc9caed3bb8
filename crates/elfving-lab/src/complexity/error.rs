//! What can be wrong with a question about cost.

use elfving::design::DesignError;
use elfving::pool::{ChoiceId, PoolError};
use elfving::units::{ErrorKind, InvalidValue};

/// A question about cost that cannot be answered, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexityError {
    /// The design behind the quantity was refused.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A checked value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// A vector does not fit the pool.
    #[error("{what} needs {expected} numbers, got {got}")]
    Length {
        /// The vector.
        what: &'static str,
        /// Numbers expected.
        expected: usize,
        /// Numbers given.
        got: usize,
    },
    /// A number is outside its domain.
    #[error("{what} must be {wanted}, got {got}")]
    Parameter {
        /// The number.
        what: &'static str,
        /// Its domain.
        wanted: &'static str,
        /// The value given.
        got: f64,
    },
    /// Two choices are equally good: telling which is better takes for ever.
    #[error(
        "choices {best} and {other} are equally good, so no number of measurements tells them apart: give epsilon > 0"
    )]
    Tie {
        /// The best choice.
        best: ChoiceId,
        /// One that is as good.
        other: ChoiceId,
    },
    /// The truth breaks the bound on its norm.
    #[error("the truth has norm {norm}, above the bound {bound}: give a bound of at least the norm")]
    NormBound {
        /// Its norm.
        norm: f64,
        /// The bound given.
        bound: f64,
    },
}

impl ComplexityError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            ComplexityError::Design(error) => error.kind(),
            ComplexityError::Invalid(error) => error.kind(),
            ComplexityError::Length { .. } => ErrorKind::Data,
            ComplexityError::Parameter { .. }
            | ComplexityError::Tie { .. }
            | ComplexityError::NormBound { .. } => ErrorKind::Usage,
        }
    }
}

impl From<PoolError> for ComplexityError {
    fn from(error: PoolError) -> Self {
        ComplexityError::Design(DesignError::Pool(error))
    }
}

/// `value` if it is finite and at least 0.
pub(super) fn not_negative(what: &'static str, value: f64) -> Result<f64, ComplexityError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ComplexityError::Parameter { what, wanted: "a finite number >= 0", got: value })
    }
}

/// `value` if it is finite and above 0.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, ComplexityError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ComplexityError::Parameter { what, wanted: "a finite number > 0", got: value })
    }
}
