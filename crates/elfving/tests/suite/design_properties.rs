//! What holds for every pool: symmetries of the problem, monotonicity, and above all that a bound is a bound.

use crate::support;

use std::sync::Arc;

use elfving::design::{
    Certificate, CheckedBy, Control, Criterion, Design, DesignError, DesignStatus, ElfvingSet,
    InformationMatrix, InteriorPoint, KernelInformation, Problem, Solver, TargetRef, recheck,
};
use elfving::numerics::Matrix;
use elfving::pool::{Factorisation, PointId, Points, Pool, TargetRows, Targets, kernels::Rbf};
use elfving::units::{Ridge, Simplex, Tolerance};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Points, choices of their own where there is a ridge, and one direction.
///
/// Without a ridge the choices are the points: then the optimal information matrix is not singular.
#[derive(Debug, Clone)]
struct Case {
    features: Matrix,
    choices: Option<Matrix>,
    gamma: f64,
    direction: Vec<f64>,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let gamma = prop_oneof![Just(0.0), 1e-3..2.0];
    (1usize..=6, 0usize..=34, 2usize..=12, gamma, any::<u64>()).prop_map(|(r, more, m, gamma, seed)| Case {
        features: support::normals(seed, r + more, r),
        choices: (gamma > 0.0).then(|| support::normals(seed ^ 1, m, r)),
        gamma,
        direction: support::normals(seed ^ 2, 1, r).into_vec(),
        seed,
    })
}

impl Case {
    fn pool(&self) -> Pool {
        match &self.choices {
            Some(choices) => {
                Pool::from_features_with_choices(self.features.clone(), choices.clone()).unwrap()
            }
            None => Pool::from_features(self.features.clone()).unwrap(),
        }
    }

    fn ridge(&self) -> Ridge {
        Ridge::new(self.gamma).unwrap()
    }
}

fn problem<'a>(pool: &'a Pool, criterion: Criterion, gamma: Ridge, direction: &[f64]) -> Problem<'a> {
    let targets = Targets::Directions(Matrix::from_row_major(1, direction.len(), direction.to_vec()));
    match criterion {
        Criterion::C => Problem::new(pool, criterion, targets, gamma).unwrap(),
        _ => Problem::over_choices(pool, criterion, gamma).unwrap(),
    }
}

fn solve(problem: &Problem) -> Design {
    // One direction without a ridge has a singular optimum: that is Elfving's case.
    let singular = problem.criterion() == Criterion::C && problem.gamma().get() == 0.0;
    let solver: &dyn Solver = if singular { &ElfvingSet } else { &InteriorPoint::default() };
    let design = solver.solve(problem, &mut Control::new(Tolerance::new(1e-7).unwrap())).unwrap();
    let slack = looseness(problem, design.certificate());
    assert!(slack < 1e-5, "{design} on {} at gamma {}", problem.pool(), problem.gamma().get());
    design
}

/// The width of the interval that holds the optimum, for d in absolute terms and else relative to the value.
fn looseness(problem: &Problem, certificate: &Certificate) -> f64 {
    let width = (certificate.value() - certificate.bound()).abs();
    if problem.criterion() == Criterion::D { width } else { width / certificate.value() }
}

/// Value and bound as an interval.
fn interval(certificate: &Certificate) -> (f64, f64) {
    (certificate.value().min(certificate.bound()), certificate.value().max(certificate.bound()))
}

/// Whether two intervals for the same optimum overlap, up to rounding.
fn agree(a: &Certificate, b: &Certificate) -> bool {
    overlap(interval(a), interval(b))
}

fn overlap((a_low, a_high): (f64, f64), (b_low, b_high): (f64, f64)) -> bool {
    let rounding = 1e-10 * a_high.abs().max(1.0);
    a_low <= b_high + rounding && b_low <= a_high + rounding
}

/// Numbers in [0, 1) that depend on the seed alone.
fn uniforms(seed: u64, count: usize) -> Vec<f64> {
    let normals = support::normals(seed, 1, 2 * count).into_vec();
    normals
        .chunks(2)
        .map(|pair| (pair[0].atan2(pair[1]) / std::f64::consts::TAU + 0.5).min(0.999_999))
        .collect()
}

/// Weights on `count` members: all or some of them, of one magnitude or of many.
fn random_weights(seed: u64, count: usize) -> Vec<f64> {
    let u = uniforms(seed, 2 * count + 2);
    let (sparse, spread) = (u[0] < 0.5, if u[1] < 0.5 { 0.0 } else { 14.0 });
    let mut weights: Vec<f64> = (0..count)
        .map(|i| if sparse && u[2 + i] < 0.6 { 0.0 } else { 10f64.powf(-spread * u[2 + count + i]) })
        .collect();
    weights[(u[2] * count as f64) as usize] += 1.0;
    weights
}

fn on_points(weights: &[f64]) -> Vec<(PointId, f64)> {
    weights.iter().enumerate().map(|(i, &weight)| (PointId::new(i), weight)).collect()
}

/// Random weights on the targets of a worst-case problem.
fn random_dual(problem: &Problem, seed: u64) -> Vec<(TargetRef, f64)> {
    let members: Vec<TargetRef> = match problem.rows() {
        TargetRows::Rows(rows) => (0..rows.rows()).map(TargetRef::Row).collect(),
        TargetRows::Pairs(rows) => {
            (0..rows.rows()).flat_map(|i| (i + 1..rows.rows()).map(move |j| TargetRef::Pair(i, j))).collect()
        }
    };
    let weights = random_weights(seed, members.len());
    members.into_iter().zip(weights).collect()
}

/// Two optima computed in different ways agree to rounding, not to the last bit.
const ROUNDING: f64 = 1e-12;

proptest! {
    // The same cases in every run.
    #![proptest_config(ProptestConfig {
        cases: 48,
        rng_seed: RngSeed::Fixed(1952),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The one promise everything rests on: whatever λ and w, the bound is on the right side of the optimum,
    /// and so of every value that any weights reach.
    #[test]
    fn no_bound_of_any_weights_passes_the_value_of_any_others(case in cases(), salt in any::<u64>()) {
        let pool = case.pool();
        for criterion in Criterion::ALL {
            let problem = problem(&pool, criterion, case.ridge(), &case.direction);
            let sign = if criterion.is_maximised() { -1.0 } else { 1.0 };
            let mut lowest = sign * solve(&problem).certificate().value();
            let mut bounds = vec![];
            for k in 0..12 {
                let seed = salt.wrapping_add(1000 * k);
                let weights = on_points(&random_weights(seed, pool.len()));
                match recheck(&problem, &weights, &random_dual(&problem, seed ^ 77)) {
                    Ok(certificate) => {
                        prop_assert!(certificate.value().is_finite() && certificate.bound().is_finite());
                        prop_assert!(sign * certificate.bound() <= sign * certificate.value());
                        lowest = lowest.min(sign * certificate.value());
                        bounds.push(sign * certificate.bound());
                    }
                    // Weights that do not measure everything, without a ridge.
                    Err(DesignError::NotIdentifiable { .. } | DesignError::Singular { .. }) => {
                        prop_assert!(case.gamma == 0.0);
                    }
                    Err(other) => prop_assert!(false, "{other}"),
                }
            }
            for bound in bounds {
                prop_assert!(bound <= lowest + ROUNDING * lowest.abs().max(1.0), "{criterion}: bound {bound} above the value {lowest}");
            }
        }
    }

    /// The same promise where the exact kernel checks the design.
    #[test]
    fn no_bound_by_the_exact_kernel_passes_the_value_of_any_other_weights(
        seed in any::<u64>(), n in 2usize..25, lengthscale in 0.05..3.0f64, log_gamma in -7.5..0.5f64
    ) {
        let points = Points::new(support::normals(seed, n, 2)).unwrap();
        let kernel = Arc::new(Rbf::new(lengthscale).unwrap());
        let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
        let gamma = Ridge::new(10f64.powf(log_gamma)).unwrap();
        for criterion in [Criterion::G, Criterion::Xy, Criterion::D, Criterion::V] {
            let problem = Problem::over_choices(&pool, criterion, gamma).unwrap();
            let sign = if criterion.is_maximised() { -1.0 } else { 1.0 };
            let mut certificates = vec![];
            for k in 0..10 {
                let seed = seed.wrapping_add(1000 * k);
                let weights = on_points(&random_weights(seed, n));
                let checked = recheck(&problem, &weights, &random_dual(&problem, seed ^ 77)).unwrap();
                prop_assert_eq!(checked.checked_by(), CheckedBy::ExactKernel);
                certificates.push(checked);
            }
            let lowest = certificates.iter().map(|c| sign * c.value()).fold(f64::INFINITY, f64::min);
            for certificate in &certificates {
                prop_assert!(sign * certificate.bound() <= lowest, "{criterion}: {certificate:?} above {lowest}");
            }
        }
    }

    #[test]
    fn the_order_of_the_pool_does_not_matter(case in cases()) {
        let n = case.features.rows();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| case.features[(a, 0)].total_cmp(&case.features[(b, 0)]));
        let permuted = Case { features: case.features.select_rows(&order), ..case.clone() };
        let (pool, other) = (case.pool(), permuted.pool());
        for criterion in Criterion::ALL {
            let a = solve(&problem(&pool, criterion, case.ridge(), &case.direction));
            let b = solve(&problem(&other, criterion, case.ridge(), &case.direction));
            prop_assert!(agree(a.certificate(), b.certificate()), "{criterion}: {a} and {b}");
        }
    }

    #[test]
    fn scaling_pool_targets_and_ridge_together_changes_only_the_units(case in cases(), power in -30i32..30) {
        let s = 2f64.powi(power);
        let times = |matrix: &Matrix| Matrix::from_fn(matrix.rows(), matrix.columns(), |i, k| s * matrix[(i, k)]);
        let scaled = Case {
            features: times(&case.features),
            choices: case.choices.as_ref().map(times),
            gamma: s * s * case.gamma,
            direction: case.direction.iter().map(|value| s * value).collect(),
            seed: case.seed,
        };
        let (pool, other) = (case.pool(), scaled.pool());
        for criterion in Criterion::ALL {
            let a = solve(&problem(&pool, criterion, case.ridge(), &case.direction));
            let b = solve(&problem(&other, criterion, scaled.ridge(), &scaled.direction));
            let units = |value: f64| match criterion {
                Criterion::D => value - 2.0 * pool.dimension() as f64 * s.ln(),
                Criterion::A => value * s * s,
                _ => value,
            };
            let (low, high) = interval(b.certificate());
            let same = overlap(interval(a.certificate()), (units(low), units(high)));
            prop_assert!(same, "{criterion} scaled by {s}: {a:?} and {b:?}");
        }
    }

    #[test]
    fn a_duplicate_shares_the_weight_of_its_twin_and_changes_no_value(case in cases()) {
        let n = case.features.rows();
        let twin = case.seed as usize % n;
        let choices = Some(case.choices.clone().unwrap_or_else(|| case.features.clone()));
        let case = Case { choices, ..case };
        let with_twin = Case {
            features: case.features.select_rows(&(0..n).chain([twin]).collect::<Vec<_>>()),
            ..case.clone()
        };
        let (pool, other) = (case.pool(), with_twin.pool());
        for criterion in Criterion::ALL {
            let (single, double) = (
                problem(&pool, criterion, case.ridge(), &case.direction),
                problem(&other, criterion, case.ridge(), &case.direction),
            );
            let design = solve(&single);
            prop_assert!(agree(design.certificate(), solve(&double).certificate()), "{criterion}");
            let mut split = design.support().to_vec();
            if let Some(own) = split.iter_mut().find(|(id, _)| id.index() == twin) {
                own.1 *= 0.25;
                let rest = 3.0 * own.1;
                split.push((PointId::new(n), rest));
            }
            let checked = recheck(&double, &split, design.certificate().target_weights()).unwrap();
            let error = (checked.value() - design.certificate().value()).abs();
            prop_assert!(error <= 1e-9 * checked.value().abs().max(1.0), "{criterion}: {error}");
        }
    }

    #[test]
    fn a_larger_ridge_never_raises_a_variance(case in cases(), more in 1e-4..1.0) {
        let pool = case.pool();
        let larger = Ridge::new(case.gamma + more).unwrap();
        for criterion in Criterion::ALL {
            let before = solve(&problem(&pool, criterion, case.ridge(), &case.direction));
            let before = before.certificate();
            let after = solve(&problem(&pool, criterion, larger, &case.direction));
            let after = after.certificate();
            // One's bound against the other's value: true for the optima, so for these.
            let fell = if criterion.is_maximised() {
                after.bound() >= before.value() - ROUNDING
            } else {
                after.bound() <= before.value() * (1.0 + ROUNDING)
            };
            prop_assert!(fell, "{criterion}: {before:?} then {after:?}");
        }
    }

    #[test]
    fn more_candidates_never_hurt(case in cases()) {
        let n = case.features.rows();
        let extra = support::normals(case.seed ^ 9, 5, case.features.columns());
        let mut rows = case.features.clone().into_vec();
        rows.extend_from_slice(extra.as_slice());
        // The same targets for both.
        let choices = Some(case.choices.clone().unwrap_or_else(|| case.features.clone()));
        let case = Case { choices, ..case };
        let wider = Case { features: Matrix::from_row_major(n + 5, extra.columns(), rows), ..case.clone() };
        let (pool, other) = (case.pool(), wider.pool());
        for criterion in Criterion::ALL {
            let before = solve(&problem(&pool, criterion, case.ridge(), &case.direction));
            let before = before.certificate();
            let after = solve(&problem(&other, criterion, case.ridge(), &case.direction));
            let after = after.certificate();
            let no_worse = if criterion.is_maximised() {
                after.bound() >= before.value() - ROUNDING
            } else {
                after.bound() <= before.value() * (1.0 + ROUNDING)
            };
            prop_assert!(no_worse, "{criterion}: {before:?} then {after:?}");
        }
    }

    #[test]
    fn a_certified_design_passes_its_recheck_and_a_moved_one_does_not(case in cases()) {
        prop_assume!(case.features.rows() > case.features.columns());
        let pool = case.pool();
        for criterion in Criterion::ALL {
            let problem = problem(&pool, criterion, case.ridge(), &case.direction);
            let design = solve(&problem);
            let proof = design.certificate().target_weights();
            let again = recheck(&problem, design.support(), proof).unwrap();
            prop_assert!((again.relative_gap() - design.certificate().relative_gap()).abs() < 1e-12);

            // One percent of all weight goes from the heaviest point to the lightest.
            let mut weights = design.weights(pool.len()).as_slice().to_vec();
            let by_weight = |a: &usize, b: &usize| weights[*a].total_cmp(&weights[*b]);
            let heaviest = (0..weights.len()).max_by(by_weight).unwrap();
            let lightest = (0..weights.len()).min_by(by_weight).unwrap();
            weights[heaviest] -= 0.01;
            weights[lightest] += 0.01;
            let moved = recheck(&problem, &on_points(&weights), proof).unwrap();
            prop_assert!(moved.relative_gap() > 1e-9, "{criterion}: {moved:?}");
            prop_assert!(moved.relative_gap() > design.certificate().relative_gap(), "{criterion}: {moved:?}");
        }
    }

    #[test]
    fn kernel_and_primal_forms_agree(
        seed in any::<u64>(), n in 2usize..30, lengthscale in 0.1..2.0f64, log_gamma in -4.0..0.5f64
    ) {
        let points = Points::new(support::normals(seed, n, 2)).unwrap();
        let kernel = Arc::new(Rbf::new(lengthscale).unwrap());
        let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap();
        let gamma = Ridge::new(10f64.powf(log_gamma)).unwrap();
        let weights = Simplex::new(random_weights(seed, n)).unwrap();
        let primal = InformationMatrix::new(&pool, &weights, gamma).unwrap();
        let kernel = KernelInformation::new(pool.exact().unwrap(), &on_points(weights.as_slice()), gamma).unwrap();
        // What the features left out, and the cancellation of Lemma 1, both divided by γ.
        let allowed = (4.0 * pool.residual().max(0.0) + 1e-13) * (1.0 + 1.0 / gamma.get()) / gamma.get();
        for (i, j) in [(0, 0), (0, 1), (n - 1, n / 2), (n - 1, n - 1)] {
            let by_features = primal.bilinear(pool.features().row(i), pool.features().row(j));
            let by_kernel = kernel.bilinear(&vec![(i, 1.0)], &vec![(j, 1.0)]);
            prop_assert!((by_features - by_kernel).abs() <= allowed, "{by_features} {by_kernel} {allowed}");
        }
    }

    #[test]
    fn a_warm_start_changes_nothing_but_the_way(case in cases()) {
        let pool = case.pool();
        for criterion in Criterion::ALL {
            let problem = problem(&pool, criterion, case.ridge(), &case.direction);
            let cold = solve(&problem);
            let mut control = Control::new(Tolerance::new(1e-7).unwrap());
            if criterion == Criterion::C && case.gamma == 0.0 {
                continue;
            }
            let warm = InteriorPoint::default().warm_start(cold.support()).solve(&problem, &mut control).unwrap();
            prop_assert!(looseness(&problem, warm.certificate()) < 1e-5, "{criterion}: {warm}");
            prop_assert!(agree(cold.certificate(), warm.certificate()), "{criterion}: {cold} and {warm}");
        }
    }
}

/// The whole answer as text, every bit of every number in it.
fn bits(design: &Design) -> String {
    serde_json::to_string(design).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let pool = Pool::from_features(support::normals(21, 20_000, 6)).unwrap();
    let pairs = Pool::from_features_with_choices(support::small(), support::normals(22, 300, 12)).unwrap();
    let problems = [
        (Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap(), 1e-7),
        (Problem::over_choices(&pool, Criterion::G, Ridge::new(0.1).unwrap()).unwrap(), 1e-7),
        (Problem::over_choices(&pairs, Criterion::Xy, Ridge::new(0.1).unwrap()).unwrap(), 1e-7),
    ];
    let in_threads = |threads: usize, run: &(dyn Fn() -> Design + Sync)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    };
    for (problem, tolerance) in &problems {
        let run = || {
            let mut control = Control::new(Tolerance::new(*tolerance).unwrap());
            InteriorPoint::default().solve(problem, &mut control).unwrap()
        };
        let one = in_threads(1, &run);
        assert_eq!(one.status(), DesignStatus::Certified);
        for threads in [2, 8] {
            assert_eq!(bits(&one), bits(&in_threads(threads, &run)), "{} threads", threads);
        }
    }
}

#[test]
fn a_short_list_of_candidates_has_no_traces_of_weight() {
    for seed in 0..60 {
        let pool = Pool::from_features(support::normals(seed, 400, 3)).unwrap();
        for criterion in [Criterion::D, Criterion::G, Criterion::A] {
            let problem = Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap();
            let mut control = Control::new(Tolerance::new(1e-9).unwrap());
            let design = InteriorPoint::default().solve(&problem, &mut control).unwrap();
            let least = design.support().iter().map(|(_, weight)| *weight).fold(1.0, f64::min);
            assert_eq!(design.status(), DesignStatus::Certified, "{criterion} {seed}");
            assert!(least > 1e-6, "{criterion} {seed}: {least:e}");
        }
    }
}
