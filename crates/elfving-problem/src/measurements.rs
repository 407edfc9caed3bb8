//! A plan of measurements: counts that were chosen, or independent draws.

use elfving::pool::PointId;
use elfving::rounding::{
    Allocation, Draws, Exchange, Method, Request, Rounded, RoundingError, RoundingReport, shuffled_slots,
};
use serde::{Deserialize, Serialize};

use crate::ProblemError;

/// Two kinds, because estimators differ in what they may assume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measurements {
    /// Counts that were chosen.
    Allocation(Allocation),
    /// An independent sample.
    Draws(Draws),
}

impl Measurements {
    /// Rounds a design with a method, or draws from it without one; what it is worth comes with it.
    ///
    /// # Errors
    /// What the rounding finds.
    pub fn make(
        request: &Request,
        method: Option<Method>,
        polish: bool,
        seed: u64,
    ) -> Result<(Self, RoundingReport), RoundingError> {
        let Some(method) = method else {
            let draws = Draws::new(&request.weights(), request.budget(), seed)?;
            let report = draws.report(request)?;
            return Ok((Self::Draws(draws), report));
        };
        let mut rounded = method.seeded(seed).round(request)?;
        if polish {
            rounded = Exchange::default().after(request, &rounded)?;
        }
        let Rounded { allocation, report } = rounded;
        Ok((Self::Allocation(allocation), report))
    }

    /// `allocation` or `draws`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Allocation(_) => "allocation",
            Self::Draws(_) => "draws",
        }
    }

    /// How often each candidate is measured, in pool order; positive counts.
    pub fn counts(&self) -> Vec<(PointId, u64)> {
        match self {
            Self::Allocation(allocation) => allocation.counts().to_vec(),
            Self::Draws(draws) => draws.counts(),
        }
    }

    /// How often each of all candidates is measured.
    pub fn counts_of_all(&self, candidates: usize) -> Vec<u64> {
        let mut all = vec![0; candidates];
        self.counts().iter().for_each(|(id, count)| all[id.index()] = *count);
        all
    }

    /// The candidate of every measurement: as drawn, shuffled with a seed, or in pool order.
    pub fn order(&self, shuffle: Option<u64>) -> Vec<usize> {
        let rows = |ids: &[PointId]| ids.iter().map(|id| id.index()).collect();
        match (self, shuffle) {
            (Self::Draws(draws), _) => rows(draws.points()),
            (Self::Allocation(allocation), Some(seed)) => rows(&shuffled_slots(allocation, seed)),
            (Self::Allocation(allocation), None) => rows(&allocation.slots()),
        }
    }

    /// The part that has outcomes, with the outcomes in the order that estimators want. `slots` holds the candidate and the outcome of every
    /// slot, in the order of the plan.
    ///
    /// # Errors
    /// [`ProblemError::Incomplete`] when some are missing, unless they may be; [`ProblemError::NoOutcome`] when all are.
    pub fn measured(
        &self,
        slots: &[(usize, Option<f64>)],
        may_be_missing: bool,
    ) -> Result<(Self, Vec<f64>), ProblemError> {
        let known = slots.iter().filter_map(|&(row, outcome)| Some((row, outcome?)));
        let mut known: Vec<(usize, f64)> = known.collect();
        let missing = slots.len() - known.len();
        if missing > 0 && !may_be_missing {
            return Err(ProblemError::Incomplete { missing, slots: slots.len() });
        }
        if known.is_empty() {
            return Err(ProblemError::NoOutcome);
        }
        let plan = match self {
            Self::Draws(draws) => {
                let kept: Vec<bool> = slots.iter().map(|(_, outcome)| outcome.is_some()).collect();
                Self::Draws(draws.only(&kept))
            }
            Self::Allocation(_) => {
                // One outcome per slot in pool order; repetitions of a candidate in the order given.
                known.sort_by_key(|&(row, _)| row);
                let runs = known.chunk_by(|a, b| a.0 == b.0);
                let counts = runs.map(|run| (PointId::new(run[0].0), run.len() as u64)).collect();
                Self::Allocation(Allocation::new(counts)?)
            }
        };
        Ok((plan, known.into_iter().map(|(_, outcome)| outcome).collect()))
    }
}
