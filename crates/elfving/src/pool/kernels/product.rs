//! The product of kernels.

use std::sync::Arc;

use crate::numerics::Matrix;
use crate::pool::PoolError;

use super::Kernel;

/// `Π_f k_f(x, y)`: alike only where every factor says so.
#[derive(Debug, Clone)]
pub struct Product {
    factors: Vec<Arc<dyn Kernel>>,
}

impl Product {
    /// Multiplies one or more kernels.
    ///
    /// # Errors
    /// [`PoolError::NoKernels`] for an empty list.
    pub fn new(factors: Vec<Arc<dyn Kernel>>) -> Result<Self, PoolError> {
        if factors.is_empty() { Err(PoolError::NoKernels { of: "product" }) } else { Ok(Self { factors }) }
    }
}

impl Kernel for Product {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        self.factors.iter().map(|kernel| kernel.evaluate(x, y)).product()
    }

    fn diagonal(&self, x: &[f64]) -> f64 {
        self.factors.iter().map(|kernel| kernel.diagonal(x)).product()
    }

    fn row(&self, x: &[f64], ys: &Matrix, out: &mut [f64]) {
        let mut values = vec![0.0; out.len()];
        out.fill(1.0);
        for kernel in &self.factors {
            kernel.row(x, ys, &mut values);
            out.iter_mut().zip(&values).for_each(|(total, value)| *total *= value);
        }
    }

    fn check(&self, dimension: usize) -> Result<(), PoolError> {
        self.factors.iter().try_for_each(|kernel| kernel.check(dimension))
    }
}
