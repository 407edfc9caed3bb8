//! Outcomes at points measured a fixed number of times: what least squares and ridge regression estimate from.

use super::EstimateError;
use super::frame::{Frame, check_outcomes};
use crate::pool::Pool;
use crate::rounding::Allocation;
use crate::units::Ridge;

/// Counts with one outcome a measurement, and `M = Σ n_x φ(x) φ(x)ᵀ + penalty · I`.
///
/// Independent draws are not fixed counts: least squares on them has none of the guarantees of either.
///
/// ```compile_fail,E0308
/// use elfving::{estimate::Counted, numerics::Matrix, pool::{PointId, Pool}, rounding::Draws, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(2)).unwrap();
/// let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 4, 1).unwrap();
/// Counted::new(&pool, &draws, &[1.0, 1.0, 2.0, 2.0], Ridge::ZERO).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Counted<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) total: u64,
    /// The sum of the outcomes of each measured point.
    pub(super) sums: Vec<f64>,
}

impl<'a> Counted<'a> {
    /// `outcomes`: one for each measurement, in the order of [`Allocation::slots`]. A design's ridge γ is the penalty T γ.
    /// Cost: s r² + O(r³) for s measured points.
    ///
    /// # Errors
    /// [`EstimateError::OutcomeCount`], [`EstimateError::Outcome`], [`EstimateError::UnknownPoint`],
    /// [`EstimateError::NothingMeasured`].
    pub fn new(
        pool: &'a Pool,
        allocation: &Allocation,
        outcomes: &[f64],
        penalty: Ridge,
    ) -> Result<Self, EstimateError> {
        check_outcomes(outcomes, usize::try_from(allocation.total()).unwrap_or(usize::MAX))?;
        let weighted = allocation.counts().iter().map(|&(id, count)| (id, count as f64));
        let frame = Frame::new(pool, weighted, penalty)?;
        let mut rest = outcomes;
        let sums = allocation.counts().iter().map(|&(_, count)| {
            let (own, later) = rest.split_at(count as usize);
            rest = later;
            own.iter().sum()
        });
        Ok(Self { sums: sums.collect(), total: allocation.total(), frame })
    }

    /// T: how many measurements there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The penalty.
    pub fn penalty(&self) -> Ridge {
        self.frame.gamma
    }
}
