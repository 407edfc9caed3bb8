//! Feature maps: from raw coordinates to the features a design works with.

mod pivoted_cholesky;
mod polynomial;
mod standardise;

use crate::numerics::Matrix;

use super::{Points, PoolError};

pub use pivoted_cholesky::PivotedCholeskyFeatures;
pub use polynomial::PolynomialExpansion;
pub use standardise::{Standardisation, standardise};

/// A map x ↦ φ(x) from points to features.
pub trait FeatureMap {
    /// The features of the points, one row each.
    ///
    /// # Errors
    /// A [`PoolError`] when the map does not apply to points of this dimension, or overflows.
    fn map(&self, points: &Points) -> Result<Matrix, PoolError>;
}
