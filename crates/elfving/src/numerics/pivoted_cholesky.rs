//! Pivoted (incomplete) Cholesky `K ≈ F Fᵀ` of a matrix that is never stored.
//!
//! Greedy: each step takes the index with the largest remaining diagonal as the next pivot (ties
//! to the smallest index) and asks for that one column of K. Computed *lazily*: a remaining
//! diagonal only ever shrinks, so a row whose last known value is below the current largest cannot
//! be the pivot and need not be brought up to date yet. Rows are then updated by many columns at a
//! time while they sit in cache, instead of streaming the whole factor through memory once per
//! pivot. Every entry is computed once, by the same arithmetic, whenever that happens: the result
//! is that of the plain algorithm, bit for bit, and does not depend on the number of threads.

mod lazy_rows;
mod triangle;

use super::Matrix;
use crate::units::ErrorKind;

use lazy_rows::{Extremes, LazyRows};
pub use triangle::PivotTriangle;

/// When to stop: at a small enough remaining diagonal, or at a largest rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CholeskyStop {
    /// Stop when every remaining diagonal entry is at most this times the largest diagonal entry.
    pub tolerance: f64,
    /// Stop at this rank at the latest.
    pub max_rank: Option<usize>,
}

/// The factor F (n × r) of `K ≈ F Fᵀ`, its pivots, and what was left over.
#[derive(Debug, Clone)]
pub struct PivotedCholesky {
    /// F: n × r, rows in the order of K. Equal rows of K get equal rows of F, bit for bit.
    pub factor: Matrix,
    /// The r pivots, in the order taken.
    pub pivots: Vec<usize>,
    /// `max_i (K_ii - |F_i|²)`, recomputed from the finished factor; at least 0.
    pub max_residual: f64,
    /// `Σ_i (K_ii - |F_i|²)`, recomputed from the finished factor; at least 0.
    pub trace_residual: f64,
    /// The rows of F at the pivots.
    pub triangle: PivotTriangle,
}

/// Why a matrix has no Cholesky factor.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotFactorable {
    /// A remaining diagonal entry is negative beyond rounding.
    #[error(
        "the matrix is not positive semidefinite: after the pivots, entry {index} of the diagonal is {residual:e}"
    )]
    NotPositiveSemidefinite {
        /// The row concerned.
        index: usize,
        /// Its remaining diagonal entry `uᵀ K u` (negative).
        residual: f64,
        /// The non-zero entries of `u`: a direction in which the quadratic form is negative.
        direction: Vec<(usize, f64)>,
    },
    /// An entry is NaN or infinite, or became so.
    #[error("entry ({row}, {column}) of the matrix is not a finite number, or too large to factorise")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
}

impl NotFactorable {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            NotFactorable::NotPositiveSemidefinite { .. } => ErrorKind::NotPositiveSemidefinite,
            NotFactorable::NotFinite { .. } => ErrorKind::Numerical,
        }
    }
}

/// Factorises the n × n positive semidefinite K given by its diagonal and a way to compute a column.
///
/// `column(p, out)` writes `K_ip` for all i. Stops when no remaining diagonal entry exceeds
/// `stop.tolerance · max_i K_ii` (or what rounding allows, about `r · 2e-16 · max_i K_ii`, when the
/// tolerance is below that), or at `stop.max_rank`. Time O(n r²) plus r columns; memory about n × r.
///
/// # Errors
/// [`NotFactorable::NotPositiveSemidefinite`] when a remaining diagonal entry falls below minus the
/// tolerance, with a direction that proves it; [`NotFactorable::NotFinite`] for NaN or overflow.
///
/// ```
/// use elfving::numerics::{CholeskyStop, pivoted_cholesky};
/// // K = a aᵀ with a = (1, 2, 3): rank one, and the largest diagonal is the pivot.
/// let a = [1.0, 2.0, 3.0];
/// let stop = CholeskyStop { tolerance: 1e-12, max_rank: None };
/// let result = pivoted_cholesky(vec![1.0, 4.0, 9.0], |p, out| {
///     for i in 0..3 {
///         out[i] = a[i] * a[p];
///     }
/// }, stop)?;
/// assert_eq!(result.pivots, vec![2]);
/// assert_eq!(result.factor.as_slice(), &[1.0, 2.0, 3.0]);
/// # Ok::<(), elfving::numerics::NotFactorable>(())
/// ```
pub fn pivoted_cholesky(
    diagonal: Vec<f64>,
    mut column: impl FnMut(usize, &mut [f64]),
    stop: CholeskyStop,
) -> Result<PivotedCholesky, NotFactorable> {
    let n = diagonal.len();
    if let Some(row) = diagonal.iter().position(|d| !d.is_finite()) {
        return Err(NotFactorable::NotFinite { row, column: row });
    }
    let scale = diagonal.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
    let negligible = |rank: usize| scale * stop.tolerance.max(rounding(rank));
    let max_rank = stop.max_rank.unwrap_or(n).min(n);

    let mut rows = LazyRows::new(&diagonal);
    let mut triangle = PivotTriangle::default();
    let mut pivots = Vec::new();
    let mut values = vec![0.0; n];
    loop {
        let extremes = rows.extremes(&triangle);
        let limit = negligible(pivots.len());
        if extremes.smallest < -limit {
            return Err(not_positive(&rows, &triangle, &pivots, extremes));
        }
        let more_to_explain = extremes.largest > limit && pivots.len() < max_rank;
        if !more_to_explain {
            break;
        }
        let pivot = extremes.largest_at;
        triangle.push(rows.row(pivot), extremes.largest.sqrt());
        column(pivot, &mut values);
        if let Some(row) = values.iter().position(|v| !v.is_finite()) {
            return Err(NotFactorable::NotFinite { row, column: pivot });
        }
        rows.append(&values);
        pivots.push(pivot);
    }

    let residuals = rows.finish(&triangle, &diagonal);
    if let Some(row) = residuals.iter().position(|r| !r.is_finite()) {
        return Err(NotFactorable::NotFinite { row, column: row });
    }
    let extremes = Extremes::of_all(residuals.iter().enumerate().map(|(i, &r)| Extremes::of_one(i, r)));
    if extremes.smallest < -negligible(pivots.len()) {
        return Err(not_positive(&rows, &triangle, &pivots, extremes));
    }
    Ok(PivotedCholesky {
        factor: rows.into_matrix(n, pivots.len()),
        pivots,
        max_residual: extremes.largest.max(0.0),
        trace_residual: residuals.iter().sum::<f64>().max(0.0),
        triangle,
    })
}

/// The relative size of a remaining diagonal that may be rounding alone: each of the `rank` updates
/// of an entry is off by a few units in the last place of K's largest entry.
fn rounding(rank: usize) -> f64 {
    (rank as f64 + 8.0) * f64::EPSILON
}

impl PivotedCholesky {
    /// The direction `u` with `uᵀ K u = cᵀ R c`, where R = K - F Fᵀ is what the factor leaves over
    /// and `c` has the given non-zero entries.
    pub fn residual_direction(&self, coefficients: &[(usize, f64)]) -> Vec<(usize, f64)> {
        residual_direction(&self.triangle, &self.pivots, coefficients, |i| self.factor.row(i))
    }
}

fn not_positive(
    rows: &LazyRows,
    triangle: &PivotTriangle,
    pivots: &[usize],
    found: Extremes,
) -> NotFactorable {
    let (index, residual) = (found.smallest_at, found.smallest);
    if !residual.is_finite() {
        return NotFactorable::NotFinite { row: index, column: index };
    }
    // Up to date: a row whose remaining diagonal was this low before would have been reported then.
    let direction = residual_direction(triangle, pivots, &[(index, 1.0)], |i| rows.row(i));
    NotFactorable::NotPositiveSemidefinite { index, residual, direction }
}

/// `u = c - E_P L⁻ᵀ Fᵀ c`: c with what the pivots P explain of it taken off.
fn residual_direction<'a>(
    triangle: &PivotTriangle,
    pivots: &[usize],
    coefficients: &[(usize, f64)],
    row: impl Fn(usize) -> &'a [f64],
) -> Vec<(usize, f64)> {
    let mut explained = vec![0.0; pivots.len()];
    for &(i, c) in coefficients {
        for (sum, entry) in explained.iter_mut().zip(row(i)) {
            *sum += c * entry;
        }
    }
    triangle.solve_transposed(&mut explained);
    let on_pivots = pivots.iter().zip(&explained).map(|(&p, w)| (p, -w));
    coefficients.iter().copied().chain(on_pivots).collect()
}
