//! How many measurements a round takes, and what its logarithm counts.

use crate::units::{Confidence, InvalidValue};

/// δ_ℓ = δ / (2ℓ²): over all rounds at most δ π²/12.
pub(super) fn confidence_of_round(delta: Confidence, round: u64) -> Result<Confidence, InvalidValue> {
    Confidence::new(delta.delta() / (2.0 * (round as f64).powi(2)))
}

/// `L_ℓ = log(2K / δ_ℓ)` for K two-sided statements: log(4ℓ²K/δ).
pub(super) fn log_term(delta: Confidence, round: u64, statements: usize) -> f64 {
    (4.0 * (round as f64).powi(2) * statements as f64 / delta.delta()).ln()
}

/// The fewest draws at which Catoni's mean of samples with second moment u is within ε: `⌈2L (1 + u/ε²)⌉`, which is also
/// more than 2L. Its bound `√(2uL/(n - 2L))` solved for n.
pub(super) fn exact_draws(log_term: f64, moment: f64, epsilon: f64) -> u64 {
    let draws = 2.0 * log_term * (1.0 + moment / (epsilon * epsilon));
    (draws.ceil() as u64).max((2.0 * log_term).floor() as u64 + 1)
}

/// The paper's `⌈max(c₁ L, c₀² (B² + σ²) f ε⁻² L)⌉` with (c₁, c₀) = (4, 2), and the same logarithm in both.
pub(super) fn printed_draws(log_term: f64, second_moment: f64, value: f64, epsilon: f64) -> u64 {
    (4.0 * log_term).max(4.0 * second_moment * value * log_term / (epsilon * epsilon)).ceil() as u64
}

/// Measurements at which least squares with sub-Gaussian noise is within ε when `‖v‖² ≤ f/τ`: `⌈2 σ² f L / ε²⌉`.
pub(super) fn exact_counts(log_term: f64, variance: f64, value: f64, epsilon: f64) -> u64 {
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
