//! Feature maps: what they compute, and that later points are mapped like earlier ones.
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::*;
use elfving::pool::kernels::Rbf;
use elfving::pool::{Factorisation, Points, Pool, PoolError};

fn cube(n: usize, dimension: usize) -> Matrix {
    let steps = [0.819_172_513_396_164, 0.671_043_606_703_789, 0.549_700_477_901_970];
    Matrix::from_fn(n, dimension, |i, k| (0.5 + (i + 1) as f64 * steps[k]).fract())
}

fn points(n: usize, dimension: usize) -> Points {
    Points::new(cube(n, dimension)).unwrap()
}

#[test]
fn the_quadratic_model_in_two_factors() {
    let x = Points::new(Matrix::from_rows(&[[2.0, 3.0], [-1.0, 0.5]])).unwrap();
    let expansion = PolynomialExpansion::default();
    let wanted = Matrix::from_rows(&[[1.0, 2.0, 3.0, 4.0, 6.0, 9.0], [1.0, -1.0, 0.5, 1.0, -0.5, 0.25]]);
    assert_eq!(expansion.map(&x).unwrap(), wanted);
    assert_eq!(expansion.names(&["a", "b"]).unwrap(), ["1", "a", "b", "a^2", "a:b", "b^2"]);
}

#[test]
fn interactions_only_leaves_powers_out() {
    let expansion = PolynomialExpansion::default().degree(3).interactions_only(true).intercept(false);
    assert_eq!(expansion.names(&["a", "b", "c"]).unwrap(), ["a", "b", "c", "a:b", "a:c", "b:c", "a:b:c"]);
    let x = Points::new(Matrix::from_rows(&[[2.0, 3.0, 5.0]])).unwrap();
    assert_eq!(expansion.map(&x).unwrap().as_slice(), &[2.0, 3.0, 5.0, 6.0, 10.0, 15.0, 30.0]);
    let cubic = PolynomialExpansion::default().degree(3).names(&["a", "b"]).unwrap();
    assert_eq!(&cubic[6..], ["a^3", "a^2:b", "a:b^2", "b^3"]);
}

#[test]
fn an_expansion_has_as_many_columns_as_the_binomial_says() {
    // C(d + p, p) monomials of degree at most p in d factors.
    let columns =
        |d: usize, p: usize| PolynomialExpansion::default().degree(p).names(&vec!["x"; d]).unwrap().len();
    assert_eq!((columns(3, 4), columns(5, 2), columns(1, 6), columns(4, 1)), (35, 21, 7, 5));
}

#[test]
fn expansions_that_make_no_sense_are_refused() {
    let map = |expansion: PolynomialExpansion, x: Matrix| expansion.map(&Points::new(x).unwrap());
    let base = PolynomialExpansion::default();
    assert!(matches!(map(base.degree(0), cube(2, 2)), Err(PoolError::Parameter { .. })));
    let many = map(base.degree(20), Matrix::zeros(1, 30)).unwrap_err();
    assert_eq!(many, PoolError::TooManyColumns { limit: 100_000 });
    let overflow = map(base, Matrix::from_rows(&[[1.0], [1e200]])).unwrap_err();
    assert_eq!(overflow, PoolError::NotFinite { row: 1, column: 2, value: f64::INFINITY });
}

#[test]
fn the_default_map_of_a_kernel_is_that_of_its_pool() {
    let kernel = Arc::new(Rbf::new(0.3).unwrap());
    let map = PivotedCholeskyFeatures::new(kernel.clone(), Factorisation::default());
    let pool = Pool::from_kernel(kernel, points(90, 2), None, &Factorisation::default()).unwrap();
    assert_eq!(&map.map(&points(90, 2)).unwrap(), pool.features());
}

#[test]
fn standardised_columns_have_mean_zero_and_deviation_one() {
    let raw = Matrix::from_fn(50, 3, |i, k| [1e6 + i as f64, (i * i) as f64 * 1e-9, 4.25][k]);
    let (table, how) = standardise(&raw).unwrap();
    for k in 0..2 {
        let column: Vec<f64> = (0..50).map(|i| table[(i, k)]).collect();
        let mean = column.iter().sum::<f64>() / 50.0;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 50.0;
        assert!(mean.abs() < 1e-13 && (variance - 1.0).abs() < 1e-13, "{mean:e} {variance}");
    }
    assert!((0..50).all(|i| table[(i, 2)] == 0.0), "a constant column is centred, not divided by zero");
    assert_eq!((how.mean[2], how.sd[2]), (4.25, 0.0));
    assert!((how.mean[0] - 1_000_024.5).abs() < 1e-6);
    // 49.5² - ... : the variance of 0..49 is (50² - 1) / 12.
    assert!((how.sd[0] - (2499.0f64 / 12.0).sqrt()).abs() < 1e-9);

    let json = serde_json::to_string(&how).unwrap();
    let read: Standardisation = serde_json::from_str(&json).unwrap();
    assert_eq!(read.apply(&raw).unwrap(), table);
    assert!(how.apply(&cube(2, 2)).is_err());
    for scale in [1e-160, 1e160] {
        let (table, _) = standardise(&Matrix::from_rows(&[[scale], [-scale]])).unwrap();
        assert!((table[(0, 0)] - 1.0).abs() < 1e-14 && (table[(1, 0)] + 1.0).abs() < 1e-14);
    }
    assert!(standardise(&Matrix::from_rows(&[[f64::MAX], [-f64::MAX]])).is_err());
}
