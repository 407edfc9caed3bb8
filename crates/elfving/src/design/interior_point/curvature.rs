//! The curvature of a criterion over the points.

use super::newton::scaled;
use crate::numerics::{
    Matrix, dot, multiply, norm_squared, transposed_multiply, upper_hadamard, upper_squared_gram,
};

/// `H`, kept as its factors: where these are narrow, the n × n matrix is written down only to be factored in place.
pub(super) enum Curvature {
    /// `by · (X Xᵀ) ∘ (X Xᵀ)`.
    Squared { x: Matrix, by: f64 },
    /// `(X Xᵀ) ∘ (Y Xᵀ)`, with a symmetric `Y Xᵀ`.
    Product { x: Matrix, y: Matrix },
}

impl Curvature {
    pub(super) fn scaled(self, factor: f64) -> Self {
        match self {
            Curvature::Squared { x, by } => Curvature::Squared { x, by: factor * by },
            Curvature::Product { x, y } => Curvature::Product { x, y: scaled(y, factor) },
        }
    }

    /// The factors of `D H D` for a diagonal D: the rows of each, times the roots of D.
    pub(super) fn between(&self, diagonal: &[f64]) -> Self {
        let roots: Vec<f64> = diagonal.iter().map(|entry| entry.sqrt()).collect();
        let scaled = |matrix: &Matrix| {
            let mut matrix = matrix.clone();
            matrix.scale_rows(&roots);
            matrix
        };
        match self {
            Curvature::Squared { x, by } => Curvature::Squared { x: scaled(x), by: *by },
            Curvature::Product { x, y } => Curvature::Product { x: scaled(x), y: scaled(y) },
        }
    }

    pub(super) fn diagonal(&self, i: usize) -> f64 {
        match self {
            Curvature::Squared { x, by } => by * norm_squared(x.row(i)).powi(2),
            Curvature::Product { x, y } => norm_squared(x.row(i)) * dot(x.row(i), y.row(i)),
        }
    }

    /// On and above the diagonal; below it nothing is promised. Cost: 2 n² r, or half of it.
    pub(super) fn upper(&self) -> Matrix {
        match self {
            Curvature::Squared { x, by } => upper_squared_gram(x, *by),
            Curvature::Product { x, y } => upper_hadamard(x, y),
        }
    }

    /// Whether reading n² entries takes less time than 4 n r² multiplications in the cache.
    pub(super) fn is_better_written(&self) -> bool {
        let (Curvature::Squared { x, .. } | Curvature::Product { x, .. }) = self;
        x.columns() * x.columns() > 4 * x.rows()
    }

    /// `H v`, whose entries are `xᵀ T y` for `T = Σ v_x x xᵀ`. Cost: 4 n r².
    pub(super) fn apply(&self, v: &[f64]) -> Vec<f64> {
        let (x, y, by) = match self {
            Curvature::Squared { x, by } => (x, x, *by),
            Curvature::Product { x, y } => (x, y, 1.0),
        };
        let mut weighted = x.clone();
        weighted.scale_rows(v);
        let turned = multiply(x, &transposed_multiply(&weighted, x));
        (0..v.len()).map(|i| by * dot(turned.row(i), y.row(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{apply, mirror_upper};

    #[test]
    fn applying_it_is_the_product_with_the_matrix() {
        let x = Matrix::from_fn(30, 4, |i, k| ((7 * i + 3 * k) % 11) as f64 - 5.0);
        let symmetric = Matrix::from_fn(4, 4, |i, k| 1.0 / (1 + i + k) as f64);
        let y = multiply(&x, &symmetric);
        let v: Vec<f64> = (0..30).map(|i| (i as f64).sin()).collect();
        for curvature in
            [Curvature::Squared { x: x.clone(), by: 0.3 }, Curvature::Product { x, y }.scaled(2.0)]
        {
            let mut whole = curvature.upper();
            mirror_upper(&mut whole);
            for (i, (ours, expected)) in curvature.apply(&v).iter().zip(apply(&whole, &v)).enumerate() {
                assert!((ours - expected).abs() < 1e-12 * whole.max_abs(), "{ours} {expected}");
                assert!((curvature.diagonal(i) - whole[(i, i)]).abs() < 1e-12 * whole.max_abs());
            }
            let diagonal: Vec<f64> = (0..30).map(|i| 1.0 / (1.0 + i as f64)).collect();
            let between = curvature.between(&diagonal).upper();
            for (i, j) in (0..30).flat_map(|i| (i..30).map(move |j| (i, j))) {
                let expected = diagonal[i] * whole[(i, j)] * diagonal[j];
                assert!((between[(i, j)] - expected).abs() < 1e-12 * whole.max_abs());
            }
        }
    }
}
