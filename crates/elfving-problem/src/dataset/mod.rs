//! A table as a problem sees it: names, numbers and a model; the pool is built from it once. How one is made is in `making`.

mod formula;
mod making;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use elfving::numerics::{Matrix, right_singular};
use elfving::pool::feature_maps::{FeatureMap, PolynomialExpansion};
use elfving::pool::formula::BoundFormula;
use elfving::pool::{Factorisation, Points, Pool};
use elfving::surrogate::{Columns, Space};
use elfving_table::{Condition, Encoding, Table, TableError, Warning};
use serde::{Deserialize, Serialize};

use crate::{Model, Names, PoolSpec, ProblemError};

/// What can be measured and what is chosen among, read and checked once. [`build`](Self::build) makes the pool; a kernel is factorised once
/// per residual.
#[derive(Debug)]
pub struct Dataset {
    about: About,
    numbers: Numbers,
    /// The user's own table of candidates.
    table: Option<Table>,
    target_table: Option<Table>,
    /// The row of each candidate in the table, where some were left out.
    rows: Option<Vec<usize>>,
    /// How many candidates there were before others were added.
    begun_with: Option<usize>,
    warnings: Vec<Warning>,
    notes: Vec<Note>,
    /// The last factorisation of a kernel, by its residual.
    built: Mutex<Option<(f64, Arc<Pool>)>>,
    factorisations: AtomicUsize,
    /// The row of each candidate by name, made when it is asked for.
    index: OnceLock<HashMap<String, usize>>,
}

/// Names and settings: everything of a dataset but its numbers and tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The names of the candidates.
    pub names: Names,
    /// The names of the choices, where these are others.
    #[serde(default)]
    pub choice_names: Option<Names>,
    /// The names of the coordinates.
    #[serde(default)]
    pub coordinate_names: Option<Vec<String>>,
    /// How the table was read; the model with its length scales filled in.
    pub spec: PoolSpec,
    /// How the columns of a table became coordinates.
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// The category levels of candidates and choices, one list per category.
    #[serde(default)]
    pub codes: (Vec<Vec<u32>>, Option<Vec<Vec<u32>>>),
    /// The files, as messages call them.
    #[serde(default)]
    pub files: Files,
}

/// The files of a problem, without their folders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Files {
    /// The table of candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// The table of targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<String>,
    /// The kernel matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gram: Option<String>,
}

/// The numbers of a dataset.
#[derive(Debug, Clone)]
enum Numbers {
    /// Coordinates of candidates and, where they are others, of choices. Features that are taken as they are need no other copy.
    Coordinates { x: Points, z: Option<Points> },
    /// A kernel matrix over candidates and choices, and the coordinates that came beside it.
    Matrix { gram: Matrix, beside: Option<Points> },
}

/// Something that was chosen for the user.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// The length scale is the median distance between candidates.
    MedianLengthscale(f64),
}

impl Dataset {
    /// The pool in its features. `gamma` and `tolerance` say how much of a kernel must be kept. Cost: that of the features; a kernel is
    /// factorised, once per residual.
    ///
    /// # Errors
    /// [`ProblemError::Pool`].
    pub fn build(&self, gamma: f64, tolerance: f64) -> Result<Arc<Pool>, ProblemError> {
        let residual = self.about.spec.model.residual(gamma, tolerance).unwrap_or(0.0);
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, pool)) = &*built
            && *known == residual
        {
            return Ok(Arc::clone(pool));
        }
        let settings = Factorisation::default().residual(residual);
        let pool = match (&self.numbers, &self.about.spec.model) {
            (Numbers::Matrix { gram, .. }, _) => {
                self.factorisations.fetch_add(1, Ordering::Relaxed);
                Pool::from_gram(gram.clone(), self.about.names.len(), &settings)?
            }
            (Numbers::Coordinates { x, z }, Model::Kernel { of, .. }) => {
                self.factorisations.fetch_add(1, Ordering::Relaxed);
                Pool::from_kernel(of.build()?, x.clone(), z.clone(), &settings)?
            }
            (Numbers::Coordinates { x, z }, Model::Polynomial { degree, interactions_only }) => {
                let model = expansion(*degree, *interactions_only);
                explicit(model.map(x)?, z.as_ref().map(|z| model.map(z)).transpose()?)?
            }
            (Numbers::Coordinates { .. }, Model::Formula { .. }) => {
                let (x, z) = formula::features(&self.about, &self.numbers)?;
                explicit(x, z)?
            }
            (Numbers::Coordinates { x, z }, _) => {
                explicit(x.matrix().clone(), z.as_ref().map(|z| z.matrix().clone()))?
            }
        };
        let pool = Arc::new(pool);
        *built = Some((residual, Arc::clone(&pool)));
        Ok(pool)
    }

    /// How many candidates there were before others were added: scales and what is fixed in advance are theirs.
    pub fn begun_with(&self) -> usize {
        self.begun_with.unwrap_or(self.about.names.len())
    }

    /// The candidates that meet a condition.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] without a table, and what is wrong with the condition.
    pub fn ids_where(&self, condition: &Condition) -> Result<Vec<String>, ProblemError> {
        let Some(table) = &self.table else { return Err(ProblemError::NoTable { what: "a condition" }) };
        let rows: HashSet<usize> = condition.rows(table).map_err(TableError::from)?.into_iter().collect();
        let meets = |candidate: &usize| rows.contains(&self.table_row(*candidate));
        let found = (0..self.about.names.len()).filter(meets);
        Ok(found.map(|candidate| self.about.names.name(candidate).into_owned()).collect())
    }

    /// The candidates under a linear model, whatever the model is: for those who count them only.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] for a kernel matrix.
    pub fn linear(&self) -> Result<Pool, ProblemError> {
        match &self.numbers {
            Numbers::Coordinates { x, z } => {
                explicit(x.matrix().clone(), z.as_ref().map(|z| z.matrix().clone()))
            }
            Numbers::Matrix { .. } => Err(ProblemError::NoTable { what: "a linear model" }),
        }
    }

    /// Whether a linear model leaves every candidate a mean of its own, as one column of categories does: it then assumes nothing.
    pub fn is_saturated(&self) -> bool {
        let Numbers::Coordinates { x, z: None } = &self.numbers else { return false };
        let mut rows: Vec<usize> = (0..x.len()).collect();
        let row = |i: &usize| x.matrix().row(*i);
        rows.sort_by(|a, b| row(a).partial_cmp(row(b)).unwrap_or(std::cmp::Ordering::Equal));
        rows.dedup_by(|a, b| row(a) == row(b));
        if rows.len() > x.dimension() {
            return false;
        }
        let Some(singular) = right_singular(&x.matrix().select_rows(&rows)) else { return false };
        let largest = singular.values.first().copied().unwrap_or(0.0);
        let rank = singular.values.iter().filter(|&&value| value > SATURATED * largest).count();
        rank == rows.len()
    }

    /// How often a kernel was factorised.
    pub fn factorisations(&self) -> usize {
        self.factorisations.load(Ordering::Relaxed)
    }

    /// The model with nothing left to be chosen: what a document or a campaign keeps.
    pub fn recorded_model(&self, gamma: f64, tolerance: f64) -> Model {
        let model = self.about.spec.model.clone();
        let residual = model.residual(gamma, tolerance);
        model.with_residual(residual)
    }

    /// The candidates by their columns, for the Gaussian process of the calibrated mode; none with a kernel matrix.
    ///
    /// # Errors
    /// [`ProblemError::Surrogate`].
    pub fn space(&self) -> Result<Option<Space>, ProblemError> {
        let Numbers::Coordinates { x, z } = &self.numbers else { return Ok(None) };
        let columns = |points: &Points, codes: &[Vec<u32>]| match &self.about.encoding {
            Some(encoding) => encoding.surrogate_columns(points.matrix(), codes),
            None => Columns::numeric(points.matrix().clone()),
        };
        let (codes, choice_codes) = &self.about.codes;
        let choices = z.as_ref().map(|z| columns(z, choice_codes.as_deref().unwrap_or_default()));
        Ok(Some(Space::on_the_scale_of(self.begun_with(), &columns(x, codes), choices.as_ref())?))
    }

    /// Names and settings.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The numbers as they were given, of candidates and choices: coordinates, or a kernel matrix.
    pub fn numbers(&self) -> (&Matrix, Option<&Matrix>) {
        match &self.numbers {
            Numbers::Coordinates { x, z } => (x.matrix(), z.as_ref().map(Points::matrix)),
            Numbers::Matrix { gram, .. } => (gram, None),
        }
    }

    /// The coordinates of candidates and choices; none for a kernel matrix alone.
    pub fn coordinates(&self) -> Option<(&Matrix, Option<&Matrix>)> {
        match &self.numbers {
            Numbers::Coordinates { .. } => Some(self.numbers()),
            Numbers::Matrix { beside, .. } => beside.as_ref().map(|points| (points.matrix(), None)),
        }
    }

    /// What can be measured, by name.
    pub fn names(&self) -> &Names {
        &self.about.names
    }

    /// What is chosen among, by name.
    pub fn choices(&self) -> &Names {
        self.about.choice_names.as_ref().unwrap_or(&self.about.names)
    }

    /// The model, with its length scales filled in.
    pub fn model(&self) -> &Model {
        &self.about.spec.model
    }

    /// How the table was read.
    pub fn spec(&self) -> &PoolSpec {
        &self.about.spec
    }

    /// The column of ids, if there is one.
    pub fn id_column(&self) -> Option<&str> {
        self.about.spec.columns.id.as_deref()
    }

    /// The user's own table, if there is one.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The user's own table of targets, if there is one.
    pub fn target_table(&self) -> Option<&Table> {
        self.target_table.as_ref()
    }

    /// The row of a candidate in the user's table.
    pub fn table_row(&self, candidate: usize) -> usize {
        self.rows.as_ref().map_or(candidate, |rows| rows[candidate])
    }

    /// The columns of the user's table that are features.
    pub fn feature_columns(&self) -> Vec<&str> {
        let encoding = self.about.encoding.as_ref();
        encoding.map_or_else(Vec::new, |encoding| {
            encoding.columns().iter().map(|column| column.column.as_str()).collect()
        })
    }

    /// The names of the features of the pool (of the coordinates, under a kernel), where there are any.
    pub fn feature_names(&self) -> Option<Vec<String>> {
        match (&self.about.spec.model, &self.numbers) {
            (Model::Matrix { .. }, _) => None,
            (Model::Polynomial { degree, interactions_only }, Numbers::Coordinates { x, .. }) => {
                let names =
                    self.about.coordinate_names.clone().unwrap_or_else(|| numbered_names(x.dimension()));
                expansion(*degree, *interactions_only).names(&names).ok()
            }
            (Model::Formula { .. }, numbers) => {
                formula::bound(&self.about, numbers).ok()?.map(|bound| bound.names().to_vec())
            }
            _ => self.about.coordinate_names.clone(),
        }
    }

    /// The formula on the columns, where the model is one.
    pub fn formula(&self) -> Option<BoundFormula> {
        formula::bound(&self.about, &self.numbers).ok().flatten()
    }

    /// What a user should know about the table.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What was chosen for the user.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The candidate of that name. The first call makes an index of all names.
    ///
    /// # Errors
    /// [`ProblemError::UnknownName`], with the nearest one.
    pub fn find(&self, id: &str) -> Result<usize, ProblemError> {
        let index = self.index.get_or_init(|| match &self.about.names {
            Names::Numbered(_) => HashMap::new(),
            Names::Named(names) => names.iter().enumerate().map(|(row, id)| (id.to_owned(), row)).collect(),
        });
        let found =
            if self.about.names.is_numbered() { self.about.names.find(id) } else { index.get(id).copied() };
        found.ok_or_else(|| self.about.names.unknown(id, "candidate"))
    }
}

/// Singular values below this part of the largest count as none.
const SATURATED: f64 = 1e-9;

fn expansion(degree: usize, interactions_only: bool) -> PolynomialExpansion {
    PolynomialExpansion::default().degree(degree).interactions_only(interactions_only)
}

fn explicit(x: Matrix, z: Option<Matrix>) -> Result<Pool, ProblemError> {
    Ok(match z {
        Some(z) => Pool::from_features_with_choices(x, z)?,
        None => Pool::from_features(x)?,
    })
}

fn numbered_names(count: usize) -> Vec<String> {
    (0..count).map(|column| format!("x{column}")).collect()
}
