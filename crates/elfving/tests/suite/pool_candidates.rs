//! Pools: from features, kernels and Gram matrices, restricted, and refused.
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::kernels::{Kernel, Linear, Matern52, Polynomial, Rbf};
use elfving::pool::{Factorisation, PointId, Points, Pool, PoolError, median_lengthscale};
use elfving::units::InvalidValue;
use proptest::prelude::*;

fn ids(indices: &[usize]) -> Vec<PointId> {
    indices.iter().map(|&i| PointId::new(i)).collect()
}

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

/// Solves a positive definite system by elimination.
fn solve(mut a: Matrix, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for p in 0..n {
        for i in p + 1..n {
            let ratio = a[(i, p)] / a[(p, p)];
            for k in p..n {
                a[(i, k)] -= ratio * a[(p, k)];
            }
            b[i] -= ratio * b[p];
        }
    }
    for p in (0..n).rev() {
        let known: f64 = (p + 1..n).map(|k| a[(p, k)] * b[k]).sum();
        b[p] = (b[p] - known) / a[(p, p)];
    }
    b
}

#[test]
fn explicit_features_are_taken_as_they_are_and_never_copied() {
    let x = cube(20, 3);
    let at = x.as_slice().as_ptr();
    let pool = Pool::from_features(x).unwrap();
    assert_eq!(pool.features().as_slice().as_ptr(), at);
    assert_eq!(pool.choices().as_slice().as_ptr(), at);
    assert_eq!(pool.clone().features().as_slice().as_ptr(), at);
    assert!(pool.chooses_among_itself() && pool.exact().is_none());
    assert_eq!((pool.len(), pool.choice_count(), pool.dimension()), (20, 20, 3));
    assert_eq!(pool.residual(), 0.0);
    assert_eq!(pool.to_string(), "20 points in 3 dimensions");

    let pool = Pool::from_features_with_choices(cube(20, 3), cube(4, 3)).unwrap();
    assert!(!pool.chooses_among_itself());
    assert_eq!((pool.len(), pool.choice_count()), (20, 4));
    assert_eq!(pool.to_string(), "20 points and 4 choices in 3 dimensions");
}

#[test]
fn tables_that_are_not_a_pool_are_refused() {
    assert_eq!(Pool::from_features(Matrix::zeros(0, 3)).unwrap_err(), PoolError::NoPoints);
    assert_eq!(Pool::from_features(Matrix::zeros(3, 0)).unwrap_err(), PoolError::NoFeatures);
    let mut x = cube(4, 2);
    x[(2, 1)] = f64::INFINITY;
    let error = PoolError::NotFinite { row: 2, column: 1, value: f64::INFINITY };
    assert_eq!(Pool::from_features(x.clone()).unwrap_err(), error);
    assert_eq!(Points::new(x.clone()).unwrap_err(), error);
    assert_eq!(Pool::from_features_with_choices(cube(4, 2), x).unwrap_err(), error);
    assert_eq!(error.to_string(), "row 2, column 1 is inf: every entry must be a finite number");
    assert_eq!(
        Pool::from_features_with_choices(cube(4, 2), cube(4, 3)).unwrap_err(),
        PoolError::ColumnCount { expected: 2, got: 3 }
    );
}

#[test]
fn a_gram_pool_is_the_kernel_pool() {
    let kernel = Arc::new(Matern52::new(0.5).unwrap());
    let (n, m) = (40, 15);
    let all = cube(n + m, 2);
    let gram = Matrix::from_fn(n + m, n + m, |i, j| kernel.evaluate(all.row(i), all.row(j)));
    let part =
        |from: usize, to: usize| Points::new(all.select_rows(&(from..to).collect::<Vec<_>>())).unwrap();
    let settings = Factorisation::default().residual(1e-9);
    let by_kernel = Pool::from_kernel(kernel.clone(), part(0, n), Some(part(n, n + m)), &settings).unwrap();
    let by_gram = Pool::from_gram(gram.clone(), n, &settings).unwrap();
    assert_eq!(by_kernel.features(), by_gram.features());
    assert_eq!(by_kernel.choices(), by_gram.choices());
    assert_eq!(by_kernel.residual(), by_gram.residual());
    assert_eq!((by_gram.len(), by_gram.choice_count()), (n, m));

    // Inner products across X and Z are kernel values: both live in one feature space.
    for (i, c) in [(0, 0), (7, 3), (39, 14)] {
        let product = dot(by_kernel.features().row(i), by_kernel.choices().row(c));
        let exact = by_kernel.exact().unwrap();
        assert_eq!(exact.value(i, exact.choice_atom(c)), gram[(i, n + c)]);
        assert!((product - gram[(i, n + c)]).abs() < 1.1e-9);
    }
    let whole = Pool::from_gram(gram.clone(), n + m, &settings).unwrap();
    assert!(whole.chooses_among_itself());
    assert_eq!(whole.exact().unwrap().choice_atom(5), 5);
}

#[test]
fn exact_values_are_the_kernel_between_atoms() {
    let kernel = Rbf::new(0.4).unwrap();
    let (x, z) = (cube(12, 2), cube(20, 2).select_rows(&[13, 17, 19]));
    let settings = Factorisation::default();
    let z_points = Points::new(z.clone()).unwrap();
    let pool = Pool::from_kernel(Arc::new(kernel.clone()), points(12, 2), Some(z_points), &settings).unwrap();
    let exact = pool.exact().unwrap();
    assert_eq!(exact.atoms(), 15);
    assert_eq!(exact.choice_atom(2), 14);
    assert_eq!(exact.value(3, 14), kernel.evaluate(x.row(3), z.row(2)));
    let mut row = [0.0; 3];
    exact.row(13, &[0, 13, 14], &mut row);
    assert_eq!(row, [kernel.evaluate(z.row(1), x.row(0)), 1.0, kernel.evaluate(z.row(1), z.row(2))]);
}

#[test]
fn a_pool_stopped_at_a_rank_says_what_it_left_over() {
    let kernel = Arc::new(Rbf::new(0.2).unwrap());
    let full = Pool::from_kernel(kernel.clone(), points(200, 2), None, &Factorisation::default()).unwrap();
    let settings = Factorisation::default().max_rank(10);
    let cut = Pool::from_kernel(kernel, points(200, 2), None, &settings).unwrap();
    assert_eq!(cut.dimension(), 10);
    assert!(full.dimension() > 50 && full.residual() <= 1.1e-12);
    let left = |i: usize| 1.0 - dot(cut.features().row(i), cut.features().row(i));
    let measured = (0..200).map(left).fold(0.0, f64::max);
    assert!(measured > 0.1 && (cut.residual() - measured).abs() < 1e-15);
}

#[test]
fn factorisation_settings_are_checked() {
    let build = |settings: Factorisation| Pool::from_kernel(Arc::new(Linear), points(5, 2), None, &settings);
    for bad in [-1e-12, 1.0, f64::NAN, f64::INFINITY] {
        assert!(build(Factorisation::default().residual(bad)).is_err(), "{bad}");
    }
    let message = build(Factorisation::default().max_rank(0)).unwrap_err().to_string();
    assert_eq!(message, "the largest rank must be at least 1, got 0");
}

#[test]
fn a_kernel_that_does_not_fit_the_points_is_refused() {
    let settings = Factorisation::default();
    let kernel = Arc::new(Rbf::new(vec![1.0, 2.0]).unwrap());
    let error = Pool::from_kernel(kernel, points(5, 3), None, &settings).unwrap_err();
    assert_eq!(error, PoolError::LengthscaleCount { lengthscales: 2, features: 3 });
    let error = Pool::from_kernel(Arc::new(Linear), points(5, 3), Some(points(5, 2)), &settings).unwrap_err();
    assert_eq!(error, PoolError::ColumnCount { expected: 3, got: 2 });
    let far = Points::new(Matrix::from_rows(&[[1.0], [1e200]])).unwrap();
    let error = Pool::from_kernel(Arc::new(Linear), far, None, &settings).unwrap_err();
    assert_eq!(error, PoolError::KernelNotFinite { first: 1, second: 1 });
}

#[derive(Debug)]
struct NotAKernel;
impl Kernel for NotAKernel {
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64 {
        1.0 + (x[0] - y[0]).abs()
    }
    fn check(&self, _: usize) -> Result<(), PoolError> {
        Ok(())
    }
}

#[test]
fn a_function_that_is_not_a_kernel_is_found_out() {
    let two = Points::new(Matrix::from_rows(&[[0.0], [1.0]])).unwrap();
    // [[1, 2], [2, 1]]: the eigenvalues are 3 and -1.
    match Pool::from_kernel(Arc::new(NotAKernel), two, None, &Factorisation::default()) {
        Err(PoolError::NotPositiveSemidefinite { smallest }) => assert!((-1.0..0.0).contains(&smallest)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_indefinite_gram_matrix_is_refused_with_its_smallest_eigenvalue() {
    let refuse = |gram: Matrix| {
        let n = gram.rows();
        match Pool::from_gram(gram, n, &Factorisation::default()) {
            Err(error @ PoolError::NotPositiveSemidefinite { smallest }) => (smallest, error.to_string()),
            other => panic!("{other:?}"),
        }
    };
    let (smallest, message) = refuse(Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]]));
    assert!((smallest + 1.0).abs() < 1e-14, "{smallest}");
    assert!(message.contains("its smallest eigenvalue is about -1.000e0"), "{message}");
    // The diagonal alone says nothing here, and no pivot is ever taken.
    assert!((refuse(Matrix::from_rows(&[[0.0, 3.0], [3.0, 0.0]])).0 + 3.0).abs() < 1e-14);
    assert!((refuse(Matrix::from_rows(&[[-2.0]])).0 + 2.0).abs() < 1e-14);

    // A real kernel matrix with one eigenvalue pulled below zero: K - c u uᵀ with u along a
    // direction the kernel hardly sees. A pivoted factorisation stops before it gets there.
    let n = 60;
    let x = cube(n, 1);
    let kernel = Rbf::new(0.5).unwrap();
    for c in [1e-3, 1e-6, 1e-9] {
        let u = |i: usize| (-1f64).powi(i as i32) / (n as f64).sqrt();
        let gram = Matrix::from_fn(n, n, |i, j| kernel.evaluate(x.row(i), x.row(j)) - c * u(i) * u(j));
        let rayleigh: f64 = (0..n).map(|i| u(i) * (0..n).map(|j| gram[(i, j)] * u(j)).sum::<f64>()).sum();
        let smallest = refuse(gram).0;
        assert!(smallest >= -c * (1.0 + 1e-6), "{smallest:e} for {c:e}");
        assert!(smallest <= 0.9 * rayleigh.min(-0.5 * c), "{smallest:e}, {rayleigh:e} for {c:e}");
    }
}

#[test]
fn an_asymmetric_gram_matrix_is_refused_with_its_worst_entry() {
    let mut gram = Matrix::identity(4);
    gram[(1, 3)] = 0.25;
    gram[(3, 1)] = 0.125;
    gram[(0, 2)] = 1e-3;
    let error = Pool::from_gram(gram, 4, &Factorisation::default()).unwrap_err();
    assert_eq!(error, PoolError::NotSymmetric { row: 3, column: 1, value: 0.125, mirrored: 0.25 });
    assert_eq!(
        error.to_string(),
        "the kernel matrix is not symmetric: entry (3, 1) is 0.125 but (1, 3) is 0.25"
    );
}

#[test]
fn gram_matrices_of_the_wrong_shape_are_refused() {
    let settings = Factorisation::default();
    let error = Pool::from_gram(Matrix::zeros(2, 3), 2, &settings).unwrap_err();
    assert_eq!(error, PoolError::NotSquare { rows: 2, columns: 3 });
    for measurable in [0, 4] {
        let error = Pool::from_gram(Matrix::identity(3), measurable, &settings).unwrap_err();
        assert_eq!(error, PoolError::MeasurableCount { measurable, atoms: 3 });
    }
    let mut gram = Matrix::identity(3);
    gram[(1, 0)] = f64::NAN;
    assert!(matches!(
        Pool::from_gram(gram, 3, &settings).unwrap_err(),
        PoolError::NotFinite { row: 1, column: 0, .. }
    ));
    assert_eq!(Pool::from_gram(Matrix::zeros(0, 0), 0, &settings).unwrap_err(), PoolError::NoPoints);
}

#[test]
fn a_matrix_from_single_precision_passes_when_its_rounding_is_declared() {
    let kernel = Rbf::new(0.5).unwrap();
    let x = cube(80, 1);
    let gram = Matrix::from_fn(80, 80, |i, j| f64::from(kernel.evaluate(x.row(i), x.row(j)) as f32));
    assert!(matches!(
        Pool::from_gram(gram.clone(), 80, &Factorisation::default()),
        Err(PoolError::NotPositiveSemidefinite { .. })
    ));
    let pool = Pool::from_gram(gram, 80, &Factorisation::default().residual(1e-6)).unwrap();
    assert!(pool.residual() <= 1e-6);
}

#[test]
fn a_kernel_that_is_zero_everywhere_makes_one_empty_feature() {
    let origin = Points::new(Matrix::zeros(3, 2)).unwrap();
    let pool = Pool::from_kernel(Arc::new(Linear), origin, None, &Factorisation::default()).unwrap();
    assert_eq!(pool.features(), &Matrix::zeros(3, 1));
    let pool = Pool::from_gram(Matrix::zeros(3, 3), 2, &Factorisation::default()).unwrap();
    assert_eq!((pool.len(), pool.choice_count(), pool.dimension()), (2, 1, 1));
}

#[test]
fn a_single_candidate_is_a_pool() {
    let pool = Pool::from_features(Matrix::from_rows(&[[2.0]])).unwrap();
    assert_eq!((pool.len(), pool.duplicates().len()), (1, 0));
    let pool =
        Pool::from_kernel(Arc::new(Rbf::new(1.0).unwrap()), points(1, 2), None, &Factorisation::default());
    assert_eq!(pool.unwrap().features(), &Matrix::identity(1));
}

#[test]
fn a_restricted_pool_keeps_its_kernel_and_measures_its_own_residual() {
    let kernel = Arc::new(Rbf::new(0.2).unwrap());
    let settings = Factorisation::default().max_rank(12);
    let pool = Pool::from_kernel(kernel.clone(), points(50, 2), None, &settings).unwrap();
    let survivors = ids(&[31, 4, 17]);
    let small = pool.restrict(&survivors);
    assert!(small.chooses_among_itself());
    assert_eq!((small.len(), small.choice_count(), small.dimension()), (3, 3, 12));
    assert_eq!(small.features().row(0), pool.features().row(31));
    assert_eq!(small.exact().unwrap().atoms(), 3);
    assert_eq!(small.exact().unwrap().value(0, 2), pool.exact().unwrap().value(31, 17));
    let left = |i: usize| 1.0 - dot(small.features().row(i), small.features().row(i));
    assert_eq!(small.residual(), left(0).max(left(1)).max(left(2)).max(0.0));
    assert!(small.residual() <= pool.residual());

    let other = Pool::from_kernel(kernel, points(50, 2), Some(points(7, 2)), &settings).unwrap();
    let small = other.restrict(&survivors).restrict(&ids(&[2, 0]));
    assert_eq!((small.len(), small.choice_count()), (2, 7));
    assert_eq!(small.choices().as_slice().as_ptr(), other.choices().as_slice().as_ptr());
    let (parent, exact) = (other.exact().unwrap(), small.exact().unwrap());
    assert_eq!((exact.atoms(), exact.choice_atom(3)), (9, 5));
    assert_eq!(exact.value(0, exact.choice_atom(3)), parent.value(17, parent.choice_atom(3)));
    assert_eq!(exact.value(1, exact.choice_atom(6)), parent.value(31, parent.choice_atom(6)));
    assert!(small.residual() <= other.residual());
}

#[test]
fn duplicates_are_grouped_in_order_and_zero_has_no_sign() {
    let x = Matrix::from_rows(&[[3.0, 0.0], [2.0, 5.0], [3.0, -0.0], [1.0, 3.0], [2.0, 5.0], [3.0, 0.0]]);
    let pool = Pool::from_features(x.clone()).unwrap();
    assert_eq!(pool.duplicates(), vec![ids(&[0, 2, 5]), ids(&[1, 4])]);
    let kernel = Arc::new(Polynomial::new(2, 1.0).unwrap());
    let pool = Pool::from_kernel(kernel, Points::new(x).unwrap(), None, &Factorisation::default()).unwrap();
    assert_eq!(pool.duplicates(), vec![ids(&[0, 2, 5]), ids(&[1, 4])]);
    assert!(Pool::from_features(cube(100, 2)).unwrap().duplicates().is_empty());
}

#[test]
fn duplicates_in_a_large_pool_do_not_depend_on_the_number_of_threads() {
    let x = Matrix::from_fn(20_000, 2, |i, k| ((i * 7919) % [97, 89][k]) as f64);
    let pool = Pool::from_features(x).unwrap();
    let groups = [1, 8].map(|threads| {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| pool.duplicates())
    });
    assert_eq!(groups[0], groups[1]);
    assert_eq!(groups[0].len(), 97 * 89);
    assert_eq!(groups[0][0][0], PointId::new(0));
    assert_eq!(groups[0].iter().map(Vec::len).sum::<usize>(), 20_000);
}

/// What the residual costs: with Lemma 1 of the paper the squared norm of φ(v) in
/// `(A(λ) + γI)⁻¹` follows from kernel values alone, without any features.
#[test]
fn a_residual_only_lowers_squared_norms_and_by_no_more_than_stated() {
    let (n, gamma) = (60, 0.01);
    let kernel = Arc::new(Rbf::new(0.25).unwrap());
    let weight = |i: usize| (1 + i % 3) as f64 / 120.0; // sums to one
    let mut largest_share: f64 = 0.0;
    for residual in [1e-1, 1e-2, 1e-4, 1e-6] {
        let settings = Factorisation::default().residual(residual);
        let pool = Pool::from_kernel(kernel.clone(), points(n, 2), None, &settings).unwrap();
        let (phi, exact, r) = (pool.features(), pool.exact().unwrap(), pool.dimension());
        let information = Matrix::from_fn(r, r, |a, b| {
            let sum: f64 = (0..n).map(|i| weight(i) * phi[(i, a)] * phi[(i, b)]).sum();
            sum + if a == b { gamma } else { 0.0 }
        });
        let k_lambda = Matrix::from_fn(n, n, |i, j| {
            (weight(i) * weight(j)).sqrt() * exact.value(i, j) + if i == j { gamma } else { 0.0 }
        });
        for v in 0..n {
            let in_features = dot(phi.row(v), &solve(information.clone(), phi.row(v).to_vec()));
            let column: Vec<f64> = (0..n).map(|i| weight(i).sqrt() * exact.value(i, v)).collect();
            let explained = dot(&column, &solve(k_lambda.clone(), column.clone()));
            let by_lemma = (exact.value(v, v) - explained) / gamma;
            let bound = pool.residual() * (1.0 + in_features.sqrt()).powi(2) / gamma;
            let missing = by_lemma - in_features;
            assert!(missing >= -1e-9 && missing <= bound + 1e-9, "{missing:e} {bound:e} at {residual:e}");
            largest_share = largest_share.max(missing / bound);
        }
    }
    println!("at most {largest_share} of the bound");
    assert!(largest_share > 0.01, "the bound is not vacuous: {largest_share}");
}

#[test]
fn the_median_heuristic_is_the_median_of_the_distances() {
    let of = |rows: &[[f64; 2]]| median_lengthscale(&Points::new(Matrix::from_rows(rows)).unwrap(), 1);
    assert_eq!(of(&[[0.0, 0.0], [3.0, 4.0]]), Ok(5.0));
    // Zero distances are left out: 5, 5, 10 and 5, 5, 10 again, not the two zeros.
    assert_eq!(of(&[[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]), Ok(5.0));
    assert_eq!(of(&[[1.0, 2.0]]), Err(PoolError::AllPointsEqual));
    assert_eq!(of(&[[1.0, 2.0], [1.0, 2.0]]), Err(PoolError::AllPointsEqual));
    assert_eq!(of(&[[0.0, 0.0], [-0.0, 0.0]]), Err(PoolError::AllPointsEqual));
    for scale in [1e-200, 1e-150, 1e150, 1e200] {
        let got = of(&[[0.0, 0.0], [3.0 * scale, 4.0 * scale]]).unwrap();
        assert!((got / scale - 5.0).abs() < 1e-14, "{got:e}");
    }
}

#[test]
fn the_sampled_median_is_close_to_the_exact_one_and_pinned() {
    // Uniform on [0, 1]: the distance has median 1 - √½.
    let n = 5000;
    let line = Points::new(Matrix::from_fn(n, 1, |i, _| i as f64 / (n - 1) as f64)).unwrap();
    let sampled = median_lengthscale(&line, 7).unwrap();
    assert!((sampled - (1.0 - 0.5f64.sqrt())).abs() < 2e-3, "{sampled}");
    assert_eq!(sampled, median_lengthscale(&line, 7).unwrap());
    // A changed stream is a deliberate event: this number is the stream's.
    let plane = points(n, 2);
    let pinned = median_lengthscale(&plane, 7).unwrap();
    assert!((pinned - 0.513_064_212_716_244_9).abs() < 1e-14, "{pinned}");
    assert_ne!(pinned, median_lengthscale(&plane, 8).unwrap());
}

#[test]
fn messages_say_what_to_do() {
    let error = PoolError::from(InvalidValue::Lengthscale { got: -1.0 });
    assert_eq!(error.to_string(), "a length scale must be a finite number > 0, got -1");
    assert_eq!(
        PoolError::LengthscaleCount { lengthscales: 2, features: 3 }.to_string(),
        "2 length scales for 3 features: give one, or one per feature"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_order_of_the_points_does_not_change_their_inner_products(
        shuffle in Just((0..30).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let kernel = Arc::new(Matern52::new(0.4).unwrap());
        let settings = Factorisation::default();
        let pool = Pool::from_kernel(kernel.clone(), points(30, 2), None, &settings).unwrap();
        let shuffled = Points::new(cube(30, 2).select_rows(&shuffle)).unwrap();
        let other = Pool::from_kernel(kernel, shuffled, None, &settings).unwrap();
        for a in 0..30 {
            for b in 0..30 {
                let one = dot(pool.features().row(shuffle[a]), pool.features().row(shuffle[b]));
                let two = dot(other.features().row(a), other.features().row(b));
                prop_assert!((one - two).abs() < 1e-11);
            }
        }
    }
}
