//! What a calibrated campaign says: picks, intervals in the user's units, and what is measured about the pick.

use super::model::Model;
use super::policy::{Calibrated, Round};
use crate::bandit::{ChoiceInterval, Goal, Guarantee, Policy, Report, Standing, Status};
use crate::pool::ChoiceId;
use crate::surrogate::{Fit, Measurement, PosteriorOver, upper_quantile};
use std::collections::BTreeSet;

/// How many rounds back the pick of a replayed record is looked up: each costs a conditioning.
const LOOK_BACK: usize = 20;

impl Calibrated {
    /// The whole report. A model that cannot be had leaves everything open.
    pub(super) fn say(&self, status: Status) -> Report {
        let report = Report {
            status,
            guarantee: Guarantee::Calibrated,
            picks: self.choosable().take(1).collect(),
            survivors: self.choosable().collect(),
            rounds: self.rounds.last().map_or(0, |round| round.number),
            samples: self.data.len() as u64,
            ..Report::open(self.name(), self.goal, self.settings.delta)
        };
        let Ok(Some(model)) = self.model() else { return report };
        let means: Vec<f64> = model.choices().map(|z| model.choice_mean(z)).collect();
        let picks = self.picks(self.goal, &model.fit, &means, &self.data);
        let intervals = self.overlapping(model, &picks);
        let survivors: Vec<ChoiceId> = intervals.iter().map(|interval| interval.choice).collect();
        let best = self.best(&model.fit, &means, &self.data);
        if let Some(round) = self.rounds.last().filter(|round| round.data == self.data.len()) {
            round.pick.get_or_init(|| best);
        }
        let standing = best.map(|best| self.standing(best, intervals.len()));
        Report { picks, survivors, intervals, standing, ..report }
    }

    /// The best posterior means: among the rows that were measured where points are choices, else among all choices.
    fn picks(&self, goal: Goal, fit: &Fit, means: &[f64], data: &[Measurement]) -> Vec<ChoiceId> {
        let eligible: Vec<ChoiceId> = if self.space.chooses_among_itself() {
            let sites: BTreeSet<usize> = data.iter().map(|one| self.space.site(one.point.index())).collect();
            sites.into_iter().map(ChoiceId::new).filter(|site| self.may_choose(*site)).collect()
        } else {
            (0..means.len()).map(ChoiceId::new).collect()
        };
        let estimates: Vec<f64> = means.iter().map(|mean| fit.outcome().inverse(*mean)).collect();
        goal.picks(&estimates, &eligible)
    }

    /// The choices that are not set aside.
    pub(super) fn choosable(&self) -> impl Iterator<Item = ChoiceId> {
        (0..self.space.choices()).map(ChoiceId::new).filter(|choice| self.may_choose(*choice))
    }

    /// The best of all picks.
    pub(super) fn best(&self, fit: &Fit, means: &[f64], data: &[Measurement]) -> Option<ChoiceId> {
        self.picks(Goal::Best { epsilon: 0.0 }, fit, means, data).first().copied()
    }

    /// The pick after an earlier round, from its record.
    fn pick_after(&self, round: &Round) -> Option<ChoiceId> {
        let (data, fitted) = (&self.data[..round.data], round.fitted.as_ref()?);
        let fit = self.surrogate().at(&self.space, data, fitted).ok()?;
        self.best(&fit, &fit.means(PosteriorOver::Choices), data)
    }

    /// The intervals of the picks and of all choices that may be as good as the worst of them, in pool order.
    fn overlapping(&self, model: &Model, picks: &[ChoiceId]) -> Vec<ChoiceInterval> {
        let width = self.width();
        let floor = match self.goal {
            Goal::Map { .. } => f64::NEG_INFINITY,
            _ => picks.iter().map(|pick| model.reported(*pick, width).lower).fold(f64::INFINITY, f64::min),
        };
        self.choosable()
            .map(|z| (z, model.reported(z, width)))
            .filter(|(_, reported)| reported.upper >= floor)
            .map(|(z, reported)| ChoiceInterval {
                choice: z,
                estimate: reported.median,
                lower: reported.lower,
                upper: reported.upper,
            })
            .collect()
    }

    /// Whether every mean was wanted within ε, and every interval is that narrow.
    pub(super) fn map_is_drawn(&self) -> bool {
        let (Goal::Map { epsilon }, Ok(Some(model))) = (self.goal, self.model()) else { return false };
        let width = self.width();
        let is_narrow = |z: ChoiceId| {
            let reported = model.reported(z, width);
            (reported.upper - reported.median).max(reported.median - reported.lower) <= epsilon
        };
        self.choosable().all(is_narrow)
    }

    /// Deviations to each side of a nominal 1 - δ interval.
    fn width(&self) -> f64 {
        upper_quantile(0.5 * self.settings.delta.delta())
    }

    fn standing(&self, pick: ChoiceId, overlapping: usize) -> Standing {
        let measurements =
            if self.space.chooses_among_itself() { self.pulls[self.space.site(pick.index())] } else { 0 };
        Standing { measurements, rivals: overlapping.saturating_sub(1) as u64, rounds: self.unchanged(pick) }
    }

    /// For how many rounds this has been the pick, counted up to a limit.
    fn unchanged(&self, pick: ChoiceId) -> u64 {
        let earlier = self.rounds.iter().rev().skip(1).take(LOOK_BACK);
        let same =
            earlier.take_while(|round| *round.pick.get_or_init(|| self.pick_after(round)) == Some(pick));
        u64::from(!self.rounds.is_empty()) + same.count() as u64
    }
}
