//! Model formulas: `~ temp + I(temp^2) + base*time`, the part of the notation of Wilkinson and Rogers (1973) that R, patsy and
//! formulaic share.
//!
//! | file | what it does |
//! |---|---|
//! | `lex`, `parse` | text into terms |
//! | `arithmetic` | what stands in `I( )` and in functions |
//! | `coding` | which categories of which term need all levels, and which one less |
//! | `bound` | a formula on the columns of a table: names and numbers of its features |

mod arithmetic;
mod bound;
mod coding;
mod lex;
mod parse;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::text::TextError;
use arithmetic::Arithmetic;

pub use bound::{BoundFormula, Values, Variable};

/// A model formula.
///
/// | write | means |
/// |---|---|
/// | `~ a + b` | an intercept, a and b; the `~` may be left out |
/// | `a:b` | the product; of categories, every combination |
/// | `a*b` | `a + b + a:b` |
/// | `a/b` | `a + a:b`: b within a |
/// | `(a + b + c)^2`, `**2` | all of them, and their products up to two at a time |
/// | `- a:b` | without this term |
/// | `- 1`, `+ 0` | without the intercept |
/// | `I(a^2)`, `I(a*b/2)` | arithmetic: `+ - * / ^ **` and functions |
/// | `log(a)`, `log2`, `log10`, `exp`, `sqrt`, `abs` | functions of numbers |
/// | `C(lot)` | the column is a category, numbers too |
/// | `C(base, Treatment("KOAc"))` | compared with KOAc; without it the first level in alphabetical order |
/// | `C(base, Sum)` | compared with the mean of the levels |
/// | `` `time (min)` `` | a column with such a name |
///
/// Terms stand by the number of factors in them, then as they were written. A category has one feature less than levels where the
/// terms before it leave that much to it, and one per level where they do not, so that the features are never collinear by construction.
///
/// ```
/// use elfving::pool::formula::{Formula, Variable};
/// let formula = Formula::parse("~ temp + I(temp^2) + base*temp")?;
/// assert_eq!(formula.variables(), ["temp", "base"]);
/// let columns = [Variable::numeric("temp"), Variable::category("base", ["K2CO3", "KOAc"])];
/// let names = formula.bind(&columns)?.names().to_vec();
/// assert_eq!(names, ["Intercept", "temp", "I(temp^2)", "base[T.KOAc]", "temp:base[T.KOAc]"]);
/// let wrong = Formula::parse("~ temp + (base").unwrap_err();
/// assert_eq!(wrong.to_string(), "the ( is not closed\n    ~ temp + (base\n             ^");
/// # Ok::<(), elfving::text::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Formula {
    text: String,
    factors: Vec<Factor>,
    /// In order; the intercept is the term without factors.
    terms: Vec<Term>,
}

/// Positions of the factors of a product, in the order of their first appearance.
type Term = Vec<usize>;

/// What terms are made of.
#[derive(Debug, Clone, PartialEq)]
struct Factor {
    /// As it is written, spaces aside: two factors of one label are one.
    label: String,
    at: Range<usize>,
    kind: FactorKind,
}

#[derive(Debug, Clone, PartialEq)]
enum FactorKind {
    /// A column as it is.
    Column(String),
    /// A column that is a category in any case.
    Category { column: String, coding: Coding },
    /// A number made of columns.
    Number(Arithmetic),
}

/// How a category is compared.
#[derive(Debug, Clone, PartialEq)]
enum Coding {
    /// With one level, by default the first.
    Treatment { reference: Option<String> },
    /// With the mean of all levels.
    Sum,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// [`TextError`] with the place in the text.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        parse::parse(text)
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns it names, each once, in order.
    pub fn variables(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for factor in &self.factors {
            let of_factor = match &factor.kind {
                FactorKind::Column(column) | FactorKind::Category { column, .. } => vec![column.as_str()],
                FactorKind::Number(number) => number.columns(),
            };
            for column in of_factor {
                if !found.contains(&column) {
                    found.push(column);
                }
            }
        }
        found
    }

    /// The columns that it declares to be categories, with `C( )`.
    pub fn categories(&self) -> Vec<&str> {
        let declared = self.factors.iter().filter_map(|factor| match &factor.kind {
            FactorKind::Category { column, .. } => Some(column.as_str()),
            _ => None,
        });
        declared.collect()
    }

    /// Whether there is a constant term.
    pub fn has_intercept(&self) -> bool {
        self.terms.iter().any(Vec::is_empty)
    }

    /// That a column is not there, with the one that was probably meant and the place in the formula.
    pub fn no_such_column<'a>(&self, column: &str, known: impl IntoIterator<Item = &'a str>) -> TextError {
        let help = match crate::text::nearest(column, known) {
            Some(nearest) => format!("; the nearest is {nearest:?}"),
            None => String::new(),
        };
        self.error(self.place_of(column), format!("there is no column {column:?}{help}"))
    }

    fn place_of(&self, column: &str) -> Range<usize> {
        let names = |factor: &&Factor| match &factor.kind {
            FactorKind::Column(name) | FactorKind::Category { column: name, .. } => name == column,
            FactorKind::Number(number) => number.columns().contains(&column),
        };
        self.factors.iter().find(names).map_or(0..self.text.len(), |factor| factor.at.clone())
    }

    fn error(&self, at: Range<usize>, message: String) -> TextError {
        TextError { message, text: self.text.clone(), at }
    }
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for Formula {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Formula {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        Self::parse(&text)
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        formula.text
    }
}
