//! Deterministic counts, and the order to run them in.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::RoundingError;
use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;

/// How often each point is measured: deterministic counts, for least squares.
///
/// Not to be mixed with [`Draws`](super::Draws): an estimator whose proof needs independent draws does not
/// take counts that were chosen.
///
/// ```
/// use elfving::{pool::PointId, rounding::Allocation};
/// let allocation = Allocation::new(vec![(PointId::new(4), 1), (PointId::new(0), 2), (PointId::new(3), 0)])?;
/// assert_eq!(allocation.counts(), &[(PointId::new(0), 2), (PointId::new(4), 1)]);
/// assert_eq!(allocation.total(), 3);
/// # Ok::<(), elfving::rounding::RoundingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(PointId, u64)>", into = "Vec<(PointId, u64)>")]
pub struct Allocation {
    counts: Vec<(PointId, u64)>,
    total: u64,
}

impl Allocation {
    /// Counts in any order; zeros are dropped.
    ///
    /// # Errors
    /// [`RoundingError::NamedTwice`], and [`RoundingError::Budget`] for a total of 0 or above 2⁵³.
    pub fn new(mut counts: Vec<(PointId, u64)>) -> Result<Self, RoundingError> {
        counts.sort_unstable();
        if let Some(pair) = counts.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(RoundingError::NamedTwice { list: "counts", id: pair[0].0 });
        }
        counts.retain(|&(_, count)| count > 0);
        let total = counts.iter().fold(0u64, |sum, &(_, count)| sum.saturating_add(count));
        if !(1..=super::request::MOST_MEASUREMENTS).contains(&total) {
            return Err(RoundingError::Budget { got: total });
        }
        Ok(Self { counts, total })
    }

    /// One count for each point of the pool, zeros included.
    pub(super) fn from_dense(counts: &[u64]) -> Self {
        let positive = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        let counts: Vec<(PointId, u64)> = positive.map(|(i, &count)| (PointId::new(i), count)).collect();
        let total = counts.iter().map(|&(_, count)| count).sum();
        Self { counts, total }
    }

    /// Points with their counts: positive ones only, in pool order.
    pub fn counts(&self) -> &[(PointId, u64)] {
        &self.counts
    }

    /// Measurements in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The count of one point; 0 when it is not measured.
    pub fn count(&self, id: PointId) -> u64 {
        self.counts.binary_search_by_key(&id, |&(id, _)| id).map_or(0, |at| self.counts[at].1)
    }

    /// One entry a measurement, in pool order.
    pub fn slots(&self) -> Vec<PointId> {
        self.counts.iter().flat_map(|&(id, count)| (0..count).map(move |_| id)).collect()
    }
}

impl TryFrom<Vec<(PointId, u64)>> for Allocation {
    type Error = RoundingError;
    fn try_from(counts: Vec<(PointId, u64)>) -> Result<Self, RoundingError> {
        Self::new(counts)
    }
}

impl From<Allocation> for Vec<(PointId, u64)> {
    fn from(allocation: Allocation) -> Self {
        allocation.counts
    }
}

impl fmt::Display for Allocation {
    /// `200 measurements of 87 candidates`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} measurements of {} candidates", self.total, self.counts.len())
    }
}

/// The measurements of an allocation in random order: every order is equally likely, and the seed brings
/// this one back.
///
/// A drift over the day then falls on all candidates alike instead of on the last ones of the table.
///
/// ```
/// use elfving::{pool::PointId, rounding::{Allocation, shuffled_slots}};
/// let allocation = Allocation::new(vec![(PointId::new(0), 2), (PointId::new(4), 1)])?;
/// let order = shuffled_slots(&allocation, 7);
/// assert_eq!(order.len(), 3);
/// assert_eq!(order, shuffled_slots(&allocation, 7));
/// # Ok::<(), elfving::rounding::RoundingError>(())
/// ```
pub fn shuffled_slots(allocation: &Allocation, seed: u64) -> Vec<PointId> {
    let mut slots = allocation.slots();
    stream(seed, 0, Purpose::RUN_ORDER).shuffle(&mut slots);
    slots
}
