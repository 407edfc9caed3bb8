//! What can be wrong with a simulation.

use elfving::bandit::BanditError;
use elfving::pool::{ChoiceId, PointId};
use elfving::units::ErrorKind;

/// Why a simulation cannot be run as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A list has another length than the pool, or than the choices.
    #[error("{what}: expected {expected} numbers, got {got}")]
    Length {
        /// Which list.
        what: &'static str,
        /// The length of the pool.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A number of a list is not what it must be.
    #[error("{what} of point {id} is {got}; it must be {wanted}")]
    Value {
        /// Which list.
        what: &'static str,
        /// The point.
        id: PointId,
        /// The value given.
        got: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// The mean of a choice is not a number.
    #[error("the mean of choice {id} is {got}; it must be a finite number")]
    ChoiceMean {
        /// The choice.
        id: ChoiceId,
        /// The value given.
        got: f64,
    },
    /// A point without a single recorded outcome.
    #[error("point {id} has no recorded outcome to draw from")]
    NoRepeats {
        /// The point.
        id: PointId,
    },
    /// A parameter of a law is outside its domain.
    #[error("{what} must be {wanted}, got {got}")]
    Parameter {
        /// Which.
        what: &'static str,
        /// Its domain.
        wanted: &'static str,
        /// The value given.
        got: f64,
    },
    /// Budget, batch and repetitions must be at least 1.
    #[error("{what} must be at least 1")]
    Zero {
        /// Which.
        what: &'static str,
    },
    /// The pool of a policy does not have the points of the environment.
    #[error("the policy asked for point {id}, and the environment has {points}")]
    OtherPool {
        /// The point asked for.
        id: PointId,
        /// How many there are.
        points: usize,
    },
    /// From the policy.
    #[error(transparent)]
    Bandit(#[from] BanditError),
}

impl SimulationError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            SimulationError::Length { .. }
            | SimulationError::Value { .. }
            | SimulationError::ChoiceMean { .. }
            | SimulationError::NoRepeats { .. }
            | SimulationError::OtherPool { .. } => ErrorKind::Data,
            SimulationError::Parameter { .. } | SimulationError::Zero { .. } => ErrorKind::Usage,
            SimulationError::Bandit(error) => error.kind(),
        }
    }
}
