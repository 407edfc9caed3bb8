//! A plan of a number of runs, with how far it can be from the best one.

use elfving::design::{Design, Problem, undetermined};
use elfving::rounding::{Allocation, Constraints, ExactSearch, Request, Rounding, RoundingReport};

use crate::{Dataset, ProblemError};

/// Coefficients that an error names.
const NAMED: usize = 8;

/// An exact design.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactPlan {
    /// The runs.
    pub allocation: Allocation,
    /// What they are worth.
    pub report: RoundingReport,
    /// No plan of as many runs is better by more than one over this: `1 / (ratio (1 + gap))` with the certified gap of the continuous
    /// design.
    pub efficiency_bound: f64,
}

/// The best plan of so many runs that many searches find: see [`ExactSearch`].
///
/// # Errors
/// [`ProblemError::TooFewRuns`], with the coefficients that the runs would leave open; what the rounding finds.
pub fn exact_plan(
    dataset: &Dataset,
    problem: &Problem<'_>,
    design: &Design,
    runs: u64,
    constraints: &Constraints,
    search: ExactSearch,
) -> Result<ExactPlan, ProblemError> {
    let request = Request::new(problem, design, runs, constraints)?;
    let found = search.round(&request)?;
    let Some(ratio) = found.report.ratio else {
        let features = problem.pool().features();
        let done = constraints.done.iter().map(|(id, _)| id.index());
        let rows: Vec<usize> =
            found.allocation.counts().iter().map(|(id, _)| id.index()).chain(done).collect();
        let open = undetermined(features, &rows);
        let names = dataset.feature_names().unwrap_or_default();
        let name = |k: &usize| names.get(*k).cloned().unwrap_or_else(|| format!("feature {k}"));
        return Err(ProblemError::TooFewRuns {
            runs,
            coefficients: features.columns(),
            open: open.len(),
            named: open.iter().take(NAMED).map(name).collect(),
        });
    };
    let efficiency_bound = efficiency_bound(ratio, design.certificate().relative_gap());
    Ok(ExactPlan { allocation: found.allocation, report: found.report, efficiency_bound })
}

/// The continuous design is at most `1 + gap` times worse than any, whole runs included; a plan is `ratio` times worse than it.
pub(crate) fn efficiency_bound(ratio: f64, gap: f64) -> f64 {
    1.0 / (ratio * (1.0 + gap))
}
