//! Which estimator a plan gets, and its intervals.

use elfving::design::TargetRef;
use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{
    Assumptions, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled,
};
use elfving::named::named_enum;
use elfving::pool::{Pool, Subset, Targets};
use elfving::units::{Confidence, Ridge, Tolerance};

use crate::{Dataset, Measurements, ProblemError};

named_enum! {
    /// The estimators by name.
    #[derive(Default)]
    pub enum Estimator: "estimator" {
        /// rips for draws; for counts ridge if the design has a ridge, else least-squares.
        #[default]
        Auto = "auto": "rips for random draws; ridge or least-squares for fixed counts",
        /// For counts.
        LeastSquares = "least-squares": "For fixed counts",
        /// For counts, with the ridge of the design.
        Ridge = "ridge": "For fixed counts, with the ridge of the design",
        /// For draws: the plain mean of weighted outcomes.
        Ips = "ips": "For random draws: the plain mean of weighted outcomes",
        /// For draws: a robust mean per candidate, for any tails of the noise.
        Rips = "rips": "For random draws: a robust mean per candidate, for any tails of the noise",
        /// For draws: the one function of the model that is nearest to the robust means of all candidates.
        MinMax = "min-max": "For random draws: the function of the model nearest to the robust means of all candidates",
    }
}

impl Estimator {
    /// That its theory is about this kind of plan.
    ///
    /// # Errors
    /// [`ProblemError::OtherKindOfPlan`].
    pub fn check(self, plan: &Measurements) -> Result<(), ProblemError> {
        match (self, plan) {
            (Self::LeastSquares | Self::Ridge, Measurements::Draws(_)) => {
                Err(ProblemError::OtherKindOfPlan {
                    estimator: self,
                    needs: "needs fixed counts, and the plan is a random sample",
                })
            }
            (Self::Ips | Self::Rips | Self::MinMax, Measurements::Allocation(_)) => {
                Err(ProblemError::OtherKindOfPlan {
                    estimator: self,
                    needs: "needs independent draws, and the plan has fixed counts",
                })
            }
            _ => Ok(()),
        }
    }

    /// The intervals of every choice, all of which hold together with probability 1 - δ.
    ///
    /// # Errors
    /// [`ProblemError::OtherKindOfPlan`], and what the estimator finds, in the names of the user.
    #[expect(clippy::too_many_arguments, reason = "a plan, its outcomes, and what is assumed")]
    pub fn intervals(
        self,
        dataset: &Dataset,
        pool: &Pool,
        plan: &Measurements,
        outcomes: &[f64],
        gamma: Ridge,
        assumptions: Assumptions,
        delta: Confidence,
        mean: Mean,
    ) -> Result<Intervals, ProblemError> {
        self.check(plan)?;
        let targets = Targets::Points(Subset::All);
        let found = match (self, plan) {
            (_, Measurements::Allocation(allocation)) => {
                let gamma = if self == Self::LeastSquares { Ridge::ZERO } else { gamma };
                let penalty = Ridge::new(gamma.get() * allocation.total() as f64)?;
                Counted::new(pool, allocation, outcomes, penalty)
                    .and_then(|counted| LeastSquares::new(assumptions, delta).intervals(&counted, &targets))
            }
            (Self::Ips, Measurements::Draws(draws)) => Sampled::new(pool, draws, outcomes, gamma)
                .and_then(|sampled| Ips::new(assumptions, delta).intervals(&sampled, &targets)),
            (Self::MinMax, Measurements::Draws(draws)) => {
                let tolerance = Tolerance::new(FIT_TOLERANCE)?;
                Sampled::new(pool, draws, outcomes, gamma).and_then(|sampled| {
                    let robust = Rips::new(assumptions, delta).mean(mean).intervals(&sampled, &targets)?;
                    Ok(theta_hat(&sampled, &targets, &robust, tolerance)?.intervals(&robust))
                })
            }
            (_, Measurements::Draws(draws)) => Sampled::new(pool, draws, outcomes, gamma)
                .and_then(|sampled| Rips::new(assumptions, delta).mean(mean).intervals(&sampled, &targets)),
        };
        found.map_err(|error| match error {
            EstimateError::NotIdentifiable { target: TargetRef::Row(i) } => {
                let target = format!("target {:?}", dataset.choices().name(i));
                ProblemError::NotIdentifiable { target, gamma: gamma.get() }
            }
            EstimateError::Pool(error) => error.into(),
            EstimateError::Invalid(error) => error.into(),
            other => other.into(),
        })
    }
}

/// How near the min-max fit comes to the best one, relatively. Its intervals hold for any fit.
const FIT_TOLERANCE: f64 = 1e-9;
