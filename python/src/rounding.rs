//! `round` and `draw`: from the weights of a design to whole measurements.

use std::sync::Arc;
use std::time::Instant;

use elfving::pool::PointId;
use elfving::rounding::{
    self as core, Constraints, Exchange, Method, Request, Rounded, RoundingError, RoundingReport,
    shuffled_slots,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::design::{Design, DesignData};
use crate::failure::{Answer, Class, Failure};
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

/// Two kinds, because estimators differ in what they may assume.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Measurements {
    Allocation(core::Allocation),
    Draws(core::Draws),
}

impl Measurements {
    fn kind(&self) -> &'static str {
        match self {
            Self::Allocation(_) => "allocation",
            Self::Draws(_) => "draws",
        }
    }

    pub(crate) fn counts(&self) -> Vec<(PointId, u64)> {
        match self {
            Self::Allocation(allocation) => allocation.counts().to_vec(),
            Self::Draws(draws) => draws.counts(),
        }
    }
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
        RoundingError::Design(error) => design.stated.targets.explain(&design.data, error),
        RoundingError::MinimumAboveMaximum { id, minimum, maximum } => {
            let name = design.data.about.ids.name(id.index());
            let message = format!(
                "candidate {name:?} must be measured at least {minimum} times and at most {maximum}; \
                 no maximum exceeds the budget"
            );
            Failure::Refused(Class::Option, message)
        }
        other => other.into(),
    }
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
    let method = Method::ALL.into_iter().find(|known| known.to_string() == method).ok_or_else(|| {
        let names = Method::ALL.map(|method| method.to_string()).join(", ");
        Failure::option(format!("there is no method {method:?}; the methods are {names}"))
    })?;
    let limits: Limits = parsed("limits", limits)?;
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
        let rounded = || -> Result<Rounded, RoundingError> {
            let weights = &design.stated.design.support;
            let request = Request::from_weights(&problem, weights, budget, &constraints)?;
            let mut rounded = method.rounding().round(&request)?;
            if polish {
                rounded = Exchange::default().after(&request, &rounded)?;
            }
            Ok(rounded)
        };
        let Rounded { allocation, report } = rounded().map_err(|error| explain(error, &design))?;
        drop(problem);
        let (plan, seconds) = (Measurements::Allocation(allocation), start.elapsed().as_secs_f64());
        let stated = StatedPlan { plan, report, done: limits.done, seed, seconds };
        Ok(PlanData { design, stated })
    });
    made.map(|data| Plan(Arc::new(data)))
}

/// Draws from a design.
#[pyfunction]
pub(crate) fn draw(py: Python<'_>, design: &Design, size: u64, seed: u64) -> PyResult<Plan> {
    let design = Arc::clone(&design.0);
    let made = task::run(py, move || {
        let start = Instant::now();
        let problem = design.problem()?;
        let drawn = || -> Result<_, RoundingError> {
            let weights = &design.stated.design.support;
            let request = Request::from_weights(&problem, weights, size, &Constraints::default())?;
            let draws = core::Draws::new(&request.weights(), size, seed)?;
            let report = draws.report(&request)?;
            Ok((draws, report))
        };
        let (draws, report) = drawn().map_err(|error| explain(error, &design))?;
        drop(problem);
        let (plan, seconds) = (Measurements::Draws(draws), start.elapsed().as_secs_f64());
        let stated = StatedPlan { plan, report, done: Vec::new(), seed, seconds };
        Ok(PlanData { design, stated })
    });
    made.map(|data| Plan(Arc::new(data)))
}

impl PlanData {
    /// The candidate of every measurement: as drawn, shuffled with the seed, or in pool order.
    pub(crate) fn order(&self, shuffle: Option<u64>) -> Vec<usize> {
        let rows = |ids: &[PointId]| ids.iter().map(|id| id.index()).collect();
        match (&self.stated.plan, shuffle) {
            (Measurements::Draws(draws), _) => rows(draws.points()),
            (Measurements::Allocation(allocation), Some(seed)) => rows(&shuffled_slots(allocation, seed)),
            (Measurements::Allocation(allocation), None) => rows(&allocation.slots()),
        }
    }

    /// The plan with the names that `elfving round --json` uses, so that `elfving estimate` reads it.
    fn document(&self, shuffle: Option<u64>) -> Value {
        let StatedPlan { plan, report, done, seed, seconds } = &self.stated;
        let ids = &self.design.data.about.ids;
        let count = |row: usize, count: u64| json!({"id": ids.name(row), "count": count});
        let counts: Vec<Value> = plan.counts().iter().map(|&(id, n)| count(id.index(), n)).collect();
        let mut document = json!({
            "method": report.method,
            "budget": report.budget,
            "total": report.total,
            "value": report.value,
            "ratio_to_continuous": report.ratio,
            "counts": counts,
            "kind": plan.kind(),
            "seed": seed,
            "criterion": report.criterion,
            "gamma": report.gamma,
            "continuous_value": report.continuous_value,
            "smallest_eigenvalue": report.smallest_eigenvalue,
            "guaranteed_eigenvalue": report.guaranteed_eigenvalue,
            "effective_dimension": report.dimension,
            "path": report.path,
            "seconds": seconds,
            "version": env!("CARGO_PKG_VERSION"),
            "design": self.design.document(),
        });
        if shuffle.is_some() || matches!(plan, Measurements::Draws(_)) {
            let order: Vec<_> =
                self.order(shuffle).into_iter().map(|row| ids.name(row).into_owned()).collect();
            document["order"] = json!(order);
        }
        if let Measurements::Draws(draws) = plan {
            let weights = draws.integer_weights().iter();
            let weights: Vec<Value> =
                weights.map(|&(id, weight)| json!({"id": ids.name(id.index()), "weight": weight})).collect();
            document["integer_weights"] = json!(weights);
        }
        if !done.is_empty() {
            let counts: Vec<Value> = done.iter().map(|&(row, n)| count(row, n)).collect();
            document["done"] = json!({"file": "", "total": report.done, "counts": counts});
        }
        document
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
    fn document(&self, shuffle: Option<u64>) -> String {
        self.0.document(shuffle).to_string()
    }

    /// How often each candidate is measured.
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut counts = vec![0; self.0.design.pool.len()];
        for (id, count) in self.0.stated.plan.counts() {
            counts[id.index()] = count as i64;
        }
        PyArray1::from_vec(py, counts)
    }

    /// The candidate of every measurement, in the order to make them.
    fn order<'py>(&self, py: Python<'py>, shuffle: Option<u64>) -> Bound<'py, PyArray1<i64>> {
        let order = self.0.order(shuffle).into_iter().map(|row| row as i64).collect();
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
