//! `design`: weights on a pool, with their certificate.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use elfving::design::{
    self as core, Control, Criterion, DesignError, Diagnostics, Problem, Progress, Solver, TargetRef,
    recheck, variance_function,
};
use elfving::numerics::Matrix;
use elfving::pool::{self, PointId, Subset, Targets};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::solvers::Method;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arrays::vector;
use crate::candidates::PoolData;
use crate::document::read_document;
use crate::failure::{Answer, Class, Failure};
use crate::json::{parsed, to_json};
use crate::pool::Pool;
use crate::task;

/// A design on its pool: see `elfving.Design`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Design(pub(crate) Arc<DesignData>);

/// A design, the pool it is for, and the question it answers.
#[derive(Debug)]
pub(crate) struct DesignData {
    pub(crate) data: Arc<PoolData>,
    pub(crate) pool: Arc<pool::Pool>,
    pub(crate) stated: Stated,
}

/// Everything of a design but its pool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Stated {
    pub(crate) design: core::StatedDesign,
    pub(crate) targets: Wanted,
    pub(crate) tolerance: f64,
    pub(crate) seconds: f64,
}

/// What the design is to tell about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// Every choice of the pool.
    All,
    /// These choices.
    Some(Vec<usize>),
    /// One vector of coefficients.
    Direction(Vec<f64>),
}

impl Wanted {
    fn problem<'a>(
        &self,
        pool: &'a pool::Pool,
        criterion: Criterion,
        gamma: Ridge,
    ) -> Result<Problem<'a>, DesignError> {
        let targets = match self {
            Self::All => return Problem::over_choices(pool, criterion, gamma),
            Self::Some(rows) => {
                Targets::Points(Subset::Of(rows.iter().map(|&row| PointId::new(row)).collect()))
            }
            Self::Direction(direction) => {
                Targets::Directions(Matrix::from_row_major(1, direction.len(), direction.clone()))
            }
        };
        Problem::new(pool, criterion, targets, gamma)
    }

    /// What the user calls a target.
    fn name(&self, data: &PoolData, target: TargetRef) -> String {
        let choice = |i: usize| match self {
            Self::Some(rows) => rows.get(i).copied(),
            _ => Some(i),
        };
        let named =
            |i: usize| choice(i).filter(|&i| i < data.choices().len()).map(|i| data.choices().name(i));
        match (self, target) {
            (Self::Direction(_), _) => "the direction".to_owned(),
            (_, TargetRef::Row(i)) => {
                named(i).map_or_else(|| target.to_string(), |name| format!("target {name:?}"))
            }
            (_, TargetRef::Pair(i, j)) => match (named(i), named(j)) {
                (Some(one), Some(other)) => format!("the difference of {one:?} and {other:?}"),
                _ => target.to_string(),
            },
        }
    }

    /// An error of the library in the names of the user.
    pub(crate) fn explain(&self, data: &PoolData, error: DesignError) -> Failure {
        match error {
            DesignError::NotIdentifiable { target, gamma } => {
                let name = self.name(data, target);
                let message = format!(
                    "{name} lies outside what the pool can measure: its variance is infinite at gamma = {gamma}; \
                     give gamma a small positive number such as 1e-3, or take the target out"
                );
                Failure::Refused(Class::NotIdentifiable, message)
            }
            other => other.into(),
        }
    }
}

impl DesignData {
    /// The problem the design answers.
    pub(crate) fn problem(&self) -> Answer<Problem<'_>> {
        let Stated { design, targets, .. } = &self.stated;
        let problem = targets.problem(&self.pool, design.criterion, design.gamma);
        problem.map_err(|error| targets.explain(&self.data, error))
    }
}

/// A solver by its name on the command line, starting from these weights where it can.
fn solver(name: Option<&str>, problem: &Problem, warm: &[(PointId, f64)]) -> Answer<Box<dyn Solver>> {
    let method = match name {
        None => Method::suited_to(problem),
        Some(name) => Method::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = Method::all().map(Method::name).collect();
            Failure::option(format!("there is no method {name:?}; the methods are {}", names.join(", ")))
        })?,
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
    let wanted = match (direction.as_ref().map(vector), targets) {
        (Some(direction), _) => Wanted::Direction(direction),
        (None, Some(rows)) => Wanted::Some(rows),
        (None, None) => Wanted::All,
    };
    let warm: Vec<(PointId, f64)> =
        warm.unwrap_or_default().into_iter().map(|(row, weight)| (PointId::new(row), weight)).collect();
    let data = Arc::clone(&pool.0);
    let solved = task::run_watched(py, progress, move |monitor| {
        let pool = data.build(gamma.get(), tolerance)?;
        let problem =
            wanted.problem(&pool, criterion, gamma).map_err(|error| wanted.explain(&data, error))?;
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
        let design = solver.solve(&problem, &mut control).map_err(|error| wanted.explain(&data, error))?;
        drop(problem);
        let seconds = start.elapsed().as_secs_f64();
        Ok(DesignData {
            data,
            pool,
            stated: Stated { design: design.stated(), targets: wanted, tolerance, seconds },
        })
    });
    solved.map(|data| Design(Arc::new(data)))
}

/// A criterion by name.
pub(crate) fn criterion_named(name: &str) -> Answer<Criterion> {
    let found = Criterion::ALL.into_iter().find(|criterion| criterion.to_string() == name);
    found.ok_or_else(|| {
        Failure::option(format!("there is no criterion {name:?}; the criteria are g, xy, d, a, v and c"))
    })
}

#[pymethods]
impl Design {
    /// The design as the command line writes it.
    fn document(&self) -> String {
        self.0.document().to_string()
    }

    #[getter]
    fn pool(&self) -> Pool {
        Pool(Arc::clone(&self.0.data))
    }

    /// The weights over the whole pool.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut weights = vec![0.0; self.0.pool.len()];
        for &(id, weight) in &self.0.stated.design.support {
            weights[id.index()] = weight;
        }
        PyArray1::from_vec(py, weights)
    }

    /// Rows of positive weight, and their weights.
    fn support<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>) {
        let (rows, weights): (Vec<i64>, Vec<f64>) =
            self.0.stated.design.support.iter().map(|&(id, weight)| (id.index() as i64, weight)).unzip();
        (PyArray1::from_vec(py, rows), PyArray1::from_vec(py, weights))
    }

    /// Value and bound again, by the independent check: value, bound, gap.
    fn recheck(&self, py: Python<'_>) -> PyResult<(f64, f64, f64)> {
        let data = Arc::clone(&self.0);
        task::run(py, move || {
            let problem = data.problem()?;
            let design = &data.stated.design;
            let again = recheck(&problem, &design.support, &design.certificate.target_weights)
                .map_err(|error| data.stated.targets.explain(&data.data, error))?;
            Ok((again.value(), again.bound(), again.relative_gap()))
        })
    }

    /// The variance function over the pool.
    fn variance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = Arc::clone(&self.0);
        let variance = task::run(py, move || {
            let design = &data.stated.design;
            Ok(variance_function(&data.pool, &design.weights(data.pool.len()), design.gamma))
        })?;
        Ok(PyArray1::from_vec(py, variance))
    }

    /// Efficiencies and the rest, as JSON.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        let data = Arc::clone(&self.0);
        task::run(py, move || {
            let design = &data.stated.design;
            let diagnostics = Diagnostics::new(&data.pool, &design.weights(data.pool.len()), design.gamma)
                .map_err(|error| data.stated.targets.explain(&data.data, error))?;
            to_json(&diagnostics)
        })
    }

    /// Everything but the pool, to be made again by `restored`.
    fn state(&self) -> PyResult<String> {
        Ok(to_json(&self.0.stated)?)
    }

    #[staticmethod]
    fn restored(py: Python<'_>, pool: &Pool, state: &str) -> PyResult<Self> {
        let stated: Stated = parsed("design", state)?;
        let data = Arc::clone(&pool.0);
        let made = task::run(py, move || {
            let pool = data.build(stated.design.gamma.get(), stated.tolerance)?;
            check_rows(&stated.design, pool.len())?;
            Ok(DesignData { data, pool, stated })
        });
        made.map(|data| Self(Arc::new(data)))
    }

    /// A design document on its pool.
    #[staticmethod]
    fn of_document(py: Python<'_>, pool: &Pool, document: &str) -> PyResult<Self> {
        let document: Value = serde_json::from_str(document)
            .map_err(|error| Failure::data(format!("this is not a design: {error}")))?;
        let data = Arc::clone(&pool.0);
        let made = task::run(py, move || {
            let stated = read_document(&document, &data)?;
            let pool = data.build(stated.design.gamma.get(), stated.tolerance)?;
            check_rows(&stated.design, pool.len())?;
            Ok(DesignData { data, pool, stated })
        });
        made.map(|data| Self(Arc::new(data)))
    }
}

fn check_rows(design: &core::StatedDesign, points: usize) -> Answer<()> {
    match design.support.iter().find(|(id, _)| id.index() >= points) {
        Some(&(id, _)) => Err(DesignError::UnknownPoint { id, points }.into()),
        None => Ok(()),
    }
}
