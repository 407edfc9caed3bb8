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

/// How far the rounds are, and what the next one is planned from.
pub(super) struct Rounds {
    /// ℓ of the last round closed.
    last: u64,
    closed: u64,
    samples: u64,
    /// The support of the last design.
    support: Vec<(PointId, f64)>,
    value: Option<f64>,
    accuracy: f64,
    gamma: Option<f64>,
}

impl Default for Rounds {
    fn default() -> Self {
        let (value, gamma, support) = (None, None, Vec::new());
        Self { last: 0, closed: 0, samples: 0, support, value, accuracy: f64::INFINITY, gamma }
    }
}

impl Rounds {
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn closed(&self) -> u64 {
        self.closed
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    /// f of the last design.
    pub(super) fn value(&self) -> Option<f64> {
        self.value
    }

    /// The noise width that the last round was planned for; infinite before the first.
    pub(super) fn accuracy(&self) -> f64 {
        self.accuracy
    }

    pub(super) fn gamma(&self) -> Option<f64> {
        self.gamma
    }

    pub(super) fn reached(&mut self, round: u64) {
        self.last = self.last.max(round);
    }

    /// Takes in what was measured; measurements of the leader are no round.
    pub(super) fn measured(&mut self, plan: &Plan, samples: usize) {
        self.samples += samples as u64;
        self.support = match &plan.measurements {
            Measurements::Drawn(draws) => draws.probabilities(),
            Measurements::Counted(allocation) => {
                allocation.counts().iter().map(|&(id, count)| (id, count as f64)).collect()
            }
            Measurements::Chosen(_) => return,
        };
        self.closed += 1;
        self.value = plan.value;
        self.gamma = plan.gamma;
        self.accuracy = plan.epsilon.unwrap_or(self.accuracy);
    }

    /// The support of the last design, in the ids of a restricted pool.
    pub(super) fn warm_start(&self, ids: Option<&[PointId]>) -> Vec<(PointId, f64)> {
        let Some(ids) = ids else { return self.support.clone() };
        let place = |&(id, weight): &(PointId, f64)| {
            ids.binary_search(&id).ok().map(|place| (PointId::new(place), weight))
        };
        self.support.iter().filter_map(place).collect()
    }
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
