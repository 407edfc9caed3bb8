//! What a table asks for: against numbers worked out by hand, against a likelihood computed by other code, and in other units.

use elfving::estimate::Tails;
use elfving::pool::{KernelSpec, Lengthscale};
use elfving_problem::diagnosis::{Diagnosis, Measured, Suggestion, column_findings};
use elfving_problem::{Dataset, PoolSpec, ProblemError, Source};
use elfving_table::{LogBase, PoolOptions};
use proptest::prelude::*;

fn dataset(table: &str) -> Dataset {
    let pool = Source::Bytes { name: "pool.csv".into(), bytes: table.as_bytes().to_vec() };
    let spec = PoolSpec { columns: PoolOptions::default().id("id"), ..PoolSpec::default() };
    Dataset::read(&pool, None, spec, 0).unwrap()
}

/// Candidates on a line.
fn line(points: &[f64]) -> Dataset {
    let rows: String = points.iter().enumerate().map(|(i, x)| format!("c{i},{x}\n")).collect();
    dataset(&format!("id,x\n{rows}"))
}

fn suggestions(dataset: &Dataset, outcomes: &[(usize, f64)]) -> Vec<Suggestion> {
    let measured = Measured::new(outcomes.iter().copied(), dataset.names().len()).unwrap();
    Diagnosis::of(dataset, Some(&measured), 0).unwrap().suggestions().cloned().collect()
}

/// The one number of a suggestion.
fn value(all: &[Suggestion], pick: impl Fn(&Suggestion) -> Option<f64>) -> f64 {
    all.iter().find_map(pick).unwrap_or_else(|| panic!("{all:?}"))
}

fn sigma(one: &Suggestion) -> Option<f64> {
    if let Suggestion::Sigma { value } = one { Some(*value) } else { None }
}

fn bound(one: &Suggestion) -> Option<f64> {
    if let Suggestion::Bound { value } = one { Some(*value) } else { None }
}

fn norm(one: &Suggestion) -> Option<f64> {
    if let Suggestion::Norm { value } = one { Some(*value) } else { None }
}

fn gamma(one: &Suggestion) -> Option<f64> {
    if let Suggestion::Gamma { value } = one { Some(*value) } else { None }
}

fn kernel(all: &[Suggestion]) -> &KernelSpec {
    let of = all.iter().find_map(|one| if let Suggestion::Kernel { of } = one { Some(of) } else { None });
    of.unwrap_or_else(|| panic!("{all:?}"))
}

#[test]
fn columns_are_told_by_their_numbers() {
    // Powers of two, several orders of magnitude, the same everywhere, a text.
    let mut table = "id,threads,dose,plate,base\n".to_owned();
    for i in 0..6u32 {
        table +=
            &format!("c{i},{},{},7,{}\n", 1 << i, 10f64.powi(i as i32 - 3), ["KOH", "NaH"][i as usize % 2]);
    }
    let found: Vec<Suggestion> =
        column_findings(&dataset(&table)).into_iter().filter_map(|finding| finding.suggestion).collect();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(
        found[..3],
        [
            Suggestion::OneHot { columns: names(&["base"]) },
            Suggestion::Features { columns: names(&["threads", "dose", "base"]) },
            Suggestion::Log {
                columns: vec![("threads".to_owned(), LogBase::Two), ("dose".to_owned(), LogBase::Ten)]
            },
        ]
    );
    // On their log scales both columns are 0, 1, .. up to a shift: collinear, and of one deviation.
    assert_eq!(found[3..], [Suggestion::Gamma { value: 1e-3 }]);
}

#[test]
fn without_results_the_length_scale_is_the_median_distance() {
    // Distances 20, 20, 20, 40, 40, 60: their median is 30.
    let all: Vec<Suggestion> =
        Diagnosis::of(&line(&[0.0, 20.0, 40.0, 60.0]), None, 0).unwrap().suggestions().cloned().collect();
    assert_eq!(kernel(&all), &KernelSpec::Matern52 { lengthscale: Lengthscale::Shared(30.0) });
    assert!(all.iter().all(|one| sigma(one).or(bound(one)).or(norm(one)).is_none()), "{all:?}");
}

#[test]
fn noise_and_bound_are_those_of_the_repeats_rounded_up() {
    let points: Vec<f64> = (0..8).map(f64::from).collect();
    // Pairs 0.2 apart: 8 · 2 · 0.1² over 8 degrees of freedom is 0.02, its root 0.1414.
    let outcomes: Vec<(usize, f64)> =
        (0..8).flat_map(|i| [(i, i as f64 - 0.1), (i, i as f64 + 0.1)]).collect();
    let all = suggestions(&line(&points), &outcomes);
    assert_eq!(value(&all, sigma), 0.15);
    // 1.2 · 7 = 8.4.
    assert_eq!(value(&all, bound), 8.4);
    assert!(!all.iter().any(|one| matches!(one, Suggestion::Noise { .. })), "two repeats have no tails");
    // ±a alone has kurtosis 1; two outliers among small deviations have a large one.
    let even: Vec<(usize, f64)> = (0..8).flat_map(|i| [0.1, -0.1, 0.1, -0.1].map(|e| (i, e))).collect();
    let light = suggestions(&line(&points), &even);
    assert!(light.contains(&Suggestion::Noise { tails: Tails::SubGaussian }), "{light:?}");
    let heavy: Vec<(usize, f64)> = (0..8)
        .flat_map(|i| [0.01, -0.01, 0.01, -0.01].map(|e| (i, e)))
        .chain([(0, 9.0), (0, -9.0)])
        .collect();
    let heavy = suggestions(&line(&points), &heavy);
    assert!(heavy.contains(&Suggestion::Noise { tails: Tails::BoundedVariance }), "{heavy:?}");
}

/// The log likelihood of centred outcomes at a noise-to-signal ratio, with the best signal: elimination on the dense matrix.
fn log_likelihood(points: &[f64], outcomes: &[f64], correlation: &dyn Fn(f64) -> f64, ratio: f64) -> f64 {
    let n = points.len();
    let mean = outcomes.iter().sum::<f64>() / n as f64;
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let entry =
                |j: usize| correlation((points[i] - points[j]).abs()) + if i == j { ratio } else { 0.0 };
            (0..n).map(entry).chain([outcomes[i] - mean]).collect()
        })
        .collect();
    let (mut log_determinant, mut form) = (0.0, 0.0);
    for k in 0..n {
        let pivot = rows[k].clone();
        log_determinant += pivot[k].ln();
        form += pivot[n] * pivot[n] / pivot[k];
        for row in &mut rows[k + 1..] {
            let by = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= by * p);
        }
    }
    -0.5 * (n as f64 * (form / n as f64).ln() + log_determinant)
}

fn correlation(kernel: &str, scale: f64) -> Box<dyn Fn(f64) -> f64> {
    match kernel {
        "rbf" => Box::new(move |d| (-0.5 * (d / scale).powi(2)).exp()),
        "matern52" => Box::new(move |d| {
            let r = 5f64.sqrt() * d / scale;
            (1.0 + r + r * r / 3.0) * (-r).exp()
        }),
        _ => Box::new(move |d| {
            let r = 3f64.sqrt() * d / scale;
            (1.0 + r) * (-r).exp()
        }),
    }
}

/// The best over ratios, and where.
fn profile(points: &[f64], outcomes: &[f64], correlation: &dyn Fn(f64) -> f64) -> (f64, f64) {
    let ratios = (0..200).map(|k| (-14.0 + 0.1 * f64::from(k)).exp());
    let values = ratios.map(|ratio| (log_likelihood(points, outcomes, correlation, ratio), ratio));
    values.fold((f64::NEG_INFINITY, 0.0), |best, one| if one.0 > best.0 { one } else { best })
}

#[test]
fn no_kernel_is_more_likely_than_the_one_suggested() {
    for seed in 1..5 {
        let points: Vec<f64> = (0..24).map(|i| f64::from(i) / 3.0).collect();
        let noise = |i: usize| 0.2 * ((i * i * 7 + 3 * seed) as f64 * 12.9898).sin();
        let outcomes: Vec<f64> =
            points.iter().enumerate().map(|(i, x)| (x * 0.4 * seed as f64).sin() + noise(i)).collect();
        let told: Vec<(usize, f64)> = outcomes.iter().copied().enumerate().collect();
        let all = suggestions(&line(&points), &told);
        let (name, scale) = match kernel(&all) {
            KernelSpec::Rbf { lengthscale: Lengthscale::Shared(scale) } => ("rbf", *scale),
            KernelSpec::Matern52 { lengthscale: Lengthscale::Shared(scale) } => ("matern52", *scale),
            KernelSpec::Matern32 { lengthscale: Lengthscale::Shared(scale) } => ("matern32", *scale),
            other => panic!("{other:?}"),
        };
        let (suggested, ratio) = profile(&points, &outcomes, &*correlation(name, scale));
        for other in ["rbf", "matern52", "matern32"] {
            for k in -8..=8 {
                // The median distance of 24 points on this line is about 2.3; a grid around it.
                let grid = 2.3 * (0.25 * f64::from(k)).exp();
                let (likelihood, _) = profile(&points, &outcomes, &*correlation(other, grid));
                assert!(likelihood <= suggested + 0.02, "{seed}: {other} {grid}: {likelihood} > {suggested}");
            }
        }
        // The ridge is this ratio per measured candidate, to one digit.
        let expected = (ratio / 24.0).clamp(1e-8, 1.0);
        let ridge = all.iter().filter_map(gamma).next_back().unwrap();
        assert!((ridge / expected).ln().abs() < 0.5, "{seed}: {ridge} for {expected}");
    }
}

#[test]
fn results_that_are_none_are_refused() {
    assert!(matches!(Measured::new([], 3), Err(ProblemError::NoOutcome)));
    assert!(matches!(Measured::new([(3, 1.0)], 3), Err(ProblemError::Data { .. })));
    assert!(matches!(Measured::new([(0, f64::NAN)], 3), Err(ProblemError::Data { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// In other units of the outcome every bound is in those units, and what has no unit stays.
    #[test]
    fn bounds_follow_the_unit_of_the_outcome(
        means in prop::collection::vec(-2.0f64..2.0, 9..14),
        step in 0.05f64..0.5,
        power in -3i32..4,
    ) {
        let unit = 10f64.powi(power);
        let points: Vec<f64> = (0..means.len()).map(|i| i as f64).collect();
        let outcomes = |unit: f64| -> Vec<(usize, f64)> {
            let repeats = |(i, mean): (usize, &f64)| [(i, unit * (mean - step)), (i, unit * (mean + step))];
            means.iter().enumerate().flat_map(repeats).collect()
        };
        let data = line(&points);
        let (plain, scaled) = (suggestions(&data, &outcomes(1.0)), suggestions(&data, &outcomes(unit)));
        for pick in [sigma, bound, norm] {
            let (a, b) = (value(&plain, pick), value(&scaled, pick));
            // Two digits, rounded up: rounding errors may turn one into the next.
            prop_assert!((b / (unit * a) - 1.0).abs() < 0.11, "{a} {b} in units of {unit}");
        }
        let ridges = [&plain, &scaled].map(|all| all.iter().filter_map(gamma).next_back().unwrap());
        prop_assert!((ridges[0] / ridges[1]).ln().abs() < 0.8, "{ridges:?}");
    }
}
