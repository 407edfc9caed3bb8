//! Optimism: the largest upper confidence bound.

use super::slate::Slate;

/// `mean + b · deviation` of every point.
pub(super) fn scores(slate: &Slate, optimism: f64) -> Vec<f64> {
    let points = slate.space().points();
    let (means, variances) = (slate.posterior.means(), slate.posterior.variances());
    (0..points).map(|i| means[i] + optimism * variances[i].sqrt()).collect()
}
