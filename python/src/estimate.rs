//! `estimate`: from a plan and its outcomes to estimates with intervals.

use std::sync::Arc;
use std::time::Instant;

use elfving::estimate::{Interval, Mean};
use elfving::units::Confidence;
use elfving_problem::documents::{Account, EstimateDocument};
use elfving_problem::{AssumptionSpec, Estimator};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::vector;
use crate::failure::Failure;
use crate::json::{parsed, to_json};
use crate::rounding::Plan;
use crate::task;

/// The numbers of every interval that the Python layer shows as arrays.
const COLUMNS: [fn(&Interval) -> f64; 6] = [
    |interval| interval.estimate,
    |interval| interval.lower(),
    |interval| interval.upper(),
    |interval| interval.noise,
    // Not known without a bound on the norm.
    |interval| interval.bias.ridge.unwrap_or(f64::NAN),
    |interval| interval.bias.misspecification,
];

/// Estimates every choice of the pool: the document of `elfving estimate --json` without its rows, and those as columns
/// (estimate, lower, upper, and the widths of noise, ridge and misspecification).
#[pyfunction]
#[pyo3(signature = (plan, rows, outcomes, estimator, mean, assumptions, sigmas, delta, no_guarantee))]
#[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
pub(crate) fn estimate<'py>(
    py: Python<'py>,
    plan: &Plan,
    rows: Vec<usize>,
    outcomes: Vec<Option<f64>>,
    estimator: &str,
    mean: &str,
    assumptions: &str,
    sigmas: Option<PyReadonlyArray1<'_, f64>>,
    delta: f64,
    no_guarantee: bool,
) -> PyResult<(String, Vec<Bound<'py, PyArray1<f64>>>)> {
    let estimator: Estimator = estimator.parse().map_err(Failure::from)?;
    let mean: Mean = mean.parse().map_err(Failure::from)?;
    let assumptions: AssumptionSpec = parsed("assumptions", assumptions)?;
    let sigmas = sigmas.as_ref().map(vector);
    let plan = Arc::clone(&plan.0);
    let (document, columns) = task::run(py, move || {
        let start = Instant::now();
        let delta = Confidence::new(delta)?;
        let mut assumptions = assumptions.assumptions()?;
        if let Some(sigmas) = sigmas {
            assumptions = assumptions.sigma_at(sigmas)?;
        }
        let slots: Vec<(usize, Option<f64>)> = rows.into_iter().zip(outcomes).collect();
        estimator.check(&plan.stated.plan)?;
        let (measured, outcomes) = plan.stated.plan.measured(&slots, no_guarantee)?;
        let (design, gamma) = (&plan.design, plan.design.design.gamma);
        let (dataset, pool) = (&design.dataset, &design.pool);
        let found =
            estimator.intervals(dataset, pool, &measured, &outcomes, gamma, assumptions, delta, mean)?;
        let (lines, recorded) = (slots.len(), outcomes.len());
        let results = Account { lines, recorded, open: lines - recorded, failed: 0 };
        let seconds = start.elapsed().as_secs_f64();
        let document = EstimateDocument::of(dataset, &measured, gamma, &found, results, &[], seconds);
        let columns = COLUMNS.map(|of| found.intervals.iter().map(of).collect::<Vec<f64>>());
        Ok((to_json(&document)?, columns))
    })?;
    Ok((document, columns.map(|column| PyArray1::from_vec(py, column)).into()))
}
