//! One round before it is measured.

use super::design::RoundDesign;
use super::*;
use crate::rounding::Draws;

/// Draws that a plan may hold in memory.
const MOST_IN_A_ROUND: u64 = 1 << 30;

/// Round ℓ as it starts out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// ℓ.
    pub number: u64,
    /// ε_ℓ = B 2^-ℓ.
    pub epsilon: f64,
    /// γ.
    pub gamma: Ridge,
    /// Whether γ stays the same when ε_ℓ falls.
    pub gamma_is_fixed: bool,
    /// Measurements that the budget leaves.
    pub left: u64,
}

impl Phases {
    /// K statements in both tails, in all rounds.
    pub(crate) fn log_term(&self, round: &Round, statements: usize) -> f64 {
        schedule::log_term(self.question.delta, round.number, statements)
    }

    /// Independent draws; nothing when they do not fit into the horizon.
    pub(crate) fn draw(
        &self,
        round: &Round,
        design: &RoundDesign<'_>,
        wanted: u64,
    ) -> Result<Option<Plan>, BanditError> {
        let Some(count) = self.within_horizon(round, wanted)? else { return Ok(None) };
        let draws = Draws::for_round(&design.weights, count, self.question.seed, round.number)?;
        Ok(Some(design.plan(round, Measurements::Drawn(draws))))
    }

    /// The measurements of a round: all of them, or as many as the horizon allows; nothing when it is better to play the leader.
    ///
    /// # Errors
    /// [`BanditError::OverBudget`].
    pub(super) fn within_horizon(&self, round: &Round, wanted: u64) -> Result<Option<u64>, BanditError> {
        let count = match self.horizon_left() {
            Some(left) => match self.room_in_horizon(wanted, left) {
                Some(count) => count,
                None => return Ok(None),
            },
            None => wanted,
        };
        let left = round.left.min(MOST_IN_A_ROUND);
        if count > left {
            return Err(BanditError::OverBudget { needed: count, left });
        }
        Ok(Some(count))
    }
}
