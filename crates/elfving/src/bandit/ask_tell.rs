//! Ask and tell in memory: a policy and its conversation.

use super::conversation::{Bar, Handing, Supply, Verdict};
use super::{
    BanditError, ConditionalStatement, Conversation, Decision, Follower, Limits, Next, Outcome, Outlook,
    Plan, Policy, Reading, Reason, Report, Slot, SlotId, Status, Told, Wanted,
};
use crate::pool::PointId;

/// A policy, the slots it asked for, and the outcomes told.
///
/// A policy that decides from all data uses every outcome as soon as it is told, and plans new slots while others are under way.
/// One that needs whole rounds plans a round, hands it out in batches of any size, and decides when the last outcome is in. A
/// failed slot is asked again.
///
/// The [`Conversation`] is all there is to it: written down and read back, [`restore`](Self::restore) goes on where it was without
/// deciding anything again.
#[derive(Debug)]
pub struct Bandit {
    follower: Follower,
    talk: Conversation,
    budget: Option<u64>,
    limits: Limits,
    /// Why nothing more was planned.
    ended: Option<Reason>,
    /// What the next round needs, where that is more than is left.
    needed: Option<u64>,
}

impl Bandit {
    /// Starts the conversation.
    pub fn new(policy: Box<dyn Policy>) -> Self {
        let talk = Conversation::new(policy.is_anytime());
        Self {
            follower: Follower::new(policy),
            talk,
            budget: None,
            limits: Limits::default(),
            ended: None,
            needed: None,
        }
    }

    /// Goes on with a conversation, with a policy as it was at the beginning.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn restore(policy: Box<dyn Policy>, talk: Conversation) -> Result<Self, BanditError> {
        let mut bandit = Self { talk, ..Self::new(policy) };
        bandit.follower.follow(&bandit.talk)?;
        bandit.follower.note_fresh(&bandit.talk)?;
        Ok(bandit)
    }

    /// At most this many measurements in all. When the next ones do not fit, the bandit has [finished](Self::finished).
    #[must_use]
    pub fn budget(mut self, budget: u64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// How often one candidate may be measured, for policies that choose one by one.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The next slots, at most `batch`: the same again until something came back, then what failed and new ones. Empty when the
    /// policy has stopped or the budget is spent.
    ///
    /// # Errors
    /// [`BanditError::EmptyBatch`], and what planning and deciding find.
    pub fn ask(&mut self, batch: usize) -> Result<Vec<Slot>, BanditError> {
        if batch == 0 {
            return Err(BanditError::EmptyBatch);
        }
        if self.talk.is_unsettled() {
            self.decide()?;
        }
        let slots = match self.talk.supply(None, batch) {
            Supply::Again(slots) => slots,
            Supply::More { taken, of_round, to_plan } => {
                let out = self.talk.rounds().last().map_or(0, |round| round.handed_out() + of_round);
                let old = of_round > 0 || !taken.is_empty();
                if old {
                    self.hand_out(Handing { handed_out: out, again: taken, ..Handing::default() });
                }
                let beside = if old { self.talk.last_batch(None).to_vec() } else { Vec::new() };
                if to_plan > 0
                    && let Some(plan) = self.plan_more(&beside, to_plan)?
                {
                    let handed_out = plan.measurements.len().min(to_plan);
                    self.hand_out(Handing {
                        plan: Some(plan),
                        handed_out,
                        with_those_before: old,
                        ..Handing::default()
                    });
                } else if !old {
                    return Ok(Vec::new());
                }
                self.talk.last_batch(None).to_vec()
            }
        };
        Ok(slots.into_iter().map(|slot| self.slot(slot)).collect())
    }

    fn hand_out(&mut self, handing: Handing) {
        self.talk.hand_out(handing).expect("what was supplied can be handed out");
    }

    fn slot(&self, slot: usize) -> Slot {
        let point = self.talk.point(slot).expect("it was handed out");
        Slot { id: SlotId::new(slot as u64), point }
    }

    /// The next plan that fits into the budget, or none.
    fn plan_more(&mut self, beside: &[usize], batch: usize) -> Result<Option<Plan>, BanditError> {
        let left = self.left();
        (self.ended, self.needed) = (None, None);
        if left == 0 {
            return Ok(None);
        }
        let batch = left.min(batch as u64) as usize;
        let needed = match self.follower.plan(
            &self.talk,
            beside,
            &Wanted { left, limits: self.limits, ..Wanted::batch(batch) },
        ) {
            Ok(Next::Stop(reason)) => {
                self.ended = Some(reason);
                return Ok(None);
            }
            Ok(Next::Measure(plan)) if plan.measurements.len() as u64 <= left => return Ok(Some(plan)),
            Ok(Next::Measure(plan)) => plan.measurements.len() as u64,
            Err(BanditError::OverBudget { needed, .. }) => needed,
            Err(other) => return Err(other),
        };
        (self.ended, self.needed) = (Some(Reason::Budget), Some(needed));
        Ok(None)
    }

    /// Measurements that the budget leaves.
    fn left(&self) -> u64 {
        self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(self.talk.planned()))
    }

    /// What the next round needs, where that is more than the budget leaves.
    pub fn needed(&self) -> Option<u64> {
        self.needed
    }

    /// Makes the points that the user wants measured the next to go out; the policy gets them as [`earlier`](Self::earlier) data.
    ///
    /// # Errors
    /// [`BanditError::RoundIncomplete`] while a round is under way, [`BanditError::OverBudget`].
    pub fn force(&mut self, points: Vec<PointId>) -> Result<(), BanditError> {
        if let Some(round) = self.talk.round_under_way() {
            return Err(BanditError::RoundIncomplete { open: round.missing() });
        }
        let (needed, left) = (points.len() as u64, self.left());
        if needed > left {
            return Err(BanditError::OverBudget { needed, left });
        }
        self.talk.begin(Plan::forced(points), None).expect("no round is under way");
        Ok(())
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
        self.talk.bring(measured.to_vec()).expect("they were checked just now");
        self.follower.follow(&self.talk)?;
        Ok(self.follower.uses_brought())
    }

    /// Points are neither measured nor chosen from here on: they cannot be measured (`infeasible`), or nobody wants them.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn bar(
        &mut self,
        points: &[PointId],
        infeasible: bool,
        reason: impl Into<String>,
    ) -> Result<(), BanditError> {
        self.talk.bar(points, &Bar { infeasible, reason: reason.into() });
        self.follower.follow(&self.talk)?;
        self.close_if_complete()
    }

    /// Points may be measured and chosen again.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn allow(&mut self, points: &[PointId]) -> Result<(), BanditError> {
        self.talk.allow(points);
        self.ended = None;
        self.follower.follow(&self.talk)
    }

    /// Takes in what came back for a slot.
    ///
    /// # Errors
    /// [`BanditError::UnknownSlot`], [`BanditError::NotAnOutcome`], [`BanditError::Conflict`] for another value than before,
    /// [`BanditError::RoundClosed`], and what deciding finds.
    pub fn tell(&mut self, id: SlotId, outcome: impl Into<Outcome>) -> Result<Told, BanditError> {
        let (outcome, slot) = (outcome.into(), id.number() as usize);
        if let Outcome::Measured(reading) = &outcome
            && let Some(problem) = reading.problem()
        {
            return Err(BanditError::NotAnOutcome { slot: id, problem });
        }
        match (self.talk.judge(slot, &outcome), outcome) {
            (Verdict::NeverAsked, _) => {
                Err(BanditError::UnknownSlot { slot: id, asked: self.talk.slot_count() as u64 })
            }
            (Verdict::TooLate, _) => Err(BanditError::RoundClosed { slot: id }),
            (Verdict::Conflict { known }, Outcome::Measured(told)) => {
                Err(BanditError::Conflict { slot: id, known, told })
            }
            (Verdict::Repeated | Verdict::Conflict { .. }, _) => Ok(Told::Repeated),
            (Verdict::New, Outcome::Failed) => {
                self.talk.fail(slot).expect("a slot that may be told may fail");
                Ok(Told::AskedAgain)
            }
            (Verdict::New, Outcome::Infeasible) => {
                let point = self.slot(slot).point;
                self.bar(&[point], true, "told as infeasible")?;
                Ok(Told::NeverAgain)
            }
            (Verdict::New, Outcome::Measured(reading)) => {
                self.talk.tell(slot, reading).expect("it is open, and an outcome");
                if self.talk.is_anytime() {
                    self.follower.note_fresh(&self.talk)?;
                }
                self.close_if_complete()?;
                Ok(Told::Recorded)
            }
        }
    }

    /// Decides where nothing is missing any more.
    fn close_if_complete(&mut self) -> Result<(), BanditError> {
        let complete = match self.talk.is_anytime() {
            true => {
                self.talk.is_unsettled()
                    && self.talk.round_under_way().is_none()
                    && self.talk.open().next().is_none()
            }
            false => self.talk.is_round_complete(),
        };
        if complete { self.decide() } else { Ok(()) }
    }

    fn decide(&mut self) -> Result<(), BanditError> {
        let decision = self.follower.decide(&self.talk)?;
        let recorded = match self.talk.is_anytime() {
            true => self.talk.decide(decision.clone()),
            false => self.talk.close(decision.clone(), false),
        };
        recorded.expect("what was decided can be put on record");
        self.follower.settle(&self.talk, &decision);
        Ok(())
    }

    /// Closes the round under way although slots are open: what was told stands for the whole. A policy that decides from all data
    /// loses nothing by that: its open slots are given up, and their outcomes may still come. For one that needs whole rounds no
    /// theorem covers it, so from here on the report says [`Guarantee::None`](super::Guarantee::None).
    ///
    /// # Errors
    /// [`BanditError::NoRound`] when nothing is under way.
    pub fn close_without_guarantee(&mut self) -> Result<(), BanditError> {
        let round = self.talk.round_under_way().ok_or(BanditError::NoRound)?;
        if self.talk.is_anytime() {
            let open: Vec<usize> = self.talk.open().map(|(slot, ..)| slot).collect();
            self.talk.release(&open, true).expect("they are open");
            return if self.talk.is_unsettled() { self.decide() } else { Ok(()) };
        }
        // What the user chose is no part of a theorem; the rest of a planned round is.
        let waived = !round.plan().is_forced();
        let decision = self.follower.decide(&self.talk)?;
        self.talk.close(decision.clone(), waived).expect("a round is under way");
        self.follower.settle(&self.talk, &decision);
        Ok(())
    }

    /// All that was asked, told and decided.
    pub fn conversation(&self) -> &Conversation {
        &self.talk
    }

    /// The last plan, while slots of it are missing.
    pub fn plan(&self) -> Option<&Plan> {
        self.talk.round_under_way().map(|round| round.plan())
    }

    /// What was decided, in order.
    pub fn decisions(&self) -> Vec<&Decision> {
        self.talk.decisions().collect()
    }

    /// Slots asked and not told yet.
    pub fn open_slots(&self) -> usize {
        self.talk.open().count()
    }

    /// What is known.
    pub fn report(&self) -> Report {
        let report = self.follower.report(&self.talk);
        match (report.status, self.end()) {
            (Status::Measuring, Some(reason)) => Report { status: Status::Finished(reason), ..report },
            _ => report,
        }
    }

    /// Why nothing more is asked, where that is not for the policy to say.
    fn end(&self) -> Option<Reason> {
        if self.talk.open().next().is_some() || self.talk.round_under_way().is_some() {
            return None;
        }
        if self.left() == 0 { Some(Reason::Budget) } else { self.ended }
    }

    /// What would be certified of the first pick if the truth were simple enough under a fitted model.
    pub fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        self.follower.conditional(sigma)
    }

    /// What another batch of this size is expected to change, for a policy with a fitted model: whether it is worth it. None without one,
    /// before there are data, and where nothing may be measured any more.
    ///
    /// # Errors
    /// [`BanditError::EmptyBatch`], and what the fit finds.
    pub fn outlook(&self, batch: usize) -> Result<Option<Outlook>, BanditError> {
        if batch == 0 {
            return Err(BanditError::EmptyBatch);
        }
        // What the budget leaves is a limit for asking, not for looking ahead: who asks may raise it.
        let left = self.budget.map_or(u64::MAX, |_| self.left().max(batch as u64));
        self.follower.outlook(&self.talk, &Wanted { left, limits: self.limits, ..Wanted::batch(batch) })
    }

    /// Whether nothing more is wanted: the policy has stopped, or the budget is spent.
    pub fn finished(&self) -> bool {
        self.talk.round_under_way().is_none()
            && (matches!(self.follower.status(), Status::Finished(_)) || self.end().is_some())
    }
}
