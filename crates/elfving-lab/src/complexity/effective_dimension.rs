//! How many directions matter at a ridge.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ComplexityError;
use super::worst_variance::optimum;
use elfving::design::{Criterion, DesignError, InformationMatrix};
use elfving::numerics::{SymmetricEigen, weighted_gram};
use elfving::pool::{Pool, Subset, Targets};
use elfving::units::{Ridge, Tolerance};

/// Eigenvalues below this fraction of the largest are rounding noise.
const RANK_TOLERANCE: f64 = 1e-12;

/// Two effective dimensions at the D-optimal design λ_D.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EffectiveDimension {
    /// γ.
    pub gamma: Ridge,
    /// r, the number of features.
    pub dimension: usize,
    /// `tr A(λ_D)(A(λ_D) + γI)⁻¹`: bounds f over the points.
    pub trace: f64,
    /// The same that is certain: `max_x ‖φ(x)‖²` at the design found. f is at most this; it exceeds the trace by the gap of
    /// the design.
    pub worst_variance: f64,
    /// Eigenvalues of A(λ_D) that are at least γ: the d̃ of project-then-round. 0 when there is none; the rank at γ = 0.
    pub count: usize,
}

/// The effective dimensions of a pool at ridge γ. Cost: one certified D-optimal design and an eigendecomposition.
///
/// # Errors
/// What the design finds.
///
/// ```
/// use elfving_lab::complexity::effective_dimension;
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let effective = effective_dimension(&pool, Ridge::new(0.25)?, Tolerance::new(1e-9)?)?;
/// assert!((effective.trace - 2.0).abs() < 1e-6); // 4 · (1/4) / (1/4 + 1/4)
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn effective_dimension(
    pool: &Pool,
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<EffectiveDimension, ComplexityError> {
    let design = optimum(pool, Criterion::D, Targets::Points(Subset::All), gamma, tolerance)?;
    let weights = design.weights;
    let information = weighted_gram(pool.features(), weights.as_slice());
    let singular = || DesignError::Singular { scale: pool.features().max_abs(), gamma: gamma.get() };
    let values = SymmetricEigen::new(&information).map_err(|_| singular())?.values;
    let noise = RANK_TOLERANCE * values.last().copied().unwrap_or(0.0);
    let carried = values.iter().filter(|&&value| value > noise);
    let trace: f64 = carried.clone().map(|value| value / (value + gamma.get())).sum();
    let count = carried.filter(|&&value| value >= gamma.get()).count();
    let worst_variance = match InformationMatrix::new(pool, &weights, gamma) {
        Ok(information) => information.norms(pool.features()).into_iter().fold(0.0, f64::max),
        // γ = 0 and fewer directions than features: Kiefer and Wolfowitz, up to the gap.
        Err(_) => trace * (1.0 + tolerance.get()),
    };
    Ok(EffectiveDimension { gamma, dimension: pool.dimension(), trace, worst_variance, count })
}

impl fmt::Display for EffectiveDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "effective dimension {:.4} of {} ({} directions above gamma = {})",
            self.trace,
            self.dimension,
            self.count,
            self.gamma.get()
        )
    }
}
