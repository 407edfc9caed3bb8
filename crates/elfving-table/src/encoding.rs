//! From the user's columns to features: declared markers, log scales, categories, standardisation.
//!
//! An [`Encoding`] is found on the pool and can then be applied to another table, so that targets are placed on
//! the same scale and in the same categories.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::surrogate::Columns;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::column::{Array, Column, ColumnData, Numbers};
use crate::hint::Hint;
use crate::marker::Marker;
use crate::number::{Decimal, Reading, classify, parse_number, shortest};
use crate::problem::{Problem, Problems, TableError, quoted};
use crate::table::{Purpose, Table};

/// The base of a log scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogBase {
    /// Base 2, for powers of two.
    Two,
    /// The natural logarithm.
    E,
    /// Base 10.
    Ten,
}

impl LogBase {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::Two => x.log2(),
            Self::E => x.ln(),
            Self::Ten => x.log10(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Two => "log2",
            Self::E => "ln",
            Self::Ten => "log10",
        }
    }
}

/// How the feature columns of a pool become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    pub(crate) columns: Vec<EncodedColumn>,
    pub(crate) markers: Vec<Marker>,
}

/// The rows of a table under an [`Encoding`].
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// `rows x features`.
    pub features: Matrix,
    /// The level of each row, one list per category in the order of the columns.
    pub codes: Vec<Vec<u32>>,
}

/// How one column becomes one or several features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// The name of the column in the table.
    pub column: String,
    /// What is done with its cells.
    pub map: FeatureMap,
}

/// What is done with the cells of a feature column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FeatureMap {
    /// One feature: the number, then its logarithm if asked, then its z-score if asked.
    Number {
        /// The base of the log scale.
        log: Option<LogBase>,
        /// Mean and deviation of the pool.
        standard: Option<Standard>,
    },
    /// One feature per level: 1 where the cell reads so, else 0.
    Category {
        /// The levels in sorted order, without spaces around them.
        levels: Vec<String>,
    },
}

/// Mean and deviation of a column: `z = (x/unit - mean) / deviation`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Standard {
    /// A power of two near the largest entry, so that no sum overflows at any scale of the data.
    pub unit: f64,
    /// Mean of `x/unit`.
    pub mean: f64,
    /// Standard deviation (of the population) of `x/unit`; 0 for a constant column, whose z-score is 0.
    pub deviation: f64,
}

impl Standard {
    fn of(values: &[f64]) -> Self {
        let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let exponent = largest.to_bits() & (0x7ff << 52);
        let unit = f64::from_bits(exponent).max(f64::MIN_POSITIVE);
        let n = values.len() as f64;
        // The second sum corrects the rounding of the first: the mean of a constant column is that constant.
        let rough = values.iter().map(|x| x / unit).sum::<f64>() / n;
        let mean = rough + values.iter().map(|x| x / unit - rough).sum::<f64>() / n;
        let variance = values.iter().map(|x| (x / unit - mean).powi(2)).sum::<f64>() / n;
        Self { unit, mean, deviation: variance.sqrt() }
    }

    fn score(&self, x: f64) -> f64 {
        if self.deviation > 0.0 { (x / self.unit - self.mean) / self.deviation } else { 0.0 }
    }
}

impl Encoding {
    /// How each feature column is encoded, in the order of the features.
    pub fn columns(&self) -> &[EncodedColumn] {
        &self.columns
    }

    /// The names of the features: `column`, `log2(column)` or `column=level`.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for EncodedColumn { column, map } in &self.columns {
            match map {
                FeatureMap::Number { log: None, .. } => names.push(column.clone()),
                FeatureMap::Number { log: Some(base), .. } => {
                    names.push(format!("{}({column})", base.name()))
                }
                FeatureMap::Category { levels } => {
                    names.extend(levels.iter().map(|level| format!("{column}={level}")));
                }
            }
        }
        names
    }

    /// The features of a table that has the same columns: `rows x features`.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    pub fn features(&self, table: &Table) -> Result<Matrix, TableError> {
        self.encode(table).map(|encoded| encoded.features)
    }

    /// The same with the category levels that another table has beside those of the pool, behind them: old rows keep their codes.
    ///
    /// # Errors
    /// `E333` for a column that is missing, `E335` for more than `most` levels.
    pub fn with_levels_of(&self, table: &Table, most: usize) -> Result<Self, TableError> {
        let mut encoding = self.clone();
        let mut problems = Problems::default();
        for EncodedColumn { column, map } in &mut encoding.columns {
            let FeatureMap::Category { levels } = map else { continue };
            let column = table.column(column)?;
            let known: HashSet<String> = levels.iter().cloned().collect();
            let cells = category_cells(column, table.dialect.decimal);
            let new: BTreeSet<String> = cells
                .filter(|cell| !cell.is_empty() && !known.contains(cell.as_ref()))
                .map(Cow::into_owned)
                .collect();
            levels.extend(new);
            if levels.len() > most {
                problems.add(|| too_many_levels(table, column, levels.len(), most));
            }
        }
        problems.finish().map(|()| encoding)
    }

    /// The rows of a table that has the same columns, as features and as codes of their categories.
    ///
    /// # Errors
    /// `E333` for a column that is missing, `E310` to `E315` for cells that are not what the encoding needs,
    /// `E316` for a category level that the pool does not have.
    pub fn encode(&self, table: &Table) -> Result<Encoded, TableError> {
        if let Some(array) = self.whole_array(table) {
            let entries = Arc::<Vec<f64>>::clone(&array.entries);
            return Ok(Encoded {
                features: Matrix::shared(table.rows(), array.width, entries),
                codes: Vec::new(),
            });
        }
        let mut codes = Vec::new();
        let width = self.columns.iter().map(|column| column.map.width()).sum();
        let mut features = Matrix::zeros(table.rows(), width);
        let mut problems = Problems::default();
        let mut at = 0;
        for EncodedColumn { column, map } in &self.columns {
            let column = table.column(column)?;
            let mut found = Problems::default();
            match map {
                FeatureMap::Number { log, standard } => {
                    let values = numbers(table, column, &self.markers, *log, &mut found);
                    for (row, &x) in values.iter().enumerate() {
                        features[(row, at)] = standard.map_or(x, |standard| standard.score(x));
                    }
                }
                FeatureMap::Category { levels } => {
                    let index: HashMap<&str, usize> =
                        levels.iter().enumerate().map(|(k, level)| (level.as_str(), k)).collect();
                    let mut of_column = Vec::with_capacity(table.rows());
                    for (row, cell) in category_cells(column, table.dialect.decimal).enumerate() {
                        match index.get(cell.as_ref()) {
                            Some(&level) => {
                                features[(row, at + level)] = 1.0;
                                of_column.push(level as u32);
                            }
                            None => found.add(|| unknown_level(table, column, row, &cell, levels)),
                        }
                    }
                    codes.push(of_column);
                }
            }
            problems.absorb(found);
            at += map.width();
        }
        problems.finish()?;
        match features.first_non_finite() {
            None => Ok(Encoded { features, codes }),
            Some((row, at)) => {
                let message = format!("feature {:?} overflows", self.feature_names()[at]);
                let overflow = Problem::new(Code::NotFinite, table.file(), message).at(table.place(row));
                Err(overflow.help("compare the scale of this column with that of the pool").into())
            }
        }
    }
}

impl Encoding {
    /// The array of a table whose columns, all of them and as they are, are the features: it needs no copy.
    fn whole_array<'t>(&self, table: &'t Table) -> Option<&'t Array> {
        let array_of = |column: &'t Column| match &column.data {
            ColumnData::Numbers(numbers) => numbers.array(),
            ColumnData::Texts(_) => None,
        };
        let (array, _) = array_of(table.columns().first()?)?;
        let stays = |(k, EncodedColumn { column, map }): (usize, &EncodedColumn)| {
            let place = table.column(column).ok().and_then(array_of);
            let here =
                place.is_some_and(|(other, at)| Arc::ptr_eq(&other.entries, &array.entries) && at == k);
            here && matches!(map, FeatureMap::Number { log: None, standard: None })
        };
        let all = self.columns.len() == array.width && self.markers.is_empty();
        (all && self.columns.iter().enumerate().all(stays)).then_some(array)
    }

    /// Encoded rows as the Gaussian process of the calibrated mode takes them: numbers as they are encoded, and one code per category, whatever
    /// the number of its levels.
    ///
    /// # Panics
    /// When features and codes are not those of this encoding.
    ///
    /// # Examples
    /// ```
    /// use elfving_table::{OneHot, PoolOptions, PoolTable, ReadOptions, read_bytes};
    /// let table = read_bytes("pool.csv", b"x,base\n1,KOAc\n2,CsOAc\n", &ReadOptions::default())?;
    /// let pool = PoolTable::from_table(table, &PoolOptions::default().one_hot(OneHot::AllText))?;
    /// let columns = pool.encoding.surrogate_columns(&pool.features, &pool.codes);
    /// assert_eq!(columns.numeric[(1, 0)], 2.0);
    /// assert_eq!(columns.categories, [[1, 0]]); // levels in sorted order
    /// # Ok::<(), elfving_table::TableError>(())
    /// ```
    pub fn surrogate_columns(&self, features: &Matrix, codes: &[Vec<u32>]) -> Columns {
        let width: usize = self.columns.iter().map(|column| column.map.width()).sum();
        assert_eq!(features.columns(), width, "the features of this encoding");
        let (mut numbers, mut categories, mut at) = (Vec::new(), 0, 0);
        for EncodedColumn { map, .. } in &self.columns {
            match map {
                FeatureMap::Number { .. } => numbers.push(at),
                FeatureMap::Category { .. } => categories += 1,
            }
            at += map.width();
        }
        assert_eq!(codes.len(), categories, "the codes of this encoding");
        let numeric = Matrix::from_fn(features.rows(), numbers.len(), |i, k| features[(i, numbers[k])]);
        Columns { numeric, categories: codes.to_vec() }
    }
}

impl FeatureMap {
    fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Category { levels } => levels.len(),
        }
    }

    /// Looks at a number column of the pool.
    pub(crate) fn fit_number(
        table: &Table,
        column: &Column,
        markers: &[Marker],
        log: Option<LogBase>,
        standardize: bool,
        problems: &mut Problems,
    ) -> Self {
        let plain = markers.is_empty() && log.is_none() && !standardize;
        if plain && matches!(column.data, ColumnData::Numbers(_)) {
            return Self::Number { log, standard: None };
        }
        let values = numbers(table, column, markers, log, problems);
        Self::Number { log, standard: standardize.then(|| Standard::of(&values)) }
    }

    /// Finds the levels of a category column of the pool.
    pub(crate) fn fit_category(table: &Table, column: &Column, most: usize, problems: &mut Problems) -> Self {
        let mut found = HashMap::new();
        for (row, cell) in category_cells(column, table.dialect.decimal).enumerate() {
            if cell.is_empty() {
                problems.add(|| table.cell_problem(column, row, "", Reading::Empty, Purpose::Feature));
            } else if !found.contains_key(cell.as_ref()) {
                found.insert(cell.into_owned(), row);
            }
        }
        if found.len() > most {
            problems.add(|| too_many_levels(table, column, found.len(), most));
            found.clear();
        }
        let mut levels: Vec<(String, usize)> = found.into_iter().collect();
        match &column.data {
            ColumnData::Numbers(numbers) => levels.sort_by(|a, b| numbers[a.1].total_cmp(&numbers[b.1])),
            ColumnData::Texts(_) => levels.sort(),
        }
        Self::Category { levels: levels.into_iter().map(|(level, _)| level).collect() }
    }
}

fn too_many_levels(table: &Table, column: &Column, levels: usize, most: usize) -> Problem {
    let message = format!("{levels} different values are too many for a category (at most {most})");
    Problem::new(Code::TooManyLevels, table.file(), message)
        .column(&column.name)
        .help(Hint::LeaveOut { column: column.name.clone() })
}

/// The cells of a category column as levels, without spaces around them.
fn category_cells(column: &Column, decimal: Decimal) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
    match &column.data {
        // + 0.0 makes one level of 0 and -0.
        ColumnData::Numbers(numbers) => {
            Box::new(numbers.iter().map(move |x| Cow::Owned(shortest(x + 0.0, decimal))))
        }
        ColumnData::Texts(texts) => Box::new(texts.iter().map(|cell| Cow::Borrowed(cell.trim()))),
    }
}

fn unknown_level(table: &Table, column: &Column, row: usize, cell: &str, levels: &[String]) -> Problem {
    if cell.is_empty() {
        return table.cell_problem(column, row, "", Reading::Empty, Purpose::Feature);
    }
    let shown: Vec<String> = levels.iter().take(10).map(|level| quoted(level)).collect();
    Problem::new(Code::UnknownLevel, table.file(), format!("{} does not occur in the pool", quoted(cell)))
        .at(table.place(row))
        .column(&column.name)
        .help(format!("the pool has {}", shown.join(", ")))
}

/// The numbers of a feature column, markers replaced, on the log scale if asked.
fn numbers<'t>(
    table: &'t Table,
    column: &'t Column,
    markers: &[Marker],
    log: Option<LogBase>,
    problems: &mut Problems,
) -> Cow<'t, [f64]> {
    let decimal = table.dialect.decimal;
    let mut values = match &column.data {
        ColumnData::Numbers(numbers) => marked_numbers(table, column, numbers, markers, problems),
        ColumnData::Texts(texts) => {
            let mut values = Vec::with_capacity(texts.len());
            for (row, cell) in texts.iter().enumerate() {
                let value = match markers.iter().find(|marker| marker.text == cell.trim()) {
                    Some(marker) => marker.value.or_else(|| {
                        problems.add(|| declared_missing(table, column, row, cell.trim()));
                        None
                    }),
                    None => match classify(cell, decimal) {
                        Reading::Number(x) => Some(x),
                        reading => {
                            problems.add(|| table.cell_problem(column, row, cell, reading, Purpose::Feature));
                            None
                        }
                    },
                };
                // A refused cell stands for itself in the list of problems only.
                values.push(value.unwrap_or(1.0));
            }
            Cow::Owned(values)
        }
    };
    if let Some(base) = log {
        for (row, x) in values.to_mut().iter_mut().enumerate() {
            if *x > 0.0 {
                *x = base.of(*x);
            } else {
                problems.add(|| {
                    Problem::new(
                        Code::NoLogarithm,
                        table.file(),
                        format!("{} has no logarithm", quoted(&shortest(*x, decimal))),
                    )
                    .at(table.place(row))
                    .column(&column.name)
                    .help("a log scale needs positive numbers: correct the cell, or use the column as it is")
                });
            }
        }
    }
    values
}

/// Markers that look like numbers (`-999`) also count in a column of numbers.
fn marked_numbers<'t>(
    table: &Table,
    column: &Column,
    numbers: &'t Numbers,
    markers: &[Marker],
    problems: &mut Problems,
) -> Cow<'t, [f64]> {
    let mut values = numbers.values();
    for marker in markers {
        let Some(marked) = parse_number(marker.text.as_bytes(), table.dialect.decimal) else { continue };
        for (row, _) in numbers.iter().enumerate().filter(|&(_, x)| x == marked) {
            match marker.value {
                Some(value) => values.to_mut()[row] = value,
                None => problems.add(|| declared_missing(table, column, row, &marker.text)),
            }
        }
    }
    values
}

fn declared_missing(table: &Table, column: &Column, row: usize, cell: &str) -> Problem {
    Problem::new(Code::DeclaredMissing, table.file(), format!("{} is declared as missing", quoted(cell)))
        .at(table.place(row))
        .column(&column.name)
        .help("a feature must be known for every candidate: correct the cell or remove the row")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_column_has_no_deviation_whatever_its_mean_rounds_to() {
        for n in 1..200 {
            for x in [0.1, 0.3, 1.0 / 3.0, -1e-9, 7.7e200, 0.0] {
                let standard = Standard::of(&vec![x; n]);
                assert_eq!((standard.deviation, standard.score(x)), (0.0, 0.0), "{n} times {x}");
            }
        }
    }
}
