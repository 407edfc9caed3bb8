//! The variance function of a design over its pool.

use crate::numerics::{Matrix, SymmetricEigen, norm_squared, row_norms, weighted_gram};
use crate::pool::Pool;
use crate::units::{Ridge, Simplex};

/// Eigenvalues below this part of the largest count as zero, and so does such a part of a squared length.
const NEGLIGIBLE: f64 = 1e-12;

/// `φ(x)ᵀ M⁻¹ φ(x)` for every candidate, infinite where the design says nothing about it.
///
/// With collinear columns (every one-hot encoding has them) and γ = 0, M is singular although all candidates are
/// determined: the inverse is taken on the range of M. Cost: n r² and r³.
///
/// ```
/// use elfving::design::variance_function;
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Simplex}};
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let variance = variance_function(&pool, &Simplex::new(vec![0.25, 0.75])?, Ridge::ZERO);
/// assert!((variance[0] - 4.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When there is not one weight for each point.
pub fn variance_function(pool: &Pool, weights: &Simplex, gamma: Ridge) -> Vec<f64> {
    let features = pool.features();
    let (n, r) = (features.rows(), features.columns());
    if gamma.get() > 0.0 {
        return with_ridge(features, weights, gamma.get());
    }
    // Columns in units of their largest entry, so that ranks do not depend on the user's units.
    let mut unit = vec![0.0f64; r];
    for i in 0..n {
        unit.iter_mut().zip(features.row(i)).for_each(|(m, x)| *m = m.max(x.abs()));
    }
    unit.iter_mut().for_each(|m| *m = if *m > 0.0 { *m } else { 1.0 });
    let scaled = Matrix::from_fn(n, r, |i, k| features[(i, k)] / unit[k]);
    let information = weighted_gram(&scaled, weights.as_slice());
    let Ok(eigen) = SymmetricEigen::new(&information) else { return vec![f64::INFINITY; n] };
    let largest = eigen.values[r - 1];
    let unseen = eigen.values.iter().filter(|&&value| !(value > NEGLIGIBLE * largest)).count();
    let whitening = Matrix::from_fn(r, r - unseen, |i, k| {
        eigen.vectors[(unseen + k, i)] / eigen.values[unseen + k].sqrt()
    });
    let mut variance = row_norms(&scaled, &whitening);
    if unseen > 0 {
        let missing = row_norms(&scaled, &Matrix::from_fn(r, unseen, |i, k| eigen.vectors[(k, i)]));
        for i in (0..n).filter(|&i| missing[i] > NEGLIGIBLE.sqrt() * norm_squared(scaled.row(i))) {
            variance[i] = f64::INFINITY;
        }
    }
    variance
}

/// With a ridge everything is determined, and no eigenvalue of M is below γ.
fn with_ridge(features: &Matrix, weights: &Simplex, gamma: f64) -> Vec<f64> {
    let r = features.columns();
    let information = weighted_gram(features, weights.as_slice());
    let Ok(eigen) = SymmetricEigen::new(&information) else { return vec![f64::INFINITY; features.rows()] };
    let whitening =
        Matrix::from_fn(r, r, |i, k| eigen.vectors[(k, i)] / (eigen.values[k].max(0.0) + gamma).sqrt());
    row_norms(features, &whitening)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variance(rows: &[[f64; 2]], weights: &[f64], gamma: f64) -> Vec<f64> {
        let pool = Pool::from_features(Matrix::from_rows(rows)).unwrap();
        variance_function(&pool, &Simplex::new(weights.to_vec()).unwrap(), Ridge::new(gamma).unwrap())
    }

    #[test]
    fn it_is_the_quadratic_form_of_the_inverse() {
        let found = variance(&[[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]], &[0.5, 0.5, 0.0], 0.5);
        let expected = [4.0 / 2.5, 1.0, 1.0 / 2.5 + 1.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_ridge_determines_columns_that_are_next_to_nothing() {
        // The last features of a kernel are this small.
        let found = variance(&[[1.0, 1e-9], [0.0, 2e-9]], &[0.5, 0.5], 0.005);
        assert!((found[0] - 1.0 / 0.505).abs() < 1e-12 && (found[1] - 8e-16).abs() < 1e-18, "{found:?}");
    }

    #[test]
    fn collinear_columns_do_not_hide_it_and_unseen_candidates_are_infinite() {
        // The second column is a million times the first.
        let found = variance(&[[1.0, 1e6], [2.0, 2e6]], &[1.0, 0.0], 0.0);
        assert!((found[0] - 1.0).abs() < 1e-9 && (found[1] - 4.0).abs() < 1e-9, "{found:?}");
        let found = variance(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, 0.0], 0.0);
        assert_eq!(found[1], f64::INFINITY);
    }
}
