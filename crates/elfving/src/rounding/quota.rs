//! Fractional counts: what each point would get if measurements could be split.

use super::Request;
use super::request::Share;

/// A quota this close to an integer is that integer; the weights of a design are no more exact.
const QUOTA_TOLERANCE: f64 = 1e-9;

/// `⌈quota⌉`, forgiving rounding errors.
pub(super) fn counted_up(quota: f64) -> u64 {
    (quota - QUOTA_TOLERANCE).ceil().max(0.0) as u64
}

/// `ν λ_i - d_i` within the bounds of point i, for the ν at which they add up to the budget.
///
/// Without constraints this is `λ_i T`. A point that was measured before gets that much less, so that done and
/// new measurements together follow the weights. When the points cannot take the budget, all are at their maximum.
pub(super) fn quotas(request: &Request, weights: &[Share]) -> Vec<Share> {
    let bounds = &request.bounds;
    let quota = |level: f64, &(i, weight): &Share| {
        let wanted = level * weight - bounds.done[i] as f64;
        (i, wanted.clamp(bounds.lower[i] as f64, bounds.upper[i] as f64))
    };
    let at = |level: f64| -> Vec<Share> { weights.iter().map(|share| quota(level, share)).collect() };
    // What is forced on points without weight is spent already.
    let forced: u64 = bounds.lower.iter().sum();
    let forced_here: u64 = weights.iter().map(|&(i, _)| bounds.lower[i]).sum();
    let loss = (request.budget - (forced - forced_here)) as f64;
    if bounds.starts_empty() && weights.iter().all(|&(i, weight)| weight * loss <= bounds.upper[i] as f64) {
        return at(loss);
    }
    let spent = |level: f64| at(level).iter().map(|&(_, quota)| quota).sum::<f64>();
    // The sum grows with the level and reaches every maximum at the latest here.
    let mut high =
        weights.iter().map(|&(i, w)| (bounds.upper[i] + bounds.done[i]) as f64 / w).fold(loss, f64::max);
    let mut low = 0.0;
    if spent(high) <= loss {
        return at(high);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if spent(middle) < loss {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(high)
}
