//! Where the ridge needs a norm that nobody gave, a report names the norm that all it says bears: no statement is false while
//! its premises are true.

use elfving::bandit::elimination::Constants;
use elfving::bandit::{Algorithm, Bandit, Goal, Guarantee, Outcome, Question, Report};
use elfving::estimate::{Assumptions, Premise, Tails};
use elfving::numerics::{Cholesky, Matrix};
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

const NOISE: f64 = 0.1;

/// Runs to the end, or to `most` measurements, with normal noise.
fn run(algorithm: Algorithm, question: Question, means: &[f64], most: u64, seed: u64) -> Report {
    let mut bandit = Bandit::new(algorithm.start(question).unwrap()).budget(most);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    while !bandit.finished() {
        for slot in bandit.ask(10_000).unwrap() {
            let noise: f64 = StandardNormal.sample(&mut random);
            bandit.tell(slot.id, Outcome::from(means[slot.point.index()] + NOISE * noise)).unwrap();
        }
    }
    bandit.report()
}

fn borne(report: &Report) -> Option<f64> {
    let norm = |premise: &Premise| match premise {
        Premise::NormBorne { norm } => Some(*norm),
        _ => None,
    };
    report.premises.iter().find_map(norm)
}

/// Whether all that a report says of means, picks and eliminations is so.
fn is_true(report: &Report, means: &[f64]) -> bool {
    let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let pick = means[report.picks[0].index()];
    let in_intervals = report.intervals.iter().all(|one| {
        let mean = means[one.choice.index()];
        one.lower <= mean && mean <= one.upper
    });
    let still_in = report.survivors.iter().any(|id| means[id.index()] == best);
    still_in && in_intervals && report.epsilon.is_none_or(|epsilon| best - pick <= epsilon + 1e-12)
}

/// A report without a norm is true, or names a norm that this function does not have, or promises nothing.
fn check(report: &Report, means: &[f64], norm: f64) -> bool {
    let said = report.to_string();
    assert!(!report.premises.iter().any(|one| matches!(one, Premise::NormUnknown { .. })), "{said}");
    let is_false = !is_true(report, means);
    match (report.guarantee, borne(report)) {
        (Guarantee::Certified, Some(most)) => {
            assert!(most > 0.0 && most.is_finite(), "{said}");
            assert!(said.contains("(not given: this is the most that the verdict bears)"), "{said}");
            assert!(!is_false || norm > most, "false for a norm of {norm}: {said}");
        }
        (Guarantee::Certified, None) => assert!(!is_false, "false, and no norm is named: {said}"),
        _ => {}
    }
    is_false
}

/// Twelve points of an RBF kernel, and a function that is 0.4 at one of them and 0 at the others, with its norm.
fn needle() -> (Pool, Vec<f64>, f64) {
    let points = Points::new(Matrix::from_fn(12, 1, |i, _| i as f64 / 11.0)).unwrap();
    let kernel = |i: usize, j: usize| {
        let distance = (i as f64 - j as f64) / 11.0;
        (-distance * distance / (2.0 * 0.3f64.powi(2))).exp()
    };
    let pool = Pool::from_kernel(Arc::new(Rbf::new(0.3).unwrap()), points, None, &Factorisation::default());
    let means: Vec<f64> = (0..12).map(|i| if i == 6 { 0.4 } else { 0.0 }).collect();
    let factor = Cholesky::new(Matrix::from_fn(12, 12, kernel)).unwrap();
    let mut solved = means.clone();
    factor.solve(&mut solved);
    let norm = means.iter().zip(&solved).map(|(a, b)| a * b).sum::<f64>().sqrt();
    (pool.unwrap(), means, norm)
}

fn assumed(tails: Tails) -> Assumptions {
    Assumptions::new(NOISE).unwrap().bound(1.0).unwrap().tails(tails)
}

#[test]
fn a_needle_is_not_denied_for_functions_of_every_norm() {
    let (pool, means, norm) = needle();
    let mut false_otherwise = 0;
    for tails in [Tails::SubGaussian, Tails::BoundedVariance] {
        let question = |seed| {
            let goal = Goal::Best { epsilon: 0.2 };
            Question::new(pool.clone(), assumed(tails), goal).unwrap().seed(seed)
        };
        let named = if tails == Tails::SubGaussian {
            Algorithm::PtrBest(Constants::Certified)
        } else {
            Algorithm::RipsBest(Constants::Certified)
        };
        for seed in 0..4 {
            for algorithm in [named, Algorithm::auto(&question(seed)).0] {
                let report = run(algorithm, question(seed), &means, 200_000, seed);
                false_otherwise += usize::from(check(&report, &means, norm));
            }
        }
    }
    assert!(false_otherwise > 0, "the case shows nothing: no statement would be false");
}

#[test]
fn regret_names_the_norm_that_its_eliminations_bear() {
    // The second is worth 0.96 by a large coefficient on a small feature: the ridge hides it.
    let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.004]])).unwrap();
    let (means, norm) = ([0.5, 0.004 * 240.0], 0.5f64.hypot(240.0));
    let mut false_otherwise = 0;
    for (tails, named, horizon) in [
        (Tails::SubGaussian, Algorithm::PtrRegret(Constants::Certified), 20_000),
        (Tails::BoundedVariance, Algorithm::RipsRegret(Constants::Certified), 60_000),
    ] {
        for seed in 0..5 {
            let question = || {
                let goal = Goal::Regret { horizon: Some(horizon) };
                Question::new(pool.clone(), assumed(tails), goal).unwrap().seed(seed)
            };
            for algorithm in [named, Algorithm::auto(&question()).0] {
                let report = run(algorithm, question(), &means, horizon, seed);
                false_otherwise += usize::from(check(&report, &means, norm));
            }
        }
    }
    assert!(false_otherwise > 0, "the case shows nothing: no statement would be false");
}

#[test]
fn means_outside_the_bound_withdraw_the_verdict() {
    let pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let question = |bound: f64| {
        let assumed = Assumptions::new(NOISE).unwrap().bound(bound).unwrap().tails(Tails::BoundedVariance);
        Question::new(pool.clone(), assumed.norm(300.0).unwrap(), Goal::Best { epsilon: 0.5 }).unwrap()
    };
    // Outcomes in percent, a bound for shares.
    let means = [70.0, 65.0, 60.0];
    for (bound, guarantee) in [(1.0, Guarantee::Withdrawn), (100.0, Guarantee::Certified)] {
        let report = run(Algorithm::RipsBest(Constants::Certified), question(bound), &means, 100_000, 3);
        assert_eq!(report.guarantee, guarantee, "{report}");
        assert_eq!(report.to_string().contains("the data refute what is assumed"), bound == 1.0, "{report}");
    }
}

#[test]
fn several_rounds_are_fixed_one_by_one() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let assumed = assumed(Tails::SubGaussian).norm(1.0).unwrap();
    let question = Question::new(pool, assumed, Goal::Best { epsilon: 0.0 }).unwrap();
    let report =
        run(Algorithm::PtrBest(Constants::Certified), question, &[0.1, 0.5, -0.3, 0.4], 1_000_000, 1);
    assert!(report.rounds > 1);
    let said = report.to_string();
    let each = format!("in {} rounds) were fixed before their outcomes were seen", report.rounds);
    assert!(said.contains("- each round's measurements (") && said.contains(&each), "{said}");
}

#[test]
fn outcomes_whose_squares_overflow_are_refused_by_name() {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let assumed = assumed(Tails::SubGaussian).norm(3.0).unwrap();
    let algorithms = [
        Algorithm::EllipsoidBest,
        Algorithm::PtrBest(Constants::Certified),
        Algorithm::RipsBest(Constants::Certified),
    ];
    for algorithm in algorithms {
        let question = Question::new(pool.clone(), assumed.clone(), Goal::Best { epsilon: 0.2 }).unwrap();
        let mut bandit = Bandit::new(algorithm.start(question).unwrap());
        let slot = bandit.ask(6).unwrap()[0].id;
        for large in [1e151, -1e308, f64::MAX] {
            let refused = bandit.tell(slot, Outcome::from(large)).unwrap_err().to_string();
            assert!(refused.contains("larger than 1e150"), "{refused}");
        }
        bandit.tell(slot, Outcome::from(1e3)).unwrap();
    }
    assert!(Assumptions::new(0.1).unwrap().norm(1e300).is_err());
}
