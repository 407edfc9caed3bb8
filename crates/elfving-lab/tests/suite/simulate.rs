//! The simulator: worlds keep their promises, and wrong answers are counted.

use elfving::bandit::{
    BanditError, Decision, Goal, Next, Plan, Policy, Question, Reading, Reason, Report, Status, Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::{ChoiceId, PointId, Pool};
use elfving::units::Confidence;
use elfving_lab::baselines::Baseline;
use elfving_lab::simulate::{
    Environment, Law, LawName, RkhsFunction, Simulation, SimulationError, checkpoints,
};

/// Measures point 0 a few times, then says that these picks reach the goal.
struct Stubborn {
    goal: Goal,
    picks: Vec<usize>,
    floor: Option<f64>,
    reason: Reason,
    samples: u64,
}

impl Policy for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }
    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        let batch = wanted.batch;
        Ok(match self.samples {
            0..5 => Next::Measure(Plan::chosen(1, vec![PointId::new(0); batch])),
            _ => Next::Stop(self.reason),
        })
    }
    fn learn(&mut self, _: &Plan, outcomes: &[Reading]) -> Result<Decision, BanditError> {
        self.samples += outcomes.len() as u64;
        Ok(Decision::keep(1, vec![]))
    }
    fn apply(&mut self, _: &Decision) {}
    fn report(&self) -> Report {
        let picks: Vec<ChoiceId> = self.picks.iter().map(|&i| ChoiceId::new(i)).collect();
        Report {
            status: if self.samples < 5 { Status::Measuring } else { Status::Finished(self.reason) },
            survivors: picks.clone(),
            picks,
            floor: self.floor,
            rounds: self.samples,
            samples: self.samples,
            ..Report::open(self.name(), self.goal, Confidence::new(0.05).unwrap())
        }
    }
}

/// Whether the answer counts as wrong where the means are 0.9, 0.8, 0.5 and 0.
fn wrong(goal: Goal, picks: &[usize], reason: Reason, floor: Option<f64>) -> bool {
    let world = Environment::new(vec![0.9, 0.8, 0.5, 0.0]).unwrap();
    let policy = |_| {
        let picks = picks.to_vec();
        Ok(Box::new(Stubborn { goal, picks, floor, reason, samples: 0 }) as Box<dyn Policy>)
    };
    let runs = Simulation::new(50).repeats(2).run(&world, policy).unwrap();
    assert!(runs.runs.iter().all(|run| run.stopped() && run.samples == 5));
    runs.error_rate().mean == 1.0
}

#[test]
fn an_answer_is_wrong_when_it_is_worse_than_promised() {
    let best = Goal::Best { epsilon: 0.15 };
    assert!(!wrong(best, &[0], Reason::Reached, None) && !wrong(best, &[1], Reason::Reached, None));
    assert!(wrong(best, &[2], Reason::Reached, None));
    // A floor excuses an answer that ended there, and no other.
    assert!(!wrong(best, &[2], Reason::Floor, Some(0.5)) && wrong(best, &[2], Reason::Reached, Some(0.5)));
    let top = Goal::Top { count: 2, epsilon: 0.1 };
    assert!(!wrong(top, &[1, 0], Reason::Reached, None));
    assert!(wrong(top, &[0, 2], Reason::Reached, None) && wrong(top, &[0], Reason::Reached, None));
    let good = Goal::AllGood { epsilon: 0.2 };
    assert!(!wrong(good, &[0, 1], Reason::Reached, None) && !wrong(good, &[0, 1, 2], Reason::Reached, None));
    assert!(wrong(good, &[0], Reason::Reached, None) && wrong(good, &[0, 1, 3], Reason::Reached, None));
}

/// The average of many measurements of one point.
fn average(world: &Environment, point: usize) -> f64 {
    let mut random = stream(3, 0, Purpose::new("test"));
    (0..20_000).map(|_| world.measure(PointId::new(point), &mut random)).sum::<f64>() / 20_000.0
}

#[test]
fn what_is_measured_has_the_mean_that_is_promised() {
    let records = vec![vec![1.0, 1.4], vec![-2.0, 0.0, 5.0]];
    let worlds = [
        Environment::new(vec![0.2, -0.7]).unwrap().noise(Law::Uniform, 0.5).unwrap(),
        Environment::new(vec![0.2, 0.7]).unwrap().bernoulli().unwrap(),
        Environment::repeats(records).unwrap(),
    ];
    for world in worlds {
        for world in [world.clone(), world.misspecified(0.15, 4).unwrap()] {
            for point in 0..2 {
                let (found, mean) = (average(&world, point), world.means()[point]);
                // Five standard errors of the widest of them.
                assert!((found - mean).abs() < 0.11, "{world:?}: {found} for {mean}");
            }
        }
    }
    let coin = Environment::new(vec![0.1, 0.5]).unwrap().bernoulli().unwrap();
    assert!(matches!(coin.misspecified(0.6, 1), Err(SimulationError::Value { .. })));
}

#[test]
fn a_random_function_has_the_norm_asked_for() {
    let pool = Pool::from_features(Matrix::identity(4)).unwrap();
    let function = RkhsFunction::random(&pool, 3, 2.5, 9).unwrap();
    let norm = function.means.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((norm - 2.5).abs() < 1e-12);
    assert!(RkhsFunction::random(&pool, 3, f64::NAN, 9).is_err());
}

#[test]
fn checkpoints_are_different_ascending_and_end_at_the_budget() {
    for budget in [1, 2, 7, 2_000, 100_000] {
        let points = checkpoints(budget, 40);
        assert!(points.windows(2).all(|pair| pair[0] < pair[1]) && points.len() <= 40);
        assert_eq!(points.last(), Some(&budget));
    }
}

#[test]
fn a_policy_on_another_pool_is_refused() {
    let question = Question::new(
        Pool::from_features(Matrix::identity(3)).unwrap(),
        Assumptions::new(0.1).unwrap(),
        Goal::Regret { horizon: Some(30) },
    );
    let question = question.unwrap();
    let policy = |seed| Baseline::Random.start(question.clone().seed(seed));
    let run = Simulation::new(30).run(&Environment::new(vec![0.1, 0.2]).unwrap(), policy);
    assert!(matches!(run, Err(SimulationError::OtherPool { .. })));
}

/// What is assumed holds: light noise has the exponential moments of a normal law with the σ that is named, heavy noise
/// has the variance.
#[test]
fn the_noise_level_of_a_world_is_true_of_its_outcomes() {
    let means = vec![0.3, 0.6];
    let world = || Environment::new(means.clone()).unwrap();
    let law = |name: &str| name.parse::<LawName>().unwrap().law(None).unwrap();
    let noisy = |name| world().noise(law(name), 0.7).unwrap();
    let records = vec![vec![0.1, 0.9, 0.4], vec![0.6]];
    let worlds = [
        (noisy("normal"), 0.7, Tails::SubGaussian),
        (noisy("uniform"), 0.7, Tails::SubGaussian),
        (noisy("rademacher"), 0.7, Tails::SubGaussian),
        (noisy("student-t"), 0.7, Tails::BoundedVariance),
        (noisy("pareto"), 0.7, Tails::BoundedVariance),
        (noisy("two-point"), 0.7, Tails::BoundedVariance),
        (world().sigma_at(Law::Normal, vec![0.2, 0.4]).unwrap(), 0.4, Tails::SubGaussian),
        (world().bernoulli().unwrap(), 0.5, Tails::SubGaussian),
        (Environment::repeats(records).unwrap(), 0.4, Tails::SubGaussian),
    ];
    for (world, sigma, tails) in worlds {
        let level = world.noise_level();
        assert!((level.0 - sigma).abs() < 1e-15 && level.1 == tails, "{world:?}: {level:?}");
        let mut random = stream(5, 0, Purpose::new("test"));
        for point in 0..2 {
            let id = PointId::new(point);
            let draws: Vec<f64> = (0..20_000).map(|_| world.measure(id, &mut random)).collect();
            let about = |x: &f64| x - world.means()[point];
            if tails == Tails::SubGaussian {
                for s in [-2.0, -1.0, 1.0, 2.0] {
                    let moment = draws.iter().map(|x| (s * about(x)).exp()).sum::<f64>() / draws.len() as f64;
                    assert!(
                        moment < 1.08 * (s * s * sigma * sigma / 2.0f64).exp(),
                        "{world:?}: {s} {moment}"
                    );
                }
            }
        }
    }
    assert_eq!(world().choices(vec![-2.0]).unwrap().largest_mean(), 2.0);
}
