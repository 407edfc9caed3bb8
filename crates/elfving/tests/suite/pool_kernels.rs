//! Every kernel goes through the same checks; a new one joins by a line in `every_kernel`.
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::kernels::*;
use elfving::pool::{Factorisation, KernelSpec, Points, Pool, PoolError};
use elfving::units::InvalidValue;
use proptest::prelude::*;

/// Each kernel in words, for points in two dimensions.
fn every_kernel() -> Vec<KernelSpec> {
    let shared = || Lengthscale::Shared(0.7);
    let each = || Lengthscale::PerFeature(vec![0.4, 2.5]);
    let rbf = || KernelSpec::Rbf { lengthscale: shared() };
    vec![
        KernelSpec::Linear,
        KernelSpec::Polynomial { degree: 3, offset: 0.5 },
        rbf(),
        KernelSpec::Rbf { lengthscale: each() },
        KernelSpec::Matern12 { lengthscale: shared() },
        KernelSpec::Matern12 { lengthscale: each() },
        KernelSpec::Matern32 { lengthscale: shared() },
        KernelSpec::Matern32 { lengthscale: each() },
        KernelSpec::Matern52 { lengthscale: shared() },
        KernelSpec::Matern52 { lengthscale: each() },
        KernelSpec::RationalQuadratic { lengthscale: shared(), alpha: 0.8 },
        KernelSpec::RationalQuadratic { lengthscale: each(), alpha: 3.0 },
        KernelSpec::Periodic { lengthscale: shared(), period: 1.3 },
        KernelSpec::Periodic { lengthscale: each(), period: 0.6 },
        KernelSpec::Scaled { scale: 2.5, of: Box::new(rbf()) },
        KernelSpec::Sum { terms: vec![KernelSpec::Linear, rbf()] },
        KernelSpec::Product { factors: vec![KernelSpec::Polynomial { degree: 2, offset: 1.0 }, rbf()] },
    ]
}

fn gram(kernel: &dyn Kernel, points: &Matrix) -> Matrix {
    Matrix::from_fn(points.rows(), points.rows(), |i, j| kernel.evaluate(points.row(i), points.row(j)))
}

/// The eigenvalues of a symmetric matrix by cyclic Jacobi rotations.
fn eigenvalues(mut a: Matrix) -> Vec<f64> {
    let n = a.rows();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[(p, q)] == 0.0 {
                    continue;
                }
                let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[(k, p)], a[(k, q)]);
                    (a[(k, p)], a[(k, q)]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[(p, k)], a[(q, k)]);
                    (a[(p, k)], a[(q, k)]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    (0..n).map(|i| a[(i, i)]).collect()
}

fn points(n: std::ops::Range<usize>) -> impl Strategy<Value = Matrix> {
    let table =
        |n| prop::collection::vec(-2.0..2.0, 2 * n).prop_map(move |x| Matrix::from_row_major(n, 2, x));
    n.prop_flat_map(table)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_gram_matrix_is_symmetric_and_positive_semidefinite(x in points(1..14)) {
        for spec in every_kernel() {
            let k = gram(&*spec.build().unwrap(), &x);
            prop_assert_eq!(&k, &k.transposed(), "{}", spec);
            let tolerance = 1e-13 * k.max_abs() * x.rows() as f64;
            let smallest = eigenvalues(k).into_iter().fold(f64::INFINITY, f64::min);
            prop_assert!(smallest >= -tolerance, "{}: smallest eigenvalue {:e}", spec, smallest);
        }
    }

    #[test]
    fn rows_and_diagonals_are_evaluations_to_the_last_bit(x in points(1..9)) {
        for spec in every_kernel() {
            let kernel = spec.build().unwrap();
            let mut row = vec![f64::NAN; x.rows()];
            for i in 0..x.rows() {
                kernel.row(x.row(i), &x, &mut row);
                let each: Vec<f64> = (0..x.rows()).map(|j| kernel.evaluate(x.row(i), x.row(j))).collect();
                prop_assert_eq!(&row, &each, "{}", spec);
                prop_assert_eq!(kernel.diagonal(x.row(i)), each[i], "{}", spec);
            }
        }
    }

    #[test]
    fn the_features_of_every_kernel_reproduce_it(x in points(1..14)) {
        for spec in every_kernel() {
            let kernel = spec.build().unwrap();
            let k = gram(&*kernel, &x);
            let settings = Factorisation::default();
            let pool = Pool::from_kernel(kernel, Points::new(x.clone()).unwrap(), None, &settings).unwrap();
            let phi = pool.features();
            for i in 0..x.rows() {
                for j in 0..x.rows() {
                    let product: f64 = phi.row(i).iter().zip(phi.row(j)).map(|(a, b)| a * b).sum();
                    prop_assert!((product - k[(i, j)]).abs() <= 2e-12 * k.max_abs(), "{}", spec);
                }
            }
        }
    }
}

#[test]
fn every_description_survives_json_and_reads_like_a_sentence() {
    for spec in every_kernel() {
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<KernelSpec>(&json).unwrap(), spec, "{json}");
    }
    let texts: Vec<String> = every_kernel().iter().map(KernelSpec::to_string).collect();
    assert_eq!(texts[0], "linear");
    assert_eq!(texts[1], "polynomial, degree 3, offset 0.5");
    assert_eq!(texts[3], "RBF, length scales 0.4, 2.5");
    assert_eq!(texts[4], "Matern 1/2, length scale 0.7");
    assert_eq!(texts[10], "rational quadratic, length scale 0.7, alpha 0.8");
    assert_eq!(texts[12], "periodic, period 1.3, length scale 0.7");
    assert_eq!(texts[14], "2.5 × (RBF, length scale 0.7)");
    assert_eq!(texts[15], "(linear) + (RBF, length scale 0.7)");
    assert_eq!(texts[16], "(polynomial, degree 2, offset 1) × (RBF, length scale 0.7)");
}

#[test]
fn per_feature_lengthscales_must_match_the_dimension() {
    for spec in every_kernel() {
        let kernel = spec.build().unwrap();
        kernel.check(2).unwrap();
        if spec.to_string().contains("length scales") {
            let wrong = PoolError::LengthscaleCount { lengthscales: 2, features: 3 };
            assert_eq!(kernel.check(3), Err(wrong), "{spec}");
        } else {
            kernel.check(3).unwrap();
        }
    }
    let inside = Sum::new(vec![Arc::new(Linear), Arc::new(Rbf::new(vec![1.0, 2.0]).unwrap())]).unwrap();
    assert!(inside.check(3).is_err());
    assert!(Scaled::new(2.0, Arc::new(inside)).unwrap().check(3).is_err());
}

#[test]
fn far_points_are_unlike_and_never_nan() {
    let (x, y) = ([-1e200, 1e200], [1e200, -1e200]);
    for spec in every_kernel().into_iter().filter(|spec| {
        matches!(spec, KernelSpec::Rbf { .. } | KernelSpec::RationalQuadratic { .. })
            || spec.to_string().starts_with("Matern")
    }) {
        let value = spec.build().unwrap().evaluate(&x, &y);
        assert!((0.0..1e-100).contains(&value), "{spec}: {value}");
    }
}

#[test]
fn values_match_the_closed_forms() {
    // x - y = (3, 4) and lengthscale 2: 2.5 lengthscales apart. The numbers were computed elsewhere.
    let (x, y) = ([4.0, 1.0], [1.0, -3.0]);
    let value = |kernel: &dyn Kernel| kernel.evaluate(&x, &y);
    let close = |got: f64, wanted: f64| assert!((got - wanted).abs() <= 1e-15, "{got} {wanted}");
    close(value(&Linear), 4.0 - 3.0);
    close(value(&Polynomial::new(3, 1.0).unwrap()), 8.0);
    close(value(&Rbf::new(2.0).unwrap()), 0.043_936_933_623_407_42); // exp(-3.125)
    close(value(&Matern12::new(2.0).unwrap()), 0.082_084_998_623_898_8); // exp(-2.5)
    close(value(&Matern32::new(2.0).unwrap()), 0.070_175_786_430_933_45); // s = 2.5 √3
    close(value(&Matern52::new(2.0).unwrap()), 0.063_510_214_548_943_75); // s = 2.5 √5
    close(value(&RationalQuadratic::new(2.0, 2.0).unwrap()), 0.152_290_303_390_838_8); // 2.5625^-2
    // Period 4: sin²(3π/4) + sin²(π) = 1/2, so exp(-2 · 0.5 / 4).
    close(value(&Periodic::new(2.0, 4.0).unwrap()), 0.778_800_783_071_404_9);
    // (3/1)² + (4/8)² = 9.25.
    close(value(&Rbf::new(vec![1.0, 8.0]).unwrap()), (-0.5 * 9.25f64).exp());
}

#[test]
fn a_large_alpha_makes_the_rational_quadratic_an_rbf() {
    let (x, y) = ([0.0], [1.0]);
    let rbf = Rbf::new(0.8).unwrap().evaluate(&x, &y);
    let limit = RationalQuadratic::new(0.8, 1e12).unwrap().evaluate(&x, &y);
    assert!((limit - rbf).abs() < 1e-11);
}

#[test]
fn a_period_later_the_periodic_kernel_is_back() {
    let kernel = Periodic::new(0.5, 0.25).unwrap();
    assert!((kernel.evaluate(&[0.1, 3.0], &[0.35, 2.0]) - 1.0).abs() < 1e-14);
    assert!(kernel.evaluate(&[0.1], &[0.2]) < 0.9);
}

#[test]
fn a_lengthscale_per_feature_is_a_change_of_units() {
    let per_feature = Matern52::new(vec![0.5, 4.0]).unwrap();
    let one = Matern52::new(1.0).unwrap();
    let (x, y) = ([0.3, 1.0], [0.9, -2.0]);
    let scaled = |v: [f64; 2]| [v[0] / 0.5, v[1] / 4.0];
    assert!((per_feature.evaluate(&x, &y) - one.evaluate(&scaled(x), &scaled(y))).abs() < 1e-15);
    let same = Matern52::new(vec![0.7, 0.7]).unwrap();
    assert!((same.evaluate(&x, &y) - Matern52::new(0.7).unwrap().evaluate(&x, &y)).abs() < 1e-15);
}

#[test]
fn sums_products_and_scales_compose() {
    let (x, y) = ([0.3, 1.0], [0.9, -2.0]);
    let (a, b): (Arc<dyn Kernel>, Arc<dyn Kernel>) = (Arc::new(Linear), Arc::new(Rbf::new(2.0).unwrap()));
    let (ka, kb) = (a.evaluate(&x, &y), b.evaluate(&x, &y));
    let sum: Arc<dyn Kernel> = Arc::new(Sum::new(vec![a.clone(), b.clone()]).unwrap());
    let product = Arc::new(Product::new(vec![sum.clone(), b, a]).unwrap());
    let scaled = Scaled::new(3.0, product).unwrap();
    assert!((scaled.evaluate(&x, &y) - 3.0 * (ka + kb) * kb * ka).abs() < 1e-15);
    assert_eq!(sum.diagonal(&x), 1.09 + 1.0);
}

#[test]
fn bad_parameters_are_refused_with_their_value() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-310] {
        let refused = |result: Result<Rbf, PoolError>| match result {
            Err(PoolError::Invalid(InvalidValue::Lengthscale { got })) => {
                assert!(got == bad || got.is_nan() && bad.is_nan())
            }
            other => panic!("{other:?}"),
        };
        refused(Rbf::new(bad));
        refused(Rbf::new(vec![1.0, bad]));
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(RationalQuadratic::new(1.0, bad).is_err());
        assert!(Periodic::new(1.0, bad).is_err());
        assert!(Scaled::new(bad, Arc::new(Linear)).is_err());
    }
    assert!(Polynomial::new(0, 1.0).is_err());
    assert!(Polynomial::new(2, -0.1).is_err() && Polynomial::new(2, f64::NAN).is_err());
    assert!(Polynomial::new(2, 0.0).is_ok());
    assert_eq!(Sum::new(vec![]).unwrap_err(), PoolError::NoKernels { of: "sum" });
    assert_eq!(Product::new(vec![]).unwrap_err(), PoolError::NoKernels { of: "product" });
    assert_eq!(
        Periodic::new(1.0, -2.0).unwrap_err().to_string(),
        "the period must be a finite number > 0, got -2"
    );
}

#[test]
fn a_description_is_checked_when_it_is_read_or_built() {
    let parse = |json: &str| serde_json::from_str::<KernelSpec>(json);
    let spec = parse(r#"{"kernel": "rbf", "lengthscale": [0.1, -2]}"#).unwrap();
    assert_eq!(spec.build().unwrap_err(), PoolError::Invalid(InvalidValue::Lengthscale { got: -2.0 }));
    assert_eq!(
        parse(r#"{"kernel": "rational-quadratic", "lengthscale": 2}"#).unwrap(),
        KernelSpec::RationalQuadratic { lengthscale: 2.0.into(), alpha: 1.0 }
    );
    assert_eq!(
        parse(r#"{"kernel": "polynomial"}"#).unwrap(),
        KernelSpec::Polynomial { degree: 2, offset: 1.0 }
    );
    let open = parse(r#"{"kernel": "rbf"}"#).unwrap();
    assert_eq!(open, KernelSpec::Rbf { lengthscale: Lengthscale::Median });
    assert!(open.build().is_err(), "the median is taken on points, by resolve");
    assert!(parse(r#"{"kernel": "rbf", "lengthscale": 1, "lenghtscale": 2}"#).is_err());
    assert!(parse(r#"{"kernel": "quantum"}"#).is_err());
}
