//! Coordinates in which the information matrix is the identity.
//!
//! With `M = Σ w_x φ(x) φ(x)ᵀ + γI` and `T Tᵀ = M⁻¹`, a vector v becomes `ṽ = Tᵀv`; then
//! `vᵀ M⁻¹ φ(x) = ⟨ṽ, x̃⟩` and `‖v‖² = ‖ṽ‖²`. T comes from a QR factorisation and singular values of the weighted rows
//! themselves, so that no condition number is squared, with columns first brought to one scale by powers of two.

use super::EstimateError;
use crate::numerics::{
    Matrix, RightSingular, multiply, multiply_transposed, norm_squared, right_singular, triangular_factor,
};

/// Singular values below this fraction of the largest are rounding noise, not directions.
const RANK_TOLERANCE: f64 = 1e-13;
/// A target with more than this fraction outside the span is not identifiable.
const SPAN_TOLERANCE: f64 = 1e-8;

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
    /// Orthonormal rows, k × r, in scaled columns.
    directions: Matrix,
}

impl Whitening {
    /// `rows`: s × r, the features measured; one positive weight for each. Cost: s r² + O(r³).
    pub(super) fn new(rows: &Matrix, weights: &[f64], gamma: f64) -> Result<Self, EstimateError> {
        let r = rows.columns();
        let mut largest = vec![gamma.sqrt(); r];
        for i in 0..rows.rows() {
            largest.iter_mut().zip(rows.row(i)).for_each(|(m, x)| *m = m.max(x.abs()));
        }
        let column_scale: Vec<f64> =
            largest.iter().map(|&m| if m > 0.0 { (-m.log2().floor()).exp2() } else { 1.0 }).collect();
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
        let factor = triangular_factor(&stacked);
        let RightSingular { values, vectors } = right_singular(&factor).ok_or(EstimateError::Overflow)?;
        let cut = RANK_TOLERANCE * values[0] * (r as f64).sqrt();
        let rank = values.iter().filter(|&&value| value > cut).count();
        if rank == 0 {
            return Err(EstimateError::NothingMeasured);
        }
        let transform = Matrix::from_fn(r, rank, |j, k| column_scale[j] * vectors[(k, j)] / values[k]);
        if transform.first_non_finite().is_some() {
            return Err(EstimateError::Overflow);
        }
        let directions = || vectors.select_rows(&(0..rank).collect::<Vec<_>>());
        let span = (rank < r).then(|| Span { column_scale, directions: directions() });
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
        let Span { column_scale, directions } = self.span.as_ref()?;
        let mut scaled = rows.clone();
        for i in 0..rows.rows() {
            scaled.row_mut(i).iter_mut().zip(column_scale).for_each(|(x, by)| *x *= by);
        }
        let inside = multiply(&multiply_transposed(&scaled, directions), directions);
        (0..rows.rows()).find(|&i| {
            let outside: f64 = scaled.row(i).iter().zip(inside.row(i)).map(|(x, y)| (x - y) * (x - y)).sum();
            !(outside.sqrt() <= SPAN_TOLERANCE * norm_squared(scaled.row(i)).sqrt())
        })
    }
}
