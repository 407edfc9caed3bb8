//! What can be wrong with a question or an outcome.

use super::{Reading, SlotId};
use crate::design::DesignError;
use crate::estimate::EstimateError;
use crate::pool::PoolError;
use crate::rounding::RoundingError;
use crate::surrogate::SurrogateError;
use crate::units::{ErrorKind, InvalidValue};

/// Why a bandit cannot go on as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BanditError {
    /// ε must be finite and not negative.
    #[error("epsilon must be a finite number >= 0, got {got}")]
    Epsilon {
        /// The value given.
        got: f64,
    },
    /// The number of choices wanted must be at least 1 and at most all.
    #[error("between 1 and {choices} choices can be asked for, got {got}")]
    TopCount {
        /// The value given.
        got: usize,
        /// How many there are.
        choices: usize,
    },
    /// A horizon of no measurements.
    #[error("the horizon must be at least 1")]
    Horizon,
    /// The ridge of a regression must be positive.
    #[error("the ridge must be a finite number > 0, got {got}")]
    Ridge {
        /// The value given.
        got: f64,
    },
    /// One positive weight for each point.
    #[error("{points} finite weights > 0 are needed, one for each point")]
    Weights {
        /// How many.
        points: usize,
    },
    /// A batch of no measurements.
    #[error("a batch has at least 1 measurement")]
    EmptyBatch,
    /// The policy is for another goal.
    #[error("{policy} does not answer the goal \"{goal}\"; it is for {wanted}")]
    OtherGoal {
        /// The policy.
        policy: &'static str,
        /// The goal asked.
        goal: String,
        /// What it is for.
        wanted: &'static str,
    },
    /// The policy rests on an assumption that was not stated.
    #[error("{policy} needs {what}; state it, or use {instead}")]
    NeedsAssumption {
        /// The policy.
        policy: &'static str,
        /// What is missing.
        what: &'static str,
        /// What does without.
        instead: &'static str,
    },
    /// Regret is about measuring the choices themselves.
    #[error("{policy} measures what it chooses among; give it one table, not two")]
    ChoicesNotMeasurable {
        /// The policy.
        policy: &'static str,
    },
    /// No such slot was asked.
    #[error("slot {slot} was never asked; {asked} slots were")]
    UnknownSlot {
        /// The slot named.
        slot: SlotId,
        /// How many were asked.
        asked: u64,
    },
    /// The slot has another value already.
    #[error("slot {slot} has the value {known} already, and now {told}")]
    Conflict {
        /// The slot.
        slot: SlotId,
        /// Its value.
        known: Reading,
        /// The other one.
        told: Reading,
    },
    /// What was told is no outcome.
    #[error("slot {slot}: {problem}; tell a failed measurement as failed")]
    NotAnOutcome {
        /// The slot.
        slot: SlotId,
        /// What is wrong.
        problem: String,
    },
    /// An earlier measurement is no outcome.
    #[error("earlier measurement {index}: {problem}")]
    Earlier {
        /// Its position, from 0.
        index: usize,
        /// What is wrong.
        problem: String,
    },
    /// What was believed beforehand is no prediction of every candidate.
    #[error("the predictions of {name}: {problem}")]
    Belief {
        /// Whose they are.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The next round does not fit into the budget.
    #[error(
        "the next round needs {needed} measurements and {left} are left; a larger epsilon, less noise or a smaller bound \
         would need fewer"
    )]
    OverBudget {
        /// What the round needs.
        needed: u64,
        /// What is left.
        left: u64,
    },
    /// A round cannot close now.
    #[error("{open} slots of the round are open: tell them, or close the round without a guarantee")]
    RoundIncomplete {
        /// Open slots.
        open: usize,
    },
    /// Nothing is under way that could be closed.
    #[error("no round is under way")]
    NoRound,
    /// The round of this slot was closed without it.
    #[error("the round of slot {slot} was closed while the slot was open; its outcome comes too late")]
    RoundClosed {
        /// The slot.
        slot: SlotId,
    },
    /// A setting is outside its domain.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// From the pool.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// From the design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// From its rounding.
    #[error(transparent)]
    Rounding(#[from] RoundingError),
    /// From the model of a calibrated campaign.
    #[error(transparent)]
    Surrogate(#[from] SurrogateError),
    /// From the estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

impl BanditError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            BanditError::UnknownSlot { .. } => ErrorKind::UnknownSlot,
            BanditError::Conflict { .. } => ErrorKind::Conflict,
            BanditError::NotAnOutcome { .. }
            | BanditError::Earlier { .. }
            | BanditError::Belief { .. }
            | BanditError::RoundClosed { .. } => ErrorKind::Data,
            BanditError::OverBudget { .. } => ErrorKind::Budget,
            BanditError::RoundIncomplete { .. } => ErrorKind::RoundIncomplete,
            BanditError::Invalid(error) => error.kind(),
            BanditError::Pool(error) => error.kind(),
            BanditError::Design(error) => error.kind(),
            BanditError::Rounding(error) => error.kind(),
            BanditError::Surrogate(error) => error.kind(),
            BanditError::Estimate(error) => error.kind(),
            _ => ErrorKind::Usage,
        }
    }
}
