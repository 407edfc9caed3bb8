//! A plan of measurements with everything that is needed to estimate from its outcomes.

use elfving::design::Criterion;
use elfving::pool::PointId;
use elfving::rounding::{Allocation, Draws, RoundingPath, RoundingReport};
use elfving::units::Ridge;
use serde::{Deserialize, Serialize};

use super::{DesignDocument, SCHEMA};
use crate::exact::efficiency_bound;
use crate::{Dataset, Measurements, ProblemError};

/// A plan with what it is worth, as `elfving round --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// The rounding.
    pub method: String,
    /// Measurements asked for.
    pub budget: u64,
    /// New measurements; more than the budget only from the ceiling.
    pub total: u64,
    /// None when some target is not determined.
    pub value: Option<f64>,
    /// The value against that of the continuous design.
    pub ratio_to_continuous: Option<f64>,
    /// Candidates that are measured, in the order of the pool.
    pub counts: Vec<Count>,
    /// `allocation`: chosen counts, for least squares; `draws`: an independent sample, for IPS and RIPS.
    pub kind: String,
    /// The seed of draws and of the run order.
    pub seed: u64,
    /// What the design optimised.
    pub criterion: Criterion,
    /// The ridge.
    pub gamma: Ridge,
    /// The value of the continuous design for as many measurements.
    pub continuous_value: f64,
    /// No plan of as many measurements is better by more than one over this: `1 / (ratio (1 + gap))`, with the gap of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_bound: Option<f64>,
    /// No squared norm is more than one over this times that of the continuous design.
    pub smallest_eigenvalue: f64,
    /// A bound on it that held before a point was chosen.
    pub guaranteed_eigenvalue: Option<f64>,
    /// Directions that matter.
    pub effective_dimension: usize,
    /// How the method got there.
    pub path: RoundingPath,
    /// The measurements one by one, in the order to make them: shuffled, or as drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// Of draws: the exact probabilities times 2^32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integer_weights: Option<Vec<IntegerWeight>>,
    /// Measured before; part of the value, not of the counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// Time of the answer.
    pub seconds: f64,
    /// The version that wrote it.
    pub version: String,
    /// The whole design.
    pub design: DesignDocument,
}

/// How often a candidate is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The candidate.
    pub id: String,
    /// How often.
    pub count: u64,
}

/// The probability of a candidate times 2^32.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntegerWeight {
    /// The candidate.
    pub id: String,
    /// Its weight.
    pub weight: u64,
}

/// The measurements already made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Where they stand.
    pub file: String,
    /// How many there are.
    pub total: u64,
    /// Of which candidates.
    pub counts: Vec<Count>,
}

impl PlanDocument {
    /// The document of a plan.
    #[expect(clippy::too_many_arguments, reason = "each is one part of the document")]
    pub fn of(
        dataset: &Dataset,
        design: DesignDocument,
        plan: &Measurements,
        report: &RoundingReport,
        order: Option<&[usize]>,
        done: Option<(String, &[(PointId, u64)])>,
        seed: u64,
        seconds: f64,
    ) -> Self {
        let name = |row: usize| dataset.names().name(row).into_owned();
        let counts = |list: &[(PointId, u64)]| -> Vec<Count> {
            list.iter().map(|&(id, count)| Count { id: name(id.index()), count }).collect()
        };
        let integer_weights = match plan {
            Measurements::Allocation(_) => None,
            Measurements::Draws(draws) => Some(draws.integer_weights().iter()),
        };
        let integer_weights = integer_weights
            .map(|list| list.map(|&(id, weight)| IntegerWeight { id: name(id.index()), weight }).collect());
        Self {
            schema: SCHEMA,
            method: report.method.clone(),
            budget: report.budget,
            total: report.total,
            value: report.value,
            ratio_to_continuous: report.ratio,
            counts: counts(&plan.counts()),
            kind: plan.kind().to_owned(),
            seed,
            criterion: report.criterion,
            gamma: report.gamma,
            continuous_value: report.continuous_value,
            efficiency_bound: report.ratio.map(|ratio| efficiency_bound(ratio, design.relative_gap)),
            smallest_eigenvalue: report.smallest_eigenvalue,
            guaranteed_eigenvalue: report.guaranteed_eigenvalue,
            effective_dimension: report.dimension,
            path: report.path.clone(),
            order: order.map(|order| order.iter().map(|&row| name(row)).collect()),
            integer_weights,
            done: done.map(|(file, list)| Done { file, total: report.done, counts: counts(list) }),
            seconds,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            design,
        }
    }

    /// Reads a plan file.
    ///
    /// # Errors
    /// As for a design.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProblemError> {
        super::parse("plan", bytes)
    }

    /// The counts or draws of the document, on the candidates of a pool.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`] for a candidate that the pool does not have, [`ProblemError::NotADocument`] for parts that disagree.
    pub fn measurements(&self, dataset: &Dataset) -> Result<Measurements, ProblemError> {
        let index = dataset.names().index();
        let point = |id: &str| match index.get(id) {
            Some(row) => Ok(PointId::new(row)),
            None => {
                let problem = format!("candidate {id:?} is not in the pool");
                Err(ProblemError::OtherPool { problem })
            }
        };
        let broken = |problem: String| ProblemError::NotADocument { what: "plan", problem };
        if self.kind == "draws" {
            let (Some(order), Some(weights)) = (&self.order, &self.integer_weights) else {
                return Err(broken("the draws lack their order or their weights".to_owned()));
            };
            let points = order.iter().map(|id| point(id)).collect::<Result<Vec<_>, _>>()?;
            let weights = weights.iter().map(|one| Ok((point(&one.id)?, one.weight)));
            let mut weights = weights.collect::<Result<Vec<_>, ProblemError>>()?;
            weights.sort_unstable();
            let draws = Draws::from_parts(points, self.seed, 0, weights);
            return draws.map(Measurements::Draws).map_err(|error| broken(error.to_string()));
        }
        let counts = self.counts.iter().map(|one| Ok((point(&one.id)?, one.count)));
        let counts = counts.collect::<Result<Vec<_>, ProblemError>>()?;
        let allocation = Allocation::new(counts).map_err(|error| broken(error.to_string()))?;
        if let Some(order) = &self.order {
            let mut listed = order.iter().map(|id| point(id)).collect::<Result<Vec<_>, _>>()?;
            listed.sort_unstable();
            if listed != allocation.slots() {
                return Err(broken("the order and the counts disagree".to_owned()));
            }
        }
        Ok(Measurements::Allocation(allocation))
    }

    /// The candidate of every slot: in run order, where there is one, else in pool order.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`].
    pub fn slots(&self, plan: &Measurements, dataset: &Dataset) -> Result<Vec<usize>, ProblemError> {
        match &self.order {
            Some(order) => dataset.names().rows(order, "candidate"),
            None => Ok(plan.order(None)),
        }
    }
}
