//! From a table to a pool: which column is the id, which are features, and what is refused.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

use elfving::numerics::Matrix;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::column::TextColumn;
use crate::condition::Condition;
use crate::encoding::{Encoded, EncodedColumn, Encoding, FeatureMap, LogBase};
use crate::marker::Marker;
use crate::notice;
use crate::number::Reading;
use crate::problem::{Problem, Problems, TableError, quoted};
use crate::read::{ReadOptions, read};
use crate::roles::{MOST_LEVELS, Role, Roles};
use crate::table::{Purpose, Table};
use crate::warning::{Warning, counted};

/// Which text columns are encoded as categories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OneHot {
    /// None: text columns are not features.
    #[default]
    Nothing,
    /// These columns, which may also be numbers that stand for categories.
    Columns(Vec<String>),
    /// Every text column that is not the id or excluded.
    AllText,
}

/// Which columns of a table make the pool, and how.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `id` | none | the column that names the candidates; else the row number, from 0 |
/// | `features` | none | exactly these columns; else every numeric column but the id and `exclude` |
/// | `exclude` | none | columns that are not features, such as outcomes |
/// | `one_hot` | nothing | text columns encoded as `column=level`, levels in sorted order |
/// | `categorical` | none | these columns are categories, numbers too, besides those of `one_hot` |
/// | `log_scale` | none | columns on a log scale |
/// | `standardize` | false | z-scores for number columns; categories stay 0 and 1 |
/// | `markers` | none | what a text such as `n.d.` means in a feature column |
/// | `max_levels` | 1000 | a category with more different values is refused |
/// | `conditions` | none | only rows that meet all of them are candidates |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolOptions {
    /// The column that names the candidates; `None`: the row number, from 0.
    pub id: Option<String>,
    /// Exactly these columns are features; `None`: every numeric column but the id and `exclude`.
    pub features: Option<Vec<String>>,
    /// Columns that are not features, such as outcomes.
    pub exclude: Vec<String>,
    /// Text columns to encode as categories.
    pub one_hot: OneHot,
    /// Columns that are categories besides those, numbers too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categorical: Vec<String>,
    /// Columns on a log scale.
    pub log_scale: Vec<(String, LogBase)>,
    /// Whether number columns become z-scores; categories stay 0 and 1.
    pub standardize: bool,
    /// What a text such as `n.d.` means in a feature column.
    pub markers: Vec<Marker>,
    /// A category with more different values is refused.
    pub max_levels: usize,
    /// Only rows that meet all of these are candidates; levels, scales and duplicates are those of these rows.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            id: None,
            features: None,
            exclude: Vec::new(),
            one_hot: OneHot::Nothing,
            categorical: Vec::new(),
            log_scale: Vec::new(),
            standardize: false,
            markers: Vec::new(),
            max_levels: MOST_LEVELS,
            conditions: Vec::new(),
        }
    }
}

impl PoolOptions {
    /// Names the column that names the candidates.
    #[must_use]
    pub fn id(mut self, column: impl Into<String>) -> Self {
        self.id = Some(column.into());
        self
    }

    /// Uses exactly these columns as features.
    #[must_use]
    pub fn features<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.features = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Keeps a column, such as an outcome, out of the features.
    #[must_use]
    pub fn exclude(mut self, column: impl Into<String>) -> Self {
        self.exclude.push(column.into());
        self
    }

    /// Encodes text columns as categories.
    #[must_use]
    pub fn one_hot(mut self, one_hot: OneHot) -> Self {
        self.one_hot = one_hot;
        self
    }

    /// Takes a column as a category, whatever its cells are.
    #[must_use]
    pub fn categorical(mut self, column: impl Into<String>) -> Self {
        self.categorical.push(column.into());
        self
    }

    /// Puts a column on a log scale.
    #[must_use]
    pub fn log_scale(mut self, column: impl Into<String>, base: LogBase) -> Self {
        self.log_scale.push((column.into(), base));
        self
    }

    /// Turns number columns into z-scores.
    #[must_use]
    pub fn standardize(mut self, standardize: bool) -> Self {
        self.standardize = standardize;
        self
    }

    /// Declares what a text means in a feature column.
    #[must_use]
    pub fn marker(mut self, marker: Marker) -> Self {
        self.markers.push(marker);
        self
    }

    /// Sets how many different values a category may have.
    #[must_use]
    pub fn max_levels(mut self, most: usize) -> Self {
        self.max_levels = most;
        self
    }
}

impl PoolOptions {
    /// Takes only rows that meet a condition, besides those that it has.
    #[must_use]
    pub fn only(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The rows of a table that meet all conditions; `None` without a condition.
    ///
    /// # Errors
    /// What is wrong with a condition, and `E330` when no row meets them.
    pub fn chosen(&self, table: &Table) -> Result<Option<Vec<usize>>, TableError> {
        let mut chosen: Option<Vec<usize>> = None;
        for condition in &self.conditions {
            let rows = condition.rows(table)?;
            chosen = Some(match chosen {
                None => rows,
                Some(before) => {
                    let rows: HashSet<usize> = rows.into_iter().collect();
                    before.into_iter().filter(|row| rows.contains(row)).collect()
                }
            });
        }
        if chosen.as_ref().is_some_and(Vec::is_empty) {
            let texts: Vec<&str> = self.conditions.iter().map(Condition::text).collect();
            let message = format!("no row meets the condition {}", texts.join(" and "));
            return Err(Problem::new(Code::NoRows, table.file(), message)
                .help("look at the values of its columns, or leave the condition out")
                .into());
        }
        Ok(chosen)
    }
}

/// A checked pool: ids and finite features, with the table it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolTable {
    /// The id of each candidate, all different.
    pub ids: TextColumn,
    /// The name of each feature.
    pub feature_names: Vec<String>,
    /// n x d, finite, one row per candidate.
    pub features: Matrix,
    /// The level of each candidate, one list per category.
    pub codes: Vec<Vec<u32>>,
    /// How the columns became features, to place targets on the same scale.
    pub encoding: Encoding,
    /// What a user should know; nothing was printed.
    pub warnings: Vec<Warning>,
    /// The table with all of the user's columns, to write next to results.
    pub table: Table,
}

/// Reads a file and makes a pool of it; the id column is kept as text, so that `007` stays `007`.
///
/// # Errors
/// Those of [`read`] and of [`PoolTable::from_table`].
///
/// # Examples
/// ```
/// use elfving_table::{PoolOptions, ReadOptions, read_pool};
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("pool.csv");
/// std::fs::write(&path, "id,x,yield\n007,0.5,81\n008,0.7,79\n")?;
/// let pool = read_pool(&path, &ReadOptions::default(), &PoolOptions::default().id("id").exclude("yield"))?;
/// assert_eq!(pool.ids, ["007", "008"]);
/// assert_eq!(pool.feature_names, ["x"]);
/// assert_eq!(pool.outcome("yield")?, [81.0, 79.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_pool(
    path: impl AsRef<Path>,
    reading: &ReadOptions,
    options: &PoolOptions,
) -> Result<PoolTable, TableError> {
    let mut reading = reading.clone();
    reading.text.extend(options.id.clone());
    PoolTable::from_table(read(path, &reading)?, options)
}

impl PoolTable {
    /// Chooses ids and features from a table.
    ///
    /// A column is meant as numeric when at least half of its cells that are not empty and not declared markers
    /// are numbers, or look like numbers (`NaN`, `1e999`, `0,51`, `1 234`). Every other cell of such a column is
    /// refused by name: it never becomes a text column in silence.
    ///
    /// Cost: n·d for the matrix, n log n to find equal ids and equal rows.
    ///
    /// # Errors
    /// `E310` to `E315` for cells, `E330` to `E335` for the pool; see the table of codes. [`TableError::Condition`] for a condition
    /// that does not fit the table.
    pub fn from_table(table: Table, options: &PoolOptions) -> Result<Self, TableError> {
        if table.rows() == 0 {
            return Err(Problem::new(Code::NoRows, table.file(), "the table has no candidates")
                .help("a pool needs a header and at least one row")
                .into());
        }
        let chosen = options.chosen(&table)?;
        let table = match &chosen {
            Some(rows) => table.select(rows),
            None => table,
        };
        let mut problems = Problems::default();
        let ids = match (&chosen, &options.id) {
            // A row keeps its number in the file.
            (Some(rows), None) => rows.iter().map(usize::to_string).collect(),
            _ => ids(&table, options, &mut problems),
        };
        let roles = Roles::choose(&table, options, &mut problems);
        let mut encoding = Encoding { columns: Vec::new(), markers: options.markers.clone() };
        for (at, role) in &roles.features {
            let column = &table.columns()[*at];
            let mut found = Problems::default();
            let map = match role {
                Role::Number(log) => FeatureMap::fit_number(
                    &table,
                    column,
                    &options.markers,
                    *log,
                    options.standardize,
                    &mut found,
                ),
                Role::Category => FeatureMap::fit_category(&table, column, options.max_levels, &mut found),
            };
            problems.absorb(found);
            encoding.columns.push(EncodedColumn { column: column.name.clone(), map });
        }
        let feature_names = encoding.feature_names();
        if problems.is_empty() {
            check_names(&table, &feature_names, &mut problems);
        }
        problems.finish()?;

        let Encoded { features, codes } = encoding.encode(&table)?;
        let mut notices = roles.notices(&table, options);
        notices.extend(notice::about(&features, &feature_names, &ids));
        let warnings =
            notices.into_iter().map(|notice| Warning { file: table.file().to_owned(), notice }).collect();
        Ok(Self { ids, feature_names, features, codes, encoding, warnings, table })
    }

    /// An outcome that is in the pool file itself, for simulations.
    ///
    /// # Errors
    /// `E333` when there is no such column; `E310` to `E313` for every cell that is not a finite number.
    pub fn outcome(&self, name: &str) -> Result<Vec<f64>, TableError> {
        self.table.numbers(name)
    }
}

impl fmt::Display for PoolTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let candidates = counted(self.features.rows(), "candidate", "candidates");
        let features = counted(self.features.columns(), "feature", "features");
        write!(f, "{}: {candidates}, {features}", self.table.file())
    }
}

fn ids(table: &Table, options: &PoolOptions, problems: &mut Problems) -> TextColumn {
    let Some(name) = &options.id else { return TextColumn::row_numbers(table.rows()) };
    // A missing column is refused with the other columns that were named.
    let Some(at) = table.position(name) else { return TextColumn::default() };
    let column = &table.columns()[at];
    let ids: TextColumn = table.texts(&column.name).unwrap_or_default().into_iter().collect();
    let mut found = Problems::default();
    let mut first_row = HashMap::with_capacity(ids.len());
    for (row, id) in ids.iter().enumerate() {
        if id.trim().is_empty() {
            found.add(|| {
                table
                    .cell_problem(column, row, "", Reading::Empty, Purpose::Value)
                    .help("every candidate needs an id")
            });
        } else if let Some(&first) = first_row.get(id) {
            found.add(|| {
                let message = format!("{} is already the id of {}", quoted(id), notice::place(table.place(first)));
                Problem::new(Code::DuplicateId, table.file(), message)
                    .at(table.place(row))
                    .column(&column.name)
                    .help("give each candidate its own id; repeated measurements belong in the results, not in the pool")
            });
        } else {
            first_row.insert(id, row);
        }
    }
    problems.absorb(found);
    drop(first_row);
    ids
}

fn check_names(table: &Table, names: &[String], problems: &mut Problems) {
    let mut seen = HashSet::new();
    for name in names.iter().filter(|name| !seen.insert(name.as_str())) {
        problems.add(|| {
            Problem::new(Code::RoleConflict, table.file(), format!("two features are called {name:?}"))
                .help("rename the column: an encoded column needs this name")
        });
    }
}
