//! One theorem: witnesses need fewer measurements, wrong assumptions are refuted, right ones are not.

use crate::rbf100;

use elfving::bandit::{
    Bandit, EllipsoidBest, EllipsoidMap, Goal, Guarantee, Outcome, Plan, Policy, Question, Reading, Report,
    TheoremName,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{PointId, Pool};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A pool and its truth, with what is assumed and what is so.
struct World {
    pool: Pool,
    means: Vec<f64>,
    assumed: Assumptions,
    sigma: f64,
}

fn light(sigma: f64, norm: f64) -> Assumptions {
    Assumptions::new(sigma).unwrap().tails(Tails::SubGaussian).norm(norm).unwrap()
}

/// A grid of 7 x 7 on [-1, 1]², the intercept and both columns as features.
fn plane(mean: impl Fn(f64, f64) -> f64, assumed: Assumptions, sigma: f64) -> World {
    let at = |i: usize| (f64::from(i as u32 % 7) / 3.0 - 1.0, f64::from(i as u32 / 7) / 3.0 - 1.0);
    let features = Matrix::from_fn(49, 3, |i, j| [1.0, at(i).0, at(i).1][j]);
    let means = (0..49).map(|i| mean(at(i).0, at(i).1)).collect();
    World { pool: Pool::from_features(features).unwrap(), means, assumed, sigma }
}

impl World {
    fn question(&self, goal: Goal) -> Question {
        Question::new(self.pool.clone(), self.assumed.clone(), goal).unwrap()
    }

    /// Measures in batches of 6 until it stops or has `most`, looking after each batch.
    fn run(&self, mut bandit: Bandit, seed: u64, most: u64, mut look: impl FnMut(&Report)) -> Report {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        while !bandit.finished() && bandit.report().samples < most {
            for slot in bandit.ask(6).unwrap() {
                let noise: f64 = StandardNormal.sample(&mut random);
                let outcome = self.means[slot.point.index()] + self.sigma * noise;
                bandit.tell(slot.id, Outcome::from(outcome)).unwrap();
            }
            look(&bandit.report());
        }
        bandit.report()
    }

    fn best(&self, epsilon: f64) -> Bandit {
        Bandit::new(Box::new(EllipsoidBest::new(self.question(Goal::Best { epsilon })).unwrap()))
    }
}

fn refuted(report: &Report) -> bool {
    report.data_check.as_ref().is_some_and(|check| check.refuted)
}

#[test]
fn witnesses_need_two_thirds_of_the_measurements_of_one_ridge() {
    let world = World {
        pool: rbf100::pool(),
        means: rbf100::MEANS.to_vec(),
        assumed: light(0.1, rbf100::NORM),
        sigma: 0.1,
    };
    let samples = |theorem| -> u64 {
        let each = (0..4).map(|seed| {
            let question = world.question(Goal::Best { epsilon: 1.0 / 32.0 }).theorem(theorem);
            let report =
                world.run(Bandit::new(Box::new(EllipsoidBest::new(question).unwrap())), seed, 2000, |_| {});
            let gap = 1.0 - rbf100::MEANS[report.picks[0].index()];
            assert!(gap <= report.epsilon.unwrap(), "{gap} {:?}", report.epsilon);
            report.samples
        });
        each.sum()
    };
    let (witnesses, one_ridge) = (samples(TheoremName::Witnesses), samples(TheoremName::OneRidge));
    assert!(3 * witnesses <= 2 * one_ridge, "{witnesses} {one_ridge}");
}

#[test]
fn a_class_that_is_wrong_is_refuted_by_two_dozen_measurements_and_its_verdict_withdrawn() {
    // A hill: no plane is like it. Measured at random, two at a time.
    let hill = |x: f64, y: f64| 10.0 * (-(x * x + y * y) / 0.3).exp();
    let world = plane(hill, light(0.5, 12.0), 0.5);
    let mut needed = Vec::new();
    for seed in 0..5 {
        let mut policy = EllipsoidBest::new(world.question(Goal::Best { epsilon: 0.5 })).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut at = None;
        for round in 1..=40 {
            let points = [(); 2].map(|()| (random.next_u64() % 49) as usize);
            let outcomes = points.map(|point| {
                let noise: f64 = StandardNormal.sample(&mut random);
                Reading::from(world.means[point] + world.sigma * noise)
            });
            let plan = Plan::chosen(round, points.map(PointId::new).to_vec());
            let decision = policy.learn(&plan, &outcomes).unwrap();
            policy.apply(&decision);
            let report = policy.report();
            if refuted(&report) && at.is_none() {
                at = Some(report.samples);
            }
            if at.is_some() {
                assert!(refuted(&report), "once refuted, always refuted");
                assert_eq!((report.guarantee, report.epsilon), (Guarantee::Withdrawn, None));
                assert_eq!(report.survivors.len(), 49, "nobody is out by a proof that fell");
                assert!(report.to_string().contains("the verdict is withdrawn"), "{report}");
            }
        }
        needed.push(at.expect("refuted"));
    }
    needed.sort_unstable();
    assert!(needed[2] <= 48, "{needed:?}");
}

#[test]
fn a_sigma_that_is_a_third_of_the_truth_is_refuted() {
    let world = plane(|x, y| 1.0 + x - 0.5 * y, light(0.1, 3.0), 0.3);
    for seed in 0..5 {
        let goal = Goal::Map { epsilon: 0.0 };
        let bandit = Bandit::new(Box::new(EllipsoidMap::new(world.question(goal)).unwrap()));
        let report = world.run(bandit, seed, 60, |_| {});
        assert!(refuted(&report), "{:?}", report.data_check);
        assert_eq!((report.guarantee, report.epsilon), (Guarantee::Withdrawn, None));
    }
}

#[test]
fn a_norm_that_is_a_tenth_of_the_truth_is_refuted() {
    let world = plane(|x, y| 5.0 + 3.0 * x - 2.0 * y, light(0.2, 0.6), 0.2);
    let report = world.run(world.best(0.1), 0, 60, |_| {});
    assert!(refuted(&report), "{:?}", report.data_check);
}

#[test]
fn right_assumptions_are_refuted_no_more_often_than_delta() {
    // |theta| = S and sigma exact, the sharpest that can be stated; delta = 0.3.
    let world = plane(|x, y| 0.6 + 0.6 * x - 0.53 * y, light(0.3, 1.0), 0.3);
    let runs = 60;
    let delta = elfving::units::Confidence::new(0.3).unwrap();
    let wrong = (0..runs).filter(|&seed| {
        let question = world.question(Goal::Best { epsilon: 0.0 }).delta(delta);
        let mut ever = false;
        let bandit = Bandit::new(Box::new(EllipsoidBest::new(question).unwrap()));
        world.run(bandit, seed, 90, |report| ever |= refuted(report));
        ever
    });
    // 30 of 60 has a probability below 0.001 at 0.3.
    let wrong = wrong.count();
    assert!(wrong < 30, "{wrong} of {runs}");
}

#[test]
fn bounds_stay_within_the_ball() {
    let world = plane(|x, y| 0.6 + 0.6 * x - 0.53 * y, light(0.3, 1.0), 0.3);
    world.run(world.best(0.05), 1, 60, |report| {
        for interval in &report.intervals {
            let length =
                elfving::numerics::norm_squared(world.pool.choices().row(interval.choice.index())).sqrt();
            assert!(interval.upper <= length + 1e-9 && interval.lower >= -length - 1e-9);
            assert!(interval.lower <= interval.estimate && interval.estimate <= interval.upper);
        }
    });
}
