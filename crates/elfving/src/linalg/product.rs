//! Matrix products, each a plain function on [`Matrix`].

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;

/// Rows of a tall matrix that are summed at a time; fixed, so that sums do not depend on threads.
const CHUNK_ROWS: usize = 8192;
/// Rows of a product that a thread computes at a time.
const BLOCK_ROWS: usize = 96;
/// Multiplications that are worth waking a thread for.
const WORTH_A_THREAD: usize = 1 << 20;

/// How many blocks of so many multiplications a thread takes at least.
pub(super) fn blocks_a_thread(multiplications: usize) -> usize {
    WORTH_A_THREAD.div_ceil(multiplications.max(1))
}

pub(super) fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(matrix.as_slice(), matrix.rows(), matrix.columns())
}

pub(super) fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    MatMut::from_row_major_slice_mut(matrix.as_mut_slice(), rows, columns)
}

/// `A B`. Cost: 2 · rows · inner · columns, over threads in blocks of rows.
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    row_blocks(a, view(b))
}

/// `A Bᵀ`.
pub fn multiply_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    row_blocks(a, view(b).transpose())
}

/// `Aᵀ B`.
pub fn transposed_multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.columns(), b.columns());
    matmul(view_mut(&mut out), Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    out
}

fn row_blocks(a: &Matrix, b: MatRef<'_, f64>) -> Matrix {
    let (k, columns) = (a.columns(), b.ncols());
    let mut out = Matrix::zeros(a.rows(), columns);
    if columns == 0 || k == 0 {
        return out;
    }
    let blocks = out.as_mut_slice().par_chunks_mut(BLOCK_ROWS * columns);
    let blocks = blocks.with_min_len(blocks_a_thread(BLOCK_ROWS * columns * k));
    blocks.zip(a.as_slice().par_chunks(BLOCK_ROWS * k)).for_each(|(out, rows)| {
        let count = rows.len() / k;
        let left = MatRef::from_row_major_slice(rows, count, k);
        matmul(MatMut::from_row_major_slice_mut(out, count, columns), Accum::Replace, left, b, 1.0, Par::Seq);
    });
    out
}

/// `A Aᵀ` on and below the diagonal; above it nothing is promised. Half the cost of a general product.
pub fn lower_outer_gram(a: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.rows());
    add_lower_outer_gram(&mut out, a);
    out
}

/// `S ← S + A Aᵀ` on and below the diagonal.
pub fn add_lower_outer_gram(s: &mut Matrix, a: &Matrix) {
    lower_row_blocks(s, Accum::Add, a, |_, _| ());
}

/// `scale · (A Aᵀ) ∘ (A Aᵀ)` on and below the diagonal; above it nothing is promised.
pub fn lower_squared_gram(a: &Matrix, scale: f64) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.rows());
    lower_row_blocks(&mut out, Accum::Replace, a, |_, block| {
        block.iter_mut().for_each(|entry| *entry = scale * *entry * *entry);
    });
    out
}

/// `(A Aᵀ) ∘ (B Aᵀ)` on and below the diagonal, for a symmetric `B Aᵀ`; above it nothing is promised.
pub fn lower_hadamard(a: &Matrix, b: &Matrix) -> Matrix {
    let (n, k) = (a.rows(), a.columns());
    let mut out = Matrix::zeros(n, n);
    lower_row_blocks(&mut out, Accum::Replace, a, |start, block| {
        let count = block.len() / n;
        let end = start + count;
        let rows = MatRef::from_row_major_slice(b.row_range(start, end), count, k);
        let above = MatRef::from_row_major_slice(a.row_range(0, end), end, k);
        let mut other = Matrix::zeros(count, end);
        matmul(view_mut(&mut other), Accum::Replace, rows, above.transpose(), 1.0, Par::Seq);
        for (i, row) in block.chunks_exact_mut(n).enumerate() {
            row.iter_mut().zip(other.row(i)).for_each(|(entry, other)| *entry *= other);
        }
    });
    out
}

/// The lower triangle of `A Aᵀ`, put in place or added, over threads in blocks of rows, each changed by `then(first row, block)`.
fn lower_row_blocks(out: &mut Matrix, accum: Accum, a: &Matrix, then: impl Fn(usize, &mut [f64]) + Sync) {
    const BLOCK_ROWS: usize = 192; // the other factor is packed anew for each block
    let (n, k) = (a.rows(), a.columns());
    debug_assert_eq!((out.rows(), out.columns()), (n, n));
    if n == 0 || k == 0 {
        return;
    }
    let blocks = out.as_mut_slice().par_chunks_mut(BLOCK_ROWS * n);
    let blocks = blocks.with_min_len(blocks_a_thread(BLOCK_ROWS * n * k / 2));
    blocks.enumerate().for_each(|(block, out)| {
        let start = block * BLOCK_ROWS;
        let count = out.len() / n;
        let end = start + count;
        let rows = MatRef::from_row_major_slice(a.row_range(start, end), count, k);
        let above = MatRef::from_row_major_slice(a.row_range(0, end), end, k);
        let lower = MatMut::from_row_major_slice_mut(out, count, n).subcols_mut(0, end);
        matmul(lower, accum, rows, above.transpose(), 1.0, Par::Seq);
        then(start, out);
    });
}

/// The squares of the entries of `A Bᵀ`.
pub fn squared_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = multiply_transposed(a, b);
    out.as_mut_slice().iter_mut().for_each(|entry| *entry *= *entry);
    out
}

/// `A x` for a symmetric A of which the lower triangle is read.
pub fn symmetric_apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for i in 0..x.len() {
        let row = &a.row(i)[..i];
        out[i] += dot(row, &x[..i]) + a[(i, i)] * x[i];
        add_scaled_row(&mut out[..i], x[i], row);
    }
    out
}

/// `Aᵀ A`, both triangles filled. Half the cost of a general product.
pub fn gram(a: &Matrix) -> Matrix {
    let n = a.columns();
    let mut out = Matrix::zeros(n, n);
    triangular::matmul(
        view_mut(&mut out),
        triangular::BlockStructure::TriangularLower,
        Accum::Replace,
        view(a).transpose(),
        triangular::BlockStructure::Rectangular,
        view(a),
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    mirror_lower(&mut out);
    out
}

/// Copies the lower triangle of a square matrix onto the upper one.
pub fn mirror_lower(a: &mut Matrix) {
    const TILE: usize = 32; // a tile of both triangles stays in the cache
    let n = a.rows();
    for row in (0..n).step_by(TILE) {
        for column in (0..=row).step_by(TILE) {
            for i in row..(row + TILE).min(n) {
                for j in column..(column + TILE).min(i) {
                    a[(j, i)] = a[(i, j)];
                }
            }
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
