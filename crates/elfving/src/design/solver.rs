//! What every solver takes and gives.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::certificate::{Certificate, StatedCertificate, recheck};
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
    /// not an error: it comes back with its gap and a [`DesignStatus`].
    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError>;
}

/// How far a design got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DesignStatus {
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

impl fmt::Display for DesignStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DesignStatus::Certified => "certified",
            DesignStatus::IterationLimit => "iteration-limit",
            DesignStatus::Stopped => "stopped",
            DesignStatus::Inexact => "inexact",
        })
    }
}

/// Weights on the pool, with the proof of how good they are: made by [`Design::checked`] alone, whatever the solver.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Design {
    criterion: Criterion,
    gamma: Ridge,
    support: Vec<(PointId, f64)>,
    certificate: Certificate,
    status: DesignStatus,
    iterations: usize,
    passes: usize,
    method: &'static str,
}

/// A design as a file states it: the same numbers as a [`Design`], none of them checked.
///
/// Its weights are as good as any; what they are worth is what [`recheck`] says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatedDesign {
    /// What was optimised.
    pub criterion: Criterion,
    /// The ridge γ.
    pub gamma: Ridge,
    /// Points of positive weight, in pool order; the weights sum to one.
    pub support: Vec<(PointId, f64)>,
    /// Value and bound, as stated.
    pub certificate: StatedCertificate,
    /// How far it is said to have got.
    pub status: DesignStatus,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Passes over the whole pool, the final check included.
    pub passes: usize,
    /// The solver.
    pub method: String,
}

impl StatedDesign {
    /// The weights over all `points` of the pool, zeros included.
    ///
    /// # Panics
    /// When it names a point the pool does not have, or no positive weight.
    pub fn weights(&self, points: usize) -> Simplex {
        all_weights(&self.support, points)
    }
}

fn all_weights(support: &[(PointId, f64)], points: usize) -> Simplex {
    let mut weights = vec![0.0; points];
    for &(id, weight) in support {
        weights[id.index()] = weight;
    }
    Simplex::new(weights).expect("the support of a design has positive weights")
}

impl Design {
    /// The weights over all `points` of the pool, zeros included.
    ///
    /// # Panics
    /// When the design names a point the pool does not have.
    pub fn weights(&self, points: usize) -> Simplex {
        all_weights(&self.support, points)
    }

    /// What was optimised.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The ridge γ.
    pub fn gamma(&self) -> Ridge {
        self.gamma
    }

    /// Points of positive weight, in pool order; the weights sum to one.
    pub fn support(&self) -> &[(PointId, f64)] {
        &self.support
    }

    /// Value, bound and what proves it.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// How far it got.
    pub fn status(&self) -> DesignStatus {
        self.status
    }

    /// Iterations of the solver.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Passes over the whole pool, the final check included.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The solver.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The same numbers without the proof, for a file.
    pub fn stated(&self) -> StatedDesign {
        StatedDesign {
            criterion: self.criterion,
            gamma: self.gamma,
            support: self.support.clone(),
            certificate: self.certificate.stated(),
            status: self.status,
            iterations: self.iterations,
            passes: self.passes,
            method: self.method.to_owned(),
        }
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
        let status = if certificate.relative_gap() <= control.tolerance {
            DesignStatus::Certified
        } else if found.iterations >= control.iteration_limit {
            DesignStatus::IterationLimit
        } else if control.stopped {
            DesignStatus::Stopped
        } else {
            DesignStatus::Inexact
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
            method,
        })
    }
}

impl fmt::Display for Design {
    /// `certified: g = 27.491106, within 1.0e-9 of optimal, 28 iterations`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, relative_gap) = (self.certificate.value(), self.certificate.relative_gap());
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
