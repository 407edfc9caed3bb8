//! The stories behind a status: of one candidate, of every slot, of every round.

use elfving::bandit::{Decision, Plan, Reading};
use elfving_table::slot_name;
use serde::Serialize;

use crate::at::At;
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::state::SlotState;
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
    /// Whether it was left out from the start.
    pub forbidden: bool,
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
    /// `told`, `open` or `failed`; `missing` where the round was closed without it.
    pub state: &'static str,
    /// Its outcome.
    pub reading: Option<Reading>,
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
    /// What it decided; none while it is under way.
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
        let row = candidates.find(id);
        let measurable = row.is_ok();
        if choice.is_none() && !forbidden {
            row?;
        }
        let is_it = |choice_of: usize| Some(choice_of) == choice;
        let interval = report.intervals.iter().find(|interval| is_it(interval.choice.index()));
        let names = Names { choices };
        let eliminated = report.eliminated.iter().find(|elimination| is_it(elimination.choice.index()));
        let measurements = state.earlier.iter().flat_map(|group| &group.measurements);
        Ok(CandidateStory {
            id: id.to_owned(),
            measurable,
            slots: self.slots()?.into_iter().filter(|slot| slot.id == id).collect(),
            earlier: measurements.filter(|(of, _)| of == id).map(|(_, reading)| reading.clone()).collect(),
            pick: report.picks.iter().any(|pick| is_it(pick.index())),
            interval: interval.map(Span::of),
            eliminated: eliminated.map(|elimination| names.eliminated(elimination)),
            forbidden,
        })
    }

    /// Every slot that was handed out, in order.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn slots(&self) -> Result<Vec<SlotStory>, CampaignError> {
        let names = self.candidates()?.names();
        let mut slots = Vec::with_capacity(self.state().slot_count());
        for round in &self.state().rounds {
            for place in 0..round.handed_out {
                let (state, reading) = match &round.slots[place] {
                    SlotState::Told(reading) => ("told", Some(reading.clone())),
                    _ if round.decision.is_some() => ("missing", None),
                    SlotState::Failed => ("failed", None),
                    SlotState::Open => ("open", None),
                };
                let id = names.name(round.points[place].index()).into_owned();
                let slot = slot_name(round.first + place);
                slots.push(SlotStory { slot, id, round: round.plan.round, state, reading });
            }
        }
        Ok(slots)
    }

    /// Every round, the one under way included.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = RoundStory<'_>> {
        self.state().rounds.iter().map(|round| RoundStory {
            plan: &round.plan,
            asked: round.asked,
            handed_out: round.handed_out,
            missing: round.missing,
            decision: round.decision.as_ref(),
        })
    }
}
