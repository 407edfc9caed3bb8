//! The ridge and the weights that the stated noise asks for.

use super::Regression;
use crate::bandit::{BanditError, Question};
use crate::numerics::norm_squared;
use crate::pool::{PointId, Pool};

/// The smallest ridge, relative to the largest `|φ(x)|²`: below it rounding, not noise, would be the limit.
const SMALLEST_RIDGE: f64 = 1e-6;
/// The smallest σ_x that is believed, relative to the largest: a sharper one is not needed to be valid, and a weight
/// beyond 10⁶ would drown everything else.
const SMALLEST_SIGMA: f64 = 1e-3;

impl Regression {
    /// The regression for the noise of a question: a point of noise σ_x counts `(σ/σ_x)²` times, σ the largest.
    ///
    /// # Errors
    /// [`BanditError::Estimate`] unless the assumptions have one σ, or one for each point.
    pub fn of(question: &Question, ridge: f64) -> Result<Self, BanditError> {
        let ridge = sound_ridge(&question.pool, ridge);
        Self::weighted(question.pool.clone(), ridge, noise_weights(question)?)
    }
}

/// At least [`SMALLEST_RIDGE`] of the longest feature vector.
fn sound_ridge(pool: &Pool, ridge: f64) -> f64 {
    let features = pool.features();
    let longest = (0..features.rows()).map(|i| norm_squared(features.row(i))).fold(0.0, f64::max);
    let smallest = if longest > 0.0 { SMALLEST_RIDGE * longest } else { 1.0 };
    ridge.max(smallest)
}

/// `(σ/σ_x)²` of each point; `None` when all are 1.
fn noise_weights(question: &Question) -> Result<Option<Vec<f64>>, BanditError> {
    let points: Vec<PointId> = (0..question.pool.len()).map(PointId::new).collect();
    let variances = question.assumptions.variances(&points, points.len())?;
    let largest = variances.iter().copied().fold(0.0, f64::max);
    if variances.iter().all(|&variance| variance == largest) {
        return Ok(None);
    }
    let smallest = SMALLEST_SIGMA * SMALLEST_SIGMA * largest;
    Ok(Some(variances.iter().map(|&variance| largest / variance.max(smallest)).collect()))
}
