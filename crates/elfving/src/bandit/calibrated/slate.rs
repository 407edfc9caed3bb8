//! A batch being filled.

use super::model::Model;
use crate::bandit::batch_rules::Values;
use crate::bandit::{Limits, Why};
use crate::numerics::first_largest;
use crate::pool::PointId;
use crate::surrogate::{Posterior, Space};
use std::collections::HashMap;

/// What a slot is filled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// The outcome of the point itself.
    Promise,
    /// What the point tells about the choices.
    Telling,
}

/// How many copies of a candidate a batch may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copies {
    /// What the user set: never broken.
    pub(super) hard: Limits,
    /// In a batch, unless nothing else is left.
    pub(super) usual: u64,
    /// Slots of a batch for candidates that have been measured, unless nothing else is left.
    pub(super) replicates: usize,
}

/// What a slot may be filled with.
pub(super) struct Rules<'m> {
    /// A site with this many is settled.
    pub(super) settled_at: u64,
    /// Slots that settled rows may still fill.
    pub(super) repeats_left: usize,
    pub(super) copies: Copies,
    /// Rows that are set aside.
    pub(super) barred: Vec<bool>,
    /// How many different values of a column the batch holds.
    pub(super) values: Values<'m>,
}

#[cfg(test)]
impl Rules<'_> {
    /// Any copies of any of these rows.
    pub(super) fn free(rows: usize, settled_at: u64) -> Self {
        let copies = Copies { hard: Limits::default(), usual: u64::MAX, replicates: usize::MAX };
        Self { settled_at, repeats_left: 10, copies, barred: vec![false; rows], values: Values::free() }
    }
}

/// The posterior with what is pending and what is chosen supposed to be measured, and which rows may still be repeated.
pub(super) struct Slate<'m> {
    pub(super) model: &'m Model,
    /// Means held, variances exact for every supposed measurement.
    pub(super) posterior: Posterior,
    /// Measurements of each site, supposed ones included.
    pulls: Vec<u64>,
    /// Of those, the ones in this batch.
    in_batch: HashMap<usize, u64>,
    rules: Rules<'m>,
    /// How likely it is that each point can be measured, where some cannot.
    feasibility: Option<Vec<f64>>,
    chosen: Vec<PointId>,
    reasons: Vec<Why>,
}

impl<'m> Slate<'m> {
    pub(super) fn new(
        model: &'m Model,
        pulls: Vec<u64>,
        rules: Rules<'m>,
        feasibility: Option<Vec<f64>>,
    ) -> Self {
        Self {
            posterior: model.posterior.clone(),
            model,
            pulls,
            in_batch: HashMap::new(),
            rules,
            feasibility,
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

    /// Counts a measurement that is pending as one of this batch.
    pub(super) fn count_in_batch(&mut self, point: PointId) {
        *self.in_batch.entry(self.model.fit.space().site(point.index())).or_default() += 1;
    }

    /// Supposes a measurement that is in this batch already.
    pub(super) fn pend_in_batch(&mut self, point: PointId) {
        self.count_in_batch(point);
        self.rules.values.add(point.index());
        self.pend(point);
    }

    /// Fills a slot with the point of the largest score that the rules allow; where they leave nothing, they give way one by one, but for
    /// what the user set. None when nothing may be measured at all.
    pub(super) fn fill(&mut self, ground: Ground, scores: &[f64]) -> Option<PointId> {
        let scores = self.worth_trying(scores);
        let rules: [&dyn Fn(usize) -> bool; 3] = [
            &|row| self.is_usual(row) && self.has_replicate_left(row) && self.has_repeat_left(row),
            &|row| self.is_usual(row),
            &|_| true,
        ];
        let best = rules.into_iter().find_map(|rule| {
            let allowed =
                |row: usize| if self.may(row) && rule(row) { scores[row] } else { f64::NEG_INFINITY };
            first_largest(&(0..scores.len()).map(allowed).collect::<Vec<f64>>())
        })?;
        let point = PointId::new(best);
        self.place(ground, point);
        Some(point)
    }

    /// What a point is worth when it may turn out to be impossible: then it is worth no more than the worst.
    fn worth_trying(&self, scores: &[f64]) -> Vec<f64> {
        let Some(feasibility) = &self.feasibility else { return scores.to_vec() };
        let finite = scores.iter().copied().filter(|score| score.is_finite());
        let worst = finite.fold(f64::INFINITY, f64::min);
        scores.iter().zip(feasibility).map(|(score, likely)| worst + likely * (score - worst)).collect()
    }

    /// What is never broken.
    fn may(&self, row: usize) -> bool {
        !self.rules.barred[row]
            && self.rules.values.allow(row)
            && self.rules.copies.hard.allow(self.copies_of(row), self.pulls_of(row))
    }

    fn is_usual(&self, row: usize) -> bool {
        self.copies_of(row) < self.rules.copies.usual
    }

    fn has_replicate_left(&self, row: usize) -> bool {
        self.rules.copies.replicates > 0 || self.pulls_of(row) == 0
    }

    fn has_repeat_left(&self, row: usize) -> bool {
        self.rules.repeats_left > 0 || !self.is_settled(row)
    }

    /// Fills up to `count` slots by scores that look at the slots before.
    pub(super) fn fill_all(&mut self, count: usize, ground: Ground, scores: impl Fn(&Self) -> Vec<f64>) {
        for _ in 0..count {
            let scores = scores(self);
            if self.fill(ground, &scores).is_none() {
                break;
            }
        }
    }

    fn place(&mut self, ground: Ground, point: PointId) {
        let times = self.pulls_of(point.index());
        if times > 0 {
            let replicates = &mut self.rules.copies.replicates;
            *replicates = replicates.saturating_sub(1);
        }
        if self.is_settled(point.index()) {
            self.rules.repeats_left = self.rules.repeats_left.saturating_sub(1);
            self.reasons.push(Why::Repeat { times });
        } else {
            let outcome = self.model.fit.outcome();
            let row = self.space().point_row(point);
            let (mean, deviation) = (self.posterior.mean(row), self.posterior.deviation(row));
            let reported = outcome.report(mean, deviation, 1.0);
            let (mean, deviation) = (reported.median, 0.5 * (reported.upper - reported.lower));
            let feasible = self.feasibility.as_ref().map(|likely| likely[point.index()]);
            self.reasons.push(match ground {
                Ground::Promise => Why::Promise { mean, deviation, feasible },
                Ground::Telling => Why::Telling { mean, deviation, feasible },
            });
        }
        self.chosen.push(point);
        self.pend_in_batch(point);
    }

    fn pulls_of(&self, row: usize) -> u64 {
        self.pulls[self.space().site(row)]
    }

    fn copies_of(&self, row: usize) -> u64 {
        self.in_batch.get(&self.space().site(row)).copied().unwrap_or(0)
    }

    fn is_settled(&self, row: usize) -> bool {
        self.pulls_of(row) >= self.rules.settled_at
    }

    /// The points and why each was chosen.
    pub(super) fn finish(self) -> (Vec<PointId>, Vec<Why>) {
        (self.chosen, self.reasons)
    }
}
