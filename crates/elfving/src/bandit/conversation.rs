//! Ask and tell: the conversation between a policy and whoever measures.

use super::{
    BanditError, ConditionalStatement, Decision, Guarantee, Margins, Next, Outcome, Plan, Policy, Reading,
    Report, Slot, SlotId, Status, Told,
};
use crate::estimate::EstimateError;
use crate::pool::PointId;

/// A policy, the slots it asked for, and the outcomes told.
///
/// A round is planned once and handed out in batches of any size; outcomes come back in any order; the round is decided when
/// the last of them is in. Open slots are shown again before new ones are handed out, and a failed slot stays open.
///
/// A conversation can be put on record and restored: [`plan`](Self::plan), the outcomes told and [`decisions`](Self::decisions) are
/// all there is to it, [`replay`](Self::replay) and [`resume`](Self::resume) bring it back without deciding anything again.
pub struct Bandit {
    policy: Box<dyn Policy>,
    round: Option<Round>,
    /// Readings of all closed rounds, by slot number; `None` where a round was closed with the slot open.
    history: Vec<Option<Reading>>,
    decisions: Vec<Decision>,
    budget: Option<u64>,
    /// Whether some round was closed with open slots.
    waived: bool,
}

/// The round under way.
struct Round {
    plan: Plan,
    points: Vec<PointId>,
    readings: Vec<Option<Reading>>,
    handed_out: usize,
    /// All before this one are told.
    first_open: usize,
    open: usize,
}

impl Round {
    fn new(plan: Plan) -> Self {
        let points = plan.measurements.points();
        Self {
            readings: vec![None; points.len()],
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
        Self { policy, round: None, history: Vec::new(), decisions: Vec::new(), budget: None, waived: false }
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
                .filter(|&i| round.readings[i].is_none())
                .map(|i| Slot { id: SlotId((first + i) as u64), point: round.points[i] })
                .collect()
        };
        while round.first_open < round.handed_out && round.readings[round.first_open].is_some() {
            round.first_open += 1;
        }
        let waiting = open(round, round.first_open..round.handed_out);
        if !waiting.is_empty() {
            return Ok(waiting);
        }
        let from = round.handed_out;
        round.handed_out = round.points.len().min(from.saturating_add(batch));
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

    /// Makes the points that the user wants measured the next round; the policy gets them as [`earlier`](Self::earlier) data.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin).
    pub fn force(&mut self, points: Vec<PointId>) -> Result<(), BanditError> {
        self.begin(Plan::forced(points))
    }

    /// Takes in measurements made before or beside the conversation, and says whether the policy can use them.
    ///
    /// # Errors
    /// [`BanditError::Earlier`] for what is no outcome, and what the policy finds.
    pub fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        for (index, (_, reading)) in measured.iter().enumerate() {
            if let Some(problem) = reading.problem() {
                return Err(BanditError::Earlier { index, problem });
            }
        }
        self.policy.earlier(measured)
    }

    /// Whether the decisions after a corrected outcome can be made anew.
    pub fn reuses_all(&self) -> bool {
        self.policy.reuses_all()
    }

    /// Takes in what came back for a slot. The last open slot of a round decides the round.
    ///
    /// # Errors
    /// [`BanditError::UnknownSlot`], [`BanditError::NotAnOutcome`], [`BanditError::Conflict`] for another value than before,
    /// and what the estimate of a complete round finds.
    pub fn tell(&mut self, slot: SlotId, outcome: impl Into<Outcome>) -> Result<Told, BanditError> {
        let outcome = outcome.into();
        let first = self.history.len() as u64;
        if let Outcome::Measured(reading) = &outcome {
            check(slot, reading)?;
        }
        match self.history.get(slot.0 as usize) {
            Some(Some(known)) => return already_told(slot, known, outcome),
            Some(None) => return Err(BanditError::RoundClosed { slot }),
            None => {}
        }
        let asked = first + self.round.as_ref().map_or(0, |round| round.handed_out as u64);
        let Some(round) = self.round.as_mut().filter(|_| slot.0 < asked) else {
            return Err(BanditError::UnknownSlot { slot, asked });
        };
        let place = &mut round.readings[(slot.0 - first) as usize];
        match (outcome, &place) {
            (outcome, Some(known)) => already_told(slot, known, outcome),
            (Outcome::Failed, None) => Ok(Told::AskedAgain),
            (Outcome::Measured(reading), None) => {
                *place = Some(reading);
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
        let readings: Vec<Reading> = round.readings.iter().flatten().cloned().collect();
        let decision = match recorded {
            _ if round.plan.is_forced() => {
                let measured: Vec<_> = round.points.iter().copied().zip(readings).collect();
                self.policy.earlier(&measured)?;
                recorded.cloned().unwrap_or_else(|| self.nobody_out(0))
            }
            Some(recorded) => {
                self.policy.recall(&round.plan, &readings)?;
                recorded.clone()
            }
            None => self.policy.learn_readings(&round.plan, &readings)?,
        };
        self.settle(decision);
        Ok(())
    }

    fn nobody_out(&self, round: u64) -> Decision {
        Decision::keep(round, self.policy.report().survivors)
    }

    /// Closes the round under way although slots are open, or although its estimate fails: what was told stands for the whole.
    ///
    /// No theorem covers that, so from here on the report says [`Guarantee::None`]. An outcome that comes later is refused.
    ///
    /// # Errors
    /// [`BanditError::NoRound`] when none is under way.
    pub fn close_without_guarantee(&mut self) -> Result<(), BanditError> {
        self.close_partly(None)
    }

    fn close_partly(&mut self, recorded: Option<&Decision>) -> Result<(), BanditError> {
        let round = self.round.as_ref().ok_or(BanditError::NoRound)?;
        let told: Vec<bool> = round.readings.iter().map(Option::is_some).collect();
        let readings: Vec<Reading> = round.readings.iter().flatten().cloned().collect();
        let number = round.plan.round;
        let decided = match round.plan.only(&told) {
            Some(part) if part.is_forced() => {
                let measured: Vec<_> = part.measurements.points().into_iter().zip(readings).collect();
                self.policy.earlier(&measured)?;
                None
            }
            Some(part) => self.policy.learn_readings(&part, &readings).ok(),
            None => None,
        };
        let decision = recorded.cloned().or(decided).unwrap_or_else(|| self.nobody_out(number));
        // What the user chose is no part of a theorem; the rest of a planned round is.
        self.waived |= number > 0;
        self.settle(decision);
        Ok(())
    }

    /// Applies the decision and puts the round behind.
    fn settle(&mut self, decision: Decision) {
        self.policy.apply(&decision);
        self.decisions.push(decision);
        let round = self.round.take().expect("a round is under way");
        self.history.extend(round.readings);
    }

    /// Restores a closed round from its record: one reading for each slot of the plan, `None` for those that were open when it was closed
    /// without a guarantee. The recorded decision is applied as it is.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin), [`EstimateError::OutcomeCount`], [`BanditError::NotAnOutcome`], and what the estimate of a complete
    /// round finds.
    pub fn replay(
        &mut self,
        plan: Plan,
        readings: &[Option<Reading>],
        decision: &Decision,
    ) -> Result<(), BanditError> {
        self.resume(plan, readings)?;
        if readings.iter().all(Option::is_some) {
            self.close(Some(decision))
        } else {
            self.close_partly(Some(decision))
        }
    }

    /// Restores the round under way from its record: its plan, and for each slot that was handed out its reading, `None` while it is
    /// open.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin), [`EstimateError::OutcomeCount`] for more outcomes than the plan has slots,
    /// [`BanditError::NotAnOutcome`].
    pub fn resume(&mut self, plan: Plan, handed_out: &[Option<Reading>]) -> Result<(), BanditError> {
        let (expected, got) = (plan.measurements.len(), handed_out.len());
        if got > expected {
            return Err(EstimateError::OutcomeCount { expected, got }.into());
        }
        for (i, reading) in handed_out.iter().enumerate() {
            reading
                .as_ref()
                .map_or(Ok(()), |reading| check(SlotId((self.history.len() + i) as u64), reading))?;
        }
        self.begin(plan)?;
        let round = self.round.as_mut().expect("a round was begun above");
        round.readings[..got].clone_from_slice(handed_out);
        round.open -= handed_out.iter().flatten().count();
        round.handed_out = got;
        Ok(())
    }

    /// The plan of the round under way.
    pub fn plan(&self) -> Option<&Plan> {
        self.round.as_ref().map(|round| &round.plan)
    }

    /// What every closed round decided, in order.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// Slots asked and not told yet.
    pub fn open_slots(&self) -> usize {
        self.round.as_ref().map_or(0, |round| {
            round.readings[..round.handed_out].iter().filter(|reading| reading.is_none()).count()
        })
    }

    /// What is known.
    pub fn report(&self) -> Report {
        let report = self.policy.report();
        // Where nothing was proved before, nothing is lost.
        if self.waived && report.guarantee != Guarantee::Calibrated {
            Report { guarantee: Guarantee::None, epsilon: None, margins: Margins::default(), ..report }
        } else {
            report
        }
    }

    /// What would be certified of the first pick if the truth were simple enough under a fitted model.
    pub fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        self.policy.conditional(sigma)
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
fn already_told(slot: SlotId, known: &Reading, outcome: Outcome) -> Result<Told, BanditError> {
    match outcome {
        Outcome::Measured(told) if told != *known => {
            Err(BanditError::Conflict { slot, known: known.clone(), told })
        }
        _ => Ok(Told::Repeated),
    }
}

fn check(slot: SlotId, reading: &Reading) -> Result<(), BanditError> {
    reading.problem().map_or(Ok(()), |problem| Err(BanditError::NotAnOutcome { slot, problem }))
}
