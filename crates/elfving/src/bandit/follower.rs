//! A policy that stands where a conversation stands.

use super::{
    BanditError, ConditionalStatement, Conversation, Decision, Extension, Guarantee, Margins, Next, Outlook,
    Policy, Reading, Reason, Report, Round, SetAside, SlotState, Status, Step, Wanted,
};
use crate::pool::{ChoiceId, PointId};
use std::ops::Range;

/// A policy and how much of a conversation it has taken in.
///
/// It decides nothing that is not asked of it: a recorded decision is applied, not made again. Outcomes change their sign at this
/// border where small ones are good: inside, large is good.
pub struct Follower {
    policy: Box<dyn Policy>,
    minimise: bool,
    /// Steps taken in, and fresh slots beyond them.
    followed: usize,
    noted: usize,
    uses_brought: bool,
    /// Whether it knows more than the record: what it then knows is the same but for the last digits.
    went_ahead: bool,
    /// Whether the policy can do without the points set aside.
    does_without: bool,
    /// The points that are not there yet, and whether they are choices.
    to_come: Option<(Range<usize>, bool)>,
    /// The points that the record sets aside.
    aside: SetAside,
}

impl Follower {
    /// A policy at the beginning.
    pub fn new(policy: Box<dyn Policy>) -> Self {
        Self {
            policy,
            minimise: false,
            followed: 0,
            noted: 0,
            uses_brought: true,
            went_ahead: false,
            does_without: true,
            to_come: None,
            aside: SetAside::default(),
        }
    }

    /// Small outcomes are good.
    #[must_use]
    pub fn minimising(mut self, minimise: bool) -> Self {
        self.minimise = minimise;
        self
    }

    /// The policy's name.
    pub fn name(&self) -> &'static str {
        self.policy.name()
    }

    /// Whether it decides from all data at any time.
    pub fn is_anytime(&self) -> bool {
        self.policy.is_anytime()
    }

    /// Whether every measurement from outside counts.
    pub fn uses_brought(&self) -> bool {
        self.uses_brought
    }

    /// Whether it planned or decided something that is not on record. Who goes on with a record starts a new one, as a process that
    /// comes back would.
    pub fn went_ahead(&self) -> bool {
        self.went_ahead
    }

    /// Takes in the steps that were not taken in yet.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn follow(&mut self, talk: &Conversation) -> Result<(), BanditError> {
        self.follow_to(talk, talk.steps().len())
    }

    fn follow_to(&mut self, talk: &Conversation, end: usize) -> Result<(), BanditError> {
        self.begin(talk);
        while let Some(step) = talk.steps()[..end].get(self.followed) {
            self.noted = 0;
            match step {
                Step::Round { round, decision } => {
                    self.recall(&talk.rounds()[*round])?;
                    self.apply(decision);
                }
                Step::Slots(slots) => {
                    let (forced, planned) = self.told(talk, slots);
                    self.policy.earlier(&forced)?;
                    self.policy.remember(&planned)?;
                }
                Step::Decided(decision) => self.apply(decision),
                Step::Brought(..) | Step::SetAside(_) | Step::Extended(_) => self.take_in(talk, step)?,
            }
            self.followed += 1;
        }
        Ok(())
    }

    /// What came from outside.
    fn take_in(&mut self, talk: &Conversation, step: &Step) -> Result<(), BanditError> {
        match step {
            Step::Brought(from, to) => {
                let measured = self.turned(&talk.brought()[*from..*to]);
                self.uses_brought &= self.policy.earlier(&measured)?;
            }
            Step::SetAside(set_aside) => {
                self.aside.clone_from(set_aside);
                self.set_aside();
            }
            Step::Extended(extension) => {
                if let Some((rest, _)) = &mut self.to_come {
                    rest.start = extension.to;
                }
                self.set_aside();
            }
            Step::Round { .. } | Step::Slots(_) | Step::Decided(_) => {}
        }
        Ok(())
    }

    /// Makes every decision of a conversation since the last extension of the pool anew, from the outcomes as they stand now. What was decided
    /// before that was decided without the new points, by another policy.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn decide_again(mut self, talk: &Conversation) -> Result<Vec<Decision>, BanditError> {
        let mut decisions = Vec::new();
        let from = talk.steps_before_last_pool();
        self.follow_to(talk, from)?;
        for step in &talk.steps()[from..] {
            let decided = match step {
                Step::Round { round, decision } => {
                    Some(self.decide_round(&talk.rounds()[*round], decision.round)?)
                }
                Step::Slots(slots) => {
                    let (forced, planned) = self.told(talk, slots);
                    self.policy.earlier(&forced)?;
                    self.policy.note(&planned)?;
                    None
                }
                Step::Decided(decision) => Some(self.policy.decide(decision.round)?),
                Step::Brought(..) | Step::SetAside(_) | Step::Extended(_) => {
                    self.take_in(talk, step)?;
                    None
                }
            };
            if let Some(decision) = decided {
                self.apply(&decision);
                decisions.push(decision);
            }
        }
        Ok(decisions)
    }

    /// The next measurements, with those that are open counted as under way; `beside` are slots that are in the batch already. The number of
    /// the plan and what is under way are filled in here.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn plan(
        &mut self,
        talk: &Conversation,
        beside: &[usize],
        wanted: &Wanted,
    ) -> Result<Next, BanditError> {
        self.went_ahead = true;
        let in_batch = beside.iter().filter_map(|slot| talk.point(*slot));
        let in_batch: Vec<PointId> = in_batch.collect();
        let mut pending = talk.pending();
        pending.extend(wanted.controls);
        let round = talk.last_round() + 1;
        match self.policy.plan(&Wanted { round, pending: &pending, in_batch: &in_batch, ..*wanted })? {
            Next::Measure(plan) if plan.measurements.is_empty() => Ok(Next::Stop(Reason::NothingLeft)),
            next => Ok(next),
        }
    }

    /// Before the first step: the points that came later are not there yet.
    fn begin(&mut self, talk: &Conversation) {
        let (Some(first), Some(last)) = (talk.extensions().next(), talk.extensions().last()) else { return };
        if self.followed == 0 && self.to_come.is_none() {
            let Extension { from, chosen_among, .. } = *first;
            self.to_come = Some((from..last.to, chosen_among));
            self.set_aside();
        }
    }

    /// Has the policy do without what is set aside and what is not there yet.
    fn set_aside(&mut self) {
        let mut aside = self.aside.clone();
        if let Some((rest, _)) = &self.to_come {
            aside.points.extend(rest.clone().map(PointId::new));
        }
        self.does_without = self.policy.set_aside(&aside);
    }

    /// The first choice that is not there yet.
    fn first_choice_to_come(&self) -> Option<ChoiceId> {
        let (rest, chosen_among) = self.to_come.as_ref()?;
        (*chosen_among && !rest.is_empty()).then(|| ChoiceId::new(rest.start))
    }

    /// Applies a decision, which says nothing of choices that came later: nobody has beaten them.
    fn apply(&mut self, decision: &Decision) {
        let Some(first) = self.first_choice_to_come() else { return self.policy.apply(decision) };
        let later = first.index()..self.to_come.as_ref().map_or(0, |(rest, _)| rest.end);
        let mut decision = decision.clone();
        decision.survivors.extend(later.map(ChoiceId::new));
        self.policy.apply(&decision);
    }

    /// Takes in what was told since the last decision.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn note_fresh(&mut self, talk: &Conversation) -> Result<(), BanditError> {
        let fresh = &talk.fresh()[self.noted.min(talk.fresh().len())..];
        if !fresh.is_empty() {
            self.went_ahead = true;
            let (forced, planned) = self.told(talk, fresh);
            self.policy.earlier(&forced)?;
            self.policy.note(&planned)?;
            self.noted = talk.fresh().len();
        }
        Ok(())
    }

    /// What follows from all data so far, or from the round under way.
    ///
    /// # Errors
    /// [`BanditError::NoRound`], and what the policy finds.
    pub fn decide(&mut self, talk: &Conversation) -> Result<Decision, BanditError> {
        self.went_ahead = true;
        if talk.is_anytime() {
            self.note_fresh(talk)?;
            return self.policy.decide(talk.last_round());
        }
        let round = talk.rounds().last().filter(|round| !round.is_closed()).ok_or(BanditError::NoRound)?;
        self.decide_round(round, round.plan().round)
    }

    /// What follows from one whole round: nothing where the user chose it.
    fn decide_round(&mut self, round: &Round, number: u64) -> Result<Decision, BanditError> {
        let decided = match round.plan().is_forced() {
            true => self.recall(round).map(|()| None)?,
            false => self.learn(round)?,
        };
        Ok(decided.unwrap_or_else(|| Decision::keep(number, self.policy.report().survivors)))
    }

    /// Makes what it decided itself final, as `steps` steps of the record.
    pub(super) fn settle(&mut self, talk: &Conversation, decision: &Decision) {
        self.policy.apply(decision);
        (self.followed, self.noted) = (talk.steps().len(), 0);
    }

    /// Learns a round from all its outcomes; from those there are when some are missing, if it can.
    fn learn(&mut self, round: &Round) -> Result<Option<Decision>, BanditError> {
        let readings = self.readings(round);
        if readings.iter().all(Option::is_some) {
            let readings: Vec<Reading> = readings.into_iter().flatten().collect();
            return self.policy.learn(round.plan(), &readings).map(Some);
        }
        let told: Vec<bool> = readings.iter().map(Option::is_some).collect();
        let readings: Vec<Reading> = readings.into_iter().flatten().collect();
        Ok(round.plan().only(&told).and_then(|part| self.policy.learn(&part, &readings).ok()))
    }

    /// Takes in a round whose decision is on record.
    fn recall(&mut self, round: &Round) -> Result<(), BanditError> {
        let readings = self.readings(round);
        if round.plan().is_forced() {
            let points = round.plan().measurements.points();
            let measured: Vec<(PointId, Reading)> = points
                .into_iter()
                .zip(readings)
                .filter_map(|(point, reading)| Some((point, reading?)))
                .collect();
            return self.policy.earlier(&measured).map(drop);
        }
        if readings.iter().all(Option::is_some) {
            let readings: Vec<Reading> = readings.into_iter().flatten().collect();
            return self.policy.recall(round.plan(), &readings);
        }
        self.learn(round).map(drop)
    }

    /// What is known. Without a guarantee where the record has none, or where the policy cannot do without what was set aside.
    pub fn report(&self, talk: &Conversation) -> Report {
        let report = self.policy.report();
        let gone = talk.waived().is_some() || !self.does_without;
        // Where nothing was proved before, nothing is lost.
        if gone && report.guarantee != Guarantee::Calibrated {
            return Report {
                guarantee: Guarantee::None,
                epsilon: None,
                margins: Margins::default(),
                ..report
            };
        }
        report
    }

    /// Whether measuring goes on.
    pub fn status(&self) -> Status {
        self.policy.status()
    }

    /// What would be certified of the first pick if the truth were simple enough under a fitted model.
    pub fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        self.policy.conditional(sigma)
    }

    /// What another batch is expected to change, once all that is open came in.
    ///
    /// # Errors
    /// What the policy finds.
    pub fn outlook(&self, talk: &Conversation, wanted: &Wanted) -> Result<Option<Outlook>, BanditError> {
        let pending = talk.pending();
        self.policy.outlook(&Wanted { round: talk.last_round() + 1, pending: &pending, ..*wanted })
    }

    /// The readings of a round in plan order, large ones good.
    fn readings(&self, round: &Round) -> Vec<Option<Reading>> {
        round.readings().into_iter().map(|reading| reading.map(|reading| self.turn(reading))).collect()
    }

    /// The measurements of slots that have their outcomes: those that the user wanted, those that were planned.
    #[expect(clippy::type_complexity, reason = "two lists of the same kind")]
    fn told(
        &self,
        talk: &Conversation,
        slots: &[usize],
    ) -> (Vec<(PointId, Reading)>, Vec<(PointId, Reading)>) {
        let (mut forced, mut planned) = (Vec::new(), Vec::new());
        // In the order of the slots: what came between two decisions is one piece of news, in whatever order it was told.
        let mut slots = slots.to_vec();
        slots.sort_unstable();
        for slot in slots {
            let Some((round, place)) = talk.place(slot) else { continue };
            let round = &talk.rounds()[round];
            if let SlotState::Told(reading) = &round.slots()[place].state {
                let list = if round.plan().is_forced() { &mut forced } else { &mut planned };
                list.push((round.points()[place], self.turn(reading)));
            }
        }
        (forced, planned)
    }

    fn turned(&self, measured: &[(PointId, Reading)]) -> Vec<(PointId, Reading)> {
        measured.iter().map(|(point, reading)| (*point, self.turn(reading))).collect()
    }

    fn turn(&self, reading: &Reading) -> Reading {
        if self.minimise { reading.negated() } else { reading.clone() }
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower")
            .field("policy", &self.policy.name())
            .field("followed", &self.followed)
            .finish_non_exhaustive()
    }
}
