//! Candidates from factors: ranges, levels and mixtures become a table of every allowed combination, a regular fraction of it, or a sample
//! that fills it evenly.
//!
//! | part | what it is |
//! |---|---|
//! | [`Factor`] | one column with its levels: `temp=20:100:20`, `base=K2CO3,KOAc` |
//! | [`Mixture`] | several columns that sum to 1: `A,B,C:0.05` |
//! | [`Factors`] | all of them, the conditions that rows must meet, and how many rows are wanted |
//! | [`Selection`] | all combinations, a fraction, or a sample |

mod fraction;
mod grid;
mod parse;
mod sample;

use elfving::named::named_enum;
use elfving::units::ErrorKind;
use elfving_table::{Condition, Table};

pub use grid::Rows;
pub(crate) use parse::is_ranges;

/// A full table may have so many rows; larger ones are sampled.
pub const MOST_ROWS: u64 = 10_000_000;
/// Levels of a range without a step: low, middle and high, what a quadratic model needs.
pub const USUAL_LEVELS: usize = 3;

/// What can be wrong with factors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FactorError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl FactorError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }
}

/// The values a factor can take.
#[derive(Debug, Clone, PartialEq)]
pub enum Levels {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Categories.
    Names(Vec<String>),
}

impl Levels {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Names(names) => names.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One column of the table and its levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// The name of the column.
    pub name: String,
    /// Its levels, each once.
    pub levels: Levels,
}

/// Columns that sum to 1, in equal steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mixture {
    /// The names of the columns.
    pub names: Vec<String>,
    /// Steps from 0 to 1: each part is a multiple of `1 / steps`.
    pub steps: usize,
}

named_enum! {
    /// How a sample is spread over the combinations.
    pub enum SampleMethod: "sample method" {
        /// A scrambled Sobol sequence over the levels.
        Sobol = "sobol": "A scrambled Sobol sequence: every factor and every pair evenly",
        /// Each row as far as possible from those before it.
        Maximin = "maximin": "Each row as far as possible from the others",
    }
}

/// How many of the combinations are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// Every one.
    #[default]
    All,
    /// One in so many, by a regular fraction of the highest resolution that was found.
    Fraction {
        /// A power of the number of levels.
        one_in: u64,
    },
    /// So many different ones.
    Sample {
        /// How many.
        rows: usize,
        /// How they are spread.
        method: SampleMethod,
        /// Of the random choices.
        seed: u64,
    },
}

/// Factors, mixtures, the conditions that rows must meet, and how many rows are wanted.
///
/// ```
/// use elfving_problem::factors::{Factor, Factors, Mixture};
/// let factors = Factors::new(vec![Factor::parse("temp=20:100:40", 3)?, Factor::parse("base=K2CO3,KOAc", 3)?], vec![])?
///     .only("temp < 100 or base = 'KOAc'".parse()?);
/// assert_eq!(factors.combinations(), 6);
/// assert_eq!(factors.rows()?.len(), 5);
/// let table = factors.table()?;
/// assert_eq!(table.texts("base")?[4], "KOAc");
/// let blends = Factors::new(vec![], vec![Mixture::parse("A,B,C:0.5")?])?;
/// assert_eq!(blends.table()?.numbers("A")?, [0.0, 0.0, 0.0, 0.5, 0.5, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    factors: Vec<Factor>,
    mixtures: Vec<Mixture>,
    conditions: Vec<Condition>,
    selection: Selection,
    id: String,
}

impl Factors {
    /// All combinations of these.
    ///
    /// # Errors
    /// [`FactorError`] for none at all, for two columns of the same name and for more combinations than can be counted.
    pub fn new(factors: Vec<Factor>, mixtures: Vec<Mixture>) -> Result<Self, FactorError> {
        let made = Self {
            factors,
            mixtures,
            conditions: Vec::new(),
            selection: Selection::All,
            id: "id".to_owned(),
        };
        made.check_names()?;
        if made.counted().is_none() {
            return Err(FactorError::new(
                "there are more combinations than can be counted",
                "give fewer factors or fewer levels",
            ));
        }
        Ok(made)
    }

    /// Only rows that meet this condition, too.
    #[must_use]
    pub fn only(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// How many of the combinations are wanted.
    #[must_use]
    pub fn select(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// The name of the column of ids, `id` unless it is given.
    ///
    /// # Errors
    /// [`FactorError`] when a factor has that name.
    pub fn id(mut self, name: impl Into<String>) -> Result<Self, FactorError> {
        self.id = name.into();
        self.check_names()?;
        Ok(self)
    }

    /// The names of the columns behind the ids: the factors, then the parts of the mixtures.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let factors = self.factors.iter().map(|factor| factor.name.as_str());
        factors.chain(self.mixtures.iter().flat_map(|mixture| mixture.names.iter().map(String::as_str)))
    }

    /// The name of the column of ids.
    pub fn id_name(&self) -> &str {
        &self.id
    }

    /// The combinations there are before any condition.
    pub fn combinations(&self) -> u64 {
        self.counted().expect("it was counted when it was made")
    }

    fn counted(&self) -> Option<u64> {
        self.axes().into_iter().try_fold(1_u64, |product, axis| product.checked_mul(axis))
    }

    /// How many values each factor and each mixture has.
    fn axes(&self) -> Vec<u64> {
        let factors = self.factors.iter().map(|factor| factor.levels.len() as u64);
        factors.chain(self.mixtures.iter().map(grid::blends)).collect()
    }

    /// The combinations that are wanted and allowed.
    ///
    /// # Errors
    /// [`FactorError`] for a condition that does not fit the factors or that no row meets, for a fraction that there is not, and for more than
    /// [`MOST_ROWS`].
    pub fn rows(&self) -> Result<Rows<'_>, FactorError> {
        let all = self.combinations();
        let too_many = |count: u64| {
            let message = format!("{count} combinations are more than a table of {MOST_ROWS} rows holds");
            FactorError::new(message, "take a sample of them (10,000 rows, say), or fewer levels")
        };
        let rows = match self.selection {
            Selection::All if all > MOST_ROWS => return Err(too_many(all)),
            Selection::All => grid::allowed(self, 0..all)?,
            Selection::Fraction { one_in } => {
                let chosen = fraction::rows(self, one_in)?;
                grid::allowed(self, chosen)?
            }
            Selection::Sample { rows, method, seed } => sample::rows(self, rows, method, seed)?,
        };
        if rows.is_empty() {
            return Err(FactorError::new(
                "no combination of the levels meets every condition",
                "check the conditions, or give more levels",
            ));
        }
        Ok(Rows::new(self, rows))
    }

    /// The whole table: ids, then the columns.
    ///
    /// # Errors
    /// Those of [`rows`](Self::rows).
    pub fn table(&self) -> Result<Table, FactorError> {
        let rows = self.rows()?;
        Ok(rows.block(0..rows.len()))
    }

    fn check_names(&self) -> Result<(), FactorError> {
        let mut seen = vec![self.id.as_str()];
        for name in self.names() {
            if seen.contains(&name) {
                let message = match name == self.id {
                    true => format!("a factor is called {name:?}, as the column of ids is"),
                    false => format!("two factors are called {name:?}"),
                };
                return Err(FactorError::new(message, "give every column a name of its own"));
            }
            seen.push(name);
        }
        if seen.len() == 1 {
            return Err(FactorError::new(
                "there are no factors",
                "name at least one, such as temp=20:100:20",
            ));
        }
        Ok(())
    }
}
