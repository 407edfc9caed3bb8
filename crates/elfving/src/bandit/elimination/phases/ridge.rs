//! The ridge of a round.

use super::*;

/// The share of ε_ℓ that the ridge's bias may take. A smaller ridge has less bias and a larger f, which grows slowly.
const RIDGE_SHARE: f64 = 0.125;
/// The smallest ridge, relative to the largest squared feature norm: below it norms lose their digits.
const SMALLEST_RIDGE: f64 = 1e-10;
/// A horizon that is not known is guessed as the next power of two, and at least this.
const FIRST_HORIZON: u64 = 1 << 10;

impl Phases {
    /// γ: what the user set; for regret k/T with k the largest squared feature norm, T the horizon or the power of two above what was
    /// measured; for exploration so small that the ridge's bias is about ε_ℓ/8, which needs S, and 0 without S when
    /// the features are explicit.
    pub(crate) fn ridge(&self, epsilon: f64) -> Result<(Ridge, bool), BanditError> {
        if let Some(gamma) = self.question.gamma {
            return Ok((gamma, true));
        }
        let scale = self.largest_squared_norm();
        if let Goal::Regret { horizon } = self.question.goal {
            let guess = (2 * self.samples()).next_power_of_two().max(FIRST_HORIZON);
            return Ok((Ridge::new(scale / horizon.unwrap_or(guess) as f64)?, horizon.is_some()));
        }
        let norm = match self.question.assumptions.norm_bound() {
            Some(norm) => norm,
            None if self.question.pool.residual() == 0.0 && self.question.pool.exact().is_none() => {
                return Ok((Ridge::ZERO, true));
            }
            None => 2.0 * self.scale() / scale.sqrt(),
        };
        let value = self.last_value().unwrap_or(self.question.pool.dimension() as f64).max(1.0);
        let wanted = (RIDGE_SHARE * epsilon / norm).powi(2) / value;
        let smallest = SMALLEST_RIDGE * scale;
        // NaN and infinity (a norm of 0) end at the scale of the features.
        let gamma = if wanted < scale { wanted.max(smallest) } else { scale };
        Ok((Ridge::new(gamma)?, gamma == smallest))
    }

    pub(super) fn largest_squared_norm(&self) -> f64 {
        let features = self.question.pool.features();
        (0..features.rows()).map(|i| norm_squared(features.row(i))).fold(f64::MIN_POSITIVE, f64::max)
    }
}
