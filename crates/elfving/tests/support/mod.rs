//! The pools of the reference values: a counter stream that any language can make.
//!
//! The k-th output (k = 1, 2, ...) is splitmix64's mix of `seed + k · 0x9E3779B97F4A7C15`;
//! `u = ((out >> 11) + 0.5) · 2⁻⁵³`; normals by Box-Muller on consecutive pairs, matrices row by row.
#![allow(dead_code)]

pub(crate) mod binomial;

use elfving::numerics::{Matrix, norm_squared};

/// `rows × columns` standard normals from the stream of `seed`.
pub(crate) fn normals(seed: u64, rows: usize, columns: usize) -> Matrix {
    let uniform = |k: u64| {
        let mut z = seed.wrapping_add(k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) * (-53.0f64).exp2()
    };
    let mut data = Vec::with_capacity(rows * columns + 1);
    let mut k = 1;
    while data.len() < rows * columns {
        let radius = (-2.0 * uniform(k).ln()).sqrt();
        let angle = 2.0 * std::f64::consts::PI * uniform(k + 1);
        data.extend([radius * angle.cos(), radius * angle.sin()]);
        k += 2;
    }
    data.truncate(rows * columns);
    Matrix::from_row_major(rows, columns, data)
}

/// Multiplies the last `last` columns by √0.1 and scales every row to unit length.
pub(crate) fn unit_rows(mut matrix: Matrix, last: usize) -> Matrix {
    let columns = matrix.columns();
    for i in 0..matrix.rows() {
        matrix.row_mut(i)[columns - last..].iter_mut().for_each(|value| *value *= 0.1f64.sqrt());
        let length = norm_squared(matrix.row(i)).sqrt();
        matrix.row_mut(i).iter_mut().for_each(|value| *value /= length);
    }
    matrix
}

/// 60 × 12, seed 11.
pub(crate) fn small() -> Matrix {
    unit_rows(normals(11, 60, 12), 10)
}

/// 15 × 12, seed 12: the targets of `small`.
pub(crate) fn small_targets() -> Matrix {
    unit_rows(normals(12, 15, 12), 0)
}

/// The paper's first experiment: 1275 × 50, seed 1.
pub(crate) fn paper_g() -> Matrix {
    unit_rows(normals(1, 1275, 50), 10)
}

/// The paper's second experiment: x_i = (i/500)², i = 0..500.
pub(crate) fn paper_rbf() -> Matrix {
    Matrix::from_fn(501, 1, |i, _| (i as f64 / 500.0).powi(2))
}

/// e_1 … e_d and cos(0.1) e_1 + sin(0.1) e_2.
pub(crate) fn soare(d: usize) -> Matrix {
    Matrix::from_fn(d + 1, d, |i, j| match (i == d, j) {
        (true, 0) => 0.1f64.cos(),
        (true, 1) => 0.1f64.sin(),
        (true, _) => 0.0,
        (false, _) => f64::from(i == j),
    })
}
