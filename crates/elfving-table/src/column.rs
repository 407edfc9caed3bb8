//! One column: numbers, or text that is kept as the user wrote it.

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
    Numbers(Vec<f64>),
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
            Self::Numbers(numbers) if x.is_finite() => numbers.push(x),
            _ => self.push_text(&shortest(x, Decimal::Point)),
        }
    }

    fn become_text(&mut self) -> &mut TextColumn {
        if let Self::Numbers(numbers) = self {
            let texts = numbers.iter().map(|&x| shortest(x, Decimal::Point)).collect();
            *self = Self::Texts(texts);
        }
        match self {
            Self::Texts(texts) => texts,
            Self::Numbers(_) => unreachable!("numbers became text above"),
        }
    }
}

/// Text cells in one block of memory: about one machine word a cell beyond the text itself.
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
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

impl<T: AsRef<str>> FromIterator<T> for TextColumn {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        let mut column = Self::default();
        for cell in cells {
            column.push(cell.as_ref());
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_turns_the_column_into_text() {
        let mut data = ColumnData::Numbers(Vec::new());
        for x in [1.5, 2.0, f64::NAN, f64::INFINITY, 3.0] {
            data.push_number(x);
        }
        let ColumnData::Texts(texts) = data else { panic!("text expected") };
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["1.5", "2", "NaN", "inf", "3"]);
    }
}
