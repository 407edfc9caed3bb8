//! The Matern 5/2 kernel.

use crate::pool::PoolError;

use super::stationary::damped;
use super::{Lengthscale, ScaledDistance, Stationary};

/// `k(x, y) = (1 + s + s²/3) exp(-s)` with `s = √5 |x - y| / l`: twice differentiable.
#[derive(Debug, Clone, PartialEq)]
pub struct Matern52 {
    distance: ScaledDistance,
}

impl Matern52 {
    /// One lengthscale, or one for each feature.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] unless every lengthscale is finite and positive.
    pub fn new(lengthscale: impl Into<Lengthscale>) -> Result<Self, PoolError> {
        Ok(Self { distance: ScaledDistance::new(lengthscale)? })
    }
}

impl Stationary for Matern52 {
    fn distance(&self) -> &ScaledDistance {
        &self.distance
    }

    #[inline]
    fn profile(&self, squared_distance: f64) -> f64 {
        let s = (5.0 * squared_distance).sqrt();
        damped(1.0 + s + s * s / 3.0, s)
    }
}
