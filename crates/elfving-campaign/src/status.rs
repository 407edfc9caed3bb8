//! Where a campaign stands, in the user's names, units and direction.

use std::collections::BTreeMap;

use elfving::bandit::{
    BetRecord, ChoiceInterval, DataCheck, Elimination, Guarantee, Margins, Reading, Reason, Report,
    SlotRecord, SlotState, Standing,
};
use elfving_problem::Dataset;
use elfving_table::{TextColumn, slot_name};
use serde::Serialize;
use serde_json::Map;

use crate::at::At;
use crate::batch::{Stop, columns};
use crate::campaign::Campaign;
use crate::chain::Digest;
use crate::engine;
use crate::error::CampaignError;
use crate::next_batch::NextBatch;
use crate::spec::{Aim, Mode};
use crate::statement::{About, statement};

/// Where a campaign stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignStatus {
    /// Its name.
    pub name: String,
    /// The outcome column.
    pub outcome: String,
    /// Whether large or small outcomes are good.
    pub aim: Aim,
    /// What is wanted, in words.
    pub goal: String,
    /// Theorem or practice.
    pub mode: Mode,
    /// The algorithm.
    pub algorithm: String,
    /// The model with its columns, in words.
    pub model: String,
    /// When it began.
    pub created: At,
    /// The last event.
    pub event: u64,
    /// The seal of the last event: who keeps it can prove later that nothing before it was changed.
    pub head: Digest,
    /// Candidates that can be measured.
    pub candidates: usize,
    /// What is chosen among.
    pub choices: usize,
    /// Rounds that are decided.
    pub rounds: usize,
    /// The number of the round under way.
    pub round: Option<u64>,
    /// Slots handed out.
    pub asked: usize,
    /// Slots with an outcome.
    pub told: usize,
    /// Slots handed out and open, those that failed included.
    pub open: usize,
    /// Slots that failed and are open again.
    pub failed: usize,
    /// Who has which open slots.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub workers: BTreeMap<String, Vec<String>>,
    /// Candidates that are neither measured nor chosen from here on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<AsideCandidate>,
    /// Measurements of the round that are not handed out yet.
    pub later: usize,
    /// Measurements brought in from outside.
    pub earlier: usize,
    /// Whether the algorithm can use those.
    pub earlier_used: bool,
    /// Measurements in all, at most.
    pub budget: Option<u64>,
    /// Whether what was wanted is known.
    pub goal_reached: bool,
    /// Why nothing more is measured; none while measuring goes on.
    pub stopped: Option<Stop>,
    /// What stands behind the rest.
    pub guarantee: Guarantee,
    /// Why nothing is guaranteed any more.
    pub waived: Option<String>,
    /// The probability with which a certified statement may be wrong.
    pub delta: f64,
    /// The answer if it had to be given now.
    pub picks: Vec<String>,
    /// How far from the best a pick may be, at worst; none where nothing is proved of it.
    pub epsilon: Option<f64>,
    /// Below this more data do not help.
    pub floor: Option<f64>,
    /// The choices still in, the best estimate first.
    pub survivors: Vec<Survivor>,
    /// The choices that are out, in the order in which they went.
    pub eliminated: Vec<Eliminated>,
    /// How wrong each assumption may be with the verdict still standing.
    pub margins: Margins,
    /// What is measured about the pick, where nothing is proved.
    pub standing: Option<Standing>,
    /// Whether the data agree with what is assumed, where that is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_check: Option<DataCheck>,
    /// What every model that bets has earned so far, the assumed one first; empty where none does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bets: Vec<BetRecord>,
    /// What another batch is expected to change, where a fitted model can say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_batch: Option<NextBatch>,
    /// The statement with every assumption, line by line.
    pub statement: Vec<String>,
}

/// A choice that is still in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survivor {
    /// Its id.
    pub id: String,
    /// Its own columns, where it is one of the candidates.
    pub columns: Map<String, serde_json::Value>,
    /// How often it was measured.
    pub measured: u64,
    /// Its estimated mean and the ends of its interval; none before there are data.
    pub interval: Option<Span>,
}

/// An estimate and its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The estimated mean.
    pub estimate: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Span {
    pub(crate) fn of(interval: &ChoiceInterval) -> Self {
        Self { estimate: interval.estimate, lower: interval.lower, upper: interval.upper }
    }
}

/// A choice that is out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Eliminated {
    /// Its id.
    pub id: String,
    /// The choice that beat it.
    pub by: String,
    /// In which round.
    pub round: u64,
    /// By how much it is worse, by the estimates.
    pub difference: f64,
    /// What that had to exceed.
    pub threshold: f64,
}

impl Campaign {
    /// Where the campaign stands. Cost: a replay into the algorithm, once.
    ///
    /// # Errors
    /// What the attached files or the algorithm find.
    pub fn status(&mut self) -> Result<CampaignStatus, CampaignError> {
        let report = self.report()?;
        let earlier_used = self.engine_with_all()?.uses_brought();
        // A model that cannot be had says nothing of the next batch; the rest stands.
        let next_batch = self.next_batch().unwrap_or_default();
        let model = self.model_in_words()?;
        let (state, candidates) = (self.state(), self.candidates()?);
        let spec = &state.spec;
        let round = state.round_under_way();
        let earlier = state.brought().len();
        let counts = Counts::of(self);
        let measured = self.measured(candidates);
        let choices = candidates.choices().text();
        let names = Names { choices };
        let mut survivors: Vec<Survivor> = report
            .survivors
            .iter()
            .enumerate()
            .map(|(k, choice)| {
                let id = choices[choice.index()].to_owned();
                let interval = report.intervals.get(k).map(Span::of);
                let row = candidates.find(&id).ok();
                let columns = row.map_or_else(Map::new, |row| columns(candidates, &spec.outcome, row));
                Survivor { measured: row.map_or(0, |row| measured[row]), id, columns, interval }
            })
            .collect();
        let sign = spec.aim.sign();
        let key = |survivor: &Survivor| survivor.interval.map_or(0.0, |span| sign * span.estimate);
        survivors.sort_by(|a, b| key(b).total_cmp(&key(a)));
        Ok(CampaignStatus {
            name: spec.name.clone(),
            outcome: spec.outcome.clone(),
            aim: spec.aim,
            goal: spec.goal.to_string(),
            mode: spec.mode,
            algorithm: spec.algorithm.clone(),
            model: model.clone(),
            created: state.created,
            event: state.head().event,
            head: state.head().hash,
            candidates: candidates.names().len(),
            choices: choices.len(),
            rounds: state.rounds().len() - usize::from(round.is_some()),
            round: round.map(|round| round.plan().round),
            asked: state.slot_count(),
            told: counts.told,
            open: counts.open,
            failed: counts.failed,
            workers: counts.workers,
            later: round.map_or(0, |round| round.points().len() - round.handed_out()),
            set_aside: self.set_aside()?,
            earlier,
            earlier_used,
            budget: spec.budget,
            goal_reached: report.status == elfving::bandit::Status::Finished(Reason::Reached)
                && report.guarantee != Guarantee::Withdrawn,
            stopped: self.stopped_for(report.status),
            guarantee: report.guarantee,
            waived: state.waived().map(str::to_owned),
            delta: report.delta,
            picks: report.picks.iter().map(|pick| choices[pick.index()].to_owned()).collect(),
            epsilon: report.epsilon,
            floor: report.floor,
            survivors,
            eliminated: report.eliminated.iter().map(|elimination| names.eliminated(elimination)).collect(),
            margins: report.margins,
            standing: report.standing,
            data_check: report.data_check.clone(),
            bets: report.bets.clone(),
            next_batch: next_batch.clone(),
            statement: statement(&About {
                report: &report,
                model: &model,
                aim: spec.aim,
                waived: state.waived(),
                next_batch: next_batch.as_ref(),
                earlier: if earlier_used { earlier } else { 0 },
                infeasible: state.barred().values().filter(|bar| bar.infeasible).count(),
                noisier: self.noisier_than_assumed(),
                range: spec.assumed.range,
            }),
        })
    }

    /// The model with its columns, in words: every statement of the campaign is about it.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn model_in_words(&self) -> Result<String, CampaignError> {
        let candidates = self.candidates()?;
        Ok(match self.spec().mode {
            Mode::Certified => candidates.model_in_words(),
            Mode::Calibrated => candidates.fitted_model_in_words(),
        })
    }

    /// What the algorithm knows, in the user's sign and by position.
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub fn report(&mut self) -> Result<Report, CampaignError> {
        self.engine_with_all()?;
        let engine = self.engine.as_ref().expect("it was built just now");
        Ok(engine::report(engine, self.state()))
    }

    /// How often each candidate was measured, in the campaign and before, by position.
    pub(crate) fn measured(&self, candidates: &Dataset) -> Vec<u64> {
        let mut measured = vec![0; candidates.names().len()];
        for (_, point, slot) in self.state().slots() {
            if let SlotState::Told(reading) = &slot.state {
                measured[point.index()] += reading.count();
            }
        }
        for (point, reading) in self.state().brought() {
            measured[point.index()] += reading.count();
        }
        measured
    }

    /// Outcomes whose own standard error is above the assumed σ.
    fn noisier_than_assumed(&self) -> usize {
        let Some(sigma) = self.spec().assumed.sigma_bound() else { return 0 };
        let above = |slot: &SlotRecord| match &slot.state {
            SlotState::Told(Reading::WithError { standard_error, .. }) => *standard_error > sigma,
            _ => false,
        };
        self.state().slots().filter(|(.., slot)| above(slot)).count()
    }

    /// The candidates that are neither measured nor chosen, and why.
    fn set_aside(&self) -> Result<Vec<AsideCandidate>, CampaignError> {
        let names = self.candidates()?.names();
        let aside = self.state().barred().iter().map(|(point, bar)| AsideCandidate {
            id: names.name(point.index()).into_owned(),
            infeasible: bar.infeasible,
            reason: bar.reason.clone(),
        });
        Ok(aside.collect())
    }
}

/// A candidate that is neither measured nor chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AsideCandidate {
    /// Its id.
    pub id: String,
    /// Whether it turned out to be impossible, rather than unwanted.
    pub infeasible: bool,
    /// Why.
    pub reason: String,
}

/// Slots by their state.
#[derive(Default)]
struct Counts {
    told: usize,
    open: usize,
    failed: usize,
    workers: BTreeMap<String, Vec<String>>,
}

impl Counts {
    fn of(campaign: &Campaign) -> Self {
        let mut counts = Self::default();
        let told = |slot: &SlotRecord| matches!(slot.state, SlotState::Told(_));
        counts.told = campaign.state().slots().filter(|(.., slot)| told(slot)).count();
        for (slot, _, record) in campaign.state().open() {
            counts.open += 1;
            counts.failed += usize::from(record.state == SlotState::Failed);
            if let Some(worker) = &record.worker {
                counts.workers.entry(worker.clone()).or_default().push(slot_name(slot));
            }
        }
        counts
    }
}

/// Choices by name.
pub(crate) struct Names<'a> {
    pub(crate) choices: &'a TextColumn,
}

impl Names<'_> {
    pub(crate) fn eliminated(&self, elimination: &Elimination) -> Eliminated {
        Eliminated {
            id: self.choices[elimination.choice.index()].to_owned(),
            by: self.choices[elimination.by.index()].to_owned(),
            round: elimination.round,
            difference: elimination.difference,
            threshold: elimination.threshold,
        }
    }
}
