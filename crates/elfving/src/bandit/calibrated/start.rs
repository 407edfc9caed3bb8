//! Before there are data: different rows at random.

use crate::bandit::batch_rules::Values;
use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;
use crate::surrogate::Space;

const START: Purpose = Purpose::new("calibrated-start");

/// `count` points of different sites among those not measured yet, in random order; then any of them again where there are fewer, as
/// often as they may be measured. `may` knows a row and how often it is in the batch.
///
/// Spreading them out did not help where it was measured.
pub(super) fn at_random(
    space: &Space,
    pulls: &[u64],
    count: usize,
    seed: u64,
    round: u64,
    may: impl Fn(usize, u64) -> bool,
    mut values: Values,
) -> Vec<PointId> {
    let mut random = stream(seed, round, START);
    let is_first = |row: &usize| space.site(*row) == *row && may(*row, 0);
    let mut rows: Vec<usize> = (0..space.points()).filter(is_first).filter(|&row| pulls[row] == 0).collect();
    if rows.is_empty() {
        rows = (0..space.points()).filter(|row| may(*row, 0)).collect();
    }
    rows.retain(|row| values.allow(*row));
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count && !rows.is_empty() {
        let (k, times) = (chosen.len() % rows.len(), chosen.len() / rows.len());
        if times == 0 {
            let other = k + random.below((rows.len() - k) as u64) as usize;
            rows.swap(k, other);
        } else if !may(rows[k], times as u64) {
            break;
        }
        chosen.push(PointId::new(rows[k]));
        if times == 0 && !values.are_free() {
            // Those chosen so far are at the front, and their values are in the batch: they stay.
            values.add(rows[k]);
            rows.retain(|row| values.allow(*row));
        }
    }
    chosen
}
