//! Cholesky factors `A = L Lᵀ`: solve, norms, log-determinant, rank-one update.
//!
//! What is kept is `U = Lᵀ`: stored by rows it is L stored by columns, which is how factorisations run fastest.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::{Reborrow, default};
use faer::{Accum, Auto, MatMut, MatRef, Par, Spec};
use rayon::prelude::*;

use super::Matrix;
use super::product::{blocks_a_thread, view, view_mut};
use crate::units::ErrorKind;

/// Rows a thread takes at a time.
const BLOCK_ROWS: usize = 64;
/// A matrix of at least so many rows is factored in panels, and threads share what a panel changes.
const WORTH_PANELS: usize = 800;
/// Rows of a panel.
const PANEL: usize = 128;
/// Columns of a panel, or rows below it, that a thread takes at a time.
const SHARE: usize = 96;

/// A matrix was not numerically positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {pivot} is not positive")]
pub struct NotPositiveDefinite {
    /// The first pivot that failed.
    pub pivot: usize,
}

impl NotPositiveDefinite {
    /// What kind of mistake it is: double precision is not enough.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Numerical
    }
}

/// The factor of a positive definite `A = L Lᵀ`.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// `U = Lᵀ`.
    upper: Matrix,
}

impl Cholesky {
    /// Factors a symmetric matrix, reading its upper triangle. Cost: n³/3, over threads where that is worth it.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when a pivot is not a positive number (NaN included).
    ///
    /// ```
    /// use elfving::numerics::{Cholesky, Matrix};
    /// let a = Matrix::from_rows(&[[4.0, 2.0], [2.0, 3.0]]);
    /// let factor = Cholesky::new(a)?;
    /// assert!((factor.log_det() - 8.0f64.ln()).abs() < 1e-15);
    /// # Ok::<(), elfving::numerics::NotPositiveDefinite>(())
    /// ```
    pub fn new(mut a: Matrix) -> Result<Self, NotPositiveDefinite> {
        let n = a.rows();
        assert_eq!(n, a.columns(), "a square matrix");
        let panel = if n < WORTH_PANELS { n.max(1) } else { PANEL };
        for start in (0..n).step_by(panel) {
            let end = n.min(start + panel);
            factor_block(&mut a, start, end)?;
            whiten_panel(&mut a, start, end);
            subtract_panel(&mut a, start, end);
        }
        for i in 0..n {
            // `!(> 0)` also catches a NaN that the factorisation let through.
            if !(a[(i, i)] > 0.0 && a[(i, i)].is_finite()) {
                return Err(NotPositiveDefinite { pivot: i });
            }
            a.row_mut(i)[..i].fill(0.0);
        }
        Ok(Self { upper: a })
    }

    /// The order n.
    pub fn order(&self) -> usize {
        self.upper.rows()
    }

    /// The factor `U = Lᵀ`, upper triangular.
    pub fn upper(&self) -> &Matrix {
        &self.upper
    }

    /// `L`, for the triangular solves.
    fn lower(&self) -> MatRef<'_, f64> {
        view(&self.upper).transpose()
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.order()).map(|i| self.upper[(i, i)].ln()).sum::<f64>()
    }

    /// Solves `A x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.order();
        let mut column = MatMut::from_column_major_slice_mut(b, n, 1);
        solve_lower_triangular_in_place(self.lower(), column.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(view(&self.upper), column, Par::Seq);
    }

    /// Replaces every row x of `rows` by `A⁻¹ x`. Cost: 2 · rows · n².
    pub fn solve_rows(&self, rows: &mut Matrix) {
        self.whiten_rows(rows);
        self.unwhiten_rows(rows);
    }

    /// Replaces every row x of `rows` by `L⁻¹ x`, whose squared norm is `xᵀ A⁻¹ x`. Cost: rows · n², over
    /// threads in blocks of rows.
    pub fn whiten_rows(&self, rows: &mut Matrix) {
        let n = self.order();
        self.blocks(rows).for_each(|block| {
            let columns = MatMut::from_column_major_slice_mut(block, n, block.len() / n);
            solve_lower_triangular_in_place(self.lower(), columns, Par::Seq);
        });
    }

    /// Replaces every row x of `rows` by `L⁻ᵀ x`.
    pub fn unwhiten_rows(&self, rows: &mut Matrix) {
        let n = self.order();
        self.blocks(rows).for_each(|block| {
            let columns = MatMut::from_column_major_slice_mut(block, n, block.len() / n);
            solve_upper_triangular_in_place(view(&self.upper), columns, Par::Seq);
        });
    }

    /// Blocks of rows for the threads.
    fn blocks<'a>(&self, rows: &'a mut Matrix) -> impl IndexedParallelIterator<Item = &'a mut [f64]> {
        let n = self.order();
        let blocks = rows.as_mut_slice().par_chunks_mut((BLOCK_ROWS * n).max(1));
        blocks.with_min_len(blocks_a_thread(BLOCK_ROWS * n * n / 2))
    }

    /// `U⁻¹ = L⁻ᵀ` itself, for sweeps over many rows, where a product runs several times faster than a solve.
    pub fn inverse_upper(&self) -> Matrix {
        let n = self.order();
        let mut inverse = Matrix::zeros(n, n);
        invert_lower_triangular(view_mut(&mut inverse).transpose_mut(), self.lower(), Par::Seq);
        inverse
    }
}

/// Factors the diagonal block of the rows `start..end`, from which everything above has been subtracted.
fn factor_block(a: &mut Matrix, start: usize, end: usize) -> Result<(), NotPositiveDefinite> {
    let order = end - start;
    let block = view_mut(a).submatrix_mut(start, start, order, order).transpose_mut();
    let parameters = blocking();
    let mut memory = MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(order, Par::Seq, parameters));
    let factored =
        factor::cholesky_in_place(block, default(), Par::Seq, MemStack::new(&mut memory), parameters);
    match factored {
        Ok(_) => Ok(()),
        Err(factor::LltError::NonPositivePivot { index }) => {
            Err(NotPositiveDefinite { pivot: start + index })
        }
    }
}

/// The rest of the rows `start..end` of U, to the right of their diagonal block.
fn whiten_panel(a: &mut Matrix, start: usize, end: usize) {
    let rows = view_mut(a).subrows_mut(start, end - start);
    let (left, right) = rows.split_at_col_mut(end);
    whiten_columns(left.rb().subcols(start, end - start).transpose(), right);
}

/// Replaces every column x by `L⁻¹ x`; halves go to different threads.
fn whiten_columns(lower: MatRef<'_, f64>, columns: MatMut<'_, f64>) {
    let count = columns.ncols();
    if count <= SHARE {
        return solve_lower_triangular_in_place(lower, columns, Par::Seq);
    }
    let (left, right) = columns.split_at_col_mut((count / 2).next_multiple_of(SHARE));
    rayon::join(|| whiten_columns(lower, left), || whiten_columns(lower, right));
}

/// Takes the part of the rows `start..end` of U from the upper triangle of the rows below them.
fn subtract_panel(a: &mut Matrix, start: usize, end: usize) {
    let n = a.rows();
    let (above, below) = a.as_mut_slice().split_at_mut(end * n);
    let panel = MatRef::from_row_major_slice(&above[start * n..], end - start, n);
    below.par_chunks_mut(SHARE * n).enumerate().for_each(|(share, rows)| {
        let (first, count) = (end + share * SHARE, rows.len() / n);
        let rows = MatMut::from_row_major_slice_mut(rows, count, n).subcols_mut(first, n - first);
        let (left, right) = (panel.subcols(first, count), panel.subcols(first, n - first));
        matmul(rows, Accum::Add, left.transpose(), right, -1.0, Par::Seq);
    });
}

/// Smaller blocks than usual: our matrices have a few hundred rows, rarely more than a thousand.
fn blocking() -> Spec<factor::LltParams, f64> {
    let usual = <factor::LltParams as Auto<f64>>::auto();
    Spec::new(factor::LltParams { recursion_threshold: 16, block_size: 64, ..usual })
}
