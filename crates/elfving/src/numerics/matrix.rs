//! A dense row-major matrix of `f64`: the one array type of public signatures.

use super::storage::{SharedEntries, Storage};
use serde::{Deserialize, Serialize};

/// A dense matrix stored row by row, so that a candidate is a contiguous slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Matrix {
    rows: usize,
    columns: usize,
    data: Storage,
}

impl Matrix {
    /// Takes `rows × columns` numbers stored row by row, without copying.
    ///
    /// # Panics
    /// When `data.len() != rows * columns`.
    pub fn from_row_major(rows: usize, columns: usize, data: Vec<f64>) -> Self {
        assert_eq!(data.len(), rows * columns, "a {rows} x {columns} matrix");
        Self { rows, columns, data: data.into() }
    }

    /// Looks at `rows × columns` numbers that somebody else keeps, stored row by row. They are copied when the matrix is written to, and
    /// a clone looks at the same numbers.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use elfving::numerics::Matrix;
    ///
    /// let kept = Arc::new(vec![1.0, 2.0, 3.0, 4.0]);
    /// let mut matrix = Matrix::shared(2, 2, kept.clone());
    /// assert!(std::ptr::eq(matrix.as_slice(), &kept[..]));
    /// matrix[(0, 0)] = 5.0;
    /// assert_eq!((matrix[(0, 0)], kept[0]), (5.0, 1.0));
    /// ```
    ///
    /// # Panics
    /// When there are not `rows * columns` of them.
    pub fn shared(rows: usize, columns: usize, entries: SharedEntries) -> Self {
        assert_eq!((*entries).as_ref().len(), rows * columns, "a {rows} x {columns} matrix");
        Self { rows, columns, data: Storage::Shared(entries) }
    }

    /// The same numbers, kept so that a clone looks at them and copies nothing.
    #[must_use]
    pub fn into_shared(self) -> Self {
        match self.data {
            Storage::Own(entries) => Self::shared(self.rows, self.columns, std::sync::Arc::new(entries)),
            Storage::Shared(_) => self,
        }
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self::from_row_major(rows, columns, vec![0.0; rows * columns])
    }

    /// The identity of order `n`.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| f64::from(i == j))
    }

    /// Fills a matrix entry by entry.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            for j in 0..columns {
                data.push(entry(i, j));
            }
        }
        Self { rows, columns, data: data.into() }
    }

    /// Stacks rows of equal length.
    ///
    /// # Panics
    /// When the rows differ in length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        let mut data = Vec::with_capacity(rows.len() * columns);
        for row in rows {
            assert_eq!(row.as_ref().len(), columns, "rows of equal length");
            data.extend_from_slice(row.as_ref());
        }
        Self { rows: rows.len(), columns, data: data.into() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.columns..(i + 1) * self.columns]
    }

    /// Row `i`, to write.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.columns..(i + 1) * self.columns]
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All entries, row by row, to write.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Rows `start..end` as one contiguous slice.
    pub fn row_range(&self, start: usize, end: usize) -> &[f64] {
        &self.data[start * self.columns..end * self.columns]
    }

    /// Every row minus the first one: differences of rows stay, and large common parts do not drown them.
    #[must_use]
    pub fn relative_to_first_row(&self) -> Self {
        let mut shifted = self.clone();
        if let Some(first) = (self.rows() > 0).then(|| self.row(0)) {
            for i in 0..self.rows() {
                shifted.row_mut(i).iter_mut().zip(first).for_each(|(entry, first)| *entry -= first);
            }
        }
        shifted
    }

    /// Copies the named rows, in the order given.
    pub fn select_rows(&self, indices: &[usize]) -> Self {
        let mut data = Vec::with_capacity(indices.len() * self.columns);
        for &i in indices {
            data.extend_from_slice(self.row(i));
        }
        Self { rows: indices.len(), columns: self.columns, data: data.into() }
    }

    /// Multiplies every row by its factor.
    pub fn scale_rows(&mut self, by: &[f64]) {
        debug_assert_eq!(self.rows, by.len());
        for (i, by) in by.iter().enumerate() {
            self.row_mut(i).iter_mut().for_each(|entry| *entry *= by);
        }
    }

    /// The transpose, copied.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// The largest absolute entry; 0 for an empty matrix.
    pub fn max_abs(&self) -> f64 {
        self.data.iter().fold(0.0, |m, x| x.abs().max(m))
    }

    /// Position of the first entry that is not finite.
    pub fn first_non_finite(&self) -> Option<(usize, usize)> {
        let at = self.data.iter().position(|x| !x.is_finite())?;
        Some((at / self.columns, at % self.columns))
    }

    /// Gives the entries back, row by row; shared ones are copied.
    pub fn into_vec(self) -> Vec<f64> {
        self.data.into_vec()
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.columns + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}

/// A matrix as it comes from a file, before its length is checked.
#[derive(Deserialize)]
struct Stored {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl TryFrom<Stored> for Matrix {
    type Error = String;
    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { rows, columns, data } = stored;
        if rows.checked_mul(columns) == Some(data.len()) {
            Ok(Self { rows, columns, data: data.into() })
        } else {
            Err(format!("a {rows} x {columns} matrix cannot have {} entries", data.len()))
        }
    }
}
