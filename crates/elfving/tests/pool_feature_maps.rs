//! Feature maps: what they compute, and that later points are mapped like earlier ones.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::*;
use elfving::pool::kernels::{Kernel, Matern12, Matern32, Matern52, Rbf};
use elfving::pool::{Factorisation, Points, Pool, PoolError};

fn cube(n: usize, dimension: usize) -> Matrix {
    let steps = [0.819_172_513_396_164, 0.671_043_606_703_789, 0.549_700_477_901_970];
    Matrix::from_fn(n, dimension, |i, k| (0.5 + (i + 1) as f64 * steps[k]).fract())
}

fn points(n: usize, dimension: usize) -> Points {
    Points::new(cube(n, dimension)).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
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
fn random_fourier_features_approach_the_kernel() {
    let x = points(40, 2);
    let cases: [(Spectrum, Box<dyn Kernel>); 4] = [
        (Spectrum::Rbf, Box::new(Rbf::new(vec![0.3, 0.9]).unwrap())),
        (Spectrum::Matern12, Box::new(Matern12::new(vec![0.3, 0.9]).unwrap())),
        (Spectrum::Matern32, Box::new(Matern32::new(vec![0.3, 0.9]).unwrap())),
        (Spectrum::Matern52, Box::new(Matern52::new(vec![0.3, 0.9]).unwrap())),
    ];
    let frequencies = 20_000;
    for (spectrum, kernel) in cases {
        let map = RandomFourier::new(spectrum, vec![0.3, 0.9], frequencies, 3).unwrap();
        let phi = map.map(&x).unwrap();
        assert_eq!(phi.columns(), 2 * frequencies);
        // 5 standard errors over the 780 pairs.
        let allowed = 5.0 / (2.0 * frequencies as f64).sqrt();
        let mut worst: f64 = 0.0;
        for i in 0..40 {
            assert!((dot(phi.row(i), phi.row(i)) - 1.0).abs() < 1e-12);
            for j in 0..i {
                let k = kernel.evaluate(x.matrix().row(i), x.matrix().row(j));
                worst = worst.max((dot(phi.row(i), phi.row(j)) - k).abs());
            }
        }
        assert!(worst < allowed, "{spectrum:?}: {worst}, allowed {allowed}");
    }
}

#[test]
fn the_random_frequencies_are_pinned() {
    let one = Points::new(Matrix::from_rows(&[[1.0, -0.5]])).unwrap();
    let features = |spectrum| RandomFourier::new(spectrum, 0.5, 2, 42).unwrap().map(&one).unwrap().into_vec();
    let pinned = [
        (Spectrum::Rbf, [-0.2514765373157376, 0.6608778640412208, 0.45014716871560634, -0.5453141539491922]),
        (
            Spectrum::Matern32,
            [-0.3536289433144941, 0.6123288090971012, -0.4080638823042956, 0.5774806212841656],
        ),
    ];
    for (spectrum, wanted) in pinned {
        let got = features(spectrum);
        let close = got.iter().zip(wanted).all(|(g, w): (&f64, f64)| (g - w).abs() < 1e-12);
        assert!(close, "{spectrum:?}: {got:?}");
    }
}

#[test]
fn random_fourier_maps_later_points_alike() {
    let map = RandomFourier::new(Spectrum::Matern52, 0.4, 30, 1).unwrap();
    let (all, few) = (map.map(&points(600, 2)).unwrap(), map.map(&points(5, 2)).unwrap());
    assert_eq!(all.row_range(0, 5), few.as_slice());
    assert!(RandomFourier::new(Spectrum::Rbf, 0.4, 0, 1).is_err());
    assert!(RandomFourier::new(Spectrum::Rbf, -0.4, 3, 1).is_err());
    let wrong = RandomFourier::new(Spectrum::Rbf, vec![1.0; 3], 3, 1).unwrap().map(&points(5, 2));
    assert_eq!(wrong.unwrap_err(), PoolError::LengthscaleCount { lengthscales: 3, features: 2 });
}

#[test]
fn nystrom_reproduces_the_factor_on_the_points_it_was_fitted_to() {
    let kernel = Arc::new(Rbf::new(0.3).unwrap());
    let seen = points(700, 2);
    let map = Nystrom::fit(kernel.clone(), &seen, 40).unwrap();
    let settings = Factorisation::default().max_rank(40);
    let factor = PivotedCholeskyFeatures::new(kernel, settings).factorise(&seen).unwrap();
    assert_eq!(map.map(&seen).unwrap(), factor.factor);
    assert_eq!(map.residual(), factor.max_residual);
    assert_eq!(map.landmarks().row(3), seen.matrix().row(factor.pivots[3]));
}

#[test]
fn nystrom_projects_later_points_onto_the_landmarks() {
    let kernel = Arc::new(Matern52::new(0.5).unwrap());
    let map = Nystrom::fit(kernel.clone(), &points(50, 2), 20).unwrap();
    let later = Points::new(Matrix::from_fn(30, 2, |i, k| ((i * 7 + k * 3) % 31) as f64 / 31.0)).unwrap();
    let phi = map.map(&later).unwrap();
    let landmarks = Points::new(map.landmarks().clone()).unwrap();
    let at_landmarks = map.map(&landmarks).unwrap();
    for i in 0..30 {
        let x = later.matrix().row(i);
        // Exact against every landmark, and never longer than the kernel says.
        for l in 0..20 {
            let k = kernel.evaluate(x, landmarks.matrix().row(l));
            assert!((dot(phi.row(i), at_landmarks.row(l)) - k).abs() < 1e-12);
        }
        assert!(dot(phi.row(i), phi.row(i)) <= 1.0 + 1e-12);
    }
    let wrong = map.map(&points(3, 1)).unwrap_err();
    assert_eq!(wrong, PoolError::ColumnCount { expected: 2, got: 1 });
    assert!(Nystrom::fit(kernel, &points(3, 2), 0).is_err());
}

#[test]
fn the_default_map_of_a_kernel_is_that_of_its_pool() {
    let kernel = Arc::new(Rbf::new(0.3).unwrap());
    let map = PivotedCholeskyFeatures::new(kernel.clone(), Factorisation::default());
    let pool = Pool::from_kernel(kernel, points(90, 2), None, &Factorisation::default()).unwrap();
    assert_eq!(&map.map(&points(90, 2)).unwrap(), pool.features());
}

#[test]
fn one_hot_rows_have_a_single_one() {
    let coded = one_hot(&[0, 2, 1, 2], 3).unwrap();
    assert_eq!(coded.row(1), &[0.0, 0.0, 1.0]);
    assert!((0..4).all(|i| coded.row(i).iter().sum::<f64>() == 1.0));
    assert_eq!(one_hot(&[0, 3], 3).unwrap_err(), PoolError::UnknownLevel { row: 1, code: 3, levels: 3 });
    assert_eq!(one_hot(&[], 3).unwrap_err(), PoolError::NoPoints);
    assert_eq!(one_hot(&[0], 0).unwrap_err(), PoolError::NoFeatures);
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
