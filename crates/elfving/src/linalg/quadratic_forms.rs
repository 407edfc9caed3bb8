//! Two quadratic forms of every row at once, from one product.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;
use super::product::{dot, norm_squared, view};

/// Rows a thread takes at a time; fixed, so that nothing depends on the number of threads.
const CHUNK_ROWS: usize = 4096;
/// Rows multiplied at a time, so that the product is still in cache when it is reduced.
const BLOCK_ROWS: usize = 128;

/// For each row x of `x` (n × r) the pair `(xᵀ B x, ‖B x‖²)` of a symmetric `b` (r × r).
///
/// `B x` is never stored beyond a block of rows. Cost: 2 n r² flops, at the rate of a matrix product.
///
/// # Panics
/// When `out` has not one entry a row.
pub fn quadratic_forms(x: &Matrix, b: &Matrix, out: &mut [(f64, f64)]) {
    assert_eq!(x.rows(), out.len(), "one pair a row");
    let r = x.columns();
    if r == 0 {
        return out.fill((0.0, 0.0));
    }
    out.par_chunks_mut(CHUNK_ROWS).enumerate().for_each(|(chunk, out)| {
        let mut product = vec![0.0; BLOCK_ROWS * r];
        for (block, out) in out.chunks_mut(BLOCK_ROWS).enumerate() {
            let first = chunk * CHUNK_ROWS + block * BLOCK_ROWS;
            let rows = MatRef::from_row_major_slice(x.row_range(first, first + out.len()), out.len(), r);
            let into = MatMut::from_row_major_slice_mut(&mut product[..out.len() * r], out.len(), r);
            matmul(into, Accum::Replace, rows, view(b), 1.0, Par::Seq);
            for (k, (pair, row)) in out.iter_mut().zip(product.chunks_exact(r)).enumerate() {
                *pair = (dot(x.row(first + k), row), norm_squared(row));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{apply, gram};

    #[test]
    fn both_forms_are_those_of_the_matrix() {
        let entry = |i: usize, j: usize| ((i * 7 + j * 13) % 11) as f64 - 5.0;
        let b = gram(&Matrix::from_fn(6, 6, entry));
        let x = Matrix::from_fn(5000, 6, |i, j| entry(i + 3, j + 1));
        let mut out = vec![(0.0, 0.0); x.rows()];
        quadratic_forms(&x, &b, &mut out);
        for (i, &(form, norm)) in out.iter().enumerate() {
            let image = apply(&b, x.row(i));
            assert!((form - dot(x.row(i), &image)).abs() <= 1e-9 * norm.max(1.0));
            assert!((norm - norm_squared(&image)).abs() <= 1e-9 * norm.max(1.0));
        }
    }
}
