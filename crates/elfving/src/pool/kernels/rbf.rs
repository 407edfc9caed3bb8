//! The radial basis function (squared exponential) kernel.

use crate::pool::PoolError;

use super::{Lengthscale, ScaledDistance, Stationary};

/// `k(x, y) = exp(-|x - y|² / (2 l²))`: infinitely smooth.
#[derive(Debug, Clone, PartialEq)]
pub struct Rbf {
    distance: ScaledDistance,
}

impl Rbf {
    /// One lengthscale, or one for each feature.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] unless every lengthscale is finite and positive.
    ///
    /// ```
    /// use elfving::pool::kernels::{Kernel, Rbf};
    /// let kernel = Rbf::new(0.5)?;
    /// assert_eq!(kernel.evaluate(&[0.0], &[1.0]), (-2.0f64).exp());
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn new(lengthscale: impl Into<Lengthscale>) -> Result<Self, PoolError> {
        Ok(Self { distance: ScaledDistance::new(lengthscale)? })
    }
}

impl Stationary for Rbf {
    fn distance(&self) -> &ScaledDistance {
        &self.distance
    }

    #[inline]
    fn profile(&self, squared_distance: f64) -> f64 {
        (-0.5 * squared_distance).exp()
    }
}
