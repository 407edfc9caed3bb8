//! The Matern 1/2 (exponential) kernel.

use crate::pool::PoolError;

use super::{Lengthscale, ScaledDistance, Stationary};

/// `k(x, y) = exp(-s)` with `s = |x - y| / l`: continuous, nowhere smooth.
#[derive(Debug, Clone, PartialEq)]
pub struct Matern12 {
    distance: ScaledDistance,
}

impl Matern12 {
    /// One lengthscale, or one for each feature.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] unless every lengthscale is finite and positive.
    pub fn new(lengthscale: impl Into<Lengthscale>) -> Result<Self, PoolError> {
        Ok(Self { distance: ScaledDistance::new(lengthscale)? })
    }
}

impl Stationary for Matern12 {
    fn distance(&self) -> &ScaledDistance {
        &self.distance
    }

    #[inline]
    fn profile(&self, squared_distance: f64) -> f64 {
        (-squared_distance.sqrt()).exp()
    }
}
