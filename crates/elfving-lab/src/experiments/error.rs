//! What can go wrong in an experiment.

use crate::simulate::SimulationError;
use elfving::bandit::BanditError;
use elfving::design::DesignError;
use elfving::estimate::EstimateError;
use elfving::estimate::robust_mean::MeanError;
use elfving::pool::PoolError;
use elfving::rounding::RoundingError;
use elfving::units::{ErrorKind, InvalidValue};
use elfving_plot::PictureError;

/// Why an experiment stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// Fewer than two repetitions have no standard error.
    #[error("an experiment needs at least 2 repetitions, got {got}")]
    Repeats {
        /// The number given.
        got: usize,
    },
    /// From a checked value.
    #[error(transparent)]
    Value(#[from] InvalidValue),
    /// From the pool.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// From a design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// From a rounding.
    #[error(transparent)]
    Rounding(#[from] RoundingError),
    /// From an estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// From a robust mean.
    #[error(transparent)]
    Mean(#[from] MeanError),
    /// From a bandit.
    #[error(transparent)]
    Bandit(#[from] BanditError),
    /// From a simulation.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// From a figure.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

impl ExperimentError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            ExperimentError::Repeats { .. } => ErrorKind::Usage,
            ExperimentError::Picture(error) => error.kind(),
            ExperimentError::Value(error) => error.kind(),
            ExperimentError::Pool(error) => error.kind(),
            ExperimentError::Design(error) => error.kind(),
            ExperimentError::Rounding(error) => error.kind(),
            ExperimentError::Estimate(error) => error.kind(),
            ExperimentError::Mean(error) => error.kind(),
            ExperimentError::Bandit(error) => error.kind(),
            ExperimentError::Simulation(error) => error.kind(),
        }
    }
}
