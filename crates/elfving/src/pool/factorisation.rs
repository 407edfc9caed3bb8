//! How far the factorisation `K ≈ Φ Φᵀ` of a kernel goes.

use serde::{Deserialize, Serialize};

use crate::numerics::{CholeskyStop, NotFactorable};

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
    /// As far as a design with this ridge and this gap needs: what is left out costs about `residual/γ` in a squared norm, so it stays two
    /// digits below the gap, between 1e-14 and 1e-8. A matrix `from_file` carries rounding of its own and is followed to 1e-12; so is every
    /// kernel without a ridge, where there is no scale to compare with.
    pub fn for_design(gamma: f64, tolerance: f64, from_file: bool) -> Self {
        const FINEST: f64 = 1e-14;
        const COARSEST: f64 = 1e-8;
        let plain = Self::default();
        if gamma == 0.0 {
            return plain;
        }
        let finest = if from_file { plain.residual } else { FINEST };
        plain.residual((0.01 * gamma * tolerance).clamp(finest, COARSEST))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_gets_a_residual_two_digits_below_what_its_gap_can_see() {
        let residual =
            |gamma, tolerance, from_file| Factorisation::for_design(gamma, tolerance, from_file).residual;
        assert_eq!(residual(0.005, 1e-6, false), 0.01 * 0.005 * 1e-6);
        assert_eq!(residual(1e-8, 1e-9, false), 1e-14, "not below rounding");
        assert_eq!(residual(1e-8, 1e-9, true), 1e-12, "a file has rounding of its own");
        assert_eq!(residual(1e6, 1e-3, false), 1e-8, "never coarse");
        assert_eq!(residual(0.0, 1e-3, false), 1e-12, "no ridge, no scale");
    }
}
