//! The rational quadratic kernel.

use crate::pool::PoolError;

use super::{Lengthscale, ScaledDistance, Stationary, positive};

/// `k(x, y) = (1 + |x - y|² / (2 α l²))^-α`: a mixture of RBF kernels of many lengthscales; the
/// larger α, the closer to one RBF.
#[derive(Debug, Clone, PartialEq)]
pub struct RationalQuadratic {
    distance: ScaledDistance,
    alpha: f64,
}

impl RationalQuadratic {
    /// One lengthscale, or one for each feature, and α > 0.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] for a lengthscale, [`PoolError::Parameter`] for α.
    pub fn new(lengthscale: impl Into<Lengthscale>, alpha: f64) -> Result<Self, PoolError> {
        Ok(Self { distance: ScaledDistance::new(lengthscale)?, alpha: positive("alpha", alpha)? })
    }
}

impl Stationary for RationalQuadratic {
    fn distance(&self) -> &ScaledDistance {
        &self.distance
    }

    #[inline]
    fn profile(&self, squared_distance: f64) -> f64 {
        // ln_1p keeps the digits that 1 + s/2α loses for a large α.
        (-self.alpha * (0.5 * squared_distance / self.alpha).ln_1p()).exp()
    }
}
