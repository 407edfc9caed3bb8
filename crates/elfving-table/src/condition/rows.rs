//! Which rows of a table meet a condition.

use std::collections::HashSet;

use super::{Condition, Level, Name, Node, Sum, Values};
use crate::column::{Column, ColumnData};
use crate::number::{Reading, classify};
use crate::problem::{Place, quoted};
use crate::table::Table;
use elfving::text::TextError;
use elfving::text::nearest;

impl Condition {
    /// The rows that meet the condition, in order. Cost: one pass over the columns it names.
    ///
    /// # Errors
    /// [`TextError`] for a column or a level that the table does not have, and for numbers compared with text.
    pub fn rows(&self, table: &Table) -> Result<Vec<usize>, TextError> {
        let holds = self.part(&self.root, table)?;
        Ok((0..table.rows()).filter(|&row| holds[row]).collect())
    }

    /// Whether one row meets the condition. For many rows use [`rows`](Self::rows).
    ///
    /// # Errors
    /// Those of [`rows`](Self::rows).
    ///
    /// # Panics
    /// When there is no such row.
    pub fn matches(&self, table: &Table, row: usize) -> Result<bool, TextError> {
        assert!(row < table.rows(), "row {row} of {}", table.rows());
        Ok(self.rows(table)?.binary_search(&row).is_ok())
    }

    /// Whether each row meets a part.
    fn part(&self, part: &Node, table: &Table) -> Result<Vec<bool>, TextError> {
        let both = |parts: &[Node], join: fn(bool, bool) -> bool| {
            let mut holds = self.part(&parts[0], table)?;
            for part in &parts[1..] {
                let other = self.part(part, table)?;
                holds.iter_mut().zip(other).for_each(|(holds, other)| *holds = join(*holds, other));
            }
            Ok(holds)
        };
        match part {
            Node::And(parts) => both(parts, |a, b| a && b),
            Node::Or(parts) => both(parts, |a, b| a || b),
            Node::Not(part) => Ok(self.part(part, table)?.into_iter().map(|holds| !holds).collect()),
            Node::Numbers { left, how, right, .. } => {
                let (left, right) = (self.sum(left, table)?, self.sum(right, table)?);
                // Empty cells are NaN, which is unequal to everything.
                let holds = |(a, b): (f64, f64)| !a.is_nan() && !b.is_nan() && how.holds(a, b);
                Ok(left.into_iter().zip(right).map(holds).collect())
            }
            Node::Text { column, equal, text } => {
                let cells = self.texts(column, std::slice::from_ref(text), table)?;
                let wanted = text.text.trim();
                Ok(cells.iter().map(|cell| !cell.is_empty() && (*cell == wanted) == *equal).collect())
            }
            Node::In { column, values: Values::Texts(texts) } => {
                let cells = self.texts(column, texts, table)?;
                let wanted: HashSet<&str> = texts.iter().map(|level| level.text.trim()).collect();
                Ok(cells.iter().map(|cell| wanted.contains(cell)).collect())
            }
            Node::In { column, values: Values::Numbers(numbers) } => {
                let cells = self.numbers(column, table)?;
                Ok(cells.iter().map(|cell| numbers.contains(cell)).collect())
            }
            Node::Empty { column } => Ok(match &self.column(column, table)?.data {
                ColumnData::Numbers(numbers) => vec![false; numbers.len()],
                ColumnData::Texts(texts) => texts.iter().map(|cell| cell.trim().is_empty()).collect(),
            }),
        }
    }

    fn column<'t>(&self, name: &Name, table: &'t Table) -> Result<&'t Column, TextError> {
        if let Some(at) = table.position(&name.name) {
            return Ok(&table.columns()[at]);
        }
        let names = || table.columns().iter().map(Column::name);
        let help = match nearest(&name.name, names()) {
            Some(close) => format!("the nearest is {close:?}"),
            None => {
                let names: Vec<String> = names().take(12).map(|name| format!("{name:?}")).collect();
                format!("the columns are {}", names.join(", "))
            }
        };
        Err(name.at.error(&self.text, format!("there is no column {:?}; {help}", name.name)))
    }

    fn sum(&self, sum: &Sum, table: &Table) -> Result<Vec<f64>, TextError> {
        let mut total = vec![sum.constant; table.rows()];
        for (factor, name) in &sum.terms {
            let numbers = self.numbers(name, table)?;
            total.iter_mut().zip(numbers).for_each(|(total, number)| *total += factor * number);
        }
        Ok(total)
    }

    /// A column as numbers, NaN where the cell is empty.
    fn numbers(&self, name: &Name, table: &Table) -> Result<Vec<f64>, TextError> {
        let texts = match &self.column(name, table)?.data {
            ColumnData::Numbers(numbers) => return Ok(numbers.values().into_owned()),
            ColumnData::Texts(texts) => texts,
        };
        let decimal = table.dialect().decimal;
        let read = |(row, cell)| match classify(cell, decimal) {
            Reading::Number(number) => Ok(number),
            Reading::Empty => Ok(f64::NAN),
            _ => {
                let place = match table.place(row) {
                    Place::Line(line) => format!("line {line}"),
                    Place::Row(row) => format!("row {row}"),
                    Place::File => "the file".to_owned(),
                };
                let message = format!(
                    "column {:?} holds text ({} in {place}); compare it with text in quotes",
                    name.name,
                    quoted(cell.trim())
                );
                Err(name.at.error(&self.text, message))
            }
        };
        texts.iter().enumerate().map(read).collect()
    }

    /// A column as text without the spaces around it; every text it is compared with occurs in it.
    fn texts<'t>(&self, name: &Name, levels: &[Level], table: &'t Table) -> Result<Vec<&'t str>, TextError> {
        let ColumnData::Texts(texts) = &self.column(name, table)?.data else {
            let at = levels.first().map_or(name.at, |level| level.at);
            let message = format!("column {:?} holds numbers; write the number without quotes", name.name);
            return Err(at.error(&self.text, message));
        };
        let cells: Vec<&str> = texts.iter().map(str::trim).collect();
        let known: HashSet<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
        for level in levels {
            let wanted = level.text.trim();
            if wanted.is_empty() {
                return Err(level.at.error(&self.text, "for an empty cell write `is empty`"));
            }
            if !known.contains(wanted) {
                let mut all: Vec<&str> = known.iter().copied().collect();
                all.sort_unstable();
                let help = match nearest(wanted, all.iter().copied()) {
                    Some(close) => format!("the nearest is {close:?}"),
                    None => {
                        let some: Vec<String> =
                            all.iter().take(8).map(|level| format!("{level:?}")).collect();
                        format!("it has {}", some.join(", "))
                    }
                };
                let message = format!("column {:?} never has {}; {help}", name.name, quoted(wanted));
                return Err(level.at.error(&self.text, message));
            }
        }
        Ok(cells)
    }
}
