//! Coordinates in which the information matrix is the identity.
//!
//! With `M = Σ w_x φ(x) φ(x)ᵀ + γI` and `T Tᵀ = M⁻¹`, a vector v becomes `ṽ = Tᵀv`; then
//! `vᵀ M⁻¹ φ(x) = ⟨ṽ, x̃⟩` and `‖v‖² = ‖ṽ‖²`. T comes from a QR factorisation and singular values of the weighted rows
//! themselves, so that no condition number is squared, with columns first brought to one scale by powers of two.

use super::EstimateError;
use crate::numerics::{
    Matrix, RowSpan, column_scale, multiply, multiply_transposed, norm_squared, scale_columns,
};

/// `T`, and what lies outside its range when γ = 0.
#[derive(Debug, Clone)]
pub(super) struct Whitening {
    /// T: r × k with `T Tᵀ = M⁻¹` on the span of what was measured.
    transform: Matrix,
    gamma: f64,
    span: Option<Span>,
}

/// The measured span, when it is not the whole space.
#[derive(Debug, Clone)]
struct Span {
    column_scale: Vec<f64>,
    /// Columns that are zero wherever something was measured.
    empty: Vec<bool>,
    /// Orthonormal rows in scaled columns.
    rows: RowSpan,
}

impl Whitening {
    /// `rows`: s × r, the features measured; one positive weight for each. Cost: s r² + O(r³).
    pub(super) fn new(rows: &Matrix, weights: &[f64], gamma: f64) -> Result<Self, EstimateError> {
        let r = rows.columns();
        let column_scale = column_scale(rows, gamma.sqrt());
        let ridge_rows = if gamma > 0.0 { r } else { 0 };
        let stacked = Matrix::from_fn(rows.rows() + ridge_rows, r, |i, j| {
            if i < rows.rows() {
                weights[i].sqrt() * (rows[(i, j)] * column_scale[j])
            } else if i - rows.rows() == j {
                gamma.sqrt() * column_scale[j]
            } else {
                0.0
            }
        });
        let measured = RowSpan::of(&stacked).ok_or(EstimateError::Overflow)?;
        if measured.doubtful {
            return Err(EstimateError::NearlyDependent);
        }
        let RowSpan { directions, values, .. } = &measured;
        let rank = values.len();
        if rank == 0 {
            return Err(EstimateError::NothingMeasured);
        }
        let transform = Matrix::from_fn(r, rank, |j, k| column_scale[j] * directions[(k, j)] / values[k]);
        if transform.first_non_finite().is_some() {
            return Err(EstimateError::Overflow);
        }
        let empty = (0..r).map(|j| (0..stacked.rows()).all(|i| stacked[(i, j)] == 0.0)).collect();
        let span = (rank < r).then_some(Span { column_scale, empty, rows: measured });
        Ok(Self { transform, gamma, span })
    }

    /// ṽ for every row v. Cost: 2 · rows · r · k.
    pub(super) fn forward(&self, rows: &Matrix) -> Matrix {
        multiply(rows, &self.transform)
    }

    /// θ with `⟨v, θ⟩ = ⟨ṽ, θ̃⟩`.
    pub(super) fn back(&self, whitened: &[f64]) -> Vec<f64> {
        crate::numerics::apply(&self.transform, whitened)
    }

    /// `γ M⁻¹v` for every ṽ, whose length is at most `√γ ‖v‖`; nothing without a ridge.
    pub(super) fn ridge_pull(&self, whitened: &Matrix) -> Option<Matrix> {
        (self.gamma > 0.0).then(|| {
            let mut pulls = multiply_transposed(whitened, &self.transform);
            pulls.as_mut_slice().iter_mut().for_each(|x| *x *= self.gamma);
            pulls
        })
    }

    /// The first row that is not in the measured span.
    pub(super) fn first_outside(&self, rows: &Matrix) -> Option<usize> {
        let Span { column_scale, empty, rows: span } = self.span.as_ref()?;
        let scaled = scale_columns(rows, column_scale);
        let coordinates = multiply_transposed(&scaled, &span.directions);
        let inside = multiply(&coordinates, &span.directions);
        (0..rows.rows()).find(|&i| {
            let outside: f64 = scaled.row(i).iter().zip(inside.row(i)).map(|(x, y)| (x - y) * (x - y)).sum();
            let inner: f64 =
                coordinates.row(i).iter().zip(&span.values).map(|(x, by)| (x / by) * (x / by)).sum();
            rows.row(i).iter().zip(empty).any(|(&x, &empty)| empty && x != 0.0)
                || span.is_outside(outside.sqrt(), norm_squared(scaled.row(i)).sqrt(), inner.sqrt())
        })
    }
}
