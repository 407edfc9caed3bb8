//! The schedule of a round, from the question and what the last round achieved: its ε, ridge, accuracy, statements and
//! number of measurements. The algorithms run on it; a planner goes through it on paper.

use crate::bandit::Question;
use crate::estimate::Tails;
use crate::numerics::{Matrix, norm_squared};
use crate::pool::Pool;
use crate::units::{Confidence, InvalidValue, Ridge};

/// How well a round's design is solved. What was achieved is used, so this costs samples, never truth.
pub const DESIGN_TOLERANCE: f64 = 1e-3;
/// The share of ε_ℓ that the ridge's bias may take. A smaller ridge has less bias and a larger f, which grows slowly.
const RIDGE_SHARE: f64 = 0.125;
/// The smallest ridge, relative to the largest squared feature norm: below it norms lose their digits.
const SMALLEST_RIDGE: f64 = 1e-10;

/// `max ‖φ‖²` over the rows, and a positive number where all are zero.
pub fn largest_squared_norm(rows: &Matrix) -> f64 {
    (0..rows.rows()).map(|i| norm_squared(rows.row(i))).fold(f64::MIN_POSITIVE, f64::max)
}

/// The size of the means: B, or what S allows.
pub fn scale_of_means(question: &Question) -> f64 {
    let by_norm = || {
        let choices = question.pool.choices();
        let longest = (0..choices.rows()).map(|i| norm_squared(choices.row(i))).fold(0.0, f64::max).sqrt();
        question.assumptions.norm_bound().unwrap_or(1.0) * longest + question.assumptions.h()
    };
    question.assumptions.bound_if_known().unwrap_or_else(by_norm).max(f64::MIN_POSITIVE)
}

/// ε_ℓ = B 2^-ℓ, for means of this scale.
pub fn epsilon_of_round(scale: f64, round: u64) -> f64 {
    scale * (-(round as f64)).exp2()
}

/// γ of an exploring round, and whether it stays when ε_ℓ falls: what the user set; without S and with explicit features 0;
/// else [`ridge_for`].
///
/// # Errors
/// [`InvalidValue::Ridge`] when the features overflow.
pub fn ridge_of_round(
    question: &Question,
    epsilon: f64,
    last_value: Option<f64>,
) -> Result<(Ridge, bool), InvalidValue> {
    let explicit = question.pool.residual() == 0.0 && question.pool.exact().is_none();
    match question.gamma {
        Some(gamma) => Ok((gamma, true)),
        None if explicit && question.assumptions.norm_bound().is_none() => Ok((Ridge::ZERO, true)),
        None => ridge_for(question, epsilon, last_value),
    }
}

/// A ridge so small that its bias is about ε/8 where a design has the value f, and whether it is the smallest that is sound:
/// `(ε / 8S)² / f`, with twice the scale of the means over the largest feature norm where S is not known.
///
/// # Errors
/// [`InvalidValue::Ridge`] when the features overflow.
pub fn ridge_for(
    question: &Question,
    epsilon: f64,
    value: Option<f64>,
) -> Result<(Ridge, bool), InvalidValue> {
    let scale = largest_squared_norm(question.pool.features());
    let norm = question.assumptions.norm_bound();
    let norm = norm.unwrap_or_else(|| 2.0 * scale_of_means(question) / scale.sqrt());
    let value = value.unwrap_or(question.pool.dimension() as f64).max(1.0);
    let wanted = (RIDGE_SHARE * epsilon / norm).powi(2) / value;
    let smallest = SMALLEST_RIDGE * scale;
    // NaN and infinity (a norm of 0) end at the scale of the features.
    let gamma = if wanted < scale { wanted.max(smallest) } else { scale };
    Ok((Ridge::new(gamma)?, gamma == smallest))
}

/// What an exploring round states at once: every pair of survivors, and every mean that it keeps. With draws these are the points that
/// the next round may be centred on, and the survivors where they are not among them; with counts the survivors.
pub fn statements_of_round(pool: &Pool, survivors: usize, tails: Tails) -> usize {
    let own = if pool.chooses_among_itself() { 0 } else { survivors };
    survivors * (survivors - 1) / 2
        + match tails {
            Tails::BoundedVariance => pool.len() + own,
            Tails::SubGaussian => survivors,
        }
}

/// The noise width to plan a round for: ε_ℓ, or what the goal needs when that is more, and not far below a bias that stays. With
/// `room`, the thresholds leave as much for a bias that is not known as for the noise.
pub fn accuracy_of_round(
    epsilon: f64,
    wanted: f64,
    bias: f64,
    lasting: f64,
    last_accuracy: f64,
    room: bool,
) -> f64 {
    let enough = if room { (wanted - bias).min(0.5 * wanted) } else { wanted - bias };
    // A little less, for what the rounding of weights and the last digits may take.
    let enough = 0.999 * enough;
    if enough > epsilon && enough < last_accuracy {
        enough
    } else if lasting < 0.75 * last_accuracy {
        epsilon.max(lasting)
    } else {
        epsilon
    }
}

/// δ_ℓ = δ / (2ℓ²): over all rounds at most δ π²/12.
pub(super) fn confidence_of_round(delta: Confidence, round: u64) -> Result<Confidence, InvalidValue> {
    Confidence::new(delta.delta() / (2.0 * (round as f64).powi(2)))
}

/// `L_ℓ = log(2K / δ_ℓ)` for K two-sided statements: log(4ℓ²K/δ).
pub fn log_term(delta: Confidence, round: u64, statements: usize) -> f64 {
    (4.0 * (round as f64).powi(2) * statements as f64 / delta.delta()).ln()
}

/// The fewest draws at which Catoni's mean of samples with second moment u is within ε: `⌈2L (1 + u/ε²)⌉`, which is also
/// more than 2L. Its bound `√(2uL/(n - 2L))` solved for n.
pub fn exact_draws(log_term: f64, moment: f64, epsilon: f64) -> u64 {
    let draws = 2.0 * log_term * (1.0 + moment / (epsilon * epsilon));
    (draws.ceil() as u64).max((2.0 * log_term).floor() as u64 + 1)
}

/// The paper's `⌈max(c₁ L, c₀² (B² + σ²) f ε⁻² L)⌉` with (c₁, c₀) = (4, 2), and the same logarithm in both.
pub(super) fn printed_draws(log_term: f64, second_moment: f64, value: f64, epsilon: f64) -> u64 {
    (4.0 * log_term).max(4.0 * second_moment * value * log_term / (epsilon * epsilon)).ceil() as u64
}

/// Measurements at which least squares with sub-Gaussian noise is within ε when `‖v‖² ≤ f/τ`: `⌈2 σ² f L / ε²⌉`.
pub fn exact_counts(log_term: f64, variance: f64, value: f64, epsilon: f64) -> u64 {
    ((2.0 * variance * value * log_term / (epsilon * epsilon)).ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::robust_mean::{Catoni, MomentBound, RobustMean};

    #[test]
    fn the_exact_number_of_draws_reaches_the_width_and_one_less_does_not() {
        for (moment, epsilon) in [(1.01, 0.5), (12.0, 0.1), (1e-6, 0.3), (0.0, 0.1)] {
            let log_term = log_term(Confidence::new(0.05).unwrap(), 3, 100);
            let catoni = Catoni::with_log_term(log_term).unwrap();
            let bound = MomentBound::new(moment).unwrap();
            let draws = exact_draws(log_term, moment, epsilon) as usize;
            assert!(catoni.deviation(draws, bound).unwrap() <= epsilon * (1.0 + 1e-12));
            let fewer = catoni.deviation(draws - 1, bound);
            assert!(fewer.is_err() || fewer.unwrap() > epsilon, "{draws} draws for {moment}, {epsilon}");
        }
    }

    #[test]
    fn the_logarithm_counts_both_tails_and_all_rounds() {
        let delta = Confidence::new(0.05).unwrap();
        assert!((log_term(delta, 1, 100) - (4.0f64 * 100.0 / 0.05).ln()).abs() < 1e-12);
        let of_round = confidence_of_round(delta, 3).unwrap();
        assert!((log_term(delta, 3, 7) - of_round.log_two_sided(7)).abs() < 1e-12);
        let total: f64 = (1..100_000).map(|l| confidence_of_round(delta, l).unwrap().delta()).sum();
        assert!(total <= 0.05 * 0.83);
    }
}
