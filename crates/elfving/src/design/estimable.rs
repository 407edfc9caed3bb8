//! What some measurements leave open.

use crate::numerics::{Matrix, RowSpan, column_scale, scale_columns};

/// A coefficient with more than this fraction of its direction unseen is not determined.
const UNSEEN: f64 = 1e-7;

/// The coefficients that these rows do not determine, although all rows together do; columns of the features, in order.
///
/// ```
/// use elfving::design::undetermined;
/// use elfving::numerics::Matrix;
/// // 1, x, x² at -1, 0, 1: two runs at the ends say nothing of the constant and of the square apart.
/// let features = Matrix::from_fn(3, 3, |i, k| (i as f64 - 1.0).powi(k as i32));
/// assert_eq!(undetermined(&features, &[0, 2]), [0, 2]);
/// assert!(undetermined(&features, &[0, 1, 2]).is_empty());
/// ```
pub fn undetermined(features: &Matrix, rows: &[usize]) -> Vec<usize> {
    let scaled = scale_columns(features, &column_scale(features, 0.0));
    let unseen = |of: &Matrix| -> Vec<f64> {
        let mut left = vec![1.0; of.columns()];
        if let Some(RowSpan { directions, .. }) = RowSpan::of(of) {
            for k in 0..directions.rows() {
                left.iter_mut().zip(directions.row(k)).for_each(|(left, x)| *left -= x * x);
            }
        }
        left
    };
    let (by_all, by_rows) = (unseen(&scaled), unseen(&scaled.select_rows(rows)));
    (0..features.columns()).filter(|&k| by_rows[k] > UNSEEN && !(by_all[k] > UNSEEN)).collect()
}
