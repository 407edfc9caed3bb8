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
    /// Between which numbers every outcome lies. It bounds σ by half their distance and B by the larger one, and clips intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

impl AssumptionSpec {
    /// The numbers as the library wants them; without σ or a range, a noise of 0.
    ///
    /// # Errors
    /// A number outside its domain.
    pub fn assumptions(&self) -> Result<Assumptions, EstimateError> {
        let noise = Assumptions::new(self.sigma_bound().unwrap_or(0.0))?.tails(self.tails);
        let largest =
            self.range.map(|(low, high)| low.abs().max(high.abs())).filter(|largest| *largest > 0.0);
        let bound =
            self.bound.map_or(largest, |bound| Some(largest.map_or(bound, |largest| bound.min(largest))));
        noise.misspecification(self.misspecification)?.bound(bound)?.norm(self.norm)
    }

    /// σ: what is stated, or half the range of the outcomes, whichever is smaller. An outcome between a and b is (b - a)/2-sub-Gaussian
    /// (Hoeffding's lemma), whatever its law.
    ///
    /// ```
    /// use elfving_problem::AssumptionSpec;
    /// let percent = AssumptionSpec { range: Some((0.0, 100.0)), ..AssumptionSpec::default() };
    /// assert_eq!(percent.sigma_bound(), Some(50.0));
    /// assert_eq!(AssumptionSpec { sigma: Some(5.0), ..percent }.sigma_bound(), Some(5.0));
    /// ```
    pub fn sigma_bound(&self) -> Option<f64> {
        let of_range = self.range.map(|(low, high)| 0.5 * high - 0.5 * low);
        match (self.sigma, of_range) {
            (Some(sigma), Some(of_range)) => Some(sigma.min(of_range)),
            (sigma, of_range) => sigma.or(of_range),
        }
    }

    /// What is wrong with the range, if anything.
    pub fn range_problem(&self) -> Option<String> {
        let (low, high) = self.range?;
        let sound = low.is_finite() && high.is_finite() && low < high;
        (!sound).then(|| {
            format!(
                "the range of the outcomes needs two finite numbers, the smaller first, got {low} and {high}"
            )
        })
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
