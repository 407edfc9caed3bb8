//! The arithmetic mean with the bound it honestly has.

use super::{Assumption, MeanError, MomentBound, RobustMean, arithmetic_mean, check, enough, width};
use crate::units::Confidence;

/// The arithmetic mean, `Σ xᵢ / n`: for comparison.
///
/// Chebyshev's inequality, `P(|x̄ - μ| ≥ t) ≤ ν²/(n t²)`, gives the deviation `ν / √(n δ)` for any law of
/// variance at most ν², and no bound with log(1/δ) in place of 1/δ holds for all of them (Catoni, *Challenging
/// the empirical mean and empirical variance*, Ann. IHP 48, 2012, section 6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlainMean {
    delta: Confidence,
}

impl PlainMean {
    /// The mean for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { delta }
    }

    /// The mean, which needs no bound. Cost: O(n).
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] for no sample, [`MeanError::NonFinite`].
    pub fn of(&self, samples: &[f64]) -> Result<f64, MeanError> {
        check(self, samples)?;
        Ok(arithmetic_mean(samples))
    }
}

impl RobustMean for PlainMean {
    fn name(&self) -> &'static str {
        "plain mean"
    }

    fn assumption(&self) -> Assumption {
        Assumption::Variance
    }

    fn minimum_samples(&self) -> usize {
        1
    }

    fn estimate(&self, samples: &[f64], _bound: MomentBound) -> Result<f64, MeanError> {
        self.of(samples)
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        width(self, bound, 1.0 / (n as f64).sqrt() / self.delta.delta().sqrt())
    }
}
