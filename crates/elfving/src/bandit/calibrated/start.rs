//! Before there are data: different rows at random.

use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;
use crate::surrogate::Space;

const START: Purpose = Purpose::new("calibrated-start");

/// `count` points of different sites among those not measured yet, in random order; then any of them again where there are fewer.
///
/// Spreading them out did not help where it was measured.
pub(super) fn at_random(space: &Space, pulls: &[u64], count: usize, seed: u64, round: u64) -> Vec<PointId> {
    let mut random = stream(seed, round, START);
    let is_first = |row: &usize| space.site(*row) == *row;
    let mut rows: Vec<usize> = (0..space.points()).filter(is_first).filter(|&row| pulls[row] == 0).collect();
    if rows.is_empty() {
        rows = (0..space.points()).collect();
    }
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let k = chosen.len() % rows.len();
        if chosen.len() < rows.len() {
            let other = k + random.below((rows.len() - k) as u64) as usize;
            rows.swap(k, other);
        }
        chosen.push(PointId::new(rows[k]));
    }
    chosen
}
