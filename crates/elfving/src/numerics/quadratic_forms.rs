//! Two quadratic forms of every point at once, from one product.
//!
//! Points are the columns of a matrix (r × n), so that sums over coordinates run along memory. Images are never stored
//! beyond a block of points. Chunks of points go over threads; each is computed alone, so the result is the same
//! bits for any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Matrix;
use super::product::{gram, multiply, view};

/// Points a thread takes at a time.
const CHUNK_POINTS: usize = 4096;
/// Points multiplied at a time: few enough for the product to be in cache when it is reduced.
const BLOCK_POINTS: usize = 256;

/// `xᵀ B x` into `forms` and `‖B x‖²` into `norms` for every column x of `columns`, with `b` symmetric (r × r).
///
/// Cost: 2 n r² flops, at the rate of a matrix product.
///
/// # Panics
/// When `forms` and `norms` have not one entry a point.
pub fn quadratic_forms(columns: &Matrix, b: &Matrix, forms: &mut [f64], norms: &mut [f64]) {
    let r = columns.rows();
    for_each_block(columns, r, forms, norms, |block| {
        let Block { first, product, forms, norms } = block;
        let width = forms.len();
        image(view(b), columns, first, width, product);
        for (k, image) in product.chunks_exact(width).take(r).enumerate() {
            let point = &columns.row(k)[first..first + width];
            for i in 0..width {
                forms[i] += point[i] * image[i];
                norms[i] += image[i] * image[i];
            }
        }
    });
}

/// The same for `B = D⁻¹ - Q Qᵀ`, with the diagonal of `D⁻¹` and a thin `q` (r × k).
///
/// `‖B x‖² = ‖D⁻¹x‖² - ⟨Qᵀx, Pᵀx⟩` with `P = 2 D⁻¹Q - Q QᵀQ`. Cost: 4 n r k flops and one pass over the points.
///
/// # Panics
/// When `forms` and `norms` have not one entry a point.
pub fn low_rank_forms(
    columns: &Matrix,
    inverse_diagonal: &[f64],
    q: &Matrix,
    forms: &mut [f64],
    norms: &mut [f64],
) {
    let (r, k) = (columns.rows(), q.columns());
    let p = low_rank_partner(inverse_diagonal, q);
    let both = Matrix::from_fn(2 * k, r, |j, i| if j < k { q[(i, j)] } else { p[(i, j - k)] });
    for_each_block(columns, 2 * k, forms, norms, |block| {
        let Block { first, product, forms, norms } = block;
        let width = forms.len();
        for (row, &weight) in inverse_diagonal.iter().enumerate() {
            let point = &columns.row(row)[first..first + width];
            for i in 0..width {
                let once = weight * point[i];
                forms[i] += once * point[i];
                norms[i] += once * once;
            }
        }
        if k > 0 {
            image(view(&both), columns, first, width, product);
            let (of_q, of_p) = product[..2 * k * width].split_at(k * width);
            for (of_q, of_p) in of_q.chunks_exact(width).zip(of_p.chunks_exact(width)) {
                for i in 0..width {
                    forms[i] -= of_q[i] * of_q[i];
                    norms[i] -= of_q[i] * of_p[i];
                }
            }
        }
    });
}

/// `P = 2 D⁻¹Q - Q QᵀQ`, with which `(D⁻¹ - QQᵀ)² = D⁻² - (QPᵀ + PQᵀ)/2`.
pub fn low_rank_partner(inverse_diagonal: &[f64], q: &Matrix) -> Matrix {
    let mut p = multiply(q, &gram(q));
    for (i, weight) in inverse_diagonal.iter().enumerate() {
        p.row_mut(i).iter_mut().zip(q.row(i)).for_each(|(p, q)| *p = 2.0 * weight * q - *p);
    }
    p
}

/// A block of points: where it starts, room for its images, and its share of the results, zero to begin with.
struct Block<'b> {
    first: usize,
    product: &'b mut [f64],
    forms: &'b mut [f64],
    norms: &'b mut [f64],
}

fn for_each_block(
    columns: &Matrix,
    image_rows: usize,
    forms: &mut [f64],
    norms: &mut [f64],
    work: impl Fn(Block) + Sync,
) {
    assert!(forms.len() == columns.columns() && norms.len() == columns.columns(), "one number a point");
    forms.fill(0.0);
    norms.fill(0.0);
    let chunks = forms.par_chunks_mut(CHUNK_POINTS).zip(norms.par_chunks_mut(CHUNK_POINTS)).enumerate();
    chunks.for_each(|(chunk, (forms, norms))| {
        let mut product = vec![0.0; image_rows * BLOCK_POINTS];
        let blocks = forms.chunks_mut(BLOCK_POINTS).zip(norms.chunks_mut(BLOCK_POINTS)).enumerate();
        for (block, (forms, norms)) in blocks {
            let first = chunk * CHUNK_POINTS + block * BLOCK_POINTS;
            work(Block { first, product: &mut product, forms, norms });
        }
    });
}

/// `T x` of the points `first..first + width`, a point a column.
fn image(transform: MatRef<'_, f64>, columns: &Matrix, first: usize, width: usize, product: &mut [f64]) {
    let rows = transform.nrows();
    let into = MatMut::from_row_major_slice_mut(&mut product[..rows * width], rows, width);
    matmul(into, Accum::Replace, transform, view(columns).subcols(first, width), 1.0, Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{apply, dot, norm_squared};

    fn entry(i: usize, j: usize) -> f64 {
        ((i * 7 + j * 13) % 11) as f64 - 5.0
    }

    fn assert_forms(x: &Matrix, b: &Matrix, forms: &[f64], norms: &[f64]) {
        for i in 0..x.rows() {
            let image = apply(b, x.row(i));
            assert!((forms[i] - dot(x.row(i), &image)).abs() <= 1e-9 * norms[i].max(1.0));
            assert!((norms[i] - norm_squared(&image)).abs() <= 1e-9 * norms[i].max(1.0));
        }
    }

    #[test]
    fn both_forms_are_those_of_the_matrix() {
        let b = gram(&Matrix::from_fn(6, 6, entry));
        let x = Matrix::from_fn(5000, 6, |i, j| entry(i + 3, j + 1));
        let (mut forms, mut norms) = (vec![1.0; 5000], vec![1.0; 5000]);
        quadratic_forms(&x.transposed(), &b, &mut forms, &mut norms);
        assert_forms(&x, &b, &forms, &norms);
    }

    #[test]
    fn a_diagonal_minus_a_thin_product_gives_the_same_forms() {
        let x = Matrix::from_fn(300, 6, |i, j| entry(i + 3, j + 1));
        let diagonal = [3.0, 2.0, 5.0, 1.0, 0.5, 4.0];
        for k in [0, 1, 3] {
            let q = Matrix::from_fn(6, k, |i, j| 0.1 * entry(i, j));
            let mut b = gram(&q.transposed());
            b.as_mut_slice().iter_mut().for_each(|value| *value *= -1.0);
            (0..6).for_each(|i| b[(i, i)] += diagonal[i]);
            let (mut forms, mut norms) = (vec![1.0; 300], vec![1.0; 300]);
            low_rank_forms(&x.transposed(), &diagonal, &q, &mut forms, &mut norms);
            assert_forms(&x, &b, &forms, &norms);
        }
    }
}
