//! `Pool`: what can be measured, from arrays, data frames, files or a kernel matrix.

use std::path::PathBuf;
use std::sync::Arc;

use elfving::pool::{KernelSpec, PoolError};
use elfving_problem::{About, Dataset, Model, Names, PoolSpec, Source};
use elfving_table::{PoolOptions, ReadOptions};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::{matrix, to_array};
use crate::failure::Answer;
use crate::frames::{PyColumns, table};
use crate::hints;
use crate::json::{parsed, to_json};
use crate::task;

/// The pool of the package: see `elfving.Pool`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Pool(pub(crate) Arc<Dataset>);

/// The options that name a model.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelOptions {
    kernel: Option<KernelSpec>,
    residual: Option<f64>,
    polynomial: Option<usize>,
    interactions_only: bool,
    formula: Option<String>,
}

impl ModelOptions {
    pub(crate) fn model(self) -> Answer<Model> {
        let Self { kernel, residual, polynomial, interactions_only, formula } = self;
        Ok(Model::of_options(kernel, residual, polynomial, interactions_only, formula.as_deref())?)
    }
}

/// How a table is read, from the JSON of its options.
fn pool_spec(
    reading: ReadOptions,
    columns: PoolOptions,
    outcome: Option<String>,
    model: ModelOptions,
) -> Answer<PoolSpec> {
    Ok(PoolSpec { reading, columns, model: model.model()?, outcome })
}

/// Features that need no factorisation are made where the pool is, so that they are refused there too.
fn expanded(dataset: Dataset) -> Answer<Dataset> {
    if !dataset.model().is_kernel() {
        dataset.build(0.0, 1e-6)?;
    }
    Ok(dataset)
}

#[pymethods]
impl Pool {
    /// From a table of numbers.
    #[staticmethod]
    #[pyo3(signature = (x, choices, ids, choice_ids, feature_names, model, seed))]
    #[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
    fn from_arrays(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        choices: Option<PyReadonlyArray2<'_, f64>>,
        ids: Option<Vec<String>>,
        choice_ids: Option<Vec<String>>,
        feature_names: Option<Vec<String>>,
        model: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let (x, z) = (matrix(&x), choices.as_ref().map(matrix));
        let model: ModelOptions = parsed("model", model)?;
        task::run(py, move || {
            expanded(Dataset::from_arrays(x, z, ids, choice_ids, feature_names, model.model()?, seed)?)
        })
        .map(|dataset| Self(Arc::new(dataset)))
    }

    /// From a kernel matrix over the candidates, then over the choices.
    #[staticmethod]
    #[pyo3(signature = (gram, measurable, ids, choice_ids, residual))]
    fn from_gram(
        py: Python<'_>,
        gram: PyReadonlyArray2<'_, f64>,
        measurable: Option<usize>,
        ids: Option<Vec<String>>,
        choice_ids: Option<Vec<String>>,
        residual: Option<f64>,
    ) -> PyResult<Self> {
        let gram = matrix(&gram);
        task::run(py, move || {
            let (atoms, columns) = (gram.rows(), gram.columns());
            if atoms != columns {
                return Err(PoolError::NotSquare { rows: atoms, columns }.into());
            }
            let measurable = measurable.unwrap_or(atoms);
            let others = atoms.checked_sub(measurable);
            let others = others.ok_or(PoolError::MeasurableCount { measurable, atoms })?;
            let names = Names::new(ids, measurable, "candidates")?;
            let choices = (others > 0).then(|| Names::new(choice_ids, others, "targets")).transpose()?;
            let dataset = Dataset::from_gram(gram, names, choices, residual)?;
            // A matrix that is none is refused where it is given.
            dataset.build(0.0, 1e-6)?;
            Ok(dataset)
        })
        .map(|dataset| Self(Arc::new(dataset)))
    }

    /// From the columns of a data frame.
    #[staticmethod]
    #[pyo3(signature = (columns, targets, options, outcome, model, seed))]
    fn from_columns(
        py: Python<'_>,
        columns: PyColumns<'_>,
        targets: Option<PyColumns<'_>>,
        options: &str,
        outcome: Option<String>,
        model: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let pool = table("the data frame", columns)?;
        let targets = targets.map(|columns| table("the targets", columns)).transpose()?;
        let spec =
            pool_spec(ReadOptions::default(), parsed("columns", options)?, outcome, parsed("model", model)?)?;
        task::run(py, move || expanded(Dataset::from_tables(pool, targets, spec, seed)?))
            .map(|dataset| Self(Arc::new(dataset)))
    }

    /// From files.
    #[staticmethod]
    #[pyo3(signature = (path, targets, reading, options, outcome, model, seed))]
    #[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        targets: Option<PathBuf>,
        reading: &str,
        options: &str,
        outcome: Option<String>,
        model: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let spec = pool_spec(
            parsed("reading", reading)?,
            parsed("columns", options)?,
            outcome,
            parsed("model", model)?,
        )?;
        task::run(py, move || {
            let targets = targets.map(Source::File);
            expanded(Dataset::read(&Source::File(path), targets.as_ref(), spec, seed)?)
        })
        .map(|dataset| Self(Arc::new(dataset)))
    }

    /// The same candidates, to choose among the rows of an array.
    fn with_choices(
        &self,
        py: Python<'_>,
        choices: PyReadonlyArray2<'_, f64>,
        choice_ids: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let (dataset, z) = (Arc::clone(&self.0), matrix(&choices));
        task::run(py, move || expanded(dataset.with_choices(z, choice_ids)?))
            .map(|dataset| Self(Arc::new(dataset)))
    }

    /// The same candidates, to choose among the rows of a data frame with the same columns.
    fn with_choice_columns(&self, py: Python<'_>, columns: PyColumns<'_>) -> PyResult<Self> {
        let (dataset, targets) = (Arc::clone(&self.0), table("the targets", columns)?);
        task::run(py, move || expanded(dataset.with_target_table(targets)?))
            .map(|dataset| Self(Arc::new(dataset)))
    }

    fn __len__(&self) -> usize {
        self.0.names().len()
    }

    #[getter]
    fn choice_count(&self) -> usize {
        self.0.choices().len()
    }

    #[getter]
    fn has_own_choices(&self) -> bool {
        self.0.about().choice_names.is_some()
    }

    /// The column of ids of the table it comes from.
    #[getter]
    fn id_column(&self) -> Option<&str> {
        self.0.id_column()
    }

    #[getter]
    fn is_numbered(&self) -> bool {
        self.0.names().is_numbered()
    }

    fn ids(&self) -> Vec<String> {
        self.0.names().list()
    }

    fn choice_ids(&self) -> Vec<String> {
        self.0.choices().list()
    }

    /// The rows of these candidates.
    fn rows(&self, ids: Vec<String>) -> PyResult<Vec<usize>> {
        rows(self.0.names(), &ids, "candidate")
    }

    /// The rows of these choices.
    fn choice_rows(&self, ids: Vec<String>) -> PyResult<Vec<usize>> {
        rows(self.0.choices(), &ids, "target")
    }

    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.0.feature_names()
    }

    /// The names of the columns of `coordinates`.
    #[getter]
    fn coordinate_names(&self) -> Option<Vec<String>> {
        self.0.about().coordinate_names.clone()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(|warning| warning.render(&hints::words)).collect()
    }

    /// The model in words; none for features as they are.
    #[getter]
    fn words(&self) -> Option<String> {
        (*self.0.model() != Model::Linear).then(|| self.0.model().to_string())
    }

    /// The kernel with all its parameters, as JSON.
    #[getter]
    fn kernel(&self) -> PyResult<Option<String>> {
        Ok(self.0.model().kernel().map(to_json).transpose()?)
    }

    /// The features, n × r; those of a kernel for this question.
    fn features<'py>(
        &self,
        py: Python<'py>,
        gamma: f64,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let dataset = Arc::clone(&self.0);
        let pool = task::run(py, move || Ok(dataset.build(gamma, tolerance)?))?;
        to_array(py, pool.features())
    }

    /// The coordinates, n × d; none for a kernel matrix.
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.0.coordinates().map(|(x, _)| to_array(py, x)).transpose()
    }

    /// Numbers and settings, to be made again by `restored`.
    #[expect(clippy::type_complexity, reason = "two arrays and a text, for pickle")]
    fn state<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>, String)> {
        let (x, z) = self.0.numbers();
        let z = z.map(|z| to_array(py, z)).transpose()?;
        Ok((to_array(py, x)?, z, to_json(self.0.about())?))
    }

    #[staticmethod]
    fn restored(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        z: Option<PyReadonlyArray2<'_, f64>>,
        about: &str,
    ) -> PyResult<Self> {
        let (x, z) = (matrix(&x), z.as_ref().map(matrix));
        let about: About = parsed("pool", about)?;
        task::run(py, move || expanded(Dataset::restored(about, x, z)?))
            .map(|dataset| Self(Arc::new(dataset)))
    }
}

/// The rows of these names. One of them is looked for without an index of all.
fn rows(names: &Names, ids: &[String], what: &'static str) -> PyResult<Vec<usize>> {
    let found = match ids {
        [id] => names.find(id).map(|row| vec![row]).ok_or_else(|| names.unknown(id, what)),
        ids => names.rows(ids, what),
    };
    Ok(found.map_err(crate::failure::Failure::from)?)
}
