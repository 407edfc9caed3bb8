//! A plan as JSON: stable names, and everything `estimate` needs besides the pool and the results.

use elfving::design::Criterion;
use elfving::rounding::Path;
use elfving::units::Ridge;
use serde::{Deserialize, Serialize};

use super::Answer;
use super::plan::Plan;
use crate::design::DesignDocument;

/// A plan with what it is worth.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlanDocument {
    pub(crate) method: String,
    pub(crate) budget: u64,
    /// New measurements; more than the budget only from the ceiling.
    pub(crate) total: u64,
    /// None when some target is not determined.
    pub(crate) value: Option<f64>,
    pub(crate) ratio_to_continuous: Option<f64>,
    /// Candidates that are measured, in the order of the pool.
    pub(crate) counts: Vec<Count>,
    /// `allocation`: chosen counts, for least squares; `draws`: an independent sample, for IPS and RIPS.
    pub(crate) kind: String,
    pub(crate) seed: u64,
    pub(crate) criterion: Criterion,
    pub(crate) gamma: Ridge,
    pub(crate) continuous_value: f64,
    /// No squared norm is more than one over this times that of the continuous design.
    pub(crate) smallest_eigenvalue: f64,
    /// A bound on it that held before a point was chosen.
    pub(crate) guaranteed_eigenvalue: Option<f64>,
    pub(crate) effective_dimension: usize,
    /// How the method got there.
    pub(crate) path: Path,
    /// The measurements one by one, in the order to make them: shuffled, or as drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<Vec<String>>,
    /// Of draws: the exact probabilities times 2^32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) integer_weights: Option<Vec<IntegerWeight>>,
    /// Measured before; part of the value, not of the counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) done: Option<Done>,
    pub(crate) seconds: f64,
    pub(crate) version: String,
    /// The whole design file: weights, gamma, kernel, and the options that rebuild the pool.
    pub(crate) design: DesignDocument,
}

/// How often a candidate is measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) id: String,
    pub(crate) count: u64,
}

/// The probability of a candidate times 2^32.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct IntegerWeight {
    pub(crate) id: String,
    pub(crate) weight: u64,
}

/// The measurements already made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) file: String,
    pub(crate) total: u64,
    pub(crate) counts: Vec<Count>,
}

impl PlanDocument {
    pub(super) fn of(answer: &Answer) -> Self {
        let report = answer.plan.report();
        let name = |row: usize| answer.loaded.ids[row].to_owned();
        let counts = |list: &[(elfving::pool::PointId, u64)]| -> Vec<Count> {
            list.iter().map(|&(id, count)| Count { id: name(id.index()), count }).collect()
        };
        let integer_weights = match &answer.plan {
            Plan::Allocation { .. } => None,
            Plan::Draws { draws, .. } => Some(
                draws
                    .integer_weights()
                    .iter()
                    .map(|&(id, weight)| IntegerWeight { id: name(id.index()), weight })
                    .collect(),
            ),
        };
        let done = answer.limits.done_file.clone().map(|file| Done {
            file,
            total: report.done,
            counts: counts(&answer.limits.constraints.done),
        });
        Self {
            method: report.method.clone(),
            budget: report.budget,
            total: report.total,
            value: report.value,
            ratio_to_continuous: report.ratio,
            counts: counts(&answer.plan.counts()),
            kind: answer.plan.kind().to_owned(),
            seed: answer.seed,
            criterion: report.criterion,
            gamma: report.gamma,
            continuous_value: report.continuous_value,
            smallest_eigenvalue: report.smallest_eigenvalue,
            guaranteed_eigenvalue: report.guaranteed_eigenvalue,
            effective_dimension: report.dimension,
            path: report.path.clone(),
            order: answer.order.as_ref().map(|order| order.iter().map(|&row| name(row)).collect()),
            integer_weights,
            done,
            seconds: answer.seconds,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            design: answer.design.clone(),
        }
    }
}
