//! The periodic kernel.

use std::f64::consts::PI;

use crate::pool::PoolError;

use super::{Kernel, Lengthscale, ScaledDistance, positive};

/// `k(x, y) = exp(-2 Σ_k sin²(π (x_k - y_k) / p) / l_k²)`: repeats with period p in every feature.
///
/// The sines are summed over the features: the sine of a distance in several dimensions would not
/// be a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Periodic {
    lengthscale: ScaledDistance,
    period: f64,
}

impl Periodic {
    /// One lengthscale, or one for each feature (without unit: relative to the period), and the
    /// period p > 0 in the unit of the features.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] for a lengthscale, [`PoolError::Parameter`] for the period.
    pub fn new(lengthscale: impl Into<Lengthscale>, period: f64) -> Result<Self, PoolError> {
        Ok(Self { lengthscale: ScaledDistance::new(lengthscale)?, period: positive("the period", period)? })
    }
}

impl Kernel for Periodic {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        let wave = |k: usize| (PI * ((x[k] - y[k]) / self.period)).sin() * self.lengthscale.inverse(k);
        let squares: f64 = (0..x.len()).map(|k| wave(k) * wave(k)).sum();
        (-2.0 * squares).exp()
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn check(&self, dimension: usize) -> Result<(), PoolError> {
        self.lengthscale.check(dimension)
    }
}
