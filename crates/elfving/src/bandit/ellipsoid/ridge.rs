//! Which ridge, fixed before the first measurement.

use crate::bandit::Question;
use crate::numerics::{SymmetricEigen, weighted_gram};

use super::width::norm_of;

/// The campaign for which the ridge is best, in measurements spread evenly over the pool. What the ridge should be grows
/// with its logarithm only.
const TYPICAL_MEASUREMENTS: f64 = 300.0;

/// The ridge with `ridge · S² = σ² · d(ridge)`, where `d = Σ_i κ_i T / (κ_i T + ridge)` is the effective dimension of T
/// measurements spread over the pool (κ_i the eigenvalues of its mean information).
///
/// It minimises the squared radius `ridge · S² + σ² ln det(I + T A / ridge)` (its derivative vanishes there), depends on nothing
/// but the question as it was before the first measurement, and gives the same widths when features and S are rescaled together. σ² when S = 0.
pub(super) fn balanced_ridge(question: &Question) -> f64 {
    let (norm, sigma) = (norm_of(&question.assumptions), question.assumptions.sigma_bound());
    let weight = 1.0 / question.begun_with as f64;
    let weights: Vec<f64> = (0..question.pool.len())
        .map(|point| if point < question.begun_with { weight } else { 0.0 })
        .collect();
    let information = weighted_gram(question.pool.features(), &weights);
    let Ok(SymmetricEigen { values, .. }) = SymmetricEigen::new(&information) else { return sigma * sigma };
    let effective_dimension = |ridge: f64| -> f64 {
        let dimension = |value: &f64| {
            let information = TYPICAL_MEASUREMENTS * value.max(0.0);
            information / (information + ridge)
        };
        values.iter().map(dimension).sum()
    };
    if !(norm > 0.0 && sigma > 0.0) {
        return sigma * sigma;
    }
    // d falls from the rank to 0 as the ridge grows, so ridge/d grows: bisect between nothing and the rank.
    let scale = (sigma / norm).powi(2);
    let (mut low, mut high) = (0.0, scale * values.len() as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle < scale * effective_dimension(middle) { low = middle } else { high = middle }
    }
    high
}
