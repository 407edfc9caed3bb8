//! Designs whose optimum is known: closed forms, and values that an independent prototype certified to 1e-9
//! and, for the small ones, a conic solver confirmed.

use crate::support;

use std::sync::Arc;

use elfving::design::{CheckedBy, Control, Criterion, Design, DesignStatus, InteriorPoint, Problem, Solver};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Combination, Factorisation, Points, Pool, Subset, Targets, kernels::Rbf};
use elfving::units::{Ridge, Tolerance};

fn solve(problem: &Problem) -> Design {
    let mut control = Control::new(Tolerance::new(1e-9).unwrap());
    InteriorPoint::default().solve(problem, &mut control).unwrap()
}

#[track_caller]
fn assert_optimum(problem: &Problem, expected: f64) {
    let design = solve(problem);
    assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    let error = (design.certificate().value() - expected).abs() / expected.abs();
    assert!(
        error < 5e-9,
        "{} at gamma {}: {} instead of {expected}",
        problem.criterion(),
        problem.gamma().get(),
        design.certificate().value()
    );
}

fn ridge(gamma: f64) -> Ridge {
    Ridge::new(gamma).unwrap()
}

#[test]
fn every_criterion_reaches_its_reference_value_on_the_small_pool() {
    let pool = Pool::from_features(support::small()).unwrap();
    for (criterion, gamma, expected) in [
        (Criterion::G, 0.0, 12.0),
        (Criterion::G, 0.05, 6.875312662),
        (Criterion::D, 0.0, -32.07190209),
        (Criterion::D, 0.05, -24.97574987),
        (Criterion::A, 0.0, 206.33212392),
        (Criterion::A, 0.05, 102.36423721),
        (Criterion::V, 0.0, 10.427643493),
        (Criterion::V, 0.05, 6.121100532),
    ] {
        assert_optimum(&Problem::over_choices(&pool, criterion, ridge(gamma)).unwrap(), expected);
    }
}

#[test]
fn differences_of_other_choices_reach_their_reference_value() {
    let pool = Pool::from_features_with_choices(support::small(), support::small_targets()).unwrap();
    for (gamma, expected) in [(0.0, 53.755220288), (0.05, 24.531210276)] {
        assert_optimum(&Problem::over_choices(&pool, Criterion::Xy, ridge(gamma)).unwrap(), expected);
    }
}

#[test]
fn one_direction_without_ridge_is_solved_although_its_optimum_is_singular() {
    let pool = Pool::from_features(support::small()).unwrap();
    let direction = Matrix::from_row_major(1, 12, vec![1.0 / 12f64.sqrt(); 12]);
    let problem = Problem::new(&pool, Criterion::C, Targets::Directions(direction), Ridge::ZERO).unwrap();
    assert_optimum(&problem, 10.146407069);
}

#[test]
fn the_papers_first_pool_has_value_equal_to_its_dimension() {
    let pool = Pool::from_features(support::paper_g()).unwrap();
    assert_optimum(&Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap(), 50.0);
    assert_optimum(&Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap(), -205.7863363991);
}

#[test]
fn the_papers_kernel_pool_is_certified_by_the_exact_kernel() {
    let points = Points::new(support::paper_rbf()).unwrap();
    let kernel = Arc::new(Rbf::new(0.025).unwrap());
    let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, ridge(0.005)).unwrap();
    let design = solve(&problem);
    assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    assert_eq!(design.certificate().checked_by(), CheckedBy::ExactKernel);
    assert!(
        design.certificate().bound() <= 27.491105733898 && design.certificate().value() >= 27.491105733361
    );
}

#[test]
fn the_standard_basis_has_a_closed_form() {
    for d in [1, 2, 7] {
        let pool = Pool::from_features(Matrix::identity(d)).unwrap();
        for gamma in [0.0, 0.3] {
            let value = 1.0 / (1.0 / d as f64 + gamma);
            assert_optimum(&Problem::over_choices(&pool, Criterion::G, ridge(gamma)).unwrap(), value);
        }
    }
}

#[test]
fn soare_pools_have_xy_value_twice_the_dimension() {
    for d in [2, 5, 10, 20] {
        let pool = Pool::from_features(support::soare(d)).unwrap();
        assert_optimum(&Problem::over_choices(&pool, Criterion::Xy, Ridge::ZERO).unwrap(), 2.0 * d as f64);
    }
}

#[test]
fn rho_star_of_the_soare_pools() {
    for (d, expected) in [(2, 110.07504029), (5, 110.86250135), (10, 112.17462742), (20, 114.79774602)] {
        let pool = Pool::from_features(support::soare(d)).unwrap();
        // theta = 2 e_1, so the best choice is e_1 and a gap is 2 (1 - z_1).
        let targets = (1..=d)
            .map(|z| {
                let scale = 1.0 / (2.0 * (1.0 - pool.choices()[(z, 0)]));
                Combination { terms: vec![(ChoiceId::new(0), scale), (ChoiceId::new(z), -scale)] }
            })
            .collect();
        let problem = Problem::new(&pool, Criterion::G, Targets::Combinations(targets), Ridge::ZERO).unwrap();
        assert_optimum(&problem, expected);
    }
}

#[test]
fn quadratic_regression_on_an_interval_is_the_textbook_design() {
    // D-optimal for 1, x, x² on [-1, 1]: a third each at -1, 0 and 1.
    let pool = Pool::from_features(Matrix::from_fn(41, 3, |i, k| ((i as f64 - 20.0) / 20.0).powi(k as i32)))
        .unwrap();
    let design = solve(&Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap());
    let heavy: Vec<(usize, f64)> = design
        .support()
        .iter()
        .map(|(id, weight)| (id.index(), *weight))
        .filter(|&(_, w)| w > 1e-4)
        .collect();
    assert_eq!(heavy.iter().map(|&(i, _)| i).collect::<Vec<_>>(), vec![0, 20, 40]);
    assert!(heavy.iter().all(|&(_, weight)| (weight - 1.0 / 3.0).abs() < 1e-4), "{heavy:?}");
}

#[test]
fn a_subset_of_targets_is_the_problem_on_that_subset() {
    let pool = Pool::from_features(support::small()).unwrap();
    let some: Vec<ChoiceId> = [3, 14, 15].map(ChoiceId::new).to_vec();
    let by_subset =
        Problem::new(&pool, Criterion::G, Targets::Points(Subset::Of(some)), ridge(0.05)).unwrap();
    let rows = support::small().select_rows(&[3, 14, 15]);
    let by_rows = Problem::new(&pool, Criterion::G, Targets::Directions(rows), ridge(0.05)).unwrap();
    let (a, b) = (solve(&by_subset), solve(&by_rows));
    assert!((a.certificate().value() - b.certificate().value()).abs() < 1e-8 * a.certificate().value());
}

#[test]
fn the_designs_of_a_straight_line_are_those_of_the_textbook() {
    // Measured at 0, 0.1, ..., 1: half of the measurements at each end, but for a (√2 - 1 at 1) and for the line at 2.
    let line = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32))).unwrap();
    let at_two = Targets::Directions(Matrix::from_rows(&[[1.0, 2.0]]));
    let over_choices = |criterion| Problem::over_choices(&line, criterion, Ridge::ZERO).unwrap();
    for (problem, wanted) in [
        (over_choices(Criterion::Xy), 4.0),
        (over_choices(Criterion::D), 0.25f64.ln()),
        (over_choices(Criterion::A), (1.0 + 2f64.sqrt()).powi(2)),
        (over_choices(Criterion::V), 1.4),
        (Problem::new(&line, Criterion::C, at_two, Ridge::ZERO).unwrap(), 9.0),
    ] {
        let mut control = Control::new(Tolerance::new(1e-9).unwrap());
        let design = InteriorPoint::default().solve(&problem, &mut control).unwrap();
        assert!((design.certificate().value() - wanted).abs() < 1e-8, "{design}");
    }
}
