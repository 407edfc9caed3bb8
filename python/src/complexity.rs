//! `complexity`: what a problem costs, quantity by quantity.

use std::sync::Arc;

use elfving::units::{Confidence, Ridge, Tolerance};
use elfving_lab::complexity::{
    Over, Truth, characteristic_time, effective_dimension, epsilon_bar, floor, greedy_information_gain,
    information_gain, near_best_variance, rho_star, worst_subset, worst_variance,
};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::arrays::vector;
use crate::failure::Failure;
use crate::json::parsed;
use crate::pool::Pool;
use crate::task;

/// The numbers a quantity is computed for.
#[derive(Debug, Deserialize)]
struct CostQuestion {
    gamma: f64,
    tolerance: f64,
    #[serde(default)]
    epsilon: f64,
    #[serde(default)]
    horizon: f64,
    #[serde(default)]
    noise: f64,
    #[serde(default)]
    norm: Option<f64>,
    #[serde(default)]
    misspecification: f64,
    #[serde(default)]
    sigma: f64,
    #[serde(default)]
    delta: f64,
    #[serde(default)]
    over: Option<String>,
}

/// One quantity of the theory by name, as JSON.
#[pyfunction]
#[pyo3(signature = (pool, quantity, question, truth))]
pub(crate) fn complexity(
    py: Python<'_>,
    pool: &Pool,
    quantity: String,
    question: &str,
    truth: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<String> {
    let question: CostQuestion = parsed("complexity", question)?;
    let truth = truth.as_ref().map(vector);
    let data = Arc::clone(&pool.0);
    task::run(py, move || {
        let pool = data.build(question.gamma, question.tolerance)?;
        let (gamma, tolerance) = (Ridge::new(question.gamma)?, Tolerance::new(question.tolerance)?);
        let truth = truth.map(|means| Truth::from_means(&pool, &means)).transpose()?;
        let known = || truth.as_ref().ok_or_else(|| Failure::option(format!("{quantity} needs truth=")));
        let over = match question.over.as_deref() {
            Some("differences") => Over::Differences,
            None | Some("points") => Over::Points,
            Some(other) => {
                return Err(Failure::option(format!("over is 'points' or 'differences', not {other:?}")));
            }
        };
        let (epsilon, h) = (question.epsilon, question.misspecification);
        let found = match quantity.as_str() {
            "worst_variance" => json!(worst_variance(&pool, over, gamma, tolerance)?),
            "effective_dimension" => {
                let found = effective_dimension(&pool, gamma, tolerance)?;
                json!({"trace": found.trace, "count": found.count, "dimension": found.dimension})
            }
            "worst_subset" => json!(worst_subset(&pool, gamma, tolerance)?.worst),
            "information_gain" => {
                json!(information_gain(&pool, question.horizon, question.noise, tolerance)?.gain)
            }
            "greedy_information_gain" => {
                let found = greedy_information_gain(&pool, question.horizon as usize, question.noise)?;
                json!({"value": found.value, "points": found.points})
            }
            "floor" => {
                let norm = question.norm.or(truth.as_ref().map(|truth| truth.norm));
                let norm = norm.ok_or_else(|| Failure::option("the floor needs norm= or truth="))?;
                json!(floor(&pool, gamma, norm, h, tolerance)?.floor)
            }
            "rho_star" => json!(rho_star(&pool, known()?, gamma, epsilon, tolerance)?),
            "near_best_variance" => json!(near_best_variance(&pool, known()?, gamma, epsilon, tolerance)?),
            "epsilon_bar" => json!(epsilon_bar(&pool, known()?, gamma, h, over, tolerance)?.epsilon_bar),
            "characteristic_time" => {
                let time = characteristic_time(&pool, known()?, question.norm, tolerance)?;
                let measurements = time.measurements(question.sigma, Confidence::new(question.delta)?);
                json!({"time": time.time, "measurements": measurements})
            }
            "truth" => {
                let truth = known()?;
                json!({"norm": truth.norm, "misfit": truth.misfit, "best": data.choices().name(truth.best.index())})
            }
            other => return Err(Failure::option(format!("there is no quantity {other:?}"))),
        };
        Ok(found.to_string())
    })
}
