//! How a table becomes a pool: which columns, read how, under which model.

use std::path::{Path, PathBuf};

use elfving_table::{Code, OneHot, PoolOptions, Problem, ReadOptions, Table, TableError, read, read_bytes};
use serde::{Deserialize, Serialize};

use crate::Model;

/// Everything about a pool but its files. Shells make one of their options; design files and campaigns keep it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolSpec {
    /// How the files are read.
    pub reading: ReadOptions,
    /// Which columns are what.
    pub columns: PoolOptions,
    /// What is made of them.
    pub model: Model,
    /// The column of the outcome, where one was named: no feature, and the one to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

impl PoolSpec {
    /// Reads a table as this pool's are: the column of ids stays text, so that `007` stays `007`.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(&self, source: &Source) -> Result<Table, TableError> {
        let mut reading = self.reading.clone();
        reading.text.extend(self.columns.id.clone().filter(|id| !reading.text.contains(id)));
        source.table(&reading)
    }

    /// Reads a table of targets, which may do without the column of ids.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read_targets(&self, source: &Source) -> Result<Table, TableError> {
        self.read(source).or_else(|refused| {
            let missing = |problem: &Problem| problem.code == Code::NoSuchColumn;
            if refused.problems().is_empty() || !refused.problems().iter().all(missing) {
                return Err(refused);
            }
            let mut reading = self.reading.clone();
            reading.text.retain(|name| self.columns.id.as_ref() != Some(name));
            source.table(&reading).map_err(|_| refused)
        })
    }

    /// Keeps an outcome out of the features, where the table has it: it may be a column of the results alone.
    pub fn leave_out(&mut self, outcome: &str, table: &Table) {
        let known = self.columns.exclude.iter().any(|name| name == outcome);
        if table.column(outcome).is_ok() && !known {
            self.columns.exclude.push(outcome.to_owned());
        }
        self.outcome.get_or_insert_with(|| outcome.to_owned());
    }

    /// Takes text columns that [look like categories](elfving_table::TextLook) as such, unless somebody chose the features.
    pub fn find_categories(&mut self, table: &Table) {
        if self.columns.one_hot != OneHot::Nothing || self.columns.features.is_some() {
            return;
        }
        let others = self.columns.id.iter().chain(&self.columns.exclude).chain(&self.columns.categorical);
        let others = others.map(String::as_str);
        let categories = table.category_columns(others);
        if !categories.is_empty() {
            self.columns.one_hot = OneHot::Columns(categories);
        }
    }
}

/// Where a table comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// The content of a file that was read already.
    Bytes {
        /// Its name; the extension says what it is.
        name: String,
        /// Its content.
        bytes: Vec<u8>,
    },
}

impl Source {
    fn table(&self, reading: &ReadOptions) -> Result<Table, TableError> {
        match self {
            Self::File(path) => read(path, reading),
            Self::Bytes { name, bytes } => read_bytes(name, bytes, reading),
        }
    }

    /// The name without its folder.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => file_name(path),
            Self::Bytes { name, .. } => name.clone(),
        }
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// A file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
