//! What was noticed about a pool that was accepted. Warnings are data; nothing is printed here.

use std::fmt;

use serde::Serialize;

use crate::code::WarningCode;
use crate::hint::Hint;
use crate::problem::{quoted, with_help};

/// Something a user should know about a pool that was accepted.
///
/// `Display` is `warning[W302]: pool.csv: ...`, and the help on a line of its own in neutral words; [`render`](Self::render) takes
/// the words of a shell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Warning {
    /// The file as the user named it.
    pub file: String,
    /// What was noticed.
    pub notice: Notice,
}

/// What a [`Warning`] is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// Groups of candidates whose features are the same: the ids of each group.
    IdenticalFeatures {
        /// The ids, group by group, in the order of the file.
        groups: Vec<Vec<String>>,
    },
    /// Features that are the same in every row.
    ConstantColumns {
        /// Names of the features.
        columns: Vec<String>,
    },
    /// The largest absolute values of two feature columns differ by more than a factor 1e6.
    ScalesDiffer {
        /// The column with the largest scale, and that scale.
        largest: (String, f64),
        /// The column with the smallest scale, and that scale.
        smallest: (String, f64),
    },
    /// Text columns that are kept but not used as features.
    TextLeftOut {
        /// Names of the columns.
        columns: Vec<String>,
    },
    /// A column called `id` or `index` is used as a feature.
    IdAsFeature {
        /// Name of the column.
        column: String,
    },
    /// The cells of a column are numbers with a unit, which makes them text.
    UnitsInCells {
        /// Name of the column.
        column: String,
        /// Its first cell.
        example: String,
        /// The units, in the order in which they appear.
        units: Vec<String>,
        /// Whether the column is a category; else it is not a feature.
        category: bool,
    },
    /// The outcome column of a campaign's pool has numbers, and nobody said what they are.
    OutcomesInPool {
        /// Name of the column.
        column: String,
        /// How many.
        numbers: usize,
    },
}

impl Warning {
    /// The code, which never changes its meaning.
    pub fn code(&self) -> WarningCode {
        match self.notice {
            Notice::IdenticalFeatures { .. } => WarningCode::IdenticalFeatures,
            Notice::ConstantColumns { .. } => WarningCode::ConstantColumns,
            Notice::ScalesDiffer { .. } => WarningCode::ScalesDiffer,
            Notice::TextLeftOut { .. } => WarningCode::TextLeftOut,
            Notice::IdAsFeature { .. } => WarningCode::IdAsFeature,
            Notice::UnitsInCells { .. } => WarningCode::UnitsInCells,
            Notice::OutcomesInPool { .. } => WarningCode::OutcomesInPool,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match &self.notice {
            Notice::IdenticalFeatures { .. } => {
                "no model can distinguish the candidates of a group; if they differ, add a column that says how".into()
            }
            Notice::ConstantColumns { .. } => {
                "a constant column cannot distinguish candidates; keep it only as the intercept of a linear model".into()
            }
            Notice::ScalesDiffer { .. } => Hint::Standardize,
            Notice::TextLeftOut { .. } => Hint::EncodeText,
            Notice::IdAsFeature { column } => Hint::NameTheId { column: column.clone() },
            Notice::UnitsInCells { column, units, .. } => unit_in_header(column, units),
            Notice::OutcomesInPool { .. } => Hint::UseMeasured { file: self.file.clone() },
        }
    }

    /// The warning as it is printed, with the help in the words of a shell.
    pub fn render(&self, words: &dyn Fn(&Hint) -> String) -> String {
        let message = format!("warning[{}]: {}: {}", self.code(), self.file, self.notice);
        with_help(message, Some(&self.hint()), words)
    }
}

/// Where a unit belongs.
pub(crate) fn unit_in_header(column: &str, units: &[String]) -> Hint {
    match units {
        [unit] => {
            let header = format!("{column} ({unit})");
            format!("name the column {header:?} and write only the numbers in its cells").into()
        }
        _ => "convert the cells to one unit, name it in the header, and write only the numbers in the cells"
            .into(),
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Hint::to_string))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdenticalFeatures { groups } => write!(
                f,
                "{} with different ids and identical features: {}",
                counted(groups.len(), "group of candidates", "groups of candidates"),
                listed(groups.iter().map(|group| format!("{{{}}}", listed(group.iter().cloned())))),
            ),
            Self::ConstantColumns { columns } => write!(
                f,
                "the same value in every row of {} {}",
                if columns.len() == 1 { "column" } else { "columns" },
                listed(columns.iter().map(|name| format!("{name:?}"))),
            ),
            Self::ScalesDiffer { largest, smallest } => write!(
                f,
                "the scales of the columns differ by a factor above 1e{}: {:?} reaches {:e}, {:?} only {:e}",
                // The factor itself may be beyond the range of an f64.
                (largest.1.log10() - smallest.1.log10()).floor(),
                largest.0,
                largest.1,
                smallest.0,
                smallest.1,
            ),
            Self::TextLeftOut { columns } => write!(
                f,
                "text {} not used as {}: {}",
                if columns.len() == 1 { "column" } else { "columns" },
                if columns.len() == 1 { "feature" } else { "features" },
                listed(columns.iter().map(|name| format!("{name:?}"))),
            ),
            Self::IdAsFeature { column } => write!(f, "column {column:?} is used as a feature"),
            Self::UnitsInCells { column, example, category, .. } => write!(
                f,
                "column {column:?} is {}: its cells are numbers with a unit, such as {}",
                if *category { "a category without order" } else { "not used as a feature" },
                quoted(example),
            ),
            Self::OutcomesInPool { column, numbers } => {
                let numbers = counted(*numbers, "number, which is", "numbers, which are");
                write!(f, "the column {column:?} has {numbers} not used")
            }
        }
    }
}

pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The first ten, separated by commas, then how many more.
fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    const SHOWN: usize = 10;
    let more = items.len().saturating_sub(SHOWN);
    let mut text = items.take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_when_printed_and_whole_as_data() {
        let groups: Vec<Vec<String>> = (0..12).map(|g| vec![format!("a{g}"), format!("b{g}")]).collect();
        let warning =
            Warning { file: "pool.csv".into(), notice: Notice::IdenticalFeatures { groups: groups.clone() } };
        let text = warning.to_string();
        assert!(
            text.starts_with("warning[W301]: pool.csv: 12 groups of candidates with different ids"),
            "{text}"
        );
        assert!(text.contains("{a9, b9} and 2 more\n"), "{text}");
        assert_eq!(warning.notice, Notice::IdenticalFeatures { groups });
    }
}
