//! The runner: a policy asks, the environment answers, again and again.

use super::{Environment, Run, Runs, SimulationError};
use elfving::bandit::{Bandit, BanditError, Goal, Outcome, Policy, Reason, Report, Status};
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;
use rayon::prelude::*;

const OUTCOMES: Purpose = Purpose::new("outcomes");
const POLICY: Purpose = Purpose::new("policy-seed");
/// Points of a curve, unless they are given.
const CHECKPOINTS: usize = 40;

/// How a policy is tried out. Settings with their defaults:
///
/// | setter | default | meaning |
/// |---|---|---|
/// | [`new`](Self::new) | required | measurements of one run, at most |
/// | [`batch`](Self::batch) | 1 | measurements asked for at once |
/// | [`repeats`](Self::repeats) | 20 | repetitions |
/// | [`seed`](Self::seed) | 0 | of noise and policies |
/// | [`checkpoints`](Self::checkpoints) | 40, evenly spaced in the logarithm | where the curves have their points |
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    pub(super) budget: u64,
    pub(super) batch: usize,
    pub(super) repeats: usize,
    pub(super) seed: u64,
    checkpoints: Vec<u64>,
}

impl Simulation {
    /// Runs of at most `budget` measurements.
    pub fn new(budget: u64) -> Self {
        Self { budget, batch: 1, repeats: 20, seed: 0, checkpoints: checkpoints(budget, CHECKPOINTS) }
    }

    /// Measurements asked for at once.
    #[must_use]
    pub fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// Repetitions, each with its own noise and its own seed for the policy.
    #[must_use]
    pub fn repeats(mut self, repeats: usize) -> Self {
        self.repeats = repeats;
        self
    }

    /// The seed. Two policies with the same seed meet the same noise, measurement by measurement.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// After how many measurements the curves have their points, in ascending order.
    #[must_use]
    pub fn checkpoints(mut self, checkpoints: Vec<u64>) -> Self {
        self.checkpoints = checkpoints;
        self
    }

    /// Runs the policy that `policy` builds from a seed, all repetitions in parallel. The result does not depend on the
    /// number of threads.
    ///
    /// # Errors
    /// [`SimulationError::Zero`], [`SimulationError::OtherPool`], and what the policy finds.
    pub fn run<F>(&self, environment: &Environment, policy: F) -> Result<Runs, SimulationError>
    where
        F: Fn(u64) -> Result<Box<dyn Policy>, BanditError> + Sync,
    {
        self.run_watched(environment, policy, &|| {})
    }

    /// [`Simulation::run`], which calls `finished` after every repetition.
    ///
    /// # Errors
    /// As [`Simulation::run`].
    pub fn run_watched<F>(
        &self,
        environment: &Environment,
        policy: F,
        finished: &(dyn Fn() + Sync),
    ) -> Result<Runs, SimulationError>
    where
        F: Fn(u64) -> Result<Box<dyn Policy>, BanditError> + Sync,
    {
        let positive =
            |what, number: u64| if number > 0 { Ok(()) } else { Err(SimulationError::Zero { what }) };
        positive("the budget", self.budget)?;
        positive("the batch", self.batch as u64)?;
        positive("the number of repetitions", self.repeats as u64)?;
        let one = |repetition: usize| {
            let policy = policy(stream(self.seed, repetition as u64, POLICY).next_u64())?;
            let run = self.one(environment, policy, repetition as u64);
            finished();
            run
        };
        let runs: Vec<Run> = (0..self.repeats).into_par_iter().map(one).collect::<Result<_, _>>()?;
        Ok(Runs { checkpoints: self.checkpoints.clone(), runs })
    }

    /// One repetition: ask, measure, tell, until the budget is spent or the policy stops.
    fn one(
        &self,
        environment: &Environment,
        policy: Box<dyn Policy>,
        repetition: u64,
    ) -> Result<Run, SimulationError> {
        let mut bandit = Bandit::new(policy);
        let mut random = stream(self.seed, repetition, OUTCOMES);
        let mut curves = Curves::new(&self.checkpoints, environment);
        let mut samples = 0;
        while samples < self.budget {
            let slots = bandit.ask(self.batch.min((self.budget - samples) as usize))?;
            if slots.is_empty() {
                break;
            }
            for slot in slots {
                if slot.point.index() >= environment.points() {
                    return Err(SimulationError::OtherPool { id: slot.point, points: environment.points() });
                }
                bandit.tell(slot.id, Outcome::from(environment.measure(slot.point, &mut random)))?;
                samples += 1;
                curves.measured(samples, slot.point, || bandit.report());
            }
        }
        let report = bandit.report();
        let wrong = is_wrong(environment, &report);
        let (regret, simple_regret) = curves.finish(&report);
        Ok(Run { regret, simple_regret, samples, rounds: report.rounds, status: report.status, wrong })
    }
}

/// Whether a finished answer breaks its promise: ε when the goal was reached, else ε or the floor, whichever is larger.
fn is_wrong(environment: &Environment, report: &Report) -> bool {
    let (Status::Finished(reason), Some(epsilon)) = (report.status, report.goal.epsilon()) else {
        return false;
    };
    let promised = match reason {
        Reason::Reached => epsilon,
        _ => epsilon.max(report.floor.unwrap_or(0.0)),
    };
    let allowed = promised * (1.0 + 1e-9);
    let gaps = environment.gaps();
    let mut sorted = gaps.clone();
    sorted.sort_by(f64::total_cmp);
    let worst = report.picks.iter().map(|pick| gaps[pick.index()]).fold(0.0, f64::max);
    match report.goal {
        Goal::Best { .. } => worst > allowed,
        Goal::Top { count, .. } => report.picks.len() != count || worst > sorted[count - 1] + allowed,
        Goal::AllGood { .. } => {
            let picked = |i: usize| report.picks.iter().any(|pick| pick.index() == i);
            worst > 2.0 * allowed || (0..gaps.len()).any(|i| gaps[i] <= epsilon && !picked(i))
        }
        Goal::Map { .. } => report.intervals.iter().any(|interval| {
            (interval.estimate - environment.choice_means()[interval.choice.index()]).abs() > allowed
        }),
        Goal::Regret { .. } => false,
    }
}

/// The curves of a run, filled checkpoint by checkpoint.
struct Curves<'a> {
    checkpoints: &'a [u64],
    gaps: Vec<f64>,
    losses: Vec<f64>,
    cumulative: f64,
    regret: Vec<f64>,
    simple_regret: Vec<f64>,
}

impl<'a> Curves<'a> {
    fn new(checkpoints: &'a [u64], environment: &Environment) -> Self {
        let (gaps, losses) = (environment.gaps(), environment.losses());
        Self { checkpoints, gaps, losses, cumulative: 0.0, regret: Vec::new(), simple_regret: Vec::new() }
    }

    fn measured(&mut self, samples: u64, point: PointId, report: impl FnOnce() -> Report) {
        self.cumulative += self.losses[point.index()];
        if self.checkpoints.get(self.regret.len()) == Some(&samples) {
            self.regret.push(self.cumulative);
            self.simple_regret.push(self.worst_pick(&report()));
        }
    }

    /// The gap of the worst of the picks.
    fn worst_pick(&self, report: &Report) -> f64 {
        report.picks.iter().map(|pick| self.gaps[pick.index()]).fold(0.0, f64::max)
    }

    /// After a stop nothing more is measured: the curves stay where they are.
    fn finish(mut self, last: &Report) -> (Vec<f64>, Vec<f64>) {
        let simple = self.worst_pick(last);
        self.regret.resize(self.checkpoints.len(), self.cumulative);
        self.simple_regret.resize(self.checkpoints.len(), simple);
        (self.regret, self.simple_regret)
    }
}

/// At most `count` different numbers up to `budget`, evenly spaced in the logarithm; the last is `budget`.
pub fn checkpoints(budget: u64, count: usize) -> Vec<u64> {
    let last = (budget.max(1) as f64).ln();
    let at = |k: usize| (last * k as f64 / count.max(1) as f64).exp().round() as u64;
    let mut points: Vec<u64> = (1..count).map(at).filter(|&point| point < budget).collect();
    points.push(budget);
    points.dedup();
    points
}
