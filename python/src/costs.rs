//! `diagnose` and `plan`: what must be chosen, and what an answer will cost.

use std::sync::Arc;

use elfving_problem::diagnosis::{Diagnosis, Measured};
use elfving_problem::forecast::ForecastRequest;
use elfving_problem::{AssumptionSpec, Source};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::vector;
use crate::json::{parsed, to_json};
use crate::pool::Pool;
use crate::task;

/// Looks at a pool and at measurements made before, a file of ids and outcomes; the answer is a diagnosis as JSON.
#[pyfunction]
#[pyo3(signature = (pool, measured, id, outcome, seed))]
pub(crate) fn diagnose(
    py: Python<'_>,
    pool: &Pool,
    measured: Option<(String, Vec<u8>)>,
    id: String,
    outcome: Option<String>,
    seed: u64,
) -> PyResult<String> {
    let dataset = Arc::clone(&pool.0);
    task::run(py, move || {
        let mut spec = dataset.spec().clone();
        spec.columns.id = Some(id.clone());
        let read = |(name, bytes): (String, Vec<u8>)| -> Result<Measured, elfving_problem::ProblemError> {
            let table = spec.read(&Source::Bytes { name, bytes })?;
            Measured::read(&table, &id, outcome.as_deref(), &dataset)
        };
        let measured = measured.map(read).transpose()?;
        to_json(&Diagnosis::of(&dataset, measured.as_ref(), seed)?)
    })
}

/// The question of a forecast.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    assumptions: AssumptionSpec,
    epsilon: f64,
    delta: f64,
    gamma: Option<f64>,
    batch: usize,
    repetitions: usize,
    budget: u64,
    seed: u64,
}

/// What an answer will cost, if `means` are guessed also for that guess; the answer is a forecast as JSON.
#[pyfunction]
#[pyo3(signature = (pool, asked, means))]
pub(crate) fn forecast(
    py: Python<'_>,
    pool: &Pool,
    asked: &str,
    means: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<String> {
    let Asked { assumptions, epsilon, delta, gamma, batch, repetitions, budget, seed } =
        parsed("plan", asked)?;
    let means = means.as_ref().map(vector);
    let request =
        ForecastRequest { assumptions, epsilon, delta, gamma, batch, repetitions, budget, means, seed };
    let dataset = Arc::clone(&pool.0);
    task::run(py, move || to_json(&request.forecast(&dataset)?))
}
