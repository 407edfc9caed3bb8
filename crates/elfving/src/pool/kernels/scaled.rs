//! A kernel times a number.

use std::sync::Arc;

use crate::numerics::Matrix;
use crate::pool::PoolError;

use super::{Kernel, positive};

/// `a · k(x, y)` with a > 0.
#[derive(Debug, Clone)]
pub struct Scaled {
    scale: f64,
    kernel: Arc<dyn Kernel>,
}

impl Scaled {
    /// Multiplies a kernel by a positive number.
    ///
    /// # Errors
    /// [`PoolError::Parameter`] unless the number is finite and positive.
    pub fn new(scale: f64, kernel: Arc<dyn Kernel>) -> Result<Self, PoolError> {
        Ok(Self { scale: positive("the scale", scale)?, kernel })
    }
}

impl Kernel for Scaled {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        self.scale * self.kernel.evaluate(x, y)
    }

    fn diagonal(&self, x: &[f64]) -> f64 {
        self.scale * self.kernel.diagonal(x)
    }

    fn row(&self, x: &[f64], ys: &Matrix, out: &mut [f64]) {
        self.kernel.row(x, ys, out);
        out.iter_mut().for_each(|value| *value *= self.scale);
    }

    fn check(&self, dimension: usize) -> Result<(), PoolError> {
        self.kernel.check(dimension)
    }
}
