//! Orthogonal factorisations that never square a condition number.

use faer::MatRef;

use super::Matrix;
use super::product::view;

/// Rows factored at a time; fixed, so that the result does not depend on anything else.
const CHUNK_ROWS: usize = 4096;

/// The upper triangular `R` with `RᵀR = XᵀX`, by Householder QR over row chunks.
///
/// The condition number of `R` is that of `X`, not its square. Cost: 2 n r², memory of one chunk.
pub fn triangular_factor(x: &Matrix) -> Matrix {
    let (n, r) = (x.rows(), x.columns());
    let mut factor = Matrix::zeros(0, r);
    for start in (0..n).step_by(CHUNK_ROWS) {
        let end = (start + CHUNK_ROWS).min(n);
        let above = factor.rows();
        let mut stacked = factor.into_vec();
        stacked.extend_from_slice(x.row_range(start, end));
        let qr = MatRef::from_row_major_slice(&stacked, above + end - start, r).qr();
        let upper = qr.thin_R();
        factor = Matrix::from_fn(upper.nrows(), r, |i, j| if i <= j { upper[(i, j)] } else { 0.0 });
    }
    factor
}

/// `X = U diag(values) Vᵀ`, thin: singular values in descending order and the rows of `Vᵀ`.
#[derive(Debug, Clone)]
pub struct RightSingular {
    /// Singular values, descending.
    pub values: Vec<f64>,
    /// Row k is the right singular vector of `values[k]`.
    pub vectors: Matrix,
}

/// Singular values and right singular vectors of a small matrix; `None` when it holds NaN or infinity.
pub fn right_singular(x: &Matrix) -> Option<RightSingular> {
    if x.first_non_finite().is_some() {
        return None;
    }
    let svd = view(x).thin_svd().ok()?;
    let count = x.rows().min(x.columns());
    let values = (0..count).map(|k| svd.S()[k]).collect();
    let vectors = Matrix::from_fn(count, x.columns(), |k, j| svd.V()[(j, k)]);
    Some(RightSingular { values, vectors })
}
