//! What the user assumes about noise and model, as every shell takes it.

use elfving::estimate::{Assumptions, EstimateError, Tails};
use serde::{Deserialize, Serialize};

use crate::{Dataset, ProblemError};

/// What is assumed; see [`Assumptions`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct AssumptionSpec {
    /// σ, a bound on the deviation of the noise. The certified mode needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigma: Option<f64>,
    /// Whether the noise is sub-Gaussian.
    pub tails: Tails,
    /// B, a bound on the mean outcomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// S, a bound on the norm of θ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub norm: Option<f64>,
    /// h, how far means may be from the model.
    pub misspecification: f64,
}

impl AssumptionSpec {
    /// The numbers as the library wants them; without σ, a noise of 0.
    ///
    /// # Errors
    /// A number outside its domain.
    pub fn assumptions(&self) -> Result<Assumptions, EstimateError> {
        let noise = Assumptions::new(self.sigma.unwrap_or(0.0))?.tails(self.tails);
        noise.misspecification(self.misspecification)?.bound(self.bound)?.norm(self.norm)
    }

    /// The same with the noise of each candidate, from a column of the pool.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`], a column that is not there, or a number outside its domain.
    pub fn with_sigma_column(&self, column: &str, dataset: &Dataset) -> Result<Assumptions, ProblemError> {
        let table = dataset.table().ok_or(ProblemError::NoTable { what: "a sigma for each candidate" })?;
        let sigmas = table.numbers(column)?;
        self.assumptions()?.sigma_at(sigmas).map_err(|error| ProblemError::Data {
            problem: format!("{}: column {column:?}: {error}", table.file()),
        })
    }
}
