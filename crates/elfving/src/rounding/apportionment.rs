//! Efficient apportionment: as fair as whole numbers allow.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::greedy::fill;
use super::quota::{counted_up, quotas};
use super::report::{Rounded, RoundingPath};
use super::request::Share;
use super::{Request, Rounding, RoundingError};

/// Efficient apportionment (Pukelsheim and Rieder 1992): exactly T measurements, the default for T ≥ s.
///
/// Start from `⌈(T - s/2) λ_i⌉`, s the number of points of positive weight; while the total is too small, add one where
/// `n_i / λ_i` is smallest; while it is too large, take one where `(n_i - 1) / λ_i` is largest; ties to the smallest
/// id. Of all roundings it loses least in the worst case: `min_i n_i / (λ_i T)` is as large as it can be. Every point
/// is measured when T ≥ s; below that the heaviest points come first, and the result may be poor or singular:
/// see [`RegretMinimisation`](super::RegretMinimisation). Done measurements count as if they had been handed
/// out already. Cost: s log s.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `smallest_quota` | 0 | points with a quota `λ_i T` below this are left out first; 0.3 helps designs with a long tail of small weights |
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Apportionment, Constraints, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = [0.4, 0.3, 0.2, 0.1].into_iter().enumerate()
///     .map(|(i, weight)| (PointId::new(i), weight)).collect();
/// let request = Request::from_weights(&problem, &weights, 7, &Constraints::default())?;
/// let counts: Vec<u64> = Apportionment::default().round(&request)?
///     .allocation.counts().iter().map(|&(_, count)| count).collect();
/// assert_eq!(counts, [3, 2, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Apportionment {
    smallest_quota: f64,
}

impl Apportionment {
    /// Leaves out points that would get less than this share of one measurement.
    #[must_use]
    pub fn smallest_quota(mut self, quota: f64) -> Self {
        self.smallest_quota = quota;
        self
    }

    /// Counts for each point of the pool.
    pub(super) fn counts(&self, request: &Request, weights: &[Share]) -> Vec<u64> {
        let shares = quotas(request, weights);
        let kept = |k: &usize| shares[*k].1 >= self.smallest_quota;
        let mut weights: Vec<Share> = (0..weights.len()).filter(kept).map(|k| weights[k]).collect();
        if weights.is_empty() {
            weights = request.weights.clone();
        }
        let sum: f64 = weights.iter().map(|&(_, weight)| weight).sum();
        weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
        apportion(request, &weights)
    }
}

impl Rounding for Apportionment {
    fn name(&self) -> &'static str {
        "apportion"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let counts = self.counts(request, &request.weights);
        Ok(request.answer(self.name(), &counts, RoundingPath::Direct))
    }
}

fn apportion(request: &Request, weights: &[Share]) -> Vec<u64> {
    let bounds = &request.bounds;
    let mut counts = bounds.lower.clone();
    let half = 0.5 * weights.len() as f64;
    for (&(i, weight), (_, quota)) in weights.iter().zip(quotas(request, weights)) {
        counts[i] = counted_up(quota - half * weight).clamp(bounds.lower[i], bounds.upper[i]);
    }
    let mut total: u64 = counts.iter().sum();
    let claim = |&(id, weight): &Share, held: u64| Claim { held, weight, id };

    let room = |share: &&Share, counts: &[u64]| counts[share.0] < bounds.upper[share.0];
    let short = weights.iter().filter(|share| room(share, &counts));
    let mut next: BinaryHeap<Gain> =
        short.map(|share| Gain(claim(share, counts[share.0] + bounds.done[share.0]))).collect();
    while total < request.budget {
        let Some(Gain(first)) = next.pop() else { break };
        counts[first.id] += 1;
        total += 1;
        if counts[first.id] < bounds.upper[first.id] {
            next.push(Gain(Claim { held: first.held + 1, ..first }));
        }
    }

    let spare = |share: &&Share| counts[share.0] > bounds.lower[share.0];
    let mut last: BinaryHeap<Loss> = weights
        .iter()
        .filter(spare)
        .map(|share| Loss(claim(share, counts[share.0] + bounds.done[share.0] - 1)))
        .collect();
    while total > request.budget {
        let Some(Loss(first)) = last.pop() else { break };
        counts[first.id] -= 1;
        total -= 1;
        if counts[first.id] > bounds.lower[first.id] {
            last.push(Loss(Claim { held: first.held - 1, ..first }));
        }
    }
    // The maxima of the support may not hold the budget.
    fill(request, &mut counts);
    counts
}

/// A point and the measurements it holds.
#[derive(Debug, Clone, Copy)]
struct Claim {
    held: u64,
    weight: f64,
    id: usize,
}

impl Claim {
    /// By `held / weight`; among points that hold nothing, the lighter one has more of what it deserves.
    fn by_satisfaction(&self, other: &Self) -> Ordering {
        let ratio = |claim: &Self| claim.held as f64 / claim.weight;
        match (self.held, other.held) {
            (0, 0) => other.weight.total_cmp(&self.weight),
            _ => ratio(self).total_cmp(&ratio(other)),
        }
    }
}

/// Who gets the next one: the largest is the least satisfied, ties to the smallest id.
struct Gain(Claim);
/// Who gives one back: the largest is the most satisfied, ties to the smallest id.
struct Loss(Claim);

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.by_satisfaction(&self.0).then(other.0.id.cmp(&self.0.id))
    }
}

impl Ord for Loss {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.by_satisfaction(&other.0).then(other.0.id.cmp(&self.0.id))
    }
}

macro_rules! equal_by_order {
    ($type:ident) => {
        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }
        impl Eq for $type {}
    };
}
equal_by_order!(Gain);
equal_by_order!(Loss);
