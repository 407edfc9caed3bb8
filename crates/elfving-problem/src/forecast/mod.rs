//! What an answer will cost, before the first measurement.

mod compute;
mod document;

pub use document::{
    AlgorithmPlan, ByBatch, ByEpsilon, ByGamma, Forecast, Needed, Simulated, WorstCaseDocument,
};

use crate::{AssumptionSpec, Dataset, ProblemError};

/// The question of a forecast: the best candidate within ε, with probability 1 - δ.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `assumptions` | required | σ and what else is assumed |
/// | `epsilon` | required | how far from the best an answer may be |
/// | `delta` | 0.05 | the probability of a wrong answer |
/// | `gamma` | chosen round by round | the ridge |
/// | `batch` | 10 | measurements at a time |
/// | `repetitions` | 3 | how often each simulation is run |
/// | `budget` | 20 000 | measurements after which a simulated run is given up |
/// | `means` | none | a guess of the mean outcome of each candidate, large ones good |
/// | `seed` | 0 | of the simulations |
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastRequest {
    /// What is assumed; σ is needed.
    pub assumptions: AssumptionSpec,
    /// How far from the best an answer may be.
    pub epsilon: f64,
    /// The probability of a wrong answer.
    pub delta: f64,
    /// The ridge, where the user sets it.
    pub gamma: Option<f64>,
    /// Measurements at a time.
    pub batch: usize,
    /// How often each simulation is run.
    pub repetitions: usize,
    /// Measurements after which a simulated run is given up.
    pub budget: u64,
    /// A guess of the mean outcome of each candidate, large ones good.
    pub means: Option<Vec<f64>>,
    /// Of the simulations.
    pub seed: u64,
}

impl ForecastRequest {
    /// The question with the defaults of the table above.
    pub fn new(assumptions: AssumptionSpec, epsilon: f64) -> Self {
        let (delta, batch, repetitions, budget) = (0.05, 10, 3, 20_000);
        Self { assumptions, epsilon, delta, gamma: None, batch, repetitions, budget, means: None, seed: 0 }
    }

    /// That every number is in its domain.
    ///
    /// # Errors
    /// [`ProblemError::Setting`].
    pub fn check(&self) -> Result<(), ProblemError> {
        let refused = |option, range, got: String| Err(ProblemError::Setting { option, range, got });
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            return refused("epsilon", "a finite number > 0", self.epsilon.to_string());
        }
        if self.assumptions.sigma.is_none() {
            return refused("sigma", "a finite number >= 0", "none".to_owned());
        }
        let counts = [("batch", self.batch as u64), ("repetitions", self.repetitions as u64)];
        for (option, count) in counts.into_iter().chain([("budget", self.budget)]) {
            if count == 0 {
                return refused(option, "at least 1", "0".to_owned());
            }
        }
        Ok(())
    }

    /// What the certified algorithms take at worst, computed; what they take where that cannot be computed, simulated.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); what is wrong with the pool, the assumptions or the guess.
    pub fn forecast(&self, dataset: &Dataset) -> Result<Forecast, ProblemError> {
        self.check()?;
        compute::forecast(self, dataset)
    }
}
