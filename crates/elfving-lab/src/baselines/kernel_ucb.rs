//! KernelUCB: optimism in kernel regression (Valko, Korda, Munos, Flaounas and Cristianini 2013).

use super::index::{Index, Seen};
use elfving::bandit::{Goal, Question};

/// `mean + η ‖φ‖` (in the inverse of V) with `η = √(2 ln(2 T n / δ))` and the ridge `1/S²` of their Theorem 1. Their rewards lie in
/// [0, 1]; σ takes the place of that unit: `η = σ √(2 ln(2 T n / δ))`, ridge `(σ/S)²`. Without a horizon t stands for T,
/// without a norm bound 1 for S.
pub(super) struct KernelUcb;

impl Index for KernelUcb {
    fn name(&self) -> &'static str {
        "kernel-ucb"
    }

    fn ridge(&self, question: &Question) -> f64 {
        let norm = question.assumptions.norm_bound().filter(|&norm| norm > 0.0).unwrap_or(1.0);
        (question.assumptions.sigma_bound() / norm).powi(2)
    }

    fn scores(&self, seen: &Seen<'_>) -> Vec<f64> {
        seen.optimistic(self.multiplier(seen))
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        let horizon = match seen.question.goal {
            Goal::Regret { horizon: Some(horizon) } => horizon,
            _ => seen.t,
        };
        let statements = 2.0 * horizon as f64 * seen.means.len() as f64;
        let sigma = seen.question.assumptions.sigma_bound();
        sigma * (2.0 * (statements / seen.question.delta.delta()).ln()).sqrt()
    }
}
