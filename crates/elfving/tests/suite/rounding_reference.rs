//! Roundings whose answer is known: small vectors, the paper's pools, and the pool on which project-then-round fails.

use crate::support;

use std::sync::Arc;

use elfving::design::{Control, Criterion, Design, InteriorPoint, Problem, Solver};
use elfving::numerics::{Matrix, norm_squared, weighted_gram};
use elfving::pool::{Factorisation, PointId, Points, Pool, kernels::Rbf};
use elfving::rounding::{
    Allocation, Apportionment, BestRounding, Caratheodory, Ceiling, Constraints, Draws, Exchange,
    ProjectThenRound, RegretMinimisation, Request, Rounded, Rounding, RoundingPath,
};
use elfving::units::{Ridge, Tolerance};

fn ids(weights: &[f64]) -> Vec<(PointId, f64)> {
    weights.iter().enumerate().map(|(i, &weight)| (PointId::new(i), weight)).collect()
}

fn dense(allocation: &Allocation, points: usize) -> Vec<u64> {
    (0..points).map(|i| allocation.count(PointId::new(i))).collect()
}

fn ridge(gamma: f64) -> Ridge {
    Ridge::new(gamma).unwrap()
}

fn round(pool: &Pool, weights: &[f64], gamma: f64, budget: u64, rounding: &dyn Rounding) -> Rounded {
    let problem = Problem::over_choices(pool, Criterion::G, ridge(gamma)).unwrap();
    let request = Request::from_weights(&problem, &ids(weights), budget, &Constraints::default()).unwrap();
    rounding.round(&request).unwrap()
}

const FOUR: [f64; 4] = [0.4, 0.3, 0.2, 0.1];

#[test]
fn ceiling_and_apportionment_give_the_textbook_counts() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let counts =
        |rounding: &dyn Rounding, budget| dense(&round(&pool, &FOUR, 0.0, budget, rounding).allocation, 4);
    assert_eq!(counts(&Ceiling, 7), [3, 3, 2, 1]);
    assert_eq!(counts(&Apportionment::default(), 4), [1, 1, 1, 1]);
    assert_eq!(counts(&Apportionment::default(), 7), [3, 2, 1, 1]);
    assert_eq!(counts(&Apportionment::default(), 23), [8, 7, 5, 3]);
    // Below one measurement each, the heaviest come first.
    assert_eq!(counts(&Apportionment::default(), 3), [1, 1, 1, 0]);
    assert_eq!(counts(&Apportionment::default().smallest_quota(0.8), 7), [3, 2, 2, 0]);
    // 0.1 · 30 is 3.0000000000000004 in floating point: still three.
    assert_eq!(counts(&Ceiling, 30), [12, 9, 6, 3]);
}

#[test]
fn regret_minimisation_builds_the_reference_matrix() {
    let pool =
        Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, -0.8]])).unwrap();
    // The first two and the last two points are orthonormal bases, so scores tie exactly and several
    // counts have the same information matrix: the matrix is the reference, the counts are ours (ties to the smallest id).
    for (budget, reference, smallest, ours) in [
        (6, [1, 1, 2, 2], 0.8620689655, [3, 3, 0, 0]),
        (12, [2, 1, 5, 4], 0.9770114943, [6, 5, 1, 0]),
        (40, [7, 4, 16, 13], 0.9655172414, [19, 16, 4, 1]),
    ] {
        let rounded = round(&pool, &FOUR, 0.0, budget, &RegretMinimisation::default().alpha(4.0));
        let counts = dense(&rounded.allocation, 4);
        assert_eq!(counts, ours);
        let matrix = |counts: &[f64]| weighted_gram(pool.features(), counts);
        let (found, expected) = (
            matrix(&counts.iter().map(|&n| n as f64).collect::<Vec<_>>()),
            matrix(&reference.map(f64::from)),
        );
        for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
            assert!((a - b).abs() < 1e-12 * budget as f64, "{found:?} {expected:?}");
        }
        assert!((rounded.report.smallest_eigenvalue - smallest).abs() < 1e-9, "{:?}", rounded.report);
    }
}

#[test]
fn regret_minimisation_makes_the_choices_of_a_plain_loop() {
    // From the plain numpy loop of `cargo xtask peers rounding` on the paper's first pool, T = 200, alpha = 4 sqrt(50).
    let pool = Pool::from_features(support::paper_g()).unwrap();
    let regret = RegretMinimisation::default().alpha(4.0 * 50f64.sqrt());
    let Rounded { allocation, report } = round(&pool, &[1.0; 1275], 0.0, 200, &regret);
    let first: Vec<usize> = allocation.counts().iter().take(12).map(|&(id, _)| id.index()).collect();
    assert_eq!(first, [1, 10, 18, 23, 37, 45, 46, 47, 56, 57, 59, 63]);
    assert_eq!(allocation.slots().iter().map(|id| id.index()).sum::<usize>(), 124_636);
    assert_eq!((report.candidates, report.total), (199, 200));
    assert!((report.smallest_eigenvalue - 0.659740205636172).abs() < 1e-10, "{report}");
}

fn reduced(rows: Matrix) -> (usize, f64, f64) {
    let n = rows.rows();
    let pool = Pool::from_features(rows).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let request = Request::from_weights(&problem, &ids(&vec![1.0; n]), 40, &Constraints::default()).unwrap();
    let weights = Caratheodory.reduced_weights(&request);
    let mut after = vec![0.0; n];
    weights.iter().for_each(|&(id, weight)| after[id.index()] = weight);
    let before = weighted_gram(pool.features(), &vec![1.0 / n as f64; n]);
    let mut difference = weighted_gram(pool.features(), &after);
    difference.as_mut_slice().iter_mut().zip(before.as_slice()).for_each(|(a, b)| *a -= b);
    let sum: f64 = after.iter().sum();
    assert!(after.iter().all(|&weight| weight >= 0.0));
    (weights.len(), difference.max_abs() / before.max_abs(), (sum - 1.0).abs())
}

#[test]
fn caratheodory_keeps_the_matrix_and_meets_its_bound() {
    // Unit rows: the trace is the mass, so r(r+1)/2 points are enough. General rows need one more.
    for (rows, bound) in [
        (support::unit_rows(support::normals(21, 100, 5), 0), 15),
        (support::normals(21, 100, 5), 16),
        (support::unit_rows(support::normals(22, 700, 12), 10), 78),
        (support::normals(23, 700, 12), 79),
        (support::normals(24, 3, 2), 3),
    ] {
        let (points, matrix_error, mass_error) = reduced(rows);
        assert!(points <= bound, "{points} points instead of {bound}");
        assert!(matrix_error < 1e-12 && mass_error < 1e-14, "{matrix_error:e} {mass_error:e}");
    }
}

#[test]
fn caratheodory_reports_what_it_reduced() {
    let pool = Pool::from_features(support::unit_rows(support::normals(21, 100, 5), 0)).unwrap();
    let rounded = round(&pool, &[1.0; 100], 0.0, 60, &Caratheodory);
    assert_eq!(rounded.report.path, RoundingPath::Reduced { from: 100, to: 15 });
    assert_eq!(rounded.allocation.total(), 60);
    assert_eq!(rounded.report.candidates, 15);
}

/// `(a, ±b e_i)`, i = 1..m, with a = 3 and b² = 0.9 m γ, at γ = 0.1.
fn counterexample(m: usize) -> Pool {
    let b = (0.9 * m as f64 * 0.1f64).sqrt();
    let rows = Matrix::from_fn(2 * m, m + 1, |i, j| match j {
        0 => 3.0,
        _ if j == i / 2 + 1 => {
            if i % 2 == 0 {
                b
            } else {
                -b
            }
        }
        _ => 0.0,
    });
    Pool::from_features(rows).unwrap()
}

#[test]
fn project_then_round_fails_as_written_and_the_fallback_does_not() {
    for (m, expected) in [(5, 5.347), (10, 5.831)] {
        let pool = counterexample(m);
        let weights = vec![1.0; 2 * m];
        for budget in [24, 240] {
            let literal =
                round(&pool, &weights, 0.1, budget, &ProjectThenRound::default().literal(true)).report;
            assert_eq!((literal.path, literal.dimension), (RoundingPath::Projected, 1));
            let ratio = literal.ratio.unwrap();
            assert!(ratio > 5.0 && (ratio - expected).abs() < 5e-4, "m = {m}, T = {budget}: {ratio}");

            let checked = round(&pool, &weights, 0.1, budget, &ProjectThenRound::default()).report;
            assert_eq!(checked.path, RoundingPath::FullSpace { projected_ratio: Some(ratio) });
            assert_eq!(checked.dimension, m + 1);
            assert!(checked.ratio.unwrap() < 2.0, "{checked}");
            if budget == 240 {
                assert!((checked.ratio.unwrap() - 1.0).abs() < 1e-9, "{checked}");
            }
        }
    }
}

#[test]
fn the_projected_plan_stays_where_the_full_space_is_no_better() {
    let points = Points::new(support::paper_rbf()).unwrap();
    let kernel = Arc::new(Rbf::new(0.025).unwrap());
    let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
    let (problem, design) = paper_rbf_design(&pool);
    for budget in [10, 30] {
        let request = Request::new(&problem, &design, budget, &Constraints::default()).unwrap();
        let literal = ProjectThenRound::default().literal(true).round(&request).unwrap().report;
        let full = RegretMinimisation::default().round(&request).unwrap().report;
        let checked = ProjectThenRound::default().round(&request).unwrap().report;
        assert!(literal.ratio.unwrap() > 2.0, "{literal}");
        assert_eq!(checked.ratio.unwrap(), literal.ratio.unwrap().min(full.ratio.unwrap()));
        assert_eq!(checked.path == RoundingPath::Projected, literal.ratio.unwrap() <= full.ratio.unwrap());
    }
}

#[test]
fn a_large_budget_is_apportioned_at_once() {
    let pool = Pool::from_features(support::small()).unwrap();
    let rounded = round(&pool, &[1.0; 60], 0.0, 60_000_000, &BestRounding::default());
    assert_eq!((rounded.allocation.total(), rounded.report.path), (60_000_000, RoundingPath::Direct));
    assert_eq!(rounded.report.method, "best");
    assert!(rounded.report.ratio.unwrap() < 1.0 + 1e-9);
}

#[test]
fn without_an_eigenvalue_above_gamma_the_effective_dimension_is_zero() {
    let pool = counterexample(5);
    let rounded = round(&pool, &[1.0; 10], 10.0, 10, &ProjectThenRound::default());
    assert_eq!((rounded.report.path, rounded.report.dimension), (RoundingPath::Projected, 0));
    assert!(rounded.report.ratio.unwrap() <= 2.0);
}

fn paper_rbf_design(pool: &Pool) -> (Problem<'_>, Design) {
    let problem = Problem::over_choices(pool, Criterion::G, ridge(0.005)).unwrap();
    let mut control = Control::new(Tolerance::new(1e-6).unwrap());
    let design = InteriorPoint::default().solve(&problem, &mut control).unwrap();
    (problem, design)
}

#[test]
fn roundings_are_within_a_tenth_on_the_papers_kernel_pool_and_draws_are_not() {
    let points = Points::new(support::paper_rbf()).unwrap();
    let kernel = Arc::new(Rbf::new(0.025).unwrap());
    let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
    let (problem, design) = paper_rbf_design(&pool);
    for (budget, bound) in [(30, 2.5), (75, 1.3), (150, 1.10), (300, 1.10)] {
        let request = Request::new(&problem, &design, budget, &Constraints::default()).unwrap();
        let ours = RegretMinimisation::default().round(&request).unwrap();
        let ratio = ours.report.ratio.unwrap();
        assert!((1.0..=bound).contains(&ratio), "T = {budget}: {}", ours.report);
        let draws = Draws::new(design.support(), budget, 1).unwrap().report(&request).unwrap();
        assert!(draws.ratio.unwrap() > 1.4 * ratio, "T = {budget}: {ratio} against {draws}");
        if budget == 75 {
            let polished = Exchange::default().after(&request, &ours).unwrap().report;
            assert!(polished.ratio.unwrap() < 0.97 * ratio, "{polished}");
        }
    }
}

#[test]
fn a_budget_that_divides_evenly_loses_nothing() {
    let pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let request = Request::from_weights(&problem, &ids(&[1.0; 3]), 12, &Constraints::default()).unwrap();
    for method in elfving::rounding::Method::ALL {
        let report = method.rounding().round(&request).unwrap().report;
        assert!((report.ratio.unwrap() - 1.0).abs() < 1e-12, "{report}");
        assert!((report.smallest_eigenvalue - 1.0).abs() < 1e-12, "{report}");
    }
}

#[test]
fn counts_that_leave_a_target_undetermined_have_no_value() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let report = round(&pool, &FOUR, 0.0, 3, &Apportionment::default()).report;
    assert_eq!((report.value, report.ratio), (None, None));
    assert_eq!(report.smallest_eigenvalue, 0.0);
    assert!(report.to_string().contains("infinite"), "{report}");
    // A ridge carries what is not measured.
    let report = round(&pool, &FOUR, 0.5, 3, &Apportionment::default()).report;
    assert!((report.value.unwrap() - 2.0).abs() < 1e-12, "{report}");
}

#[test]
fn a_singular_optimum_without_ridge_is_rounded_in_its_own_span() {
    // One direction of the plane is wanted and the pool has it: one point is the whole design.
    let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])).unwrap();
    let target = elfving::pool::Targets::Directions(Matrix::from_rows(&[[1.0, 0.0]]));
    let problem = Problem::new(&pool, Criterion::C, target, Ridge::ZERO).unwrap();
    let weights = [(PointId::new(0), 1.0)];
    let done = Constraints::default().already_done(PointId::new(1), 2);
    for constraints in [Constraints::default(), done] {
        let request = Request::from_weights(&problem, &weights, 4, &constraints).unwrap();
        for method in elfving::rounding::Method::ALL {
            if method == elfving::rounding::Method::Greedy {
                continue; // looks at no design: measures every direction of the pool
            }
            let rounded = method.rounding().round(&request).unwrap();
            assert_eq!(rounded.allocation.count(PointId::new(0)), 4, "{method}");
            let all = 4.0 + rounded.report.done as f64;
            assert!((rounded.report.value.unwrap() - all / 4.0).abs() < 1e-12, "{}", rounded.report);
        }
    }
}

#[test]
fn the_ratio_of_criterion_d_is_one_over_the_d_efficiency() {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let request = Request::from_weights(&problem, &ids(&[0.5, 0.5]), 4, &Constraints::default()).unwrap();
    let uneven = Allocation::new(vec![(PointId::new(0), 3), (PointId::new(1), 1)]).unwrap();
    let report = request.evaluate(&uneven).unwrap();
    // det = 3/16 instead of 1/4, in two dimensions.
    assert!((report.value.unwrap() - (3.0f64 / 16.0).ln()).abs() < 1e-12);
    assert!((report.ratio.unwrap() - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((report.smallest_eigenvalue - 0.5).abs() < 1e-12);
    assert!(norm_squared(&[report.continuous_value - 0.25f64.ln()]) < 1e-20);
}
