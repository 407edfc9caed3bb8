//! The ridge of a round.

use super::*;

/// A horizon that is not known is guessed as the next power of two, and at least this.
const FIRST_HORIZON: u64 = 1 << 10;

impl Phases {
    /// γ: what the user set; for regret k/T with k the largest squared feature norm, T the horizon or the power of two above what was
    /// measured; for exploration so small that the ridge's bias is about ε_ℓ/8, which needs S, and 0 without S when
    /// the features are explicit.
    pub(crate) fn ridge(&self, epsilon: f64) -> Result<(Ridge, bool), BanditError> {
        match (self.question.gamma, self.question.goal) {
            (None, Goal::Regret { horizon }) => {
                let guess = (2 * self.samples()).next_power_of_two().max(FIRST_HORIZON);
                let gamma = self.largest_squared_norm() / horizon.unwrap_or(guess) as f64;
                Ok((Ridge::new(gamma)?, horizon.is_some()))
            }
            _ => Ok(schedule::ridge_of_round(&self.question, epsilon, self.last_value())?),
        }
    }

    pub(super) fn largest_squared_norm(&self) -> f64 {
        schedule::largest_squared_norm(self.question.pool.features())
    }
}
