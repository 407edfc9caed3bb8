//! Linear dependencies among the rows of a matrix.

use super::Matrix;
use super::product::view;

/// A basis of the vectors z with `Σ z_i x_i = 0` over the rows x_i of `x` (n × q): one vector a row, each n long.
///
/// By QR with pivoting on the rows: those whose remainder falls below `tolerance` times the longest row
/// count as dependent on the ones before. Every vector has exactly one entry 1 among the dependent rows, where
/// the others have 0. Cost: about 2 n q · min(n, q).
pub fn row_dependencies(x: &Matrix, tolerance: f64) -> Matrix {
    let n = x.rows();
    let factor = view(x).transpose().col_piv_qr();
    let upper = factor.thin_R();
    let order = factor.P().arrays().0;
    let most = upper.nrows();
    let largest = if most > 0 { upper[(0, 0)].abs() } else { 0.0 };
    let rank = (0..most).take_while(|&k| upper[(k, k)].abs() > tolerance * largest).count();

    let mut dependencies = Matrix::zeros(n - rank, n);
    for free in 0..n - rank {
        // R₁₁ c = r₂: the dependent row is the combination c of the independent ones.
        let mut combination: Vec<f64> = (0..rank).map(|k| upper[(k, rank + free)]).collect();
        for k in (0..rank).rev() {
            combination[k] /= upper[(k, k)];
            let value = combination[k];
            for above in 0..k {
                combination[above] -= upper[(above, k)] * value;
            }
        }
        let row = dependencies.row_mut(free);
        row[order[rank + free]] = 1.0;
        for (k, value) in combination.into_iter().enumerate() {
            row[order[k]] = -value;
        }
    }
    dependencies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::multiply;

    #[test]
    fn every_dependency_vanishes_and_all_are_found() {
        // Ten rows in a space of three dimensions, one of them zero.
        let base =
            Matrix::from_fn(10, 3, |i, j| ((i * i * 5 + j * 7 + i * j) % 13) as f64 * f64::from(i != 4));
        let x = multiply(&base, &Matrix::from_fn(3, 6, |i, j| ((3 * i + j * j) % 5) as f64 + 0.5));
        let dependencies = row_dependencies(&x, 1e-12);
        assert_eq!((dependencies.rows(), dependencies.columns()), (7, 10));
        assert!(multiply(&dependencies, &x).max_abs() < 1e-11 * x.max_abs());
    }

    #[test]
    fn independent_rows_have_none() {
        assert_eq!(row_dependencies(&Matrix::identity(5), 1e-12).rows(), 0);
        assert_eq!(row_dependencies(&Matrix::zeros(2, 3), 1e-12).rows(), 2);
    }
}
