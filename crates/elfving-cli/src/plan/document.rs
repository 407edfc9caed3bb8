//! A plan as JSON: stable names for programs.

use elfving::bandit::Recommendation;
use elfving_lab::plan::PlannedRound;
use elfving_lab::simulate::Summary;
use serde::Serialize;

/// The whole plan.
#[derive(Debug, Serialize)]
pub(super) struct PlanDocument {
    pub(super) n: usize,
    pub(super) choices: usize,
    pub(super) dimension: usize,
    pub(super) epsilon: f64,
    pub(super) delta: f64,
    pub(super) sigma: f64,
    pub(super) bound: Option<f64>,
    pub(super) norm: Option<f64>,
    pub(super) batch: usize,
    /// f over all differences at the suggested ridge: what takes the place of the dimension.
    pub(super) f_differences: f64,
    /// None for explicit features without a norm bound: there no ridge is needed, and its bias could not be bounded.
    pub(super) suggested_gamma: Option<f64>,
    pub(super) recommendation: Recommendation,
    pub(super) algorithms: Vec<AlgorithmPlan>,
    /// What the simulations of `by_epsilon` and `by_batch` take as true: `guess` or `all-equal`.
    pub(super) simulated_truth: &'static str,
    pub(super) by_epsilon: Vec<ByEpsilon>,
    pub(super) by_gamma: Vec<ByGamma>,
    pub(super) by_batch: Vec<ByBatch>,
    /// If the guess is true, no algorithm names the best itself in fewer, on average.
    pub(super) lower_bound: Option<f64>,
    pub(super) version: &'static str,
}

/// One certified algorithm.
#[derive(Debug, Serialize)]
pub(super) struct AlgorithmPlan {
    pub(super) algorithm: &'static str,
    /// What it needs that is not assumed.
    pub(super) missing: Option<&'static str>,
    /// Measurements when nothing can be eliminated before the end: computed.
    pub(super) worst_case: Option<WorstCaseDocument>,
    /// Measurements when all candidates are equally good: simulated.
    pub(super) all_equal: Option<Simulated>,
    /// Measurements if the guess were true: simulated.
    pub(super) guess: Option<Simulated>,
}

#[derive(Debug, Serialize)]
pub(super) struct WorstCaseDocument {
    pub(super) samples: u64,
    pub(super) reached: bool,
    pub(super) rounds: Vec<PlannedRound>,
}

/// A few simulated runs.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Simulated {
    /// Over the runs that stopped; none when they were given up.
    pub(super) samples: Option<Summary>,
    pub(super) rounds: f64,
    /// Share of the runs that stopped within the budget.
    pub(super) stopped: f64,
    /// Measurements after which a run was given up.
    pub(super) budget: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct ByEpsilon {
    pub(super) epsilon: f64,
    pub(super) rips_best: Option<u64>,
    pub(super) ptr_best: Option<u64>,
    pub(super) ellipsoid_best: Option<Simulated>,
}

#[derive(Debug, Serialize)]
pub(super) struct ByGamma {
    pub(super) gamma: f64,
    pub(super) f_differences: f64,
    /// None where the bias of the ridge keeps it from epsilon.
    pub(super) rips_best: Option<u64>,
    pub(super) ptr_best: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct ByBatch {
    pub(super) batch: usize,
    pub(super) ellipsoid_best: Simulated,
}
