//! How the attached files become a pool, the same on every machine.

use std::collections::{HashMap, HashSet};

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::{FeatureMap, PolynomialExpansion};
use elfving::pool::{Factorisation, KernelSpec, Points, Pool};
use elfving_table::{
    Code, Encoding, Hint, PoolOptions, PoolTable, Problem, ReadOptions, Table, TableError, Warning, nearest,
    read_bytes,
};
use serde::{Deserialize, Serialize};

use crate::chain::Digest;
use crate::error::CampaignError;
use crate::store::Attachment;

/// Which files, which columns, which model. Nothing in it is left to be guessed again: a kernel has its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The table of candidates.
    pub pool: Digest,
    /// The table to choose among, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<Digest>,
    /// How the files are read.
    pub reading: ReadOptions,
    /// Which columns are what.
    pub columns: PoolOptions,
    /// What is made of the columns.
    pub model: Model,
}

/// The model of the outcome over the columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "model")]
pub enum Model {
    /// Linear in the columns.
    #[default]
    Linear,
    /// All products of columns up to a degree, with an intercept.
    Polynomial {
        /// The degree.
        degree: usize,
        /// Whether products of different columns only.
        interactions_only: bool,
    },
    /// A kernel with all its parameters.
    Kernel {
        /// The kernel.
        of: KernelSpec,
        /// How much of it the features may leave out, relative to its largest value.
        residual: f64,
    },
}

/// What a recipe makes of the files: names and numbers, forbidden rows left out.
#[derive(Debug)]
pub struct Candidates {
    /// The id of each candidate of the pool.
    pub ids: Vec<String>,
    /// Its row in the table.
    pub rows: Vec<usize>,
    /// n × d: the columns as numbers.
    pub features: Matrix,
    /// The name of each feature.
    pub feature_names: Vec<String>,
    /// How the columns became features.
    pub encoding: Encoding,
    /// The choices, where they are rows of another table.
    pub targets: Option<Targets>,
    /// The user's own table.
    pub table: Table,
    /// Its column of ids, if it has one.
    pub id_column: Option<String>,
    /// What was noticed about it.
    pub warnings: Vec<Warning>,
    row_of: HashMap<String, usize>,
}

/// The rows of the table to choose among.
#[derive(Debug)]
pub struct Targets {
    /// Their ids.
    pub ids: Vec<String>,
    /// m × d, on the scale of the pool.
    pub features: Matrix,
}

impl Recipe {
    /// A recipe for a table of candidates, linear in its columns.
    pub fn new(pool: &Attachment, reading: ReadOptions, columns: PoolOptions) -> Self {
        Self { pool: pool.digest(), targets: None, reading, columns, model: Model::Linear }
    }

    /// Chooses among the rows of another table.
    #[must_use]
    pub fn targets(mut self, targets: &Attachment) -> Self {
        self.targets = Some(targets.digest());
        self
    }

    /// Sets the model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// Reads the files, which `file` finds by their digests. The column `outcome` is no feature.
    ///
    /// # Errors
    /// [`CampaignError::Table`] for a table that is refused, [`CampaignError::UnknownCandidate`] for a forbidden id that is
    /// not in it, [`CampaignError::Setting`] when nothing is left.
    pub fn read(
        &self,
        file: impl Fn(&Digest) -> Result<Attachment, CampaignError>,
        outcome: &str,
        forbidden: &[String],
    ) -> Result<Candidates, CampaignError> {
        let pool = file(&self.pool)?;
        let mut reading = self.reading.clone();
        reading.text.extend(self.columns.id.clone().filter(|id| !reading.text.contains(id)));
        let table = read_bytes(&pool.name, &pool.bytes, &reading)?;
        let mut columns = self.columns.clone();
        if table.column(outcome).is_ok() && !columns.exclude.iter().any(|name| name == outcome) {
            columns.exclude.push(outcome.to_owned());
        }
        let PoolTable { ids, feature_names, features, encoding, warnings, table } =
            PoolTable::from_table(table, &columns)?;
        let ids: Vec<String> = ids.iter().map(str::to_owned).collect();
        let left_out = known(forbidden, &ids)?;
        let kept = |ids: &[String]| -> Vec<usize> {
            (0..ids.len()).filter(|&row| !left_out.contains(ids[row].as_str())).collect()
        };
        let rows = kept(&ids);
        if rows.is_empty() {
            return Err(CampaignError::Setting { message: "every candidate is forbidden".to_owned() });
        }
        let targets = match &self.targets {
            None => None,
            Some(digest) => {
                let (ids, features) = read_targets(&file(digest)?, &self.reading, &columns, &encoding)?;
                let rows = kept(&ids);
                if rows.is_empty() {
                    return Err(CampaignError::Setting { message: "every target is forbidden".to_owned() });
                }
                let ids = rows.iter().map(|&row| ids[row].clone()).collect();
                Some(Targets { ids, features: features.select_rows(&rows) })
            }
        };
        let ids: Vec<String> = rows.iter().map(|&row| ids[row].clone()).collect();
        let row_of = ids.iter().enumerate().map(|(row, id)| (id.clone(), row)).collect();
        let features = features.select_rows(&rows);
        let id_column = columns.id;
        Ok(Candidates {
            ids,
            rows,
            features,
            feature_names,
            encoding,
            targets,
            table,
            id_column,
            warnings,
            row_of,
        })
    }
}

impl Candidates {
    /// The pool under a model. Cost: that of its features; a kernel is factorised.
    ///
    /// # Errors
    /// [`CampaignError::Pool`].
    pub fn pool(&self, model: &Model) -> Result<Pool, CampaignError> {
        let x = self.features.clone();
        let z = self.targets.as_ref().map(|targets| targets.features.clone());
        let explicit = |x, z| match z {
            Some(z) => Pool::from_features_with_choices(x, z),
            None => Pool::from_features(x),
        };
        Ok(match model {
            Model::Linear => explicit(x, z)?,
            Model::Polynomial { degree, interactions_only } => {
                let map =
                    PolynomialExpansion::default().degree(*degree).interactions_only(*interactions_only);
                let z = z.map(|z| map.map(&Points::new(z)?)).transpose()?;
                explicit(map.map(&Points::new(x)?)?, z)?
            }
            Model::Kernel { of, residual } => {
                let settings = Factorisation::default().residual(*residual);
                Pool::from_kernel(of.build()?, Points::new(x)?, z.map(Points::new).transpose()?, &settings)?
            }
        })
    }

    /// The candidate of that id.
    ///
    /// # Errors
    /// [`CampaignError::UnknownCandidate`], with the nearest id.
    pub fn find(&self, id: &str) -> Result<usize, CampaignError> {
        self.row_of.get(id).copied().ok_or_else(|| unknown(id, &self.ids))
    }

    /// The ids of what is chosen among: the targets, or else the candidates.
    pub fn choice_ids(&self) -> &[String] {
        self.targets.as_ref().map_or(&self.ids, |targets| &targets.ids)
    }
}

/// The ids as a set, all of them in the pool.
fn known<'a>(wanted: &'a [String], ids: &[String]) -> Result<HashSet<&'a str>, CampaignError> {
    let there: HashSet<&str> = ids.iter().map(String::as_str).collect();
    match wanted.iter().find(|id| !there.contains(id.as_str())) {
        Some(id) => Err(unknown(id, ids)),
        None => Ok(wanted.iter().map(String::as_str).collect()),
    }
}

fn unknown(id: &str, ids: &[String]) -> CampaignError {
    let nearest = nearest(id, ids.iter().map(String::as_str)).map(str::to_owned);
    CampaignError::UnknownCandidate { id: id.to_owned(), nearest }
}

/// Targets are encoded like the pool; they may do without the column of ids.
fn read_targets(
    file: &Attachment,
    reading: &ReadOptions,
    columns: &PoolOptions,
    encoding: &Encoding,
) -> Result<(Vec<String>, Matrix), TableError> {
    let plain = read_bytes(&file.name, &file.bytes, reading)?;
    let id = columns.id.as_deref().filter(|id| plain.column(id).is_ok());
    let (table, ids) = match id {
        None => {
            let ids = (0..plain.rows()).map(|row| row.to_string()).collect();
            (plain, ids)
        }
        Some(id) => {
            let table = read_bytes(&file.name, &file.bytes, &reading.clone().text(id))?;
            let ids = table.texts(id)?;
            (table, ids)
        }
    };
    if ids.is_empty() {
        let empty = Problem::new(Code::NoRows, &file.name, "the table has no targets");
        return Err(empty.help(Hint::GiveTargets).into());
    }
    let mut first_row: HashMap<&str, usize> = HashMap::new();
    for (row, id) in ids.iter().enumerate() {
        if first_row.insert(id, row).is_some() {
            let twice = Problem::new(Code::DuplicateId, &file.name, format!("{id:?} names two rows"));
            return Err(twice.at(table.place(row)).help("give each row its own id").into());
        }
    }
    let features = encoding.features(&table)?;
    Ok((ids, features))
}
