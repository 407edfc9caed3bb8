//! The Matern 3/2 kernel.

use crate::pool::PoolError;

use super::stationary::damped;
use super::{Lengthscale, ScaledDistance, Stationary};

/// `k(x, y) = (1 + s) exp(-s)` with `s = √3 |x - y| / l`: once differentiable.
#[derive(Debug, Clone, PartialEq)]
pub struct Matern32 {
    distance: ScaledDistance,
}

impl Matern32 {
    /// One lengthscale, or one for each feature.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] unless every lengthscale is finite and positive.
    pub fn new(lengthscale: impl Into<Lengthscale>) -> Result<Self, PoolError> {
        Ok(Self { distance: ScaledDistance::new(lengthscale)? })
    }
}

impl Stationary for Matern32 {
    fn distance(&self) -> &ScaledDistance {
        &self.distance
    }

    #[inline]
    fn profile(&self, squared_distance: f64) -> f64 {
        let s = (3.0 * squared_distance).sqrt();
        damped(1.0 + s, s)
    }
}
