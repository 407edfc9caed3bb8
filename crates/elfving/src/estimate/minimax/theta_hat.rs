//! θ̂ of RIPS: the vector that agrees best with all W(v).

use super::{FitCertificate, FitStatus, MinimaxProblem};
use crate::estimate::{EstimateError, Interval, Intervals, Ips, LinearFit, Sampled, Statement};
use crate::pool::Targets;
use crate::units::Tolerance;
use std::fmt;

/// `θ̂ = argmin_θ max_v |⟨v, θ⟩ - W(v)| / ‖v‖`, the tie broken towards the IPS estimate in the norm of M.
#[derive(Debug, Clone, PartialEq)]
pub struct ThetaHat {
    /// θ̂ in the features of the pool.
    pub fit: LinearFit,
    /// The residual, in units of ‖v‖, and its bound.
    pub certificate: FitCertificate,
    /// How far the fit got.
    pub status: FitStatus,
    /// Iterations of the interior point.
    pub iterations: usize,
    /// `⟨v, θ̂⟩` for each target.
    predictions: Vec<f64>,
}

/// Fits θ̂ to the estimates W(v) that RIPS gave for these targets.
///
/// ```
/// use elfving::estimate::{Assumptions, Rips, Sampled, minimax::theta_hat};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool, Subset, Targets}};
/// use elfving::{rounding::Draws, units::{Confidence, Ridge, Tolerance}};
///
/// let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))?;
/// let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 200, 1)?;
/// let outcomes: Vec<f64> = draws.points().iter().map(|id| [0.2, 0.7, 0.9][id.index()]).collect();
/// let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::ZERO)?;
/// let targets = Targets::Points(Subset::All);
/// let rips = Rips::new(Assumptions::new(0.1)?.bound(1.0)?, Confidence::new(0.05)?);
/// let intervals = rips.intervals(&sampled, &targets)?;
/// let fit = theta_hat(&sampled, &targets, &intervals, Tolerance::new(1e-9)?)?;
/// println!("{fit}\n{}", fit.intervals(&intervals));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What [`Targets::compile`] finds, and [`EstimateError::Fit`] when the intervals are not those of the targets.
pub fn theta_hat(
    sampled: &Sampled<'_>,
    targets: &Targets,
    intervals: &Intervals,
    tolerance: Tolerance,
) -> Result<ThetaHat, EstimateError> {
    let directions = sampled.frame.directions(targets)?;
    let values = intervals.estimates();
    let norms: Vec<f64> = intervals.intervals.iter().map(|interval| interval.norm).collect();
    let rows = directions.into_rows();
    let problem = MinimaxProblem::new(rows, &values, &norms)?;
    let found = problem.solve(&Ips::fit(sampled).whitened, tolerance);
    let predictions = problem.products(&found.theta);
    Ok(ThetaHat {
        fit: LinearFit::new(&sampled.frame, found.theta),
        certificate: found.certificate,
        status: found.status,
        iterations: found.iterations,
        predictions,
    })
}

impl ThetaHat {
    /// Intervals around `⟨v, θ̂⟩`: each wider than that of W(v) by `|⟨v, θ̂⟩ - W(v)|`, which Theorem 1 bounds by the width itself (its
    /// factor 2).
    ///
    /// # Panics
    /// When these are not the intervals θ̂ was fitted to.
    pub fn intervals(&self, of: &Intervals) -> Intervals {
        assert_eq!(of.intervals.len(), self.predictions.len(), "the intervals that were fitted");
        let moved = |(interval, &estimate): (&Interval, &f64)| Interval {
            estimate,
            noise: interval.noise + (estimate - interval.estimate).abs(),
            ..*interval
        };
        Intervals {
            statement: Statement { estimator: "min-max fit of RIPS", ..of.statement.clone() },
            intervals: of.intervals.iter().zip(&self.predictions).map(moved).collect(),
        }
    }
}

impl fmt::Display for ThetaHat {
    /// `certified: residual 0.004351, within 1.0e-9 of optimal, 14 iterations`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FitCertificate { residual, relative_gap, .. } = &self.certificate;
        let Self { status, iterations, .. } = self;
        write!(
            f,
            "{status}: residual {residual:.6}, within {relative_gap:.1e} of optimal, {iterations} iterations"
        )
    }
}
