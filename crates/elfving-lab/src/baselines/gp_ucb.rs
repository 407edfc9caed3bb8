//! GP-UCB: optimism under a Gaussian-process prior (Srinivas, Krause, Kakade and Seeger 2010).

use super::index::{Index, Seen};
use elfving::bandit::Question;
use std::f64::consts::PI;

/// `mean + √β_t · sd` with `β_t = 2 ln(|X| t² π² / (6δ))` (their Theorem 1). Its regret bound is for a function drawn from
/// the prior and normal noise of variance σ², the ridge.
pub(super) struct GpUcb;

impl Index for GpUcb {
    fn name(&self) -> &'static str {
        "gp-ucb"
    }

    fn ridge(&self, question: &Question) -> f64 {
        question.assumptions.sigma_bound().powi(2)
    }

    fn scores(&self, seen: &Seen<'_>) -> Vec<f64> {
        seen.optimistic(self.multiplier(seen))
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        let (points, t) = (seen.means.len() as f64, seen.t as f64);
        let beta = 2.0 * (points * t * t * PI * PI / (6.0 * seen.question.delta.delta())).ln();
        (beta * seen.precision.ridge()).sqrt()
    }
}
