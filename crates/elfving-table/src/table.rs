//! A rectangular table as the user has it: every column, every text cell, and where each row came from.

use std::borrow::Cow;
use std::fmt;

use crate::code::Code;
use crate::column::{Column, ColumnData};
use crate::hint::Hint;
use crate::number::{Decimal, Reading, classify, shortest, unit_of, with_plain_minus};
use crate::problem::{Place, Problem, Problems, TableError, quoted};
use crate::read::Dialect;
use crate::warning::counted;
use crate::write::Cell;

/// A rectangular table with named columns.
///
/// Text is kept as it was written. A column in which every cell is a number is kept as numbers, and written
/// back in the shortest form that reads as the same number.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub(crate) file: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    pub(crate) places: Places,
    pub(crate) dialect: Dialect,
}

/// Where the rows of a table are in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Places {
    /// Row `i` is on line `first + i`.
    Regular { first: u64 },
    /// Blank lines or line breaks inside cells: the line of every row.
    Listed(Vec<u64>),
    /// A file without lines.
    Rows,
    /// Some rows of a file without lines.
    ListedRows(Vec<u64>),
}

impl Places {
    /// Appends the line of row `row`.
    pub(crate) fn push(&mut self, row: usize, line: u64) {
        match self {
            Self::Regular { first } if row == 0 => *first = line,
            Self::Regular { first } if *first + row as u64 == line => {}
            Self::Regular { first } => {
                *self = Self::Listed((*first..*first + row as u64).chain([line]).collect());
            }
            Self::Listed(lines) => lines.push(line),
            Self::Rows | Self::ListedRows(_) => {}
        }
    }
}

/// What a column is read for; decides which help a message offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Feature,
    Value,
}

impl Table {
    /// A table from memory, such as a data frame: named columns of equal length. `file` names it in messages.
    ///
    /// A number that is not finite is kept, to be named when it is refused.
    ///
    /// # Errors
    /// `E320` for a column without a name, `E321` for two of the same name, `E322` for columns of different lengths.
    ///
    /// ```
    /// use elfving_table::{ColumnData, PoolOptions, PoolTable, Table};
    /// let dose = ColumnData::Numbers(vec![1.0, 2.0].into());
    /// let ids = ColumnData::Texts(["a", "b"].into_iter().collect());
    /// let table = Table::from_columns("the frame", [("id".to_owned(), ids), ("dose".to_owned(), dose)])?;
    /// let pool = PoolTable::from_table(table, &PoolOptions::default().id("id"))?;
    /// assert_eq!(pool.features.as_slice(), [1.0, 2.0]);
    /// # Ok::<(), elfving_table::TableError>(())
    /// ```
    pub fn from_columns(
        file: impl Into<String>,
        columns: impl IntoIterator<Item = (String, ColumnData)>,
    ) -> Result<Self, TableError> {
        let file = file.into();
        let mut table = Self {
            file: file.clone(),
            columns: Vec::new(),
            rows: 0,
            places: Places::Rows,
            dialect: Dialect::default(),
        };
        for (name, data) in columns {
            if name.trim().is_empty() {
                let at = table.columns.len() + 1;
                let nameless = Problem::new(Code::NoHeader, file, format!("column {at} has no name"));
                return Err(nameless.help("name every column").into());
            }
            if table.position(&name).is_some() {
                let twice = Problem::new(Code::DuplicateHeader, file, "two columns have this name");
                return Err(twice.column(name).help("give each column its own name").into());
            }
            if !table.columns.is_empty() && data.len() != table.rows {
                let message = format!("{} rows where the first column has {}", data.len(), table.rows);
                let ragged = Problem::new(Code::RaggedRow, file, message).column(name);
                return Err(ragged.help("give all columns the same number of rows").into());
            }
            table.rows = data.len();
            let data = match data {
                ColumnData::Numbers(numbers) if !numbers.iter().all(f64::is_finite) => {
                    let mut data = ColumnData::Numbers(Vec::with_capacity(numbers.len()).into());
                    numbers.iter().for_each(|x| data.push_number(x));
                    data
                }
                finite_or_text => finite_or_text,
            };
            table.columns.push(Column { name, data, declared_text: false });
        }
        Ok(table)
    }

    /// The file as the user named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Number of rows, the header not counted.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How the file is written, to write the next one the same way.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Where row `row` is in the file.
    pub fn place(&self, row: usize) -> Place {
        match &self.places {
            Places::Regular { first } => Place::Line(first + row as u64),
            Places::Listed(lines) => Place::Line(lines[row]),
            Places::Rows => Place::Row(row as u64),
            Places::ListedRows(rows) => Place::Row(rows[row]),
        }
    }

    /// The column of that name; spaces around a name do not count.
    ///
    /// # Errors
    /// `E333` when there is none; the message lists the columns there are.
    pub fn column(&self, name: &str) -> Result<&Column, TableError> {
        match self.position(name) {
            Some(at) => Ok(&self.columns[at]),
            None => Err(self.no_such_column(name).into()),
        }
    }

    /// A column as finite numbers, one per row.
    ///
    /// # Errors
    /// `E333` when there is no such column; `E310` to `E313` for every cell that is not a finite number.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, TableError> {
        let column = self.column(name)?;
        let mut problems = Problems::default();
        let numbers = match &column.data {
            ColumnData::Numbers(numbers) => numbers.values().into_owned(),
            ColumnData::Texts(texts) => {
                let read = |(row, cell)| self.number(column, row, cell, &mut problems).unwrap_or(f64::NAN);
                texts.iter().enumerate().map(read).collect()
            }
        };
        problems.finish().map(|()| numbers)
    }

    /// A column as finite numbers, `None` where the cell is empty.
    ///
    /// # Errors
    /// `E333` when there is no such column; `E311` to `E313` for every cell that is neither empty nor a finite
    /// number.
    pub fn optional_numbers(&self, name: &str) -> Result<Vec<Option<f64>>, TableError> {
        let column = self.column(name)?;
        let mut problems = Problems::default();
        let numbers = match &column.data {
            ColumnData::Numbers(numbers) => numbers.iter().map(Some).collect(),
            ColumnData::Texts(texts) => {
                let read = |(row, cell): (usize, &str)| match cell.trim() {
                    "" => None,
                    _ => self.number(column, row, cell, &mut problems),
                };
                texts.iter().enumerate().map(read).collect()
            }
        };
        problems.finish().map(|()| numbers)
    }

    /// A text of a cell as a finite number: the whole of it, or a part of a list.
    ///
    /// # Errors
    /// `E333` when there is no such column, else `E310` to `E313` as for [`numbers`](Self::numbers).
    pub fn number_in(&self, name: &str, row: usize, text: &str) -> Result<f64, Problem> {
        let Some(at) = self.position(name) else { return Err(self.no_such_column(name)) };
        match classify(text, self.dialect.decimal) {
            Reading::Number(x) => Ok(x),
            reading => Err(self.cell_problem(&self.columns[at], row, text, reading, Purpose::Value)),
        }
    }

    fn number(&self, column: &Column, row: usize, cell: &str, problems: &mut Problems) -> Option<f64> {
        match classify(cell, self.dialect.decimal) {
            Reading::Number(x) => Some(x),
            reading => {
                problems.add(|| self.cell_problem(column, row, cell, reading, Purpose::Value));
                None
            }
        }
    }

    /// A column as text, one cell per row; numbers in their shortest form.
    ///
    /// # Errors
    /// `E333` when there is no such column.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, TableError> {
        Ok(texts_of(&self.column(name)?.data, self.dialect.decimal).collect())
    }

    /// The cells of row `row`, ready to be written next to others.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn cells(&self, row: usize) -> impl ExactSizeIterator<Item = Cell<'_>> {
        self.columns.iter().map(move |column| match &column.data {
            ColumnData::Numbers(numbers) => Cell::Number(numbers[row]),
            ColumnData::Texts(texts) => match texts.get(row) {
                "" => Cell::Empty,
                text if column.declared_text => Cell::Text(Cow::Borrowed(text)),
                // A half-filled column of numbers is kept as text; its numbers are still numbers.
                text => Cell::AsWritten(text),
            },
        })
    }

    /// These rows alone, in this order; messages still name their lines in the file.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let chosen = |column: &Column| Column {
            name: column.name.clone(),
            data: match &column.data {
                ColumnData::Numbers(numbers) => {
                    ColumnData::Numbers(rows.iter().map(|&row| numbers[row]).collect::<Vec<f64>>().into())
                }
                ColumnData::Texts(texts) => {
                    ColumnData::Texts(rows.iter().map(|&row| texts.get(row)).collect())
                }
            },
            declared_text: column.declared_text,
        };
        let place = |&row: &usize| match self.place(row) {
            Place::Line(at) | Place::Row(at) => at,
            Place::File => 0,
        };
        let places: Vec<u64> = rows.iter().map(place).collect();
        Self {
            file: self.file.clone(),
            columns: self.columns.iter().map(chosen).collect(),
            rows: rows.len(),
            places: match &self.places {
                Places::Rows | Places::ListedRows(_) => Places::ListedRows(places),
                Places::Regular { .. } | Places::Listed(_) => Places::Listed(places),
            },
            dialect: self.dialect,
        }
    }

    /// These rows and those of another table behind them, in the columns of this one; a column that the other does not have is empty there.
    #[must_use]
    pub fn followed_by(&self, more: &Self) -> Self {
        let decimal = self.dialect.decimal;
        let joined = |column: &Column| {
            let other = more.position(&column.name).map(|at| &more.columns[at].data);
            let data = match (&column.data, other) {
                (ColumnData::Numbers(numbers), Some(ColumnData::Numbers(others))) => {
                    ColumnData::Numbers(numbers.iter().chain(others.iter()).collect::<Vec<f64>>().into())
                }
                (data, other) => {
                    let mut texts: Vec<String> = texts_of(data, decimal).collect();
                    match other {
                        Some(other) => texts.extend(texts_of(other, decimal)),
                        None => texts.resize(self.rows + more.rows, String::new()),
                    }
                    ColumnData::Texts(texts.into_iter().collect())
                }
            };
            Column { name: column.name.clone(), data, declared_text: column.declared_text }
        };
        Self {
            file: self.file.clone(),
            columns: self.columns.iter().map(joined).collect(),
            rows: self.rows + more.rows,
            places: Places::Rows,
            dialect: self.dialect,
        }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name.trim() == name.trim())
    }

    pub(crate) fn no_such_column(&self, name: &str) -> Problem {
        no_such_column(&self.file, name, self.columns.iter().map(|column| column.name.as_str()))
    }

    /// Says why a cell is not a number.
    pub(crate) fn cell_problem(
        &self,
        column: &Column,
        row: usize,
        cell: &str,
        reading: Reading,
        purpose: Purpose,
    ) -> Problem {
        let cell = cell.trim();
        let (code, message) = match reading {
            Reading::Empty => (Code::EmptyCell, "the cell is empty".to_owned()),
            Reading::OtherNotation => {
                (Code::OtherNotation, format!("{} is not written as a plain number", quoted(cell)))
            }
            Reading::NotFinite => (Code::NotFinite, format!("{} is not a finite number", quoted(cell))),
            Reading::Number(_) | Reading::Text => {
                (Code::NotANumber, format!("{} is text where a number is needed", quoted(cell)))
            }
        };
        Problem::new(code, &self.file, message)
            .at(self.place(row))
            .column(&column.name)
            .help(self.hint_for(code, cell, purpose))
    }

    fn hint_for(&self, code: Code, cell: &str, purpose: Purpose) -> Hint {
        match (code, purpose) {
            (Code::OtherNotation, _) => match with_plain_minus(cell, self.dialect.decimal) {
                Some(plain) => format!("write the minus sign as a hyphen: {plain}").into(),
                None => Hint::Decimal { mark: self.dialect.decimal },
            },
            (Code::NotANumber, _) if unit_of(cell, self.dialect.decimal).is_some() => {
                let (unit, _) = unit_of(cell, self.dialect.decimal).unwrap_or_default();
                let number = cell.trim().strip_suffix(unit).unwrap_or(cell).trim();
                Hint::WithoutUnit { number: number.to_owned() }
            }
            (Code::NotANumber, Purpose::Feature) => Hint::DeclareText,
            (_, Purpose::Feature) => Hint::CompleteFeature,
            (_, Purpose::Value) => "this column needs a finite number in every row".into(),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers =
            self.columns.iter().filter(|column| matches!(column.data, ColumnData::Numbers(_))).count();
        let texts = self.columns.len() - numbers;
        let rows = counted(self.rows, "row", "rows");
        let numbers = counted(numbers, "column of numbers", "columns of numbers");
        write!(f, "{}: {rows}, {numbers}, {texts} of text", self.file)
    }
}

/// Cells as text; numbers in their shortest form.
fn texts_of(data: &ColumnData, decimal: Decimal) -> Box<dyn Iterator<Item = String> + '_> {
    match data {
        ColumnData::Numbers(numbers) => Box::new(numbers.iter().map(move |x| shortest(x, decimal))),
        ColumnData::Texts(texts) => Box::new(texts.iter().map(str::to_owned)),
    }
}

/// Every declared text column that the file does not have, named once however often it was declared.
pub(crate) fn missing_columns(file: &str, wanted: &[String], names: &[&str], problems: &mut Problems) {
    for (k, name) in wanted.iter().enumerate() {
        let is_same = |other: &str| other.trim() == name.trim();
        if !names.iter().any(|other| is_same(other)) && !wanted[..k].iter().any(|other| is_same(other)) {
            problems.add(|| no_such_column(file, name, names.iter().copied()));
        }
    }
}

/// The refusal for a column that does not exist, with the columns there are.
pub(crate) fn no_such_column<'a>(file: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Problem {
    const SHOWN: usize = 12;
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let mut help = format!("the columns are {}", names[..names.len().min(SHOWN)].join(", "));
    if names.len() > SHOWN {
        help.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    Problem::new(Code::NoSuchColumn, file, format!("there is no column {name:?}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_compactly_until_they_are_irregular() {
        let mut places = Places::Regular { first: 0 };
        for (row, line) in [2, 3, 4].into_iter().enumerate() {
            places.push(row, line);
        }
        assert_eq!(places, Places::Regular { first: 2 });
        places.push(3, 9);
        places.push(4, 10);
        assert_eq!(places, Places::Listed(vec![2, 3, 4, 9, 10]));
    }
}
