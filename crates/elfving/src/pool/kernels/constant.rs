//! The constant kernel.

use crate::pool::PoolError;

use super::{Kernel, positive};

/// `k(x, y) = c`: an intercept. In a sum, a level L of the function adds `L²/c` to its squared norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    value: f64,
}

impl Constant {
    /// Checks the value.
    ///
    /// # Errors
    /// [`PoolError::Parameter`] unless it is finite and positive.
    pub fn new(value: f64) -> Result<Self, PoolError> {
        Ok(Self { value: positive("the constant", value)? })
    }
}

impl Kernel for Constant {
    fn evaluate(&self, _: &[f64], _: &[f64]) -> f64 {
        self.value
    }

    fn check(&self, _: usize) -> Result<(), PoolError> {
        Ok(())
    }
}
