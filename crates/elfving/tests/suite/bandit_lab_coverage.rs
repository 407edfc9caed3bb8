//! A certified report holds while the lab does what labs do: results that come late and in any order, batches beside batches, measurements that
//! nobody asked for, candidates that come later. And the harness sees it when a mishap is handled wrongly.

use crate::support;

use elfving::bandit::{
    Conversation, EllipsoidBest, EllipsoidMap, EllipsoidRegret, Extension, Follower, Goal, Handing, Next,
    Policy, Question, Reading, Report, SlotState, Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::rng::{Purpose, Stream, stream};
use elfving::numerics::{Matrix, dot};
use elfving::pool::{ChoiceId, PointId, Pool};
use elfving::units::Confidence;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use support::binomial::{shows_at_most, shows_more_than};

const DELTA: f64 = 0.1;
const SIGMA: f64 = 0.3;
/// Points there are at first, and in the end.
const FIRST: usize = 14;
const ALL: usize = 20;
/// Measurements of a campaign, at most.
const MOST: usize = 240;

/// What is done wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    Nothing,
    /// A measurement that nobody asked for counts twice.
    VolunteeredTwice,
    /// What is under way counts as if it had come back as it was predicted.
    BeforeItWasTold,
    /// With the new candidates the columns are scaled anew, and the old bound on the norm is kept.
    RefitsThePast,
}

/// Rows of length about 1, and those that come later twice as long.
fn features() -> Matrix {
    let unit = support::unit_rows(support::normals(41, ALL, 5), 0);
    Matrix::from_fn(ALL, 5, |i, j| unit[(i, j)] * if i < FIRST { 1.0 } else { 2.0 })
}

fn policy(goal: Goal, rows: usize, slip: Slip) -> Box<dyn Policy> {
    let features = features();
    // As if standardised by rows ten times as long: the old ones become shorter, and the truth longer than the bound.
    let scale = if slip == Slip::RefitsThePast && rows > FIRST { 0.1 } else { 1.0 };
    let pool = Pool::from_features(Matrix::from_fn(rows, 5, |i, j| scale * features[(i, j)])).unwrap();
    let assumptions = Assumptions::new(SIGMA).unwrap().tails(Tails::SubGaussian).norm(1.0).unwrap();
    let question = Question::new(pool, assumptions, goal).unwrap();
    let question = question.delta(Confidence::new(DELTA).unwrap()).begun_with(FIRST);
    match goal {
        Goal::Regret { .. } => Box::new(EllipsoidRegret::new(question).unwrap()),
        Goal::Map { .. } => Box::new(EllipsoidMap::new(question).unwrap()),
        _ => Box::new(EllipsoidBest::new(question).unwrap()),
    }
}

/// A lab and its record.
struct Lab {
    goal: Goal,
    slip: Slip,
    means: Vec<f64>,
    random: Stream,
    talk: Conversation,
    follower: Follower,
    /// Points there are now.
    rows: usize,
    /// Measurements that count.
    samples: usize,
}

impl Lab {
    fn new(goal: Goal, slip: Slip, seed: u64) -> Self {
        let mut random = stream(seed, 0, Purpose::new("test-lab"));
        let mut theta: Vec<f64> = (0..5).map(|_| StandardNormal.sample(&mut random)).collect();
        let norm = dot(&theta, &theta).sqrt();
        theta.iter_mut().for_each(|entry| *entry /= norm);
        let features = features();
        let means = (0..ALL).map(|i| dot(features.row(i), &theta)).collect();
        let follower = Follower::new(policy(goal, FIRST, slip));
        let talk = Conversation::new(true);
        Self { goal, slip, means, random, talk, follower, rows: FIRST, samples: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }

    fn measured(&mut self, point: PointId) -> Reading {
        let noise: f64 = StandardNormal.sample(&mut self.random);
        Reading::from(self.means[point.index()] + SIGMA * noise)
    }

    fn decide(&mut self) {
        self.follower.follow(&self.talk).unwrap();
        let decision = self.follower.decide(&self.talk).unwrap();
        self.talk.decide(decision).unwrap();
        self.come_back();
    }

    /// As a new process that reads the record.
    fn come_back(&mut self) {
        self.follower = Follower::new(policy(self.goal, self.rows, self.slip));
        self.follower.follow(&self.talk).unwrap();
    }

    /// A batch beside what is under way; says whether there was one.
    fn ask(&mut self) -> bool {
        let batch = 1 + self.below(6);
        let Next::Measure(plan) = self.follower.plan(&self.talk, &[], &Wanted::batch(batch)).unwrap() else {
            return false;
        };
        let handed_out = plan.measurements.len();
        self.talk.hand_out(Handing { plan: Some(plan), handed_out, ..Handing::default() }).unwrap();
        if self.slip == Slip::BeforeItWasTold {
            let intervals = self.follower.report(&self.talk).intervals;
            let under_way: Vec<PointId> = self.talk.pending();
            let predicted = |point: &PointId| {
                let own = intervals.iter().find(|one| one.choice.index() == point.index())?;
                Some((*point, Reading::from(own.estimate)))
            };
            let predicted: Vec<(PointId, Reading)> = under_way.iter().filter_map(predicted).collect();
            self.talk.bring(predicted).unwrap();
        }
        self.come_back();
        true
    }

    /// Some of the open slots, in any order: which ones come back does not depend on what they give.
    fn tell(&mut self) {
        for _ in 0..1 + self.below(5) {
            let open: Vec<(usize, PointId)> = self
                .talk
                .open()
                .filter(|(.., slot)| slot.state == SlotState::Open)
                .map(|(slot, point, _)| (slot, point))
                .collect();
            if open.is_empty() {
                break;
            }
            let (slot, point) = open[self.below(open.len())];
            let reading = self.measured(point);
            self.talk.tell(slot, reading).unwrap();
            self.samples += 1;
        }
        self.decide();
    }

    /// Somebody measures the leader once more, or anything, without being asked.
    fn volunteer(&mut self) {
        let picks = self.follower.report(&self.talk).picks;
        let any = self.below(self.rows);
        let point = PointId::new(picks.first().map_or(any, |pick: &ChoiceId| pick.index()));
        let reading = self.measured(point);
        self.samples += 1;
        let times = if self.slip == Slip::VolunteeredTwice { 2 } else { 1 };
        self.talk.bring(vec![(point, reading); times]).unwrap();
        self.decide();
    }

    fn extend(&mut self) {
        self.rows = ALL;
        self.talk.extend(Extension { from: FIRST, to: ALL, chosen_among: true }).unwrap();
        self.come_back();
        self.decide();
    }

    /// Whether the report says anything false of the candidates there are.
    fn is_wrong(&self) -> bool {
        let report: Report = self.follower.report(&self.talk);
        let mean = |id: ChoiceId| self.means[id.index()];
        let best = self.means[..self.rows].iter().copied().fold(f64::MIN, f64::max);
        let missed = report
            .intervals
            .iter()
            .any(|one| !(one.lower <= mean(one.choice) && mean(one.choice) <= one.upper));
        let wrongly_out =
            report.eliminated.iter().any(|out| mean(out.choice) >= mean(out.by) || mean(out.choice) == best);
        // A refutation is a report too, and false where the assumptions hold.
        let Some(epsilon) = report.epsilon else { return true };
        let bad_pick = match report.goal {
            Goal::Map { .. } => {
                report.intervals.iter().any(|one| (one.estimate - mean(one.choice)).abs() > epsilon)
            }
            _ => report.picks.iter().any(|&pick| best - mean(pick) > epsilon),
        };
        missed || wrongly_out || bad_pick || report.samples != self.samples as u64
    }

    /// A campaign of mishaps; says whether any report was false.
    fn fails(mut self) -> bool {
        let extension = 40 + self.below(60);
        while self.samples < MOST {
            if self.rows == FIRST && self.samples >= extension {
                self.extend();
            }
            let went_on = match self.below(8) {
                0 => {
                    self.volunteer();
                    true
                }
                1..=3 if self.talk.pending().len() < 18 => self.ask(),
                _ if self.talk.pending().is_empty() => self.ask(),
                _ => {
                    self.tell();
                    true
                }
            };
            if self.is_wrong() {
                return true;
            }
            if !went_on && self.talk.pending().is_empty() {
                break;
            }
        }
        self.is_wrong()
    }
}

fn failures(goal: Goal, slip: Slip, campaigns: u64) -> u64 {
    (0..campaigns).into_par_iter().map(|seed| u64::from(Lab::new(goal, slip, seed).fails())).sum()
}

const GOALS: [Goal; 3] =
    [Goal::Best { epsilon: 0.05 }, Goal::Map { epsilon: 0.3 }, Goal::Regret { horizon: Some(200) }];

#[test]
fn reports_hold_in_a_few_campaigns_with_mishaps() {
    for goal in GOALS {
        let failed = failures(goal, Slip::Nothing, 40);
        assert!(failed <= 4, "{goal:?}: {failed} of 40");
    }
}

#[test]
#[ignore = "slow: 1,000 campaigns a goal"]
fn reports_hold_in_at_least_the_stated_share_of_campaigns_with_mishaps() {
    for goal in GOALS {
        let failed = failures(goal, Slip::Nothing, 1_000);
        println!("{goal:?}: {failed}");
        assert!(shows_at_most(failed, 1_000, DELTA), "{goal:?}: {failed} of 1000");
    }
}

#[test]
fn a_mishap_that_is_handled_wrongly_is_caught() {
    for slip in [Slip::VolunteeredTwice, Slip::BeforeItWasTold, Slip::RefitsThePast] {
        let failed = failures(GOALS[0], slip, 40);
        assert!(shows_more_than(failed, 40, DELTA), "{slip:?}: {failed} of 40");
    }
}
