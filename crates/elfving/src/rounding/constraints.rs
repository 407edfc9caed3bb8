//! What the counts must respect: minima, maxima, and what was measured before.

use serde::{Deserialize, Serialize};

use super::RoundingError;
use crate::pool::PointId;

/// Constraints on the counts; none by default.
///
/// | field | meaning |
/// |---|---|
/// | `minimum` | forced: at least this many new measurements of the point |
/// | `maximum` | at most this many new ones; 0 forbids the point |
/// | `maximum_each` | the maximum of every point that `maximum` does not name |
/// | `done` | measured before: part of the information, not of the budget; a point listed twice counts twice |
///
/// ```
/// use elfving::{pool::PointId, rounding::Constraints};
/// // One of each from the shelf, candidate 3 in any case, candidate 8 never.
/// let shelf = Constraints::default()
///     .each_at_most(1)
///     .at_least(PointId::new(3), 1)
///     .at_most(PointId::new(8), 0);
/// # let _ = shelf;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraints {
    /// Least new measurements of a point.
    pub minimum: Vec<(PointId, u64)>,
    /// Most new measurements of a point.
    pub maximum: Vec<(PointId, u64)>,
    /// Most new measurements of every other point.
    pub maximum_each: Option<u64>,
    /// Measurements already made.
    pub done: Vec<(PointId, u64)>,
}

impl Constraints {
    /// Forces at least `count` new measurements of a point.
    #[must_use]
    pub fn at_least(mut self, id: PointId, count: u64) -> Self {
        self.minimum.push((id, count));
        self
    }

    /// Allows at most `count` new measurements of a point.
    #[must_use]
    pub fn at_most(mut self, id: PointId, count: u64) -> Self {
        self.maximum.push((id, count));
        self
    }

    /// Allows at most `count` new measurements of every point that has no maximum of its own.
    #[must_use]
    pub fn each_at_most(mut self, count: u64) -> Self {
        self.maximum_each = Some(count);
        self
    }

    /// Adds measurements that were made before.
    #[must_use]
    pub fn already_done(mut self, id: PointId, count: u64) -> Self {
        self.done.push((id, count));
        self
    }
}

/// The constraints of a request, one number a point, checked to be feasible.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub lower: Vec<u64>,
    /// At most the budget.
    pub upper: Vec<u64>,
    pub done: Vec<u64>,
    pub done_total: u64,
}

impl Bounds {
    pub(super) fn new(constraints: &Constraints, points: usize, budget: u64) -> Result<Self, RoundingError> {
        let most = constraints.maximum_each.unwrap_or(budget).min(budget);
        let lower = once_each("minima", &constraints.minimum, vec![0; points])?;
        let upper = once_each("maxima", &constraints.maximum, vec![most; points])?;
        let upper: Vec<u64> = upper.into_iter().map(|bound| bound.min(budget)).collect();
        let mut done = vec![0u64; points];
        for &(id, count) in &constraints.done {
            let known = done.get_mut(id.index()).ok_or(unknown("done measurements", id, points))?;
            *known = known.saturating_add(count);
        }
        let sum = |counts: &[u64]| counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let (minima, maxima) = (sum(&lower), sum(&upper));
        if minima > budget {
            return Err(RoundingError::MinimaAboveBudget { minima, budget });
        }
        if let Some(i) = (0..points).find(|&i| lower[i] > upper[i]) {
            let (minimum, maximum) = (lower[i], upper[i]);
            return Err(RoundingError::MinimumAboveMaximum { id: PointId::new(i), minimum, maximum });
        }
        if maxima < budget {
            return Err(RoundingError::MaximaBelowBudget { maxima, budget });
        }
        let done_total = sum(&done);
        Ok(Self { lower, upper, done, done_total })
    }

    /// Whether nothing was measured before and nothing is forced.
    pub(super) fn starts_empty(&self) -> bool {
        self.done_total == 0 && self.lower.iter().all(|&bound| bound == 0)
    }
}

fn unknown(list: &'static str, id: PointId, points: usize) -> RoundingError {
    RoundingError::UnknownPoint { list, id, points }
}

/// Writes a list over the default of each point.
fn once_each(
    list: &'static str,
    entries: &[(PointId, u64)],
    mut values: Vec<u64>,
) -> Result<Vec<u64>, RoundingError> {
    let points = values.len();
    let mut ids: Vec<PointId> = entries.iter().map(|&(id, _)| id).collect();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(RoundingError::NamedTwice { list, id: pair[0] });
    }
    for &(id, count) in entries {
        *values.get_mut(id.index()).ok_or(unknown(list, id, points))? = count;
    }
    Ok(values)
}
