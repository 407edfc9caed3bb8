//! Who gets which slots.

use super::*;
use std::collections::BTreeSet;

impl Conversation {
    /// Where up to `size` slots for a worker come from.
    ///
    /// Who gives a name gets the own open slots again, filled up with others. Who gives none is shown the last batch again until
    /// something of it came back; then what failed, and new slots beside those that are still under way.
    pub fn supply(&self, worker: Option<&str>, size: usize) -> Supply {
        let of_nobody_else = |slot: &SlotRecord| slot.worker.as_deref() == worker;
        let own: Vec<usize> = match worker {
            Some(_) => self.open().filter(|(.., slot)| of_nobody_else(slot)).map(|(slot, ..)| slot).collect(),
            None => self.untouched_batch(),
        };
        // An attempt that failed is a new one when it goes out again.
        let all_under_way = self.slots_are_open(&own);
        if all_under_way && (worker.is_none() && !own.is_empty() || own.len() >= size) {
            return Supply::Again(own);
        }
        let is_free = |slot: &SlotRecord| match slot.state {
            SlotState::Released => true,
            SlotState::Failed => slot.worker.is_none() || of_nobody_else(slot),
            _ => false,
        };
        let held: BTreeSet<usize> = own.iter().copied().collect();
        let free = self.open().filter(|(.., slot)| is_free(slot)).map(|(slot, ..)| slot);
        let room = size.saturating_sub(own.len());
        let mut taken = own;
        taken.extend(free.filter(|slot| !held.contains(slot)).take(room));
        taken.sort_unstable();
        let left = size.saturating_sub(taken.len());
        let waiting = self.rounds.last().filter(|round| !round.closed);
        let of_round = waiting.map_or(0, |round| left.min(round.points.len() - round.handed_out));
        let may_plan = self.anytime || waiting.is_none();
        let to_plan = if may_plan { left - of_round } else { 0 };
        if taken.is_empty() && of_round == 0 && to_plan == 0 && worker.is_none() {
            return Supply::Again(self.open().map(|(slot, ..)| slot).collect());
        }
        Supply::More { taken, of_round, to_plan }
    }

    fn slots_are_open(&self, slots: &[usize]) -> bool {
        slots.iter().all(|slot| self.slot(*slot).is_some_and(|slot| slot.state == SlotState::Open))
    }

    /// The last batch of who gives no name, while nothing of it came back.
    fn untouched_batch(&self) -> Vec<usize> {
        let batch = self.last_batch(None);
        let is_with_us = |slot: &usize| {
            let closed = self.place(*slot).is_none_or(|(round, _)| self.rounds[round].closed);
            !closed
                && self.slot(*slot).is_some_and(|slot| slot.state == SlotState::Open && slot.worker.is_none())
        };
        let dropped = |slot: &usize| self.slot(*slot).is_some_and(|slot| slot.state == SlotState::Dropped);
        let left: Vec<usize> = batch.iter().copied().filter(|slot| !dropped(slot)).collect();
        if left.iter().all(is_with_us) { left } else { Vec::new() }
    }

    /// A plan begins; nothing of it is handed out yet.
    ///
    /// # Errors
    /// Inside a round that needs all its outcomes, or with an order that is none of the plan.
    pub fn begin(&mut self, plan: Plan, order: Option<Vec<usize>>) -> Result<(), String> {
        let waits = |round: &Round| !round.closed && (!self.anytime || round.handed_out < round.points.len());
        if self.rounds.last().is_some_and(waits) {
            return Err("a round begins while another one is open".to_owned());
        }
        let first = self.slot_count();
        self.rounds.push(Round::begin(plan, order, first)?);
        // A design by whole rounds knows nothing of what cannot be measured.
        let barred: BTreeSet<PointId> = self.barred.keys().copied().collect();
        self.drop_slots(&barred, "they were set aside before");
        Ok(())
    }

    /// Slots go out.
    ///
    /// # Errors
    /// What cannot be: a round inside another one that needs all its outcomes, slots that are not there.
    pub fn hand_out(&mut self, handing: Handing) -> Result<(), String> {
        let Handing { plan, order, handed_out, again, with_those_before, worker, by: _ } = handing;
        if let Some(plan) = plan {
            self.begin(plan, order)?;
        }
        let key = worker.clone().unwrap_or_default();
        let before = self.batches.get(&key).filter(|_| with_those_before);
        let mut batch = before.cloned().unwrap_or_default();
        // What is under way stays where it is: new slots take the seats behind.
        let stays = |slot: &&usize| {
            let record = self.slot(**slot);
            record.is_some_and(|record| record.state == SlotState::Open && record.worker == worker)
        };
        let kept: BTreeSet<usize> = again.iter().filter(stays).copied().collect();
        let seated = || batch.iter().chain(&kept).filter_map(|slot| self.slot(*slot));
        let number = seated().map(|record| record.batch).max().unwrap_or(self.batch_count + 1);
        let mut seat = seated().map(|record| record.seat + 1).max().unwrap_or(0);
        self.batch_count = self.batch_count.max(number);
        for &slot in &again {
            let (round, place) = self.place(slot).ok_or_else(|| format!("slot {slot} was never asked"))?;
            let record = &mut self.rounds[round].slots[place];
            if !matches!(record.state, SlotState::Open | SlotState::Failed | SlotState::Released) {
                return Err(format!("slot {slot} is handed out again and is not open"));
            }
            (record.state, record.worker) = (SlotState::Open, worker.clone());
            if !kept.contains(&slot) {
                (record.batch, record.seat) = (number, seat);
                seat += 1;
            }
            batch.push(slot);
        }
        let Some(round) = self.rounds.last_mut() else {
            return Err("slots are handed out and no round is open".to_owned());
        };
        let from = round.handed_out;
        if handed_out < from || handed_out > round.points.len() || (handed_out > from && round.closed) {
            return Err(format!("{handed_out} slots of {} are handed out", round.points.len()));
        }
        if handed_out == from && again.is_empty() {
            return Err("no slot is handed out".to_owned());
        }
        round.handed_out = handed_out;
        for place in from..handed_out {
            let slot = &mut round.slots[place];
            if slot.state == SlotState::Open {
                slot.worker.clone_from(&worker);
                (slot.batch, slot.seat) = (number, seat);
                seat += 1;
                batch.push(round.first + place);
            }
        }
        self.batches.insert(key, batch);
        Ok(())
    }
}
