//! The first two principal coordinates of a table, to show many features on paper.

use elfving::numerics::{Matrix, SymmetricEigen, dot, gram};

/// More columns than this are not looked at: those that vary most are.
const MOST_COLUMNS: usize = 300;
/// More rows than this are not needed to find two axes.
const MOST_ROWS: usize = 20_000;

/// Every row on the two axes along which the table varies most.
#[derive(Debug)]
pub(crate) struct Principal {
    /// One pair a row.
    pub(crate) points: Vec<(f64, f64)>,
    /// Which part of the variance each axis shows.
    pub(crate) shares: (f64, f64),
}

/// The principal coordinates; `None` when all rows are equal. With `standardise` every column counts the same,
/// whatever its unit. Cost: n d² for d ≤ 300, and d³.
pub(crate) fn principal(table: &Matrix, standardise: bool) -> Option<Principal> {
    let n = table.rows();
    let columns = varying_columns(table, standardise);
    if columns.is_empty() {
        return None;
    }
    let centred = Matrix::from_fn(n, columns.len(), |i, k| {
        let Varying { column, mean, unit } = columns[k];
        (table[(i, column)] - mean) / unit
    });
    let stride = n.div_ceil(MOST_ROWS);
    let sample = centred.select_rows(&(0..n).step_by(stride).collect::<Vec<_>>());
    let eigen = SymmetricEigen::new(&gram(&sample)).ok()?;
    let d = columns.len();
    let total: f64 = eigen.values.iter().map(|value| value.max(0.0)).sum();
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let axis = |k: usize| -> (Vec<f64>, f64) {
        match d.checked_sub(k + 1) {
            Some(row) => (fixed_sign(eigen.vectors.row(row)), eigen.values[row].max(0.0) / total),
            None => (vec![0.0; d], 0.0),
        }
    };
    let ((first, share), (second, other_share)) = (axis(0), axis(1));
    let points = (0..n).map(|i| (dot(centred.row(i), &first), dot(centred.row(i), &second))).collect();
    Some(Principal { points, shares: (share, other_share) })
}

struct Varying {
    column: usize,
    mean: f64,
    unit: f64,
}

/// The columns that vary most, in the order of the table.
fn varying_columns(table: &Matrix, standardise: bool) -> Vec<Varying> {
    let n = table.rows() as f64;
    let mut found: Vec<(f64, Varying)> = Vec::new();
    for column in 0..table.columns() {
        let entries = || (0..table.rows()).map(|i| table[(i, column)]);
        let largest = entries().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mean = entries().map(|x| x / n).sum::<f64>();
        let spread = largest * (entries().map(|x| ((x - mean) / largest).powi(2)).sum::<f64>() / n).sqrt();
        if spread > 1e-12 * largest && spread.is_finite() {
            found.push((spread, Varying { column, mean, unit: if standardise { spread } else { 1.0 } }));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_COLUMNS);
    let mut columns: Vec<Varying> = found.into_iter().map(|(_, column)| column).collect();
    columns.sort_by_key(|varying| varying.column);
    columns
}

/// An eigenvector has two signs: the one whose largest entry is positive, so that a picture does not flip.
fn fixed_sign(vector: &[f64]) -> Vec<f64> {
    let largest = vector.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() + 1e-9 { x } else { m });
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    vector.iter().map(|x| sign * x).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_three_dimensions_lies_on_the_first_axis() {
        let table = Matrix::from_fn(11, 3, |i, k| i as f64 * [1.0, 2.0, -2.0][k] + k as f64);
        let found = principal(&table, false).unwrap();
        assert!((found.shares.0 - 1.0).abs() < 1e-12 && found.shares.1.abs() < 1e-12);
        // 3 = |(1, 2, -2)| between neighbours.
        let step = found.points[1].0 - found.points[0].0;
        assert!((step.abs() - 3.0).abs() < 1e-9, "{step}");
        assert!(found.points.iter().all(|p| p.1.abs() < 1e-9));
    }

    #[test]
    fn standardised_columns_count_the_same_whatever_their_unit() {
        let column = |i: usize, k: usize| [(i % 2) as f64, (i / 2 % 2) as f64][k];
        let raw = principal(&Matrix::from_fn(4, 2, |i, k| column(i, k) * [1.0, 1e6][k]), false).unwrap();
        let scaled = principal(&Matrix::from_fn(4, 2, |i, k| column(i, k) * [1.0, 1e6][k]), true).unwrap();
        assert!(raw.shares.0 > 0.999_999);
        assert!((scaled.shares.0 - 0.5).abs() < 1e-9);
    }

    #[test]
    fn equal_rows_have_no_principal_coordinates_and_one_column_has_one() {
        assert!(principal(&Matrix::from_fn(5, 3, |_, k| k as f64), true).is_none());
        let one = principal(&Matrix::from_fn(5, 1, |i, _| i as f64), true).unwrap();
        assert!(one.points.iter().all(|p| p.1 == 0.0));
    }
}
