//! Box 1 of the paper, from the problem to θ̂.

use super::minimax::{ThetaHat, theta_hat};
use super::{Assumptions, EstimateError, Intervals, Rips, Sampled};
use crate::design::{Control, Design, DesignError, InteriorPoint, Problem, Solver};
use crate::pool::PointId;
use crate::rounding::{Draws, RoundingError};
use crate::units::{Confidence, ErrorKind, InvalidValue, Tolerance};

/// How well design and θ̂ are solved. What is achieved is used, so this costs width, never truth.
const TOLERANCE: f64 = 1e-6;

/// What [`run_rips`] did and found.
#[derive(Debug, Clone, PartialEq)]
pub struct RipsRun {
    /// λ, with its certificate.
    pub design: Design,
    /// x_1 … x_T.
    pub draws: Draws,
    /// W(v) with its interval, for every target.
    pub robust_means: Intervals,
    /// θ̂.
    pub theta_hat: ThetaHat,
}

/// Why [`run_rips`] stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RipsError {
    /// From a checked value.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// From the design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// From the draws.
    #[error(transparent)]
    Rounding(#[from] RoundingError),
    /// From the estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

impl RipsError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            RipsError::Invalid(error) => error.kind(),
            RipsError::Design(error) => error.kind(),
            RipsError::Rounding(error) => error.kind(),
            RipsError::Estimate(error) => error.kind(),
        }
    }
}

/// RIPS, box 1 of the paper: design, draws, robust means, θ̂. The intervals hold together with probability 1 - δ.
///
/// `problem`: criterion g for means, xy for differences, with the ridge γ. `measure` gives the outcome of one measurement.
///
/// ```
/// use elfving::estimate::{Assumptions, run_rips};
/// use elfving::prelude::*;
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let problem = Problem::g(&pool).problem()?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?;
/// let run = run_rips(&problem, assumptions, Confidence::new(0.05)?, 400, 1, |x| [0.2, 0.7][x.index()])?;
/// assert!((run.theta_hat.fit.theta()[1] - 0.7).abs() < run.robust_means.intervals[1].width());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`RipsError`] with what design, draws or estimate find.
pub fn run_rips(
    problem: &Problem,
    assumptions: Assumptions,
    delta: Confidence,
    budget: u64,
    seed: u64,
    measure: impl FnMut(PointId) -> f64,
) -> Result<RipsRun, RipsError> {
    let (pool, targets, gamma) = (problem.pool(), problem.targets(), problem.gamma());
    // λ* = argmin_λ max_v ‖v‖² in the inverse of A(λ) + γI.
    let design = InteriorPoint::default().solve(problem, &mut Control::new(Tolerance::new(TOLERANCE)?))?;
    // x_1, …, x_T independent from λ*, and y_1, …, y_T measured there.
    let draws = Draws::new(design.support(), budget, seed)?;
    let outcomes: Vec<f64> = draws.points().iter().copied().map(measure).collect();
    let sampled = Sampled::new(pool, &draws, &outcomes, gamma)?;
    // W(v): the robust mean of vᵀ(A(λ) + γI)⁻¹ φ(x_t) y_t, for every v.
    let robust_means = Rips::new(assumptions, delta).intervals(&sampled, targets)?;
    // θ̂ = argmin_θ max_v |⟨v, θ⟩ - W(v)| / ‖v‖.
    let theta_hat = theta_hat(&sampled, targets, &robust_means, Tolerance::new(TOLERANCE)?)?;
    Ok(RipsRun { design, draws, robust_means, theta_hat })
}
