//! The directions that rows span, by a QR factorisation and singular values: no condition number is squared.
//!
//! Columns are first brought to one scale by powers of two, which rounds nothing. Designs, roundings and estimates all
//! find their coordinates so, each from other rows.

use super::{Matrix, RightSingular, right_singular, triangular_factor};

/// Singular values below this fraction of the largest carry too few digits to be worked with.
const RANK_TOLERANCE: f64 = 1e-13;
/// Below this fraction, times the columns, they are the rounding of the table: its columns are dependent.
const NOISE: f64 = 10.0 * f64::EPSILON;
/// A spectrum that reaches from here into the noise has no clear rank.
const CLEAR: f64 = 1e-6;
/// A vector with more than this fraction outside the span is not in it.
const OUTSIDE: f64 = 1e3 * f64::EPSILON;

/// An orthonormal basis of the span of rows whose columns were scaled.
#[derive(Debug, Clone)]
pub(crate) struct RowSpan {
    /// Right singular vectors that carry something, k × r.
    pub(crate) directions: Matrix,
    /// Their singular values, the largest first.
    pub(crate) values: Vec<f64>,
    /// Whether a direction was left out that may be one: the columns are neither dependent nor independent in double
    /// precision.
    pub(crate) doubtful: bool,
}

impl RowSpan {
    /// Of rows with columns of order one; `None` when they are not finite. No direction when all are zero. Cost: 2 n r².
    pub(crate) fn of(scaled: &Matrix) -> Option<Self> {
        let RightSingular { mut values, vectors } = right_singular(&triangular_factor(scaled))?;
        let cut = RANK_TOLERANCE * values[0] * (scaled.columns() as f64).sqrt();
        let rank = values.iter().filter(|&&value| value > cut).count();
        let noise = NOISE * values[0] * scaled.columns() as f64;
        let blurred = values[rank..].iter().any(|&value| value > noise);
        let doubtful = blurred || (0 < rank && rank < values.len() && values[rank - 1] < CLEAR * values[0]);
        values.truncate(rank);
        Some(Self { directions: vectors.select_rows(&(0..rank).collect::<Vec<_>>()), values, doubtful })
    }

    /// Whether a row has a part outside the span, beyond rounding. `outside`: the length of that part, `whole`: of the
    /// row, `inner`: of its coordinates over the singular values. Rows that were wrong in the last digit would turn the
    /// span by as much as `inner` says.
    pub(crate) fn is_outside(&self, outside: f64, whole: f64, inner: f64) -> bool {
        let largest = self.values.first().copied().unwrap_or(0.0);
        !(outside <= OUTSIDE * whole.max(largest * inner))
    }
}

/// For each column the power of two that brings its largest entry, or `floor` if that is larger, into [1, 2). A column of
/// zeros stays one.
pub(crate) fn column_scale(rows: &Matrix, floor: f64) -> Vec<f64> {
    let mut largest = vec![floor; rows.columns()];
    for i in 0..rows.rows() {
        largest.iter_mut().zip(rows.row(i)).for_each(|(m, x)| *m = m.max(x.abs()));
    }
    largest.iter().map(|&m| if m > 0.0 { (-m.log2().floor()).exp2() } else { 1.0 }).collect()
}

/// Columns of zeros take the scale of `others`: what is never measured counts at its own size.
pub(crate) fn scale_empty_columns(scale: &mut [f64], rows: &Matrix, others: &Matrix) {
    let own = column_scale(others, 0.0);
    for (j, by) in scale.iter_mut().enumerate() {
        if (0..rows.rows()).all(|i| rows[(i, j)] == 0.0) {
            *by = own[j];
        }
    }
}

/// Every column times its number.
pub(crate) fn scale_columns(rows: &Matrix, by: &[f64]) -> Matrix {
    let mut out = rows.clone();
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(by).for_each(|(value, by)| *value *= by);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_any_scale_become_of_order_one_without_rounding() {
        let rows = Matrix::from_rows(&[[3e-200, 0.0, -5e150], [1e-200, 0.0, 7.0]]);
        let by = column_scale(&rows, 0.0);
        assert!(by.iter().all(|by| by.log2().fract() == 0.0) && by[1] == 1.0);
        let scaled = scale_columns(&rows, &by);
        assert!((1.0..2.0).contains(&scaled[(0, 0)]) && (1.0..2.0).contains(&-scaled[(0, 2)]));
        assert_eq!(scaled[(1, 0)] / by[0], 1e-200);
        assert_eq!(column_scale(&rows, 8.0)[1], 0.125);
    }

    #[test]
    fn directions_that_are_rounding_noise_are_left_out() {
        let rows = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0 + 1e-15], [2.0, 2.0]]);
        let span = RowSpan::of(&rows).unwrap();
        assert_eq!((span.values.len(), span.directions.rows()), (1, 1));
        assert!(!span.doubtful, "dependent up to the rounding of the table");
        assert_eq!(RowSpan::of(&Matrix::zeros(3, 2)).unwrap().values.len(), 0);
        assert!(RowSpan::of(&Matrix::from_rows(&[[f64::NAN, 1.0]])).is_none());
    }

    #[test]
    fn a_direction_between_rounding_and_use_is_in_doubt() {
        let near = |by: f64| Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0 + by], [2.0, 2.0]]);
        for (by, rank, doubtful) in [(0.0, 1, false), (1e-13, 1, true), (1e-10, 2, false)] {
            let span = RowSpan::of(&near(by)).unwrap();
            assert_eq!((span.values.len(), span.doubtful), (rank, doubtful), "{by:e}");
        }
        // Powers on [1000, 1001]: each singular value is a thousandth of the one before, down to the rounding.
        let powers = Matrix::from_fn(11, 5, |i, k| (1.0 + i as f64 * 1e-4).powi(k as i32));
        assert!(RowSpan::of(&powers).unwrap().doubtful);
    }
}
