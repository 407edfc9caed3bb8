//! The record of asking and telling: slots, rounds, what was decided. Nothing is computed here.
//!
//! A campaign folds its events into a [`Conversation`]; a [`Bandit`](super::Bandit) in memory keeps one beside its policy. Both
//! apply the same rules: who gets which slots, what may be told, what a decision rests on.

use super::{Decision, Outcome, Plan, Reading, SetAside};
use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Slots, rounds, decisions and who holds what.
///
/// ```
/// use elfving::bandit::{Conversation, Handing, Plan, Supply};
/// use elfving::pool::PointId;
/// let mut talk = Conversation::new(true);
/// let plan = Plan::chosen(1, vec![PointId::new(4), PointId::new(2)]);
/// talk.hand_out(Handing { plan: Some(plan), handed_out: 2, ..Handing::default() })?;
/// talk.tell(0, 0.5.into())?;
/// // One came back and one is under way: two more are planned beside it.
/// assert_eq!(talk.supply(None, 2), Supply::More { taken: vec![], of_round: 0, to_plan: 2 });
/// assert_eq!(talk.pending(), [PointId::new(2)]);
/// let text = serde_json::to_string(&talk)?;
/// assert_eq!(serde_json::from_str::<Conversation>(&text)?, talk);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Whether the policy decides from all data at any time; otherwise it needs whole rounds.
    anytime: bool,
    rounds: Vec<Round>,
    brought: Vec<(PointId, Reading)>,
    steps: Vec<Step>,
    /// Slots told since the last decision, in the order in which they came.
    fresh: Vec<usize>,
    /// Whether something else came in since then: measurements brought in, candidates set aside.
    unsettled: bool,
    barred: BTreeMap<PointId, Bar>,
    /// The last slots that each worker was shown; "" is the one who gives no name.
    batches: BTreeMap<String, Vec<usize>>,
    /// How many batches went out.
    #[serde(default)]
    batch_count: usize,
    waived: Option<String>,
}

/// What was planned at once: the plan, its slots, and whether it is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    plan: Plan,
    /// The candidate of each slot, in run order.
    points: Vec<PointId>,
    /// The measurement of the plan that each slot is; as planned without it.
    order: Option<Vec<usize>>,
    /// The number of its first slot.
    first: usize,
    handed_out: usize,
    slots: Vec<SlotRecord>,
    /// Slots without an outcome, handed out or not.
    missing: usize,
    /// Whether it was decided as a whole.
    closed: bool,
}

/// What is known of a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotRecord {
    /// Where it stands.
    pub state: SlotState,
    /// Who has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// How often it failed.
    #[serde(default)]
    pub failures: u64,
    /// The batch that it went out with last.
    #[serde(default)]
    pub batch: usize,
    /// Its place in that batch, from 0: the well of a plate.
    #[serde(default)]
    pub seat: usize,
}

/// Where a slot stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotState {
    /// Under way.
    Open,
    /// An attempt failed: it is handed out again.
    Failed,
    /// It was given back: it is handed out again.
    Released,
    /// Its candidate was set aside. An outcome may still be told.
    Dropped,
    /// It has its outcome.
    Told(Reading),
}

/// Why a point is neither measured nor chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// Whether it turned out to be impossible, rather than unwanted.
    pub infeasible: bool,
    /// Why, in the user's words or ours.
    pub reason: String,
}

/// What a policy is given, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A round that was decided as a whole, with all its outcomes or those there were.
    Round {
        /// Its place among the rounds.
        round: usize,
        /// What it decided.
        decision: Decision,
    },
    /// Outcomes of slots, as they came.
    Slots(Vec<usize>),
    /// Measurements from outside: from this one up to that one.
    Brought(usize, usize),
    /// All points that are neither measured nor chosen from here on.
    SetAside(SetAside),
    /// What was decided from all data so far.
    Decided(Decision),
    /// The pool has more points from here on.
    Extended(Extension),
}

/// Points that came to the pool later, behind those there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// How many points there were.
    pub from: usize,
    /// How many there are now.
    pub to: usize,
    /// Whether the points are what is chosen among, so that there are as many choices.
    pub chosen_among: bool,
}

/// Slots that go out: what was released or failed, more of the round under way, a new plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Handing {
    /// A plan that begins here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Its run order: slot k is measurement `order[k]` of the plan. Without one, as planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<usize>>,
    /// How many slots of the last round are out, with these.
    pub handed_out: usize,
    /// Slots that were out before, and go out again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<usize>,
    /// Whether they belong to one batch with those handed out just before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_those_before: bool,
    /// Who gets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Where the next slots of a worker come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply {
    /// These are with the worker already.
    Again(Vec<usize>),
    /// New ones.
    More {
        /// Slots that failed, were released, or are with the worker.
        taken: Vec<usize>,
        /// So many more of the round under way.
        of_round: usize,
        /// So many are to be planned.
        to_plan: usize,
    },
}

/// What an outcome for a slot would be.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// New.
    New,
    /// On record already.
    Repeated,
    /// Another one is on record.
    Conflict {
        /// The one on record.
        known: Reading,
    },
    /// The round was decided without it.
    TooLate,
    /// No such slot was handed out.
    NeverAsked,
}

impl Conversation {
    /// Nothing asked yet, of a policy that decides at any time or by whole rounds.
    pub fn new(anytime: bool) -> Self {
        Self {
            anytime,
            rounds: Vec::new(),
            brought: Vec::new(),
            steps: Vec::new(),
            fresh: Vec::new(),
            unsettled: false,
            barred: BTreeMap::new(),
            batches: BTreeMap::new(),
            batch_count: 0,
            waived: None,
        }
    }

    /// Whether the policy decides from all data at any time.
    pub fn is_anytime(&self) -> bool {
        self.anytime
    }

    /// Every round, in the order in which they were planned.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// What the policy is given, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Measurements from outside.
    pub fn brought(&self) -> &[(PointId, Reading)] {
        &self.brought
    }

    /// Slots told since the last decision.
    pub fn fresh(&self) -> &[usize] {
        &self.fresh
    }

    /// Why nothing is guaranteed any more.
    pub fn waived(&self) -> Option<&str> {
        self.waived.as_deref()
    }

    /// The points that are neither measured nor chosen, and why.
    pub fn barred(&self) -> &BTreeMap<PointId, Bar> {
        &self.barred
    }

    /// The same, as a policy wants it.
    pub fn set_aside(&self) -> SetAside {
        let infeasible = self.barred.iter().filter(|(_, bar)| bar.infeasible).map(|(point, _)| *point);
        SetAside { points: self.barred.keys().copied().collect(), infeasible: infeasible.collect() }
    }

    /// What was decided so far, in order.
    pub fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.steps.iter().filter_map(|step| match step {
            Step::Round { decision, .. } | Step::Decided(decision) => Some(decision),
            Step::Slots(_) | Step::Brought(..) | Step::SetAside(_) | Step::Extended(_) => None,
        })
    }

    /// The points that came to the pool later, in order.
    pub fn extensions(&self) -> impl Iterator<Item = &Extension> {
        self.steps.iter().filter_map(|step| match step {
            Step::Extended(extension) => Some(extension),
            _ => None,
        })
    }

    /// The conversation as far as the policies of a pool with so many extensions go: up to the next one.
    #[must_use]
    pub fn with_extensions(&self, count: usize) -> Self {
        let mut talk = self.clone();
        if let Some(end) = self.extended_at(count) {
            talk.steps.truncate(end);
        }
        talk
    }

    /// The step of an extension, counted from 0.
    fn extended_at(&self, number: usize) -> Option<usize> {
        let extended = |(_, step): &(usize, &Step)| matches!(step, Step::Extended(_));
        self.steps.iter().enumerate().filter(extended).map(|(at, _)| at).nth(number)
    }

    /// The number of steps up to the last extension, with it.
    pub(super) fn steps_before_last_pool(&self) -> usize {
        self.extended_at(self.extensions().count().wrapping_sub(1)).map_or(0, |at| at + 1)
    }

    /// The number of the last plan; 0 before the first.
    pub fn last_round(&self) -> u64 {
        self.rounds.iter().map(|round| round.plan.round).max().unwrap_or(0)
    }

    /// The round that a policy by whole rounds is in.
    pub fn round_under_way(&self) -> Option<&Round> {
        self.rounds.last().filter(|round| !round.closed && (!self.anytime || round.missing > 0))
    }

    /// How many slots were handed out.
    pub fn slot_count(&self) -> usize {
        self.rounds.last().map_or(0, |round| round.first + round.handed_out)
    }

    /// Measurements planned.
    pub fn planned(&self) -> u64 {
        self.rounds.iter().map(|round| round.points.len() as u64).sum()
    }

    /// The round of a slot that was handed out, and its place there.
    pub fn place(&self, slot: usize) -> Option<(usize, usize)> {
        let round = self.rounds.partition_point(|round| round.first <= slot).checked_sub(1)?;
        let place = slot - self.rounds[round].first;
        (place < self.rounds[round].handed_out).then_some((round, place))
    }

    /// What is known of a slot that was handed out.
    pub fn slot(&self, slot: usize) -> Option<&SlotRecord> {
        self.place(slot).map(|(round, place)| &self.rounds[round].slots[place])
    }

    /// The point of a slot that was handed out.
    pub fn point(&self, slot: usize) -> Option<PointId> {
        self.place(slot).map(|(round, place)| self.rounds[round].points[place])
    }

    /// How many batches went out.
    pub fn batch_count(&self) -> usize {
        self.batch_count
    }

    /// The slots that a worker was shown last; those of who gives no name without one.
    pub fn last_batch(&self, worker: Option<&str>) -> &[usize] {
        self.batches.get(worker.unwrap_or("")).map_or(&[], Vec::as_slice)
    }

    /// Every slot that was handed out, with its number and point.
    pub fn slots(&self) -> impl Iterator<Item = (usize, PointId, &SlotRecord)> {
        self.rounds.iter().flat_map(|round| {
            let handed_out = round.points.iter().zip(&round.slots).take(round.handed_out);
            handed_out.enumerate().map(|(place, (point, slot))| (round.first + place, *point, slot))
        })
    }

    /// Slots that were handed out, have no outcome and may get one.
    pub fn open(&self) -> impl Iterator<Item = (usize, PointId, &SlotRecord)> {
        let rounds = self.rounds.iter().filter(|round| !round.closed && round.missing > 0);
        rounds.flat_map(|round| {
            let handed_out = round.points.iter().zip(&round.slots).take(round.handed_out);
            let slots =
                handed_out.enumerate().map(|(place, (point, slot))| (round.first + place, *point, slot));
            slots.filter(|(_, _, slot)| !matches!(slot.state, SlotState::Told(_) | SlotState::Dropped))
        })
    }

    /// The points of open slots: what a plan must count as under way.
    pub fn pending(&self) -> Vec<PointId> {
        self.open().map(|(_, point, _)| point).collect()
    }

    /// Whether the policy by whole rounds has all that it is going to get of its round.
    pub fn is_round_complete(&self) -> bool {
        !self.anytime && self.rounds.last().is_some_and(|round| !round.closed && round.missing == 0)
    }

    /// Whether a decision at any time is due: something came in since the last one.
    pub fn is_unsettled(&self) -> bool {
        self.anytime && (self.unsettled || !self.fresh.is_empty())
    }

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
    fn drop_slots(&mut self, points: &BTreeSet<PointId>, reason: &str) {
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

impl Round {
    fn begin(plan: Plan, order: Option<Vec<usize>>, first: usize) -> Result<Self, String> {
        let planned = plan.measurements.points();
        let count = planned.len();
        let points = match &order {
            None => planned,
            Some(order) if is_permutation(order, count) => order.iter().map(|&k| planned[k]).collect(),
            Some(_) => return Err("the run order is not one of the plan".to_owned()),
        };
        let slots =
            vec![SlotRecord { state: SlotState::Open, worker: None, failures: 0, batch: 0, seat: 0 }; count];
        Ok(Self { plan, points, order, first, handed_out: 0, slots, missing: count, closed: false })
    }

    /// What was planned.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The point of each slot, in run order.
    pub fn points(&self) -> &[PointId] {
        &self.points
    }

    /// The number of its first slot.
    pub fn first(&self) -> usize {
        self.first
    }

    /// How many of its slots were handed out.
    pub fn handed_out(&self) -> usize {
        self.handed_out
    }

    /// Its slots, in run order.
    pub fn slots(&self) -> &[SlotRecord] {
        &self.slots
    }

    /// Slots without an outcome, handed out or not.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Whether it was decided as a whole.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The reading of each measurement in the order of the plan.
    pub fn readings(&self) -> Vec<Option<&Reading>> {
        let mut readings = vec![None; self.slots.len()];
        for (place, slot) in self.slots.iter().enumerate() {
            if let SlotState::Told(reading) = &slot.state {
                readings[self.measurement(place)] = Some(reading);
            }
        }
        readings
    }

    /// Which measurement of the plan a slot is.
    pub fn measurement(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place])
    }
}

fn is_permutation(order: &[usize], count: usize) -> bool {
    let mut seen = vec![false; count];
    order.len() == count
        && order.iter().all(|&k| seen.get_mut(k).is_some_and(|seen| !std::mem::replace(seen, true)))
}
