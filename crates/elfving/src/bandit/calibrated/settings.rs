//! What can be set.

use crate::surrogate::Surrogate;
use crate::units::Confidence;
use serde::{Deserialize, Serialize};

/// How the slots of a batch are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The one that did best where it was measured: [`Ucb`](Self::Ucb) where the points are the choices or every measurement counts
    /// ([`Goal::Regret`](crate::bandit::Goal::Regret)), else [`Mixed`](Self::Mixed).
    #[default]
    Auto,
    /// The largest `mean + b · deviation`, with a cap on repeats.
    Ucb,
    /// Each slot the best point of a joint draw from the posterior.
    Thompson,
    /// The largest expected improvement over the best mean, on the log scale.
    LogEi,
    /// The points that tell the leader from its strongest rival.
    PosteriorXy,
    /// Upper confidence bounds, and every sixth time a point that tells the likely best choices apart for little regret.
    Mixed,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 6] = [
        Strategy::Auto,
        Strategy::Ucb,
        Strategy::Thompson,
        Strategy::LogEi,
        Strategy::PosteriorXy,
        Strategy::Mixed,
    ];

    /// The name of the algorithm with this strategy on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Auto => "calibrated",
            Strategy::Ucb => "calibrated-ucb",
            Strategy::Thompson => "calibrated-thompson",
            Strategy::LogEi => "calibrated-ei",
            Strategy::PosteriorXy => "calibrated-xy",
            Strategy::Mixed => "calibrated-mixed",
        }
    }

    /// What `auto` stands for, where points are measured for the sake of other choices and where they are not.
    pub(super) fn resolved(self, for_others: bool) -> Self {
        match (self, for_others) {
            (Strategy::Auto, false) => Strategy::Ucb,
            (Strategy::Auto, true) => Strategy::Mixed,
            (chosen, _) => chosen,
        }
    }
}

/// When a row has been measured enough: a row with `settled` measurements may be measured again, but of the q slots of a batch only
/// `round(q (first + growth · n/N))` go to such rows, n the measurements so far and N the budget.
///
/// Without it, upper confidence bounds fitted anew after every batch can stay on one row for the rest of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RepeatCap {
    /// Measurements after which a row is settled.
    pub settled: u64,
    /// The share of a batch that settled rows may fill at the start.
    pub first: f64,
    /// How much that share has grown at the end of the budget.
    pub growth: f64,
}

impl Default for RepeatCap {
    fn default() -> Self {
        Self { settled: 2, first: 0.5, growth: 0.5 }
    }
}

impl RepeatCap {
    /// Slots of a batch of `batch` that settled rows may fill, when the share `spent` of the budget is spent.
    pub(super) fn slots(&self, batch: usize, spent: f64) -> usize {
        let share = (self.first + self.growth * spent).clamp(0.0, 1.0);
        (batch as f64 * share).round() as usize
    }
}

/// b in `mean + b · deviation`: it falls evenly from `first` to `last` over the budget.
///
/// Campaigns that get stuck do so in their first batches, and what exploring costs later is not won back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Optimism {
    /// b before the first measurement.
    pub first: f64,
    /// b at the end of the budget.
    pub last: f64,
}

impl Default for Optimism {
    fn default() -> Self {
        Self { first: 3.2, last: 1.0 }
    }
}

impl Optimism {
    /// The same b all the time.
    pub fn constant(b: f64) -> Self {
        Self { first: b, last: b }
    }

    /// b when the share `spent` of the budget is spent; negative numbers and NaN are taken as 0.
    pub(super) fn at(self, spent: f64) -> f64 {
        (self.first + (self.last - self.first) * spent).max(0.0)
    }
}

/// The settings of [`Calibrated`](super::Calibrated).
///
/// | setting | default | effect |
/// |---|---|---|
/// | `strategy` | auto | how slots are chosen |
/// | `optimism` | from 3.2 to 1 | b in `mean + b · deviation` |
/// | `repeats` | 2 measurements; 50 % to 100 % of a batch | the cap on settled rows |
/// | `budget` | unknown | N, for optimism and cap; half of it is taken as spent while it is unknown |
/// | `start` | 5 | different rows measured at random before the model is asked |
/// | `delta` | 0.1 | intervals are nominal 1 - δ |
/// | `seed` | 0 | of the start and of Thompson draws |
/// | `surrogate` | [`Surrogate::default`] | the model |
/// | `members` | 8 | draws of the model's parameters in an [outlook](super::Calibrated::outlook_of); with 0 the fit is taken as true |
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedSettings {
    pub(super) strategy: Strategy,
    pub(super) optimism: Optimism,
    pub(super) repeats: RepeatCap,
    pub(super) budget: Option<u64>,
    pub(super) start: usize,
    pub(super) delta: Confidence,
    pub(super) seed: u64,
    pub(super) surrogate: Surrogate,
    pub(super) members: usize,
}

impl Default for CalibratedSettings {
    fn default() -> Self {
        Self {
            strategy: Strategy::Auto,
            optimism: Optimism::default(),
            repeats: RepeatCap::default(),
            budget: None,
            start: 5,
            delta: Confidence::new(0.1).expect("0.1 lies between 0 and 1"),
            seed: 0,
            surrogate: Surrogate::default(),
            members: 8,
        }
    }
}

impl CalibratedSettings {
    /// Sets how slots are chosen.
    #[must_use]
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Sets b: the larger, the more is explored.
    #[must_use]
    pub fn optimism(self, optimism: Optimism) -> Self {
        Self { optimism, ..self }
    }

    /// Sets the cap on repeats.
    #[must_use]
    pub fn repeats(self, repeats: RepeatCap) -> Self {
        Self { repeats, ..self }
    }

    /// Says how many measurements there will be.
    #[must_use]
    pub fn budget(self, budget: u64) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Sets how many different rows are measured at random first.
    #[must_use]
    pub fn start(self, start: usize) -> Self {
        Self { start: start.max(1), ..self }
    }

    /// Sets δ: intervals are nominal 1 - δ.
    #[must_use]
    pub fn delta(self, delta: Confidence) -> Self {
        Self { delta, ..self }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets how many draws of the parameters an outlook is asked of.
    #[must_use]
    pub fn members(self, members: usize) -> Self {
        Self { members, ..self }
    }

    /// Sets the model. Its aim is that of the outcomes told: here large is good.
    #[must_use]
    pub fn surrogate(self, surrogate: Surrogate) -> Self {
        Self { surrogate, ..self }
    }
}
