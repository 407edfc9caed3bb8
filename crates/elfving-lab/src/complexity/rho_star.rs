//! ρ*(γ, ε): what identifying the best costs, for a given truth.

use super::error::not_negative;
use super::worst_variance::{Optimum, optimum};
use super::{ComplexityError, Enclosure, Truth};
use elfving::design::Criterion;
use elfving::pool::{Combination, Pool, Targets};
use elfving::units::{Ridge, Tolerance};

/// `ρ*(γ, ε) = inf_λ max_z ‖φ(z*) - φ(z)‖² / max(ε, gap_z)²` in the inverse of `A(λ) + γI`.
///
/// The number of measurements of any elimination algorithm is at least about ρ* log(1/δ) and RIPS takes that up to
/// logarithms. Duplicates of z* are left out. Cost: one certified design with m targets.
///
/// # Errors
/// [`ComplexityError::Tie`] for ε = 0 and two best choices; what the design finds.
///
/// ```
/// use elfving_lab::complexity::{Truth, rho_star};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// // Two arms: the difference of their means has variance 4 at equal shares, and the gap is 1/2.
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let truth = Truth::from_theta(&pool, vec![1.0, 0.5])?;
/// let rho = rho_star(&pool, &truth, Ridge::ZERO, 0.0, Tolerance::new(1e-9)?)?;
/// assert!((rho.value - 16.0).abs() < 1e-6);
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn rho_star(
    pool: &Pool,
    truth: &Truth,
    gamma: Ridge,
    epsilon: f64,
    tolerance: Tolerance,
) -> Result<Enclosure, ComplexityError> {
    let design = rho_design(pool, truth, gamma, epsilon, tolerance)?;
    Ok(design.map_or(Enclosure::exact(0.0), |design| design.enclosure()))
}

/// The design behind it; none when there is nothing to compare.
pub(super) fn rho_design(
    pool: &Pool,
    truth: &Truth,
    gamma: Ridge,
    epsilon: f64,
    tolerance: Tolerance,
) -> Result<Option<Optimum>, ComplexityError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let mut targets: Vec<Combination> = vec![];
    for (z, gap) in truth.rivals(pool) {
        let scale = gap.max(epsilon);
        if !(scale > 0.0) {
            return Err(ComplexityError::Tie { best: truth.best, other: z });
        }
        targets.push(truth.difference(z, scale));
    }
    if targets.is_empty() {
        return Ok(None);
    }
    optimum(pool, Criterion::G, Targets::Combinations(targets), gamma, tolerance).map(Some)
}
