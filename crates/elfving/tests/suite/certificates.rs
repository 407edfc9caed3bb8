//! No wrong `certified`: ill-conditioned pools by name, and random ones against exact arithmetic.

use elfving::design::{
    Certificate, Control, Criterion, Design, DesignError, DesignStatus, InteriorPoint, Problem, Solver,
    TargetRef,
};
use elfving::numerics::Matrix;
use elfving::pool::kernels::Rbf;
use elfving::pool::{Factorisation, Points, Pool};
use elfving::units::{Ridge, Tolerance};
use std::sync::Arc;

use crate::exact;

fn solved(problem: &Problem, tolerance: f64) -> Result<Design, DesignError> {
    InteriorPoint::default().solve(problem, &mut Control::new(Tolerance::new(tolerance).unwrap()))
}

fn is_certified(found: &Result<Design, DesignError>) -> bool {
    found.as_ref().is_ok_and(|design| design.status() == DesignStatus::Certified)
}

/// `[1, t]` at nanosecond timestamps `steps` apart, to be known `ahead` of the first.
fn timestamps(steps: f64, ahead: f64) -> Pool {
    let x = Matrix::from_fn(8, 2, |i, k| if k == 0 { 1.0 } else { 1.7e18 + steps * i as f64 });
    Pool::from_features_with_choices(x, Matrix::from_rows(&[[1.0, 1.7e18 + ahead]])).unwrap()
}

#[test]
fn nanosecond_timestamps_are_not_certified() {
    for (steps, ahead) in [(1e4, 1e9), (2e4, 1e10)] {
        let pool = timestamps(steps, ahead);
        for criterion in [Criterion::G, Criterion::C, Criterion::V] {
            let problem = Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap();
            let found = solved(&problem, 1e-6);
            assert!(!is_certified(&found), "{criterion}, steps of {steps:e}: {found:?}");
        }
        let points = pool.points_only();
        for criterion in [Criterion::G, Criterion::D, Criterion::V, Criterion::Xy] {
            let found = solved(&Problem::over_choices(&points, criterion, Ridge::ZERO).unwrap(), 1e-3);
            assert!(!is_certified(&found), "{criterion} of the points, steps of {steps:e}: {found:?}");
        }
    }
    // Counted from the first, in seconds, they are an everyday pool.
    let x = Matrix::from_fn(8, 2, |i, k| if k == 0 { 1.0 } else { 1e-5 * i as f64 });
    let pool = Pool::from_features_with_choices(x, Matrix::from_rows(&[[1.0, 1.0]])).unwrap();
    let found = solved(&Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap(), 1e-6);
    assert!(is_certified(&found), "{found:?}");
    let value = found.unwrap().certificate().value();
    // The best line through the two ends, one second ahead: ((t1 - t) + (t - t0))² / (t1 - t0)² of their distances.
    let expected = ((1.0 - 7e-5 + 1.0) / 7e-5f64).powi(2);
    assert!((value / expected - 1.0).abs() < 1e-5, "{value} for {expected}");
}

#[test]
fn powers_far_from_zero_are_not_certified() {
    for points in [5, 11, 41] {
        let x = |i: usize| 1000.0 + i as f64 / (points - 1) as f64;
        let pool = Pool::from_features(Matrix::from_fn(points, 5, |i, k| x(i).powi(k as i32))).unwrap();
        for criterion in [Criterion::G, Criterion::D, Criterion::V] {
            let found = solved(&Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap(), 1e-3);
            assert!(!is_certified(&found), "{criterion}, {points} points: {found:?}");
        }
        let centred = Matrix::from_fn(points, 5, |i, k| (x(i) - 1000.5).powi(k as i32));
        let pool = Pool::from_features(centred).unwrap();
        let found = solved(&Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap(), 1e-6);
        assert!(is_certified(&found), "{found:?}");
        assert!((found.unwrap().certificate().value() - 5.0).abs() < 1e-4);
    }
}

#[test]
fn a_choice_with_a_small_part_that_is_never_measured_is_refused() {
    for part in [5e-9, 1e-14, 1e-30, 1e-150] {
        for criterion in [Criterion::G, Criterion::C, Criterion::V] {
            let z = Matrix::from_rows(&[[1.0, part]]);
            let pool = Pool::from_features_with_choices(Matrix::from_rows(&[[1.0, 0.0]]), z).unwrap();
            let found = solved(&Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap(), 1e-6);
            assert!(
                matches!(found, Err(DesignError::NotIdentifiable { .. })),
                "{criterion}, {part:e}: {found:?}"
            );
        }
    }
}

#[test]
fn dependent_columns_of_everyday_pools_are_certified() {
    // An intercept and one column for each of three levels; a mixture whose parts sum to one only up to rounding; a
    // total of two columns.
    let one_hot = Matrix::from_fn(9, 4, |i, k| if k == 0 || i % 3 == k - 1 { 1.0 } else { 0.0 });
    let mixture = Matrix::from_fn(66, 4, |i, k| {
        let all: Vec<(usize, usize)> = (0..=10).flat_map(|a| (0..=10 - a).map(move |b| (a, b))).collect();
        let (a, b) = all[i];
        [1.0, a as f64 / 10.0, b as f64 / 10.0, (10 - a - b) as f64 / 10.0][k]
    });
    let total = Matrix::from_fn(20, 4, |i, k| {
        let (a, b) = (0.1 * (i % 5) as f64, 0.3 * (i / 5) as f64);
        [1.0, a, b, a + b][k]
    });
    for (features, value, what) in
        [(one_hot, 3.0, "one-hot"), (mixture, 3.0, "mixture"), (total, 3.0, "total")]
    {
        let pool = Pool::from_features(features).unwrap();
        for criterion in [Criterion::G, Criterion::D, Criterion::V, Criterion::Xy] {
            let found = solved(&Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap(), 1e-6);
            assert!(is_certified(&found), "{what}, {criterion}: {found:?}");
            if criterion == Criterion::G {
                assert!((found.unwrap().certificate().value() - value).abs() < 1e-5, "{what}");
            }
        }
    }
}

#[test]
fn a_ridge_below_the_rounding_is_not_certified_under_the_determinant() {
    // log det(A + γI) of a rank-one A: ln(5 + γ) + ln γ. The singular value of the ridge drowns in rounding.
    for gamma in [1e-28, 1e-40, 1e-100] {
        let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 2.0], [1.0, 2.0]])).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::D, Ridge::new(gamma).unwrap()).unwrap();
        let found = solved(&problem, 1e-3);
        let exact = 5f64.ln() + gamma.ln();
        let right = |certificate: &Certificate| (certificate.value() - exact).abs() < 1e-2;
        assert!(
            found.as_ref().is_ok_and(|d| d.status() != DesignStatus::Certified || right(d.certificate())),
            "{gamma:e}: {found:?}, log det {exact}"
        );
    }
}

#[test]
fn what_the_features_of_a_kernel_leave_out_is_charged() {
    // Below 1e-8 of the kernel the check uses features: their residual over gamma is more than the tolerance.
    let points = Points::new(Matrix::from_fn(30, 1, |i, _| i as f64 / 5.0)).unwrap();
    let settings = Factorisation::default();
    let pool = Pool::from_kernel(Arc::new(Rbf::new(5.6).unwrap()), points, None, &settings).unwrap();
    let gamma = 2.6e-13;
    let left_out = pool.residual() / gamma;
    assert!(left_out > 1e-3, "the case shows nothing: {left_out:e}");
    for criterion in [Criterion::G, Criterion::V, Criterion::Xy, Criterion::D] {
        let problem = Problem::over_choices(&pool, criterion, Ridge::new(gamma).unwrap()).unwrap();
        let found = solved(&problem, 5e-7);
        assert!(!is_certified(&found), "{criterion}: {found:?}");
    }
}

#[test]
fn certificates_hold_in_exact_arithmetic() {
    fuzz(600);
}

#[test]
#[ignore = "slow: 20,000 certified designs in exact arithmetic"]
fn twenty_thousand_certificates_hold_in_exact_arithmetic() {
    fuzz(20_000);
}

/// Solves random small problems until so many are certified, and checks each in exact arithmetic.
fn fuzz(wanted: usize) {
    let mut draws = Draws(20_261_118);
    let (mut certified, mut tried, mut near, mut wrong) = (0, 0, [0usize; 2], Vec::new());
    while certified < wanted {
        tried += 1;
        assert!(tried < 10 * wanted, "only {certified} of {tried} certified");
        let Case { pool, criterion, gamma, tolerance, collinear } = Case::draw(&mut draws);
        let Ok(problem) = Problem::over_choices(&pool, criterion, gamma) else { continue };
        let found = solved(&problem, tolerance);
        near[1] += usize::from(collinear);
        if !is_certified(&found) {
            continue;
        }
        certified += 1;
        near[0] += usize::from(collinear);
        if let Err(why) = exactly_right(&pool, &found.unwrap(), tolerance) {
            wrong.push(format!(
                "{criterion}, gamma {:e}, tolerance {tolerance:e}: {why}\n{:?}\n{:?}",
                gamma.get(),
                pool.features(),
                pool.choices()
            ));
        }
    }
    assert!(near[0] > wanted / 20, "of {} nearly collinear pools only {} were certified", near[1], near[0]);
    println!("{certified} certified of {tried}; of {} nearly collinear pools {}", near[1], near[0]);
    assert!(wrong.is_empty(), "{} of {certified} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether the value and the proof of a certified design hold, beyond twice the tolerance.
fn exactly_right(pool: &Pool, design: &Design, tolerance: f64) -> Result<(), String> {
    let certificate = design.certificate();
    let weights: Vec<(usize, f64)> = design.support().iter().map(|&(id, w)| (id.index(), w)).collect();
    let exact = exact::Information::new(pool.features(), &weights, design.gamma().get());
    let slack = 2.0 * tolerance;
    let close = |what: &str, found: f64, truth: f64, scale: f64| match (found - truth).abs() <= slack * scale
    {
        true => Ok(()),
        false => Err(format!("{what} {found}, exactly {truth}")),
    };
    let points: Vec<Vec<f64>> = (0..pool.len()).map(|i| pool.features().row(i).to_vec()).collect();
    let choices: Vec<Vec<f64>> = (0..pool.choice_count()).map(|i| pool.choices().row(i).to_vec()).collect();
    let minus = |a: &[f64], b: &[f64]| exact::Vector::difference(a, b);
    let plain = |v: &Vec<f64>| exact::Vector::of(v);
    let own = |values: &[f64]| weights.iter().map(|&(i, w)| w * values[i]).sum::<f64>();
    if design.criterion() == Criterion::D {
        if let Some(log_det) = exact.log_det() {
            close("log det", certificate.value(), log_det, exact.rank() as f64)?;
        }
        let q: Vec<f64> =
            points.iter().map(|x| exact.norm(&plain(x))).collect::<Option<_>>().ok_or("unseen")?;
        let gap = (largest(&q) - own(&q)) / exact.rank() as f64;
        return if gap <= slack { Ok(()) } else { Err(format!("the gap is {gap:e}")) };
    }
    let targets: Vec<exact::Vector> = match design.criterion() {
        Criterion::Xy => (0..choices.len())
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| minus(&choices[i], &choices[j]))
            .collect(),
        Criterion::A => (0..pool.dimension())
            .map(|j| plain(&(0..pool.dimension()).map(|k| f64::from(u8::from(j == k))).collect()))
            .collect(),
        _ => choices.iter().map(plain).collect(),
    };
    let norms: Vec<f64> =
        targets.iter().map(|v| exact.norm(v)).collect::<Option<_>>().ok_or("a target is not identifiable")?;
    let (value, proof): (f64, Vec<(exact::Vector, f64)>) = match design.criterion() {
        Criterion::G | Criterion::Xy => {
            let member = |&(target, w): &(TargetRef, f64)| match target {
                TargetRef::Row(i) => (plain(&choices[i]), w),
                TargetRef::Pair(i, j) => (minus(&choices[i], &choices[j]), w),
            };
            (largest(&norms), certificate.target_weights().iter().map(member).collect())
        }
        Criterion::A => (norms.iter().sum(), targets.into_iter().map(|v| (v, 1.0)).collect()),
        _ => {
            let share = 1.0 / targets.len() as f64;
            (norms.iter().sum::<f64>() * share, targets.into_iter().map(|v| (v, share)).collect())
        }
    };
    close("value", certificate.value(), value, value)?;
    // A point that the design does not see has no xᵀM⁻¹v: the proof is then by a vector of the check's own choice.
    if points.iter().any(|x| exact.norm(&plain(x)).is_none()) {
        return Ok(());
    }
    let level: f64 = proof.iter().map(|(v, w)| w * exact.norm(v).unwrap_or(f64::INFINITY)).sum();
    let gradient: Vec<f64> = points
        .iter()
        .map(|x| proof.iter().map(|(v, w)| w * exact.cross(&plain(x), v).powi(2)).sum())
        .collect();
    // F² / (F + Δ), as a quotient: squares leave the range of numbers.
    let bound = level / (1.0 + (largest(&gradient) - own(&gradient)).max(0.0) / level);
    match value <= bound * (1.0 + slack) && certificate.bound() <= value * (1.0 + 1e-9) {
        true => Ok(()),
        false => Err(format!(
            "value {value}, bound {bound}; printed {} and {}",
            certificate.value(),
            certificate.bound()
        )),
    }
}

/// The power of two below: columns that are exactly dependent stay so.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// splitmix64.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform in [low, high).
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Case {
    pool: Pool,
    criterion: Criterion,
    gamma: Ridge,
    tolerance: f64,
    collinear: bool,
}

impl Case {
    fn draw(draws: &mut Draws) -> Self {
        let (n, r) = (1 + draws.below(8), 1 + draws.below(4));
        let others = if draws.below(3) == 0 { 1 + draws.below(3) } else { 0 };
        let whole = draws.below(3) == 0;
        let mut rows: Vec<Vec<f64>> = (0..n + others)
            .map(|_| {
                (0..r)
                    .map(|_| if whole { draws.below(5) as f64 - 2.0 } else { draws.uniform(-1.0, 1.0) })
                    .collect()
            })
            .collect();
        let kind = draws.below(5);
        let collinear = r > 1 && kind <= 1;
        if collinear {
            // The last column is a sum of the others: exactly (whole numbers), or but for a small part.
            let by = if whole && draws.below(2) == 0 { 0.0 } else { 10f64.powf(-draws.uniform(1.0, 12.5)) };
            for row in &mut rows {
                let sum: f64 = row[..r - 1].iter().sum();
                row[r - 1] = sum + by * draws.uniform(-1.0, 1.0);
            }
        } else if kind == 2 {
            let from = 10f64.powf(draws.uniform(0.0, 7.0));
            for row in &mut rows {
                let x = from + row[0];
                row.iter_mut().enumerate().for_each(|(k, value)| *value = x.powi(k as i32));
            }
        }
        let criterion = Criterion::ALL[draws.below(Criterion::ALL.len())];
        // Variances of coefficients (a) are of scale⁻².
        let scale = match draws.below(4) {
            0 if criterion == Criterion::A => 10f64.powf(draws.uniform(-60.0, 60.0)),
            0 => 10f64.powf(draws.uniform(-150.0, 150.0)),
            _ => 1.0,
        };
        let columns: Vec<f64> = (0..r)
            .map(|_| if draws.below(4) == 0 { 10f64.powf(draws.uniform(-6.0, 6.0)) } else { 1.0 })
            .collect();
        for row in &mut rows {
            row.iter_mut().zip(&columns).for_each(|(value, by)| *value *= power_of_two(by * scale));
        }
        let gamma =
            if draws.below(2) == 0 { 0.0 } else { 10f64.powf(draws.uniform(-30.0, 1.0)) * scale * scale };
        let gamma = if gamma.is_normal() { gamma } else { 0.0 };
        let z = rows.split_off(n);
        let x = Matrix::from_rows(&rows);
        let pool = match z.is_empty() {
            true => Pool::from_features(x),
            false => Pool::from_features_with_choices(x, Matrix::from_rows(&z)),
        };
        let tolerance = [1e-6, 1e-3][draws.below(2)];
        Case { pool: pool.unwrap(), criterion, gamma: Ridge::new(gamma).unwrap(), tolerance, collinear }
    }
}
