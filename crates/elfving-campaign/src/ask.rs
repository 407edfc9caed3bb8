//! Asking: open slots again, else what failed or was released, more of the round, the next plan.

use std::collections::BTreeSet;

use elfving::bandit::{
    BanditError, Conversation, Decision, Handing, Next, Plan, Reason, SlotState, Supply, Wanted, that_fit,
};
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;

use crate::at::At;
use crate::batch::{Batch, Stop};
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::event::{Closing, Event, Releasing};

impl Campaign {
    /// The slots to measure now, up to `batch` of them (unless given, as many as the spec says): the same again until something of
    /// them came back, then what failed, and new ones beside those that are under way.
    ///
    /// # Errors
    /// What planning finds, and what appending finds.
    pub fn ask(&mut self, batch: Option<usize>, at: At) -> Result<Batch, CampaignError> {
        self.ask_for(None, batch, at)
    }

    /// The same for a worker: the own open slots again, filled up with others. No slot is with two workers.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub fn ask_for(
        &mut self,
        worker: Option<&str>,
        batch: Option<usize>,
        at: At,
    ) -> Result<Batch, CampaignError> {
        let size = batch.unwrap_or(self.state.spec.batch);
        if size == 0 {
            return Err(CampaignError::Bandit(BanditError::EmptyBatch));
        }
        if worker.is_some_and(|worker| worker.trim().is_empty()) {
            return Err(CampaignError::Setting { message: "a worker needs a name".to_owned() });
        }
        loop {
            self.settle(at)?;
            if let Some(handed) = self.change(at, |campaign| campaign.hand_out(worker, size))? {
                return match handed {
                    Handed::Again(slots) => Batch::of(self, &slots, true),
                    Handed::Out => {
                        let slots = self.state.last_batch(worker).to_vec();
                        // Nothing of it can be measured: on to the next.
                        if slots.is_empty() {
                            continue;
                        }
                        Batch::of(self, &slots, false)
                    }
                    Handed::Stopped(stop) => Ok(Batch::stopped(stop, self.state.open().count())),
                };
            }
        }
    }

    /// Every slot that is open, whoever has it; nothing is planned.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn open_slots(&self) -> Result<Batch, CampaignError> {
        let slots: Vec<usize> = self.state.open().map(|(slot, ..)| slot).collect();
        Batch::of(self, &slots, true)
    }

    /// Gives slots back, by name, or all that a worker has, for others to take; `for_good`, nobody is to measure them any more. Says
    /// how many.
    ///
    /// # Errors
    /// [`CampaignError::UnknownSlot`], [`CampaignError::NotOpen`], [`CampaignError::WholeRounds`], and what appending finds.
    pub fn release(
        &mut self,
        slots: &[&str],
        worker: Option<&str>,
        for_good: bool,
        at: At,
    ) -> Result<usize, CampaignError> {
        if for_good && !self.state.is_anytime() {
            return Err(self.whole_rounds("slots cannot be given up"));
        }
        self.change(at, |campaign| {
            let mut numbers = Vec::new();
            let open: BTreeSet<usize> = campaign.state.open().map(|(slot, ..)| slot).collect();
            for name in slots {
                let slot = campaign.known_slot(name)?;
                if !open.contains(&slot) {
                    return Err(CampaignError::NotOpen { slot: (*name).to_owned() });
                }
                numbers.push(slot);
            }
            if slots.is_empty() {
                let of_worker = campaign.state.open().filter(|(.., slot)| slot.worker.as_deref() == worker);
                let held = of_worker.filter(|(.., slot)| slot.state != SlotState::Released);
                numbers.extend(held.map(|(slot, ..)| slot));
            }
            numbers.sort_unstable();
            numbers.dedup();
            let count = numbers.len();
            let events = match count {
                0 => Vec::new(),
                _ => vec![Event::Released(Releasing { slots: numbers, for_good, by: None })],
            };
            Ok((events, count))
        })
    }

    /// Closes the round under way with the outcomes there are. An algorithm that needs whole rounds guarantees nothing from here on;
    /// one that decides from all data loses nothing: its open slots are given up.
    ///
    /// # Errors
    /// [`CampaignError::NoRound`], and what appending finds.
    pub fn close_without_guarantee(&mut self, at: At) -> Result<u64, CampaignError> {
        if self.state.is_anytime() {
            self.settle(at)?;
            let open: Vec<String> =
                self.state.open().map(|(slot, ..)| elfving_table::slot_name(slot)).collect();
            let open: Vec<&str> = open.iter().map(String::as_str).collect();
            if open.is_empty() {
                return Err(CampaignError::NoRound);
            }
            self.release(&open, None, true, at)?;
            return Ok(self.state.last_round());
        }
        self.change(at, |campaign| {
            let round = campaign.state.round_under_way().ok_or(CampaignError::NoRound)?.clone();
            let decision = campaign.decide()?;
            let waived = round.missing() > 0 && !round.plan().is_forced();
            let number = decision.round;
            Ok((vec![Event::Closed(Closing { decision, waived })], number))
        })
    }

    /// Refuses to go on while slots of the round are open.
    ///
    /// # Errors
    /// [`CampaignError::RoundIncomplete`].
    pub fn close(&mut self, at: At) -> Result<(), CampaignError> {
        self.settle(at)?;
        match self.state.round_under_way() {
            Some(round) => {
                Err(CampaignError::RoundIncomplete { round: round.plan().round, open: round.missing() })
            }
            None => match self.state.open().count() {
                0 => Ok(()),
                open => Err(CampaignError::RoundIncomplete { round: self.state.last_round(), open }),
            },
        }
    }

    /// Decides what can be decided now: a complete round, or whatever came in where all data decide.
    pub(crate) fn settle(&mut self, at: At) -> Result<Option<u64>, CampaignError> {
        self.change(at, |campaign| {
            let event = if campaign.state.is_unsettled() {
                Event::Decided(campaign.decide()?)
            } else if campaign.state.is_round_complete() {
                Event::Closed(Closing { decision: campaign.decide()?, waived: false })
            } else {
                return Ok((Vec::new(), None));
            };
            let (Event::Decided(decision) | Event::Closed(Closing { decision, .. })) = &event else {
                unreachable!("it is one of the two");
            };
            let round = decision.round;
            Ok((vec![event], Some(round)))
        })
    }

    fn decide(&mut self) -> Result<Decision, CampaignError> {
        self.engine()?;
        let engine = self.engine.as_mut().expect("it was built just now");
        engine.decide(&self.state.talk).map_err(CampaignError::Bandit)
    }

    /// The events that hand out the next slots; none where open ones are shown again.
    fn hand_out(
        &mut self,
        worker: Option<&str>,
        size: usize,
    ) -> Result<(Vec<Event>, Option<Handed>), CampaignError> {
        // Somebody told something just now: decide first.
        if self.state.is_unsettled() || self.state.is_round_complete() {
            return Ok((Vec::new(), None));
        }
        let (taken, of_round, to_plan) = match self.state.supply(worker, size) {
            Supply::Again(slots) => return Ok((Vec::new(), Some(Handed::Again(slots)))),
            Supply::More { taken, of_round, to_plan } => {
                let together = self.that_go_together(&taken)?;
                // What does not go with the others leaves its place to them.
                let room = size.saturating_sub(together.len() + of_round);
                (together, of_round, if self.state.is_anytime() { room } else { to_plan })
            }
        };
        let mut talk = self.state.talk.clone();
        let mut handings = Vec::new();
        let of_worker = |handing: Handing| Handing { worker: worker.map(str::to_owned), ..handing };
        let mut hand = |talk: &mut Conversation, handing: Handing| {
            talk.hand_out(handing.clone()).expect("what was supplied can be handed out");
            handings.push(handing);
        };
        if !taken.is_empty() || of_round > 0 {
            let handed_out = talk.rounds().last().map_or(0, |round| round.handed_out()) + of_round;
            hand(&mut talk, of_worker(Handing { handed_out, again: taken, ..Handing::default() }));
        }
        let mut left = to_plan;
        // Controls go out once with a batch, and leave room for others.
        let mut controls =
            Some(self.controls()?).filter(|controls| controls.len() < left).unwrap_or_default();
        let mut stop = None;
        while left > 0 {
            let beside = if left < size { talk.last_batch(worker).to_vec() } else { Vec::new() };
            let plan = match self.plan(&talk, &beside, &controls, left)? {
                Ok(plan) => plan,
                Err(reason) => {
                    stop = Some(reason);
                    break;
                }
            };
            let barred = |point: &PointId| talk.barred().contains_key(point);
            if plan.measurements.points().iter().all(barred) {
                stop = Some(Stop::Finished(Reason::NothingLeft));
                break;
            }
            if !plan.is_forced() {
                controls.clear();
            }
            let (count, first) = (plan.measurements.len(), talk.slot_count() as u64);
            let order = Some(run_order(count, self.state.spec.seed, first));
            let (handed_out, with_those_before) = (count.min(left), left < size);
            let handing =
                Handing { plan: Some(plan), order, handed_out, with_those_before, ..Handing::default() };
            hand(&mut talk, of_worker(handing));
            left -= handed_out;
            // A round that needs all its outcomes stands alone.
            if !talk.is_anytime() {
                break;
            }
        }
        if handings.is_empty() {
            let open: Vec<usize> = self.state.open().map(|(slot, ..)| slot).collect();
            // A result may still fail, and leave something to do.
            let waits = matches!(
                stop,
                Some(Stop::Budget { .. } | Stop::Finished(Reason::NothingLeft | Reason::Horizon)) | None
            );
            return Ok((
                Vec::new(),
                Some(match stop {
                    _ if waits && worker.is_none() && !open.is_empty() => Handed::Again(open),
                    Some(stop) if !waits || open.is_empty() => Handed::Stopped(stop),
                    _ => Handed::Stopped(Stop::Waiting { open: open.len() }),
                }),
            ));
        }
        Ok((handings.into_iter().map(Event::Asked).collect(), Some(Handed::Out)))
    }

    /// The next plan of at most `size` measurements, or why there is none.
    fn plan(
        &mut self,
        talk: &Conversation,
        beside: &[usize],
        controls: &[PointId],
        size: usize,
    ) -> Result<Result<Plan, Stop>, CampaignError> {
        let spec = &self.state.spec;
        let (budget, limits) = (spec.budget, spec.limits);
        let left = budget.map_or(u64::MAX, |budget| budget.saturating_sub(talk.planned()));
        if let Some(measurements) = budget.filter(|_| left == 0) {
            return Ok(Err(Stop::Budget { measurements, needed: None }));
        }
        let forced = if talk.rounds().is_empty() { self.forced()? } else { Vec::new() };
        let needed = if !forced.is_empty() {
            let plan = Plan::forced(forced);
            let needed = plan.measurements.len() as u64;
            if needed <= left {
                return Ok(Ok(plan));
            }
            needed
        } else {
            let room = size.min(left as usize);
            let controls = if controls.len() < room { controls } else { &[] };
            let (batch, at_most) = (room - controls.len(), self.few_values()?);
            let wanted = Wanted { left, controls, limits, at_most: &at_most, ..Wanted::batch(batch) };
            match self.next(talk, beside, &wanted) {
                Ok(Next::Stop(reason)) => return Ok(Err(Stop::Finished(reason))),
                Ok(Next::Measure(plan)) if plan.measurements.len() as u64 <= left => {
                    return Ok(Ok(plan.with_controls(controls)));
                }
                Ok(Next::Measure(plan)) => plan.measurements.len() as u64,
                Err(CampaignError::Bandit(BanditError::OverBudget { needed, .. })) => needed,
                Err(other) => return Err(other),
            }
        };
        Ok(Err(Stop::Budget { measurements: budget.unwrap_or(u64::MAX), needed: Some(needed) }))
    }

    fn next(
        &mut self,
        talk: &Conversation,
        beside: &[usize],
        wanted: &Wanted,
    ) -> Result<Next, CampaignError> {
        self.engine()?.plan(talk, beside, wanted).map_err(CampaignError::Bandit)
    }

    /// The slots that one batch may hold, of those that wait to go out again: where a batch holds few values of a column, the others wait
    /// for theirs.
    fn that_go_together(&self, taken: &[usize]) -> Result<Vec<usize>, CampaignError> {
        let few = self.few_values()?;
        if few.is_empty() {
            return Ok(taken.to_vec());
        }
        let waiting = taken.iter().filter_map(|&slot| Some((slot, self.state.point(slot)?)));
        let is_under_way =
            |slot: usize| self.state.slot(slot).is_some_and(|slot| slot.state == SlotState::Open);
        let (mut order, rest): (Vec<_>, Vec<_>) = waiting.partition(|(slot, _)| is_under_way(*slot));
        order.extend(rest);
        let mut together = that_fit(&order, &few);
        together.sort_unstable();
        Ok(together)
    }

    /// Why an algorithm by whole rounds cannot do something.
    pub(crate) fn whole_rounds(&self, what: &'static str) -> CampaignError {
        CampaignError::WholeRounds { what, algorithm: self.state.spec.algorithm.clone() }
    }

    /// The candidates that the user wants measured first, and that may be.
    fn forced(&self) -> Result<Vec<PointId>, CampaignError> {
        let candidates = self.candidates()?;
        let find = |id: &String| candidates.find(id).map(PointId::new).map_err(CampaignError::from);
        let points: Result<Vec<PointId>, CampaignError> = self.state.spec.forced.iter().map(find).collect();
        Ok(points?.into_iter().filter(|point| !self.state.barred().contains_key(point)).collect())
    }

    /// Why nothing more is measured, as far as that is known without planning.
    pub(crate) fn stopped_for(&self, status: elfving::bandit::Status) -> Option<Stop> {
        use elfving::bandit::Status::Finished;
        let (talk, spec) = (&self.state.talk, &self.state.spec);
        let open = talk.open().next().is_some() || talk.round_under_way().is_some();
        match (status, spec.budget) {
            (Finished(reason), _) if !open || reason == Reason::Reached && talk.is_anytime() => {
                Some(Stop::Finished(reason))
            }
            (_, Some(budget)) if !open && talk.planned() >= budget => {
                Some(Stop::Budget { measurements: budget, needed: None })
            }
            _ => None,
        }
    }
}

/// What asking came to.
enum Handed {
    Again(Vec<usize>),
    Out,
    Stopped(Stop),
}

/// Every order is equally likely: a drift over the day falls on all candidates alike.
fn run_order(count: usize, seed: u64, first_slot: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    stream(seed, first_slot, Purpose::RUN_ORDER).shuffle(&mut order);
    order
}
