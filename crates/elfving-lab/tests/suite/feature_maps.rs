//! Random Fourier and Nystrom features: what they approach, and that later points are mapped like earlier ones.
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::{FeatureMap, PivotedCholeskyFeatures};
use elfving::pool::kernels::{Kernel, Matern12, Matern32, Matern52, Rbf};
use elfving::pool::{Factorisation, Points, PoolError};
use elfving_lab::feature_maps::{Nystrom, RandomFourier, Spectrum};

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
