//! What a rounding is worth, and how it was found.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::Allocation;
use crate::design::Criterion;
use crate::units::Ridge;

/// An allocation with its report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rounded {
    /// The counts.
    pub allocation: Allocation,
    /// What they are worth.
    pub report: RoundingReport,
}

/// What counts are worth, next to the continuous design they come from.
///
/// All values are those of `M = (Σ (n_i + d_i) x_i x_iᵀ) / (T + D) + γI` with new counts n (T in all) and done
/// counts d (D in all): the information of one measurement of the whole experiment. So the continuous
/// design is never beaten by spending more, and `value / (T + D)` is the variance of the worst target (g) in
/// units of the noise variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundingReport {
    /// The method asked for.
    pub method: String,
    /// How it got there.
    pub path: RoundingPath,
    /// The criterion.
    pub criterion: Criterion,
    /// The ridge γ.
    pub gamma: Ridge,
    /// New measurements asked for.
    pub budget: u64,
    /// New measurements given; more than the budget only from the ceiling.
    pub total: u64,
    /// Measurements done before.
    pub done: u64,
    /// Candidates with at least one new measurement.
    pub candidates: usize,
    /// The criterion; `None` when it is infinite, because some target is not determined.
    pub value: Option<f64>,
    /// The criterion of the continuous design.
    pub continuous_value: f64,
    /// `value / continuous_value`; for criterion d `exp((continuous - value) / p)`, one over the
    /// D-efficiency. `None` when the value is infinite.
    pub ratio: Option<f64>,
    /// The smallest eigenvalue of `M(λ)^(-1/2) M(n) M(λ)^(-1/2)`: no squared norm grew by more than one over it.
    pub smallest_eigenvalue: f64,
    /// A lower bound on it that held before a single point was chosen, where the theory has one.
    pub guaranteed_eigenvalue: Option<f64>,
    /// Dimension the method worked in; for PTR the number of eigenvalues of A(λ) that are at least γ.
    pub dimension: usize,
}

/// The road a rounding took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum RoundingPath {
    /// Straight from the weights, or counts that were given.
    Direct,
    /// Caratheodory: the same information matrix on fewer points first.
    Reduced {
        /// Points of positive weight before.
        from: usize,
        /// And after.
        to: usize,
    },
    /// Regret minimisation in the full space.
    Steps {
        /// The α that gave the best value.
        alpha: f64,
        /// When the prior entered.
        prior: PriorEntry,
        /// Exchanges made because a maximum was in the way.
        swaps: usize,
    },
    /// Project-then-round as the paper writes it: its ratio is at most 2, or the full space was no better.
    Projected,
    /// Project-then-round, but its ratio exceeded 2: this is regret minimisation in the full space, which is better.
    FullSpace {
        /// The ratio of the paper's procedure; `None` when it was infinite.
        projected_ratio: Option<f64>,
    },
    /// Improved by exchanges.
    Exchanged {
        /// The method that gave the start.
        from: String,
        /// Exchanges made.
        swaps: usize,
        /// Whether no exchange looked at improves it further.
        settled: bool,
    },
    /// The best of many searches.
    Searched {
        /// Searches made.
        searches: usize,
        /// The one that found it, from 0; the rounding began the first one.
        found_by: usize,
    },
    /// Independent draws.
    Drawn {
        /// The seed.
        seed: u64,
        /// The round of the seed.
        round: u64,
    },
}

/// When the prior `γ (A + γI)⁻¹` enters the sum that regret minimisation builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorEntry {
    /// Whole, before the first step.
    AtOnce,
    /// One part in T before every step: what the guarantee needs.
    InParts,
}

impl fmt::Display for RoundingPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundingPath::Direct => f.write_str("direct"),
            RoundingPath::Reduced { from, to } => write!(f, "support reduced from {from} to {to}"),
            RoundingPath::Steps { alpha, swaps: 0, .. } => write!(f, "alpha = {alpha:.3}"),
            RoundingPath::Steps { alpha, swaps, .. } => write!(f, "alpha = {alpha:.3}, {swaps} swaps"),
            RoundingPath::Projected => f.write_str("projected, as the paper writes it"),
            RoundingPath::FullSpace { projected_ratio: Some(ratio) } => {
                write!(f, "full space, because the projected ratio was {ratio:.3}")
            }
            RoundingPath::FullSpace { projected_ratio: None } => {
                f.write_str("full space, because the projected value was infinite")
            }
            RoundingPath::Exchanged { from, swaps, settled } => {
                write!(f, "{swaps} exchanges after {from}{}", if *settled { "" } else { ", more may help" })
            }
            RoundingPath::Searched { searches, .. } => write!(f, "the best of {searches} searches"),
            RoundingPath::Drawn { seed, round } => write!(f, "seed {seed}, round {round}"),
        }
    }
}

impl fmt::Display for RoundingReport {
    /// `regret: 200 measurements of 87 candidates, g = 28.911025, 1.0516 times the continuous value (alpha = 10.2)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, total, candidates, criterion, path, .. } = self;
        write!(f, "{method}: {total} measurements of {candidates} candidates, {criterion} ")?;
        match (self.value, self.ratio) {
            (Some(value), Some(ratio)) => {
                write!(f, "= {value:.6}, {ratio:.4} times the continuous value ({path})")
            }
            _ => write!(f, "is infinite: some target is not determined ({path})"),
        }
    }
}
