//! Categories as features.

use crate::numerics::Matrix;
use crate::pool::PoolError;

/// One column a level, 1 where the row has that level: n × `levels`, from codes 0, 1, ….
///
/// # Errors
/// [`PoolError::NoPoints`] or [`PoolError::NoFeatures`] for nothing, [`PoolError::UnknownLevel`] with
/// the first row whose code is too large.
///
/// ```
/// use elfving::pool::feature_maps::one_hot;
/// assert_eq!(one_hot(&[2, 0], 3)?.as_slice(), &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), elfving::pool::PoolError>(())
/// ```
pub fn one_hot(codes: &[usize], levels: usize) -> Result<Matrix, PoolError> {
    if codes.is_empty() {
        return Err(PoolError::NoPoints);
    }
    if levels == 0 {
        return Err(PoolError::NoFeatures);
    }
    if let Some(row) = codes.iter().position(|&code| code >= levels) {
        return Err(PoolError::UnknownLevel { row, code: codes[row], levels });
    }
    Ok(Matrix::from_fn(codes.len(), levels, |i, level| f64::from(codes[i] == level)))
}
