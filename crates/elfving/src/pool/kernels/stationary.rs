//! What kernels of the scaled distance have in common.

use crate::numerics::Matrix;
use crate::pool::PoolError;

use super::{Kernel, Lengthscale, for_each_row, sum_of_pairs};

/// `|(x - y) / l|²`, the squared distance in lengthscales.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledDistance {
    lengthscale: Lengthscale,
    inverse: Vec<f64>,
}

impl ScaledDistance {
    /// Checks the lengthscales.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] unless each is finite and positive.
    pub fn new(lengthscale: impl Into<Lengthscale>) -> Result<Self, PoolError> {
        let lengthscale = lengthscale.into();
        lengthscale.check()?;
        let inverse = lengthscale.values().iter().map(|l| 1.0 / l).collect();
        Ok(Self { lengthscale, inverse })
    }

    /// `Σ_k ((x_k - y_k) / l_k)²`.
    #[inline]
    pub fn squared(&self, x: &[f64], y: &[f64]) -> f64 {
        match self.lengthscale {
            // `new` has refused a median.
            Lengthscale::Median | Lengthscale::Shared(_) => {
                let inverse = self.inverse[0];
                sum_of_pairs(x, y, |x, y| square((x - y) * inverse))
            }
            Lengthscale::PerFeature(_) => {
                x.iter().zip(y).zip(&self.inverse).map(|((x, y), inverse)| square((x - y) * inverse)).sum()
            }
        }
    }

    /// `1 / l_k` for feature k.
    pub fn inverse(&self, k: usize) -> f64 {
        match self.lengthscale {
            Lengthscale::Median | Lengthscale::Shared(_) => self.inverse[0],
            Lengthscale::PerFeature(_) => self.inverse[k],
        }
    }

    /// Whether the lengthscales fit points of this dimension.
    ///
    /// # Errors
    /// [`PoolError::LengthscaleCount`].
    pub fn check(&self, dimension: usize) -> Result<(), PoolError> {
        match &self.lengthscale {
            Lengthscale::PerFeature(values) if values.len() != dimension => {
                Err(PoolError::LengthscaleCount { lengthscales: values.len(), features: dimension })
            }
            _ => Ok(()),
        }
    }
}

#[inline]
fn square(x: f64) -> f64 {
    x * x
}

/// A kernel that depends on the scaled distance alone and is 1 at distance 0.
///
/// Whoever implements this gets [`Kernel`].
pub trait Stationary: Send + Sync + std::fmt::Debug {
    /// The distance in lengthscales.
    fn distance(&self) -> &ScaledDistance;

    /// The kernel as a function of the *squared* scaled distance; 1 at 0.
    fn profile(&self, squared_distance: f64) -> f64;
}

impl<S: Stationary> Kernel for S {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        self.profile(self.distance().squared(x, y))
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, x: &[f64], ys: &Matrix, out: &mut [f64]) {
        // Here the profile is known, so that it is inlined into the loop over the rows.
        let distance = self.distance();
        for_each_row(ys, out, |y| self.profile(distance.squared(x, y)));
    }

    fn check(&self, dimension: usize) -> Result<(), PoolError> {
        self.distance().check(dimension)
    }
}

/// `polynomial · exp(-s)`, which is 0 where the exponential is, also when the polynomial overflows.
#[inline]
pub(super) fn damped(polynomial: f64, s: f64) -> f64 {
    let decay = (-s).exp();
    if decay > 0.0 { polynomial * decay } else { 0.0 }
}
