//! What a planned round of counts takes, and how well a round of draws knows the means.

use elfving::bandit::elimination::schedule::{exact_counts, largest_squared_norm};
use elfving::bandit::{BanditError, Question};
use elfving::design::InformationMatrix;
use elfving::numerics::{multiply_transposed, norm_squared};
use elfving::pool::PointId;
use elfving::units::Ridge;

/// Relative to the largest squared feature norm.
const STAND_IN_RIDGE: f64 = 1e-9;

/// Measurements at which least squares is within ε: `⌈2 σ² f L / ε²⌉`, and what rounding s weights to whole numbers may add,
/// `T f / (T - s)` in place of f (Pukelsheim and Rieder), at most a factor 2.
pub(super) fn counts_of_round(
    log_term: f64,
    variance: f64,
    value: f64,
    accuracy: f64,
    support: usize,
) -> u64 {
    let exact = exact_counts(log_term, variance, value, accuracy) as f64;
    (exact + support as f64).min(2.0 * exact.max(support as f64)) as u64
}

/// How well a round of draws knows the mean of every point: the deviation of Catoni's mean, and the bias.
pub(super) fn widths_of_points(
    question: &Question,
    weights: &[(PointId, f64)],
    gamma: Ridge,
    moments: &[f64],
    log_term: f64,
    draws: u64,
) -> Result<Vec<f64>, BanditError> {
    let features = question.pool.features();
    let ids: Vec<usize> = weights.iter().map(|(id, _)| id.index()).collect();
    let support = features.select_rows(&ids);
    let shares: Vec<f64> = weights.iter().map(|&(_, weight)| weight).collect();
    // Fewer directions than features: a ridge too small to matter stands in for none.
    let stand_in = Ridge::new(gamma.get().max(STAND_IN_RIDGE * largest_squared_norm(features)))?;
    let information = InformationMatrix::from_rows(&support, &shares, gamma)
        .or_else(|_| InformationMatrix::from_rows(&support, &shares, stand_in))?;
    let mut solved = features.clone();
    information.factor().solve_rows(&mut solved);
    let cross = multiply_transposed(&solved, &support);
    let norms = information.norms(features);
    let norm = question.assumptions.norm_bound().unwrap_or(0.0);
    let left = (draws as f64 - 2.0 * log_term).max(f64::MIN_POSITIVE);
    Ok((0..features.rows())
        .map(|x| {
            let moment: f64 =
                (0..ids.len()).map(|k| shares[k] * cross[(x, k)].powi(2) * moments[ids[k]]).sum();
            let pull = gamma.get() * norm_squared(solved.row(x)).sqrt();
            let bias = norm * pull + question.assumptions.h() * (norms[x].max(0.0).sqrt() + 1.0);
            (2.0 * moment * log_term / left).sqrt() + bias
        })
        .collect())
}
