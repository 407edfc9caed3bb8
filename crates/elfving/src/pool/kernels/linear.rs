//! The linear kernel.

use crate::pool::PoolError;

use super::{Kernel, inner_product};

/// `k(x, y) = xᵀ y`: the features are the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Linear;

impl Kernel for Linear {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        inner_product(x, y)
    }

    fn check(&self, _: usize) -> Result<(), PoolError> {
        Ok(())
    }
}
