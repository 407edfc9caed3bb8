//! The default solver: a primal-dual interior point on a working set of points and targets.
//!
//! A handful of points carries an optimal design, and a handful of targets decides a worst case. So a
//! small problem is solved by Newton steps ([`newton`]), the whole pool is looked at in one pass, what was
//! missing joins, and the iteration goes on from where it was ([`working_set`]). The worst of all pairs is
//! found without writing pairs down ([`diameter`]).

mod diameter;
mod newton;
mod working_set;

use super::canonical::Canonical;
use super::{Control, Criterion, Design, DesignError, Problem, Solver, TargetRef};
use crate::pool::PointId;

/// The interior point: 10 to 30 Newton steps and a few passes over the pool for a certified 1e-9.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `warm_start` | none | points that start in the working set with these weights |
///
/// Cost: a pass is 2 n r² flops; a Newton step on s points and m targets about (s + m)³/3.
///
/// ```
/// use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver, Status};
/// use elfving::{linalg::Matrix, pool::Pool, units::{Ridge, Tolerance}};
///
/// // A straight line measured on 0, 0.1, ..., 1: the best design sits at the two ends.
/// let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 });
/// let pool = Pool::from_features(line)?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
///
/// assert_eq!(design.status, Status::Certified);
/// assert!((design.certificate.value - 2.0).abs() < 1e-8);
/// assert_eq!(design.support.len(), 2);
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
        let canonical = Canonical::new(problem)?;
        let n = problem.pool().len();
        let warm: Vec<(usize, f64)> = self
            .warm_start
            .iter()
            .map(|&(id, weight)| (id.index(), weight))
            .filter(|&(i, _)| i < n)
            .collect();
        let mut found = working_set::solve(&canonical, &warm, control).map_err(|_| {
            DesignError::Singular { scale: problem.pool().features().max_abs(), gamma: problem.gamma().get() }
        })?;
        if problem.criterion() == Criterion::G && found.target_weights.is_empty() {
            // Solved as log det (Kiefer and Wolfowitz): the weights of the points prove it as weights of targets.
            found.target_weights =
                found.weights.iter().map(|&(i, weight)| (TargetRef::Row(i), weight)).collect();
        }
        Design::certified(problem, self.name(), found, control)
    }
}
