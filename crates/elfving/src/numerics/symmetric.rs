//! Symmetric matrices that are not definite: eigenvalues, and systems such as the optimality conditions of the interior point.

use faer::Side;
use faer::linalg::solvers::{Lblt, Solve};

use super::Matrix;
use super::product::view;
use crate::units::ErrorKind;

/// `A = U diag(values) Uᵀ` with eigenvalues in ascending order.
#[derive(Debug, Clone)]
pub struct SymmetricEigen {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// Row k is the unit eigenvector of `values[k]`.
    pub vectors: Matrix,
}

/// The eigenvalue iteration did not converge (the matrix holds NaN or infinity).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the eigenvalue iteration did not converge")]
pub struct EigenFailure;

impl EigenFailure {
    /// What kind of mistake it is: double precision is not enough.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Numerical
    }
}

impl SymmetricEigen {
    /// Decomposes a symmetric matrix, reading its lower triangle. Cost: about 9 n³.
    ///
    /// # Errors
    /// [`EigenFailure`] when the matrix holds NaN or infinity.
    pub fn new(a: &Matrix) -> Result<Self, EigenFailure> {
        let n = a.rows();
        if a.first_non_finite().is_some() {
            return Err(EigenFailure);
        }
        if n == 0 {
            return Ok(Self { values: Vec::new(), vectors: Matrix::zeros(0, 0) });
        }
        let eigen = view(a).self_adjoint_eigen(Side::Lower).map_err(|_| EigenFailure)?;
        let values = (0..n).map(|k| eigen.S()[k]).collect();
        let vectors = Matrix::from_fn(n, n, |k, i| eigen.U()[(i, k)]);
        Ok(Self { values, vectors })
    }
}

/// Bunch-Kaufman factors `P A Pᵀ = L B Lᵀ` of a symmetric, not necessarily definite, matrix.
#[derive(Debug, Clone)]
pub struct SymmetricIndefinite {
    factor: Lblt<f64>,
}

impl SymmetricIndefinite {
    /// Factors a symmetric matrix, reading its upper triangle. Cost: n³/3.
    pub fn new(a: &Matrix) -> Self {
        Self { factor: view(a).transpose().lblt(Side::Lower) }
    }

    /// Solves `A x = b` in place. A singular matrix gives infinities or NaN, which the caller must check.
    pub fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        self.factor.solve_in_place(faer::MatMut::from_column_major_slice_mut(b, n, 1));
    }
}
