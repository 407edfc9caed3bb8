//! Greedy: trust the estimate.

use super::index::{Index, Seen};
use elfving::bandit::Question;

/// The largest mean; before the first outcome, the largest variance. The control for every algorithm that explores.
pub(super) struct Greedy;

impl Index for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn ridge(&self, question: &Question) -> f64 {
        question.assumptions.sigma_bound().powi(2)
    }

    fn scores(&self, seen: &Seen<'_>) -> Vec<f64> {
        let nothing_known = seen.means.iter().all(|&mean| mean == 0.0);
        if nothing_known { seen.precision.norms().to_vec() } else { seen.means.to_vec() }
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        // Two regression standard deviations.
        2.0 * seen.precision.ridge().sqrt()
    }
}
