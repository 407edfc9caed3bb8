//! How far the factorisation `K ≈ Φ Φᵀ` of a kernel goes.

use serde::{Deserialize, Serialize};

use crate::linalg::{CholeskyStop, NotFactorable};

use super::PoolError;

/// When the pivoted Cholesky factorisation of a kernel matrix stops.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `residual` | 1e-12 | 0 ≤ residual < 1 | stop when `k(x, x) - \|φ(x)\|²` is at most this times the largest `k(x, x)`, for every x |
/// | `max_rank` | none | ≥ 1 | stop at this many features; [`Pool::residual`](super::Pool::residual) then says what was achieved |
///
/// Below about `r · 2e-16` a residual is rounding, and the factorisation stops there whatever was asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Factorisation {
    /// Largest remaining diagonal, relative to the largest diagonal of the kernel matrix.
    pub residual: f64,
    /// Most features.
    pub max_rank: Option<usize>,
}

impl Default for Factorisation {
    fn default() -> Self {
        Self { residual: 1e-12, max_rank: None }
    }
}

impl Factorisation {
    /// Sets the relative residual to stop at.
    #[must_use]
    pub fn residual(self, residual: f64) -> Self {
        Self { residual, ..self }
    }

    /// Sets the largest rank.
    #[must_use]
    pub fn max_rank(self, max_rank: usize) -> Self {
        Self { max_rank: Some(max_rank), ..self }
    }

    pub(crate) fn stop(&self) -> Result<CholeskyStop, PoolError> {
        if !(self.residual >= 0.0 && self.residual < 1.0) {
            let range = "at least 0 and below 1";
            return Err(PoolError::Parameter { parameter: "the residual", range, got: self.residual });
        }
        if self.max_rank == Some(0) {
            return Err(PoolError::Parameter {
                parameter: "the largest rank",
                range: "at least 1",
                got: 0.0,
            });
        }
        Ok(CholeskyStop { tolerance: self.residual, max_rank: self.max_rank })
    }
}

impl From<NotFactorable> for PoolError {
    /// The smallest eigenvalue is bounded by the Rayleigh quotient of the direction found.
    fn from(failure: NotFactorable) -> Self {
        match failure {
            NotFactorable::NotFinite { row, column } => {
                PoolError::KernelNotFinite { first: row, second: column }
            }
            NotFactorable::NotPositiveSemidefinite { residual, direction, .. } => {
                let squared_norm: f64 = direction.iter().map(|(_, u)| u * u).sum();
                PoolError::NotPositiveSemidefinite { smallest: residual / squared_norm }
            }
        }
    }
}
