//! Which estimator a plan gets, and its intervals.

use std::fmt;
use std::str::FromStr;

use elfving::design::TargetRef;
use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{
    Assumptions, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled,
};
use elfving::pool::{Pool, Subset, Targets};
use elfving::units::{Confidence, Ridge, Tolerance};
use serde::{Deserialize, Serialize};

use crate::{Dataset, Measurements, ProblemError};

/// The estimators by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// rips for draws; for counts ridge if the design has a ridge, else least-squares.
    #[default]
    Auto,
    /// For counts.
    LeastSquares,
    /// For counts, with the ridge of the design.
    Ridge,
    /// For draws: the plain mean of weighted outcomes.
    Ips,
    /// For draws: a robust mean per candidate, for any tails of the noise.
    Rips,
    /// For draws: the one function of the model that is nearest to the robust means of all candidates.
    MinMax,
}

impl Estimator {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::LeastSquares, Self::Ridge, Self::Ips, Self::Rips, Self::MinMax];

    /// The name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::LeastSquares => "least-squares",
            Self::Ridge => "ridge",
            Self::Ips => "ips",
            Self::Rips => "rips",
            Self::MinMax => "min-max",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "rips for random draws; ridge or least-squares for fixed counts",
            Self::LeastSquares => "For fixed counts",
            Self::Ridge => "For fixed counts, with the ridge of the design",
            Self::Ips => "For random draws: the plain mean of weighted outcomes",
            Self::Rips => "For random draws: a robust mean per candidate, for any tails of the noise",
            Self::MinMax => {
                "For random draws: the function of the model nearest to the robust means of all candidates"
            }
        }
    }

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

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Estimator {
    type Err = ProblemError;

    fn from_str(name: &str) -> Result<Self, ProblemError> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| ProblemError::Setting {
            option: "the estimator",
            range: "auto, least-squares, ridge, ips, rips or min-max",
            got: format!("{name:?}"),
        })
    }
}
