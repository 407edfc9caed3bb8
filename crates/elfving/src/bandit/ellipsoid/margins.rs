//! How wrong each assumption may be with the verdict still standing.

use super::contest::Contest;
use super::width::{Direction, norm_of};
use crate::bandit::Margins;
use crate::estimate::Assumptions;

/// What the verdict says, with all the evidence for it.
///
/// Every choice that is out was beaten: by the evidence of its time, or by that of today. Both hold together with probability
/// 1 - δ whatever S, σ and h are put in, because the ellipsoid holds at all times at once, for the data as it was chosen.
/// When the goal is reached, the comparisons of today also say so.
pub(super) struct Verdict<'a> {
    pub(super) required: f64,
    /// For each choice that is out, the evidence of its time and of today.
    pub(super) out: Vec<[Vec<Direction>; 2]>,
    /// The survivors of today, when the goal is reached.
    pub(super) reached: Option<&'a Contest>,
}

impl Verdict<'_> {
    /// Whether it would stand with these assumptions.
    pub(super) fn stands(&self, assumed: &Assumptions) -> bool {
        let beaten = |proof: &Vec<Direction>| {
            !proof.is_empty()
                && proof.iter().all(|difference| difference.upper(assumed) + self.required < 0.0)
        };
        self.out.iter().all(|evidence| evidence.iter().any(beaten))
            && self.reached.is_none_or(|contest| contest.is_reached(assumed))
    }

    /// The largest S, σ and h for which it stands, each with the others held; `None` without a verdict, or where it stands
    /// with any value.
    pub(super) fn margins(&self, assumed: &Assumptions) -> Margins {
        if self.out.is_empty() && self.reached.is_none_or(|contest| contest.pairs.is_empty()) {
            return Margins::default();
        }
        margins(assumed, |assumed| self.stands(assumed))
    }
}

/// The largest S, σ and h for which a statement stands, each with the others held; `None` where it stands with any value.
pub(super) fn margins(assumed: &Assumptions, stands: impl Fn(&Assumptions) -> bool) -> Margins {
    let largest =
        |stated: f64, with: &dyn Fn(f64) -> Assumptions| largest(stated, |value| stands(&with(value)));
    Margins {
        norm: largest(norm_of(assumed), &|norm| Assumptions { norm: Some(norm), ..assumed.clone() }),
        sigma: largest(assumed.sigma_bound(), &|sigma| Assumptions { sigma, ..assumed.clone() }),
        bound: None,
        misspecification: largest(assumed.h(), &|misspecification| Assumptions {
            misspecification,
            ..assumed.clone()
        }),
    }
}

/// The largest value for which a statement stands that stands less easily the larger it is, to 1e-12 of it.
fn largest(stated: f64, stands: impl Fn(f64) -> bool) -> Option<f64> {
    if !stands(stated) {
        return None;
    }
    let mut low = stated;
    let mut high = stated.max(1e-12);
    while stands(high) {
        low = high;
        high *= 2.0;
        if high > 1e100 {
            return None;
        }
    }
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        if !(middle > low && middle < high) {
            break;
        }
        if stands(middle) { low = middle } else { high = middle }
    }
    Some(low)
}
