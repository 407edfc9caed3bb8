//! The outcomes of one round as its estimator sees them.

use super::ledger::About;
use super::ledger::Stated;
use super::phases::Phases;
use crate::bandit::{BanditError, Measurements};
use crate::estimate::{
    Assumptions, Centring, Counted, Evidence, Ips, LeastSquares, LinearFit, Rips, Sampled,
};
use crate::pool::{ChoiceId, Combination, PointId, Pool, Subset, Targets};
use crate::units::{Confidence, Ridge};

/// RIPS on draws, or ridge regression on counts.
pub(super) enum Estimator<'a> {
    Drawn { sampled: Sampled<'a>, rips: Rips },
    Counted { counted: Counted<'a>, squares: LeastSquares },
}

/// What both estimators are told.
#[derive(Clone)]
pub(super) struct Terms<'a> {
    pub assumptions: &'a Assumptions,
    /// δ_ℓ.
    pub confidence: Confidence,
    /// K: how many statements share it.
    pub statements: usize,
    pub gamma: Ridge,
    /// For draws: values from earlier rounds and how far off they may be.
    pub centring: Option<Centring>,
}

impl<'a> Estimator<'a> {
    /// `pool`: whose choices the statements are about.
    pub(super) fn new(
        pool: &'a Pool,
        measurements: &Measurements,
        outcomes: &'a [f64],
        terms: Terms<'_>,
    ) -> Result<Self, BanditError> {
        let Terms { assumptions, confidence, statements, gamma, centring } = terms;
        match measurements {
            Measurements::Drawn(draws) => {
                let rips = Rips::new(assumptions.clone(), confidence).statements(statements);
                let rips = match centring {
                    Some(centring) => rips.centred(centring),
                    None => rips,
                };
                Ok(Self::Drawn { sampled: Sampled::new(pool, draws, outcomes, gamma)?, rips })
            }
            Measurements::Counted(allocation) => {
                let penalty = Ridge::new(gamma.get() * allocation.total() as f64)?;
                let squares = LeastSquares::new(assumptions.clone(), confidence);
                Ok(Self::Counted { counted: Counted::new(pool, allocation, outcomes, penalty)?, squares })
            }
            Measurements::Chosen(_) => {
                unreachable!("points played for their own sake are not estimated from")
            }
        }
    }

    /// The means of all points, which must be the choices of the estimator's pool.
    pub(super) fn means_of_points(&self) -> Result<Vec<Stated>, BanditError> {
        let found = self.evidence(&Targets::Points(Subset::All))?.into_iter().enumerate();
        let stated = found.map(|(i, evidence)| Stated { about: About::Point(PointId::new(i)), evidence });
        Ok(stated.collect())
    }

    /// The means of the survivors.
    pub(super) fn means_of_survivors(&self, phases: &Phases) -> Result<Vec<Stated>, BanditError> {
        let survivors = phases.survivors();
        let found = self.evidence(&Targets::Points(Subset::Of(survivors.to_vec())))?;
        let about = survivors.iter().map(|&id| phases.mean_of(id));
        Ok(about.zip(found).map(|(about, evidence)| Stated { about, evidence }).collect())
    }

    /// The means of one choice less each of the others.
    pub(super) fn differences(
        &self,
        first: ChoiceId,
        others: &[ChoiceId],
    ) -> Result<Vec<Stated>, BanditError> {
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let less = |&other: &ChoiceId| Combination { terms: vec![(first, 1.0), (other, -1.0)] };
        let found = self.evidence(&Targets::Combinations(others.iter().map(less).collect()))?;
        let pairs = others.iter().map(|&other| About::Pair(first, other));
        Ok(pairs.zip(found).map(|(about, evidence)| Stated { about, evidence }).collect())
    }

    fn evidence(&self, targets: &Targets) -> Result<Vec<Evidence>, BanditError> {
        Ok(match self {
            Self::Drawn { sampled, rips } => rips.evidence(sampled, targets)?,
            Self::Counted { counted, squares } => squares.evidence(counted, targets)?,
        })
    }

    /// A vector θ without a width: to break ties and to choose by when nothing can be proved.
    pub(super) fn fit(&self) -> LinearFit {
        match self {
            Self::Drawn { sampled, .. } => Ips::fit(sampled),
            Self::Counted { counted, .. } => LeastSquares::fit(counted),
        }
    }

    /// One vector that agrees with all these differences as well as a vector can, and by how much it misses each.
    pub(super) fn min_max_fit(&self, stated: &[Stated]) -> Result<Option<Vec<f64>>, BanditError> {
        let Self::Drawn { sampled, rips } = self else { return Ok(None) };
        let combination = |stated: &Stated| {
            let About::Pair(a, b) = stated.about else { unreachable!("a statement about a difference") };
            Combination { terms: vec![(a, 1.0), (b, -1.0)] }
        };
        let targets = Targets::Combinations(stated.iter().map(combination).collect());
        let intervals = rips.intervals(sampled, &targets)?;
        let tolerance = crate::units::Tolerance::new(1e-6)?;
        let fit = crate::estimate::minimax::theta_hat(sampled, &targets, &intervals, tolerance)?;
        Ok(Some(fit.intervals(&intervals).intervals.iter().map(|moved| moved.estimate).collect()))
    }
}
