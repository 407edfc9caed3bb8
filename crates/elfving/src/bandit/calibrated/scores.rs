//! What a point is worth, by one formula each.

use super::slate::Slate;
use crate::numerics::first_largest;
use crate::pool::ChoiceId;
use crate::surrogate::log_expected_improvement;

/// Optimism: `mean + b · deviation` of every point.
pub(super) fn optimistic(slate: &Slate, optimism: f64) -> Vec<f64> {
    let points = slate.space().points();
    let (means, variances) = (slate.posterior.means(), slate.posterior.variances());
    (0..points).map(|i| means[i] + optimism * variances[i].sqrt()).collect()
}

/// Improvement on the log scale, where it never vanishes: `log E max(f - best, 0)` of every point, best the largest mean among `measured` rows.
pub(super) fn log_improvement(slate: &Slate, measured: &[usize]) -> Vec<f64> {
    let points = slate.space().points();
    let (means, variances) = (slate.posterior.means(), slate.posterior.variances());
    let best = measured.iter().map(|&row| means[row]).fold(f64::NEG_INFINITY, f64::max);
    (0..points).map(|i| log_expected_improvement(means[i], variances[i].sqrt(), best)).collect()
}

/// For a map: where points are choices the variance of each; else what measuring each point takes from the variance of the widest choice.
pub(super) fn widest(slate: &Slate) -> Vec<f64> {
    let points = slate.space().points();
    let variances = slate.posterior.variances();
    if slate.space().chooses_among_itself() {
        return variances[..points].to_vec();
    }
    let widest = first_largest(&variances[points..]).expect("there is a choice");
    let covariances = slate.posterior.covariances(slate.model.row(ChoiceId::new(widest)));
    let noise = slate.model.fit.next_noise();
    (0..points).map(|x| covariances[x].powi(2) / (variances[x] + noise)).collect()
}
