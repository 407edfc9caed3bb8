//! Matrix products, each a plain function on [`Matrix`].

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};

use super::Matrix;

/// Rows a thread takes at a time in the parallel products; fixed, so that sums do not depend on threads.
const CHUNK_ROWS: usize = 8192;

pub(super) fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(matrix.as_slice(), matrix.rows(), matrix.columns())
}

pub(super) fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    MatMut::from_row_major_slice_mut(matrix.as_mut_slice(), rows, columns)
}

/// `A B`. Cost: 2 · rows · inner · columns.
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.columns());
    matmul(view_mut(&mut out), Accum::Replace, view(a), view(b), 1.0, Par::Seq);
    out
}

/// `A Bᵀ`.
pub fn multiply_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.rows());
    matmul(view_mut(&mut out), Accum::Replace, view(a), view(b).transpose(), 1.0, Par::Seq);
    out
}

/// `Aᵀ B`.
pub fn transposed_multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.columns(), b.columns());
    matmul(view_mut(&mut out), Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    out
}

/// `A Aᵀ`, both triangles filled. Half the cost of a general product.
pub fn outer_gram(a: &Matrix) -> Matrix {
    symmetric_product(view(a))
}

/// `Aᵀ A`, both triangles filled. Half the cost of a general product.
pub fn gram(a: &Matrix) -> Matrix {
    symmetric_product(view(a).transpose())
}

fn symmetric_product(a: MatRef<'_, f64>) -> Matrix {
    let n = a.nrows();
    let mut out = Matrix::zeros(n, n);
    triangular::matmul(
        view_mut(&mut out),
        triangular::BlockStructure::TriangularLower,
        Accum::Replace,
        a,
        triangular::BlockStructure::Rectangular,
        a.transpose(),
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    mirror_lower(&mut out);
    out
}

/// Copies the lower triangle of a square matrix onto the upper one.
pub fn mirror_lower(a: &mut Matrix) {
    let n = a.rows();
    for i in 0..n {
        for j in 0..i {
            a[(j, i)] = a[(i, j)];
        }
    }
}

/// `Σ_i w_i x_i x_iᵀ` over the rows with positive weight: the information matrix `A(λ)`.
///
/// Cost: s · r² for s rows of positive weight; the rows are summed in fixed chunks.
pub fn weighted_gram(x: &Matrix, weights: &[f64]) -> Matrix {
    debug_assert_eq!(x.rows(), weights.len());
    let r = x.columns();
    let support: Vec<usize> = (0..x.rows()).filter(|&i| weights[i] != 0.0).collect();
    let mut total = Matrix::zeros(r, r);
    for chunk in support.chunks(CHUNK_ROWS) {
        let mut scaled = x.select_rows(chunk);
        for (k, &i) in chunk.iter().enumerate() {
            let root = weights[i].sqrt();
            scaled.row_mut(k).iter_mut().for_each(|value| *value *= root);
        }
        add_scaled(&mut total, 1.0, &gram(&scaled));
    }
    total
}

/// `A ← A + scale · B`.
pub fn add_scaled(a: &mut Matrix, scale: f64, b: &Matrix) {
    for (x, y) in a.as_mut_slice().iter_mut().zip(b.as_slice()) {
        *x += scale * y;
    }
}

/// `A x`.
pub fn apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..a.rows()).map(|i| dot(a.row(i), x)).collect()
}

/// `Aᵀ x`.
pub fn apply_transposed(a: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.columns()];
    for (i, &scale) in x.iter().enumerate() {
        add_scaled_row(&mut out, scale, a.row(i));
    }
    out
}

/// `y ← y + scale · x`.
pub fn add_scaled_row(y: &mut [f64], scale: f64, x: &[f64]) {
    for (a, b) in y.iter_mut().zip(x) {
        *a += scale * b;
    }
}

/// `⟨x, y⟩`, with eight running sums so that it vectorises and rounds the same everywhere.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    debug_assert_eq!(x.len(), y.len());
    let mut lanes = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// `‖x‖²`.
pub fn norm_squared(x: &[f64]) -> f64 {
    dot(x, x)
}
