//! A pool with the names its user knows, before and after a kernel is factorised.

use std::sync::{Arc, Mutex};

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::{FeatureMap, PolynomialExpansion};
use elfving::pool::{self as core, Factorisation, KernelSpec, Points, default_lengthscale};
use elfving::surrogate::{Columns, Space};
use elfving_table::{Encoding, PoolOptions, PoolTable, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure};
use crate::hints;
use crate::ids::Ids;

/// A pool and what its user calls its parts.
#[derive(Debug)]
pub(crate) struct PoolData {
    pub(crate) source: Source,
    pub(crate) about: About,
    /// The last factorisation of a kernel, by its residual.
    factorised: Mutex<Option<(f64, Arc<core::Pool>)>>,
    /// The names of the features that coordinates were expanded to.
    expanded_names: Option<Vec<String>>,
    pub(crate) warnings: Vec<String>,
}

/// Where the features come from.
#[derive(Debug)]
pub(crate) enum Source {
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
    pub(crate) fn new(x: Matrix, z: Option<Matrix>, mut about: About, warnings: Vec<String>) -> Answer<Self> {
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

    pub(crate) fn of_gram(gram: Matrix, about: About) -> Answer<Self> {
        let (source, factorised) = (Source::Gram { gram }, Mutex::new(None));
        Ok(Self { source, about, factorised, expanded_names: None, warnings: Vec::new() })
    }

    pub(crate) fn of_table(
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
            ids: if named {
                Ids::of(ids.iter().map(str::to_owned).collect())
            } else {
                Ids::Numbered(ids.len())
            },
            choice_ids,
            feature_names: Some(feature_names),
            model,
            encoding: Some(encoding),
            options: Some(options),
            seed,
        };
        let warnings = warnings.iter().map(|warning| warning.render(&hints::words)).collect();
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
    pub(crate) fn words(&self) -> String {
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
