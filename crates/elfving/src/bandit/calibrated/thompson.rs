//! Thompson sampling: each slot the best point of a joint draw.

use super::slate::Slate;
use crate::numerics::Matrix;
use crate::numerics::largest_first;
use crate::numerics::rng::Stream;
use crate::surrogate::RowId;

/// Draws are joint over at most this many points, those of the largest upper confidence bounds.
const CONTENDERS: usize = 500;
/// Deviations above the mean by which they are found.
const REACH: f64 = 3.0;

/// One draw for each slot of a batch.
pub(super) struct Draws {
    contenders: Vec<RowId>,
    values: Matrix,
}

impl Draws {
    pub(super) fn new(slate: &Slate, batch: usize, random: &mut Stream) -> Self {
        let mut contenders: Vec<RowId> = largest_first(&super::scores::optimistic(slate, REACH))
            .into_iter()
            .take(CONTENDERS)
            .map(RowId::new)
            .collect();
        contenders.sort_unstable();
        let values = slate.posterior.samples(&contenders, batch, random);
        Self { contenders, values }
    }

    /// The draw of the next slot: minus infinity for the points that were not drawn.
    pub(super) fn scores(&self, slate: &Slate) -> Vec<f64> {
        let mut scores = vec![f64::NEG_INFINITY; slate.space().points()];
        let draw = self.values.row(slate.len());
        self.contenders.iter().zip(draw).for_each(|(point, value)| scores[point.index()] = *value);
        scores
    }
}
