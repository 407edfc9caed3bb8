//! The decisions as the paper prints them: by one vector θ̂, at a multiple of ε_ℓ.

use super::*;
use crate::estimate::minimax::theta_hat;
use crate::numerics::position_of_largest;
use crate::pool::{Subset, Targets};
use crate::units::Tolerance;

impl Phases {
    /// Keeps every survivor within `multiple · ε_ℓ` of the best by θ̂: the min-max fit of all W(v), or ridge regression.
    pub(crate) fn drop_as_printed(
        &self,
        plan: &Plan,
        estimator: &Estimator<'_>,
        multiple: f64,
    ) -> Result<Learned, BanditError> {
        let subset = Subset::Of(self.survivors().to_vec());
        let fit = match estimator {
            Estimator::Counted { .. } => estimator.fit(),
            Estimator::Drawn { sampled, rips } => {
                let targets = match self.question.goal {
                    Goal::Regret { .. } => Targets::Points(subset.clone()),
                    _ => Targets::Differences(subset.clone()),
                };
                let intervals = rips.intervals(sampled, &targets)?;
                theta_hat(sampled, &targets, &intervals, Tolerance::new(1e-6)?)?.fit
            }
        };
        let values = fit.predict(&self.question.pool, &Targets::Points(subset))?;
        let best = position_of_largest(&values);
        let leader = self.survivors()[best];
        let threshold = multiple * plan.epsilon.unwrap_or(0.0);
        let out = |(&choice, value): (&ChoiceId, &f64)| {
            let difference = values[best] - value;
            let elimination = Elimination { choice, by: leader, difference, threshold, round: plan.round };
            (difference > threshold).then_some(elimination)
        };
        let eliminated = self.survivors().iter().zip(&values).filter_map(out).collect();
        Ok(self.learned(plan, eliminated, vec![leader], None))
    }

    /// The boxes of the paper look for the best choice alone.
    pub(crate) fn only_best_as_printed(&self, policy: &'static str) -> Result<(), BanditError> {
        match self.question.goal {
            Goal::Best { .. } => Ok(()),
            goal => Err(BanditError::OtherGoal {
                policy,
                goal: goal.to_string(),
                wanted: "the best choice, with the constants of the paper",
            }),
        }
    }
}
