//! `Pool`: what can be measured, from arrays, data frames, files or a kernel matrix.

use std::sync::Arc;

use elfving::pool::PoolError;
use elfving_table::{PoolOptions, ReadOptions, read};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use serde_json::Value;

use crate::arrays::{matrix, to_array};
use crate::candidates::{About, Model, PoolData, Source};
use crate::failure::Failure;
use crate::frames::{PyColumns, table};
use crate::ids::Ids;
use crate::json::{parsed, to_json};
use crate::task;

/// The pool of the package: see `elfving.Pool`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Pool(pub(crate) Arc<PoolData>);

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
        let model: Model = parsed("model", model)?;
        task::run(py, move || {
            if let Some(names) = feature_names.as_ref().filter(|names| names.len() != x.columns()) {
                let message = format!("{} names for {} features", names.len(), x.columns());
                return Err(Failure::data(message));
            }
            let about = About {
                ids: Ids::new(ids, x.rows(), "rows")?,
                choice_ids: z.as_ref().map(|z| Ids::new(choice_ids, z.rows(), "choices")).transpose()?,
                feature_names,
                model,
                encoding: None,
                options: None,
                seed,
            };
            PoolData::new(x, z, about, Vec::new())
        })
        .map(|data| Self(Arc::new(data)))
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
            let atoms = gram.rows();
            let measurable = measurable.unwrap_or(atoms);
            let others = atoms.checked_sub(measurable);
            let others = others.ok_or(PoolError::MeasurableCount { measurable, atoms })?;
            let about = About {
                ids: Ids::new(ids, measurable, "rows")?,
                choice_ids: (others > 0).then(|| Ids::new(choice_ids, others, "choices")).transpose()?,
                feature_names: None,
                model: Model { residual, ..Model::default() },
                encoding: None,
                options: None,
                seed: 0,
            };
            let data = PoolData::of_gram(gram, about)?;
            // A matrix that is none is refused where it is given.
            data.build(0.0, 1e-6)?;
            Ok(data)
        })
        .map(|data| Self(Arc::new(data)))
    }

    /// From the columns of a data frame.
    #[staticmethod]
    #[pyo3(signature = (columns, targets, options, model, seed))]
    fn from_columns(
        py: Python<'_>,
        columns: PyColumns<'_>,
        targets: Option<PyColumns<'_>>,
        options: &str,
        model: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let pool = table("the data frame", columns)?;
        let targets = targets.map(|columns| table("the targets", columns)).transpose()?;
        let (options, model) = (parsed("columns", options)?, parsed("model", model)?);
        task::run(py, move || PoolData::of_table(pool, targets, options, model, seed))
            .map(|data| Self(Arc::new(data)))
    }

    /// From files.
    #[staticmethod]
    #[pyo3(signature = (path, targets, reading, options, model, seed))]
    fn from_file(
        py: Python<'_>,
        path: String,
        targets: Option<String>,
        reading: &str,
        options: &str,
        model: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let mut reading: ReadOptions = parsed("reading", reading)?;
        let (options, model): (PoolOptions, Model) = (parsed("columns", options)?, parsed("model", model)?);
        task::run(py, move || {
            reading.text.extend(options.id.clone());
            let table = read(&path, &reading)?;
            let targets = targets.map(|path| read(path, &reading)).transpose()?;
            PoolData::of_table(table, targets, options, model, seed)
        })
        .map(|data| Self(Arc::new(data)))
    }

    /// The same candidates, to choose among the rows of an array.
    fn with_choices(
        &self,
        py: Python<'_>,
        choices: PyReadonlyArray2<'_, f64>,
        choice_ids: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let (data, z) = (Arc::clone(&self.0), matrix(&choices));
        task::run(py, move || {
            let Some((x, _)) = data.coordinates() else {
                return Err(Failure::option(
                    "a kernel matrix has no coordinates: its last rows are the choices",
                ));
            };
            let mut about = data.about.clone();
            about.choice_ids = Some(Ids::new(choice_ids, z.rows(), "targets")?);
            PoolData::new(x.clone(), Some(z), about, Vec::new())
        })
        .map(|data| Self(Arc::new(data)))
    }

    /// The same candidates, to choose among the rows of a data frame with the same columns.
    fn with_choice_columns(&self, py: Python<'_>, columns: PyColumns<'_>) -> PyResult<Self> {
        let (data, targets) = (Arc::clone(&self.0), table("the targets", columns)?);
        task::run(py, move || {
            let (Some((x, _)), Some(encoding)) = (data.coordinates(), &data.about.encoding) else {
                return Err(Failure::option(
                    "targets in a data frame need a pool from a data frame or a file",
                ));
            };
            let id = data.about.options.as_ref().and_then(|options| options.id.as_deref());
            let names = match id.filter(|id| targets.column(id).is_ok()) {
                Some(id) => Some(targets.texts(id)?),
                None => None,
            };
            let z = encoding.features(&targets)?;
            let mut about = data.about.clone();
            about.choice_ids = Some(Ids::new(names, targets.rows(), "targets")?);
            PoolData::new(x.clone(), Some(z), about, Vec::new())
        })
        .map(|data| Self(Arc::new(data)))
    }

    fn __len__(&self) -> usize {
        self.0.about.ids.len()
    }

    #[getter]
    fn choice_count(&self) -> usize {
        self.0.choices().len()
    }

    #[getter]
    fn has_own_choices(&self) -> bool {
        self.0.about.choice_ids.is_some()
    }

    /// The column of ids of the table it comes from.
    #[getter]
    fn id_column(&self) -> Option<String> {
        self.0.about.options.as_ref().and_then(|options| options.id.clone())
    }

    #[getter]
    fn is_numbered(&self) -> bool {
        matches!(self.0.about.ids, Ids::Numbered(_))
    }

    fn ids(&self) -> Vec<String> {
        self.0.about.ids.list()
    }

    fn choice_ids(&self) -> Vec<String> {
        self.0.choices().list()
    }

    /// The rows of these candidates.
    fn rows(&self, ids: Vec<String>) -> PyResult<Vec<usize>> {
        Ok(self.0.about.ids.rows(&ids)?)
    }

    /// The rows of these choices.
    fn choice_rows(&self, ids: Vec<String>) -> PyResult<Vec<usize>> {
        Ok(self.0.choices().rows(&ids)?)
    }

    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.0.feature_names().map(<[String]>::to_vec)
    }

    /// The names of the columns of `coordinates`.
    #[getter]
    fn coordinate_names(&self) -> Option<Vec<String>> {
        self.0.about.feature_names.clone()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    #[getter]
    fn words(&self) -> String {
        self.0.words()
    }

    /// The kernel with all its parameters, as JSON.
    #[getter]
    fn kernel(&self) -> Option<String> {
        self.0.about.model.kernel.as_ref().map(Value::to_string)
    }

    /// The features, n × r; those of a kernel for this question.
    fn features<'py>(
        &self,
        py: Python<'py>,
        gamma: f64,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let data = Arc::clone(&self.0);
        let pool = task::run(py, move || data.build(gamma, tolerance))?;
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
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>, bool, String)> {
        let about = to_json(&self.0.about)?;
        Ok(match (&self.0.source, self.0.coordinates()) {
            (Source::Gram { gram }, _) => (to_array(py, gram)?, None, true, about),
            (_, Some((x, z))) => (to_array(py, x)?, z.map(|z| to_array(py, z)).transpose()?, false, about),
            (_, None) => return Err(Failure::internal("a pool without numbers").into()),
        })
    }

    #[staticmethod]
    fn restored(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        z: Option<PyReadonlyArray2<'_, f64>>,
        is_gram: bool,
        about: &str,
    ) -> PyResult<Self> {
        let (x, z) = (matrix(&x), z.as_ref().map(matrix));
        let about: About = parsed("pool", about)?;
        let made = task::run(py, move || match is_gram {
            true => PoolData::of_gram(x, about),
            false => PoolData::new(x, z, about, Vec::new()),
        });
        made.map(|data| Self(Arc::new(data)))
    }
}
