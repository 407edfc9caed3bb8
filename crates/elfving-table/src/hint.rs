//! What to do about a problem, as a value: every shell says it in the words of its own options.
//!
//! The library knows that a text column can be encoded as a category; only the program knows that this is called `--one-hot` on a
//! command line and `one_hot=` in Python. `Display` is the advice in neutral words. A shell gives its own words to
//! [`TableError::render`](crate::TableError::render) and [`Warning::render`](crate::Warning::render), which keep the layout.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::number::Decimal;

/// Defines every hint once: its meaning, its fields with an example of each, and its neutral words.
macro_rules! hints {
    ($($(#[$about:meta])* $variant:ident $({ $($(#[$of:meta])* $field:ident: $type:ty = $example:expr,)+ })? => $neutral:expr,)+) => {
        /// A piece of advice. Shells match on it and name their own options; what names none is a [`Text`](Self::Text).
        ///
        /// ```
        /// use elfving_table::{Hint, PoolOptions, PoolTable, ReadOptions, read_bytes};
        /// let table = read_bytes("pool.csv", b"id,ligand\n1,XPhos\n2,PPh3\n", &ReadOptions::default())?;
        /// let refusal = PoolTable::from_table(table, &PoolOptions::default().features(["ligand"])).unwrap_err();
        /// assert_eq!(refusal.problems()[0].help, Some(Hint::OneHot { column: "ligand".to_owned() }));
        /// let words = |hint: &Hint| match hint {
        ///     Hint::OneHot { column } => format!("encode={column}"),
        ///     other => other.to_string(),
        /// };
        /// assert!(refusal.render(&words).ends_with("\n  help: encode=ligand"));
        /// # Ok::<(), elfving_table::TableError>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Hint {
            /// Advice that names no option, and so reads the same everywhere.
            Text(Cow<'static, str>),
            $($(#[$about])* $variant $({ $($(#[$of])* $field: $type,)+ })?,)+
        }

        impl Hint {
            /// One of every kind, for tests that a shell has words for all of them.
            pub fn examples() -> Vec<Self> {
                vec![
                    Self::Text("write the file again".into()),
                    $(Self::$variant $({ $($field: $example,)+ })?,)+
                ]
            }
        }

        impl fmt::Display for Hint {
            /// The advice in words that name no option of any shell.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Text(text) => f.write_str(text),
                    $(Self::$variant $({ $($field,)+ })? => f.write_str(&$neutral),)+
                }
            }
        }
    };
}

hints! {
    /// A number is written with another decimal mark, or with groups of digits.
    Decimal {
        /// The decimal mark that the file was read with.
        mark: Decimal = Decimal::Point,
    } => match mark {
        Decimal::Point => "write numbers like 1234.5; if the file has decimal commas, declare them",
        Decimal::Comma => "the file was read with decimal commas: write numbers like 1234,5",
    },
    /// A line separated by commas has too many or too few cells: perhaps a comma is inside a cell.
    QuoteCommas => "put a cell that contains a comma in quotes; \
                    a file with decimal commas needs ; between its cells and must be declared",
    /// A cell of a feature column is text.
    DeclareText => "correct the cell, declare which number the text stands for, or encode the column as a category",
    /// A cell of a feature column has no finite number.
    CompleteFeature =>
        "a feature must be known for every candidate: correct the cell, remove the row, or leave the column out",
    /// No column is a feature.
    NeedFeatures => "a feature is a numeric column that is neither the id nor left out; \
                     text columns can be encoded as categories",
    /// A column has two roles, or a role that it cannot have.
    CheckRoles => "give each column one role: id, feature, or left out; only features are encoded",
    /// A column of text is to be a feature.
    OneHot {
        /// The column.
        column: String = "ligand".to_owned(),
    } => format!("encode {column:?} as a category, or take it out of the list of features"),
    /// Text columns could be features.
    EncodeText => "text columns can be encoded as categories",
    /// A column has too many values for a category.
    LeaveOut {
        /// The column.
        column: String = "comment".to_owned(),
    } => format!("leave {column:?} out; it may be an id or a comment"),
    /// A column looks like the ids of the candidates.
    NameTheId {
        /// The column.
        column: String = "id".to_owned(),
    } => format!("if {column:?} names the candidates, declare it as the id"),
    /// The columns have very different scales.
    Standardize => "nothing was rescaled; standardize the columns to mean 0 and deviation 1",
    /// An archive holds several arrays.
    ChooseArray {
        /// Their names.
        arrays: Vec<String> = vec!["left".to_owned(), "right".to_owned()],
    } => format!("name the array to read: {}", arrays.join(", ")),
    /// A workbook does not have the sheet.
    ChooseSheet {
        /// Their names.
        sheets: Vec<String> = vec!["Plate 1".to_owned(), "Plate 2".to_owned()],
    } => format!("name the sheet to read: {}", sheets.join(", ")),
    /// The table of targets has no rows.
    GiveTargets => "give at least one row, or no table of targets",
    /// A run has no finite outcome.
    LeaveCellEmpty => "for a failed run leave the cell empty and set status=failed",
    /// A cell is a number with its unit.
    WithoutUnit {
        /// The number alone.
        number: String = "85".to_owned(),
    } => format!("write the number alone: {number}; a unit belongs in the name of the column"),
    /// An outcome is text.
    MarkFailed => "for a failed run leave the cell empty and set status=failed, or declare what the text means",
    /// Several lines name one slot.
    OneLinePerSlot =>
        "keep the line that is right; repeats of a slot go into one cell (0.5;0.6), or are declared as lines of their own",
    /// A slot has another outcome already.
    CorrectOutcome => "remove the line, or correct the outcome and give a reason",
    /// The pool has outcomes.
    UseMeasured {
        /// The file of the pool.
        file: String = "pool.csv".to_owned(),
    } => format!("give {file} as earlier measurements, too, if they are some"),
    /// No slot was handed out yet.
    AskFirst => "no slot was handed out yet: ask for a batch first",
}

impl From<&'static str> for Hint {
    fn from(advice: &'static str) -> Self {
        Self::Text(advice.into())
    }
}

impl From<String> for Hint {
    fn from(advice: String) -> Self {
        Self::Text(advice.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hint_names_an_option_of_a_shell() {
        for hint in Hint::examples() {
            let words = hint.to_string();
            assert!(!words.contains("--") && !words.contains("_") && !words.contains("elfving"), "{words}");
            assert!(!words.ends_with('.'), "{words}");
        }
    }
}
