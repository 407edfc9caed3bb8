//! `design`: weights on a pool, with their certificate.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use elfving::design::{
    self as core, Control, Criterion, DesignError, Diagnostics, ElfvingSet, FrankWolfe, InteriorPoint,
    MirrorDescent, Multiplicative, Problem, Progress, RandomisedExchange, Solver, TargetRef, recheck,
    variance_function,
};
use elfving::linalg::Matrix;
use elfving::pool::{self, PointId, Subset, Targets};
use elfving::units::{Ridge, Tolerance};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::arrays::vector;
use crate::failure::{Answer, Class, Failure};
use crate::pool::{Pool, PoolData, parsed};
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
    pub(crate) design: core::Design,
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
    let usual = if ElfvingSet::suits(problem) { "elfving-set" } else { "interior-point" };
    Ok(match name.unwrap_or(usual) {
        "interior-point" => Box::new(InteriorPoint::default().warm_start(warm)),
        "elfving-set" => Box::new(ElfvingSet),
        "mirror-descent" => Box::new(MirrorDescent::default()),
        "multiplicative" => Box::new(Multiplicative::default()),
        "frank-wolfe" => Box::new(FrankWolfe::default()),
        "exchange" => Box::new(RandomisedExchange::default()),
        other => {
            return Err(Failure::option(format!(
                "there is no method {other:?}; the methods are interior-point, elfving-set, mirror-descent, \
                 multiplicative, frank-wolfe and exchange"
            )));
        }
    })
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
        Ok(DesignData { data, pool, stated: Stated { design, targets: wanted, tolerance, seconds } })
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
            Ok((again.value, again.bound, again.relative_gap))
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

/// A value of the library as JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Answer<String> {
    serde_json::to_string(value).map_err(|error| Failure::internal(&error.to_string()))
}

fn check_rows(design: &core::Design, points: usize) -> Answer<()> {
    match design.support.iter().find(|(id, _)| id.index() >= points) {
        Some(&(id, _)) => Err(DesignError::UnknownPoint { id, points }.into()),
        None => Ok(()),
    }
}

impl DesignData {
    /// The design with the names that `elfving design --json` uses, so that either program reads the other's.
    pub(crate) fn document(&self) -> Value {
        let Stated { design, targets, tolerance, seconds } = &self.stated;
        let certificate = &design.certificate;
        let bound = if design.criterion.is_maximised() { "upper_bound" } else { "lower_bound" };
        let (ids, about) = (&self.data.about.ids, &self.data.about);
        let support: Vec<Value> = (design.support.iter())
            .map(|&(id, weight)| json!({"id": ids.name(id.index()), "weight": weight}))
            .collect();
        let share = |&(target, weight): &(TargetRef, f64)| match target {
            TargetRef::Row(i) => json!({"target": i, "weight": weight}),
            TargetRef::Pair(i, j) => json!({"pair": [i, j], "weight": weight}),
        };
        let target_weights: Vec<Value> = certificate.target_weights.iter().map(share).collect();
        let mut options = self.options();
        match targets {
            Wanted::All => {}
            Wanted::Some(rows) => {
                if let [row] = rows.as_slice() {
                    options.insert("target_id".to_owned(), json!(self.data.choices().name(*row)));
                } else {
                    options.insert("target_rows".to_owned(), json!(rows));
                }
            }
            Wanted::Direction(direction) => {
                options.insert("direction".to_owned(), json!(direction));
            }
        }
        let mut document = json!({
            "criterion": design.criterion,
            "gamma": design.gamma,
            "n": self.pool.len(),
            "dimension": self.pool.dimension(),
            "value": certificate.value,
            "relative_gap": certificate.relative_gap,
            "status": design.status,
            "iterations": design.iterations,
            "seconds": seconds,
            "support": support,
            "passes": design.passes,
            "method": design.method,
            "tolerance": tolerance,
            "checked_by": certificate.checked_by,
            "target_weights": target_weights,
            "kernel": about.model.kernel,
            "residual": self.pool.residual(),
            "feature_names": self.data.feature_names().unwrap_or_default(),
            "pool": "the pool",
            "options": options,
            "version": env!("CARGO_PKG_VERSION"),
        });
        document[bound] = json!(certificate.bound);
        document
    }

    /// The options of the command line that make the same pool.
    fn options(&self) -> Map<String, Value> {
        let about = &self.data.about;
        let mut options = Map::new();
        let mut insert = |name: &str, value: Value| options.insert(name.to_owned(), value);
        if let Some(columns) = &about.options {
            use elfving_table::{LogBase, OneHot};
            if let Some(id) = &columns.id {
                insert("id", json!(id));
            }
            if let Some(features) = &columns.features {
                insert("features", json!(features));
            }
            if !columns.exclude.is_empty() {
                insert("outcome", json!(columns.exclude));
            }
            match &columns.one_hot {
                OneHot::Nothing => {}
                OneHot::AllText => drop(insert("one_hot", json!([]))),
                OneHot::Columns(names) => drop(insert("one_hot", json!(names))),
            }
            let base = |base: &LogBase| match base {
                LogBase::Two => "2",
                LogBase::E => "e",
                LogBase::Ten => "10",
            };
            let logs = columns.log_scale.iter().map(|(name, of)| format!("{name}={}", base(of)));
            let logs: Vec<String> = logs.collect();
            if !logs.is_empty() {
                insert("log", json!(logs));
            }
            if columns.standardize {
                insert("standardize", json!(true));
            }
            let markers = columns.markers.iter().map(|marker| match marker.value {
                Some(value) => format!("{}={value}", marker.text),
                None => marker.text.clone(),
            });
            let markers: Vec<String> = markers.collect();
            if !markers.is_empty() {
                insert("missing", json!(markers));
            }
        }
        if let Some(degree) = about.model.polynomial {
            insert("polynomial_model", json!(degree));
            if about.model.interactions_only {
                insert("interactions_only", json!(true));
            }
        }
        if let Some(Value::Object(kernel)) = &about.model.kernel {
            for (name, value) in kernel {
                let value = match (name.as_str(), value) {
                    // One number, or one a feature, in one word.
                    ("lengthscale", Value::Array(list)) => {
                        json!(list.iter().map(shortest).collect::<Vec<_>>().join(","))
                    }
                    ("lengthscale", number) => json!(shortest(number)),
                    _ => value.clone(),
                };
                insert(name, value);
            }
        }
        let residual = self.data.residual(self.stated.design.gamma.get(), self.stated.tolerance);
        if let Some(residual) = residual {
            insert("residual", json!(residual));
        }
        options
    }
}

/// A number as the command line writes it: 1, not 1.0.
fn shortest(number: &Value) -> String {
    number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
}

/// The fields of a design document that say what it states.
#[derive(Deserialize)]
struct Document {
    criterion: Criterion,
    gamma: Ridge,
    n: usize,
    value: f64,
    lower_bound: Option<f64>,
    upper_bound: Option<f64>,
    relative_gap: f64,
    status: core::Status,
    iterations: usize,
    seconds: f64,
    support: Vec<Share>,
    passes: usize,
    method: String,
    tolerance: f64,
    checked_by: core::CheckedBy,
    target_weights: Vec<TargetShare>,
    options: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Share {
    id: String,
    weight: f64,
}

#[derive(Deserialize)]
struct TargetShare {
    target: Option<usize>,
    pair: Option<(usize, usize)>,
    weight: f64,
}

fn read_document(document: &Value, data: &PoolData) -> Answer<Stated> {
    let refused = |what: String| Failure::data(format!("this is not a design: {what}"));
    let document: Document =
        serde_json::from_value(document.clone()).map_err(|error| refused(error.to_string()))?;
    if document.n != data.about.ids.len() {
        let message =
            format!("the design is for {} candidates, the pool has {}", document.n, data.about.ids.len());
        return Err(Failure::data(message));
    }
    let names: Vec<String> = document.support.iter().map(|share| share.id.clone()).collect();
    let rows = data.about.ids.rows(&names).map_err(|failure| match failure {
        Failure::Refused(_, message) => Failure::data(message),
        other => other,
    })?;
    let support = rows.into_iter().zip(&document.support);
    let target = |share: &TargetShare| match (share.target, share.pair) {
        (Some(row), _) => Ok((TargetRef::Row(row), share.weight)),
        (None, Some((i, j))) => Ok((TargetRef::Pair(i, j), share.weight)),
        (None, None) => Err(refused("a weight of no target".to_owned())),
    };
    let certificate = core::Certificate {
        value: document.value,
        bound: document.lower_bound.or(document.upper_bound).ok_or_else(|| refused("no bound".to_owned()))?,
        relative_gap: document.relative_gap,
        target_weights: document.target_weights.iter().map(target).collect::<Answer<_>>()?,
        checked_by: document.checked_by,
    };
    let option = |name: &str| document.options.get(name).filter(|value| !value.is_null());
    let targets = match (option("direction"), option("target_id"), option("target_rows")) {
        (Some(direction), ..) => Wanted::Direction(
            serde_json::from_value(direction.clone()).map_err(|error| refused(error.to_string()))?,
        ),
        (None, Some(id), _) => {
            Wanted::Some(data.choices().rows(&[id.as_str().unwrap_or_default().to_owned()])?)
        }
        (None, None, Some(rows)) => {
            Wanted::Some(serde_json::from_value(rows.clone()).map_err(|error| refused(error.to_string()))?)
        }
        (None, None, None) => Wanted::All,
    };
    let design = core::Design {
        criterion: document.criterion,
        gamma: document.gamma,
        support: support.map(|(row, share)| (PointId::new(row), share.weight)).collect(),
        certificate,
        status: document.status,
        iterations: document.iterations,
        passes: document.passes,
        method: document.method,
    };
    Ok(Stated { design, targets, tolerance: document.tolerance, seconds: document.seconds })
}
