//! Asking: open slots again, else the next ones of the round, else the next round.

use elfving::bandit::{BanditError, Decision, Status};
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;

use crate::at::At;
use crate::batch::{Batch, Stop};
use crate::campaign::Campaign;
use crate::engine::Step;
use crate::error::CampaignError;
use crate::event::{Asking, Closing, Event};

impl Campaign {
    /// The slots to measure now: those that are open, or else up to `batch` new ones (unless given, as many as the spec says).
    /// Asked again before anything is told, it shows the same.
    ///
    /// # Errors
    /// [`CampaignError::OverBudget`], what planning a round finds, and what appending finds.
    pub fn ask(&mut self, batch: Option<usize>, at: At) -> Result<Batch, CampaignError> {
        let size = batch.unwrap_or(self.state.spec.batch);
        if size == 0 {
            return Err(CampaignError::Bandit(BanditError::EmptyBatch));
        }
        loop {
            self.decide_complete_round(at)?;
            if let Some(batch) = self.change(at, |campaign| campaign.hand_out(size))? {
                return match batch {
                    Handed::Out { again } => Ok(Batch::of(&self.state, self.candidates()?, again)),
                    Handed::Stopped(stop) => Ok(Batch::stopped(stop)),
                };
            }
        }
    }

    /// Closes the round under way with the outcomes there are. No theorem covers that: from here on nothing is guaranteed.
    ///
    /// # Errors
    /// [`CampaignError::NoRound`], and what appending finds.
    pub fn close_without_guarantee(&mut self, at: At) -> Result<Decision, CampaignError> {
        self.change(at, |campaign| {
            let round = campaign.state.open_round().ok_or(CampaignError::NoRound)?.clone();
            let decision = campaign.engine()?.decide(&round)?;
            let waived = round.missing > 0 && !round.plan.is_forced();
            Ok((vec![Event::Closed(Closing { decision: decision.clone(), waived })], decision))
        })
    }

    /// Refuses to go on while slots of the round are open.
    ///
    /// # Errors
    /// [`CampaignError::RoundIncomplete`].
    pub fn close(&mut self, at: At) -> Result<(), CampaignError> {
        self.decide_complete_round(at)?;
        match self.state.open_round() {
            Some(round) => {
                Err(CampaignError::RoundIncomplete { round: round.plan.round, open: round.missing })
            }
            None => Ok(()),
        }
    }

    /// Decides the round under way if its last outcome is in.
    pub(crate) fn decide_complete_round(&mut self, at: At) -> Result<Option<Decision>, CampaignError> {
        self.change(at, |campaign| {
            let complete = campaign.state.open_round().filter(|round| round.missing == 0).cloned();
            let Some(round) = complete else { return Ok((Vec::new(), None)) };
            let decision = campaign.engine()?.decide(&round)?;
            Ok((vec![Event::Closed(Closing { decision: decision.clone(), waived: false })], Some(decision)))
        })
    }

    /// The events that hand out the next slots; none where open ones are shown again.
    fn hand_out(&mut self, size: usize) -> Result<(Vec<Event>, Option<Handed>), CampaignError> {
        let asking = match self.state.open_round() {
            Some(round) if round.waiting().next().is_some() => {
                return Ok((Vec::new(), Some(Handed::Out { again: true })));
            }
            // Somebody told the last outcome just now: decide first.
            Some(round) if round.missing == 0 => return Ok((Vec::new(), None)),
            Some(round) => {
                let handed_out = round.points.len().min(round.handed_out.saturating_add(size));
                Asking { plan: None, order: None, handed_out }
            }
            None => match self.plan(size)? {
                Ok(asking) => asking,
                Err(stop) => return Ok((Vec::new(), Some(Handed::Stopped(stop)))),
            },
        };
        Ok((vec![Event::Asked(asking)], Some(Handed::Out { again: false })))
    }

    /// The first slots of the next round, or why there is none.
    fn plan(&mut self, size: usize) -> Result<Result<Asking, Stop>, CampaignError> {
        let spec = &self.state.spec;
        let (seed, budget, first_slot) = (spec.seed, spec.budget, self.state.slot_count());
        if let Some(measurements) = budget.filter(|&budget| self.state.planned() >= budget) {
            return Ok(Err(Stop::Budget { measurements }));
        }
        let forced: Vec<PointId> = match self.state.rounds.is_empty() {
            true => {
                let candidates = self.candidates()?;
                let find = |id: &String| candidates.find(id).map(PointId::new).map_err(CampaignError::from);
                spec.forced.iter().map(find).collect::<Result<_, _>>()?
            }
            false => Vec::new(),
        };
        let step = self.engine()?.plan(forced, size).map_err(|error| match (error, budget) {
            (CampaignError::Bandit(BanditError::OverBudget { needed, left }), Some(budget)) => {
                CampaignError::OverBudget { needed, left, budget }
            }
            (other, _) => other,
        })?;
        Ok(match step {
            Step::Stop(Status::Finished(reason)) => Err(Stop::Finished(reason)),
            Step::Stop(Status::Measuring) => unreachable!("an algorithm that stops has finished"),
            Step::Measure(plan) => {
                let count = plan.measurements.len();
                let order = Some(run_order(count, seed, first_slot as u64));
                Ok(Asking { plan: Some(plan), order, handed_out: count.min(size) })
            }
        })
    }
}

/// What asking came to.
enum Handed {
    Out { again: bool },
    Stopped(Stop),
}

/// Every order is equally likely: a drift over the day falls on all candidates alike.
fn run_order(count: usize, seed: u64, first_slot: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    stream(seed, first_slot, Purpose::RUN_ORDER).shuffle(&mut order);
    order
}
