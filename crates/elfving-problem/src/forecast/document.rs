//! A forecast as a document: stable names for programs.

use elfving::bandit::Recommendation;
use elfving_lab::plan::PlannedRound;
use elfving_lab::simulate::Summary;
use serde::{Deserialize, Serialize};

/// What an answer will cost, before the first measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// [`SCHEMA`](crate::documents::SCHEMA).
    pub schema: u32,
    /// Candidates.
    pub n: usize,
    /// Choices.
    pub choices: usize,
    /// Features.
    pub dimension: usize,
    /// How far from the best an answer may be.
    pub epsilon: f64,
    /// The probability of a wrong answer.
    pub delta: f64,
    /// σ.
    pub sigma: f64,
    /// B, where it is assumed.
    pub bound: Option<f64>,
    /// S, where it is assumed.
    pub norm: Option<f64>,
    /// Measurements at a time.
    pub batch: usize,
    /// f over all differences at the suggested ridge: what takes the place of the dimension.
    pub f_differences: f64,
    /// None for explicit features without a norm bound: there no ridge is needed, and its bias could not be bounded.
    pub suggested_gamma: Option<f64>,
    /// What `auto` picks, and why.
    pub recommendation: Recommendation,
    /// The certified algorithms.
    pub algorithms: Vec<AlgorithmPlan>,
    /// What the simulations of `by_epsilon` and `by_batch` take as true: `guess` or `all-equal`.
    pub simulated_truth: &'static str,
    /// For other ε.
    pub by_epsilon: Vec<ByEpsilon>,
    /// For other ridges.
    pub by_gamma: Vec<ByGamma>,
    /// For other batches.
    pub by_batch: Vec<ByBatch>,
    /// If the guess is true, no algorithm names the best itself in fewer, on average.
    pub lower_bound: Option<f64>,
    /// The version that wrote it.
    pub version: &'static str,
}

/// One certified algorithm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlgorithmPlan {
    /// Its name.
    pub algorithm: &'static str,
    /// What it needs that is not assumed.
    pub missing: Vec<Needed>,
    /// Measurements when nothing can be eliminated before the end: computed.
    pub worst_case: Option<WorstCaseDocument>,
    /// Measurements when all candidates are equally good: simulated.
    pub all_equal: Option<Simulated>,
    /// Measurements if the guess were true: simulated.
    pub guess: Option<Simulated>,
}

/// Measurements when nothing can be eliminated before the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstCaseDocument {
    /// Measurements.
    pub samples: u64,
    /// Whether ε is reached at all.
    pub reached: bool,
    /// Round by round.
    pub rounds: Vec<PlannedRound>,
}

/// A few simulated runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Simulated {
    /// Over the runs that stopped; none when they were given up.
    pub samples: Option<Summary>,
    /// Rounds, on average.
    pub rounds: f64,
    /// Share of the runs that stopped within the budget.
    pub stopped: f64,
    /// Measurements after which a run was given up.
    pub budget: u64,
}

/// Measurements at another ε.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByEpsilon {
    /// ε.
    pub epsilon: f64,
    /// At worst; none where ε is not reached, or no bound is assumed.
    pub rips_best: Option<u64>,
    /// At worst; none where ε is not reached.
    pub ptr_best: Option<u64>,
    /// Simulated, where its assumptions are made.
    pub ellipsoid_best: Option<Simulated>,
}

/// Measurements with another ridge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByGamma {
    /// γ.
    pub gamma: f64,
    /// f over all differences.
    pub f_differences: f64,
    /// None where the bias of the ridge keeps it from epsilon.
    pub rips_best: Option<u64>,
    /// As for RIPS.
    pub ptr_best: Option<u64>,
}

/// Measurements with another batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByBatch {
    /// Measurements at a time.
    pub batch: usize,
    /// Simulated.
    pub ellipsoid_best: Simulated,
}

/// An assumption that an algorithm needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needed {
    /// A bound on the norm of the true function.
    Norm,
    /// Noise with light tails.
    SubGaussian,
    /// A bound on the mean outcomes.
    Bound,
}
