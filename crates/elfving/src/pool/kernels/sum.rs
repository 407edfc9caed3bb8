//! The sum of kernels.

use std::sync::Arc;

use crate::numerics::Matrix;
use crate::pool::PoolError;

use super::Kernel;

/// `Σ_t k_t(x, y)`: effects that add up.
#[derive(Debug, Clone)]
pub struct Sum {
    terms: Vec<Arc<dyn Kernel>>,
}

impl Sum {
    /// Adds one or more kernels.
    ///
    /// # Errors
    /// [`PoolError::NoKernels`] for an empty list.
    pub fn new(terms: Vec<Arc<dyn Kernel>>) -> Result<Self, PoolError> {
        if terms.is_empty() { Err(PoolError::NoKernels { of: "sum" }) } else { Ok(Self { terms }) }
    }
}

impl Kernel for Sum {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        self.terms.iter().map(|kernel| kernel.evaluate(x, y)).sum()
    }

    fn diagonal(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|kernel| kernel.diagonal(x)).sum()
    }

    fn row(&self, x: &[f64], ys: &Matrix, out: &mut [f64]) {
        let mut values = vec![0.0; out.len()];
        out.fill(0.0);
        for kernel in &self.terms {
            kernel.row(x, ys, &mut values);
            out.iter_mut().zip(&values).for_each(|(total, value)| *total += value);
        }
    }

    fn check(&self, dimension: usize) -> Result<(), PoolError> {
        self.terms.iter().try_for_each(|kernel| kernel.check(dimension))
    }
}
