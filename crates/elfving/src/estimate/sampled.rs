//! Outcomes at independently drawn points: what IPS and RIPS estimate from.

use super::EstimateError;
use super::frame::{Frame, check_outcomes};
use crate::pool::Pool;
use crate::rounding::Draws;
use crate::units::Ridge;

/// Draws with one outcome each, and `M = Σ p_x φ(x) φ(x)ᵀ + γI` of the exact probabilities p they were drawn with.
///
/// Counts that were chosen are not independent draws, and do not pass for them:
///
/// ```compile_fail,E0308
/// use elfving::{estimate::Sampled, numerics::Matrix, pool::{PointId, Pool}, rounding::Allocation, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(2)).unwrap();
/// let allocation = Allocation::new(vec![(PointId::new(0), 2), (PointId::new(1), 2)]).unwrap();
/// Sampled::new(&pool, &allocation, &[1.0, 1.0, 2.0, 2.0], Ridge::ZERO).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Sampled<'a> {
    pub(super) frame: Frame<'a>,
    /// For each draw its position among the measured points.
    pub(super) columns: Vec<usize>,
    pub(super) outcomes: &'a [f64],
}

impl<'a> Sampled<'a> {
    /// `outcomes`: one for each draw, in the order drawn. Cost: s r² + O(r³) for s points of positive probability.
    ///
    /// # Errors
    /// [`EstimateError::OutcomeCount`], [`EstimateError::Outcome`], [`EstimateError::UnknownPoint`],
    /// [`EstimateError::NothingMeasured`].
    pub fn new(
        pool: &'a Pool,
        draws: &Draws,
        outcomes: &'a [f64],
        gamma: Ridge,
    ) -> Result<Self, EstimateError> {
        check_outcomes(outcomes, draws.points().len())?;
        let frame = Frame::new(pool, draws.probabilities().into_iter(), gamma)?;
        let column = |id| frame.column(id).expect("draws have positive weights only");
        let columns = draws.points().iter().map(|&id| column(id)).collect();
        Ok(Self { frame, columns, outcomes })
    }

    /// T: how many draws there are.
    pub fn draws(&self) -> usize {
        self.columns.len()
    }

    /// The ridge γ.
    pub fn gamma(&self) -> Ridge {
        self.frame.gamma
    }
}
