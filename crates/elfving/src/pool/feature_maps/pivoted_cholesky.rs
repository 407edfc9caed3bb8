//! The default route from a kernel to features.

use std::sync::Arc;

use crate::numerics::{Matrix, PivotedCholesky, pivoted_cholesky};
use crate::pool::{Factorisation, Kernel, Points, PoolError};

use super::FeatureMap;

/// Features Φ with `Φ Φᵀ = K` up to a stated residual, by pivoted Cholesky: as many as the numerical
/// rank of the kernel matrix, and no fewer would do.
///
/// The features belong to the points given: map X and Z together. For points that come later,
/// `elfving-lab` has Nystrom features.
#[derive(Debug, Clone)]
pub struct PivotedCholeskyFeatures {
    kernel: Arc<dyn Kernel>,
    settings: Factorisation,
}

impl PivotedCholeskyFeatures {
    /// The map of a kernel, as precise as the settings say.
    pub fn new(kernel: Arc<dyn Kernel>, settings: Factorisation) -> Self {
        Self { kernel, settings }
    }

    /// The features with their pivots and what they leave over. Time O(n r²), memory n × r.
    ///
    /// # Errors
    /// What [`Kernel::check`] finds, [`PoolError::Parameter`] for the settings,
    /// [`PoolError::KernelNotFinite`], [`PoolError::NotPositiveSemidefinite`].
    pub fn factorise(&self, points: &Points) -> Result<PivotedCholesky, PoolError> {
        self.kernel.check(points.dimension())?;
        let stop = self.settings.stop()?;
        let table = points.matrix();
        let diagonal = (0..points.len()).map(|i| self.kernel.diagonal(table.row(i))).collect();
        let column = |pivot: usize, out: &mut [f64]| self.kernel.row(table.row(pivot), table, out);
        Ok(pivoted_cholesky(diagonal, column, stop)?)
    }
}

impl FeatureMap for PivotedCholeskyFeatures {
    fn map(&self, points: &Points) -> Result<Matrix, PoolError> {
        Ok(self.factorise(points)?.factor)
    }
}
