//! The pivoted Cholesky factorisation: what it claims is what one measures.
use std::sync::Arc;

use elfving::numerics::{CholeskyStop, Matrix, NotFactorable, PivotedCholesky, pivoted_cholesky};
use elfving::pool::feature_maps::PivotedCholeskyFeatures;
use elfving::pool::kernels::{Kernel, Linear, Matern32, Rbf};
use elfving::pool::{Factorisation, Points};
use proptest::prelude::*;

const TO_ROUNDING: CholeskyStop = CholeskyStop { tolerance: 0.0, max_rank: None };
const TO_1E12: CholeskyStop = CholeskyStop { tolerance: 1e-12, max_rank: None };

fn factorise(k: &Matrix, stop: CholeskyStop) -> Result<PivotedCholesky, NotFactorable> {
    let diagonal = (0..k.rows()).map(|i| k[(i, i)]).collect();
    pivoted_cholesky(diagonal, |pivot, out| out.copy_from_slice(k.row(pivot)), stop)
}

fn gram(kernel: &dyn Kernel, points: &Matrix) -> Matrix {
    Matrix::from_fn(points.rows(), points.rows(), |i, j| kernel.evaluate(points.row(i), points.row(j)))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Equality of bits, where `==` would take 0 for -0.
fn bits(matrix: &Matrix) -> Vec<u64> {
    matrix.as_slice().iter().map(|x| x.to_bits()).collect()
}

/// max |K - F Fᵀ|.
fn reconstruction_error(k: &Matrix, factor: &Matrix) -> f64 {
    let error = |i: usize, j: usize| (k[(i, j)] - dot(factor.row(i), factor.row(j))).abs();
    (0..k.rows()).flat_map(|i| (0..k.rows()).map(move |j| (i, j))).fold(0.0, |m, (i, j)| m.max(error(i, j)))
}

/// Points that fill the unit cube evenly (a Kronecker sequence).
fn cube(n: usize, dimension: usize) -> Matrix {
    let steps = [0.819_172_513_396_164, 0.671_043_606_703_789, 0.549_700_477_901_970];
    Matrix::from_fn(n, dimension, |i, k| (0.5 + (i + 1) as f64 * steps[k]).fract())
}

fn paper_points() -> Matrix {
    Matrix::from_fn(501, 1, |i, _| (i as f64 / 500.0).powi(2))
}

#[test]
fn the_papers_rbf_pool_has_rank_about_110_and_the_residual_it_claims() {
    let kernel = Rbf::new(0.025).unwrap();
    let k = gram(&kernel, &paper_points());
    let result = factorise(&k, TO_1E12).unwrap();
    let measured = reconstruction_error(&k, &result.factor);
    let rank = result.pivots.len();
    println!("rank {rank}, claimed {:.4e}, measured {measured:.4e}", result.max_residual);
    assert!((100..=115).contains(&rank), "rank {rank}");
    assert!(result.max_residual <= 1.1e-12);
    // For a positive semidefinite rest the largest entry is on the diagonal.
    assert!((result.max_residual - measured).abs() <= 1e-14);
    // 13 digits further down there is nothing left but rounding.
    let deepest = factorise(&k, TO_ROUNDING).unwrap();
    assert!(deepest.pivots.len() < 116, "rank {}", deepest.pivots.len());
    assert!(reconstruction_error(&k, &deepest.factor) < 1e-13);
}

#[test]
fn the_claimed_residuals_are_those_of_the_finished_factor() {
    let k = gram(&Matern32::new(0.4).unwrap(), &cube(300, 2));
    for max_rank in [1, 7, 60, 300] {
        let result = factorise(&k, CholeskyStop { tolerance: 1e-9, max_rank: Some(max_rank) }).unwrap();
        let left: Vec<f64> =
            (0..300).map(|i| k[(i, i)] - dot(result.factor.row(i), result.factor.row(i))).collect();
        let largest = left.iter().fold(0.0, |m: f64, x| m.max(*x));
        assert_eq!(result.max_residual, largest);
        assert_eq!(result.trace_residual, left.iter().sum::<f64>().max(0.0));
        assert!(result.pivots.len() <= max_rank && result.factor.columns() == result.pivots.len());
        assert!(result.pivots.len() == max_rank || largest <= 1.01e-9);
    }
}

/// The textbook algorithm: every column brought up to date at once, the largest rest is next.
fn eager(k: &Matrix, rank: usize) -> (Vec<usize>, Matrix) {
    let n = k.rows();
    let mut factor = Matrix::zeros(n, rank);
    let mut rest: Vec<f64> = (0..n).map(|i| k[(i, i)]).collect();
    let mut pivots = Vec::new();
    for c in 0..rank {
        let pivot = (0..n).rev().max_by(|&i, &j| rest[i].total_cmp(&rest[j])).unwrap();
        let pivot_row = factor.row(pivot).to_vec();
        let divisor = rest[pivot].sqrt();
        for i in 0..n {
            let entry = (k[(pivot, i)] - in_four_lanes(&factor.row(i)[..c], &pivot_row[..c])) / divisor;
            factor[(i, c)] = entry;
            rest[i] -= entry * entry;
        }
        pivots.push(pivot);
    }
    (pivots, factor)
}

fn in_four_lanes(a: &[f64], b: &[f64]) -> f64 {
    let body = a.len() / 4 * 4;
    let mut sums = [0.0; 4];
    for i in 0..body {
        sums[i % 4] += a[i] * b[i];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot(&a[body..], &b[body..])
}

#[test]
fn being_lazy_changes_no_bit() {
    // More rows than one block; in two dimensions, so that rows fall far behind.
    let k = gram(&Rbf::new(0.2).unwrap(), &cube(1300, 2));
    let lazy = factorise(&k, CholeskyStop { tolerance: 1e-10, max_rank: None }).unwrap();
    let (pivots, factor) = eager(&k, lazy.pivots.len());
    assert_eq!(lazy.pivots, pivots);
    assert_eq!(bits(&lazy.factor), bits(&factor));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let points = Points::new(cube(3000, 3)).unwrap();
    let map = PivotedCholeskyFeatures::new(Arc::new(Rbf::new(0.6).unwrap()), Factorisation::default());
    let runs: Vec<PivotedCholesky> = [1, 2, 8]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| map.factorise(&points).unwrap())
        })
        .into();
    for run in &runs[1..] {
        assert_eq!(run.pivots, runs[0].pivots);
        assert_eq!(bits(&run.factor), bits(&runs[0].factor));
        assert_eq!(run.max_residual.to_bits(), runs[0].max_residual.to_bits());
        assert_eq!(run.trace_residual.to_bits(), runs[0].trace_residual.to_bits());
    }
}

#[test]
fn ties_go_to_the_smallest_index() {
    let result = factorise(&Matrix::identity(700), TO_1E12).unwrap();
    assert_eq!(result.pivots, (0..700).collect::<Vec<_>>());
    assert_eq!(result.factor, Matrix::identity(700));
}

#[test]
fn repeated_points_get_the_same_features_bit_for_bit() {
    let distinct = cube(200, 2);
    let twice = Matrix::from_fn(600, 2, |i, k| distinct[(i % 200, k)]);
    let kernel = Arc::new(Rbf::new(0.3).unwrap());
    let points = Points::new(twice).unwrap();
    for settings in [Factorisation::default(), Factorisation::default().residual(0.0)] {
        let result = PivotedCholeskyFeatures::new(kernel.clone(), settings).factorise(&points).unwrap();
        for i in 0..400 {
            assert_eq!(result.factor.row(i), result.factor.row(i + 200));
        }
        assert!(result.pivots.iter().all(|&p| p < 200), "a repeated point explains nothing new");
    }
}

#[test]
fn a_linear_kernel_has_the_rank_of_its_features() {
    let k = gram(&Linear, &cube(400, 3));
    for stop in [TO_1E12, TO_ROUNDING] {
        let result = factorise(&k, stop).unwrap();
        assert_eq!(result.pivots.len(), 3);
        assert!(reconstruction_error(&k, &result.factor) < 1e-14);
    }
}

#[test]
fn nothing_to_factorise_has_rank_zero() {
    let zero = factorise(&Matrix::zeros(4, 4), TO_1E12).unwrap();
    assert_eq!((zero.pivots.len(), zero.factor.rows(), zero.max_residual), (0, 4, 0.0));
    let empty = factorise(&Matrix::zeros(0, 0), TO_1E12).unwrap();
    assert_eq!(empty.factor.rows(), 0);
}

#[test]
fn an_indefinite_matrix_comes_with_a_direction_that_proves_it() {
    // Eigenvalues 3, 1 and -1/2, in a basis turned away from the axes.
    let basis = [[2.0, 1.0, 2.0], [-2.0, 2.0, 1.0], [1.0, 2.0, -2.0]].map(|v| v.map(|x| x / 3.0));
    let values = [3.0, 1.0, -0.5];
    let k = Matrix::from_fn(3, 3, |i, j| (0..3).map(|e| values[e] * basis[e][i] * basis[e][j]).sum());
    let Err(NotFactorable::NotPositiveSemidefinite { residual, direction, .. }) = factorise(&k, TO_1E12)
    else {
        panic!("accepted an indefinite matrix")
    };
    let mut u = [0.0; 3];
    direction.iter().for_each(|&(i, x)| u[i] += x);
    let form: f64 = (0..3).map(|i| u[i] * dot(k.row(i), &u)).sum();
    assert!(residual < 0.0 && (form - residual).abs() < 1e-14, "{form} {residual}");
    assert!(form / dot(&u, &u) >= -0.5 - 1e-14);
}

#[test]
fn nan_infinity_and_overflow_are_reported_where_they_are() {
    let mut k = gram(&Rbf::new(0.3).unwrap(), &cube(5, 2));
    k[(0, 3)] = f64::NAN;
    assert_eq!(factorise(&k, TO_1E12).unwrap_err(), NotFactorable::NotFinite { row: 3, column: 0 });
    k[(2, 2)] = f64::INFINITY;
    assert_eq!(factorise(&k, TO_1E12).unwrap_err(), NotFactorable::NotFinite { row: 2, column: 2 });
    let huge = Matrix::from_fn(9, 9, |i, j| if i == j { 1.7e308 } else { 1.6e308 });
    match factorise(&huge, TO_1E12) {
        Ok(result) => assert!(result.factor.first_non_finite().is_none() && result.max_residual.is_finite()),
        Err(failure) => assert!(matches!(failure, NotFactorable::NotFinite { .. }), "{failure}"),
    }
}

#[test]
fn tiny_and_huge_scales_factorise_like_any_other() {
    let k = gram(&Matern32::new(0.3).unwrap(), &cube(40, 2));
    let pivots = factorise(&k, TO_1E12).unwrap().pivots;
    for scale in [2f64.powi(-1000), 2f64.powi(-500), 2f64.powi(500), 2f64.powi(1000)] {
        let scaled = Matrix::from_fn(40, 40, |i, j| scale * k[(i, j)]);
        assert_eq!(factorise(&scaled, TO_1E12).unwrap().pivots, pivots, "{scale:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random positive semidefinite matrices of low rank, with columns of very different size: to
    /// the last digit, nothing blows up and nothing is called indefinite.
    #[test]
    fn any_positive_semidefinite_matrix_is_reproduced_to_rounding(
        n in 1usize..40, rank in 1usize..12, spread in 0.0..12.0f64,
        seed in prop::collection::vec(-1.0..1.0f64, 40 * 12),
    ) {
        let size = |c: usize| 10f64.powf(-spread * c as f64 / 12.0);
        let g = Matrix::from_fn(n, rank, |i, c| seed[i * 12 + c] * size(c));
        let k = Matrix::from_fn(n, n, |i, j| dot(g.row(i), g.row(j)));
        for tolerance in [0.0, 1e-12, 1e-3] {
            let result = factorise(&k, CholeskyStop { tolerance, max_rank: None }).unwrap();
            prop_assert!(result.pivots.len() <= rank.min(n), "rank {} of {}", result.pivots.len(), rank);
            let allowed = k.max_abs() * (tolerance + 40.0 * f64::EPSILON);
            let error = reconstruction_error(&k, &result.factor);
            prop_assert!(error <= allowed, "error {:e}, allowed {:e}", error, allowed);
        }
    }
}
