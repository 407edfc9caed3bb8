//! The confidence ellipsoid: what it needs on a known pool, and that every word of its reports holds.

#[path = "support/rbf100.rs"]
mod rbf100;

use elfving::bandit::{
    Bandit, BanditError, EllipsoidBest, EllipsoidRegret, Goal, Outcome, Policy, Question, Reason, Report,
    Status,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::linalg::Matrix;
use elfving::pool::{PointId, Pool};
use elfving::rounding::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

fn light(sigma: f64, norm: f64) -> Assumptions {
    Assumptions::new(sigma).unwrap().norm(norm).unwrap().tails(Tails::SubGaussian)
}

fn normal(t: u64, seed: u64) -> f64 {
    StandardNormal.sample(&mut stream(seed, t, Purpose::new("test-noise")))
}

/// Asks and tells until the policy stops, or for `most` measurements.
fn play(
    policy: Box<dyn Policy>,
    batch: usize,
    most: u64,
    mut measure: impl FnMut(usize, u64) -> f64,
) -> Report {
    let mut bandit = Bandit::new(policy);
    let mut told = 0;
    while !bandit.finished() && told < most {
        for slot in bandit.ask(batch).unwrap() {
            bandit.tell(slot.id, Outcome::Value(measure(slot.point.index(), slot.id.number()))).unwrap();
            told += 1;
        }
    }
    bandit.report()
}

fn rbf_campaign(epsilon: f64, seed: u64) -> Report {
    let question = Question::new(rbf100::pool(), light(0.1, rbf100::NORM), Goal::Best { epsilon }).unwrap();
    let policy = EllipsoidBest::new(question).unwrap();
    play(Box::new(policy), 10, 3_000, |point, t| rbf100::MEANS[point] + 0.1 * normal(t, seed))
}

#[test]
fn the_smooth_pool_is_certified_within_a_laboratorys_budget() {
    for (epsilon, most) in [(1.0 / 8.0, 50.0), (1.0 / 16.0, 90.0), (1.0 / 64.0, 400.0)] {
        let mut samples = Vec::new();
        for seed in 0..20 {
            let report = rbf_campaign(epsilon, seed);
            assert_eq!(report.status, Status::Finished(Reason::Reached));
            assert!(report.epsilon.unwrap() <= epsilon);
            assert!(report.survivors.contains(&PointId::new(rbf100::BEST)), "seed {seed}");
            assert!(rbf100::MEANS[rbf100::BEST] - rbf100::MEANS[report.picks[0].index()] <= epsilon);
            samples.push(report.samples as f64);
        }
        let mean = samples.iter().sum::<f64>() / 20.0;
        println!("epsilon {epsilon}: {mean} on average, {:?}", samples);
        assert!(mean <= most, "epsilon {epsilon}: {mean}");
    }
    println!("{}", rbf_campaign(1.0 / 16.0, 0));
}
