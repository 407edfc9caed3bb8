//! The potential for any change of Z: one factorisation a look.

use super::potential::{HalfPower, MOST_STEPS, Potential, balance};
use crate::numerics::{
    Cholesky, Matrix, add_scaled, add_scaled_row, dot, gram, norm_squared, quadratic_forms,
};

/// `A^½ = (cI + αZ)⁻¹` as a matrix. Cost of a look: 2 s p² and a few p³.
pub(super) struct Dense<'s> {
    columns: &'s Matrix,
    z: Matrix,
    alpha: f64,
    shift: f64,
}

impl<'s> Dense<'s> {
    /// `Z = 0`; a point is a column.
    pub(super) fn new(columns: &'s Matrix, alpha: f64) -> Self {
        let p = columns.rows();
        Self { columns, z: Matrix::zeros(p, p), alpha, shift: (p as f64).sqrt() }
    }

    fn half_power(&self, shift: f64) -> Option<HalfPower<Matrix>> {
        let mut matrix = self.z.clone();
        matrix.as_mut_slice().iter_mut().for_each(|value| *value *= self.alpha);
        for k in 0..matrix.rows() {
            matrix[(k, k)] += shift;
        }
        let half = gram(&Cholesky::new(matrix).ok()?.inverse_upper().transposed());
        let square = norm_squared(half.as_slice());
        let cube = dot(half.as_slice(), gram(&half).as_slice());
        Some(HalfPower { half, square, cube })
    }
}

impl Potential for Dense<'_> {
    fn z(&self) -> &Matrix {
        &self.z
    }

    fn add(&mut self, weight: f64, x: &[f64]) {
        for (k, &value) in x.iter().enumerate() {
            add_scaled_row(self.z.row_mut(k), weight * value, x);
        }
    }

    fn add_matrix(&mut self, weight: f64, p: &Matrix) {
        add_scaled(&mut self.z, weight, p);
    }

    fn look(&mut self, halves: &mut [f64], fulls: &mut [f64]) -> f64 {
        let mut shift = self.shift;
        let half = balance(&mut shift, self.z.rows(), MOST_STEPS, |shift| self.half_power(shift))
            .expect("the matrix is positive definite at a shift of √p");
        self.shift = shift;
        quadratic_forms(self.columns, &half, halves, fulls);
        let trace: f64 = (0..half.rows()).map(|k| half[(k, k)]).sum();
        -(trace + shift) / self.alpha
    }
}
