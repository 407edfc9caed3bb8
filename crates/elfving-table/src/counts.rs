//! Columns that count, and columns that name candidates: what a table of earlier measurements is made of.

use std::collections::HashMap;

use crate::code::Code;
use crate::problem::{Problem, Problems, TableError};
use crate::table::Table;
use elfving::text::nearest;

/// Counts up to this are exact as `f64`, which is how cells are read.
const MOST: f64 = 9_007_199_254_740_992.0;

impl Table {
    /// A column as counts, `None` where the cell is empty.
    ///
    /// # Errors
    /// `E333` when there is no such column; `E311` to `E313` for every cell that is neither empty nor a number, `E317`
    /// for every number that is not whole, negative, or above 2⁵³.
    pub fn optional_counts(&self, name: &str) -> Result<Vec<Option<u64>>, TableError> {
        let numbers = self.optional_numbers(name)?;
        let mut problems = Problems::default();
        let mut count = |(row, number): (usize, Option<f64>)| {
            let x = number?;
            if (0.0..=MOST).contains(&x) && x.fract() == 0.0 {
                return Some(x as u64);
            }
            problems.add(|| {
                let problem = Problem::new(Code::NotACount, self.file(), format!("{x} is not a count"));
                let help = "give whole numbers >= 0, or leave the cell empty";
                problem.at(self.place(row)).column(name).help(help)
            });
            None
        };
        let counts = numbers.into_iter().enumerate().map(&mut count).collect();
        problems.finish().map(|()| counts)
    }

    /// The position in `known` of the id in every row.
    ///
    /// # Errors
    /// `E333` when there is no such column; `E336` for every id that is not known, with the nearest one that is.
    ///
    /// ```
    /// use elfving_table::{ReadOptions, read_bytes};
    /// let known = ["a1", "b7"].into_iter();
    /// let read = |csv: &[u8]| read_bytes("results.csv", csv, &ReadOptions::default().text("id"));
    /// assert_eq!(read(b"id,yield\nb7,0.5\na1,0.4\nb7,0.6\n")?.positions("id", known.clone())?, [1, 0, 1]);
    /// let refusal = read(b"id,yield\nB-7,0.5\n")?.positions("id", known).unwrap_err().to_string();
    /// assert_eq!(
    ///     refusal,
    ///     "error[E336]: results.csv:2: column \"id\": \"B-7\" is not in the pool\n  help: the nearest id is \"b7\""
    /// );
    /// # Ok::<(), elfving_table::TableError>(())
    /// ```
    pub fn positions<'k>(
        &self,
        name: &str,
        known: impl Iterator<Item = &'k str> + Clone,
    ) -> Result<Vec<usize>, TableError> {
        let position: HashMap<&str, usize> = known.clone().enumerate().map(|(k, id)| (id, k)).collect();
        let mut problems = Problems::default();
        let ids = self.texts(name)?;
        let find = |(row, id): (usize, &String)| {
            let found = position.get(id.as_str()).copied();
            if found.is_none() {
                problems.add(|| self.unknown_id(name, row, id, known.clone()));
            }
            found.unwrap_or(0)
        };
        let positions = ids.iter().enumerate().map(find).collect();
        problems.finish().map(|()| positions)
    }

    fn unknown_id<'k>(
        &self,
        column: &str,
        row: usize,
        id: &str,
        mut known: impl Iterator<Item = &'k str> + Clone,
    ) -> Problem {
        let problem = Problem::new(Code::UnknownId, self.file(), format!("{id:?} is not in the pool"));
        let help = match (nearest(id, known.clone()), known.next()) {
            (Some(close), _) => format!("the nearest id is {close:?}"),
            (None, Some(first)) => format!("the ids of the pool are like {first:?}"),
            (None, None) => "the pool is empty".to_owned(),
        };
        problem.at(self.place(row)).column(column).help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    #[test]
    fn counts_are_whole_and_every_other_cell_is_named() {
        let read = |csv: &str| read_bytes("c.csv", csv.as_bytes(), &ReadOptions::default()).unwrap();
        let counts = read("id,n\na,3\nb,\nc,0\n").optional_counts("n").unwrap();
        assert_eq!(counts, [Some(3), None, Some(0)]);
        let refusal = read("id,n\na,1.5\nb,-1\nc,2\nd,1e300\n").optional_counts("n").unwrap_err();
        let lines: Vec<Option<u64>> = refusal.problems().iter().map(Problem::line).collect();
        assert_eq!(lines, [Some(2), Some(3), Some(5)]);
        assert!(refusal.to_string().starts_with("error[E317]: c.csv:2: column \"n\": 1.5 is not a count"));
    }
}
