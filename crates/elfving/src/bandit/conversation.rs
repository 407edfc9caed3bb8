//! Ask and tell: the conversation between a policy and whoever measures.

use super::{BanditError, Decision, Next, Outcome, Plan, Policy, Report, Slot, SlotId, Status, Told};
use crate::pool::PointId;

/// A policy, the slots it asked for, and the outcomes told.
///
/// A round is planned once and handed out in batches of any size; outcomes come back in any order; the round is decided when
/// the last of them is in. Open slots are shown again before new ones are handed out, and a failed slot stays open.
pub struct Bandit {
    policy: Box<dyn Policy>,
    round: Option<Round>,
    /// Outcomes of all closed rounds, by slot number.
    history: Vec<f64>,
    budget: Option<u64>,
}

/// The round under way.
struct Round {
    plan: Plan,
    points: Vec<PointId>,
    outcomes: Vec<Option<f64>>,
    handed_out: usize,
    /// All before this one are told.
    first_open: usize,
    open: usize,
}

impl Round {
    fn new(plan: Plan) -> Self {
        let points = plan.measurements.points();
        Self {
            outcomes: vec![None; points.len()],
            handed_out: 0,
            first_open: 0,
            open: points.len(),
            points,
            plan,
        }
    }
}

impl Bandit {
    /// Starts the conversation.
    pub fn new(policy: Box<dyn Policy>) -> Self {
        Self { policy, round: None, history: Vec::new(), budget: None }
    }

    /// At most this many measurements in all; a round that does not fit is refused with what it needs.
    #[must_use]
    pub fn budget(mut self, budget: u64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The next slots: those that were handed out and not told, or else up to `batch` new ones. Empty when the policy has
    /// stopped.
    ///
    /// # Errors
    /// [`BanditError::EmptyBatch`], [`BanditError::OverBudget`], and what planning a round finds.
    pub fn ask(&mut self, batch: usize) -> Result<Vec<Slot>, BanditError> {
        if batch == 0 {
            return Err(BanditError::EmptyBatch);
        }
        if self.round.is_none() {
            let wanted = self.left().min(batch as u64).max(1) as usize;
            match self.policy.plan_within(wanted, self.left())? {
                Next::Stop(_) => return Ok(Vec::new()),
                Next::Measure(plan) => self.begin(plan)?,
            }
        }
        let first = self.history.len();
        let round = self.round.as_mut().expect("a round was begun above");
        let open = |round: &Round, range: std::ops::Range<usize>| -> Vec<Slot> {
            range
                .filter(|&i| round.outcomes[i].is_none())
                .map(|i| Slot { id: SlotId((first + i) as u64), point: round.points[i] })
                .collect()
        };
        while round.first_open < round.handed_out && round.outcomes[round.first_open].is_some() {
            round.first_open += 1;
        }
        let waiting = open(round, round.first_open..round.handed_out);
        if !waiting.is_empty() {
            return Ok(waiting);
        }
        let from = round.handed_out;
        round.handed_out = round.points.len().min(from + batch);
        Ok(open(round, from..round.handed_out))
    }

    /// Begins a round as planned, now or in a record.
    ///
    /// # Errors
    /// [`BanditError::RoundIncomplete`] while another one is under way, [`BanditError::OverBudget`].
    pub fn begin(&mut self, plan: Plan) -> Result<(), BanditError> {
        if let Some(round) = &self.round {
            return Err(BanditError::RoundIncomplete { open: round.open });
        }
        let needed = plan.measurements.len() as u64;
        let left = self.left();
        if needed > left {
            return Err(BanditError::OverBudget { needed, left });
        }
        self.round = Some(Round::new(plan));
        Ok(())
    }

    /// Measurements that the budget leaves.
    fn left(&self) -> u64 {
        self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(self.history.len() as u64))
    }

    /// Takes in what came back for a slot. The last open slot of a round decides the round.
    ///
    /// # Errors
    /// [`BanditError::UnknownSlot`], [`BanditError::NotFinite`], [`BanditError::Conflict`] for another value than before, and
    /// what the estimate of a complete round finds.
    pub fn tell(&mut self, slot: SlotId, outcome: Outcome) -> Result<Told, BanditError> {
        let first = self.history.len() as u64;
        if let Outcome::Value(got) = outcome
            && !got.is_finite()
        {
            return Err(BanditError::NotFinite { slot, got });
        }
        if let Some(&known) = self.history.get(slot.0 as usize) {
            return already_told(slot, known, outcome);
        }
        let asked = first + self.round.as_ref().map_or(0, |round| round.handed_out as u64);
        let Some(round) = self.round.as_mut().filter(|_| slot.0 < asked) else {
            return Err(BanditError::UnknownSlot { slot, asked });
        };
        let place = &mut round.outcomes[(slot.0 - first) as usize];
        match (outcome, *place) {
            (outcome, Some(known)) => already_told(slot, known, outcome),
            (Outcome::Failed, None) => Ok(Told::AskedAgain),
            (Outcome::Value(value), None) => {
                *place = Some(value);
                round.open -= 1;
                if round.open == 0 {
                    self.close(None)?;
                }
                Ok(Told::Recorded)
            }
        }
    }

    /// Closes the complete round: by what the policy decides, or by the decision on record.
    fn close(&mut self, recorded: Option<&Decision>) -> Result<(), BanditError> {
        let round = self.round.as_ref().expect("a round is under way");
        let outcomes: Vec<f64> = round.outcomes.iter().flatten().copied().collect();
        let decided = self.policy.learn(&round.plan, &outcomes)?;
        self.policy.apply(recorded.unwrap_or(&decided));
        self.round = None;
        self.history.extend(outcomes);
        Ok(())
    }

    /// Slots asked and not told yet.
    pub fn open_slots(&self) -> usize {
        self.round.as_ref().map_or(0, |round| {
            round.outcomes[..round.handed_out].iter().filter(|outcome| outcome.is_none()).count()
        })
    }

    /// What is known.
    pub fn report(&self) -> Report {
        self.policy.report()
    }

    /// Whether the policy wants nothing more.
    pub fn finished(&self) -> bool {
        self.round.is_none() && matches!(self.policy.status(), Status::Finished(_))
    }
}

impl std::fmt::Debug for Bandit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bandit")
            .field("policy", &self.policy.name())
            .field("told", &self.history.len())
            .field("open", &self.open_slots())
            .finish_non_exhaustive()
    }
}

/// A slot that has its value: the same again changes nothing, another one is a conflict.
fn already_told(slot: SlotId, known: f64, outcome: Outcome) -> Result<Told, BanditError> {
    match outcome {
        Outcome::Value(told) if told != known => Err(BanditError::Conflict { slot, known, told }),
        _ => Ok(Told::Repeated),
    }
}
