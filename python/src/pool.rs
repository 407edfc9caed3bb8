//! `Pool`: what can be measured, from arrays, data frames, files or a kernel matrix.

use std::sync::{Arc, Mutex};

use elfving::linalg::Matrix;
use elfving::pool::feature_maps::{FeatureMap, PolynomialExpansion};
use elfving::pool::{self as core, Factorisation, KernelSpec, Points, default_lengthscale};
use elfving::surrogate::{Columns, Space};
use elfving_table::{ColumnData, Encoding, PoolOptions, PoolTable, ReadOptions, Table, read};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arrays::{matrix, to_array, vector};
use crate::failure::{Answer, Failure};
use crate::ids::Ids;
use crate::task;

/// The pool of the package: see `elfving.Pool`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Pool(pub(crate) Arc<PoolData>);

/// A pool and what its user calls its parts.
#[derive(Debug)]
pub(crate) struct PoolData {
    source: Source,
    pub(crate) about: About,
    /// The last factorisation of a kernel, by its residual.
    factorised: Mutex<Option<(f64, Arc<core::Pool>)>>,
    /// The names of the features that coordinates were expanded to.
    expanded_names: Option<Vec<String>>,
    warnings: Vec<String>,
}

/// Where the features come from.
#[derive(Debug)]
enum Source {
    /// Features as they are, or expanded from coordinates.
    Explicit { pool: Arc<core::Pool>, coordinates: Option<(Points, Option<Points>)> },
    /// A kernel on coordinates; how far it is factorised depends on the question.
    Kernel { x: Points, z: Option<Points>, spec: KernelSpec },
    /// A kernel matrix.
    Gram { gram: Matrix },
}

/// Names and settings: everything of a pool but its numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) ids: Ids,
    /// The names of the choices, where these are others.
    pub(crate) choice_ids: Option<Ids>,
    /// The names of the coordinates.
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) model: Model,
    /// How the columns of a table became features.
    pub(crate) encoding: Option<Encoding>,
    /// The options with which they did.
    pub(crate) options: Option<PoolOptions>,
    /// Of random choices: pairs of points for the median distance.
    pub(crate) seed: u64,
}

/// What is made of the coordinates.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Model {
    /// A kernel; a lengthscale of null is the median distance, until the pool is made.
    pub(crate) kernel: Option<Value>,
    /// How much of a kernel the features may leave out; chosen from the question if not given.
    pub(crate) residual: Option<f64>,
    /// All products up to this degree.
    pub(crate) polynomial: Option<usize>,
    pub(crate) interactions_only: bool,
}

impl PoolData {
    /// Checks coordinates and model, and expands what can be expanded now.
    fn new(x: Matrix, z: Option<Matrix>, mut about: About, warnings: Vec<String>) -> Answer<Self> {
        let mut expanded_names = None;
        let source = match (about.model.kernel.take(), about.model.polynomial) {
            (Some(_), Some(_)) => {
                return Err(Failure::option("a polynomial model and a kernel exclude each other: give one"));
            }
            (None, Some(degree)) => {
                let expansion = PolynomialExpansion::default()
                    .degree(degree)
                    .interactions_only(about.model.interactions_only);
                let (x, z) = (Points::new(x)?, z.map(Points::new).transpose()?);
                let features = expansion.map(&x)?;
                let choices = z.as_ref().map(|z| expansion.map(z)).transpose()?;
                let names = about.feature_names.clone().unwrap_or_else(|| numbered_names(x.dimension()));
                expanded_names = Some(expansion.names(&names)?);
                Source::Explicit { pool: Arc::new(explicit(features, choices)?), coordinates: Some((x, z)) }
            }
            (None, None) => Source::Explicit { pool: Arc::new(explicit(x, z)?), coordinates: None },
            (Some(kernel), None) => {
                let (x, z) = (Points::new(x)?, z.map(Points::new).transpose()?);
                let spec = resolve(kernel, &x, about.seed)?;
                spec.build()?.check(x.dimension())?;
                about.model.kernel = serde_json::to_value(&spec).ok();
                if spec == KernelSpec::Linear {
                    let pool = explicit(x.matrix().clone(), z.map(|z| z.matrix().clone()))?;
                    about.model.kernel = None;
                    Source::Explicit { pool: Arc::new(pool), coordinates: None }
                } else {
                    Source::Kernel { x, z, spec }
                }
            }
        };
        Ok(Self { source, about, factorised: Mutex::new(None), expanded_names, warnings })
    }

    fn of_gram(gram: Matrix, about: About) -> Answer<Self> {
        let (source, factorised) = (Source::Gram { gram }, Mutex::new(None));
        Ok(Self { source, about, factorised, expanded_names: None, warnings: Vec::new() })
    }

    fn of_table(
        table: Table,
        targets: Option<Table>,
        options: PoolOptions,
        model: Model,
        seed: u64,
    ) -> Answer<Self> {
        let PoolTable { ids, feature_names, features, encoding, warnings, .. } =
            PoolTable::from_table(table, &options)?;
        let id = options.id.as_deref();
        let targets = targets
            .map(|targets| -> Answer<_> {
                // Targets may do without the column of ids.
                let names = match id.filter(|id| targets.column(id).is_ok()) {
                    Some(id) => Some(targets.texts(id)?),
                    None => None,
                };
                Ok((Ids::new(names, targets.rows(), "targets")?, encoding.features(&targets)?))
            })
            .transpose()?;
        let (choice_ids, z) = targets.unzip();
        let named = id.is_some();
        let about = About {
            ids: if named { Ids::of(ids) } else { Ids::Numbered(ids.len()) },
            choice_ids,
            feature_names: Some(feature_names),
            model,
            encoding: Some(encoding),
            options: Some(options),
            seed,
        };
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Self::new(features, z, about, warnings)
    }

    /// The pool in its features. `gamma` and `tolerance` say how much of a kernel must be kept.
    pub(crate) fn build(&self, gamma: f64, tolerance: f64) -> Answer<Arc<core::Pool>> {
        let from_matrix = matches!(self.source, Source::Gram { .. });
        if let Source::Explicit { pool, .. } = &self.source {
            return Ok(Arc::clone(pool));
        }
        let usual = || Factorisation::for_design(gamma, tolerance, from_matrix).residual;
        let residual = self.about.model.residual.unwrap_or_else(usual);
        let mut factorised =
            self.factorised.lock().map_err(|_| Failure::internal("an earlier factorisation panicked"))?;
        if let Some((known, pool)) = &*factorised
            && *known == residual
        {
            return Ok(Arc::clone(pool));
        }
        let settings = Factorisation::default().residual(residual);
        let pool = Arc::new(match &self.source {
            Source::Explicit { .. } => unreachable!("answered above"),
            Source::Kernel { x, z, spec } => {
                core::Pool::from_kernel(spec.build()?, x.clone(), z.clone(), &settings)?
            }
            Source::Gram { gram } => core::Pool::from_gram(gram.clone(), self.about.ids.len(), &settings)?,
        });
        *factorised = Some((residual, Arc::clone(&pool)));
        Ok(pool)
    }

    /// The residual that a pool was factorised with.
    pub(crate) fn residual(&self, gamma: f64, tolerance: f64) -> Option<f64> {
        match self.source {
            Source::Explicit { .. } => None,
            Source::Kernel { .. } => Some(false),
            Source::Gram { .. } => Some(true),
        }
        .map(|gram| {
            let usual = || Factorisation::for_design(gamma, tolerance, gram).residual;
            self.about.model.residual.unwrap_or_else(usual)
        })
    }

    /// The candidates by their columns, for the Gaussian process of the calibrated mode; none with a kernel matrix.
    pub(crate) fn space(&self) -> Answer<Option<Space>> {
        let Some((x, z)) = self.coordinates() else { return Ok(None) };
        let columns = |features: &Matrix| match &self.about.encoding {
            Some(encoding) => encoding.surrogate_columns(features),
            None => Columns::numeric(features.clone()),
        };
        Ok(Some(Space::new(&columns(x), z.map(columns).as_ref())?))
    }

    /// The numbers as they were given: coordinates, or features that are taken as they are.
    pub(crate) fn coordinates(&self) -> Option<(&Matrix, Option<&Matrix>)> {
        match &self.source {
            Source::Explicit { coordinates: Some((x, z)), .. } | Source::Kernel { x, z, .. } => {
                Some((x.matrix(), z.as_ref().map(Points::matrix)))
            }
            Source::Explicit { pool, coordinates: None } => {
                Some((pool.features(), (!pool.chooses_among_itself()).then(|| pool.choices())))
            }
            Source::Gram { .. } => None,
        }
    }

    /// The names of the features (of the coordinates, under a kernel), where there are any.
    pub(crate) fn feature_names(&self) -> Option<&[String]> {
        self.expanded_names.as_deref().or(self.about.feature_names.as_deref())
    }

    /// The names of what is chosen among.
    pub(crate) fn choices(&self) -> &Ids {
        self.about.choice_ids.as_ref().unwrap_or(&self.about.ids)
    }

    /// `RBF, lengthscale 0.025`, or how the features came about.
    fn words(&self) -> String {
        match (&self.source, self.about.model.polynomial) {
            (Source::Kernel { spec, .. }, _) => format!("kernel {spec}"),
            (Source::Gram { .. }, _) => "kernel matrix".to_owned(),
            (Source::Explicit { .. }, Some(degree)) => format!("polynomial model of degree {degree}"),
            (Source::Explicit { .. }, None) => "linear".to_owned(),
        }
    }
}

fn explicit(x: Matrix, z: Option<Matrix>) -> Answer<core::Pool> {
    Ok(match z {
        Some(z) => core::Pool::from_features_with_choices(x, z)?,
        None => core::Pool::from_features(x)?,
    })
}

fn numbered_names(count: usize) -> Vec<String> {
    (0..count).map(|column| format!("x{column}")).collect()
}

/// The kernel with the median distance in place of every lengthscale that was not given.
pub(crate) fn resolve(mut kernel: Value, points: &Points, seed: u64) -> Answer<KernelSpec> {
    fn fill(kernel: &mut Value, points: &Points, seed: u64) -> Answer<()> {
        match kernel {
            Value::Object(fields) => {
                let periodic = fields.get("kernel") == Some(&json!("periodic"));
                if let Some(lengthscale) = fields.get_mut("lengthscale").filter(|l| l.is_null()) {
                    // The lengthscale of a periodic kernel is relative to its period.
                    *lengthscale = json!(if periodic { 1.0 } else { default_lengthscale(points, seed)? });
                }
                fields.values_mut().try_for_each(|field| fill(field, points, seed))
            }
            Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, points, seed)),
            _ => Ok(()),
        }
    }
    fill(&mut kernel, points, seed)?;
    serde_json::from_value(kernel).map_err(|error| Failure::option(format!("this is no kernel: {error}")))
}

/// A column of a data frame: numbers, or texts.
#[derive(FromPyObject)]
pub(crate) enum PyColumn<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// The columns of a data frame by name.
pub(crate) type PyColumns<'py> = Vec<(String, PyColumn<'py>)>;

/// A data frame as a table.
pub(crate) fn table(file: &str, columns: PyColumns<'_>) -> Answer<Table> {
    let columns = columns.into_iter().map(|(name, column)| {
        let data = match column {
            PyColumn::Numbers(numbers) => ColumnData::Numbers(vector(&numbers)),
            PyColumn::Texts(texts) => ColumnData::Texts(texts.into_iter().collect()),
        };
        (name, data)
    });
    Ok(Table::from_columns(file, columns)?)
}

/// Settings that the Python layer writes as JSON.
pub(crate) fn parsed<T: for<'a> Deserialize<'a>>(what: &str, json: &str) -> Answer<T> {
    serde_json::from_str(json).map_err(|error| Failure::option(format!("{what}: {error}")))
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
            let others = others.ok_or(elfving::pool::PoolError::MeasurableCount { measurable, atoms })?;
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
        let about =
            serde_json::to_string(&self.0.about).map_err(|error| Failure::internal(&error.to_string()))?;
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
