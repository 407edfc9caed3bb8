//! The blocked sweep: one pass over a tall matrix, `Y = X T`, fused with row norms and a running top-k.
//!
//! `Y` is never stored: a block of rows is multiplied into a buffer that fits the cache, reduced, and
//! forgotten. Blocks go over threads in fixed chunks and are combined in index order, so the result is
//! the same bits for any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;
use super::product::{norm_squared, view};

/// Rows a thread takes at a time.
const CHUNK_ROWS: usize = 4096;
/// Chunks under way before what they found is merged: enough for many threads, few to remember.
const CHUNKS_TOGETHER: usize = 32;
/// Rows multiplied at a time: large enough for the product to run at full rate, small enough for the cache.
const BLOCK_ROWS: usize = 256;

/// For each row `x_i` of `x` (n × r) the squared norm `‖Tᵀ x_i‖²`, with `transform = T` (r × k).
///
/// With `T = L⁻ᵀ` and `A = L Lᵀ` this is `x_iᵀ A⁻¹ x_i`. Cost: 2 n r k flops, memory n.
pub fn row_norms(x: &Matrix, transform: &Matrix) -> Vec<f64> {
    let mut norms = vec![0.0; x.rows()];
    norms.par_chunks_mut(CHUNK_ROWS).enumerate().for_each(|(chunk, out)| {
        let start = chunk * CHUNK_ROWS;
        block_norms(x, &[transform], start, start + out.len(), |_, first, block| {
            out[first - start..first - start + block.len()].copy_from_slice(block);
        });
    });
    norms
}

/// The `k` largest `‖Tᵀ x_i‖²` over the rows of `x`, for each transform, in one pass over `x`.
///
/// Each answer is sorted, largest first, ties to the smallest row; NaN counts as largest, so that it is
/// seen. Nothing of size n is stored. Cost: 2 n r k flops a transform.
pub fn largest_rows(x: &Matrix, transforms: &[&Matrix], k: usize) -> Vec<Vec<(f64, usize)>> {
    let mut tops: Vec<TopK> = transforms.iter().map(|_| TopK::new(k, f64::NEG_INFINITY)).collect();
    let chunks: Vec<usize> = (0..x.rows()).step_by(CHUNK_ROWS).collect();
    for together in chunks.chunks(CHUNKS_TOGETHER) {
        let parts: Vec<Vec<TopK>> = together
            .par_iter()
            .map(|&start| {
                let end = (start + CHUNK_ROWS).min(x.rows());
                let mut seen: Vec<TopK> = tops.iter().map(|top| TopK::new(k, top.threshold)).collect();
                block_norms(x, transforms, start, end, |which, first, block| {
                    seen[which].offer_all(first, block);
                });
                seen
            })
            .collect();
        for part in parts {
            for (top, seen) in tops.iter_mut().zip(part) {
                for (norm, row) in seen.into_sorted() {
                    top.offer(norm, row);
                }
            }
        }
    }
    tops.into_iter().map(TopK::into_sorted).collect()
}

/// Calls `reduce(transform, first_row, norms)` for each block of the rows `start..end`.
fn block_norms(
    x: &Matrix,
    transforms: &[&Matrix],
    start: usize,
    end: usize,
    mut reduce: impl FnMut(usize, usize, &[f64]),
) {
    let width = transforms.iter().map(|t| t.columns()).max().unwrap_or(0);
    let mut product = vec![0.0; BLOCK_ROWS * width];
    let mut norms = [0.0; BLOCK_ROWS];
    for first in (start..end).step_by(BLOCK_ROWS) {
        let rows = BLOCK_ROWS.min(end - first);
        let block = MatRef::from_row_major_slice(x.row_range(first, first + rows), rows, x.columns());
        for (which, transform) in transforms.iter().enumerate() {
            let k = transform.columns();
            let out = MatMut::from_row_major_slice_mut(&mut product[..rows * k], rows, k);
            matmul(out, Accum::Replace, block, view(transform), 1.0, Par::Seq);
            for (norm, row) in norms.iter_mut().zip(product[..rows * k].chunks_exact(k)) {
                *norm = norm_squared(row);
            }
            reduce(which, first, &norms[..rows]);
        }
    }
}

/// Keeps the `k` largest of the offers above a threshold; ties to the smallest row.
struct TopK {
    k: usize,
    kept: Vec<(f64, usize)>,
    threshold: f64,
}

impl TopK {
    fn new(k: usize, threshold: f64) -> Self {
        Self { k, kept: vec![], threshold }
    }

    fn offer_all(&mut self, first: usize, norms: &[f64]) {
        for (offset, &norm) in norms.iter().enumerate() {
            self.offer(norm, first + offset);
        }
    }

    fn offer(&mut self, norm: f64, row: usize) {
        // Rows come in ascending order, so an equal norm never displaces an earlier row.
        // The negated comparison lets NaN through.
        if self.k == 0 || norm <= self.threshold {
            return;
        }
        self.kept.push((norm, row));
        if self.kept.len() == 2 * self.k {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.kept.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.kept.truncate(self.k);
        if self.kept.len() == self.k {
            self.threshold = self.kept[self.k - 1].0;
        }
    }

    fn into_sorted(mut self) -> Vec<(f64, usize)> {
        self.shrink();
        self.kept
    }
}
