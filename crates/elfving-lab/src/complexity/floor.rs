//! The floor that bias puts under elimination.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::not_negative;
use super::{ComplexityError, Enclosure, Over, worst_variance};
use elfving::pool::Pool;
use elfving::units::{Ridge, Tolerance};

/// `(√γ S + h)(2 + √f)` with f over all differences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// √γ S + h.
    pub bias: f64,
    /// f over the differences of the choices.
    pub worst_variance: Enclosure,
    /// The floor.
    pub floor: Enclosure,
}

/// The accuracy ε_ℓ below which a round may eliminate the best choice, before any elimination: rounds with ε_ℓ above it keep z*.
///
/// S bounds ‖θ‖ and h the distance of the means from linear. Eliminations only lower f, hence the floor. Cost: one certified design.
///
/// # Errors
/// [`ComplexityError::Parameter`] for an S or h that is not a finite number ≥ 0; what the design finds.
///
/// ```
/// use elfving_lab::complexity::floor;
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// // Without a ridge only the misspecification counts: 0.01 (2 + √4).
/// let floor = floor(&pool, Ridge::ZERO, 1.0, 0.01, Tolerance::new(1e-9)?)?;
/// assert!((floor.floor.value - 0.04).abs() < 1e-8);
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn floor(
    pool: &Pool,
    gamma: Ridge,
    norm: f64,
    misspecification: f64,
    tolerance: Tolerance,
) -> Result<Floor, ComplexityError> {
    let bias = gamma.get().sqrt() * not_negative("the norm bound", norm)?
        + not_negative("the misspecification h", misspecification)?;
    let f = worst_variance(pool, Over::Differences, gamma, tolerance)?;
    Ok(Floor { bias, worst_variance: f, floor: f.map(|f| bias * (2.0 + f.max(0.0).sqrt())) })
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "floor {} for a bias of {:.4e}", self.floor, self.bias)
    }
}
