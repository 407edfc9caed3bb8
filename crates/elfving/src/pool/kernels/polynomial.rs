//! The polynomial kernel.

use crate::pool::PoolError;

use super::{Kernel, inner_product};

/// `k(x, y) = (xᵀ y + c)^p`: all monomials up to degree p (exactly p when c = 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial {
    degree: u32,
    offset: f64,
}

impl Polynomial {
    /// Degree p ≥ 1 and offset c ≥ 0.
    ///
    /// # Errors
    /// [`PoolError::Parameter`].
    pub fn new(degree: u32, offset: f64) -> Result<Self, PoolError> {
        if !(1..=i32::MAX as u32).contains(&degree) {
            let range = "at least 1";
            return Err(PoolError::Parameter { parameter: "the degree", range, got: degree.into() });
        }
        if !(offset >= 0.0 && offset.is_finite()) {
            let range = "a finite number >= 0";
            return Err(PoolError::Parameter { parameter: "the offset", range, got: offset });
        }
        Ok(Self { degree, offset })
    }
}

impl Kernel for Polynomial {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        (inner_product(x, y) + self.offset).powi(self.degree as i32)
    }

    fn check(&self, _: usize) -> Result<(), PoolError> {
        Ok(())
    }
}
