//! Half upper confidence bounds, half points that tell the likely best choices apart: for choices that cannot be measured.

use super::posterior_xy::Differences;
use super::slate::Slate;
use super::ucb;
use crate::bandit::ties::{first_largest, largest_first};
use crate::pool::PointId;
use rand::Rng;

/// Choices that are drawn jointly, those of the largest upper confidence bounds.
const CONTENDERS: usize = 200;
/// Deviations above the mean by which they are found.
const REACH: f64 = 3.0;
/// Draws: how often a choice is the best of one is its weight.
const DRAWS: usize = 256;
/// Choices kept, those of the largest weights.
const KEPT: usize = 32;

/// The scores of the slots, turn by turn.
pub(super) struct Mixed {
    differences: Differences,
}

impl Mixed {
    pub(super) fn new(slate: &Slate, random: &mut impl Rng) -> Self {
        Self { differences: Differences::new(slate, &likely_best(slate, random)) }
    }

    /// Upper confidence bounds in the slots 0, 2, 4, …; what tells choices apart in the others.
    pub(super) fn scores(&self, slate: &Slate, optimism: f64) -> Vec<f64> {
        if slate.len().is_multiple_of(2) {
            ucb::scores(slate, optimism)
        } else {
            self.differences.scores(slate)
        }
    }

    pub(super) fn suppose(&mut self, slate: &Slate, point: PointId) {
        self.differences.suppose(slate, point);
    }
}

/// The choices that are the best of some joint draw, with the share of draws as weight.
fn likely_best(slate: &Slate, random: &mut impl Rng) -> Vec<(PointId, f64)> {
    let (model, posterior) = (slate.model, &slate.posterior);
    let above: Vec<f64> = (0..model.choices())
        .map(|z| model.choice_mean(z) + REACH * posterior.deviation(model.choice(z)))
        .collect();
    let mut contenders: Vec<PointId> =
        largest_first(&above).into_iter().take(CONTENDERS).map(|z| model.choice(z)).collect();
    contenders.sort_unstable();
    let draws = posterior.samples(&contenders, DRAWS, random);
    let mut wins = vec![0.0; contenders.len()];
    for draw in 0..DRAWS {
        wins[first_largest(draws.row(draw)).expect("there is a choice")] += 1.0 / DRAWS as f64;
    }
    let order = largest_first(&wins).into_iter().take(KEPT).filter(|&k| wins[k] > 0.0);
    order.map(|k| (contenders[k], wins[k])).collect()
}
