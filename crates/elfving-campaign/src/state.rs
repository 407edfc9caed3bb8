//! The state of a campaign: a replay of its events, light enough to be done whenever a file is opened.

use elfving::bandit::{Decision, Outcome, Plan, Reading};
use elfving::pool::PointId;
use elfving_table::slot_name;

use crate::at::At;
use crate::event::{
    Asking, BroughtIn, Change, Closing, Correction, Creation, Event, Failing, Recorded, Telling,
};
use crate::spec::Spec;
use crate::store::Head;

/// What the events amount to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub(crate) spec: Spec,
    pub(crate) created: At,
    pub(crate) rounds: Vec<Round>,
    pub(crate) earlier: Vec<Earlier>,
    /// Why nothing is guaranteed any more.
    pub(crate) waived: Option<String>,
    head: Head,
}

/// One round: its plan, its slots, and what it decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Round {
    pub(crate) plan: Plan,
    /// The candidate of each slot, in run order.
    pub(crate) points: Vec<PointId>,
    /// The measurement of the plan that each slot is; as planned without it.
    order: Option<Vec<usize>>,
    /// The number of its first slot.
    pub(crate) first: usize,
    pub(crate) handed_out: usize,
    pub(crate) slots: Vec<SlotState>,
    pub(crate) asked: At,
    /// Slots without an outcome, handed out or not.
    pub(crate) missing: usize,
    pub(crate) decision: Option<Decision>,
}

/// What is known of a slot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SlotState {
    Open,
    /// Open, after a failure.
    Failed,
    Told(Reading),
}

/// Measurements from outside, and how many rounds were closed when they came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Earlier {
    pub(crate) after: usize,
    pub(crate) measurements: Vec<(String, Reading)>,
}

/// What an outcome for a slot would be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    New,
    Repeated,
    Conflict { known: Reading, closed: bool },
    TooLate,
    NeverAsked,
}

impl State {
    /// Begins with the first event.
    pub(crate) fn begin(first: Recorded) -> Result<Self, String> {
        let head = Head { event: first.seq, hash: first.hash };
        match first.event {
            Event::Created(creation) => {
                let Creation { spec, .. } = *creation;
                let (rounds, earlier, waived) = (Vec::new(), Vec::new(), None);
                Ok(Self { spec, created: first.at, rounds, earlier, waived, head })
            }
            other => Err(format!("event 1 is {:?}, not the creation", other.kind())),
        }
    }

    /// Takes in the next event; says what is wrong with one that cannot have happened. Cost: linear in the event.
    pub(crate) fn apply(&mut self, recorded: Recorded) -> Result<(), String> {
        let Recorded { seq, at, event, hash } = recorded;
        let applied = match event {
            Event::Created(_) => Err("a second creation".to_owned()),
            Event::Asked(asking) => self.asked(asking, at),
            Event::Told(telling) => self.told(telling),
            Event::Failed(failing) => self.failed(&failing),
            Event::Corrected(correction) => self.corrected(correction),
            Event::Closed(closing) => self.closed(closing),
            Event::Earlier(brought_in) => self.brought_in(brought_in),
        };
        self.head = Head { event: seq, hash };
        applied.map_err(|what| format!("event {seq}: {what}"))
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// The round under way.
    pub(crate) fn open_round(&self) -> Option<&Round> {
        self.rounds.last().filter(|round| round.decision.is_none())
    }

    /// How many rounds are decided.
    pub(crate) fn closed_rounds(&self) -> usize {
        self.rounds.len() - usize::from(self.open_round().is_some())
    }

    /// How many slots were handed out.
    pub(crate) fn slot_count(&self) -> usize {
        self.rounds.last().map_or(0, |round| round.first + round.handed_out)
    }

    /// Measurements that the budget counts: all that were planned.
    pub(crate) fn planned(&self) -> u64 {
        self.rounds.iter().map(|round| round.points.len() as u64).sum()
    }

    /// The round of a slot and its place there.
    pub(crate) fn place(&self, slot: usize) -> Option<(usize, usize)> {
        let round = self.rounds.partition_point(|round| round.first <= slot).checked_sub(1)?;
        let place = slot - self.rounds[round].first;
        (place < self.rounds[round].handed_out).then_some((round, place))
    }

    /// The candidate of a slot.
    pub(crate) fn point(&self, slot: usize) -> Option<PointId> {
        self.place(slot).map(|(round, place)| self.rounds[round].points[place])
    }

    /// What it would mean to be told `outcome` for `slot`.
    pub(crate) fn judge(&self, slot: usize, outcome: &Outcome) -> Verdict {
        let Some((round, place)) = self.place(slot) else { return Verdict::NeverAsked };
        let round = &self.rounds[round];
        let closed = round.decision.is_some();
        match (&round.slots[place], outcome) {
            (SlotState::Told(known), Outcome::Measured(told)) if known == told => Verdict::Repeated,
            (SlotState::Told(known), _) => Verdict::Conflict { known: known.clone(), closed },
            _ if closed => Verdict::TooLate,
            (SlotState::Failed, Outcome::Failed) => Verdict::Repeated,
            _ => Verdict::New,
        }
    }

    fn asked(&mut self, asking: Asking, at: At) -> Result<(), String> {
        let Asking { plan, order, handed_out } = asking;
        match (plan, self.open_round().is_some()) {
            (Some(_), true) => return Err("a round begins while another one is open".to_owned()),
            (None, false) => return Err("slots are handed out and no round is open".to_owned()),
            (Some(plan), false) => {
                let first = self.slot_count();
                self.rounds.push(Round::begin(plan, order, first, at)?);
            }
            (None, true) => {}
        }
        let round = self.rounds.last_mut().expect("a round is open");
        if !(round.handed_out < handed_out && handed_out <= round.points.len()) {
            return Err(format!("{handed_out} slots of {} are handed out", round.points.len()));
        }
        round.handed_out = handed_out;
        Ok(())
    }

    /// The slot, if it can be told or failed now.
    fn open_slot(&mut self, slot: usize) -> Result<(&mut SlotState, &mut usize), String> {
        let refused = || format!("slot {slot} is not open");
        let (index, place) = self.place(slot).ok_or_else(refused)?;
        let round = &mut self.rounds[index];
        if round.decision.is_some() || matches!(round.slots[place], SlotState::Told(_)) {
            return Err(refused());
        }
        Ok((&mut round.slots[place], &mut round.missing))
    }

    fn told(&mut self, telling: Telling) -> Result<(), String> {
        for (slot, reading) in telling.results {
            if let Some(problem) = reading.problem() {
                return Err(format!("slot {slot}: {problem}"));
            }
            let (state, missing) = self.open_slot(slot)?;
            *state = SlotState::Told(reading);
            *missing -= 1;
        }
        Ok(())
    }

    fn failed(&mut self, failing: &Failing) -> Result<(), String> {
        for &slot in &failing.slots {
            *self.open_slot(slot)?.0 = SlotState::Failed;
        }
        Ok(())
    }

    fn corrected(&mut self, correction: Correction) -> Result<(), String> {
        let mut late = None;
        for change in correction.changes {
            let slot = change.slot;
            if self.replace(change)? {
                late = Some(slot);
            }
        }
        match (correction.decisions, late) {
            (Some(decisions), _) => self.decide_again(decisions)?,
            (None, Some(slot)) => {
                let (slot, algorithm) = (slot_name(slot), &self.spec.algorithm);
                let why = format!(
                    "slot {slot} was corrected after its round was closed, and {algorithm} does not decide from all data anew"
                );
                self.waived.get_or_insert(why);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Replaces one outcome; says whether its round is closed.
    pub(crate) fn replace(&mut self, change: Change) -> Result<bool, String> {
        let Change { slot, from, to } = change;
        let (index, place) = self.place(slot).ok_or_else(|| format!("slot {slot} was never asked"))?;
        let round = &mut self.rounds[index];
        let closed = round.decision.is_some();
        if round.slots[place] != SlotState::Told(from) {
            return Err(format!("slot {slot} did not have the outcome that is corrected"));
        }
        match to {
            Some(reading) if reading.problem().is_none() => round.slots[place] = SlotState::Told(reading),
            None if !closed => {
                round.slots[place] = SlotState::Failed;
                round.missing += 1;
            }
            _ => return Err(format!("slot {slot} is corrected to what is no outcome")),
        }
        Ok(closed)
    }

    fn decide_again(&mut self, decisions: Vec<Decision>) -> Result<(), String> {
        if decisions.len() != self.closed_rounds() {
            return Err(format!("{} decisions for {} closed rounds", decisions.len(), self.closed_rounds()));
        }
        for (round, decision) in self.rounds.iter_mut().zip(decisions) {
            round.decision = Some(decision);
        }
        Ok(())
    }

    fn closed(&mut self, closing: Closing) -> Result<(), String> {
        let Some(round) = self.rounds.last_mut().filter(|round| round.decision.is_none()) else {
            return Err("no round is open".to_owned());
        };
        if round.missing > 0 && !closing.waived && !round.plan.is_forced() {
            return Err(format!("a round closes with {} slots open", round.missing));
        }
        if closing.waived {
            let (open, number) = (round.missing, round.plan.round);
            let why = format!("round {number} was closed with {open} measurements missing");
            self.waived.get_or_insert(why);
        }
        round.decision = Some(closing.decision);
        Ok(())
    }

    fn brought_in(&mut self, brought_in: BroughtIn) -> Result<(), String> {
        let measurements = brought_in.measurements;
        if let Some(problem) = measurements.iter().find_map(|(_, reading)| reading.problem()) {
            return Err(problem);
        }
        self.earlier.push(Earlier { after: self.closed_rounds(), measurements });
        Ok(())
    }
}

impl Round {
    fn begin(plan: Plan, order: Option<Vec<usize>>, first: usize, asked: At) -> Result<Self, String> {
        let planned = plan.measurements.points();
        let count = planned.len();
        let points = match &order {
            None => planned,
            Some(order) if is_permutation(order, count) => order.iter().map(|&k| planned[k]).collect(),
            Some(_) => return Err("the run order is not one of the plan".to_owned()),
        };
        let slots = vec![SlotState::Open; count];
        Ok(Self { plan, points, order, first, handed_out: 0, slots, asked, missing: count, decision: None })
    }

    /// Slots that are handed out and have no outcome, by their numbers.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = usize> {
        let open = |&place: &usize| !matches!(self.slots[place], SlotState::Told(_));
        (0..self.handed_out).filter(open).map(|place| self.first + place)
    }

    /// The reading of each measurement in the order of the plan.
    pub(crate) fn readings(&self) -> Vec<Option<&Reading>> {
        let mut readings = vec![None; self.slots.len()];
        for (place, slot) in self.slots.iter().enumerate() {
            if let SlotState::Told(reading) = slot {
                readings[self.measurement(place)] = Some(reading);
            }
        }
        readings
    }

    /// Which measurement of the plan a slot is.
    pub(crate) fn measurement(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place])
    }
}

fn is_permutation(order: &[usize], count: usize) -> bool {
    let mut seen = vec![false; count];
    order.len() == count
        && order.iter().all(|&k| seen.get_mut(k).is_some_and(|seen| !std::mem::replace(seen, true)))
}
