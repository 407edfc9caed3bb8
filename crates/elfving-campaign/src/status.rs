//! Where a campaign stands, in the user's names, units and direction.

use std::collections::HashMap;

use elfving::bandit::{ChoiceInterval, Elimination, Guarantee, Margins, Report, Standing};
use elfving_table::TextColumn;
use serde::Serialize;

use crate::at::At;
use crate::batch::Stop;
use crate::campaign::Campaign;
use crate::chain::Digest;
use crate::error::CampaignError;
use crate::spec::{Aim, Mode};
use crate::state::SlotState;
use crate::statement::{About, statement};

/// Where a campaign stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
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
    /// Measurements of the round that are not handed out yet.
    pub later: usize,
    /// Measurements brought in from outside.
    pub earlier: usize,
    /// Whether the algorithm can use those.
    pub earlier_used: bool,
    /// Measurements in all, at most.
    pub budget: Option<u64>,
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
    /// The statement with every assumption, line by line.
    pub statement: Vec<String>,
}

/// A choice that is still in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survivor {
    /// Its id.
    pub id: String,
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
    pub fn status(&mut self) -> Result<Status, CampaignError> {
        let report = self.report()?;
        let earlier_used = self.engine()?.used_earlier();
        let sigma = self.spec().assumed.sigma;
        let conditional = self.engine()?.conditional(sigma);
        let (state, candidates) = (self.state(), self.candidates()?);
        let spec = &state.spec;
        let round = state.open_round();
        let earlier = state.earlier.iter().map(|group| group.measurements.len()).sum();
        let counts = Counts::of(self);
        let measured = self.measured()?;
        let choices = candidates.choices().text();
        let names = Names { choices };
        let mut survivors: Vec<Survivor> = report
            .survivors
            .iter()
            .enumerate()
            .map(|(k, choice)| {
                let id = choices[choice.index()].to_owned();
                let interval = report.intervals.get(k).map(Span::of);
                Survivor { measured: measured.get(id.as_str()).copied().unwrap_or(0), id, interval }
            })
            .collect();
        let sign = spec.aim.sign();
        let key = |survivor: &Survivor| survivor.interval.map_or(0.0, |span| sign * span.estimate);
        survivors.sort_by(|a, b| key(b).total_cmp(&key(a)));
        Ok(Status {
            name: spec.name.clone(),
            outcome: spec.outcome.clone(),
            aim: spec.aim,
            goal: spec.goal.to_string(),
            mode: spec.mode,
            algorithm: spec.algorithm.clone(),
            created: state.created,
            event: state.head().event,
            head: state.head().hash,
            candidates: candidates.names().len(),
            choices: choices.len(),
            rounds: state.closed_rounds(),
            round: round.map(|round| round.plan.round),
            asked: state.slot_count(),
            told: counts.told,
            open: counts.open,
            failed: counts.failed,
            later: round.map_or(0, |round| round.points.len() - round.handed_out),
            earlier,
            earlier_used,
            budget: spec.budget,
            stopped: self.stopped(&report),
            guarantee: report.guarantee,
            waived: state.waived.clone(),
            delta: report.delta,
            picks: report.picks.iter().map(|pick| choices[pick.index()].to_owned()).collect(),
            epsilon: report.epsilon,
            floor: report.floor,
            survivors,
            eliminated: report.eliminated.iter().map(|elimination| names.eliminated(elimination)).collect(),
            margins: report.margins,
            standing: report.standing,
            statement: statement(&About {
                report: &report,
                aim: spec.aim,
                waived: state.waived.as_deref(),
                conditional: conditional.as_ref(),
                earlier: if earlier_used { earlier } else { 0 },
                noisier: self.noisier_than_assumed(),
            }),
        })
    }

    /// What the algorithm knows, in the user's sign and by position.
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub fn report(&mut self) -> Result<Report, CampaignError> {
        self.engine()?;
        let engine = self.engine.as_ref().expect("it was built just now");
        Ok(engine.report(self.state()))
    }

    /// How often each candidate was measured, in the campaign and before.
    fn measured(&self) -> Result<HashMap<&str, u64>, CampaignError> {
        let ids = self.candidates()?.names().text();
        let mut measured: HashMap<&str, u64> = HashMap::new();
        for round in &self.state().rounds {
            for (point, slot) in round.points.iter().zip(&round.slots) {
                if let SlotState::Told(reading) = slot {
                    *measured.entry(&ids[point.index()]).or_default() += reading.values().len() as u64;
                }
            }
        }
        for (id, reading) in self.state().earlier.iter().flat_map(|group| &group.measurements) {
            *measured.entry(id).or_default() += reading.values().len() as u64;
        }
        Ok(measured)
    }

    /// Outcomes whose own standard error is above the assumed σ.
    fn noisier_than_assumed(&self) -> usize {
        let Some(sigma) = self.spec().assumed.sigma else { return 0 };
        let told = self.state().rounds.iter().flat_map(|round| &round.slots);
        let above = |slot: &&SlotState| match slot {
            SlotState::Told(reading) => reading.variance().is_some_and(|variance| variance > sigma * sigma),
            _ => false,
        };
        told.filter(above).count()
    }

    fn stopped(&self, report: &Report) -> Option<Stop> {
        use elfving::bandit::Status as Of;
        let state = self.state();
        match (state.open_round(), report.status, state.spec.budget) {
            (Some(_), ..) => None,
            (None, Of::Finished(reason), _) => Some(Stop::Finished(reason)),
            (None, _, Some(budget)) if state.planned() >= budget => {
                Some(Stop::Budget { measurements: budget })
            }
            _ => None,
        }
    }
}

/// Slots by their state.
struct Counts {
    told: usize,
    open: usize,
    failed: usize,
}

impl Counts {
    fn of(campaign: &Campaign) -> Self {
        let mut counts = Self { told: 0, open: 0, failed: 0 };
        for round in &campaign.state().rounds {
            for slot in &round.slots[..round.handed_out] {
                match slot {
                    SlotState::Told(_) => counts.told += 1,
                    _ if round.decision.is_some() => {}
                    SlotState::Open => counts.open += 1,
                    SlotState::Failed => {
                        counts.open += 1;
                        counts.failed += 1;
                    }
                }
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
