//! The problem in the coordinates the solvers work in.
//!
//! Solvers see a matrix of points, a prior Γ and a goal; how the pool was scaled, whether some directions
//! cannot be measured at all, and how badly its columns are conditioned is settled here, once. A pool in
//! good shape is borrowed as it is. Otherwise, with `X = Q B ᵀ` and B (r × k) a basis of what the pool
//! spans, the points become the rows of Q: norms do not change, and neither do the weights.

use std::borrow::Cow;

use super::{DesignError, TargetRef};
use crate::linalg::{
    Cholesky, Matrix, SymmetricEigen, gram, multiply, norm_squared, right_singular, triangular_factor,
};
use crate::pool::TargetRows;

/// A design problem, ready to solve.
pub(super) struct Canonical<'a> {
    /// n × r.
    pub points: Cow<'a, Matrix>,
    /// Γ of `M = A(λ) + Γ`, r × r.
    pub prior: Matrix,
    pub goal: Goal<'a>,
}

/// What is minimised.
pub(super) enum Goal<'a> {
    /// `-log det M`.
    LogDet,
    /// `tr(S M⁻¹)`: the moment matrix S and a root R of it, `RᵀR = S`.
    Trace { moment: Matrix, root: Matrix },
    /// `max_v vᵀ M⁻¹ v`.
    Largest(TargetRows<'a>),
}

/// The targets as rows, pairs as differences.
pub(super) fn materialise(rows: &TargetRows, targets: &[TargetRef]) -> Matrix {
    let (TargetRows::Rows(base) | TargetRows::Pairs(base)) = rows;
    let mut out = Matrix::zeros(targets.len(), base.columns());
    for (k, target) in targets.iter().enumerate() {
        match *target {
            TargetRef::Row(i) => out.row_mut(k).copy_from_slice(base.row(i)),
            TargetRef::Pair(i, j) => {
                for ((value, a), b) in out.row_mut(k).iter_mut().zip(base.row(i)).zip(base.row(j)) {
                    *value = a - b;
                }
            }
        }
    }
    out
}
