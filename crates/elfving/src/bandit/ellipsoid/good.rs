//! Which choices are good: each of them against everyone who might be best.

use super::contest::Pair;
use super::snapshot::Snapshot;
use crate::estimate::Assumptions;
use crate::numerics::{first_largest, largest_first};

/// Direct comparisons are made with as many contenders as this leaves; the others go through the leader.
const MOST_COMPARISONS: usize = 10_000;

/// The rivals of the leader that might be best, each compared with every other rival.
///
/// A choice z is below the best by at most the largest, over all z', of what z' is above z. That is bounded directly when
/// z' is a contender, and always by way of the leader b: `(z' - b) + (b - z)`. Both bounds hold together, so the smaller
/// one counts, whatever S, σ and h the list of contenders was made with.
pub(super) struct Contenders {
    /// Positions in the list of the leader's pairs.
    positions: Vec<usize>,
    /// For each rival of the leader, every contender minus that rival.
    pub(super) direct: Vec<Pair>,
}

impl Contenders {
    pub(super) fn new(pairs: &[Pair], snapshot: &Snapshot, assumed: &Assumptions) -> Self {
        let upper: Vec<f64> = pairs.iter().map(|pair| pair.difference.upper(assumed)).collect();
        let most = MOST_COMPARISONS / pairs.len().max(1);
        let positions: Vec<usize> =
            largest_first(&upper).into_iter().take_while(|&k| upper[k] > 0.0).take(most).collect();
        let against = |pair: &Pair| {
            let rival = pair.rival;
            let contenders = positions.iter();
            contenders.map(move |&contender| Pair::new(rival, pairs[contender].rival, snapshot))
        };
        let direct = pairs.iter().flat_map(against).collect();
        Self { positions, direct }
    }

    /// How far below the best the worst rival may be.
    pub(super) fn certified(&self, pairs: &[Pair], assumed: &Assumptions) -> f64 {
        self.below(pairs, assumed).iter().map(|&(below, _)| below).fold(0.0, f64::max)
    }

    /// For each rival, how far below the best it may be, and the comparison that says so.
    fn below<'a>(&'a self, pairs: &'a [Pair], assumed: &Assumptions) -> Vec<(f64, &'a Pair)> {
        let upper: Vec<f64> = pairs.iter().map(|pair| pair.difference.upper(assumed)).collect();
        // Those without a direct comparison: below the leader when the list was made, but not with any assumptions.
        let mut indirect = upper.clone();
        self.positions.iter().for_each(|&position| indirect[position] = 0.0);
        let indirect = indirect.into_iter().fold(0.0, f64::max);
        let contenders = self.positions.len();
        let each = pairs.iter().enumerate().map(|(k, pair)| {
            let below_leader = -pair.difference.lower(assumed);
            let mut worst = (below_leader + indirect, pair);
            let direct = &self.direct[k * contenders..(k + 1) * contenders];
            for (&position, direct) in
                self.positions.iter().zip(direct).filter(|(position, _)| **position != k)
            {
                let below = direct.difference.upper(assumed).min(upper[position] + below_leader);
                if below > worst.0 {
                    worst = (below, direct);
                }
            }
            worst
        });
        each.collect()
    }

    /// Among the rivals that may be further than `most` below the best, the widest comparison: with the leader, or with the
    /// contender that stands in the way.
    pub(super) fn widest_undecided<'a>(
        &'a self,
        pairs: &'a [Pair],
        most: f64,
        assumed: &Assumptions,
    ) -> Option<&'a Pair> {
        let below = self.below(pairs, assumed);
        let undecided = below.iter().zip(pairs).filter(|((below, _), _)| *below > most);
        let open: Vec<&Pair> =
            undecided.flat_map(|(&(_, worst), with_leader)| [with_leader, worst]).collect();
        let widths: Vec<f64> = open.iter().map(|pair| pair.difference.width(assumed)).collect();
        first_largest(&widths).map(|k| open[k])
    }
}
