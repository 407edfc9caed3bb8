//! What an answer will cost: closed forms on orthonormal candidates, other units, and the algorithms themselves.

use elfving::bandit::{Algorithm, Bandit, Goal, Outcome, Question, elimination::Constants};
use elfving::estimate::Tails;
use elfving::numerics::Matrix;
use elfving::units::Confidence;
use elfving_problem::forecast::{Forecast, ForecastRequest, Needed};
use elfving_problem::{AssumptionSpec, Dataset, Model, ProblemError};
use proptest::prelude::*;

fn identity(n: usize) -> Dataset {
    Dataset::from_arrays(Matrix::identity(n), None, None, None, None, Model::Linear, 0).unwrap()
}

fn assumed(sigma: f64, bound: f64) -> AssumptionSpec {
    AssumptionSpec { sigma: Some(sigma), tails: Tails::SubGaussian, bound: Some(bound), ..Default::default() }
}

fn request(assumptions: AssumptionSpec, epsilon: f64) -> ForecastRequest {
    ForecastRequest { repetitions: 1, ..ForecastRequest::new(assumptions, epsilon) }
}

/// The measurements that an algorithm takes at worst.
fn worst(forecast: &Forecast, algorithm: &str) -> u64 {
    let plan = forecast.algorithms.iter().find(|plan| plan.algorithm == algorithm).unwrap();
    plan.worst_case.as_ref().unwrap().samples
}

#[test]
fn orthonormal_candidates_have_closed_forms() {
    for n in [2usize, 3, 5] {
        let gap = 0.5;
        let means: Vec<f64> = (0..n).map(|i| if i == 1 { gap } else { 0.0 }).collect();
        let mut request = request(assumed(0.1, 1.0), 0.2);
        request.means = Some(means);
        let forecast = request.forecast(&identity(n)).unwrap();
        assert_eq!((forecast.n, forecast.choices, forecast.dimension), (n, n, n));
        // max 1/λ_i + 1/λ_j is least at equal weights: 2n, a little less with the ridge of the planner.
        let f = forecast.f_differences / (2 * n) as f64;
        assert!((1.0 - 1e-3..1.0 + 2e-3).contains(&f), "{n}: {}", forecast.f_differences);
        // Equal gaps: ρ* = (1 + √(n-1))²/Δ², T* = 2ρ*, and T* σ² log(1/2.4δ) measurements.
        let time = 2.0 * (1.0 + ((n - 1) as f64).sqrt()).powi(2) / (gap * gap);
        let least = time * 0.1 * 0.1 * (1.0 / (2.4 * 0.05f64)).ln();
        let found = forecast.lower_bound.unwrap();
        assert!((1.0 - 3e-3..1.0 + 1e-9).contains(&(found / least)), "{n}: {found}, not {least}");
        assert_eq!(forecast.suggested_gamma, None, "explicit features without a norm need no ridge");
        assert_eq!(forecast.simulated_truth, "guess");
    }
}

#[test]
fn the_worst_case_is_the_sum_of_its_rounds_and_the_row_of_its_own_epsilon() {
    let forecast = request(assumed(0.2, 1.0), 0.1).forecast(&identity(3)).unwrap();
    for (algorithm, row) in [
        ("rips-best", forecast.by_epsilon.iter().find(|row| row.epsilon == 0.1).unwrap().rips_best),
        ("ptr-best", forecast.by_epsilon.iter().find(|row| row.epsilon == 0.1).unwrap().ptr_best),
    ] {
        let plan = forecast.algorithms.iter().find(|plan| plan.algorithm == algorithm).unwrap();
        let worst = plan.worst_case.as_ref().unwrap();
        assert!(worst.reached);
        assert_eq!(worst.samples, worst.rounds.iter().map(|round| round.samples).sum::<u64>());
        assert_eq!(row, Some(worst.samples), "{algorithm}");
    }
    let costs: Vec<u64> = forecast.by_epsilon.iter().map(|row| row.ptr_best.unwrap()).collect();
    assert!(costs.is_sorted() && costs[0] < costs[4], "a smaller epsilon costs more: {costs:?}");
}

#[test]
fn what_is_not_assumed_is_named() {
    let nothing = AssumptionSpec { sigma: Some(0.1), norm: Some(1.0), ..AssumptionSpec::default() };
    let forecast = request(nothing, 0.5).forecast(&identity(2)).unwrap();
    let missing: Vec<(&str, &[Needed])> =
        forecast.algorithms.iter().map(|plan| (plan.algorithm, plan.missing.as_slice())).collect();
    assert_eq!(
        missing,
        [
            ("ellipsoid-best", &[Needed::SubGaussian][..]),
            ("rips-best", &[Needed::Bound][..]),
            ("ptr-best", &[Needed::SubGaussian][..]),
        ]
    );
    assert!(forecast.by_batch.is_empty() && forecast.lower_bound.is_none());
    let no_sigma = AssumptionSpec { sigma: None, ..assumed(0.1, 1.0) };
    for wrong in [request(assumed(0.1, 1.0), f64::NAN), request(no_sigma, 0.1)] {
        assert!(matches!(wrong.forecast(&identity(2)), Err(ProblemError::Setting { .. })));
    }
    let mut short = request(assumed(0.1, 1.0), 0.1);
    short.means = Some(vec![1.0]);
    assert!(short.forecast(&identity(2)).is_err(), "a guess has one number per candidate");
}

/// The algorithms themselves, where nothing can be eliminated: all means equal, no noise at all in the outcomes.
#[test]
fn no_run_takes_more_than_the_worst_case() {
    let dataset = identity(4);
    let (spec, epsilon) = (assumed(0.2, 1.0), 0.15);
    let forecast = request(spec, epsilon).forecast(&dataset).unwrap();
    for algorithm in [Algorithm::RipsBest(Constants::Certified), Algorithm::PtrBest(Constants::Certified)] {
        let pool = (*dataset.build(0.0, 1e-6).unwrap()).clone();
        let question = Question::new(pool, spec.assumptions().unwrap(), Goal::Best { epsilon }).unwrap();
        let question = question.delta(Confidence::new(0.05).unwrap()).seed(3);
        let mut bandit = Bandit::new(algorithm.start(question).unwrap());
        while !bandit.finished() {
            for slot in bandit.ask(1000).unwrap() {
                bandit.tell(slot.id, Outcome::from(0.3)).unwrap();
            }
        }
        let (taken, planned) = (bandit.report().samples, worst(&forecast, algorithm.name()));
        assert!(taken <= planned, "{}: {taken} > {planned}", algorithm.name());
        // Nothing was eliminated, so that the worst case is what happened, up to the rounding of designs.
        assert!(taken * 10 >= planned * 8, "{}: {taken} of {planned}", algorithm.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Counts have no unit: in other units of the outcome they are the same. Powers of two, so that nothing rounds.
    #[test]
    fn counts_do_not_depend_on_the_unit(
        rows in prop::collection::vec(prop::array::uniform2(-1.0f64..1.0), 4..8),
        power in -3i32..4,
    ) {
        let unit = 2f64.powi(power);
        let features = Matrix::from_fn(rows.len() + 2, 2, |i, k| match i {
            0 | 1 => f64::from(u8::from(i == k)),
            i => rows[i - 2][k],
        });
        let dataset = Dataset::from_arrays(features, None, None, None, None, Model::Linear, 0).unwrap();
        let plain = request(assumed(0.25, 1.0), 0.25).forecast(&dataset).unwrap();
        let scaled = request(assumed(0.25 * unit, unit), 0.25 * unit).forecast(&dataset).unwrap();
        for algorithm in ["rips-best", "ptr-best"] {
            prop_assert_eq!(worst(&plain, algorithm), worst(&scaled, algorithm), "{}", algorithm);
        }
        for (a, b) in plain.by_epsilon.iter().zip(&scaled.by_epsilon) {
            prop_assert_eq!((a.rips_best, a.ptr_best), (b.rips_best, b.ptr_best));
        }
        prop_assert!((plain.f_differences / scaled.f_differences - 1.0).abs() < 1e-9);
    }
}
