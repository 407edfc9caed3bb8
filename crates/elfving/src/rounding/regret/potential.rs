//! The matrix that regret minimisation plays against: `A = (cI + αZ)⁻²` with `tr A = 1`.

use crate::linalg::{Cholesky, Matrix, add_scaled, add_scaled_row, dot, gram, norm_squared};

/// `|tr A - 1|` accepted. An inexact c is an exact one for another α, off by half as much: nothing is at stake.
const TRACE_TOLERANCE: f64 = 1e-10;
/// Newton steps at most; three are usual.
const MOST_STEPS: usize = 100;

/// `Z`, α, and the shift c of the last call to start the next one from.
pub(super) struct Potential {
    z: Matrix,
    alpha: f64,
    shift: f64,
}

impl Potential {
    /// `Z = 0`.
    pub(super) fn new(dimension: usize, alpha: f64) -> Self {
        Self { z: Matrix::zeros(dimension, dimension), alpha, shift: (dimension as f64).sqrt() }
    }

    pub(super) fn alpha(&self) -> f64 {
        self.alpha
    }

    pub(super) fn z(&self) -> &Matrix {
        &self.z
    }

    /// `Z ← Z + weight · x xᵀ`.
    pub(super) fn add(&mut self, weight: f64, x: &[f64]) {
        for (k, &value) in x.iter().enumerate() {
            add_scaled_row(self.z.row_mut(k), weight * value, x);
        }
    }

    /// `Z ← Z + weight · P`.
    pub(super) fn add_matrix(&mut self, weight: f64, p: &Matrix) {
        add_scaled(&mut self.z, weight, p);
    }

    /// `A^½ = (cI + αZ)⁻¹` for the c that makes `tr A = 1`. Cost: a few p³.
    ///
    /// `c ↦ (tr (cI + αZ)⁻²)^(-1/2)` is concave and nearly straight, so Newton's method on it lands below the
    /// root once and then climbs to it. Below `-α λ_min(Z)` the matrix is not positive definite: then halfway back
    /// to √p, which is above the root for every Z ⪰ 0.
    pub(super) fn half_power(&mut self) -> Matrix {
        let p = self.z.rows() as f64;
        let mut last = None;
        for _ in 0..MOST_STEPS {
            let Some(half) = self.inverse_at(self.shift) else {
                self.shift = 0.5 * (self.shift + p.sqrt());
                continue;
            };
            let trace = norm_squared(half.as_slice());
            if (trace - 1.0).abs() <= TRACE_TOLERANCE {
                return half;
            }
            let cube = dot(half.as_slice(), gram(&half).as_slice());
            self.shift -= (trace.powf(-0.5) - 1.0) / (trace.powf(-1.5) * cube);
            last = Some(half);
        }
        last.expect("the matrix is positive definite at a shift of √p")
    }

    fn inverse_at(&self, shift: f64) -> Option<Matrix> {
        let mut matrix = self.z.clone();
        matrix.as_mut_slice().iter_mut().for_each(|value| *value *= self.alpha);
        for k in 0..matrix.rows() {
            matrix[(k, k)] += shift;
        }
        Some(gram(&Cholesky::new(matrix).ok()?.inverse_lower()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SymmetricEigen;

    #[test]
    fn the_trace_is_one_whatever_is_added_or_taken() {
        let mut potential = Potential::new(4, 30.0);
        let rows: Vec<Vec<f64>> =
            (0..12).map(|i| (0..4).map(|j| ((i * 5 + j * 3) % 7) as f64 / 9.0 - 0.3).collect()).collect();
        let check = |potential: &mut Potential| {
            let half = potential.half_power();
            let trace = norm_squared(half.as_slice());
            assert!((trace - 1.0).abs() < 1e-9, "{trace}");
            // The same shift from the eigenvalues.
            let values = SymmetricEigen::new(potential.z()).unwrap().values;
            let sum: f64 = values.iter().map(|e| (potential.shift + 30.0 * e).powi(-2)).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        };
        check(&mut potential);
        for x in &rows {
            potential.add(1.0, x);
            check(&mut potential);
        }
        for x in &rows {
            potential.add(-1.0, x);
            check(&mut potential);
        }
    }
}
