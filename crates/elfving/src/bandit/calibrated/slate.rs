//! A batch being filled.

use super::model::Model;
use crate::bandit::Why;
use crate::numerics::first_largest;
use crate::pool::PointId;
use crate::surrogate::{Posterior, Space};

/// What a slot is filled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// The outcome of the point itself.
    Promise,
    /// What the point tells about the choices.
    Telling,
}

/// The posterior with what is pending and what is chosen supposed to be measured, and which rows may still be repeated.
pub(super) struct Slate<'m> {
    pub(super) model: &'m Model,
    /// Means held, variances exact for every supposed measurement.
    pub(super) posterior: Posterior,
    /// Measurements of each site, supposed ones included.
    pulls: Vec<u64>,
    /// A site with this many is settled.
    settled_at: u64,
    /// Slots that settled rows may still fill.
    repeats_left: usize,
    chosen: Vec<PointId>,
    reasons: Vec<Why>,
}

impl<'m> Slate<'m> {
    pub(super) fn new(model: &'m Model, pulls: Vec<u64>, settled_at: u64, repeats: usize) -> Self {
        Self {
            posterior: model.posterior.clone(),
            model,
            pulls,
            settled_at,
            repeats_left: repeats,
            chosen: Vec::new(),
            reasons: Vec::new(),
        }
    }

    pub(super) fn space(&self) -> &Space {
        self.model.fit.space()
    }

    /// Slots filled so far.
    pub(super) fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Measurements so far, supposed ones included.
    pub(super) fn measurements(&self) -> u64 {
        self.pulls.iter().sum()
    }

    /// Supposes a measurement that is under way.
    pub(super) fn pend(&mut self, point: PointId) {
        self.pulls[self.model.fit.space().site(point.index())] += 1;
        self.posterior.measure(point);
    }

    /// Fills a slot with the point of the largest score, a settled one only while their share lasts.
    pub(super) fn fill(&mut self, ground: Ground, scores: &[f64]) -> PointId {
        let any = first_largest(scores).expect("a pool has a point, and every point a score");
        let best = if self.repeats_left == 0 && self.is_settled(any) {
            let open: Vec<f64> = (0..scores.len())
                .map(|row| if self.is_settled(row) { f64::NEG_INFINITY } else { scores[row] })
                .collect();
            // Where everything is settled there is nothing else to measure.
            first_largest(&open).unwrap_or(any)
        } else {
            any
        };
        let point = PointId::new(best);
        self.place(ground, point);
        point
    }

    /// Fills `count` slots by scores that look at the slots before.
    pub(super) fn fill_all(&mut self, count: usize, ground: Ground, scores: impl Fn(&Self) -> Vec<f64>) {
        for _ in 0..count {
            let scores = scores(self);
            self.fill(ground, &scores);
        }
    }

    fn place(&mut self, ground: Ground, point: PointId) {
        let times = self.pulls_of(point.index());
        if self.is_settled(point.index()) {
            self.repeats_left = self.repeats_left.saturating_sub(1);
            self.reasons.push(Why::Repeat { times });
        } else {
            let outcome = self.model.fit.outcome();
            let (mean, deviation) = (self.posterior.mean(point), self.posterior.deviation(point));
            let reported = outcome.report(mean, deviation, 1.0);
            let (mean, deviation) = (reported.median, 0.5 * (reported.upper - reported.lower));
            self.reasons.push(match ground {
                Ground::Promise => Why::Promise { mean, deviation },
                Ground::Telling => Why::Telling { mean, deviation },
            });
        }
        self.chosen.push(point);
        self.pend(point);
    }

    fn pulls_of(&self, row: usize) -> u64 {
        self.pulls[self.space().site(row)]
    }

    fn is_settled(&self, row: usize) -> bool {
        self.pulls_of(row) >= self.settled_at
    }

    /// The points and why each was chosen.
    pub(super) fn finish(self) -> (Vec<PointId>, Vec<Why>) {
        (self.chosen, self.reasons)
    }
}
