//! What the user calls the rows of a pool.

use std::borrow::Cow;

use elfving_table::nearest;
use serde::{Deserialize, Serialize};

use crate::failure::{Answer, Failure};

/// The name of each row: its own, or its number from 0. A million numbered rows take no memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Ids {
    Numbered(usize),
    Named(Vec<String>),
}

impl Ids {
    /// Names for `rows` rows, all different.
    pub(crate) fn new(names: Option<Vec<String>>, rows: usize, what: &str) -> Answer<Self> {
        let Some(names) = names else { return Ok(Self::Numbered(rows)) };
        if names.len() != rows {
            return Err(Failure::data(format!("{} ids for {rows} {what}: give one each", names.len())));
        }
        let mut seen = std::collections::HashMap::with_capacity(rows);
        for (row, name) in names.iter().enumerate() {
            if let Some(first) = seen.insert(name.as_str(), row) {
                let message = format!("{name:?} is the id of rows {first} and {row}: give each its own");
                return Err(Failure::data(message));
            }
        }
        Ok(Self::Named(names))
    }

    pub(crate) fn of(names: Vec<String>) -> Self {
        Self::Named(names)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbered(count) => *count,
            Self::Named(names) => names.len(),
        }
    }

    pub(crate) fn name(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Numbered(_) => Cow::Owned(row.to_string()),
            Self::Named(names) => Cow::Borrowed(&names[row]),
        }
    }

    /// The names, written out.
    pub(crate) fn list(&self) -> Vec<String> {
        match self {
            Self::Numbered(count) => (0..*count).map(|row| row.to_string()).collect(),
            Self::Named(names) => names.clone(),
        }
    }

    /// The row of each name.
    pub(crate) fn rows(&self, wanted: &[String]) -> Answer<Vec<usize>> {
        match self {
            Self::Numbered(count) => wanted
                .iter()
                .map(|name| match name.parse::<usize>() {
                    Ok(row) if row < *count => Ok(row),
                    _ => Err(Failure::option(format!(
                        "there is no row {name}: the rows are 0 to {}",
                        count - 1
                    ))),
                })
                .collect(),
            Self::Named(names) => {
                let rows: std::collections::HashMap<&str, usize> =
                    names.iter().enumerate().map(|(row, name)| (name.as_str(), row)).collect();
                wanted
                    .iter()
                    .map(|name| {
                        rows.get(name.as_str()).copied().ok_or_else(|| {
                            let hint = nearest(name, names.iter().map(String::as_str))
                                .map_or_else(String::new, |close| format!("; the nearest is {close:?}"));
                            Failure::option(format!("there is no candidate {name:?}{hint}"))
                        })
                    })
                    .collect()
            }
        }
    }
}
