//! What the user calls the rows of a pool.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use elfving_table::{Code, Problem, Table, TableError, TextColumn, nearest};
use serde::{Deserialize, Serialize};

use crate::ProblemError;

/// The name of each row: its own, or its number from 0. A million numbered rows take no memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// So many rows, called 0, 1, 2, ...
    Numbered(Numbered),
    /// A name for each row, all different.
    Named(TextColumn),
}

/// So many rows without names of their own.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "usize", into = "usize")]
pub struct Numbered {
    count: usize,
    /// Written out when somebody asks for it.
    text: OnceLock<TextColumn>,
}

impl From<usize> for Numbered {
    fn from(count: usize) -> Self {
        Self { count, text: OnceLock::new() }
    }
}

impl From<Numbered> for usize {
    fn from(rows: Numbered) -> Self {
        rows.count
    }
}

impl PartialEq for Numbered {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

impl Names {
    /// So many rows without names of their own.
    pub fn numbered(count: usize) -> Self {
        Self::Numbered(count.into())
    }

    /// Names for `rows` rows of `what`, all different; without a list, their numbers.
    ///
    /// # Errors
    /// [`ProblemError::NameCount`], [`ProblemError::NameTwice`].
    ///
    /// ```
    /// use elfving_problem::Names;
    /// let names = Names::new(Some(vec!["a".into(), "b".into()]), 2, "candidates")?;
    /// assert_eq!((&*names.name(1), names.find("b")), ("b", Some(1)));
    /// assert!(Names::new(Some(vec!["a".into(), "a".into()]), 2, "candidates").is_err());
    /// # Ok::<(), elfving_problem::ProblemError>(())
    /// ```
    pub fn new(names: Option<Vec<String>>, rows: usize, what: &'static str) -> Result<Self, ProblemError> {
        let Some(names) = names else { return Ok(Self::numbered(rows)) };
        if names.len() != rows {
            return Err(ProblemError::NameCount { got: names.len(), rows, what });
        }
        let mut first_row = HashMap::with_capacity(rows);
        for (row, name) in names.iter().enumerate() {
            if let Some(first) = first_row.insert(name.as_str(), row) {
                return Err(ProblemError::NameTwice { name: name.clone(), first, second: row });
            }
        }
        Ok(Self::Named(names.into_iter().collect()))
    }

    /// The column of ids of a table, where it has one, else the row numbers.
    pub(crate) fn of_table(table: &Table, id: Option<&str>) -> Result<Self, TableError> {
        let Some(id) = id.filter(|id| table.column(id).is_ok()) else {
            return Ok(Self::numbered(table.rows()));
        };
        let ids: TextColumn = table.texts(id)?.into_iter().collect();
        let mut first_row: HashMap<&str, usize> = HashMap::new();
        for (row, name) in ids.iter().enumerate() {
            if first_row.insert(name, row).is_some() {
                let twice = Problem::new(Code::DuplicateId, table.file(), format!("{name:?} names two rows"));
                return Err(twice.at(table.place(row)).column(id).help("give each row its own id").into());
            }
        }
        Ok(Self::Named(ids))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbered(rows) => rows.count,
            Self::Named(names) => names.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the names are row numbers.
    pub fn is_numbered(&self) -> bool {
        matches!(self, Self::Numbered(_))
    }

    /// The name of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn name(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Numbered(_) => Cow::Owned(row.to_string()),
            Self::Named(names) => Cow::Borrowed(&names[row]),
        }
    }

    /// All names, in order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|row| self.name(row))
    }

    /// The names, written out.
    pub fn list(&self) -> Vec<String> {
        self.iter().map(Cow::into_owned).collect()
    }

    /// The names as text; row numbers are written out once.
    pub fn text(&self) -> &TextColumn {
        match self {
            Self::Numbered(rows) => rows.text.get_or_init(|| TextColumn::row_numbers(rows.count)),
            Self::Named(names) => names,
        }
    }

    /// The row of that name. Cost: a search through all names; for many of them use [`rows`](Self::rows).
    pub fn find(&self, name: &str) -> Option<usize> {
        match self {
            Self::Numbered(rows) => number(name, rows.count),
            Self::Named(names) => names.iter().position(|known| known == name),
        }
    }

    /// The row of each of these names.
    ///
    /// # Errors
    /// [`ProblemError::UnknownName`] for the first that is not there, with the nearest one that is.
    pub fn rows<S: AsRef<str>>(&self, wanted: &[S], what: &'static str) -> Result<Vec<usize>, ProblemError> {
        let index = self.index();
        let row = |name: &S| index.get(name.as_ref()).ok_or_else(|| self.unknown(name.as_ref(), what));
        wanted.iter().map(row).collect()
    }

    /// The rows by name, to look up many of them.
    pub fn index(&self) -> NameIndex<'_> {
        match self {
            Self::Numbered(rows) => NameIndex::Numbered(rows.count),
            Self::Named(names) => {
                NameIndex::Named(names.iter().enumerate().map(|(row, id)| (id, row)).collect())
            }
        }
    }

    /// That there is no row of this name, with the nearest one that there is.
    pub fn unknown(&self, name: &str, what: &'static str) -> ProblemError {
        let nearest = match self {
            Self::Numbered(_) => None,
            Self::Named(names) => nearest(name, names.iter()).map(str::to_owned),
        };
        let examples = self.iter().take(5).map(Cow::into_owned).collect();
        ProblemError::UnknownName { name: name.to_owned(), what, nearest, rows: self.len(), examples }
    }

    /// Only these rows, which then have names of their own.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbered(all) if rows.len() == all.count => self.clone(),
            _ => Self::Named(rows.iter().map(|&row| self.name(row)).collect()),
        }
    }
}

/// Rows by name.
#[derive(Debug)]
pub enum NameIndex<'a> {
    /// The name is the row.
    Numbered(usize),
    /// A row for each name.
    Named(HashMap<&'a str, usize>),
}

impl NameIndex<'_> {
    /// The row of that name.
    pub fn get(&self, name: &str) -> Option<usize> {
        match self {
            Self::Numbered(count) => number(name, *count),
            Self::Named(rows) => rows.get(name).copied(),
        }
    }
}

/// A row number as it is printed, not `+1` or `01`.
fn number(name: &str, count: usize) -> Option<usize> {
    name.parse::<usize>().ok().filter(|row| *row < count && row.to_string() == name)
}
