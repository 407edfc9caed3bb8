//! Pools at the edge of double precision: a finite, certified answer or a typed error, never NaN, and never a
//! certificate for something false.
//!
//! Where a hard pool is a well-behaved one in other coordinates, the well-behaved twin is solved too: squared norms of
//! combinations of points do not depend on coordinates.

use crate::support;

use elfving::design::{
    Control, Criterion, Design, DesignError, DesignStatus, ElfvingSet, InteriorPoint, Problem, Solver,
    TargetRef,
};
use elfving::numerics::{Cholesky, Matrix, upper_outer_gram};
use elfving::pool::{ChoiceId, Combination, Pool, Targets};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::solvers::{FrankWolfe, MirrorDescent, Multiplicative, Opponent, RandomisedExchange};

const TOLERANCE: f64 = 1e-6;

fn ridge(gamma: f64) -> Ridge {
    Ridge::new(gamma).unwrap()
}

fn pool(features: Matrix) -> Pool {
    Pool::from_features(features).unwrap()
}

fn map(matrix: &Matrix, mut entry: impl FnMut(usize, usize, f64) -> f64) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns(), |i, k| entry(i, k, matrix[(i, k)]))
}

/// Criterion c asks for 1, 2, 3 times the first points together; the others for all points.
fn problem(pool: &Pool, criterion: Criterion, gamma: f64) -> Problem<'_> {
    if criterion == Criterion::C {
        let terms = (0..pool.len().min(3)).map(|i| (ChoiceId::new(i), 1.0 + i as f64)).collect();
        let target = Targets::Combinations(vec![Combination { terms }]);
        return Problem::new(pool, criterion, target, ridge(gamma)).unwrap();
    }
    Problem::over_choices(pool, criterion, ridge(gamma)).unwrap()
}

fn solvers() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(InteriorPoint::default()),
        Box::new(ElfvingSet),
        Box::new(FrankWolfe::default().iteration_limit(2000)),
        Box::new(RandomisedExchange::default().iteration_limit(20)),
        Box::new(Multiplicative::default().iteration_limit(300)),
        Box::new(MirrorDescent::default().iteration_limit(300)),
        Box::new(MirrorDescent::default().opponent(Opponent::Weighted).iteration_limit(300)),
    ]
}

fn run(solver: &dyn Solver, problem: &Problem) -> Result<Design, DesignError> {
    solver.solve(problem, &mut Control::new(Tolerance::new(TOLERANCE).unwrap()))
}

/// The optimum, from below and above.
type Truth = (f64, f64);

fn truth(pool: &Pool, criterion: Criterion, gamma: f64) -> Truth {
    let problem = problem(pool, criterion, gamma);
    let singular = criterion == Criterion::C && gamma == 0.0;
    let solver: &dyn Solver = if singular { &ElfvingSet } else { &InteriorPoint::default() };
    let found = solver.solve(&problem, &mut Control::new(Tolerance::new(1e-9).unwrap())).unwrap();
    let found = found.certificate();
    assert!(found.relative_gap() < 1e-7, "{criterion}: the twin is not solved: {found:?}");
    (found.value().min(found.bound()), found.value().max(found.bound()))
}

/// Finite, weights that are weights, and an interval that holds the truth as far as it is known.
#[track_caller]
fn assert_sound(what: &str, problem: &Problem, design: &Design, known: Option<Truth>) {
    let what = format!("{what}, {} by {}: {design}", problem.criterion(), design.method());
    let certificate = design.certificate();
    assert!(certificate.value().is_finite() && certificate.bound().is_finite(), "{what}");
    assert!(certificate.relative_gap().is_finite(), "{what}");
    assert!(design.support().iter().all(|&(_, weight)| weight > 0.0 && weight <= 1.0), "{what}");
    let total: f64 = design.support().iter().map(|(_, weight)| weight).sum();
    assert!((total - 1.0).abs() < 1e-9, "{what}");
    assert_eq!(design.status() == DesignStatus::Certified, certificate.relative_gap() <= TOLERANCE, "{what}");
    if let Some((low, high)) = known {
        // The bound must hold, and no value is better than the optimum by more than the stated gap.
        let slack = 1e-8 * high.abs().max(1.0);
        let sign = if problem.criterion().is_maximised() { -1.0 } else { 1.0 };
        let optimum = if problem.criterion().is_maximised() { -low } else { high };
        assert!(sign * certificate.bound() <= optimum + slack, "{what}, not in {low}..{high}");
        let stated = certificate.relative_gap() * certificate.bound().abs();
        assert!(sign * certificate.value() >= optimum - slack - stated, "{what}, not in {low}..{high}");
        if design.status() == DesignStatus::Certified {
            let error = (certificate.value() - low).abs().max((certificate.value() - high).abs());
            assert!(error <= 2.0 * TOLERANCE * high.abs().max(1.0), "{what}, not {low}..{high}");
        }
    }
}

/// Every solver on one problem: sound or a typed error; the interior point answers when it must.
#[track_caller]
fn check(
    what: &str,
    hard: &Pool,
    criterion: Criterion,
    gamma: f64,
    known: Option<Truth>,
    must_certify: bool,
) {
    let problem = problem(hard, criterion, gamma);
    for solver in solvers() {
        match run(&*solver, &problem) {
            Ok(design) => {
                assert_sound(what, &problem, &design, known);
                let answers = design.status() == DesignStatus::Certified;
                assert!(answers || !must_certify || solver.name() != "interior-point", "{what}: {design}");
            }
            Err(DesignError::Unsupported { .. }) => {}
            Err(
                DesignError::Singular { .. }
                | DesignError::Overflow { .. }
                | DesignError::NotIdentifiable { .. },
            ) if !must_certify || solver.name() != "interior-point" => {}
            Err(other) => panic!("{what}, {criterion} by {}: {other}", solver.name()),
        }
    }
}

/// The criteria that are the same in all coordinates.
const INVARIANT: [Criterion; 4] = [Criterion::G, Criterion::Xy, Criterion::V, Criterion::C];

#[test]
fn one_point_is_the_answer() {
    for (row, gamma) in [(vec![2.0], 0.0), (vec![2.0], 0.3), (vec![1.0, 2.0, 3.0], 0.3)] {
        let squared: f64 = row.iter().map(|x| x * x).sum();
        let r = row.len() as f64;
        let one = pool(Matrix::from_row_major(1, row.len(), row));
        let q = squared / (squared + gamma);
        for criterion in Criterion::ALL {
            let expected = match criterion {
                Criterion::D if gamma == 0.0 => squared.ln(),
                Criterion::D => (squared + gamma).ln() + (r - 1.0) * gamma.ln(),
                Criterion::A if gamma == 0.0 => 1.0 / squared,
                Criterion::A => 1.0 / (squared + gamma) + (r - 1.0) / gamma,
                _ => q,
            };
            check("one point", &one, criterion, gamma, Some((expected, expected)), true);
        }
    }
}

#[test]
fn fewer_points_than_features_without_a_ridge_have_a_closed_form() {
    // Independent points carry their own coordinates: q_x = 1 / λ_x.
    let wide = pool(support::normals(31, 3, 6));
    for (criterion, expected) in
        [(Criterion::G, 3.0), (Criterion::Xy, 6.0), (Criterion::V, 3.0), (Criterion::C, 36.0)]
    {
        check("wide", &wide, criterion, 0.0, Some((expected, expected)), true);
    }
    let design = run(&InteriorPoint::default(), &problem(&wide, Criterion::D, 0.0)).unwrap();
    assert!(design.support().iter().all(|&(_, weight)| (weight - 1.0 / 3.0).abs() < 1e-6));
}

#[test]
fn fewer_points_than_features_are_the_same_as_their_gram_matrix() {
    let features = support::normals(31, 3, 6);
    let twin = pool(Cholesky::new(upper_outer_gram(&features)).unwrap().upper().transposed());
    let wide = pool(features);
    for criterion in INVARIANT {
        check("wide", &wide, criterion, 0.1, Some(truth(&twin, criterion, 0.1)), true);
    }
    // Three more directions, in which there is only the ridge.
    let (low, high) = truth(&twin, Criterion::D, 0.1);
    let more = 3.0 * 0.1f64.ln();
    check("wide", &wide, Criterion::D, 0.1, Some((low + more, high + more)), true);
    let (low, high) = truth(&twin, Criterion::A, 0.1);
    check("wide", &wide, Criterion::A, 0.1, Some((low + 30.0, high + 30.0)), true);
}

/// 20 points in three dimensions, and the same with a fourth column that is the sum of the first two.
fn deficient() -> (Pool, Pool) {
    let base = support::normals(32, 20, 3);
    let dependent =
        Matrix::from_fn(20, 4, |i, k| if k == 3 { base[(i, 0)] + base[(i, 1)] } else { base[(i, k)] });
    (pool(base), pool(dependent))
}

#[test]
fn a_rank_deficient_pool_is_solved_on_its_span() {
    let (twin, hard) = deficient();
    for criterion in [Criterion::G, Criterion::Xy, Criterion::C] {
        check("deficient", &hard, criterion, 0.0, Some(truth(&twin, criterion, 0.0)), true);
    }
    // The optimal weights for the determinant do not depend on coordinates either.
    let weights =
        |pool: &Pool| run(&InteriorPoint::default(), &problem(pool, Criterion::D, 0.0)).unwrap().weights(20);
    let (a, b) = (weights(&twin), weights(&hard));
    assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
    for criterion in Criterion::ALL {
        check("deficient", &hard, criterion, 0.1, None, true);
    }
}

#[test]
fn a_target_outside_the_span_is_named() {
    let (_, hard) = deficient();
    let inside = [1.0, 2.0, 0.5, 3.0];
    let outside = [0.0, 0.0, 0.0, 1.0];
    let refused = |criterion: Criterion, rows: &[[f64; 4]]| {
        let problem =
            Problem::new(&hard, criterion, Targets::Directions(Matrix::from_rows(rows)), Ridge::ZERO)
                .unwrap();
        run(&InteriorPoint::default(), &problem).map(|design| design.certificate().value())
    };
    let not_identifiable = |target| Err(DesignError::NotIdentifiable { target, gamma: 0.0 });
    assert!(refused(Criterion::C, &[inside]).is_ok());
    assert_eq!(refused(Criterion::C, &[outside]), not_identifiable(TargetRef::Row(0)));
    assert_eq!(refused(Criterion::G, &[inside, outside]), not_identifiable(TargetRef::Row(1)));
    assert_eq!(refused(Criterion::V, &[inside, inside, outside]), not_identifiable(TargetRef::Row(2)));
    assert_eq!(refused(Criterion::Xy, &[inside, outside]), not_identifiable(TargetRef::Pair(0, 1)));
    // What two targets have in common outside the span cancels in their difference.
    let shifted = [1.0, 2.0, 0.5, 4.0];
    let also_shifted = [2.0, 1.0, 0.0, 4.0];
    assert!(refused(Criterion::Xy, &[shifted, also_shifted]).is_ok());
    let elfving =
        Problem::new(&hard, Criterion::C, Targets::Directions(Matrix::from_rows(&[outside])), Ridge::ZERO)
            .unwrap();
    assert_eq!(
        run(&ElfvingSet, &elfving).map(|design| design.certificate().value()),
        not_identifiable(TargetRef::Row(0))
    );
    // A ridge makes it identifiable.
    let ridged =
        Problem::new(&hard, Criterion::C, Targets::Directions(Matrix::from_rows(&[outside])), ridge(0.1))
            .unwrap();
    assert_eq!(run(&InteriorPoint::default(), &ridged).unwrap().status(), DesignStatus::Certified);
}

#[test]
fn duplicates_one_ulp_apart_change_nothing() {
    let base = support::normals(33, 10, 3);
    let doubled =
        Matrix::from_fn(20, 3, |i, k| base[(i % 10, k)] * if i < 10 { 1.0 } else { 1.0 + f64::EPSILON });
    let (twin, hard) = (pool(base), pool(doubled));
    for gamma in [0.0, 0.1] {
        for criterion in Criterion::ALL {
            check("one ulp apart", &hard, criterion, gamma, Some(truth(&twin, criterion, gamma)), true);
        }
    }
}

/// Monomials 1, x, ..., x¹⁵ on [0, 1], and the same polynomials in the basis of Legendre.
fn monomials() -> (Matrix, Matrix) {
    let x = |i: usize| i as f64 / 49.0;
    let legendre = |x: f64| {
        let t = 2.0 * x - 1.0;
        let mut values = vec![1.0, t];
        for k in 2..16 {
            let k_real = k as f64;
            values.push(((2.0 * k_real - 1.0) * t * values[k - 1] - (k_real - 1.0) * values[k - 2]) / k_real);
        }
        values
    };
    let hard = Matrix::from_fn(50, 16, |i, k| x(i).powi(k as i32));
    let twin = Matrix::from_fn(50, 16, |i, k| legendre(x(i))[k] * (2.0 * k as f64 + 1.0).sqrt());
    (hard, twin)
}

#[test]
fn monomials_of_degree_fifteen_are_never_certified_falsely() {
    let (hard, twin) = monomials();
    let (hard, twin) = (pool(hard), pool(twin));
    for criterion in INVARIANT {
        check("monomials", &hard, criterion, 0.0, Some(truth(&twin, criterion, 0.0)), false);
    }
    check("monomials", &hard, Criterion::A, 0.0, None, false);
    // log det: the leading coefficient of the k-th polynomial is binomial(2k, k) √(2k + 1).
    let mut shift = 0.0;
    let mut central = 1.0;
    for k in 0..16 {
        shift -= 2.0 * (central * (2.0 * k as f64 + 1.0f64).sqrt()).ln();
        central *= 2.0 * (2.0 * k as f64 + 1.0) / (k as f64 + 1.0);
    }
    let (low, high) = truth(&twin, Criterion::D, 0.0);
    check("monomials", &hard, Criterion::D, 0.0, Some((low + shift, high + shift)), false);
    for criterion in Criterion::ALL {
        check("monomials", &hard, criterion, 0.1, None, true);
    }
}

#[test]
fn a_piece_of_the_hilbert_matrix_is_never_certified_falsely() {
    // Condition number 1e13 and more; by Kiefer and Wolfowitz the worst variance is the rank.
    let hard = pool(Matrix::from_fn(20, 10, |i, k| 1.0 / (1.0 + (i + k) as f64)));
    check("hilbert", &hard, Criterion::G, 0.0, Some((10.0, 10.0)), false);
    for criterion in Criterion::ALL {
        check("hilbert", &hard, criterion, 0.0, None, false);
        check("hilbert", &hard, criterion, 0.1, None, true);
        check("hilbert", &hard, criterion, 1e-12, None, false);
    }
}

#[test]
fn columns_on_different_scales_are_the_same_design() {
    let base = support::normals(34, 20, 4);
    for power in [27, 53] {
        // 2²⁷ is about 1e8: an exact change of units of every other column.
        let by = |k: usize| if k % 2 == 1 { 2f64.powi(power) } else { 1.0 };
        let (twin, hard) = (pool(base.clone()), pool(map(&base, |_, k, x| by(k) * x)));
        for criterion in INVARIANT {
            check("columns", &hard, criterion, 0.0, Some(truth(&twin, criterion, 0.0)), true);
        }
        let shift = 2.0 * (0..4).map(|k| by(k).ln()).sum::<f64>();
        let (low, high) = truth(&twin, Criterion::D, 0.0);
        check("columns", &hard, Criterion::D, 0.0, Some((low + shift, high + shift)), true);
        for criterion in Criterion::ALL {
            check("columns", &hard, criterion, 0.1, None, power < 50);
        }
    }
}

#[test]
fn extreme_scales_are_the_same_design() {
    let base = support::normals(36, 20, 3);
    let twin = pool(base.clone());
    for scale in [1e-150f64, 1e-60, 1e60, 1e150] {
        let hard = pool(map(&base, |_, _, x| scale * x));
        for (gamma, own_gamma) in [(0.0, 0.0), (0.1, 0.1 * scale * scale)] {
            for criterion in INVARIANT {
                let known = truth(&twin, criterion, gamma);
                check("scale", &hard, criterion, own_gamma, Some(known), true);
            }
            let (low, high) = truth(&twin, Criterion::D, gamma);
            let shift = 6.0 * scale.ln();
            check("scale", &hard, Criterion::D, own_gamma, Some((low + shift, high + shift)), true);
        }
    }
    // The trace of the inverse goes with scale⁻²: fine until that leaves the floating-point range.
    for scale in [1e-60f64, 1e60] {
        let hard = pool(map(&base, |_, _, x| scale * x));
        let (low, high) = truth(&twin, Criterion::A, 0.0);
        let by = scale.powi(-2);
        check("scale", &hard, Criterion::A, 0.0, Some((low * by, high * by)), true);
    }
    let tiny = pool(map(&base, |_, _, x| 1e-150 * x));
    let overflow = run(&InteriorPoint::default(), &problem(&tiny, Criterion::A, 0.0));
    assert!(matches!(overflow, Err(DesignError::Overflow { .. })), "{overflow:?}");
}

#[test]
fn a_vanishing_ridge_is_no_ridge() {
    let features = pool(support::normals(36, 20, 3));
    for criterion in Criterion::ALL {
        check("gamma 1e-300", &features, criterion, 1e-300, Some(truth(&features, criterion, 0.0)), true);
    }
    // Where only that ridge carries a target, the answer would be 1e300: refused, or told.
    let (_, hard) = deficient();
    let outside = Targets::Directions(Matrix::from_rows(&[[0.0, 0.0, 0.0, 1.0]]));
    let problem = Problem::new(&hard, Criterion::C, outside, ridge(1e-300)).unwrap();
    match run(&InteriorPoint::default(), &problem) {
        Ok(design) => assert!(design.certificate().value() > 1e299, "{design}"),
        Err(error) => {
            assert_eq!(error, DesignError::NotIdentifiable { target: TargetRef::Row(0), gamma: 1e-300 })
        }
    }
}

#[test]
fn a_pool_of_zeros_has_nothing_to_measure() {
    let zeros = pool(Matrix::zeros(4, 2));
    for gamma in [0.0, 0.1] {
        for criterion in Criterion::ALL {
            let problem = problem(&zeros, criterion, gamma);
            for solver in solvers() {
                let refused = run(&*solver, &problem).unwrap_err();
                let unsupported = matches!(refused, DesignError::Unsupported { .. });
                assert!(
                    unsupported || refused == DesignError::NothingToMeasure,
                    "{}: {refused}",
                    solver.name()
                );
            }
        }
    }
}

#[test]
fn zero_rows_and_columns_are_harmless() {
    let base = support::normals(34, 10, 3);
    let with_rows = Matrix::from_fn(20, 3, |i, k| if i % 2 == 0 { base[(i / 2, k)] } else { 0.0 });
    let with_column = Matrix::from_fn(10, 4, |i, k| if k < 3 { base[(i, k)] } else { 0.0 });
    let (twin, rows, column) = (pool(base), pool(with_rows), pool(with_column));
    for criterion in [Criterion::G, Criterion::D, Criterion::A] {
        check("zero rows", &rows, criterion, 0.0, Some(truth(&twin, criterion, 0.0)), true);
    }
    for criterion in INVARIANT {
        check("zero column", &column, criterion, 0.0, Some(truth(&twin, criterion, 0.0)), true);
    }
    let refused = run(&InteriorPoint::default(), &problem(&column, Criterion::A, 0.0));
    assert!(matches!(refused, Err(DesignError::NotIdentifiable { .. })), "{refused:?}");
}

#[test]
fn one_huge_outlier_does_not_hide_the_other_points() {
    // Far out along the first axis; in units where that axis is short, the pool is an ordinary one.
    let base = support::normals(35, 20, 3);
    let unit = |power: i32| 2f64.powi(-power);
    for (power, must_certify) in [(27, true), (40, false)] {
        let hard = map(&base, |i, k, x| if i == 7 && k == 0 { x / unit(power) } else { x });
        let twin = map(&hard, |_, k, x| if k == 0 { x * unit(power) } else { x });
        let (hard, twin) = (pool(hard), pool(twin));
        for criterion in [Criterion::G, Criterion::Xy, Criterion::V] {
            let found = run(&InteriorPoint::default(), &problem(&twin, criterion, 0.0)).unwrap();
            let found = found.certificate();
            let known = (found.bound().min(found.value()), found.bound().max(found.value()));
            check("outlier", &hard, criterion, 0.0, Some(known), must_certify);
        }
        for criterion in Criterion::ALL {
            check("outlier", &hard, criterion, 0.0, None, false);
            check("outlier", &hard, criterion, 0.1, None, false);
        }
        check("outlier", &hard, Criterion::G, 0.0, Some((3.0, 3.0)), must_certify);
    }
}

#[test]
fn a_common_part_of_the_choices_does_not_drown_their_differences() {
    // Multiples of 2^-20 up to 2^30: adding the common part is exact.
    let choices =
        Matrix::from_fn(30, 4, |i, k| (support::normals(71, 30, 4)[(i, k)] * 1048576.0).round() / 1048576.0);
    let shifted = Matrix::from_fn(30, 4, |i, k| choices[(i, k)] + [1e9, -3e8, 0.0, 7e8][k]);
    let value = |choices: Matrix| {
        let pool = Pool::from_features_with_choices(support::normals(72, 80, 4), choices).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::Xy, Ridge::ZERO).unwrap();
        let mut control = Control::new(Tolerance::new(1e-9).unwrap());
        let design = InteriorPoint::default().solve(&problem, &mut control).unwrap();
        assert_eq!(design.status(), DesignStatus::Certified, "{design}");
        design.certificate().value()
    };
    let (near, far) = (value(choices), value(shifted));
    assert!((near - far).abs() <= 1e-9 * near, "{near} {far}");
}
