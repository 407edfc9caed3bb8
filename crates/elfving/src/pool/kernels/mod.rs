//! Kernels: how alike two candidates are. One a file; new ones join here and in [`KernelSpec`].

mod constant;
mod lengthscale;
mod linear;
mod matern12;
mod matern32;
mod matern52;
mod periodic;
mod polynomial;
mod product;
mod rational_quadratic;
mod rbf;
mod scaled;
mod smooth;
mod spec;
mod stationary;
mod sum;

use rayon::prelude::*;

use crate::numerics::Matrix;

use super::PoolError;

pub use constant::Constant;
pub use lengthscale::Lengthscale;
pub use linear::Linear;
pub use matern12::Matern12;
pub use matern32::Matern32;
pub use matern52::Matern52;
pub use periodic::Periodic;
pub use polynomial::Polynomial;
pub use product::Product;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use scaled::Scaled;
pub use spec::KernelSpec;
pub use stationary::{ScaledDistance, Stationary};
pub use sum::Sum;

/// A positive semidefinite function k(x, y) = ⟨φ(x), φ(y)⟩ on points of equal dimension.
///
/// `evaluate`, `diagonal` and `row` must agree to the last bit, and `evaluate` must be symmetric.
pub trait Kernel: Send + Sync + std::fmt::Debug {
    /// k(x, y).
    fn evaluate(&self, x: &[f64], y: &[f64]) -> f64;

    /// k(x, x).
    fn diagonal(&self, x: &[f64]) -> f64 {
        self.evaluate(x, x)
    }

    /// k(x, y_j) for all rows y_j of `ys`, into `out`.
    ///
    /// # Panics
    /// When `out` does not have one slot for each row.
    fn row(&self, x: &[f64], ys: &Matrix, out: &mut [f64]) {
        for_each_row(ys, out, |y| self.evaluate(x, y));
    }

    /// Whether the kernel applies to points of this dimension.
    ///
    /// # Errors
    /// [`PoolError::LengthscaleCount`] when it has another number of lengthscales.
    fn check(&self, dimension: usize) -> Result<(), PoolError>;
}

/// Rows handled by one task.
const CHUNK_ROWS: usize = 1024;

/// Fills `out[j]` from row j of `ys`, in parallel over fixed chunks.
fn for_each_row(ys: &Matrix, out: &mut [f64], value: impl Fn(&[f64]) -> f64 + Sync) {
    assert_eq!(out.len(), ys.rows(), "one slot for each row");
    let width = ys.columns();
    let chunks = out.par_chunks_mut(CHUNK_ROWS).zip(ys.as_slice().par_chunks(CHUNK_ROWS * width));
    chunks.for_each(|(out, rows)| {
        for (slot, y) in out.iter_mut().zip(rows.chunks_exact(width)) {
            *slot = value(y);
        }
    });
}

/// `Σ x_k y_k`, with four running sums so that it vectorises.
pub(crate) fn inner_product(x: &[f64], y: &[f64]) -> f64 {
    sum_of_pairs(x, y, |x, y| x * y)
}

/// `Σ term(x_k, y_k)` in an order fixed by the length.
#[inline(always)]
fn sum_of_pairs(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let ((x_body, x_tail), (y_body, y_tail)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in x_body.iter().zip(y_body) {
        for lane in 0..4 {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    let tail: f64 = x_tail.iter().zip(y_tail).map(|(&x, &y)| term(x, y)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// A parameter that must be finite and positive.
fn positive(parameter: &'static str, value: f64) -> Result<f64, PoolError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(PoolError::Parameter { parameter, range: "a finite number > 0", got: value })
    }
}
