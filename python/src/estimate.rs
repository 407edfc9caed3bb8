//! `estimate`: from a plan and its outcomes to estimates with intervals.

use std::sync::Arc;
use std::time::Instant;

use elfving::design::TargetRef;
use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{
    Assumptions, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled, Tails,
};
use elfving::pool::{PointId, Subset, Targets};
use elfving::rounding::Allocation;
use elfving::units::{Confidence, Ridge, Tolerance};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arrays::vector;
use crate::failure::{Answer, Class, Failure};
use crate::json::parsed;
use crate::rounding::{Measurements, Plan, PlanData};
use crate::task;

/// What is assumed about noise and model.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Assumed {
    pub(crate) sigma: f64,
    pub(crate) bound: Option<f64>,
    pub(crate) norm: Option<f64>,
    #[serde(default)]
    pub(crate) misspecification: f64,
    pub(crate) tails: Tails,
}

impl Assumed {
    pub(crate) fn assumptions(&self) -> Answer<Assumptions> {
        let noise = Assumptions::new(self.sigma)?.tails(self.tails);
        Ok(noise.misspecification(self.misspecification)?.bound(self.bound)?.norm(self.norm)?)
    }
}

/// How near the min-max fit comes to the best one, relatively. Its intervals hold for any fit.
const FIT_TOLERANCE: f64 = 1e-9;

/// Estimates every choice of the pool; the answer is JSON.
#[pyfunction]
#[pyo3(signature = (plan, rows, outcomes, estimator, mean, assumed, sigmas, delta, no_guarantee))]
#[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
pub(crate) fn estimate(
    py: Python<'_>,
    plan: &Plan,
    rows: Vec<usize>,
    outcomes: Vec<Option<f64>>,
    estimator: String,
    mean: &str,
    assumed: &str,
    sigmas: Option<PyReadonlyArray1<'_, f64>>,
    delta: f64,
    no_guarantee: bool,
) -> PyResult<String> {
    let mean: Mean = parsed("mean", &json!(mean).to_string())?;
    let assumed: Assumed = parsed("assumptions", assumed)?;
    let sigmas = sigmas.as_ref().map(vector);
    let plan = Arc::clone(&plan.0);
    task::run(py, move || {
        let start = Instant::now();
        let delta = Confidence::new(delta)?;
        let mut assumptions = assumed.assumptions()?;
        if let Some(sigmas) = sigmas {
            assumptions = assumptions.sigma_at(sigmas)?;
        }
        let measured = Measured::of(&plan, &rows, &outcomes, no_guarantee)?;
        let gamma = plan.design.stated.design.gamma;
        let intervals = intervals(&plan, &measured, &estimator, mean, assumptions, delta, gamma)?;
        Ok(document(&plan, &measured, &intervals, start.elapsed().as_secs_f64()).to_string())
    })
}

/// The part of a plan that has outcomes, with the outcomes in the order the estimators want.
struct Measured {
    plan: Measurements,
    outcomes: Vec<f64>,
    missing: usize,
}

impl Measured {
    fn of(plan: &PlanData, rows: &[usize], outcomes: &[Option<f64>], no_guarantee: bool) -> Answer<Self> {
        let mut known: Vec<(usize, f64)> =
            rows.iter().zip(outcomes).filter_map(|(&row, outcome)| Some((row, (*outcome)?))).collect();
        let missing = outcomes.len() - known.len();
        if missing > 0 && !no_guarantee {
            let message = format!(
                "{missing} of {} measurements have no outcome; wait for them, make them again, or go on with \
                 --no-guarantee True",
                outcomes.len()
            );
            return Err(Failure::Refused(Class::RoundIncomplete, message));
        }
        if known.is_empty() {
            return Err(Failure::data("there is no outcome at all"));
        }
        let plan = match &plan.stated.plan {
            Measurements::Draws(draws) => {
                let kept: Vec<bool> = outcomes.iter().map(Option::is_some).collect();
                Measurements::Draws(draws.only(&kept))
            }
            Measurements::Allocation(_) => {
                // One outcome a slot in pool order; repetitions of a candidate in the order given.
                known.sort_by_key(|&(row, _)| row);
                let runs = known.chunk_by(|a, b| a.0 == b.0);
                let counts = runs.map(|run| (PointId::new(run[0].0), run.len() as u64)).collect();
                Measurements::Allocation(Allocation::new(counts)?)
            }
        };
        Ok(Self { plan, outcomes: known.into_iter().map(|(_, outcome)| outcome).collect(), missing })
    }
}

fn intervals(
    plan: &PlanData,
    measured: &Measured,
    estimator: &str,
    mean: Mean,
    assumptions: Assumptions,
    delta: Confidence,
    gamma: Ridge,
) -> Answer<Intervals> {
    let pool = &plan.design.pool;
    let targets = Targets::Points(Subset::All);
    let outcomes = &measured.outcomes;
    let found = match (estimator, &measured.plan) {
        ("auto" | "ridge" | "least-squares", Measurements::Allocation(allocation)) => {
            let gamma = if estimator == "least-squares" { Ridge::ZERO } else { gamma };
            let penalty = Ridge::new(gamma.get() * allocation.total() as f64)?;
            Counted::new(pool, allocation, outcomes, penalty)
                .and_then(|counted| LeastSquares::new(assumptions, delta).intervals(&counted, &targets))
        }
        ("auto" | "rips", Measurements::Draws(draws)) => Sampled::new(pool, draws, outcomes, gamma)
            .and_then(|sampled| Rips::new(assumptions, delta).mean(mean).intervals(&sampled, &targets)),
        ("ips", Measurements::Draws(draws)) => Sampled::new(pool, draws, outcomes, gamma)
            .and_then(|sampled| Ips::new(assumptions, delta).intervals(&sampled, &targets)),
        ("min-max", Measurements::Draws(draws)) => {
            let tolerance = Tolerance::new(FIT_TOLERANCE)?;
            Sampled::new(pool, draws, outcomes, gamma).and_then(|sampled| {
                let robust = Rips::new(assumptions, delta).mean(mean).intervals(&sampled, &targets)?;
                Ok(theta_hat(&sampled, &targets, &robust, tolerance)?.intervals(&robust))
            })
        }
        ("least-squares" | "ridge", Measurements::Draws(_)) => {
            return Err(Failure::option(
                "the plan is independent draws: least squares has no guarantee on them; use rips or ips, or \
                 elfving.round",
            ));
        }
        ("ips" | "rips" | "min-max", Measurements::Allocation(_)) => {
            return Err(Failure::option(
                "the counts of the plan were chosen: ips, rips and min-max need independent draws; use \
                 least-squares, or elfving.draw",
            ));
        }
        _ => {
            return Err(Failure::option(format!(
                "there is no estimator {estimator:?}; they are auto, least-squares, ridge, ips, rips and min-max"
            )));
        }
    };
    found.map_err(|error| explain(error, plan))
}

/// An error of the library in the names of the user.
fn explain(error: EstimateError, plan: &PlanData) -> Failure {
    match error {
        EstimateError::NotIdentifiable { target: TargetRef::Row(i) } => {
            let name = plan.design.data.choices().name(i);
            let message = format!("target {name:?} is not determined by what was measured; give gamma > 0");
            Failure::Refused(Class::NotIdentifiable, message)
        }
        EstimateError::NeedsBound { estimator } => Failure::option(format!(
            "{estimator} needs bound=, larger than every mean outcome in absolute value, for its intervals"
        )),
        other => other.into(),
    }
}

/// The names of `elfving estimate --json`, in the order of the choices, and each column as a list.
fn document(plan: &PlanData, measured: &Measured, found: &Intervals, seconds: f64) -> Value {
    let statement = &found.statement;
    let guaranteed = measured.missing == 0;
    let column = |of: fn(&elfving::estimate::Interval) -> f64| -> Vec<f64> {
        found.intervals.iter().map(of).collect()
    };
    let premises: Vec<Value> = (statement.premises.iter())
        .map(|premise| {
            let mut value = serde_json::to_value(premise).unwrap_or(Value::Null);
            if let Value::Object(fields) = &mut value {
                fields.insert("text".to_owned(), json!(premise.to_string()));
            }
            value
        })
        .collect();
    json!({
        "estimator": statement.estimator,
        "kind": match measured.plan { Measurements::Allocation(_) => "allocation", Measurements::Draws(_) => "draws" },
        "gamma": plan.design.stated.design.gamma,
        "measurements": measured.outcomes.len(),
        "delta": guaranteed.then_some(statement.delta),
        "guaranteed": guaranteed,
        "statements": statement.statements,
        "assumptions": premises,
        "missing": measured.missing,
        "estimate": column(|interval| interval.estimate),
        "lower": column(|interval| interval.lower()),
        "upper": column(|interval| interval.upper()),
        "noise_width": column(|interval| interval.noise),
        "ridge_width": found.intervals.iter().map(|interval| interval.bias.ridge).collect::<Vec<_>>(),
        "misspecification_width": column(|interval| interval.bias.misspecification),
        "seconds": seconds,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
