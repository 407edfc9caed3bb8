//! Symmetric indefinite systems: the optimality conditions of the interior point.

use faer::Side;
use faer::linalg::solvers::{Lblt, Solve};

use super::Matrix;
use super::product::view;

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
