//! The default solver: a primal-dual interior point on a working set of points and targets.
//!
//! A handful of points carries an optimal design, and a handful of targets decides a worst case. So a
//! small problem is solved by Newton steps (`newton`), the whole pool is looked at in one `pass`, what was
//! missing joins the `working_set`, and the iteration goes on from where it was. The worst of all pairs is
//! found without writing pairs down (`diameter`).

mod curvature;
mod newton;
mod pass;
mod start;
mod system;
mod working_set;

use super::canonical::{Canonical, Objective};
use super::{
    Control, Criterion, Design, DesignError, DesignStatus, ElfvingSet, Problem, Progress, Solver,
    SolverWeights, TargetRef,
};
use crate::pool::PointId;
use newton::Breakdown;
use pass::Pass;
use working_set::WorkingSet;

/// The interior point: 10 to 30 Newton steps and a few passes over the pool for a certified 1e-9.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `warm_start` | none | points that start in the working set with these weights |
///
/// One target without a ridge goes to [`ElfvingSet`], whose answer is exact.
///
/// Cost: a pass is 2 n r² flops; a Newton step on s points and m targets about (s + m)³/3.
///
/// ```
/// use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver, DesignStatus};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
///
/// // A straight line measured on 0, 0.1, ..., 1: the best design sits at the two ends.
/// let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 });
/// let pool = Pool::from_features(line)?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
///
/// assert_eq!(design.status(), DesignStatus::Certified);
/// assert!((design.certificate().value() - 2.0).abs() < 1e-8);
/// assert_eq!(design.support().len(), 2);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct InteriorPoint {
    warm_start: Vec<(PointId, f64)>,
}

impl InteriorPoint {
    /// Starts from the weights of an earlier design on the same or a similar pool. Points the pool does
    /// not have are ignored.
    #[must_use]
    pub fn warm_start(mut self, support: &[(PointId, f64)]) -> Self {
        self.warm_start = support.to_vec();
        self
    }
}

impl Solver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior-point"
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        if ElfvingSet::suits(problem) {
            // The optimum is singular: no Newton step gets there.
            return ElfvingSet.solve(problem, control);
        }
        let canonical = Canonical::new(problem)?;
        let n = problem.pool().len();
        let warm: Vec<(usize, f64)> = self
            .warm_start
            .iter()
            .map(|&(id, weight)| (id.index(), weight))
            .filter(|&(i, _)| i < n)
            .collect();
        let singular = |_| DesignError::Singular {
            scale: problem.pool().features().max_abs(),
            gamma: problem.gamma().get(),
        };
        let (set, mut tally) = search(&canonical, &warm, control).map_err(singular)?;
        let certified = |set: WorkingSet, tally: Tally, control: &Control| {
            Design::checked(problem, self.name(), set.found(problem.criterion(), tally), control)
        };
        if let Some((sparser, steps)) = set.without_traces(&canonical, control.tolerance) {
            tally.iterations += steps;
            let design = certified(sparser, tally, control)?;
            if design.status() == DesignStatus::Certified {
                return Ok(design);
            }
            tally.passes += 1;
        }
        certified(set, tally, control)
    }
}

/// Passes after which the answer is handed back whatever its gap.
const PASS_LIMIT: usize = 40;
/// The first solve of a working set goes this far: what is missing shows early, what can be forgotten a little later.
const FIRST_STAGE: f64 = 3e-4;
/// Where nothing can be missing it goes this far: by then the weights tell what can be forgotten.
const FIRST_STAGE_OF_ALL: f64 = 1e-5;
/// How well the log-determinant design is solved that only names points and targets for a worst case.
const CLOSE_ENOUGH: f64 = 1e-2;
/// Members of the working set below this fraction of the average weight are forgotten early on.
const FORGET: f64 = 1e-2;

/// Solves the canonical problem to the tolerance on the whole pool, or as far as it gets.
fn search(
    canonical: &Canonical,
    warm: &[(usize, f64)],
    control: &mut Control,
) -> Result<(WorkingSet, Tally), Breakdown> {
    let (mut set, passes) = start::initial_points(canonical, warm);
    let mut tally = Tally { iterations: 0, passes };
    if let Objective::Largest(targets) = &canonical.objective {
        // The log-determinant design is close to the worst-case one and cheap: it names what is active.
        set = climb(canonical, &Objective::LogDet, set, CLOSE_ENOUGH, control, &mut tally)?;
        start::narrow(canonical, targets, &mut set)?;
        tally.passes += 1;
    }
    let tolerance = control.tolerance.max(1e-13);
    let mut set = climb(canonical, &canonical.objective, set, tolerance, control, &mut tally)?;
    set.prune(canonical, 0.1 * control.tolerance)?;
    Ok((set, tally))
}

/// Solves on the working set, looks at everything, adds what was missing, and goes on from there.
fn climb(
    canonical: &Canonical,
    objective: &Objective,
    mut set: WorkingSet,
    tolerance: f64,
    control: &mut Control,
    tally: &mut Tally,
) -> Result<WorkingSet, Breakdown> {
    let last = 0.4 * tolerance;
    let all = matches!(objective, Objective::LogDet) && set.points.len() == canonical.points.rows();
    let mut stage = if all { FIRST_STAGE_OF_ALL } else { FIRST_STAGE }.max(last);
    let mut best: Option<(f64, WorkingSet)> = None;
    for round in 0..PASS_LIMIT {
        let before = *tally;
        let outcome = set.solve(canonical, objective, stage, |gap, steps| {
            control
                .report(&Progress { gap, iterations: before.iterations + steps, ..before.into() })
                .is_continue()
        })?;
        let pass = Pass::over(canonical, objective, &set)?;
        tally.iterations += outcome.iterations;
        tally.passes += 1;
        if best.as_ref().is_none_or(|(gap, _)| pass.gap < *gap) {
            best = Some((pass.gap, set.clone()));
        }
        let reached = pass.gap <= 0.5 * tolerance;
        let exhausted = pass.is_complete() && (outcome.gap > stage || stage <= last);
        if reached || exhausted || control.report(&Progress { gap: pass.gap, ..(*tally).into() }).is_break() {
            break;
        }
        let missing = pass.points.len() + pass.targets.len();
        let few = 10 * missing < set.points.len() + set.targets.len();
        stage = if few { last } else { (1e-3 * pass.gap).clamp(last, 1e-2) };
        // Forgetting late could cycle: what one pass brings would go and come back for ever.
        set.regroup(&pass, if round < 2 { FORGET } else { 0.0 });
    }
    best.map(|(_, set)| set).ok_or(Breakdown)
}

impl WorkingSet {
    /// The weights as an answer. Where g was solved as log det (Kiefer and Wolfowitz), those of the points prove it as weights of targets.
    fn found(self, criterion: Criterion, tally: Tally) -> SolverWeights {
        let weights: Vec<(usize, f64)> = self.points.into_iter().zip(self.lambda).collect();
        let target_weights = if criterion == Criterion::G && self.targets.is_empty() {
            weights.iter().map(|&(i, weight)| (TargetRef::Row(i), weight)).collect()
        } else {
            self.targets.into_iter().zip(self.w).collect()
        };
        SolverWeights { weights, target_weights, iterations: tally.iterations, passes: tally.passes }
    }
}

#[derive(Debug, Clone, Copy)]
struct Tally {
    iterations: usize,
    passes: usize,
}

impl From<Tally> for Progress {
    fn from(tally: Tally) -> Progress {
        Progress { gap: f64::INFINITY, iterations: tally.iterations, passes: tally.passes }
    }
}
