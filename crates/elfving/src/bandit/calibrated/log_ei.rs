//! Expected improvement over the best mean so far, on the log scale, where it never vanishes.

use super::slate::Slate;
use crate::surrogate::log_expected_improvement;

/// `log E max(f - best, 0)` of every point, best the largest mean among `measured` rows.
pub(super) fn scores(slate: &Slate, measured: &[usize]) -> Vec<f64> {
    let points = slate.space().points();
    let (means, variances) = (slate.posterior.means(), slate.posterior.variances());
    let best = measured.iter().map(|&row| means[row]).fold(f64::NEG_INFINITY, f64::max);
    (0..points).map(|i| log_expected_improvement(means[i], variances[i].sqrt(), best)).collect()
}
