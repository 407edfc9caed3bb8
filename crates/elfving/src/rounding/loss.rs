//! The criterion of an information matrix, smaller is better, in the coordinates of a [`Frame`](super::frame::Frame).

use std::sync::Arc;

use crate::numerics::{
    Cholesky, Matrix, farthest_partners, multiply, norm_squared, row_norms, triangular_factor,
};

/// A row with more than this fraction of its length unseen is not determined.
const UNSEEN: f64 = 1e-7;

/// What is minimised.
#[derive(Debug, Clone)]
pub(super) enum Loss {
    /// `-log det M`.
    LogDet,
    /// `tr(RᵀR M⁻¹)` for the root R of a moment matrix.
    Trace(Matrix),
    /// `max_v vᵀ M⁻¹ v` over the rows.
    Largest(Arc<Matrix>),
    /// `max (v - v')ᵀ M⁻¹ (v - v')` over pairs of rows.
    Diameter(Arc<Matrix>),
}

impl Loss {
    /// The mean of `vᵀ M⁻¹ v` over the rows.
    pub(super) fn mean(rows: &Matrix) -> Self {
        Loss::Trace(scaled(triangular_factor(rows), 1.0 / rows.rows() as f64))
    }

    /// The mean over all pairs of rows: `Σ_{i<j} (v_i - v_j)(v_i - v_j)ᵀ = m Σ (v_i - v̄)(v_i - v̄)ᵀ`.
    pub(super) fn mean_of_pairs(rows: &Matrix) -> Self {
        let m = rows.rows() as f64;
        let mut centre = vec![0.0; rows.columns()];
        for i in 0..rows.rows() {
            centre.iter_mut().zip(rows.row(i)).for_each(|(c, v)| *c += v / m);
        }
        Loss::Trace(scaled(triangular_factor(&shifted(rows, &centre)), 2.0 / (m - 1.0)))
    }

    /// The value at `M = L Lᵀ`.
    pub(super) fn value(&self, factor: &Cholesky) -> f64 {
        match self {
            Loss::LogDet => -factor.log_det(),
            _ => self.whitened_value(&factor.inverse_upper()),
        }
    }

    /// The value at `M⁺ = T Tᵀ` when M sees every target; `None` when one has a part in the columns of `unseen`.
    pub(super) fn spectral_value(&self, whitening: &Matrix, unseen: &Matrix) -> Option<f64> {
        let hidden = match self {
            Loss::LogDet => unseen.columns() > 0,
            Loss::Trace(root) => any_unseen(root, unseen),
            Loss::Largest(rows) => any_unseen(rows, unseen),
            Loss::Diameter(rows) => any_unseen(&shifted(rows, rows.row(0)), unseen),
        };
        if hidden {
            return None;
        }
        Some(match self {
            // T = U diag(e)^(-1/2): the columns have squared norms 1/e.
            Loss::LogDet => {
                let columns = whitening.transposed();
                (0..columns.rows()).map(|k| norm_squared(columns.row(k)).ln()).sum()
            }
            _ => self.whitened_value(whitening),
        })
    }

    fn whitened_value(&self, whitening: &Matrix) -> f64 {
        match self {
            Loss::LogDet => unreachable!("a log determinant needs no targets"),
            Loss::Trace(root) => norm_squared(multiply(root, whitening).as_slice()),
            Loss::Largest(rows) => row_norms(rows, whitening).into_iter().fold(0.0, f64::max),
            Loss::Diameter(rows) => {
                farthest_partners(&multiply(rows, whitening)).into_iter().map(|(d, _)| d).fold(0.0, f64::max)
            }
        }
    }
}

/// Whether some row has a part in the columns of `unseen`.
pub(super) fn any_unseen(rows: &Matrix, unseen: &Matrix) -> bool {
    if unseen.columns() == 0 {
        return false;
    }
    let parts = row_norms(rows, unseen);
    (0..rows.rows()).any(|i| parts[i] > UNSEEN * UNSEEN * norm_squared(rows.row(i)))
}

fn shifted(rows: &Matrix, by: &[f64]) -> Matrix {
    let mut out = rows.clone();
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(by).for_each(|(v, c)| *v -= c);
    }
    out
}

fn scaled(mut root: Matrix, by: f64) -> Matrix {
    root.as_mut_slice().iter_mut().for_each(|value| *value *= by.sqrt());
    root
}
