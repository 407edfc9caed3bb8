//! A plan read back: its kind, and the candidate of every slot.

use std::path::Path;

use elfving::pool::PointId;
use elfving::rounding::{Allocation, Draws};

use super::results::Results;
use crate::error::CliError;
use crate::pool_source::LoadedPool;
use crate::round::PlanDocument;

/// A plan of either kind.
pub(super) enum SavedPlan {
    Allocation(Allocation),
    Draws(Draws),
}

/// Reads a plan file.
pub(super) fn read(path: &Path) -> Result<PlanDocument, CliError> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        let help = "give a file written by elfving round --out plan.json";
        CliError::data("E351", format!("{shown}: cannot be read: {error}"), help)
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let help = "give a file written by elfving round --out plan.json";
        CliError::data("E356", format!("{shown}: is not a plan: {error}"), help)
    })
}

impl SavedPlan {
    /// The counts or draws of the file, on the candidates of the pool.
    pub(super) fn of(path: &Path, document: &PlanDocument, loaded: &LoadedPool) -> Result<Self, CliError> {
        let shown = path.display();
        let rows = loaded.rows_by_id();
        let row = |id: &String| {
            rows.get(id.as_str()).copied().ok_or_else(|| {
                let message = format!("{shown}: candidate {id:?} is not in the pool");
                CliError::data("E355", message, "give the plan and the pool that belong together")
            })
        };
        let broken = |what: String| {
            let help = "give a file written by elfving round --out plan.json";
            CliError::data("E356", format!("{shown}: {what}"), help)
        };
        if document.kind == "draws" {
            let (Some(order), Some(weights)) = (&document.order, &document.integer_weights) else {
                return Err(broken("the draws lack their order or their weights".to_owned()));
            };
            let points = order.iter().map(|id| row(id).map(PointId::new)).collect::<Result<Vec<_>, _>>()?;
            let weights = weights.iter().map(|one| Ok((PointId::new(row(&one.id)?), one.weight)));
            let mut weights = weights.collect::<Result<Vec<(PointId, u64)>, CliError>>()?;
            weights.sort_unstable();
            return Draws::from_parts(points, document.seed, 0, weights)
                .map(Self::Draws)
                .map_err(|error| broken(error.to_string()));
        }
        let counts = document.counts.iter().map(|one| Ok((PointId::new(row(&one.id)?), one.count)));
        let counts = counts.collect::<Result<Vec<_>, CliError>>()?;
        let allocation = Allocation::new(counts).map_err(|error| broken(error.to_string()))?;
        if let Some(order) = &document.order {
            let mut listed = order.iter().map(row).collect::<Result<Vec<usize>, _>>()?;
            listed.sort_unstable();
            if listed != allocation.slots().iter().map(|id| id.index()).collect::<Vec<_>>() {
                return Err(broken("the order and the counts disagree".to_owned()));
            }
        }
        Ok(Self::Allocation(allocation))
    }

    /// The candidate of every slot: in run order, where there is one, else in pool order.
    pub(super) fn slots(&self, document: &PlanDocument, loaded: &LoadedPool) -> Vec<usize> {
        match (self, &document.order) {
            (Self::Draws(draws), _) => draws.points().iter().map(|id| id.index()).collect(),
            (Self::Allocation(_), Some(order)) => {
                let rows = loaded.rows_by_id();
                order.iter().map(|id| rows[id.as_str()]).collect()
            }
            (Self::Allocation(allocation), None) => allocation.slots().iter().map(|id| id.index()).collect(),
        }
    }

    /// How often each candidate was measured.
    pub(super) fn counts(&self, candidates: usize) -> Vec<u64> {
        let counts = match self {
            Self::Allocation(allocation) => allocation.counts().to_vec(),
            Self::Draws(draws) => draws.counts(),
        };
        let mut all = vec![0; candidates];
        counts.iter().for_each(|(id, count)| all[id.index()] = *count);
        all
    }

    /// The part that has outcomes, with the outcomes in the order the estimators want.
    pub(super) fn measured(self, results: &Results) -> Result<(Self, Vec<f64>), CliError> {
        let mut known: Vec<(usize, f64)> = results.measured();
        if known.is_empty() {
            let help = "fill in the column of outcomes";
            return Err(CliError::data("E357", "there is no outcome at all".to_owned(), help));
        }
        let plan = match self {
            Self::Draws(draws) => {
                let points = known.iter().map(|&(row, _)| PointId::new(row)).collect();
                let (seed, round, weights) = (draws.seed(), draws.round(), draws.integer_weights().to_vec());
                Self::Draws(
                    Draws::from_parts(points, seed, round, weights).expect("some of the draws are draws"),
                )
            }
            Self::Allocation(_) => {
                // One outcome a slot in pool order; repetitions of a candidate in the order of the file.
                known.sort_by_key(|&(row, _)| row);
                let runs = known.chunk_by(|a, b| a.0 == b.0);
                let counts = runs.map(|run| (PointId::new(run[0].0), run.len() as u64)).collect();
                Self::Allocation(
                    Allocation::new(counts).expect("each candidate once, and at least one outcome"),
                )
            }
        };
        Ok((plan, known.into_iter().map(|(_, outcome)| outcome).collect()))
    }
}
