//! Matrix products, each a plain function on [`Matrix`].

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;

/// Rows of a tall matrix that are summed at a time; fixed, so that sums do not depend on threads.
const CHUNK_ROWS: usize = 1024;
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
    row_blocks(a, view(b), |_| ())
}

/// `A Bᵀ`.
pub fn multiply_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    row_blocks(a, view(b).transpose(), |_| ())
}

/// `Aᵀ B`.
pub fn transposed_multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.columns(), b.columns());
    matmul(view_mut(&mut out), Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    out
}

/// `A B`, over threads in blocks of rows, each changed by `then` while it is in the cache.
fn row_blocks(a: &Matrix, b: MatRef<'_, f64>, then: impl Fn(&mut [f64]) + Sync) -> Matrix {
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
        let product = MatMut::from_row_major_slice_mut(out, count, columns);
        matmul(product, Accum::Replace, left, b, 1.0, Par::Seq);
        then(out);
    });
    out
}

/// `A Aᵀ` on and above the diagonal; below it nothing is promised. Half the cost of a general product.
pub fn upper_outer_gram(a: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.rows());
    add_upper_outer_gram(&mut out, a);
    out
}

/// `S ← S + A Aᵀ` on and above the diagonal.
pub fn add_upper_outer_gram(s: &mut Matrix, a: &Matrix) {
    upper_row_blocks(s, Accum::Add, a, |_, _| ());
}

/// `scale · (A Aᵀ) ∘ (A Aᵀ)` on and above the diagonal; below it nothing is promised.
pub fn upper_squared_gram(a: &Matrix, scale: f64) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), a.rows());
    upper_row_blocks(&mut out, Accum::Replace, a, |start, block| {
        for row in block.chunks_exact_mut(a.rows()) {
            row[start..].iter_mut().for_each(|entry| *entry = scale * *entry * *entry);
        }
    });
    out
}

/// `(A Aᵀ) ∘ (B Aᵀ)` on and above the diagonal, for a symmetric `B Aᵀ`; below it nothing is promised.
pub fn upper_hadamard(a: &Matrix, b: &Matrix) -> Matrix {
    let (n, k) = (a.rows(), a.columns());
    let mut out = Matrix::zeros(n, n);
    upper_row_blocks(&mut out, Accum::Replace, a, |start, block| {
        let count = block.len() / n;
        let end = start + count;
        let rows = MatRef::from_row_major_slice(b.row_range(start, end), count, k);
        let below = MatRef::from_row_major_slice(a.row_range(start, n), n - start, k);
        let mut other = Matrix::zeros(count, n - start);
        matmul(view_mut(&mut other), Accum::Replace, rows, below.transpose(), 1.0, Par::Seq);
        for (i, row) in block.chunks_exact_mut(n).enumerate() {
            row[start..].iter_mut().zip(other.row(i)).for_each(|(entry, other)| *entry *= other);
        }
    });
    out
}

/// The upper triangle of `A Aᵀ`, put in place or added, over threads in blocks of rows, each changed by `then(first row, block)`.
fn upper_row_blocks(out: &mut Matrix, accum: Accum, a: &Matrix, then: impl Fn(usize, &mut [f64]) + Sync) {
    let (n, k) = (a.rows(), a.columns());
    // The other factor is packed anew for each block, and half of the first square of a block is wasted.
    let block_rows = (n / 4).next_multiple_of(16).clamp(48, 192);
    debug_assert_eq!((out.rows(), out.columns()), (n, n));
    if n == 0 || k == 0 {
        return;
    }
    let blocks = out.as_mut_slice().par_chunks_mut(block_rows * n);
    let blocks = blocks.with_min_len(blocks_a_thread(block_rows * n * k / 2));
    blocks.enumerate().for_each(|(block, out)| {
        let start = block * block_rows;
        let count = out.len() / n;
        let end = start + count;
        let rows = MatRef::from_row_major_slice(a.row_range(start, end), count, k);
        let below = MatRef::from_row_major_slice(a.row_range(start, n), n - start, k);
        let upper = MatMut::from_row_major_slice_mut(out, count, n).subcols_mut(start, n - start);
        matmul(upper, accum, rows, below.transpose(), 1.0, Par::Seq);
        then(start, out);
    });
}

/// The squares of the entries of `A Bᵀ`.
pub fn squared_product(a: &Matrix, b: &Matrix) -> Matrix {
    row_blocks(a, view(b).transpose(), |block| block.iter_mut().for_each(|entry| *entry *= *entry))
}

/// `A x` for a symmetric A of which the upper triangle is read.
pub fn symmetric_apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for i in 0..x.len() {
        let row = &a.row(i)[i + 1..];
        out[i] += dot(row, &x[i + 1..]) + a[(i, i)] * x[i];
        add_scaled_row(&mut out[i + 1..], x[i], row);
    }
    out
}

/// `Aᵀ A`, both triangles filled. Half the cost of a general product.
pub fn gram(a: &Matrix) -> Matrix {
    let n = a.columns();
    let mut out = Matrix::zeros(n, n);
    triangular::matmul(
        view_mut(&mut out),
        triangular::BlockStructure::TriangularUpper,
        Accum::Replace,
        view(a).transpose(),
        triangular::BlockStructure::Rectangular,
        view(a),
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    mirror_upper(&mut out);
    out
}

/// Copies the upper triangle of a square matrix onto the lower one.
pub fn mirror_upper(a: &mut Matrix) {
    const TILE: usize = 32; // a tile of both triangles stays in the cache
    let n = a.rows();
    for row in (0..n).step_by(TILE) {
        for column in (0..=row).step_by(TILE) {
            for i in row..(row + TILE).min(n) {
                for j in column..(column + TILE).min(i) {
                    a[(i, j)] = a[(j, i)];
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
    let support: Vec<usize> = (0..x.rows()).filter(|&i| weights[i] != 0.0).collect();
    gram_in_chunks(x, &support, |scaled, chunk| {
        scaled.scale_rows(&chunk.iter().map(|&i| weights[i].sqrt()).collect::<Vec<_>>());
    })
}

/// The average of `x_i x_iᵀ` over the given rows, which are copied a chunk at a time.
pub fn average_gram(x: &Matrix, rows: &[usize]) -> Matrix {
    let mut total = gram_in_chunks(x, rows, |_, _| ());
    total.as_mut_slice().iter_mut().for_each(|entry| *entry /= rows.len() as f64);
    total
}

/// `Σ x_i x_iᵀ` over the given rows, each chunk of which is changed by `weigh(copies, rows)` first.
fn gram_in_chunks(x: &Matrix, rows: &[usize], weigh: impl Fn(&mut Matrix, &[usize])) -> Matrix {
    let mut total = Matrix::zeros(x.columns(), x.columns());
    for chunk in rows.chunks(CHUNK_ROWS) {
        let mut copies = x.select_rows(chunk);
        weigh(&mut copies, chunk);
        add_scaled(&mut total, 1.0, &gram(&copies));
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
