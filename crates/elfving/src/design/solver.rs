//! What every solver takes and gives.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::certificate::{Certificate, recheck};
use super::{Control, Criterion, DesignError, Problem, TargetRef};
use crate::pool::PointId;
use crate::units::{Ridge, Simplex};

/// A way to compute designs. All of them hand their weights to the same [`recheck`]; a solver cannot
/// certify itself.
pub trait Solver: fmt::Debug {
    /// The name used on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Looks for optimal weights until `control` says stop.
    ///
    /// # Errors
    /// A [`DesignError`] when the question has no answer. An answer that did not reach the tolerance is
    /// not an error: it comes back with its gap and a [`Status`].
    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError>;
}

/// How far a design got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The independent check found the gap within the tolerance: relative to the bound, or for a
    /// log-determinant near zero, at most a hundredth of the tolerance per dimension.
    Certified,
    /// The iteration limit came first.
    IterationLimit,
    /// The caller stopped it.
    Stopped,
    /// No further progress in double precision.
    Inexact,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Certified => "certified",
            Status::IterationLimit => "iteration-limit",
            Status::Stopped => "stopped",
            Status::Inexact => "inexact",
        })
    }
}

/// Weights on the pool, with the proof of how good they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// What was optimised.
    pub criterion: Criterion,
    /// The ridge γ.
    pub gamma: Ridge,
    /// Points of positive weight, in pool order; the weights sum to one.
    pub support: Vec<(PointId, f64)>,
    /// Value, bound and what proves it.
    pub certificate: Certificate,
    /// How far it got.
    pub status: Status,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Passes over the whole pool, the final check included.
    pub passes: usize,
    /// The solver.
    pub method: String,
}

impl Design {
    /// The weights over all `points` of the pool, zeros included.
    ///
    /// # Panics
    /// When the design names a point the pool does not have.
    pub fn weights(&self, points: usize) -> Simplex {
        let mut weights = vec![0.0; points];
        for &(id, weight) in &self.support {
            weights[id.index()] = weight;
        }
        Simplex::new(weights).expect("the support of a design has positive weights")
    }

    /// Hands the weights of a solver to [`recheck`] on the whole problem and says what they are worth: how every solver
    /// ends, and the only way to a design.
    ///
    /// # Errors
    /// Those of [`recheck`].
    pub fn checked(
        problem: &Problem,
        method: &'static str,
        found: SolverWeights,
        control: &Control,
    ) -> Result<Self, DesignError> {
        let weights: Vec<(PointId, f64)> =
            found.weights.iter().map(|&(i, weight)| (PointId::new(i), weight)).collect();
        let certificate = recheck(problem, &weights, &found.target_weights)?;
        let Certificate { value, bound, relative_gap, .. } = certificate;
        // A log-determinant near zero has no relative gap to speak of: then its gap per dimension counts.
        let per_dimension = (value - bound).abs() / problem.pool().dimension() as f64;
        let near_zero = problem.criterion().is_maximised() && per_dimension <= 0.01 * control.tolerance;
        let status = if relative_gap <= control.tolerance || near_zero {
            Status::Certified
        } else if found.iterations >= control.iteration_limit {
            Status::IterationLimit
        } else if control.stopped {
            Status::Stopped
        } else {
            Status::Inexact
        };
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        Ok(Design {
            criterion: problem.criterion(),
            gamma: problem.gamma(),
            support: weights.into_iter().map(|(id, weight)| (id, weight / total)).collect(),
            certificate,
            status,
            iterations: found.iterations,
            passes: found.passes + 1,
            method: method.to_string(),
        })
    }
}

impl fmt::Display for Design {
    /// `certified: g = 27.491106, within 1.0e-9 of optimal, 28 iterations`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Certificate { value, relative_gap, .. } = &self.certificate;
        write!(
            f,
            "{}: {} = {value:.6}, within {relative_gap:.1e} of optimal, {} iterations",
            self.status, self.criterion, self.iterations
        )
    }
}

/// What a solver found: weights on points and, for the worst-case criteria, on targets.
#[derive(Debug, Clone)]
pub struct SolverWeights {
    /// Weights on points, by row, in order.
    pub weights: Vec<(usize, f64)>,
    /// Weights on targets.
    pub target_weights: Vec<(TargetRef, f64)>,
    /// Iterations it took.
    pub iterations: usize,
    /// Passes over the whole pool so far.
    pub passes: usize,
}
