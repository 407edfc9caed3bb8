//! `design`: weights on a pool, with their certificate.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use elfving::design::{
    self as core, Control, Criterion, Diagnostics, Problem, Progress, Solver, recheck, variance_function,
};
use elfving::pool::{self, PointId};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::solvers::SolverName;
use elfving_problem::documents::DesignDocument;
use elfving_problem::{Dataset, TargetSpec};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::vector;
use crate::failure::{Answer, Failure};
use crate::json::to_json;
use crate::pool::Pool;
use crate::task;

/// A design on its pool: see `elfving.Design`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Design(pub(crate) Arc<DesignData>);

/// A design, the pool it is for, and the question it answers.
#[derive(Debug)]
pub(crate) struct DesignData {
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) pool: Arc<pool::Pool>,
    pub(crate) targets: TargetSpec,
    pub(crate) design: core::StatedDesign,
    tolerance: f64,
    seconds: f64,
}

impl DesignData {
    /// The problem the design answers.
    pub(crate) fn problem(&self) -> Answer<Problem<'_>> {
        let core::StatedDesign { criterion, gamma, .. } = self.design;
        Ok(self.targets.problem(&self.dataset, &self.pool, criterion, gamma)?)
    }

    /// The design as every program writes it.
    pub(crate) fn document(&self) -> DesignDocument {
        let Self { dataset, pool, targets, design, tolerance, seconds } = self;
        DesignDocument::of(dataset, pool, targets, design, *tolerance, *seconds)
    }

    /// The design of a document on its pool, checked again.
    fn restored(document: &DesignDocument, dataset: Arc<Dataset>) -> Answer<Self> {
        document.check_size(&dataset)?;
        let pool = dataset.build(document.gamma.get(), document.tolerance)?;
        let design = document.restore(&dataset, &pool)?;
        let (targets, tolerance) = (document.options.targets.clone(), document.tolerance);
        Ok(Self { dataset, pool, targets, design, tolerance, seconds: document.seconds })
    }
}

/// A solver by its name on the command line, starting from these weights where it can.
fn solver(name: Option<&str>, problem: &Problem, warm: &[(PointId, f64)]) -> Answer<Box<dyn Solver>> {
    let method = match name {
        None => SolverName::suited_to(problem),
        Some(name) => name.parse()?,
    };
    Ok(method.solver(warm))
}

/// Computes a design.
#[pyfunction]
#[pyo3(signature = (pool, criterion, gamma, tolerance, method, max_iterations, time_limit, targets, direction, warm, progress))]
#[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
pub(crate) fn design(
    py: Python<'_>,
    pool: &Pool,
    criterion: &str,
    gamma: f64,
    tolerance: f64,
    method: Option<String>,
    max_iterations: Option<usize>,
    time_limit: Option<f64>,
    targets: Option<Vec<usize>>,
    direction: Option<PyReadonlyArray1<'_, f64>>,
    warm: Option<Vec<(usize, f64)>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Design> {
    let start = Instant::now();
    let criterion = criterion_named(criterion)?;
    let (gamma, accuracy) =
        (Ridge::new(gamma).map_err(Failure::from)?, Tolerance::new(tolerance).map_err(Failure::from)?);
    let limit = time_limit.map(|seconds| {
        Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::option(format!("time_limit must be a number of seconds >= 0, got {seconds}"))
        })
    });
    let limit = limit.transpose()?;
    let dataset = Arc::clone(&pool.0);
    let name = |row: usize| dataset.choices().name(row).into_owned();
    let targets = match (direction.as_ref().map(vector), targets) {
        (Some(direction), _) => TargetSpec::Direction(direction),
        (None, Some(rows)) => TargetSpec::Ids(rows.into_iter().map(name).collect()),
        (None, None) => TargetSpec::All,
    };
    let warm: Vec<(PointId, f64)> =
        warm.unwrap_or_default().into_iter().map(|(row, weight)| (PointId::new(row), weight)).collect();
    let solved = task::run_watched(py, progress, move |monitor| {
        let pool = dataset.build(gamma.get(), tolerance)?;
        let problem = targets.problem(&dataset, &pool, criterion, gamma)?;
        let solver = solver(method.as_deref(), &problem, &warm)?;
        let mut watch = |progress: &Progress| {
            monitor.report(*progress);
            let late = limit.is_some_and(|limit| start.elapsed() >= limit);
            if late || monitor.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut control = Control::new(accuracy).watch(&mut watch);
        if let Some(most) = max_iterations {
            control = control.iteration_limit(most);
        }
        let design =
            solver.solve(&problem, &mut control).map_err(|error| targets.explain(&dataset, error))?;
        let design = design.stated();
        drop(problem);
        let seconds = start.elapsed().as_secs_f64();
        Ok(DesignData { dataset, pool, targets, design, tolerance, seconds })
    });
    solved.map(|data| Design(Arc::new(data)))
}

/// A criterion by name.
pub(crate) fn criterion_named(name: &str) -> Answer<Criterion> {
    Ok(name.parse()?)
}

#[pymethods]
impl Design {
    /// The design as the command line writes it.
    fn document(&self) -> PyResult<String> {
        Ok(to_json(&self.0.document())?)
    }

    #[getter]
    fn pool(&self) -> Pool {
        Pool(Arc::clone(&self.0.dataset))
    }

    /// The weights over the whole pool.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut weights = vec![0.0; self.0.pool.len()];
        for &(id, weight) in &self.0.design.support {
            weights[id.index()] = weight;
        }
        PyArray1::from_vec(py, weights)
    }

    /// Rows of positive weight, and their weights.
    fn support<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>) {
        let (rows, weights): (Vec<i64>, Vec<f64>) =
            self.0.design.support.iter().map(|&(id, weight)| (id.index() as i64, weight)).unzip();
        (PyArray1::from_vec(py, rows), PyArray1::from_vec(py, weights))
    }

    /// Value and bound again, by the independent check: value, bound, gap.
    fn recheck(&self, py: Python<'_>) -> PyResult<(f64, f64, f64)> {
        let data = Arc::clone(&self.0);
        task::run(py, move || {
            let problem = data.problem()?;
            let again = recheck(&problem, &data.design.support, &data.design.certificate.target_weights)
                .map_err(|error| data.targets.explain(&data.dataset, error))?;
            Ok((again.value(), again.bound(), again.relative_gap()))
        })
    }

    /// The variance function over the pool.
    fn variance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = Arc::clone(&self.0);
        let variance = task::run(py, move || {
            Ok(variance_function(&data.pool, &data.design.weights(data.pool.len()), data.design.gamma))
        })?;
        Ok(PyArray1::from_vec(py, variance))
    }

    /// Efficiencies and the rest, as JSON.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        let data = Arc::clone(&self.0);
        task::run(py, move || {
            let design = &data.design;
            let diagnostics = Diagnostics::new(&data.pool, &design.weights(data.pool.len()), design.gamma)
                .map_err(|error| data.targets.explain(&data.dataset, error))?;
            to_json(&diagnostics)
        })
    }

    /// A design document on its pool, checked again.
    #[staticmethod]
    fn of_document(py: Python<'_>, pool: &Pool, document: &str) -> PyResult<Self> {
        let document = DesignDocument::parse(document.as_bytes()).map_err(Failure::from)?;
        let dataset = Arc::clone(&pool.0);
        let made = task::run(py, move || DesignData::restored(&document, dataset));
        made.map(|data| Self(Arc::new(data)))
    }
}
