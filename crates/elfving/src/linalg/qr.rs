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
    let r = x.columns();
    let mut stacked: Option<Matrix> = None;
    let mut start = 0;
    while start < x.rows() || stacked.is_none() {
        let end = (start + CHUNK_ROWS).min(x.rows());
        let mut rows = stacked.map_or_else(Vec::new, Matrix::into_vec);
        rows.extend_from_slice(x.row_range(start, end));
        let count = rows.len() / r.max(1);
        let factor = MatRef::from_row_major_slice(&rows, count, r).qr();
        let upper = factor.thin_R();
        stacked = Some(Matrix::from_fn(upper.nrows(), r, |i, j| if i <= j { upper[(i, j)] } else { 0.0 }));
        start = end;
        if start >= x.rows() {
            break;
        }
    }
    stacked.unwrap_or_else(|| Matrix::zeros(0, r))
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
