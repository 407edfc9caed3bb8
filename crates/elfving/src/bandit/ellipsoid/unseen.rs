//! What no measurement of the pool can tell about the choices.

use crate::numerics::{Matrix, SymmetricEigen, multiply_transposed, weighted_gram};
use crate::pool::Pool;
use std::sync::Arc;

/// Information below this fraction of the largest counts as none.
const NOTHING: f64 = 1e-12;

/// The coordinates of the choices (m × k) in the k directions that every measurable point is orthogonal to; `None` when there
/// is no such direction, as when the choices are the points. Cost: n r² + 9 r³ + m r k.
pub(super) fn unseen_coordinates(pool: &Pool) -> Option<Arc<Matrix>> {
    if pool.chooses_among_itself() {
        return None;
    }
    let information = weighted_gram(pool.features(), &vec![1.0; pool.len()]);
    let SymmetricEigen { values, vectors } = SymmetricEigen::new(&information).ok()?;
    let largest = values.last().copied().unwrap_or(0.0);
    let unseen: Vec<usize> = (0..values.len()).filter(|&k| values[k] <= NOTHING * largest).collect();
    if unseen.is_empty() {
        return None;
    }
    Some(Arc::new(multiply_transposed(pool.choices(), &vectors.select_rows(&unseen))))
}
