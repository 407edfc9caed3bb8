//! The ridge of a planned round, by the rule of the elimination algorithms.

use crate::bandit::Question;
use crate::numerics::{Matrix, norm_squared};
use crate::units::{InvalidValue, Ridge};

/// The share of ε_ℓ that the ridge's bias may take.
const RIDGE_SHARE: f64 = 0.125;
/// The smallest ridge, relative to the largest squared feature norm.
const SMALLEST_RIDGE: f64 = 1e-10;

/// γ and whether it stays when ε_ℓ falls: what the user set; else so small that its bias is about ε_ℓ/8, which needs S, and 0 without S
/// when the features are explicit, unless a ridge is wanted `anyway`.
pub(super) fn ridge_of_round(
    question: &Question,
    epsilon: f64,
    last_value: Option<f64>,
    anyway: bool,
) -> Result<(Ridge, bool), InvalidValue> {
    if let Some(gamma) = question.gamma {
        return Ok((gamma, true));
    }
    let (pool, assumptions) = (&question.pool, &question.assumptions);
    let scale = largest_squared_norm(pool.features());
    let norm = match assumptions.norm_bound() {
        Some(norm) => norm,
        None if !anyway && pool.residual() == 0.0 && pool.exact().is_none() => {
            return Ok((Ridge::ZERO, true));
        }
        None => 2.0 * assumptions.bound_if_known().unwrap_or(1.0) / scale.sqrt(),
    };
    let value = last_value.unwrap_or(pool.dimension() as f64).max(1.0);
    let wanted = (RIDGE_SHARE * epsilon / norm).powi(2) / value;
    let smallest = SMALLEST_RIDGE * scale;
    let gamma = if wanted < scale { wanted.max(smallest) } else { scale };
    Ok((Ridge::new(gamma)?, gamma == smallest))
}

/// `max ‖φ‖²` over the rows.
pub(super) fn largest_squared_norm(rows: &Matrix) -> f64 {
    (0..rows.rows()).map(|i| norm_squared(rows.row(i))).fold(f64::MIN_POSITIVE, f64::max)
}
