//! How wrong each assumption may be before the verdict no longer follows.

use crate::bandit::Margins;
use crate::estimate::Assumptions;

/// Steps of bisection: a relative accuracy of 1e-9 from a factor 2.
const STEPS: usize = 32;
/// An assumption that may be wrong by this factor is one the verdict does not rest on.
const FAR: f64 = 1e9;

/// The largest value of each premise, the others held, at which `stands` still says yes.
///
/// Widths grow with every premise, so `stands` turns from yes to no once. `unit`: the sizes that S, σ, B and h have in this problem, to
/// start from where one of them is 0.
pub(super) fn margins(
    premises: &Assumptions,
    unit: &Assumptions,
    stands: impl Fn(&Assumptions) -> bool,
) -> Margins {
    if !stands(premises) {
        return Margins::default();
    }
    let from = premises;
    let norm = |norm: f64| Assumptions { norm: Some(norm), ..from.clone() };
    let sigma = |sigma: f64| Assumptions { sigma, ..from.clone() };
    let bound = |bound: f64| Assumptions { bound: Some(bound), ..from.clone() };
    let misspecification = |misspecification: f64| Assumptions { misspecification, ..from.clone() };
    let units = unit.norm.unwrap_or(1.0);
    Margins {
        norm: largest(from.norm.unwrap_or(0.0), units, |x| stands(&norm(x))),
        sigma: largest(from.sigma, unit.sigma, |x| stands(&sigma(x))),
        bound: from.bound.and_then(|now| largest(now, now, |x| stands(&bound(x)))),
        misspecification: largest(from.misspecification, unit.misspecification, |x| {
            stands(&misspecification(x))
        }),
    }
}

/// The largest norm that `bears` says yes to, for a norm that nobody gave; as far as one looks where there is no end. `None` when there is
/// none above 0.
pub(super) fn norm_borne(unit: f64, bears: impl Fn(f64) -> bool) -> Option<f64> {
    if !bears(0.0) {
        return None;
    }
    Some(largest(0.0, unit, bears).unwrap_or(FAR * unit)).filter(|&norm| norm > 0.0)
}

/// The largest x with `good(x)`, found from `now` where it holds; `None` when it holds as far as one looks.
fn largest(now: f64, unit: f64, good: impl Fn(f64) -> bool) -> Option<f64> {
    let mut low = now;
    let mut high = now.max(1e-6 * unit);
    while good(high) {
        low = high;
        high *= 2.0;
        if !(high <= FAR * now.max(unit)) {
            return None;
        }
    }
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if good(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_where_the_verdict_turns() {
        assert!((largest(0.1, 1.0, |x| x <= 0.73).unwrap() - 0.73).abs() < 1e-8);
        assert!((largest(0.0, 1.0, |x| x <= 0.02).unwrap() - 0.02).abs() < 1e-10);
        assert_eq!(largest(0.1, 1.0, |_| true), None);
        assert_eq!(largest(0.1, 1.0, |x| x <= 0.1), Some(0.1));
    }
}
