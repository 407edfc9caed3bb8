//! Every solver, every criterion it is made for: the same answers, certified by the same check.

use crate::support;

use std::ops::ControlFlow;

use elfving::design::{
    Certificate, Control, Criterion, Design, DesignError, DesignStatus, Diagnostics, ElfvingSet,
    InformationMatrix, InteriorPoint, Problem, Progress, Solver, TargetRef, recheck,
};
use elfving::numerics::{Matrix, dot};
use elfving::pool::{PointId, Pool, Targets};
use elfving::units::{Ridge, Simplex, Tolerance};
use elfving_lab::solvers::{
    FrankWolfe, MirrorDescent, Multiplicative, Opponent, RandomisedExchange, StepSize, Variant,
};

fn ridge(gamma: f64) -> Ridge {
    Ridge::new(gamma).unwrap()
}

fn solve(solver: &dyn Solver, problem: &Problem, tolerance: f64) -> Result<Design, DesignError> {
    solver.solve(problem, &mut Control::new(Tolerance::new(tolerance).unwrap()))
}

/// The solvers that need a gradient: d, a, v, c, and g where it is d.
fn smooth_solvers() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Multiplicative::default()),
        Box::new(FrankWolfe::default().variant(Variant::Plain)),
        Box::new(FrankWolfe::default().variant(Variant::Away)),
        Box::new(FrankWolfe::default().variant(Variant::Pairwise)),
        Box::new(RandomisedExchange::default().seed(3)),
    ]
}

/// The solvers for everything.
fn general_solvers() -> Vec<Box<dyn Solver>> {
    vec![Box::new(InteriorPoint::default()), Box::new(MirrorDescent::default().opponent(Opponent::Weighted))]
}

/// Quadratic regression on 21 points of [-1, 1].
fn quadratic() -> Matrix {
    Matrix::from_fn(21, 3, |i, k| (i as f64 / 10.0 - 1.0).powi(k as i32))
}

fn small_pools() -> Vec<Pool> {
    vec![
        Pool::from_features_with_choices(support::small(), support::small_targets()).unwrap(),
        Pool::from_features(support::small()).unwrap(),
        Pool::from_features(quadratic()).unwrap(),
        Pool::from_features(support::soare(5)).unwrap(),
    ]
}

fn direction(values: Vec<f64>) -> Targets {
    Targets::Directions(Matrix::from_row_major(1, values.len(), values))
}

fn problem(pool: &Pool, criterion: Criterion, gamma: f64) -> Problem<'_> {
    if criterion == Criterion::C {
        // No symmetry: a direction that needs every coordinate, and an optimum that is not a single point.
        let values = (0..pool.dimension()).map(|k| 1.0 + 0.1 * k as f64).collect();
        return Problem::new(pool, criterion, direction(values), ridge(gamma)).unwrap();
    }
    Problem::over_choices(pool, criterion, ridge(gamma)).unwrap()
}

/// Within `tolerance`, and not contradicted by the interior point: each one's bound holds for the other.
#[track_caller]
fn assert_certified(problem: &Problem, design: &Design, tolerance: f64, exact: &Certificate) {
    let found = &design;
    let found = found.certificate();
    let what =
        format!("{} on {} at gamma {}: {design}", design.method(), problem.pool(), problem.gamma().get());
    assert_eq!(design.status(), DesignStatus::Certified, "{what}");
    assert!(found.relative_gap() <= tolerance, "{what}");
    let sign = if problem.criterion().is_maximised() { -1.0 } else { 1.0 };
    assert!(
        sign * (found.value() - exact.bound()) >= 0.0,
        "{what}, but the optimum is beyond {}",
        exact.bound()
    );
    assert!(sign * (exact.value() - found.bound()) >= 0.0, "{what}, but {} was reached", exact.value());
    let again = recheck(problem, design.support(), found.target_weights()).unwrap();
    assert!((again.value() - found.value()).abs() <= 1e-12 * found.value().abs(), "{what}");
    assert!(again.relative_gap() <= tolerance, "{what}");
}

#[test]
fn every_solver_reaches_a_thousandth_for_every_criterion_it_supports() {
    for pool in &small_pools() {
        for gamma in [0.0, 0.05] {
            for criterion in Criterion::ALL {
                let problem = problem(pool, criterion, gamma);
                let exact = solve(&InteriorPoint::default(), &problem, 1e-8).unwrap();
                let exact = exact.certificate();
                for solver in general_solvers() {
                    assert_certified(&problem, &solve(&*solver, &problem, 1e-3).unwrap(), 1e-3, exact);
                }
                let own = pool.chooses_among_itself();
                let has_gradient = match criterion {
                    Criterion::G => gamma == 0.0 && own,
                    Criterion::Xy => false,
                    _ => true,
                };
                for solver in smooth_solvers() {
                    match solve(&*solver, &problem, 1e-3) {
                        Ok(design) if has_gradient => assert_certified(&problem, &design, 1e-3, exact),
                        Err(DesignError::Unsupported { criterion: refused, .. }) if !has_gradient => {
                            assert_eq!(refused, criterion);
                        }
                        other => panic!("{} for {criterion} at gamma {gamma}: {other:?}", solver.name()),
                    }
                }
            }
        }
    }
}

#[test]
fn exchanges_and_away_steps_go_on_to_a_billionth() {
    let pool = Pool::from_features(support::small()).unwrap();
    for (criterion, gamma, expected) in
        [(Criterion::G, 0.0, 12.0), (Criterion::D, 0.05, -24.97574987), (Criterion::A, 0.0, 206.33212392)]
    {
        let problem = Problem::over_choices(&pool, criterion, ridge(gamma)).unwrap();
        let solvers: [&dyn Solver; 3] = [
            &FrankWolfe::default().variant(Variant::Away),
            &FrankWolfe::default().variant(Variant::Pairwise),
            &RandomisedExchange::default(),
        ];
        for solver in solvers {
            let design = solve(solver, &problem, 1e-9).unwrap();
            assert_eq!(design.status(), DesignStatus::Certified, "{} {design}", solver.name());
            let error = (design.certificate().value() - expected).abs() / expected.abs();
            assert!(error < 5e-9, "{} {design}", solver.name());
        }
    }
}

#[test]
fn a_design_of_one_point_is_reached_and_kept() {
    // With so large a ridge one point alone is best for this direction: the others go, and nothing is left to move.
    let pool = Pool::from_features(support::normals(1152, 17, 3)).unwrap();
    let target = Targets::Directions(support::normals(3152, 1, 3));
    let problem = Problem::new(&pool, Criterion::C, target, ridge(3.0)).unwrap();
    for variant in [Variant::Away, Variant::Pairwise] {
        let design = solve(&FrankWolfe::default().variant(variant), &problem, 1e-9).unwrap();
        assert_eq!(
            (design.status(), design.support().len()),
            (DesignStatus::Certified, 1),
            "{variant:?}: {design}"
        );
    }
    let design = solve(&RandomisedExchange::default(), &problem, 1e-9).unwrap();
    assert_eq!((design.status(), design.support().len()), (DesignStatus::Certified, 1), "{design}");
}

#[test]
fn the_papers_mirror_descent_has_a_good_value_long_before_a_good_proof() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, ridge(0.05)).unwrap();
    let mut control = Control::new(Tolerance::new(1e-6).unwrap()).iteration_limit(3000);
    let design = MirrorDescent::default().solve(&problem, &mut control).unwrap();
    assert_eq!((design.status(), design.iterations()), (DesignStatus::IterationLimit, 3000));
    assert!(design.certificate().value() < 1.01 * 6.875312662, "{design}");
    assert!(design.certificate().relative_gap() < 0.05, "{design}");
    assert!(design.certificate().bound() < 6.875312662);
    // w is how often each target was the worst: it proves the bound.
    let total: f64 = design.certificate().target_weights().iter().map(|(_, weight)| weight).sum();
    assert!(design.certificate().target_weights().len() > 12 && (total - 1.0).abs() < 1e-12);
}

#[test]
fn smaller_steps_are_slower_and_recent_averages_reach_further() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, ridge(0.05)).unwrap();
    let gap = |method: MirrorDescent| {
        let mut control = Control::new(Tolerance::new(1e-6).unwrap()).iteration_limit(1600);
        method.solve(&problem, &mut control).unwrap().certificate().relative_gap()
    };
    let usual = gap(MirrorDescent::default());
    assert!(gap(MirrorDescent::default().step_size(StepSize::SquareRoot(0.1))) > 2.0 * usual);
    assert!(gap(MirrorDescent::default().step_size(StepSize::Constant(0.01))) > 2.0 * usual);
    assert!(gap(MirrorDescent::default().recency(0.0)) > usual);
}

#[test]
fn each_multiplicative_update_improves_the_criterion() {
    let pool = Pool::from_features(support::small()).unwrap();
    for (criterion, gamma) in
        [(Criterion::D, 0.0), (Criterion::D, 0.05), (Criterion::A, 0.05), (Criterion::V, 0.0)]
    {
        let problem = Problem::over_choices(&pool, criterion, ridge(gamma)).unwrap();
        let sign = if criterion.is_maximised() { -1.0 } else { 1.0 };
        let mut before = f64::INFINITY;
        for updates in 0..12 {
            // What comes back is the best by gap, which falls with every one of the first updates.
            let mut control = Control::new(Tolerance::new(1e-12).unwrap()).iteration_limit(updates);
            let design = Multiplicative::default().solve(&problem, &mut control).unwrap();
            assert!(sign * design.certificate().value() <= before, "{criterion} after {updates}");
            before = sign * design.certificate().value();
        }
    }
}

#[test]
fn a_small_power_is_slow() {
    let pool = Pool::from_features(quadratic()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let iterations =
        |power: f64| solve(&Multiplicative::default().power(power), &problem, 1e-3).unwrap().iterations();
    assert!(iterations(0.25) > 3 * iterations(1.0));
}

#[test]
fn a_limit_or_a_watcher_ends_every_solver_with_an_honest_status() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::V, ridge(0.05)).unwrap();
    let solvers = smooth_solvers()
        .into_iter()
        .chain([Box::new(MirrorDescent::default()) as Box<dyn Solver>, Box::new(InteriorPoint::default())]);
    for solver in solvers {
        let tolerance = Tolerance::new(1e-12).unwrap();
        let limited = solver.solve(&problem, &mut Control::new(tolerance).iteration_limit(1)).unwrap();
        assert_eq!(limited.status(), DesignStatus::IterationLimit, "{}", solver.name());
        assert!(limited.iterations() <= 1 || solver.name() == "interior-point", "{}", solver.name());

        let mut seen: Vec<Progress> = vec![];
        let mut watch = |progress: &Progress| {
            seen.push(*progress);
            if seen.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let stopped = solver.solve(&problem, &mut Control::new(tolerance).watch(&mut watch)).unwrap();
        assert_eq!(stopped.status(), DesignStatus::Stopped, "{}", solver.name());
        assert!(stopped.certificate().relative_gap().is_finite());
        assert!(seen.len() >= 2 && seen[1].iterations >= seen[0].iterations);
    }
}

#[test]
fn a_method_gives_up_at_its_own_limit() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let mut control = Control::new(Tolerance::new(1e-12).unwrap());
    let design = Multiplicative::default().iteration_limit(7).solve(&problem, &mut control).unwrap();
    assert_eq!((design.status(), design.iterations()), (DesignStatus::IterationLimit, 7));
}

#[test]
fn the_same_seed_gives_the_same_design_and_another_one_the_same_value() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let run = |seed| solve(&RandomisedExchange::default().seed(seed), &problem, 1e-9).unwrap();
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).support(), run(6).support());
    assert!((run(5).certificate().value() - run(6).certificate().value()).abs() < 1e-7);
}

#[test]
fn more_leaders_need_fewer_turns() {
    let pool = Pool::from_features(support::normals(9, 400, 6)).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let turns = |leaders| {
        solve(&RandomisedExchange::default().leaders(leaders), &problem, 1e-3).unwrap().iterations()
    };
    assert!(turns(1) > turns(4), "{} {}", turns(1), turns(4));
}

#[test]
fn mirror_descent_with_weighted_targets_solves_the_papers_kernel_pool() {
    use elfving::pool::{Factorisation, Points, kernels::Rbf};
    let points = Points::new(support::paper_rbf()).unwrap();
    let kernel = std::sync::Arc::new(Rbf::new(0.025).unwrap());
    let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, ridge(0.005)).unwrap();
    let design = solve(&MirrorDescent::default().opponent(Opponent::Weighted), &problem, 2e-3).unwrap();
    assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    assert!(design.certificate().bound() <= 27.4911057 && 27.4911057 <= design.certificate().value());
}

// ---- Elfving's linear programme -------------------------------------------------------------------------

fn elfving(pool: &Pool, target: Vec<f64>) -> Result<Design, DesignError> {
    let problem = Problem::new(pool, Criterion::C, direction(target), Ridge::ZERO)?;
    solve(&ElfvingSet, &problem, 1e-9)
}

/// Positions and weights above 1e-6.
fn heavy(design: &Design) -> Vec<(usize, f64)> {
    design.support().iter().map(|&(id, weight)| (id.index(), weight)).filter(|&(_, w)| w > 1e-6).collect()
}

#[track_caller]
fn assert_heavy(design: &Design, expected: &[(usize, f64)]) {
    let found = heavy(design);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (f, e) in found.iter().zip(expected) {
        assert!(f.0 == e.0 && (f.1 - e.1).abs() < 1e-8, "{found:?} instead of {expected:?}");
    }
}

#[test]
fn one_direction_of_the_small_pool_has_its_reference_value_on_as_many_points_as_dimensions() {
    let pool = Pool::from_features(support::small()).unwrap();
    let design = elfving(&pool, vec![1.0 / 12f64.sqrt(); 12]).unwrap();
    assert_eq!(design.status(), DesignStatus::Certified);
    assert!((design.certificate().value() - 10.146407069).abs() < 1e-8);
    assert!(design.support().len() <= 12);
}

#[test]
fn a_ray_through_an_edge_and_one_through_a_vertex_of_the_elfving_set() {
    // The hull of ±e1, ±e2 is a diamond; (0.4, 0.4) is inside.
    let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.4, 0.4]])).unwrap();
    let edge = elfving(&pool, vec![3.0, -1.0]).unwrap();
    assert_eq!(edge.status(), DesignStatus::Certified);
    assert!((edge.certificate().value() - 16.0).abs() < 1e-12);
    assert_heavy(&edge, &[(0, 0.75), (1, 0.25)]);

    let vertex = elfving(&pool, vec![0.0, 2.0]).unwrap();
    assert_eq!(vertex.status(), DesignStatus::Certified);
    assert!((vertex.certificate().value() - 4.0).abs() < 1e-8);
    assert_heavy(&vertex, &[(1, 1.0)]);
}

#[test]
fn extrapolation_of_a_polynomial_is_measured_at_the_chebyshev_points() {
    // Hoel and Levine 1964: weights proportional to the Lagrange polynomials of -1, 0, 1 at the point asked for.
    let pool = Pool::from_features(quadratic()).unwrap();
    let at = 2.0f64;
    let design = elfving(&pool, vec![1.0, at, at * at]).unwrap();
    let lagrange = [at * (at - 1.0) / 2.0, at * at - 1.0, at * (at + 1.0) / 2.0];
    let sum: f64 = lagrange.iter().sum();
    assert_eq!(design.status(), DesignStatus::Certified);
    assert!((design.certificate().value() - sum * sum).abs() < 1e-8 * sum * sum);
    assert_heavy(&design, &[(0, lagrange[0] / sum), (10, lagrange[1] / sum), (20, lagrange[2] / sum)]);
}

#[test]
fn a_target_that_few_points_carry_is_still_certified() {
    // The slope of a parabola is measured at the two ends, its height in the middle at one point: M is singular.
    let pool = Pool::from_features(quadratic()).unwrap();
    let slope = elfving(&pool, vec![0.0, 1.0, 0.0]).unwrap();
    assert_eq!(slope.status(), DesignStatus::Certified, "{slope}");
    assert_heavy(&slope, &[(0, 0.5), (20, 0.5)]);
    let height = elfving(&pool, vec![1.0, 0.0, 0.0]).unwrap();
    assert_eq!(height.status(), DesignStatus::Certified, "{height}");
    assert!((height.certificate().value() - 1.0).abs() < 1e-8);
    // A measured point itself, inside a pool where the plain design proves nothing.
    let small = Pool::from_features(support::small()).unwrap();
    let problem =
        Problem::new(&small, Criterion::C, direction(support::small().row(7).to_vec()), Ridge::ZERO).unwrap();
    let design = solve(&ElfvingSet, &problem, 1e-7).unwrap();
    assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    assert!(heavy(&design).len() == 1 && heavy(&design)[0].1 > 1.0 - 1e-6, "{:?}", heavy(&design));
}

#[test]
fn the_design_shows_the_hyperplane_that_supports_the_elfving_set() {
    let pool = Pool::from_features(support::small()).unwrap();
    let target = vec![1.0 / 12f64.sqrt(); 12];
    let design = elfving(&pool, target.clone()).unwrap();
    let information = InformationMatrix::new(&pool, &design.weights(60), Ridge::ZERO).unwrap();
    let mut y = target.clone();
    information.factor().solve(&mut y);
    let root = design.certificate().value().sqrt();
    y.iter_mut().for_each(|value| *value /= root);
    // |xᵀy| <= 1 for all, = 1 on the support, and cᵀy is the root of the value: both programmes meet.
    for i in 0..60 {
        let height = dot(pool.features().row(i), &y).abs();
        assert!(height <= 1.0 + 1e-9);
        assert!((height - 1.0).abs() < 1e-9 || design.support().iter().all(|(id, _)| id.index() != i));
    }
    assert!((dot(&target, &y) - root).abs() < 1e-9);
}

#[test]
fn elfving_and_the_interior_point_agree_beyond_the_first_working_set() {
    let pool = Pool::from_features(support::normals(4, 6000, 8)).unwrap();
    let problem = Problem::new(&pool, Criterion::C, direction(vec![1.0; 8]), Ridge::ZERO).unwrap();
    let design = solve(&ElfvingSet, &problem, 1e-9).unwrap();
    assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    assert!(design.support().len() <= 8 && design.passes() > 2, "{} passes", design.passes());
    // With a tiny ridge the interior point goes its own way, to nearly the same value.
    let nearly = Problem::new(&pool, Criterion::C, direction(vec![1.0; 8]), ridge(1e-8)).unwrap();
    let near = solve(&InteriorPoint::default(), &nearly, 1e-9).unwrap();
    let (exact, near) = (design.certificate().value(), near.certificate().value());
    assert!(near <= exact && exact - near < 1e-6 * exact, "{exact} {near}");
}

#[test]
fn one_target_is_one_problem_under_every_criterion() {
    let pool = Pool::from_features(support::normals(1105, 36, 4)).unwrap();
    let target = support::normals(5105, 1, 4).row(0).to_vec();
    let value = |criterion| {
        let problem = Problem::new(&pool, criterion, direction(target.clone()), Ridge::ZERO).unwrap();
        let design = solve(&InteriorPoint::default(), &problem, 1e-9).unwrap();
        assert_eq!(design.status(), DesignStatus::Certified, "{design}");
        design.certificate().value()
    };
    let values = [Criterion::C, Criterion::V, Criterion::G].map(value);
    assert!(values.iter().all(|value| (value - values[0]).abs() < 1e-8 * values[0]), "{values:?}");
}

#[test]
fn elfving_refuses_what_it_is_not_made_for() {
    let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [2.0, 0.0]])).unwrap();
    let outside = elfving(&pool, vec![0.0, 1.0]).unwrap_err();
    assert_eq!(outside, DesignError::NotIdentifiable { target: TargetRef::Row(0), gamma: 0.0 });
    let inside = elfving(&pool, vec![1.0, 0.0]).unwrap();
    assert!((inside.certificate().value() - 0.25).abs() < 1e-9);
    assert_heavy(&inside, &[(1, 1.0)]);

    for (criterion, gamma) in [(Criterion::C, 0.1), (Criterion::D, 0.0)] {
        let problem = problem(&pool, criterion, gamma);
        let refused = solve(&ElfvingSet, &problem, 1e-3).unwrap_err();
        assert_eq!(refused, DesignError::Unsupported { method: "elfving-set", criterion });
    }
}

// ---- diagnostics ----------------------------------------------------------------------------------------

#[test]
fn an_optimal_design_is_fully_efficient_and_half_a_design_half() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let optimal = Diagnostics::new(&pool, &Simplex::uniform(4).unwrap(), Ridge::ZERO).unwrap();
    for efficiency in optimal.efficiencies {
        assert!(efficiency.at_most > 1.0 - 1e-9 && efficiency.at_least > 1.0 - 1e-4, "{efficiency}");
        assert_eq!(efficiency.relative_to_uniform, 1.0);
    }
    assert!((optimal.condition_number - 1.0).abs() < 1e-12);

    let weights = [0.5, 0.25, 0.125, 0.125];
    let skewed = Diagnostics::new(&pool, &Simplex::new(weights.to_vec()).unwrap(), Ridge::ZERO).unwrap();
    let d = (weights.iter().product::<f64>() / 0.25f64.powi(4)).powf(0.25);
    let a = 16.0 / weights.iter().map(|w| 1.0 / w).sum::<f64>();
    for (efficiency, expected) in skewed.efficiencies.iter().zip([d, a, 0.5, a]) {
        assert!(
            efficiency.at_least <= expected + 1e-12 && expected - 1e-12 <= efficiency.at_most,
            "{efficiency} instead of {expected}"
        );
        assert!((efficiency.relative_to_uniform - expected).abs() < 1e-12);
        assert!(efficiency.at_most - efficiency.at_least < 2e-4);
    }
    assert_eq!(skewed.largest_variance_at, PointId::new(2));
    assert_eq!(skewed.variance.iter().map(|d| d.round()).collect::<Vec<_>>(), vec![2.0, 4.0, 8.0, 8.0]);
    assert!((skewed.condition_number - 4.0).abs() < 1e-12);
}

#[test]
fn leverages_sum_to_the_rank_and_a_ridge_lowers_them() {
    let pool = Pool::from_features(support::small()).unwrap();
    let weights = Simplex::uniform(60).unwrap();
    let plain = Diagnostics::new(&pool, &weights, Ridge::ZERO).unwrap();
    assert_eq!((plain.points, plain.support_size, plain.rank), (60, 60, 12));
    assert!((plain.leverage.iter().sum::<f64>() - 12.0).abs() < 1e-10);
    let ridged = Diagnostics::new(&pool, &weights, ridge(0.05)).unwrap();
    assert!(ridged.leverage.iter().zip(&plain.leverage).all(|(a, b)| a < b));
    // M = A + γI: every eigenvalue moves up by γ.
    assert!(ridged.condition_number < plain.condition_number);
}

#[test]
fn diagnostics_of_a_rank_deficient_pool_speak_of_its_span() {
    let pool =
        Pool::from_features(Matrix::from_fn(
            10,
            3,
            |i, k| if k < 2 { (i as f64).powi(k as i32) } else { 2.0 },
        ))
        .unwrap();
    let diagnostics = Diagnostics::new(&pool, &Simplex::uniform(10).unwrap(), Ridge::ZERO).unwrap();
    assert_eq!(diagnostics.rank, 2);
    assert!((diagnostics.leverage.iter().sum::<f64>() - 2.0).abs() < 1e-10);
    assert!(diagnostics.condition_number < 1e4);
    let criteria: Vec<Criterion> = diagnostics.efficiencies.iter().map(|e| e.criterion).collect();
    assert!(criteria.starts_with(&[Criterion::D]) && criteria.ends_with(&[Criterion::G, Criterion::V]));
}

#[test]
fn a_design_that_leaves_a_direction_unmeasured_is_refused() {
    let pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let weights = Simplex::new(vec![0.5, 0.5, 0.0]).unwrap();
    let refused = Diagnostics::new(&pool, &weights, Ridge::ZERO).unwrap_err();
    assert!(
        matches!(refused, DesignError::Singular { .. } | DesignError::NotIdentifiable { .. }),
        "{refused}"
    );
    assert!(Diagnostics::new(&pool, &weights, ridge(0.1)).is_ok());
}

#[test]
fn diagnostics_print_as_a_small_table() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let weights = Simplex::new(vec![0.5, 0.25, 0.125, 0.125]).unwrap();
    let table = Diagnostics::new(&pool, &weights, Ridge::ZERO).unwrap().to_string();
    let expected = "\
support           4 of 4 points, rank 4
variance          mean 5.5000, largest 8.0000 at point 2
condition number  4.00e0

criterion  value         efficiency        relative to uniform";
    assert!(table.starts_with(expected), "{table}");
    assert_eq!(table.lines().count(), 9);
    assert!(
        table.lines().nth(7).unwrap().starts_with("g          8.000000      0.5000 to 0.5000  0.5000"),
        "{table}"
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let pool = Pool::from_features(support::normals(21, 20_000, 6)).unwrap();
    let pairs = Pool::from_features_with_choices(support::small(), support::normals(22, 300, 12)).unwrap();
    let problems = [
        Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap(),
        Problem::over_choices(&pairs, Criterion::Xy, Ridge::new(0.1).unwrap()).unwrap(),
    ];
    let methods: [&(dyn Solver + Sync); 2] =
        [&RandomisedExchange::default(), &MirrorDescent::default().opponent(Opponent::Worst)];
    for (method, problem) in methods.into_iter().zip(&problems) {
        let in_threads = |threads: usize| {
            let run = || {
                let mut control = Control::new(Tolerance::new(1e-3).unwrap()).iteration_limit(40);
                serde_json::to_string(&method.solve(problem, &mut control).unwrap()).unwrap()
            };
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
        };
        let one = in_threads(1);
        for threads in [2, 8] {
            assert_eq!(one, in_threads(threads), "{} with {threads} threads", method.name());
        }
    }
}
