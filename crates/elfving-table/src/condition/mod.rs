//! Conditions on the rows of a table: `dose <= 3 and ligand in ("XPhos", "SPhos")`.

mod parse;
mod print;
mod rows;

use elfving::text::TextError;
use serde::{Deserialize, Serialize};

/// A condition on the rows of a table.
///
/// | form | holds where |
/// |---|---|
/// | `dose <= 3`, also `=` `!=` `<` `>` `>=` | the numbers compare so |
/// | `a + b <= 1`, `2*a - b/4 > c` | so do the sums; products have a number on one side |
/// | `ligand = "XPhos"`, `ligand != 'XPhos'` | the cell is, or is not, this text, spaces around it aside |
/// | `ligand in ("XPhos", "SPhos")`, `dose in (1, 2)`, `not in` | the cell is one of these, or none |
/// | `note is empty`, `note is not empty` | the cell is empty, or is not |
/// | `and`, `or`, `not`, `( )` | as usual: `not` before `and` before `or` |
///
/// A column is a bare word (`dose`, `x_1`) or any name in backquotes (`` `time (min)` ``). A comparison with an empty cell never
/// holds. Whatever does not fit the table is refused with its place in the text: a column or a level that is not there, a number
/// compared with text.
///
/// ```
/// use elfving_table::{Condition, ReadOptions, read_bytes};
/// let table = read_bytes("pool.csv", b"id,dose,ligand\na,1,XPhos\nb,5,XPhos\nc,2,dppf\n", &ReadOptions::default())?;
/// let condition = Condition::parse("dose <= 3 and ligand = 'XPhos'")?;
/// assert_eq!(condition.rows(&table)?, [0]);
/// let wrong = Condition::parse("dosis <= 3")?.rows(&table).unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "there is no column \"dosis\"; the nearest is \"dose\"\n    dosis <= 3\n    ^^^^^"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
    text: String,
    root: Node,
}

impl Condition {
    /// The condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The same condition, however it is spaced.
impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl std::str::FromStr for Condition {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Condition {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        Self::parse(&text)
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.text
    }
}

/// A part of a condition.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    /// Two sums of columns and numbers.
    Numbers {
        left: Sum,
        how: Comparison,
        right: Sum,
        at: Span,
    },
    /// A column and a text; equal, or not.
    Text {
        column: Name,
        equal: bool,
        text: Level,
    },
    /// A column and the values that it may have.
    In {
        column: Name,
        values: Values,
    },
    /// A column whose cell is empty.
    Empty {
        column: Name,
    },
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<Level>),
}

/// Columns times numbers, and a number.
#[derive(Debug, Clone, PartialEq, Default)]
struct Sum {
    terms: Vec<(f64, Name)>,
    constant: f64,
}

/// A column as it is called, and where.
#[derive(Debug, Clone, PartialEq)]
struct Name {
    name: String,
    at: Span,
}

/// A text of a column, and where.
#[derive(Debug, Clone, PartialEq)]
struct Level {
    text: String,
    at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Equal, "="),
        (Self::NotEqual, "!="),
        (Self::AtMost, "<="),
        (Self::AtLeast, ">="),
        (Self::Less, "<"),
        (Self::More, ">"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(how, _)| *how == self).map_or("=", |(_, word)| word)
    }

    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::More => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

/// Where a part is in the text; the same condition may be spaced differently.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    fn error(self, text: &str, message: impl Into<String>) -> TextError {
        TextError { message: message.into(), text: text.to_owned(), at: self.start..self.end }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Words that are no columns unless they are in backquotes.
const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "is", "empty"];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn is_bare(name: &str) -> bool {
    name.starts_with(starts_word) && name.chars().all(continues_word) && !is_keyword(name)
}
