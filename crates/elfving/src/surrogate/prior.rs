//! What is believed about the parameters before any measurement.

use serde::{Deserialize, Serialize};

use super::Parameters;

/// A normal distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Normal {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// Normal priors on the logarithms of the parameters.
///
/// | parameter | prior | what it says |
/// |---|---|---|
/// | `log l_g` | N(-0.5 + ½ log G, 1) | the more columns, the less each one matters |
/// | `log s²` | N(-4, 1) | noise about 14 % of the spread of the outcomes |
/// | `log tau²` | N(-6, 1.5²) | rows about 5 % off the smooth surface |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    /// Of each `log l_g`; ½ log G is added to the mean.
    pub lengthscale: Normal,
    /// Of `log s²`.
    pub noise: Normal,
    /// Of `log tau²`.
    pub roughness: Normal,
}

impl Default for Priors {
    fn default() -> Self {
        Self {
            lengthscale: Normal { mean: -0.5, deviation: 1.0 },
            noise: Normal { mean: -4.0, deviation: 1.0 },
            roughness: Normal { mean: -6.0, deviation: 1.5 },
        }
    }
}

impl Priors {
    /// The priors of `log l_1 … log l_G, log s², log tau²`.
    pub fn of_logs(&self, dimension: usize) -> Vec<Normal> {
        let shift = 0.5 * (dimension.max(1) as f64).ln();
        let length = Normal { mean: self.lengthscale.mean + shift, ..self.lengthscale };
        let mut priors = vec![length; dimension];
        priors.extend([self.noise, self.roughness]);
        priors
    }

    /// The parameters at the middle of the priors: where a fresh search starts.
    pub fn centre(&self, dimension: usize) -> Parameters {
        let means: Vec<f64> = self.of_logs(dimension).iter().map(|prior| prior.mean).collect();
        Parameters::from_logs(&means)
    }

    /// The log density of the logarithms; its gradient is added to `gradient`.
    pub(super) fn log_density(&self, logs: &[f64], gradient: &mut [f64]) -> f64 {
        let half_log_two_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
        let priors = self.of_logs(logs.len() - 2);
        let mut total = 0.0;
        for ((prior, &log), gradient) in priors.iter().zip(logs).zip(gradient) {
            let score = (log - prior.mean) / prior.deviation;
            *gradient -= score / prior.deviation;
            total -= 0.5 * score * score + prior.deviation.ln() + half_log_two_pi;
        }
        total
    }
}
