//! IGP-UCB: GP-UCB with a width for functions of bounded norm (Chowdhury and Gopalan 2017).

use super::index::{Index, Seen, needs_norm};
use elfving::bandit::{BanditError, Goal, Question};

/// `mean + β_t · sd` with ridge `1 + 2/T` and `β_t = S + σ √(2 (γ_{t-1} + 1 + ln(1/δ)))` (their Theorem 3). The information gain
/// is that of the data, `γ_{t-1} = ½ ln det(V / ridge)`, not its maximum. Without a horizon the ridge is 1, its limit.
pub(super) struct IgpUcb {
    norm: f64,
}

impl IgpUcb {
    pub(super) fn new(question: &Question) -> Result<Self, BanditError> {
        Ok(Self { norm: needs_norm("igp-ucb", question)? })
    }
}

impl Index for IgpUcb {
    fn name(&self) -> &'static str {
        "igp-ucb"
    }

    fn ridge(&self, question: &Question) -> f64 {
        match question.goal {
            Goal::Regret { horizon: Some(horizon) } => 1.0 + 2.0 / horizon as f64,
            _ => 1.0,
        }
    }

    fn scores(&self, seen: &Seen<'_>) -> Vec<f64> {
        seen.optimistic(self.multiplier(seen))
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        let information = 0.5 * seen.precision.log_det();
        let log_confidence = -seen.question.delta.delta().ln();
        let sigma = seen.question.assumptions.sigma_bound();
        let beta = self.norm + sigma * (2.0 * (information + 1.0 + log_confidence)).sqrt();
        beta * seen.precision.ridge().sqrt()
    }
}
