//! Nystrom features: the kernel seen from a few landmarks.

use std::sync::Arc;

use rayon::prelude::*;

use elfving::numerics::{Matrix, PivotTriangle};
use elfving::pool::{Factorisation, Kernel, Points, PoolError};

use elfving::pool::feature_maps::{FeatureMap, PivotedCholeskyFeatures};

/// Rows mapped by one task.
const CHUNK_ROWS: usize = 256;

/// `φ(x) = L⁻¹ k(landmarks, x)` with `L Lᵀ` the kernel matrix of the landmarks: the projection of
/// the kernel's feature space onto the landmarks, for any point x.
///
/// The landmarks are the pivots of a pivoted Cholesky factorisation, each the point worst explained
/// by those before it. On the points it was fitted to, the map gives the factor itself.
#[derive(Debug, Clone)]
pub struct Nystrom {
    kernel: Arc<dyn Kernel>,
    landmarks: Matrix,
    triangle: PivotTriangle,
    residual: f64,
}

impl Nystrom {
    /// Picks at most `landmarks` of the points, fewer when the kernel's numerical rank is smaller.
    ///
    /// # Errors
    /// Those of [`PivotedCholeskyFeatures::factorise`]; [`PoolError::Parameter`] for no landmarks.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::{Points, feature_maps::FeatureMap, kernels::Rbf};
    /// use elfving_lab::feature_maps::Nystrom;
    /// let seen = Points::new(Matrix::from_fn(50, 1, |i, _| i as f64 / 50.0))?;
    /// let map = Nystrom::fit(Arc::new(Rbf::new(0.3)?), &seen, 8)?;
    /// let later = Points::new(Matrix::from_rows(&[[0.123]]))?;
    /// assert_eq!(map.map(&later)?.columns(), 8);
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn fit(kernel: Arc<dyn Kernel>, points: &Points, landmarks: usize) -> Result<Self, PoolError> {
        let settings = Factorisation::default().max_rank(landmarks);
        let factorised = PivotedCholeskyFeatures::new(Arc::clone(&kernel), settings).factorise(points)?;
        Ok(Self {
            kernel,
            landmarks: points.matrix().select_rows(&factorised.pivots),
            triangle: factorised.triangle,
            residual: factorised.max_residual,
        })
    }

    /// The landmarks, one per row, in the order picked.
    pub fn landmarks(&self) -> &Matrix {
        &self.landmarks
    }

    /// The largest `k(x, x) - |φ(x)|²` over the points it was fitted to.
    pub fn residual(&self) -> f64 {
        self.residual
    }
}

impl FeatureMap for Nystrom {
    /// Cost r² a point.
    fn map(&self, points: &Points) -> Result<Matrix, PoolError> {
        if points.dimension() != self.landmarks.columns() {
            let (expected, got) = (self.landmarks.columns(), points.dimension());
            return Err(PoolError::ColumnCount { expected, got });
        }
        let rank = self.triangle.rank();
        let mut features = Matrix::zeros(points.len(), rank);
        if rank > 0 {
            let chunks = features.as_mut_slice().par_chunks_mut(rank * CHUNK_ROWS).enumerate();
            chunks.for_each(|(chunk, rows)| {
                for (offset, row) in rows.chunks_exact_mut(rank).enumerate() {
                    let x = points.matrix().row(chunk * CHUNK_ROWS + offset);
                    self.kernel.row(x, &self.landmarks, row);
                    self.triangle.extend_row(row);
                }
            });
        }
        match features.first_non_finite() {
            Some((first, second)) => Err(PoolError::KernelNotFinite { first, second }),
            None => Ok(features),
        }
    }
}
