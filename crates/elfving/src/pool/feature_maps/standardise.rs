//! Columns to mean 0 and standard deviation 1, on request.

use serde::{Deserialize, Serialize};

use crate::numerics::Matrix;
use crate::pool::PoolError;
use crate::pool::points::check_table;

/// The means and standard deviations of a table's columns, kept to treat later rows alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standardisation {
    /// The mean of each column.
    pub mean: Vec<f64>,
    /// The standard deviation of each column (dividing by n); 0 for a constant one.
    pub sd: Vec<f64>,
}

impl Standardisation {
    /// Measures the columns of a table.
    ///
    /// # Errors
    /// [`PoolError::NoPoints`], [`PoolError::NoFeatures`], [`PoolError::NotFinite`].
    pub fn of(table: &Matrix) -> Result<Self, PoolError> {
        check_table(table)?;
        let n = table.rows() as f64;
        let (mut mean, mut sd) = (Vec::new(), Vec::new());
        for k in 0..table.columns() {
            let column = || (0..table.rows()).map(|i| table[(i, k)]);
            let first = table[(0, k)];
            // Relative to the first entry, so that a constant column has exactly no spread, and in
            // units of the largest deviation, so that no square overflows.
            let unit = column().fold(0.0, |m: f64, x| m.max((x - first).abs()));
            if !unit.is_finite() {
                let (row, value) = (0, first);
                return Err(PoolError::NotFinite { row, column: k, value });
            }
            if unit == 0.0 {
                mean.push(first);
                sd.push(0.0);
                continue;
            }
            let shift = column().map(|x| (x - first) / unit).sum::<f64>() / n;
            let variance = column().map(|x| ((x - first) / unit - shift).powi(2)).sum::<f64>() / n;
            mean.push(first + unit * shift);
            sd.push(unit * variance.sqrt());
        }
        Ok(Self { mean, sd })
    }

    /// `(x - mean) / sd` in each column; a constant column becomes `x - mean`.
    ///
    /// # Errors
    /// [`PoolError::ColumnCount`] for a table with other columns.
    pub fn apply(&self, table: &Matrix) -> Result<Matrix, PoolError> {
        if table.columns() != self.mean.len() {
            return Err(PoolError::ColumnCount { expected: self.mean.len(), got: table.columns() });
        }
        Ok(Matrix::from_fn(table.rows(), table.columns(), |i, k| {
            let divisor = if self.sd[k] > 0.0 { self.sd[k] } else { 1.0 };
            (table[(i, k)] - self.mean[k]) / divisor
        }))
    }
}

/// The standardised table, and how to standardise later rows.
///
/// # Errors
/// Those of [`Standardisation::of`].
///
/// ```
/// use elfving::numerics::Matrix;
/// use elfving::pool::feature_maps::standardise;
/// let (table, how) = standardise(&Matrix::from_rows(&[[1.0, 7.0], [3.0, 7.0]]))?;
/// assert_eq!(table.as_slice(), &[-1.0, 0.0, 1.0, 0.0]);
/// assert_eq!(how.apply(&Matrix::from_rows(&[[4.0, 8.0]]))?.as_slice(), &[2.0, 1.0]);
/// # Ok::<(), elfving::pool::PoolError>(())
/// ```
pub fn standardise(table: &Matrix) -> Result<(Matrix, Standardisation), PoolError> {
    let how = Standardisation::of(table)?;
    Ok((how.apply(table)?, how))
}
