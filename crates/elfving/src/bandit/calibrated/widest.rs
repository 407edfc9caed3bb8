//! Every mean within a tolerance: the point that helps the widest interval most.

use super::slate::Slate;
use crate::numerics::first_largest;

/// Where points are choices the variance of each; else what measuring each point takes from the variance of the widest choice.
pub(super) fn scores(slate: &Slate) -> Vec<f64> {
    let points = slate.space().points();
    let variances = slate.posterior.variances();
    if slate.space().chooses_among_itself() {
        return variances[..points].to_vec();
    }
    let widest = first_largest(&variances[points..]).expect("there is a choice");
    let covariances = slate.posterior.covariances(slate.model.choice(widest));
    let noise = slate.model.fit.next_noise();
    (0..points).map(|x| covariances[x].powi(2) / (variances[x] + noise)).collect()
}
