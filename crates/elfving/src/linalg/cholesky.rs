//! Cholesky factors `A = L Lᵀ`: solve, norms, log-determinant, rank-one update.
//!
//! What is kept is `U = Lᵀ`: stored by rows it is L stored by columns, which is how factorisations run fastest.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::default;
use faer::{Auto, MatMut, MatRef, Par, Spec};
use rayon::prelude::*;

use super::Matrix;
use super::product::{blocks_a_thread, view, view_mut};

/// Rows a thread takes at a time.
const BLOCK_ROWS: usize = 64;

/// A matrix was not numerically positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {pivot} is not positive")]
pub struct NotPositiveDefinite {
    /// The first pivot that failed.
    pub pivot: usize,
}

/// The factor of a positive definite `A = L Lᵀ`.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// `U = Lᵀ`.
    upper: Matrix,
}

impl Cholesky {
    /// Factors a symmetric matrix, reading its upper triangle. Cost: n³/3.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when a pivot is not a positive number (NaN included).
    ///
    /// ```
    /// use elfving::linalg::{Cholesky, Matrix};
    /// let a = Matrix::from_rows(&[[4.0, 2.0], [2.0, 3.0]]);
    /// let factor = Cholesky::new(a)?;
    /// assert!((factor.log_det() - 8.0f64.ln()).abs() < 1e-15);
    /// # Ok::<(), elfving::linalg::NotPositiveDefinite>(())
    /// ```
    pub fn new(mut a: Matrix) -> Result<Self, NotPositiveDefinite> {
        let n = a.rows();
        assert_eq!(n, a.columns(), "a square matrix");
        let parameters = blocking();
        let scratch = factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, parameters);
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        if let Err(factor::LltError::NonPositivePivot { index }) = factor::cholesky_in_place(
            view_mut(&mut a).transpose_mut(),
            default(),
            Par::Seq,
            stack,
            parameters,
        ) {
            return Err(NotPositiveDefinite { pivot: index });
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

    /// The factor of `A + weight · x xᵀ` for `weight ≥ 0`, or `A - |weight| x xᵀ`, in O(n²).
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when a downdate leaves the positive definite matrices.
    pub fn rank_one_update(&mut self, weight: f64, x: &[f64]) -> Result<(), NotPositiveDefinite> {
        let n = self.order();
        let sign = weight.signum();
        let root = weight.abs().sqrt();
        let mut x: Vec<f64> = x.iter().map(|value| root * value).collect();
        // One hyperbolic or plane rotation a column (Gill, Golub, Murray, Saunders 1974, method C1).
        for k in 0..n {
            let diagonal = self.upper[(k, k)];
            let squared = diagonal * diagonal + sign * x[k] * x[k];
            if !(squared > 0.0 && squared.is_finite()) {
                return Err(NotPositiveDefinite { pivot: k });
            }
            let updated = squared.sqrt();
            let (cosine, sine) = (updated / diagonal, x[k] / diagonal);
            self.upper[(k, k)] = updated;
            for i in k + 1..n {
                let entry = (self.upper[(k, i)] + sign * sine * x[i]) / cosine;
                x[i] = cosine * x[i] - sine * entry;
                self.upper[(k, i)] = entry;
            }
        }
        Ok(())
    }
}

/// Smaller blocks than usual: our matrices have a few hundred rows, rarely more than a thousand.
fn blocking() -> Spec<factor::LltParams, f64> {
    let usual = <factor::LltParams as Auto<f64>>::auto();
    Spec::new(factor::LltParams { recursion_threshold: 16, block_size: 64, ..usual })
}
