//! The record of asking and telling: slots, rounds, what was decided. Nothing is computed here.
//!
//! A campaign folds its events into a [`Conversation`]; a [`Bandit`](super::Bandit) in memory keeps one beside its policy. Both
//! apply the same rules: who gets which slots, what may be told, what a decision rests on.

mod acts;
mod handing;
mod round;

use super::{Decision, Outcome, Plan, Reading, SetAside};
use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
}
