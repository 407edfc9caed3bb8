//! What can be wrong with the question of a design.

use super::TargetRef;
use crate::pool::{PointId, PoolError};
use crate::units::{ErrorKind, InvalidValue};

/// A design problem that cannot be answered, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// The pool or its targets were refused.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A checked value is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// Criterion c takes one target.
    #[error("criterion c needs exactly one target, got {got}: list one direction or combination")]
    OneTarget {
        /// Targets given.
        got: usize,
    },
    /// No weights can make this target estimable without a ridge.
    #[error(
        "{target} lies outside what the pool can measure: its norm is infinite at gamma = {gamma:e}; \
         give gamma > 0, or drop the target; centre columns that are nearly dependent"
    )]
    NotIdentifiable {
        /// The target.
        target: TargetRef,
        /// The ridge of the problem.
        gamma: f64,
    },
    /// Every feature of every point is zero.
    #[error("every feature of every point is zero: there is nothing to measure")]
    NothingToMeasure,
    /// The ridge is too small for the scale of the features.
    #[error(
        "the information matrix is singular to working precision (features up to {scale:.1e}, gamma = {gamma:e}): \
         give a larger gamma, or rescale the features"
    )]
    Singular {
        /// The largest absolute feature.
        scale: f64,
        /// The ridge of the problem.
        gamma: f64,
    },
    /// A value left the range of floating-point numbers.
    #[error("the criterion overflows at this scale of the features ({scale:.1e}): rescale them")]
    Overflow {
        /// The largest absolute feature.
        scale: f64,
    },
    /// A design names a point the pool does not have.
    #[error("the design names point {id}, but the pool has {points} points (ids start at 0)")]
    UnknownPoint {
        /// The id.
        id: PointId,
        /// Points of the pool.
        points: usize,
    },
    /// A certificate names a target the problem does not have.
    #[error("the certificate names {target}, which is not a target of the problem")]
    UnknownTarget {
        /// The target.
        target: TargetRef,
    },
    /// A method was asked for a criterion it is not made for.
    #[error("{method} does not handle criterion {criterion}: use the interior point")]
    Unsupported {
        /// The method.
        method: &'static str,
        /// The criterion.
        criterion: super::Criterion,
    },
}

impl DesignError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DesignError::Pool(error) => error.kind(),
            DesignError::Invalid(error) => error.kind(),
            DesignError::OneTarget { .. } | DesignError::Unsupported { .. } => ErrorKind::Usage,
            DesignError::NotIdentifiable { .. } => ErrorKind::NotIdentifiable,
            DesignError::Singular { .. } | DesignError::Overflow { .. } | DesignError::NothingToMeasure => {
                ErrorKind::Numerical
            }
            DesignError::UnknownPoint { .. } | DesignError::UnknownTarget { .. } => ErrorKind::Data,
        }
    }
}
