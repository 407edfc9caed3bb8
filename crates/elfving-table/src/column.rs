//! One column: numbers, or text that is kept as the user wrote it.

use std::borrow::Cow;
use std::ops::Index;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::number::{Decimal, shortest};

/// A named column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) data: ColumnData,
    /// Whether the reader was told that this is text, whatever it looks like.
    pub(crate) declared_text: bool,
}

impl Column {
    /// The name as the user wrote it, with its spaces and units.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cells.
    pub fn data(&self) -> &ColumnData {
        &self.data
    }
}

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnData {
    /// Every cell is a finite number. The text they were read from is not kept.
    Numbers(Numbers),
    /// At least one cell is something else, or the column was declared as text. Every cell is kept as written.
    Texts(TextColumn),
}

impl ColumnData {
    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        self.become_text().push(text);
    }

    /// Adds a number from a binary file; one that is not finite turns the column into text, so that it can be
    /// named when it is refused.
    pub(crate) fn push_number(&mut self, x: f64) {
        match self {
            Self::Numbers(Numbers(Kept::Apart(numbers))) if x.is_finite() => numbers.push(x),
            _ => self.push_text(&shortest(x, Decimal::Point)),
        }
    }

    fn become_text(&mut self) -> &mut TextColumn {
        if let Self::Numbers(numbers) = self {
            let texts = numbers.iter().map(|x| shortest(x, Decimal::Point)).collect();
            *self = Self::Texts(texts);
        }
        match self {
            Self::Texts(texts) => texts,
            Self::Numbers(_) => unreachable!("numbers became text above"),
        }
    }
}

/// The numbers of a column. Those of an array stay in it: a table of a million rows is kept once.
#[derive(Debug, Clone)]
pub struct Numbers(Kept);

#[derive(Debug, Clone)]
enum Kept {
    Apart(Vec<f64>),
    InArray(Array, usize),
}

/// Rows of numbers, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) entries: Arc<Vec<f64>>,
    pub(crate) width: usize,
}

impl Numbers {
    pub(crate) fn in_array(array: &Array, column: usize) -> Self {
        Self(Kept::InArray(array.clone(), column))
    }

    /// The array these are a column of, and which.
    pub(crate) fn array(&self) -> Option<(&Array, usize)> {
        match &self.0 {
            Kept::Apart(_) => None,
            Kept::InArray(array, column) => Some((array, *column)),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Apart(numbers) => numbers.len(),
            Kept::InArray(array, _) => array.entries.len() / array.width,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> {
        (0..self.len()).map(|row| self[row])
    }

    /// The numbers side by side.
    pub fn values(&self) -> Cow<'_, [f64]> {
        match &self.0 {
            Kept::Apart(numbers) => Cow::Borrowed(numbers),
            Kept::InArray(..) => self.iter().collect(),
        }
    }
}

impl Index<usize> for Numbers {
    type Output = f64;

    fn index(&self, row: usize) -> &f64 {
        match &self.0 {
            Kept::Apart(numbers) => &numbers[row],
            Kept::InArray(array, column) => &array.entries[row * array.width + column],
        }
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(numbers: Vec<f64>) -> Self {
        Self(Kept::Apart(numbers))
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Text cells in one block of memory: about one machine word per cell beyond the text itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Cell `row`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    /// The cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The numbers of `rows` rows, from 0.
    pub fn row_numbers(rows: usize) -> Self {
        (0..rows).map(|row| row.to_string()).collect()
    }

    pub(crate) fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl Index<usize> for TextColumn {
    type Output = str;

    fn index(&self, row: usize) -> &str {
        self.get(row)
    }
}

impl<T: AsRef<str>, const N: usize> PartialEq<[T; N]> for TextColumn {
    fn eq(&self, others: &[T; N]) -> bool {
        self.iter().eq(others.iter().map(AsRef::as_ref))
    }
}

impl<T: AsRef<str>> FromIterator<T> for TextColumn {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        let mut column = Self::default();
        for cell in cells {
            column.push(cell.as_ref());
        }
        column.shrink_to_fit();
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_turns_the_column_into_text() {
        let mut data = ColumnData::Numbers(Vec::new().into());
        for x in [1.5, 2.0, f64::NAN, f64::INFINITY, 3.0] {
            data.push_number(x);
        }
        let ColumnData::Texts(texts) = data else { panic!("text expected") };
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["1.5", "2", "NaN", "inf", "3"]);
    }
}
