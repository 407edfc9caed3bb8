//! The Gaussian-process model against independent numbers, identities, and simulated pools.

use crate::support;

use elfving::numerics::rng::{Purpose, stream};
use elfving::numerics::{Cholesky, Matrix, apply_transposed};
use elfving::pool::PointId;
use elfving::surrogate::{
    Aim, Columns, Fit, GroupedMeasurements, Lbfgs, Measurement, Normal, OutcomeScale, Parameters,
    PosteriorOver, Priors, RowId, SearchStatus, Space, StudentT, Surrogate, SurrogateError,
};
use support::normals;

/// The recipe of the reference numbers, with the counter stream of `support`:
///
/// 14 rows of two normal columns (seed 31) scaled to [0, 1] and a category `i mod 3`; the rows of [`IDS`] measured, with normal
/// outcomes (seed 32), shifted and scaled so that the averages of distinct rows have mean 0 and deviation 1. By itself: all 12
/// measurements written out, `K = 0.9 matern + 0.2 matern(√3 [other category] / l_3) + 0.02 [same row] + 0.04 I`, mean by generalised least
/// squares, derivatives numerically, all with 40 digits (mpmath). scikit-learn 1.9.1: `GaussianProcessRegressor` on the 8 row means less
/// that mean, `alpha=tau² + s²/n_i`, its `Matern(nu=2.5)` on all columns and on the category alone, which is one-hot columns over √2. The
/// two agree to 1e-13 (likelihood), 2e-14 (gradient) and 1e-15 (posterior).
const IDS: [usize; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 1, 4, 4, 7];

fn id(row: usize) -> PointId {
    PointId::new(row)
}

fn row_of(row: usize) -> RowId {
    RowId::new(row)
}

fn table() -> Columns {
    Columns::numeric(normals(31, 14, 2)).category((0..14).map(|i| i % 3).collect())
}

fn parameters() -> Parameters {
    Parameters { lengthscales: vec![0.5, 0.8, 1.3], noise: 0.04, roughness: 0.02 }
}

/// Scales outcomes as the model would, so that its own map changes nothing.
fn standardised(ids: &[usize], outcomes: &[f64]) -> Vec<Measurement> {
    let mut rows = vec![Vec::new(); 1 + ids.iter().max().expect("measurements")];
    ids.iter().zip(outcomes).for_each(|(&row, y)| rows[row].push(*y));
    let averages: Vec<f64> =
        rows.iter().filter(|r| !r.is_empty()).map(|r| r.iter().sum::<f64>() / r.len() as f64).collect();
    let n = averages.len() as f64;
    let mean = averages.iter().sum::<f64>() / n;
    let deviation = (averages.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / n).sqrt();
    ids.iter().zip(outcomes).map(|(&row, y)| Measurement::new(id(row), (y - mean) / deviation)).collect()
}

fn measured() -> Vec<Measurement> {
    standardised(&IDS, normals(32, 1, 12).row(0))
}

fn plain() -> Surrogate {
    Surrogate::default().warp(false)
}

fn evidence(space: &Space, measured: &[Measurement]) -> GroupedMeasurements {
    plain().at(space, measured, &parameters()).expect("a fit").evidence().clone()
}

#[track_caller]
fn assert_close(ours: f64, exact: f64, tolerance: f64) {
    assert!((ours - exact).abs() <= tolerance * exact.abs().max(1.0), "{ours} is not {exact}");
}

#[test]
fn likelihood_and_gradient_are_those_of_scikit_learn() {
    let space = Space::new(&table(), None).unwrap();
    // The priors that the reference numbers were made with.
    let priors = Priors {
        lengthscale: Normal { mean: -0.5, deviation: 0.75 },
        noise: Normal { mean: -4.0, deviation: 1.0 },
        roughness: Normal { mean: -5.0, deviation: 1.5 },
    };
    let evaluation = evidence(&space, &measured()).evaluate(&space, &parameters(), &priors).unwrap();
    assert_close(evaluation.log_likelihood, -472.997_848_527_101_1, 1e-12);
    assert_close(evaluation.log_prior, -5.301_551_733_298_68, 1e-13);
    // The lengthscales are those of scikit-learn plus the prior.
    let lengths = [-6.003_152_049_278_206, -1.786_073_767_377_957, -3.054_990_962_285_581];
    for (ours, exact) in evaluation.gradient.iter().zip(lengths) {
        assert_close(*ours, exact, 1e-11);
    }
    assert_close(evaluation.gradient[3], 457.230_521_541_186_5, 1e-8);
    assert_close(evaluation.gradient[4], 0.265_823_224_406_994_74, 1e-8);
}

#[test]
fn the_posterior_is_that_of_the_repeats_written_out() {
    const MEANS: [f64; 14] = [
        0.433_411_855_488_895_94,
        0.145_463_820_271_975_2,
        0.614_686_559_912_681_6,
        -2.144_755_415_797_937_4,
        0.602_280_597_943_522_7,
        0.468_990_380_627_173_85,
        -0.621_533_518_202_347_3,
        0.538_137_975_980_648,
        0.234_779_476_678_427_72,
        -0.051_476_546_830_722_63,
        0.248_697_374_778_643_12,
        0.335_085_552_046_657_7,
        -0.719_094_729_896_887_3,
        0.200_056_752_926_156_4,
    ];
    const VARIANCES: [f64; 14] = [
        0.034_627_882_199_649_705,
        0.019_285_094_715_164_493,
        0.031_080_517_452_253_608,
        0.036_834_858_544_035_91,
        0.013_009_131_254_132_307,
        0.030_612_409_183_505_555,
        0.035_798_274_261_736_09,
        0.019_273_075_464_469_457,
        0.379_104_077_450_471,
        0.081_110_312_681_777_44,
        0.613_786_628_708_438,
        0.540_741_498_943_772,
        0.353_985_648_969_862_6,
        0.490_421_103_940_855_2,
    ];
    let space = Space::new(&table(), None).unwrap();
    let fit = plain().uncertain_mean(false).at(&space, &measured(), &parameters()).unwrap();
    assert_close(fit.mean(), -0.413_716_436_440_741_74, 1e-12);
    let posterior = fit.posterior(PosteriorOver::Points);
    for row in 0..14 {
        assert_close(posterior.mean(row_of(row)), MEANS[row], 1e-12);
        assert_close(posterior.variance(row_of(row)), VARIANCES[row], 1e-12);
    }
    assert_close(posterior.covariance(row_of(9), row_of(12)), 0.053_357_630_692_485_544, 1e-12);
    assert_close(posterior.covariance(row_of(1), row_of(10)), -0.001_046_687_238_659_609_8, 1e-12);
}

#[test]
fn the_uncertain_mean_widens_what_is_far_from_the_data() {
    let space = Space::new(&table(), None).unwrap();
    let posterior = plain().at(&space, &measured(), &parameters()).unwrap().posterior(PosteriorOver::Points);
    // Variance + (1 - kᵀC⁻¹1)² / 1ᵀC⁻¹1, written out.
    for (row, variance) in
        [(1, 0.019_296_795_257_422_568), (9, 0.081_726_258_746_640_59), (10, 0.677_930_374_320_664_5)]
    {
        assert_close(posterior.variance(row_of(row)), variance, 1e-12);
    }
    assert_close(posterior.covariance(row_of(9), row_of(12)), 0.053_050_399_468_534_11, 1e-12);
}

#[test]
fn residuals_given_all_other_rows_are_those_of_leaving_one_out() {
    let space = Space::new(&table(), None).unwrap();
    let residuals = plain().at(&space, &measured(), &parameters()).unwrap().leave_one_out();
    // Each row left out in turn, at the same mean.
    assert_close(residuals[1], 1.217_473_233_813_085_6, 1e-11);
    assert_close(residuals[6], -2.168_106_964_116_527_4, 1e-11);
}

/// Measurements 2, 8 and 9 with known noise: alone on its row, and on rows with other kinds.
fn partly_known() -> Vec<Measurement> {
    let mut measured = measured();
    for (index, variance) in [(2, 0.01), (8, 0.09), (9, 0.3)] {
        measured[index] = measured[index].variance(variance);
    }
    measured
}

#[test]
fn known_noise_is_used_as_it_is_given() {
    let space = Space::new(&table(), None).unwrap();
    let fit = plain().at(&space, &partly_known(), &parameters()).unwrap();
    let evaluation = fit.evidence().evaluate(&space, &parameters(), &Priors::default()).unwrap();
    assert_close(evaluation.log_likelihood, -468.510_981_688_524_34, 1e-11);
    assert_close(fit.mean(), -0.346_195_393_949_556_84, 1e-12);
    let posterior = fit.posterior(PosteriorOver::Points);
    assert_close(posterior.mean(row_of(1)), 0.423_196_642_547_140_96, 1e-12);
    assert_close(posterior.mean(row_of(9)), -0.051_060_824_030_622_98, 1e-12);
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    let space = Space::new(&table(), None).unwrap();
    for measured in [measured(), partly_known()] {
        let evidence = evidence(&space, &measured);
        for logs in [[-0.7, -0.2, 0.3, -3.0, -4.0], [0.5, -1.5, 0.0, -0.5, -1.0], [1.0, 1.0, -2.0, 0.0, -6.0]]
        {
            let at = |logs: &[f64]| {
                evidence.evaluate(&space, &Parameters::from_logs(logs), &Priors::default()).unwrap()
            };
            let gradient = at(&logs).gradient;
            for k in 0..5 {
                let shifted = |step: f64| {
                    let mut logs = logs;
                    logs[k] += step;
                    let evaluation = at(&logs);
                    evaluation.log_likelihood + evaluation.log_prior
                };
                let wide = (shifted(2e-4) - shifted(-2e-4)) / 4e-4;
                let narrow = (shifted(1e-4) - shifted(-1e-4)) / 2e-4;
                assert_close(gradient[k], (4.0 * narrow - wide) / 3.0, 1e-6);
            }
        }
    }
}

#[test]
fn a_hypothetical_measurement_is_worth_what_a_real_one_is() {
    let points = Columns::numeric(normals(31, 14, 2)).category((0..14).map(|i| i % 3).collect());
    let choices = Columns::numeric(normals(33, 6, 2)).category(vec![0, 1, 2, 0, 1, 2]);
    let space = Space::new(&points, Some(&choices)).unwrap();
    let mut posterior =
        plain().at(&space, &measured(), &parameters()).unwrap().posterior(PosteriorOver::Both);
    assert_eq!(posterior.len(), 20);
    let mut more = measured();
    for row in [9, 9, 4, 13] {
        posterior.measure(id(row));
        more.push(Measurement::new(id(row), 0.3));
    }
    let real = plain().at(&space, &more, &parameters()).unwrap().posterior(PosteriorOver::Both);
    let over_choices = plain().at(&space, &more, &parameters()).unwrap().posterior(PosteriorOver::Choices);
    for row in 0..20 {
        assert_close(posterior.variance(row_of(row)), real.variance(row_of(row)), 1e-12);
        for other in 0..20 {
            assert_close(
                posterior.covariance(row_of(row), row_of(other)),
                real.covariance(row_of(row), row_of(other)),
                1e-12,
            );
        }
        let all = posterior.covariances(row_of(row));
        assert_close(all[3], posterior.covariance(row_of(row), row_of(3)), 1e-13);
    }
    for choice in 0..6 {
        assert_eq!(over_choices.mean(row_of(14 + choice)), real.mean(row_of(14 + choice)));
        assert_close(over_choices.variance(row_of(14 + choice)), real.variance(row_of(14 + choice)), 1e-14);
    }
}

#[test]
fn draws_have_the_mean_and_covariance_of_the_posterior() {
    let space = Space::new(&table(), None).unwrap();
    let posterior = plain().at(&space, &measured(), &parameters()).unwrap().posterior(PosteriorOver::Points);
    // Row 9 twice: the two are always equal, though the covariance is singular.
    let rows = [9, 12, 4, 9].map(row_of);
    let count = 20_000;
    let draws = posterior.samples(&rows, count, &mut stream(5, 0, Purpose::new("test")));
    for (k, row) in rows.iter().enumerate() {
        let mean = (0..count).map(|i| draws[(i, k)]).sum::<f64>() / count as f64;
        let spread = posterior.deviation(*row);
        assert!((mean - posterior.mean(*row)).abs() < 5.0 * spread / (count as f64).sqrt());
        for (l, other) in rows.iter().enumerate() {
            let product =
                |i: usize| (draws[(i, k)] - posterior.mean(*row)) * (draws[(i, l)] - posterior.mean(*other));
            let covariance = (0..count).map(product).sum::<f64>() / count as f64;
            let scale = spread * posterior.deviation(*other);
            // Five standard errors: the variance of a product is at most twice the squared scale.
            assert!(
                (covariance - posterior.covariance(*row, *other)).abs()
                    < 5.0 * scale * (2.0 / count as f64).sqrt()
            );
        }
    }
    assert!((0..100).all(|i| (draws[(i, 0)] - draws[(i, 3)]).abs() < 1e-4));
}

/// A smooth outcome with noise and repeats: about `rows` rows, some measured twice.
fn pool(seed: u64, rows: usize, measured: usize) -> (Columns, Vec<Measurement>) {
    let numbers = normals(seed, rows, 3);
    let noise = normals(seed + 1, 1, 2 * measured);
    let table = Columns::numeric(numbers.clone()).category((0..rows as u32).map(|i| i % 4).collect());
    let value = |i: usize| numbers[(i, 0)].sin() + 0.5 * numbers[(i, 1)] + 0.3 * (i % 4) as f64;
    // The k-th measurement is of row 7k; every third of them is repeated.
    let measure = |k: usize, noise: f64| {
        let row = (k * 7) % rows;
        Measurement::new(id(row), 10.0 * value(row) + noise)
    };
    let first = (0..measured).map(|k| measure(k, noise[(0, k)]));
    let again = (0..measured / 3).map(|k| measure(2 * k, noise[(0, measured + k)]));
    (table, first.chain(again).collect())
}

fn same_answers(a: &Fit, b: &Fit, rows: impl Iterator<Item = (usize, usize)>, tolerance: f64) {
    let (of_a, of_b) = (a.posterior(PosteriorOver::Points), b.posterior(PosteriorOver::Points));
    for (one, other) in rows {
        assert_close(of_a.mean(row_of(one)), of_b.mean(row_of(other)), tolerance);
        assert_close(of_a.variance(row_of(one)), of_b.variance(row_of(other)), tolerance);
    }
}

#[test]
fn order_of_rows_and_measurements_does_not_matter() {
    let (table, measured) = pool(41, 60, 30);
    let space = Space::new(&table, None).unwrap();
    let reversed = |i: usize| 59 - i;
    let turned = Columns::numeric(table.numeric.select_rows(&(0..60).map(reversed).collect::<Vec<_>>()))
        .category((0..60).map(|i| 90 - table.categories[0][reversed(i)]).collect()); // and other codes
    let turned_space = Space::new(&turned, None).unwrap();
    let turned_measured: Vec<Measurement> =
        measured.iter().rev().map(|m| Measurement::new(id(reversed(m.point.index())), m.outcome)).collect();
    let precise = Surrogate::default().search(Lbfgs::default().tolerance(1e-9).iterations(300));
    let one = precise.fit(&space, &measured, None).unwrap();
    let other = precise.fit(&turned_space, &turned_measured, None).unwrap();
    same_answers(&one, &other, (0..60).map(|i| (i, reversed(i))), 1e-6);
}

#[test]
fn units_sign_and_constant_columns_do_not_matter() {
    let (table, measured) = pool(43, 50, 25);
    let mut numbers = Matrix::zeros(50, 4);
    for i in 0..50 {
        numbers.row_mut(i)[..3].copy_from_slice(table.numeric.row(i));
        numbers[(i, 0)] = 1e6 * numbers[(i, 0)] - 3.0;
        numbers[(i, 3)] = 8.0;
    }
    let other_table = Columns { numeric: numbers, categories: table.categories.clone() };
    let other_measured: Vec<Measurement> =
        measured.iter().map(|m| Measurement::new(m.point, -1e-3 * m.outcome + 5.0)).collect();
    let (space, other_space) = (Space::new(&table, None).unwrap(), Space::new(&other_table, None).unwrap());
    let precise = Surrogate::default().search(Lbfgs::default().tolerance(1e-8).iterations(300));
    let one = precise.fit(&space, &measured, None).unwrap();
    let other = precise.clone().aim(Aim::Minimise).fit(&other_space, &other_measured, None).unwrap();
    same_answers(&one, &other, (0..50).map(|i| (i, i)), 1e-5);
    let model = one.posterior(PosteriorOver::Points).mean(row_of(3));
    assert_close(other.outcome().inverse(model), -1e-3 * one.outcome().inverse(model) + 5.0, 1e-6);
}

#[test]
fn the_fit_is_a_maximum_and_a_second_one_starts_there() {
    let (table, measured) = pool(45, 80, 40);
    let space = Space::new(&table, None).unwrap();
    let fit = Surrogate::default().fit(&space, &measured, None).unwrap();
    assert_eq!(fit.status(), Some(SearchStatus::Converged), "{fit}");
    let evaluation = fit.evidence().evaluate(&space, fit.parameters(), &Priors::default()).unwrap();
    assert!(evaluation.gradient.iter().all(|slope| slope.abs() <= 1e-2), "{:?}", evaluation.gradient);
    assert_close(evaluation.log_likelihood + evaluation.log_prior, fit.log_posterior(), 1e-12);
    let again = Surrogate::default().fit(&space, &measured, Some(fit.parameters())).unwrap();
    assert!(again.log_posterior() >= fit.log_posterior() - 1e-3);
    // Noise 1 on a spread of about 8: the fit finds it within a factor of two in deviation.
    let noise = fit.parameters().noise.sqrt() / fit.outcome().slope(fit.outcome().inverse(0.0));
    assert!((0.5..2.0).contains(&noise), "noise {noise}");
}

#[test]
fn a_category_has_one_parameter_whatever_its_levels() {
    let levels: Vec<u32> = (0..40).map(|i| i % 20).collect();
    let space = Space::new(&Columns::numeric(Matrix::zeros(40, 0)).category(levels), None).unwrap();
    let measured: Vec<Measurement> = (0..15).map(|i| Measurement::new(id(i), (i % 5) as f64)).collect();
    let fit = Surrogate::default().fit(&space, &measured, None).unwrap();
    assert_eq!(fit.parameters().lengthscales.len(), 1);
    let posterior = fit.posterior(PosteriorOver::Points);
    // Levels that were not measured are all alike; rows 0 and 20 are the same level, hence the same site.
    assert_eq!(posterior.mean(row_of(16)), posterior.mean(row_of(17)));
    assert_eq!(posterior.mean(row_of(0)), posterior.mean(row_of(20)));
    assert!(posterior.variance(row_of(20)) < posterior.variance(row_of(16)));
}

#[test]
fn an_outlier_weighs_little_in_the_robust_fit_and_fully_in_the_plain_one() {
    let (table, mut measured) = pool(47, 60, 40);
    let space = Space::new(&table, None).unwrap();
    let clean = Surrogate::default().fit(&space, &measured, None).unwrap();
    let clean_median = |row| {
        let posterior = clean.posterior(PosteriorOver::Points);
        clean.outcome().inverse(posterior.mean(row_of(row)))
    };
    measured[5].outcome += 80.0;
    let error = |fit: &Fit| {
        let posterior = fit.posterior(PosteriorOver::Points);
        let errors =
            (0..60).map(|row| (fit.outcome().inverse(posterior.mean(row_of(row))) - clean_median(row)).abs());
        errors.sum::<f64>() / 60.0
    };
    let plain = Surrogate::default().fit(&space, &measured, None).unwrap();
    let robust = Surrogate::default().robust(StudentT::default()).fit(&space, &measured, None).unwrap();
    assert!(plain.weights().iter().all(|weight| *weight == 1.0));
    assert!(robust.weights()[5] < 0.1, "{:?}", robust.weights());
    let usual = robust.weights().iter().sum::<f64>() / robust.weights().len() as f64;
    assert!(usual > 0.8, "{usual}");
    assert!(error(&robust) < 0.5 * error(&plain), "{} {}", error(&robust), error(&plain));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Above 400 rows, so that the screening of starts is run too.
    let (table, measured) = pool(49, 900, 450);
    let space = Space::new(&table, None).unwrap();
    let short = Surrogate::default().search(Lbfgs::default().iterations(4));
    let answers = [1, 2, 8].map(|threads| {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| {
            let fit = short.fit(&space, &measured, None).unwrap();
            let mut posterior = fit.posterior(PosteriorOver::Points);
            posterior.measure(id(3));
            (fit.parameters().clone(), posterior.means().to_vec(), posterior.variances().to_vec())
        })
    });
    assert!(answers[0] == answers[1] && answers[0] == answers[2]);
}

#[test]
fn hard_inputs_give_finite_answers() {
    let line = |n: usize| Columns::numeric(Matrix::from_fn(n, 1, |i, _| i as f64));
    let at = |pairs: &[(usize, f64)]| -> Vec<Measurement> {
        pairs.iter().map(|&(row, y)| Measurement::new(id(row), y)).collect()
    };
    let constant: Vec<(usize, f64)> = (0..60).map(|k| (k % 20, 7.0)).collect();
    let huge = [(0, f64::MAX), (3, -f64::MAX), (5, 1e300), (5, 0.0)];
    let cases = [
        (line(20), at(&[(3, 2.0)])),
        (line(1), at(&[(0, 2.0)])),
        (line(20), at(&constant)),
        (line(20), at(&huge)),
        (line(20), at(&[(0, 1e-320), (1, 0.0), (2, 2e-320)])),
        (Columns::numeric(Matrix::zeros(6, 2)), at(&[(0, 1.0), (3, 2.0), (5, 9.0)])), // one site
        (
            Columns::numeric(Matrix::from_fn(20, 1, |i, _| (i / 2) as f64 * 1e300)),
            at(&[(0, 1.0), (1, 2.0), (9, 3.0)]),
        ),
        (line(20), at(&[(0, 1.0), (1, 2.0)]).into_iter().map(|m| m.variance(1e-300)).collect()),
        (line(20), at(&[(0, 1.0), (0, 2.0)]).into_iter().map(|m| m.variance(1e300)).collect()),
        (line(20), at(&[(2, 1.0), (2, 1e9), (4, -1e9), (4, 3.0)])),
    ];
    for (case, (table, measured)) in cases.iter().enumerate() {
        let space = Space::new(table, None).unwrap();
        for model in [Surrogate::default(), Surrogate::default().robust(StudentT::default())] {
            let fit = model.fit(&space, measured, None).unwrap();
            let mut posterior = fit.posterior(PosteriorOver::Points);
            (0..5).for_each(|_| posterior.measure(id(0)));
            for row in 0..space.points() {
                let reported =
                    fit.outcome().report(posterior.mean(row_of(row)), posterior.deviation(row_of(row)), 2.0);
                let numbers = [
                    posterior.mean(row_of(row)),
                    posterior.variance(row_of(row)),
                    reported.lower,
                    reported.upper,
                ];
                assert!(
                    numbers.iter().all(|number| number.is_finite()),
                    "case {case}, row {row}: {numbers:?}"
                );
            }
        }
    }
}

#[test]
fn wrong_questions_are_refused() {
    let space = Space::new(&table(), None).unwrap();
    let fit =
        |measured: &[Measurement]| Surrogate::default().fit(&space, measured, None).map(|_| ()).unwrap_err();
    assert_eq!(fit(&[]), SurrogateError::NoMeasurements);
    let good = Measurement::new(id(0), 1.0);
    assert!(matches!(
        fit(&[good, Measurement::new(id(14), 1.0)]),
        SurrogateError::UnknownPoint { index: 1, .. }
    ));
    assert!(matches!(fit(&[Measurement::new(id(0), f64::NAN)]), SurrogateError::Outcome { index: 0, .. }));
    for variance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(fit(&[good.variance(variance)]), SurrogateError::Variance { index: 0, .. }));
    }
    let short = Parameters { lengthscales: vec![1.0], ..parameters() };
    let previous = Surrogate::default().fit(&space, &[good], Some(&short)).map(|_| ());
    assert!(matches!(previous, Err(SurrogateError::Parameter { .. })));
    let zero = Parameters { noise: 0.0, ..parameters() };
    assert!(matches!(
        plain().at(&space, &[good], &zero).map(|_| ()),
        Err(SurrogateError::Parameter { what: "the noise", .. })
    ));
}

/// The Matern 5/2 function of a squared distance.
fn matern(squared: f64) -> f64 {
    let s = (5.0 * squared).sqrt();
    (1.0 + s + s * s / 3.0) * (-s).exp()
}

/// Pools drawn from the prior, a third measured: how often 90 % intervals, times `width` of the fit, hold the rows that were
/// not. `fit` is given the space, the measurements and the parameters that made them.
fn coverage(
    pools: u64,
    fit: impl Fn(&Space, &[Measurement], &Parameters) -> Fit,
    width: impl Fn(&Fit) -> f64,
) -> f64 {
    let (rows, measured) = (90, 30);
    let (mut held, mut asked) = (0.0, 0.0);
    for seed in 0..pools {
        let numbers = normals(1000 + seed, rows, 2);
        let table = Columns::numeric(numbers).category((0..rows as u32).map(|i| i % 5).collect());
        let space = Space::new(&table, None).expect("a space");
        let draws = normals(2000 + seed, 1, 5 + rows + 2 * measured);
        let mut draws = draws.row(0).iter();
        let mut normal = || *draws.next().expect("enough draws");
        let logs: Vec<f64> = Priors::default()
            .of_logs(3)
            .iter()
            .map(|prior| prior.mean + prior.deviation * normal())
            .collect();
        let truth = Parameters::from_logs(&logs);
        let covariance = |i, j| {
            let squared: f64 =
                (0..3).map(|g| space.squared_distance(i, j, g) / truth.lengthscales[g].powi(2)).sum();
            let other = space.squared_distance(i, j, 2);
            let own = matern(3.0 * other / truth.lengthscales[2].powi(2));
            0.9 * matern(squared) + 0.2 * own + if i == j { truth.roughness } else { 0.0 }
        };
        let factor = Cholesky::new(Matrix::from_fn(rows, rows, covariance)).expect("positive definite");
        let values = apply_transposed(factor.upper(), &(0..rows).map(|_| normal()).collect::<Vec<_>>());
        // Every third row once, every sixth twice.
        let chosen = (0..rows).filter(|i| i % 3 == 0).chain((0..rows).filter(|i| i % 6 == 0));
        let measurements: Vec<Measurement> =
            chosen.map(|i| Measurement::new(id(i), values[i] + truth.noise.sqrt() * normal())).collect();
        let fit = fit(&space, &measurements, &truth);
        let width = 1.645 * width(&fit);
        let posterior = fit.posterior(PosteriorOver::Points);
        for row in (0..rows).filter(|row| row % 3 != 0) {
            let reported =
                fit.outcome().report(posterior.mean(row_of(row)), posterior.deviation(row_of(row)), width);
            held += f64::from(u8::from(reported.lower <= values[row] && values[row] <= reported.upper));
            asked += 1.0;
        }
    }
    held / asked
}

#[test]
fn ninety_percent_intervals_hold_about_ninety_percent_of_the_rows() {
    // The prior is about outcomes in the model's units, so they are not scaled again.
    let unscaled = Surrogate::default().outcome(OutcomeScale::unchanged(Aim::Maximise));
    let known = coverage(400, |space, data, truth| unscaled.at(space, data, truth).unwrap(), |_| 1.0);
    assert!((0.885..=0.915).contains(&known), "parameters known: {known}");
    let fitted = coverage(400, |space, data, _| unscaled.fit(space, data, None).unwrap(), |_| 1.0);
    assert!((0.83..=0.95).contains(&fitted), "parameters fitted: {fitted}");
    let narrow = coverage(400, |space, data, _| unscaled.fit(space, data, None).unwrap(), |_| 0.8);
    assert!(narrow < 0.80, "intervals a fifth too narrow would not be noticed: {narrow}");
    // Scaled by the spread of the few rows measured, outcomes vary more beyond them than the model takes for granted.
    let scaled = Surrogate::default();
    let learned = coverage(400, |space, data, _| scaled.fit(space, data, None).unwrap(), |_| 1.0);
    let widened =
        coverage(400, |space, data, _| scaled.fit(space, data, None).unwrap(), |fit| fit.widening());
    println!("known {known}, fitted {fitted}, narrow {narrow}, learned {learned}, widened {widened}");
    assert!(learned > 0.8, "outcomes scaled: {learned}");
    assert!((0.87..=0.93).contains(&widened), "outcomes scaled, intervals widened: {widened}");
}

#[test]
fn the_map_of_outcomes_is_learned_from_distinct_rows() {
    let (table, measured) = pool(51, 40, 20);
    let space = Space::new(&table, None).unwrap();
    let mut repeated = measured.clone();
    repeated.extend((0..200).map(|_| measured[0]));
    let map = |measured: &[Measurement]| -> OutcomeScale {
        plain()
            .at(&space, measured, &Parameters { lengthscales: vec![1.0; 4], ..parameters() })
            .unwrap()
            .outcome()
            .clone()
    };
    // Two hundred equal repeats move the average of their own row only.
    assert!((map(&measured).forward(3.0) - map(&repeated).forward(3.0)).abs() < 0.1);
}
