//! What may be told, taken back, forbidden, decided, and what follows for the record.

use super::*;
use std::collections::BTreeSet;

impl Conversation {
    /// What it would mean to be told `outcome` for `slot`.
    pub fn judge(&self, slot: usize, outcome: &Outcome) -> Verdict {
        let Some((round, place)) = self.place(slot) else { return Verdict::NeverAsked };
        let round = &self.rounds[round];
        match (&round.slots[place].state, outcome) {
            (SlotState::Told(known), Outcome::Measured(told)) if known == told => Verdict::Repeated,
            (SlotState::Told(known), _) => Verdict::Conflict { known: known.clone() },
            _ if round.closed && !self.anytime => Verdict::TooLate,
            // Until it is handed out again, a failure told twice is one failure.
            (SlotState::Failed, Outcome::Failed) => Verdict::Repeated,
            (SlotState::Dropped, Outcome::Failed | Outcome::Infeasible) => Verdict::Repeated,
            _ => Verdict::New,
        }
    }

    /// The slot, if it can be told or failed now.
    fn open_slot(&mut self, slot: usize) -> Result<(&mut SlotRecord, &mut usize), String> {
        let refused = || format!("slot {slot} is not open");
        let (index, place) = self.place(slot).ok_or_else(refused)?;
        let round = &mut self.rounds[index];
        let told = matches!(round.slots[place].state, SlotState::Told(_));
        if told || (round.closed && !self.anytime) {
            return Err(refused());
        }
        Ok((&mut round.slots[place], &mut round.missing))
    }

    /// A slot has its outcome.
    ///
    /// # Errors
    /// When it is no outcome, or the slot is not open.
    pub fn tell(&mut self, slot: usize, reading: Reading) -> Result<(), String> {
        if let Some(problem) = reading.problem() {
            return Err(format!("slot {slot}: {problem}"));
        }
        let (record, missing) = self.open_slot(slot)?;
        if record.state != SlotState::Dropped {
            *missing -= 1;
        }
        record.state = SlotState::Told(reading);
        self.fresh.push(slot);
        Ok(())
    }

    /// An attempt failed; says how often it has now.
    ///
    /// # Errors
    /// When the slot is not open.
    pub fn fail(&mut self, slot: usize) -> Result<u64, String> {
        let (record, _) = self.open_slot(slot)?;
        if record.state != SlotState::Dropped {
            record.state = SlotState::Failed;
        }
        record.failures += 1;
        Ok(record.failures)
    }

    /// Slots are given back, for others to take, or given up for good.
    ///
    /// # Errors
    /// When one of them is not open.
    pub fn release(&mut self, slots: &[usize], for_good: bool) -> Result<(), String> {
        if for_good && !self.anytime {
            return Err("a round needs all its slots".to_owned());
        }
        for &slot in slots {
            let (record, missing) = self.open_slot(slot)?;
            if record.state == SlotState::Dropped {
                return Err(format!("slot {slot} is not open"));
            }
            if for_good {
                *missing -= 1;
                record.state = SlotState::Dropped;
            } else {
                (record.state, record.worker) = (SlotState::Released, None);
            }
        }
        Ok(())
    }

    /// Measurements from outside come in.
    ///
    /// # Errors
    /// When one of them is no outcome.
    pub fn bring(&mut self, measured: Vec<(PointId, Reading)>) -> Result<(), String> {
        if let Some(problem) = measured.iter().find_map(|(_, reading)| reading.problem()) {
            return Err(problem);
        }
        let from = self.brought.len();
        self.brought.extend(measured);
        self.steps.push(Step::Brought(from, self.brought.len()));
        self.unsettled = true;
        Ok(())
    }

    /// The pool has more points from here on.
    ///
    /// # Errors
    /// Where the policy decides by whole rounds, or when the points do not follow those there were.
    pub fn extend(&mut self, extension: Extension) -> Result<(), String> {
        let Extension { from, to, .. } = extension;
        let follows = self.extensions().last().is_none_or(|last| last.to == from);
        if !self.anytime || !follows || to <= from {
            return Err(format!("the pool cannot grow from {from} to {to} points here"));
        }
        self.steps.push(Step::Extended(extension));
        self.unsettled = true;
        Ok(())
    }

    /// Points are neither measured nor chosen from here on; their open slots are dropped.
    pub fn bar(&mut self, points: &[PointId], bar: &Bar) {
        let points: BTreeSet<PointId> = points.iter().copied().collect();
        self.barred.extend(points.iter().map(|point| (*point, bar.clone())));
        self.steps.push(Step::SetAside(self.set_aside()));
        self.unsettled = true;
        self.drop_slots(&points, &bar.reason);
    }

    /// Open slots of these points are dropped.
    pub(super) fn drop_slots(&mut self, points: &BTreeSet<PointId>, reason: &str) {
        if points.is_empty() {
            return;
        }
        let anytime = self.anytime;
        for round in self.rounds.iter_mut().filter(|round| !round.closed && round.missing > 0) {
            for (point, slot) in round.points.iter().zip(&mut round.slots) {
                let is_open = !matches!(slot.state, SlotState::Told(_) | SlotState::Dropped);
                if is_open && points.contains(point) {
                    slot.state = SlotState::Dropped;
                    round.missing -= 1;
                }
            }
            // Whoever needs the whole round does not get it any more.
            if !anytime
                && !round.plan.is_forced()
                && round.slots.iter().any(|slot| slot.state == SlotState::Dropped)
            {
                let number = round.plan.round;
                let why = format!("candidates of round {number} could not be measured ({reason})");
                self.waived.get_or_insert(why);
            }
        }
    }

    /// Points may be measured and chosen again.
    pub fn allow(&mut self, points: &[PointId]) {
        for point in points {
            self.barred.remove(point);
        }
        self.steps.push(Step::SetAside(self.set_aside()));
        self.unsettled = true;
    }

    /// Nothing is guaranteed from here on.
    pub fn waive(&mut self, why: impl Into<String>) {
        self.waived.get_or_insert(why.into());
    }

    /// The round under way is decided as a whole; `waived` where outcomes are missing.
    ///
    /// # Errors
    /// When there is none, or outcomes are missing and that is not said.
    pub fn close(&mut self, decision: Decision, waived: bool) -> Result<(), String> {
        let index = self.rounds.len().wrapping_sub(1);
        let Some(round) = self.rounds.last_mut().filter(|round| !round.closed) else {
            return Err("no round is open".to_owned());
        };
        if round.missing > 0 && !waived && !round.plan.is_forced() {
            return Err(format!("a round closes with {} slots open", round.missing));
        }
        if waived {
            let (open, number) = (round.missing, round.plan.round);
            self.waived.get_or_insert(format!("round {number} was closed with {open} measurements missing"));
        }
        round.closed = true;
        let (first, end) = (round.first, round.first + round.handed_out);
        self.fresh.retain(|slot| !(first..end).contains(slot));
        self.steps.push(Step::Round { round: index, decision });
        Ok(())
    }

    /// Something is decided from all data so far.
    ///
    /// # Errors
    /// Where the policy decides by whole rounds.
    pub fn decide(&mut self, decision: Decision) -> Result<(), String> {
        if !self.anytime {
            return Err("this algorithm decides by whole rounds".to_owned());
        }
        let fresh = std::mem::take(&mut self.fresh);
        if !fresh.is_empty() {
            self.steps.push(Step::Slots(fresh));
        }
        self.steps.push(Step::Decided(decision));
        self.unsettled = false;
        Ok(())
    }

    /// Replaces an outcome, or says that the measurement had failed; says whether something was decided on it.
    ///
    /// # Errors
    /// When the slot has another outcome, or a whole round was decided on the one that is taken back.
    pub fn replace(&mut self, slot: usize, from: &Reading, to: Option<Reading>) -> Result<bool, String> {
        let (index, place) = self.place(slot).ok_or_else(|| format!("slot {slot} was never asked"))?;
        let in_a_step = |step: &Step| match step {
            Step::Round { round, .. } => *round == index,
            Step::Slots(slots) => slots.contains(&slot),
            Step::Brought(..) | Step::SetAside(_) | Step::Decided(_) | Step::Extended(_) => false,
        };
        let decided = self.steps.iter().any(in_a_step);
        let barred = self.barred.contains_key(&self.rounds[index].points[place]);
        let round = &mut self.rounds[index];
        let record = &mut round.slots[place];
        if record.state != SlotState::Told(from.clone()) {
            return Err(format!("slot {slot} did not have the outcome that is corrected"));
        }
        match to {
            Some(reading) if reading.problem().is_none() => record.state = SlotState::Told(reading),
            None if !round.closed => {
                // Nobody is asked again for what is set aside.
                record.state = if barred { SlotState::Dropped } else { SlotState::Failed };
                round.missing += usize::from(!barred);
                self.fresh.retain(|fresh| *fresh != slot);
                for step in &mut self.steps {
                    if let Step::Slots(slots) = step {
                        slots.retain(|told| *told != slot);
                    }
                }
            }
            _ => return Err(format!("slot {slot} is corrected to what is no outcome")),
        }
        Ok(decided)
    }

    /// Puts other decisions in the place of the first ones; later ones stay.
    pub fn decide_first_again(&mut self, decisions: &[Decision]) {
        let places = self.steps.iter_mut().filter_map(|step| match step {
            Step::Round { decision, .. } | Step::Decided(decision) => Some(decision),
            Step::Slots(_) | Step::Brought(..) | Step::SetAside(_) | Step::Extended(_) => None,
        });
        places.zip(decisions).for_each(|(place, decision)| place.clone_from(decision));
    }

    /// Puts other decisions in the place of those made so far.
    ///
    /// # Errors
    /// Unless there is one for each.
    pub fn decide_again(&mut self, decisions: Vec<Decision>) -> Result<(), String> {
        let (made, given) = (self.decisions().count(), decisions.len());
        if made != given {
            return Err(format!("{given} decisions for {made} that were made"));
        }
        self.decide_first_again(&decisions);
        Ok(())
    }
}
