//! `round` and `draw`: from the weights of a design to whole measurements.

use std::sync::Arc;
use std::time::Instant;

use elfving::pool::PointId;
use elfving::rounding::{Constraints, Method, Request, RoundingError, RoundingReport};
use elfving_problem::Measurements;
use elfving_problem::documents::PlanDocument;
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::design::{Design, DesignData};
use crate::failure::{Answer, Failure};
use crate::json::{parsed, to_json};
use crate::task;

/// A plan of measurements: see `elfving.Allocation` and `elfving.Draws`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Plan(pub(crate) Arc<PlanData>);

/// A plan with the design it comes from.
#[derive(Debug)]
pub(crate) struct PlanData {
    pub(crate) design: Arc<DesignData>,
    pub(crate) stated: StatedPlan,
}

/// Everything of a plan but its design.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StatedPlan {
    pub(crate) plan: Measurements,
    report: RoundingReport,
    done: Vec<(usize, u64)>,
    seed: u64,
    seconds: f64,
}

/// What a plan must respect, by row.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Limits {
    minimum: Vec<(usize, u64)>,
    maximum: Vec<(usize, u64)>,
    maximum_each: Option<u64>,
    done: Vec<(usize, u64)>,
}

fn points(rows: &[(usize, u64)]) -> Vec<(PointId, u64)> {
    rows.iter().map(|&(row, count)| (PointId::new(row), count)).collect()
}

/// An error of the library in the names of the user.
fn explain(error: RoundingError, design: &DesignData) -> Failure {
    match error {
        RoundingError::Design(error) => design.targets.explain(&design.dataset, error).into(),
        RoundingError::MinimumAboveMaximum { id, minimum, maximum } => {
            let name = design.dataset.names().name(id.index());
            Failure::option(format!(
                "candidate {name:?} must be measured at least {minimum} times and at most {maximum}; \
                 no maximum exceeds the budget"
            ))
        }
        other => other.into(),
    }
}

/// A plan for a design: counts by a method, or draws without one.
fn make(
    py: Python<'_>,
    design: &Design,
    budget: u64,
    method: Option<Method>,
    polish: bool,
    limits: Limits,
    seed: u64,
) -> PyResult<Plan> {
    let design = Arc::clone(&design.0);
    let made = task::run(py, move || {
        let start = Instant::now();
        let constraints = Constraints {
            minimum: points(&limits.minimum),
            maximum: points(&limits.maximum),
            maximum_each: limits.maximum_each,
            done: points(&limits.done),
        };
        let problem = design.problem()?;
        let (plan, report) = Request::from_weights(&problem, &design.design.support, budget, &constraints)
            .and_then(|request| Measurements::make(&request, method, polish, seed))
            .map_err(|error| explain(error, &design))?;
        drop(problem);
        let seconds = start.elapsed().as_secs_f64();
        let stated = StatedPlan { plan, report, done: limits.done, seed, seconds };
        Ok(PlanData { design, stated })
    });
    made.map(|data| Plan(Arc::new(data)))
}

/// Rounds a design to counts.
#[pyfunction]
pub(crate) fn round(
    py: Python<'_>,
    design: &Design,
    budget: u64,
    method: &str,
    polish: bool,
    limits: &str,
    seed: u64,
) -> PyResult<Plan> {
    let method = method.parse::<Method>().map_err(Failure::from)?;
    make(py, design, budget, Some(method), polish, parsed("limits", limits)?, seed)
}

/// Draws from a design.
#[pyfunction]
pub(crate) fn draw(py: Python<'_>, design: &Design, size: u64, seed: u64) -> PyResult<Plan> {
    make(py, design, size, None, false, Limits::default(), seed)
}

impl PlanData {
    /// The plan as every program writes it.
    fn document(&self, shuffle: Option<u64>) -> PlanDocument {
        let StatedPlan { plan, report, done, seed, seconds } = &self.stated;
        let listed = shuffle.is_some() || matches!(plan, Measurements::Draws(_));
        let order = listed.then(|| plan.order(shuffle));
        let done = points(done);
        let done = (!done.is_empty()).then_some((String::new(), done.as_slice()));
        let design = self.design.document();
        PlanDocument::of(&self.design.dataset, design, plan, report, order.as_deref(), done, *seed, *seconds)
    }
}

#[pymethods]
impl Plan {
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.stated.plan.kind()
    }

    #[getter]
    fn design(&self) -> Design {
        Design(Arc::clone(&self.0.design))
    }

    /// The plan as the command line writes it.
    fn document(&self, shuffle: Option<u64>) -> PyResult<String> {
        Ok(to_json(&self.0.document(shuffle))?)
    }

    /// How often each candidate is measured.
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let counts = self.0.stated.plan.counts_of_all(self.0.design.pool.len());
        PyArray1::from_vec(py, counts.into_iter().map(|count| count as i64).collect())
    }

    /// The candidate of every measurement, in the order to make them.
    fn order<'py>(&self, py: Python<'py>, shuffle: Option<u64>) -> Bound<'py, PyArray1<i64>> {
        let order = self.0.stated.plan.order(shuffle).into_iter().map(|row| row as i64).collect();
        PyArray1::from_vec(py, order)
    }

    /// The probabilities of draws, over the whole pool.
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let Measurements::Draws(draws) = &self.0.stated.plan else {
            return Err(Failure::internal("an allocation has no probabilities").into());
        };
        let mut probabilities = vec![0.0; self.0.design.pool.len()];
        for (id, probability) in draws.probabilities() {
            probabilities[id.index()] = probability;
        }
        Ok(PyArray1::from_vec(py, probabilities))
    }

    /// The report in words.
    fn words(&self) -> String {
        self.0.stated.report.to_string()
    }

    /// Everything but the design, to be made again by `restored`.
    fn state(&self) -> PyResult<String> {
        Ok(to_json(&self.0.stated)?)
    }

    #[staticmethod]
    fn restored(design: &Design, state: &str) -> PyResult<Self> {
        let stated: StatedPlan = parsed("plan", state)?;
        let design = Arc::clone(&design.0);
        check_rows(&stated.plan, design.pool.len())?;
        Ok(Self(Arc::new(PlanData { design, stated })))
    }
}

fn check_rows(plan: &Measurements, points: usize) -> Answer<()> {
    match plan.counts().into_iter().find(|(id, _)| id.index() >= points) {
        Some((id, _)) => Err(RoundingError::UnknownPoint { list: "counts", id, points }.into()),
        None => Ok(()),
    }
}
