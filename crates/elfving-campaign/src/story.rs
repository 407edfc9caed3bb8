//! The stories behind a status: of one candidate, of every slot, of every round.

use elfving::bandit::{Decision, Plan, Reading, SlotState};
use elfving::pool::PointId;
use elfving_table::slot_name;
use serde::Serialize;

use crate::at::At;
use crate::batch::columns;
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::state::Seat;
use crate::status::{Eliminated, Names, Span};

/// All about one candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateStory {
    /// Its id.
    pub id: String,
    /// Whether it may be measured.
    pub measurable: bool,
    /// Its slots, in the order in which they were asked.
    pub slots: Vec<SlotStory>,
    /// Measurements brought in from outside.
    pub earlier: Vec<Reading>,
    /// Whether it is the answer, or one of them, if it had to be given now.
    pub pick: bool,
    /// Its estimate and interval, while it is in.
    pub interval: Option<Span>,
    /// Which bound removed it.
    pub eliminated: Option<Eliminated>,
    /// Whether it is left out because nobody wants it.
    pub forbidden: bool,
    /// Why it cannot be measured, where it cannot.
    pub infeasible: Option<String>,
}

/// One slot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlotStory {
    /// Its name.
    pub slot: String,
    /// The candidate.
    pub id: String,
    /// The round; 0 for what the user forced.
    pub round: u64,
    /// `told`, `open`, `failed` or `released`; `dropped` where its candidate was set aside; `missing` where the round was closed
    /// without it.
    pub state: &'static str,
    /// Who has it, or had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Its well, where the campaign has plates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub well: Option<String>,
    /// Its outcome.
    pub reading: Option<Reading>,
    /// The batch that it went out with last, and its place there.
    #[serde(skip)]
    pub(crate) place: Seat,
}

/// One round, as it was planned and decided. Points are positions in the candidates, decisions speak of choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundStory<'a> {
    /// The plan; number 0 is what the user forced.
    pub plan: &'a Plan,
    /// When its first slots were handed out.
    pub asked: At,
    /// Slots handed out.
    pub handed_out: usize,
    /// Measurements without an outcome, handed out or not.
    pub missing: usize,
    /// What was decided last before the next one; none while nothing is.
    pub decision: Option<&'a Decision>,
}

impl Campaign {
    /// All about one candidate: its slots, its interval, which bound removed it.
    ///
    /// # Errors
    /// [`CampaignError::UnknownCandidate`], and those of [`status`](Self::status).
    pub fn candidate(&mut self, id: &str) -> Result<CandidateStory, CampaignError> {
        let report = self.report()?;
        let (state, candidates) = (self.state(), self.candidates()?);
        let choices = candidates.choices().text();
        let choice = candidates.choices().find(id);
        let forbidden = state.spec.forbidden.iter().any(|known| known == id);
        let point = match candidates.find(id) {
            Ok(row) => Some(row),
            Err(error) if choice.is_none() && !forbidden => return Err(error.into()),
            Err(_) => None,
        };
        let bar = point.and_then(|point| state.barred().get(&PointId::new(point)));
        let measurable = point.is_some() && bar.is_none();
        let is_it = |choice_of: usize| Some(choice_of) == choice;
        let interval = report.intervals.iter().find(|interval| is_it(interval.choice.index()));
        let names = Names { choices };
        let eliminated = report.eliminated.iter().find(|elimination| is_it(elimination.choice.index()));
        let brought = state.brought().iter().filter(|(of, _)| Some(of.index()) == point);
        Ok(CandidateStory {
            id: id.to_owned(),
            measurable,
            slots: self.slots()?.into_iter().filter(|slot| slot.id == id).collect(),
            earlier: brought.map(|(_, reading)| reading.clone()).collect(),
            pick: report.picks.iter().any(|pick| is_it(pick.index())),
            interval: interval.map(Span::of),
            eliminated: eliminated.map(|elimination| names.eliminated(elimination)),
            forbidden: forbidden || bar.is_some_and(|bar| !bar.infeasible),
            infeasible: bar.filter(|bar| bar.infeasible).map(|bar| bar.reason.clone()),
        })
    }

    /// A candidate's own columns, as the user's table has them; none for one that is only to be chosen.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn columns_of(&self, id: &str) -> Result<serde_json::Map<String, serde_json::Value>, CampaignError> {
        let candidates = self.candidates()?;
        let row = candidates.find(id).ok();
        Ok(row.map_or_else(serde_json::Map::new, |row| columns(candidates, &self.spec().outcome, row)))
    }

    /// Every slot that was handed out, in order.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn slots(&self) -> Result<Vec<SlotStory>, CampaignError> {
        let names = self.candidates()?.names();
        let talk = &self.state().talk;
        let slots = talk.slots().map(|(slot, point, record)| {
            let round = talk.place(slot).map(|(round, _)| &talk.rounds()[round]).expect("it was handed out");
            let closed = round.is_closed() && !talk.is_anytime();
            let (state, reading) = match &record.state {
                SlotState::Told(reading) => ("told", Some(reading.clone())),
                SlotState::Dropped => ("dropped", None),
                _ if closed => ("missing", None),
                SlotState::Failed => ("failed", None),
                SlotState::Released => ("released", None),
                SlotState::Open => ("open", None),
            };
            let (slot, id) = (slot_name(slot), names.name(point.index()).into_owned());
            let (worker, place) = (record.worker.clone(), self.state().seat(record));
            let well = place.well();
            SlotStory { slot, id, round: round.plan().round, state, worker, well, reading, place }
        });
        Ok(slots.collect())
    }

    /// Every round, the one under way included.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = RoundStory<'_>> {
        let talk = &self.state().talk;
        let rounds = talk.rounds().iter().zip(&self.state().asked);
        let stories = rounds.map(|(round, asked)| RoundStory {
            plan: round.plan(),
            asked: *asked,
            handed_out: round.handed_out(),
            missing: round.missing(),
            decision: talk.decisions().filter(|decision| decision.round == round.plan().round).last(),
        });
        stories.collect::<Vec<_>>().into_iter()
    }
}
