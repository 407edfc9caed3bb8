//! Sample sizes and widths of a planned round, by the formulas of the elimination algorithms.

use super::ridge::largest_squared_norm;
use crate::bandit::{BanditError, Question};
use crate::design::InformationMatrix;
use crate::numerics::{multiply_transposed, norm_squared};
use crate::pool::PointId;
use crate::units::{Confidence, Ridge};

/// Relative to the largest squared feature norm.
const STAND_IN_RIDGE: f64 = 1e-9;

/// `log(4 ℓ² K / δ)`: K statements, both tails, all rounds.
pub(super) fn log_term(delta: Confidence, round: u64, statements: usize) -> f64 {
    (4.0 * (round as f64).powi(2) * statements as f64 / delta.delta()).ln()
}

/// The fewest draws at which Catoni's mean of samples of second moment u is within ε: `⌈2L (1 + u/ε²)⌉`.
pub(super) fn draws_of_round(log_term: f64, moment: f64, accuracy: f64) -> u64 {
    let draws = 2.0 * log_term * (1.0 + moment / (accuracy * accuracy));
    (draws.ceil() as u64).max((2.0 * log_term).floor() as u64 + 1)
}

/// Measurements at which least squares is within ε: `⌈2 σ² f L / ε²⌉`, and what rounding s weights to whole numbers may add,
/// `T f / (T - s)` in place of f (Pukelsheim and Rieder), at most a factor 2.
pub(super) fn measurements_of_round(
    log_term: f64,
    variance: f64,
    value: f64,
    accuracy: f64,
    support: usize,
) -> u64 {
    let exact = (2.0 * variance * value * log_term / (accuracy * accuracy)).ceil().max(1.0);
    (exact + support as f64).min(2.0 * exact.max(support as f64)) as u64
}

/// The noise width to plan for: ε_ℓ, or what the goal needs when that is more, and not far below a bias that stays.
pub(super) fn accuracy_of_round(
    of_round: f64,
    wanted: f64,
    bias: f64,
    lasting: f64,
    last_accuracy: f64,
    room: bool,
) -> f64 {
    let enough = if room { (wanted - bias).min(0.5 * wanted) } else { wanted - bias };
    let enough = 0.999 * enough;
    if enough > of_round && enough < last_accuracy {
        enough
    } else if lasting < 0.75 * last_accuracy {
        of_round.max(lasting)
    } else {
        of_round
    }
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
