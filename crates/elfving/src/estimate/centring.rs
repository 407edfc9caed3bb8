//! Centring: a control variate from earlier rounds, so that RIPS pays for what is not yet known and no more.

use super::assumptions::{Premise, check_each};
use super::{EstimateError, Intervals};
use crate::design::TargetRef;
use crate::pool::{PointId, Pool};

/// Values m(x) from *earlier* data and radii R_x with `|mean outcome at x - m(x)| ≤ R_x`.
///
/// RIPS is applied to the outcomes less m, and `Σ_x p_x vᵀM⁻¹φ(x) m(x)` is added back: the expectation stays exactly what it
/// was, because m does not depend on this round's draws or noise, and the second moment falls from
/// `Σ p_x c_x² (B² + σ_x²)` to `Σ p_x c_x² (R_x² + σ_x²)`.
///
/// ```
/// use elfving::estimate::Centring;
/// let centring = Centring::new(vec![0.4, 0.6], vec![0.1, 0.1])?;
/// assert!(Centring::new(vec![0.4], vec![f64::NAN]).is_err());
/// # let _ = centring;
/// # Ok::<(), elfving::estimate::EstimateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Centring {
    values: Vec<f64>,
    radii: Vec<f64>,
    /// The probability that some radius is wrong.
    delta: f64,
}

impl Centring {
    /// One value and one radius for each point of the pool, as the caller assumes.
    ///
    /// # Errors
    /// [`EstimateError::PerPoint`] when the lists differ in length, [`EstimateError::PerPointValue`] for a value that is not
    /// finite or a radius that is not finite and at least 0.
    pub fn new(values: Vec<f64>, radii: Vec<f64>) -> Result<Self, EstimateError> {
        if radii.len() != values.len() {
            return Err(EstimateError::PerPoint { what: "radius", expected: values.len(), got: radii.len() });
        }
        check_each("centre", &values, "a finite number", |_| true)?;
        check_each("radius", &radii, "a finite number >= 0", |radius| radius >= 0.0)?;
        Ok(Self { values, radii, delta: 0.0 })
    }

    /// The intervals an earlier round gave for every point of a pool that chooses among itself.
    ///
    /// The radius is the width and h once more, for the distance from the model's value to the mean outcome. The new intervals
    /// then also rest on the earlier ones, whose δ is added.
    ///
    /// # Errors
    /// [`EstimateError::PerPoint`] unless there is one interval for each point, [`EstimateError::UnknownBias`] when they leave
    /// out the ridge's bias.
    pub fn from_intervals(pool: &Pool, earlier: &Intervals) -> Result<Self, EstimateError> {
        let intervals = &earlier.intervals;
        let in_order = |(i, target): (usize, TargetRef)| target == TargetRef::Row(i);
        let each_point = pool.chooses_among_itself()
            && intervals.len() == pool.len()
            && intervals.iter().map(|interval| interval.target).enumerate().all(in_order);
        if !each_point {
            let (expected, got) = (pool.len(), intervals.len());
            return Err(EstimateError::PerPoint { what: "earlier interval", expected, got });
        }
        if intervals.iter().any(|interval| interval.bias.ridge.is_none()) {
            return Err(EstimateError::UnknownBias);
        }
        let h = earlier.statement.premises.iter().map(|premise| match premise {
            Premise::Misspecification { h } => *h,
            _ => 0.0,
        });
        let h = h.fold(0.0, f64::max);
        let radii = intervals.iter().map(|interval| interval.width() + h).collect();
        let values = intervals.iter().map(|interval| interval.estimate).collect();
        Ok(Self { delta: earlier.statement.delta, ..Self::new(values, radii)? })
    }

    /// m(x), or R_x, at some points.
    pub(super) fn at(&self, ids: &[PointId], pool: usize) -> Result<(Vec<f64>, Vec<f64>), EstimateError> {
        if self.values.len() != pool {
            let (expected, got) = (pool, self.values.len());
            return Err(EstimateError::PerPoint { what: "centre", expected, got });
        }
        let pick = |list: &[f64]| ids.iter().map(|id| list[id.index()]).collect();
        Ok((pick(&self.values), pick(&self.radii)))
    }

    pub(super) fn delta(&self) -> f64 {
        self.delta
    }
}
