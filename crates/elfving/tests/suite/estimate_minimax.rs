//! The min-max fit: closed forms, another solver's optima, ties, and a certificate that cannot be talked into more than is true.

use crate::support;

use elfving::estimate::minimax::{FitStatus, MinimaxFit, MinimaxProblem, recheck, theta_hat};
use elfving::estimate::{Assumptions, Rips, Sampled};
use elfving::numerics::{Matrix, dot};
use elfving::pool::{PointId, Pool, Subset, TargetRows, Targets};
use elfving::rounding::Draws;
use elfving::units::{Confidence, Ridge, Tolerance};
use proptest::prelude::*;
use std::borrow::Cow;

const REF_A: f64 = 2.2012245944490347;
const REF_B: f64 = 1.6758511146785555;
const REF_C: f64 = 2.076888498837165;

fn tolerance() -> Tolerance {
    Tolerance::new(1e-9).unwrap()
}

fn rows(matrix: &Matrix) -> TargetRows<'_> {
    TargetRows::Rows(Cow::Borrowed(matrix))
}

fn solve(matrix: &Matrix, values: &[f64], towards: &[f64]) -> MinimaxFit {
    let scales = vec![1.0; values.len()];
    MinimaxProblem::new(rows(matrix), values, &scales).unwrap().solve(towards, tolerance())
}

/// The largest residual, computed the plain way.
fn residual(matrix: &Matrix, values: &[f64], theta: &[f64]) -> f64 {
    (0..matrix.rows()).map(|i| (dot(matrix.row(i), theta) - values[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn polynomials_approximate_powers_as_well_as_chebyshev_says() {
    // x^n by polynomials of lower degree on the extrema of T_n: the error is 2^(1-n).
    for n in 2..9 {
        let at = |k: usize| (std::f64::consts::PI * k as f64 / n as f64).cos();
        let matrix = Matrix::from_fn(n + 1, n, |k, j| at(k).powi(j as i32));
        let values: Vec<f64> = (0..=n).map(|k| at(k).powi(n as i32)).collect();
        let fit = solve(&matrix, &values, &vec![0.0; n]);
        let want = 2f64.powi(1 - n as i32);
        assert_eq!(fit.status, FitStatus::Certified);
        assert!((fit.certificate.residual / want - 1.0).abs() < 1e-9, "{n}: {fit}");
        assert!((fit.certificate.bound / want - 1.0).abs() < 1e-9, "{n}: {fit}");
    }
}

#[test]
fn random_problems_have_the_optima_of_a_general_solver() {
    // Dual simplex of a general LP solver on the same numbers, feasibility 1e-10.
    for (m, d, seed, want) in [(300, 8, 31, REF_A), (60, 12, 33, REF_B), (500, 40, 35, REF_C)] {
        let matrix = support::normals(seed, m, d);
        let values = support::normals(seed + 1, m, 1).into_vec();
        let fit = solve(&matrix, &values, &vec![0.0; d]);
        assert_eq!(fit.status, FitStatus::Certified, "{fit}");
        assert!((fit.certificate.residual / want - 1.0).abs() < 1e-9, "{fit} against {want}");
        assert!((residual(&matrix, &values, &fit.theta) / want - 1.0).abs() < 1e-9);
    }
}

#[test]
fn independent_targets_are_met_exactly_without_an_iteration_and_with_the_least_change() {
    let matrix = support::normals(41, 5, 9);
    let values = support::normals(42, 5, 1).into_vec();
    let towards = support::normals(43, 9, 1).into_vec();
    let fit = solve(&matrix, &values, &towards);
    assert_eq!((fit.status, fit.iterations), (FitStatus::Certified, 0));
    assert!(fit.certificate.residual < 1e-14, "{fit}");
    // The change is a combination of the targets: nothing is changed that no target sees.
    let change: Vec<f64> = fit.theta.iter().zip(&towards).map(|(a, b)| a - b).collect();
    let unseen = solve(&matrix, &[0.0; 5], &change);
    assert!(dot(&unseen.theta, &change).abs() < 1e-12 * dot(&change, &change), "{unseen:?}");
}

#[test]
fn a_fit_that_is_already_exact_is_left_alone() {
    let matrix = support::normals(44, 30, 4);
    let theta = [0.3, -1.0, 2.0, 0.25];
    let values: Vec<f64> = (0..30).map(|i| dot(matrix.row(i), &theta)).collect();
    let fit = solve(&matrix, &values, &theta);
    assert_eq!((fit.theta.as_slice(), fit.status), (&theta[..], FitStatus::Certified));
    // From elsewhere, dependent targets that agree are met to rounding.
    let fit = solve(&matrix, &values, &[0.0; 4]);
    assert_eq!(fit.status, FitStatus::Certified, "{fit:?}");
    assert!(fit.certificate.residual < 1e-11, "{fit}");
}

#[test]
fn ties_are_broken_towards_the_given_point() {
    // The first coordinate is disputed (0 or 2): residual 1, whatever the second does within 1 of 5.
    let matrix = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let values = [0.0, 2.0, 5.0];
    for (towards, want) in [(0.0, 4.0), (4.7, 4.7), (9.0, 6.0), (5.0, 5.0)] {
        let fit = solve(&matrix, &values, &[-3.0, towards]);
        assert_eq!(fit.status, FitStatus::Certified);
        assert!((fit.theta[0] - 1.0).abs() < 1e-8 && (fit.theta[1] - want).abs() < 1e-8, "{fit:?}");
    }
}

/// The projection of `towards` on the best fits has no better fit between itself and `towards`.
#[test]
fn among_many_best_fits_none_is_nearer() {
    for seed in 0..12 {
        // Two disputed coordinates and four in which six rows leave room, all mixed by a rotation of sorts.
        let mix = support::normals(60 + seed, 6, 6);
        let loose = support::normals(80 + seed, 6, 4);
        let plain = Matrix::from_fn(10, 6, |i, j| match (i, j) {
            (0 | 1, 0) | (2 | 3, 1) => 1.0,
            (0..4, _) | (_, 0 | 1) => 0.0,
            (i, j) => loose[(i - 4, j - 2)],
        });
        let matrix = elfving::numerics::multiply(&plain, &mix);
        let mut values = vec![-1.0, 1.0, -0.5, 0.5];
        values.extend(support::normals(100 + seed, 6, 1).into_vec().iter().map(|x| 0.4 * x));
        let towards = support::normals(120 + seed, 6, 1).into_vec();
        let fit = solve(&matrix, &values, &towards);
        assert_eq!(fit.status, FitStatus::Certified, "{fit}");
        assert!((fit.certificate.residual - 1.0).abs() < 1e-8, "{fit}");
        // Another best fit, found by looking from elsewhere, is never on the near side of the plane through the projection.
        for other in 0..20 {
            let start = support::normals(1000 + 50 * seed + other, 6, 1).into_vec();
            let best = solve(&matrix, &values, &start);
            let normal: Vec<f64> = towards.iter().zip(&fit.theta).map(|(a, b)| a - b).collect();
            let side: f64 =
                normal.iter().zip(best.theta.iter().zip(&fit.theta)).map(|(n, (a, b))| n * (a - b)).sum();
            assert!(side <= 1e-6 * dot(&normal, &normal).max(1.0), "seed {seed}: {side}");
        }
    }
}

#[test]
fn differences_and_written_out_differences_have_the_same_fit() {
    let choices = support::normals(51, 14, 4);
    let pairs: Vec<(usize, usize)> = (0..14).flat_map(|i| (i + 1..14).map(move |j| (i, j))).collect();
    let written = Matrix::from_fn(pairs.len(), 4, |k, c| choices[(pairs[k].0, c)] - choices[(pairs[k].1, c)]);
    let values = support::normals(52, pairs.len(), 1).into_vec();
    let scales: Vec<f64> = (0..pairs.len()).map(|k| 0.5 + (k % 5) as f64).collect();
    let never_written =
        MinimaxProblem::new(TargetRows::Pairs(Cow::Borrowed(&choices)), &values, &scales).unwrap();
    let a = never_written.solve(&[0.0; 4], tolerance());
    let b = MinimaxProblem::new(rows(&written), &values, &scales).unwrap().solve(&[0.0; 4], tolerance());
    assert_eq!((a.status, b.status), (FitStatus::Certified, FitStatus::Certified));
    assert!((a.certificate.residual / b.certificate.residual - 1.0).abs() < 1e-8, "{a} {b}");
}

#[test]
fn a_certificate_for_a_worse_fit_or_from_other_weights_never_claims_too_much() {
    let matrix = support::normals(31, 300, 8);
    let values = support::normals(32, 300, 1).into_vec();
    let scales = vec![1.0; 300];
    let problem = MinimaxProblem::new(rows(&matrix), &values, &scales).unwrap();
    let fit = problem.solve(&[0.0; 8], tolerance());
    let weights = &fit.certificate.weights;
    // The certificate can be checked again from what it says.
    let again = recheck(&problem, &fit.theta, weights);
    assert!(again.relative_gap <= 1e-9, "{again:?}");
    // A perturbed fit is found out.
    let mut worse = fit.theta.clone();
    worse[2] += 1e-3;
    let found_out = recheck(&problem, &worse, weights);
    assert!(found_out.relative_gap > 1e-5 && found_out.bound <= REF_A * (1.0 + 1e-12), "{found_out:?}");
    // Other weights prove less, never more than the optimum.
    for seed in 0..50 {
        let noise = support::normals(200 + seed, weights.len(), 1).into_vec();
        let size = 10f64.powi(-(seed as i32 % 10));
        let off: Vec<(usize, f64)> =
            weights.iter().zip(noise).map(|(&(i, w), n)| (i, w + size * n / weights.len() as f64)).collect();
        for theta in [&fit.theta, &worse, &vec![0.0; 8]] {
            let checked = recheck(&problem, theta, &off);
            assert!(checked.bound <= REF_A * (1.0 + 1e-12), "{}", checked.bound);
        }
    }
    // Weights that would prove anything, if they did not have to cancel: all on the worst target, or the signs of a bad fit.
    let residuals: Vec<f64> = (0..300).map(|i| values[i] - dot(matrix.row(i), &worse)).collect();
    let bad = residual(&matrix, &values, &worse);
    let worst = (0..300).find(|&i| residuals[i].abs() == bad).unwrap();
    let signs: Vec<(usize, f64)> = (0..300).map(|i| (i, residuals[i])).collect();
    for liar in [vec![(worst, residuals[worst].signum())], signs] {
        let checked = recheck(&problem, &worse, &liar);
        assert!(checked.bound <= REF_A * (1.0 + 1e-12), "{}", checked.bound);
    }
    assert_eq!(recheck(&problem, &fit.theta, &[]).bound, 0.0);
}

#[test]
fn targets_of_scale_zero_are_left_out_and_nonsense_is_refused() {
    let matrix = Matrix::from_rows(&[[1.0], [0.0], [1.0]]);
    let problem = MinimaxProblem::new(rows(&matrix), &[1.0, 7.0, 2.0], &[1.0, 0.0, 1.0]).unwrap();
    let fit = problem.solve(&[0.0], tolerance());
    assert!((fit.certificate.residual - 0.5).abs() < 1e-9, "{fit}");
    let refuse = |values: &[f64], scales: &[f64]| MinimaxProblem::new(rows(&matrix), values, scales).is_err();
    assert!(refuse(&[1.0, 2.0], &[1.0; 3]) && refuse(&[1.0; 3], &[1.0; 2]));
    assert!(refuse(&[1.0, f64::NAN, 1.0], &[1.0; 3]) && refuse(&[1.0; 3], &[1.0, -1.0, 1.0]));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let matrix = support::normals(35, 3000, 40);
    let values = support::normals(36, 3000, 1).into_vec();
    let run = || solve(&matrix, &values, &[0.0; 40]);
    let on =
        |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    assert_eq!(on(1), on(3));
}

#[test]
fn theta_hat_is_within_twice_the_width_and_its_intervals_say_how_far() {
    let pool = Pool::from_features(support::small()).unwrap();
    let weights: Vec<(PointId, f64)> = (0..60).map(|i| (PointId::new(i), 1.0)).collect();
    let draws = Draws::new(&weights, 300, 4).unwrap();
    let mut outcomes: Vec<f64> = draws.points().iter().map(|id| (id.index() as f64).sin()).collect();
    outcomes[7] = 400.0;
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.01).unwrap()).unwrap();
    let rips = Rips::new(
        Assumptions::new(0.1).unwrap().bound(1.0).unwrap().norm(3.0).unwrap(),
        Confidence::new(0.05).unwrap(),
    );
    for targets in [Targets::Points(Subset::All), Targets::Differences(Subset::All)] {
        let of_means = rips.intervals(&sampled, &targets).unwrap();
        let fit = theta_hat(&sampled, &targets, &of_means, tolerance()).unwrap();
        assert_eq!(fit.status, FitStatus::Certified, "{fit}");
        let predicted = fit.fit.predict(&pool, &targets).unwrap();
        let of_fit = fit.intervals(&of_means);
        assert_eq!(of_fit.statement.estimator, "min-max fit of RIPS");
        for ((w, v), predicted) in of_means.intervals.iter().zip(&of_fit.intervals).zip(predicted) {
            assert!((v.estimate - predicted).abs() < 1e-9 && v.bias == w.bias);
            let apart = (v.estimate - w.estimate).abs();
            assert!(apart <= fit.certificate.residual * w.norm * (1.0 + 1e-9));
            assert!((v.noise - w.noise - apart).abs() < 1e-12);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, rng_seed: proptest::test_runner::RngSeed::Fixed(8), ..ProptestConfig::default() })]

    #[test]
    fn every_fit_is_certified_and_no_other_is_better(
        m in 2usize..120, d in 1usize..15, copies in 0usize..3, rank in 1usize..15, scale in -60i32..60, seed in 0u64..10_000,
    ) {
        // Rows of low rank, some repeated, with values of another scale and one outlier.
        let low = elfving::numerics::multiply(&support::normals(seed, m, rank), &support::normals(seed + 1, rank, d));
        let matrix = Matrix::from_fn(m, d, |i, j| low[(if i < copies { m - 1 - i % m } else { i }, j)]);
        let unit = 2f64.powi(scale);
        let mut values: Vec<f64> = support::normals(seed + 2, m, 1).into_vec().iter().map(|x| unit * x).collect();
        values[m / 2] *= 50.0;
        let towards: Vec<f64> = support::normals(seed + 3, d, 1).into_vec().iter().map(|x| unit * x).collect();
        let fit = solve(&matrix, &values, &towards);
        prop_assert_eq!(fit.status, FitStatus::Certified, "{}", fit);
        let reached = residual(&matrix, &values, &fit.theta);
        prop_assert!((reached - fit.certificate.residual).abs() <= 1e-12 * (reached + unit));
        for k in 0..5 {
            let step = support::normals(seed + 10 + k, d, 1).into_vec();
            let near: Vec<f64> = fit.theta.iter().zip(&step).map(|(a, b)| a + unit * b * 0.1f64.powi(k as i32)).collect();
            prop_assert!(residual(&matrix, &values, &near) >= fit.certificate.bound * (1.0 - 1e-12));
        }
    }
}
