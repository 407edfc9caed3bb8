//! Whole campaigns on small worlds whose truth is known: how often does a verdict fail?
//!
//! A verdict fails when the best choice is out although nothing within the floor of it is in, when a pick is worse than
//! max(ε, floor), or when a certified report says something untrue: an ε that is too small, an interval that misses.
//! The policy is an argument, so every policy runs through the same worlds.
#![allow(dead_code)]

use elfving::bandit::{Bandit, Goal, Guarantee, Outcome, Policy, Question, Report};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::{Matrix, apply, apply_transposed, dot};
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use elfving::units::{Confidence, Ridge};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};
use rayon::prelude::*;
use std::sync::Arc;

use super::binomial::binomial_at_most;

/// δ of every campaign.
pub(crate) const DELTA: f64 = 0.1;
/// A campaign that takes more measurements than this is one that does not end.
const MOST: u64 = 3_000_000;

/// Laws of mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Law {
    Normal,
    /// Bounded, and as far out as its variance allows.
    Rademacher,
    /// Student with 2.1 degrees of freedom: hardly a variance.
    Student,
    /// Nearly always a little below 0, rarely far above.
    TwoPoint,
}

impl Law {
    fn draw(self, random: &mut ChaCha8Rng) -> f64 {
        match self {
            Law::Normal => StandardNormal.sample(random),
            Law::Rademacher => [1.0, -1.0][usize::from(random.random::<bool>())],
            Law::Student => StudentT::new(2.1).expect("a law").sample(random) / 21f64.sqrt(),
            Law::TwoPoint => {
                let p: f64 = 0.003;
                if random.random::<f64>() < p { ((1.0 - p) / p).sqrt() } else { -(p / (1.0 - p)).sqrt() }
            }
        }
    }

    /// What may truly be said of it.
    fn tails(self) -> Tails {
        match self {
            Law::Normal | Law::Rademacher => Tails::SubGaussian,
            Law::Student | Law::TwoPoint => Tails::BoundedVariance,
        }
    }
}

/// A pool with its truth.
#[derive(Clone)]
pub(crate) struct World {
    pub name: &'static str,
    pub pool: Pool,
    /// The means of the measurable points.
    pub points: Vec<f64>,
    /// The means of the choices.
    pub choices: Vec<f64>,
    pub sigma: f64,
    pub bound: f64,
    pub norm: Option<f64>,
    pub misspecification: f64,
    /// The ridge, when the policy is not to choose it.
    pub gamma: Option<Ridge>,
    /// Whether h is told.
    pub h_is_known: bool,
    /// The probability that a measurement of the best choice fails, to be repeated.
    pub failing: f64,
    /// A number told in place of the failure, for policies that deserve no better.
    pub failure_is_told_as: Option<f64>,
}

impl World {
    fn new(name: &'static str, pool: Pool, theta: &[f64], sigma: f64) -> Self {
        let points = apply(pool.features(), theta);
        let choices = apply(pool.choices(), theta);
        let largest = points.iter().chain(&choices).fold(0.0, |m: f64, y| m.max(y.abs()));
        Self {
            name,
            pool,
            points,
            choices,
            sigma,
            bound: largest,
            norm: Some(dot(theta, theta).sqrt() * (1.0 + 1e-9)),
            misspecification: 0.0,
            gamma: None,
            h_is_known: true,
            failing: 0.0,
            failure_is_told_as: None,
        }
    }

    /// Eight directions in three dimensions.
    pub(crate) fn linear() -> Self {
        let angle = |i: usize| i as f64 * 0.8;
        let x = Matrix::from_fn(8, 3, |i, j| match j {
            0 => angle(i).cos() * 0.8,
            1 => angle(i).sin() * 0.8,
            _ => 0.6 * if i % 2 == 0 { 1.0 } else { -1.0 },
        });
        Self::new("linear", Pool::from_features(x).expect("a pool"), &[0.7, 0.4, 0.3], 0.3)
    }

    /// A smooth function on sixteen points.
    pub(crate) fn rbf() -> Self {
        let n = 16;
        let points = Points::new(Matrix::from_fn(n, 1, |i, _| i as f64 / (n - 1) as f64)).expect("points");
        let kernel = Arc::new(Rbf::new(0.25).expect("a kernel"));
        let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).expect("a pool");
        let mut centres = vec![0.0; n];
        [(2, 0.8), (8, -0.7), (13, 0.9)].into_iter().for_each(|(i, height)| centres[i] = height);
        let theta = apply_transposed(pool.features(), &centres);
        Self::new("rbf", pool, &theta, 0.2)
    }

    /// Four mixtures can be measured, six others are to choose among.
    pub(crate) fn two_tables() -> Self {
        let x = Matrix::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.6, 0.0]]);
        let z = Matrix::from_rows(&[
            [0.7, 0.3, 0.2],
            [0.2, 0.7, 0.5],
            [0.5, 0.5, 0.5],
            [0.8, 0.0, 0.6],
            [0.3, -0.3, 0.3],
            [0.1, 0.2, 0.9],
        ]);
        let pool = Pool::from_features_with_choices(x, z).expect("a pool");
        Self::new("two tables", pool, &[0.9, 0.2, 0.5], 0.3)
    }

    /// Three pairs that differ in the third digit, and one point twice.
    pub(crate) fn near_duplicates() -> Self {
        let x = Matrix::from_rows(&[
            [1.0, 0.0],
            [0.999, 0.002],
            [0.0, 1.0],
            [0.002, 0.999],
            [-0.6, 0.6],
            [-0.601, 0.6],
            [1.0, 0.0],
        ]);
        Self::new("near duplicates", Pool::from_features(x).expect("a pool"), &[0.9, 0.3], 0.2)
    }

    /// Axes whose means all lie at the bound, the best by a hair: nothing in the widths is slack.
    pub(crate) fn tight() -> Self {
        let d = 100;
        let theta: Vec<f64> = (0..d).map(|i| if i == 7 { 1.0 } else { 0.995 }).collect();
        let pool = Pool::from_features(Matrix::identity(d)).expect("a pool");
        Self { gamma: Some(Ridge::ZERO), ..Self::new("tight", pool, &theta, 1.0) }
    }

    /// The four geometries.
    pub(crate) fn all() -> [Self; 4] {
        [Self::linear(), Self::rbf(), Self::two_tables(), Self::near_duplicates()]
    }

    /// Those that measure what they choose among.
    pub(crate) fn measurable() -> Vec<Self> {
        Self::all().into_iter().filter(|world| world.pool.chooses_among_itself()).collect()
    }

    /// Means off the model by h: the best choice down, the others up, and the points with them.
    pub(crate) fn misspecified(mut self, h: f64) -> Self {
        let best = self.best();
        let shift = |i: usize, y: f64| y + if i == best { -0.9 * h } else { 0.9 * h };
        self.choices = self.choices.iter().enumerate().map(|(i, &y)| shift(i, y)).collect();
        self.points = if self.pool.chooses_among_itself() {
            self.choices.clone()
        } else {
            let alternating = |(i, y): (usize, &f64)| y + if i % 2 == 0 { h } else { -h };
            self.points.iter().enumerate().map(alternating).collect()
        };
        self.misspecification = h;
        self.bound += h;
        self
    }

    /// The same truth, with nothing said about h.
    pub(crate) fn unaware(mut self) -> Self {
        self.h_is_known = false;
        self
    }

    fn best(&self) -> usize {
        (1..self.choices.len()).fold(0, |best, i| if self.choices[i] > self.choices[best] { i } else { best })
    }

    /// How far below the best each choice is.
    pub(crate) fn gaps(&self) -> Vec<f64> {
        let best = self.choices[self.best()];
        self.choices.iter().map(|y| best - y).collect()
    }

    pub(crate) fn question(&self, goal: Goal, law: Law, seed: u64) -> Question {
        let told = if self.h_is_known { self.misspecification } else { 0.0 };
        let mut assumptions = Assumptions::new(self.sigma)
            .and_then(|sigma| sigma.bound(self.bound))
            .and_then(|bound| bound.misspecification(told))
            .expect("assumptions");
        if let Some(norm) = self.norm {
            assumptions = assumptions.norm(norm).expect("a norm");
        }
        let delta = Confidence::new(DELTA).expect("a confidence");
        let question = Question::new(self.pool.clone(), assumptions.tails(law.tails()), goal);
        Question { gamma: self.gamma, ..question.expect("a question").delta(delta).seed(seed) }
    }

    /// One campaign to its end, in batches, failed measurements repeated.
    pub(crate) fn campaign(&self, policy: Box<dyn Policy>, law: Law, seed: u64) -> Report {
        let mut bandit = Bandit::new(policy);
        let mut random = ChaCha8Rng::seed_from_u64(4711);
        random.set_stream(seed);
        let best = self.best();
        while !bandit.finished() {
            let slots = bandit.ask(997).expect("slots");
            if slots.is_empty() {
                break;
            }
            for slot in slots {
                let x = slot.point.index();
                if self.failing > 0.0 && x == best && random.random::<f64>() < self.failing {
                    let told = self.failure_is_told_as.map_or(Outcome::Failed, Outcome::from);
                    bandit.tell(slot.id, told).expect("a failed slot stays open");
                    continue;
                }
                let value = self.points[x] + self.sigma * law.draw(&mut random);
                bandit.tell(slot.id, Outcome::from(value)).expect("an outcome");
            }
            assert!(bandit.report().samples < MOST, "{}: {law:?}, seed {seed} does not end", self.name);
        }
        bandit.report()
    }

    /// What is untrue in a report, if anything.
    pub(crate) fn failure(&self, goal: Goal, report: &Report) -> Option<&'static str> {
        let gaps = self.gaps();
        let gap = |id: &elfving::pool::ChoiceId| gaps[id.index()];
        let floor = report.floor.unwrap_or(0.0);
        let nearest = report.survivors.iter().map(gap).fold(f64::INFINITY, f64::min);
        if nearest > floor + 1e-12 {
            return Some("the best choice is out");
        }
        // The m-th best is what picks of m are compared with; all good ones may be 2 ε off.
        let (reference, allowed) = match goal {
            Goal::Best { epsilon } => (0.0, epsilon),
            Goal::AllGood { epsilon } => (0.0, 2.0 * epsilon),
            Goal::Regret { .. } | Goal::Map { .. } => (0.0, f64::INFINITY),
            Goal::Top { count, epsilon } => {
                let mut sorted = gaps.clone();
                sorted.sort_by(f64::total_cmp);
                (sorted[count - 1], epsilon)
            }
        };
        let worst = report.picks.iter().map(gap).fold(f64::NEG_INFINITY, f64::max) - reference;
        if worst > allowed.max(floor) + 1e-12 {
            return Some("a pick is worse than max(epsilon, floor)");
        }
        if let Goal::AllGood { epsilon } = goal {
            let left_out = |(i, gap): (usize, &f64)| {
                *gap <= epsilon - floor && !report.picks.iter().any(|pick| pick.index() == i)
            };
            if gaps.iter().enumerate().any(left_out) {
                return Some("a good choice is out");
            }
        }
        if report.guarantee != Guarantee::Certified || !self.h_is_known {
            return None;
        }
        if report.epsilon.is_some_and(|epsilon| worst > epsilon + 1e-12) {
            return Some("the epsilon of the report is too small");
        }
        let misses = report.intervals.iter().any(|interval| {
            let mean = self.choices[interval.choice.index()];
            !(interval.lower - 1e-12 <= mean && mean <= interval.upper + 1e-12)
        });
        misses.then_some("an interval misses")
    }

    /// In how many of the campaigns the verdict fails; the policy of each is built from its question.
    pub(crate) fn failures(
        &self,
        goal: Goal,
        law: Law,
        repetitions: u64,
        build: impl Fn(Question) -> Box<dyn Policy> + Sync,
    ) -> u64 {
        let fails = |seed: u64| {
            let report = self.campaign(build(self.question(goal, law, seed)), law, seed);
            u64::from(self.failure(goal, &report).is_some())
        };
        (0..repetitions).into_par_iter().map(fails).sum()
    }

    /// Fails the test when so many verdicts fail that a rate of δ is refuted.
    pub(crate) fn covers(
        &self,
        goal: Goal,
        law: Law,
        repetitions: u64,
        build: impl Fn(Question) -> Box<dyn Policy> + Sync,
    ) {
        let failed = self.failures(goal, law, repetitions, build);
        println!("{:16} {law:10?} {goal}: {failed} of {repetitions} fail", self.name);
        assert!(
            !refutes(failed, repetitions),
            "{}, {law:?}, {goal}: {failed} of {repetitions} fail",
            self.name
        );
    }
}

/// Whether so many failures refute a rate of δ: more than its binomial limit, which honest policies pass once in a thousand.
pub(crate) fn refutes(failed: u64, repetitions: u64) -> bool {
    failed > 0 && 1.0 - binomial_at_most(failed - 1, repetitions, DELTA) <= 1e-3
}
