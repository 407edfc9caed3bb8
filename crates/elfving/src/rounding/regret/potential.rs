//! The matrix that regret minimisation plays against: `A = (cI + αZ)⁻²` with `tr A = 1`.

use crate::numerics::Matrix;

/// `|tr A - 1|` accepted. An inexact c is an exact one for another α, off by half as much: nothing is at stake.
const TRACE_TOLERANCE: f64 = 1e-8;
/// Steps towards c at most; two or three are usual.
pub(super) const MOST_STEPS: usize = 100;

/// A growing Z, and how every point looks to A.
pub(super) trait Potential {
    /// Z itself, p × p.
    fn z(&self) -> &Matrix;

    /// `Z ← Z + weight · x xᵀ`.
    fn add(&mut self, weight: f64, x: &[f64]);

    /// `Z ← Z + weight · P`.
    fn add_matrix(&mut self, weight: f64, p: &Matrix);

    /// `x̃ᵀ A^½ x̃` and `x̃ᵀ A x̃` of every point, and the potential itself, `Φ(Z) = -(tr A^½ + c) / α`.
    fn look(&mut self, halves: &mut [f64], fulls: &mut [f64]) -> f64;
}

/// `A^½ = B` at one shift c, in whatever form, with `tr B²` and `tr B³`.
pub(super) struct HalfPower<B> {
    pub half: B,
    pub square: f64,
    pub cube: f64,
}

/// Moves `shift` to the c at which `tr B² = 1`, and gives B there.
///
/// `c ↦ (tr (cI + αZ)⁻²)^(-1/2)` is concave and nearly straight, so Newton's method on it lands below the root once
/// and then climbs to it. Where `at` has no answer, c is too small: then halfway back to the last c above the root, at
/// first √p, which is one for every Z ⪰ 0. `None` when that was needed more than `retreats` times.
pub(super) fn balance<B>(
    shift: &mut f64,
    p: usize,
    mut retreats: usize,
    at: impl Fn(f64) -> Option<HalfPower<B>>,
) -> Option<B> {
    let (mut below, mut above) = (f64::NEG_INFINITY, (p as f64).sqrt());
    let mut last = None;
    for _ in 0..MOST_STEPS {
        let Some(HalfPower { half, square, cube }) = at(*shift) else {
            retreats = retreats.checked_sub(1)?;
            below = *shift;
            *shift = 0.5 * (below + above);
            continue;
        };
        if (square - 1.0).abs() <= TRACE_TOLERANCE {
            return Some(half);
        }
        if square < 1.0 {
            above = *shift;
        }
        let newton = *shift - square * (1.0 - square.sqrt()) / cube;
        *shift = if newton > below { newton } else { 0.5 * (below + above) };
        last = Some(half);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::{dense::Dense, rotated::Rotated};
    use super::*;
    use crate::numerics::{SymmetricEigen, apply, dot, norm_squared};

    fn rows() -> Matrix {
        Matrix::from_fn(40, 5, |i, j| (((i * i + 3) * (j + 2)) % 17) as f64 / 40.0 - 0.2)
    }

    /// By eigenvalues and bisection, point by point.
    fn plain(z: &Matrix, alpha: f64, rows: &Matrix) -> (Vec<f64>, Vec<f64>) {
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(z).unwrap();
        let trace = |c: f64| values.iter().map(|e| (c + alpha * e).powi(-2)).sum::<f64>();
        let (mut low, mut high) = (1.0 - alpha * values[0] - 1e-9, (values.len() as f64).sqrt() + 1e-9);
        for _ in 0..200 {
            let c = 0.5 * (low + high);
            if trace(c) > 1.0 { low = c } else { high = c }
        }
        let form = |i: usize, power: i32| {
            let seen = apply(&vectors, rows.row(i));
            seen.iter().zip(&values).map(|(x, e)| x * x * (low + alpha * e).powi(-power)).sum::<f64>()
        };
        ((0..rows.rows()).map(|i| form(i, 1)).collect(), (0..rows.rows()).map(|i| form(i, 2)).collect())
    }

    fn check(potential: &mut dyn Potential, alpha: f64, rows: &Matrix) {
        let (mut halves, mut fulls) = (vec![0.0; rows.rows()], vec![0.0; rows.rows()]);
        potential.look(&mut halves, &mut fulls);
        let (exact_halves, exact_fulls) = plain(potential.z(), alpha, rows);
        for i in 0..rows.rows() {
            assert!((halves[i] - exact_halves[i]).abs() < 1e-7 * exact_halves[i], "point {i}");
            assert!((fulls[i] - exact_fulls[i]).abs() < 1e-7 * exact_fulls[i], "point {i}");
        }
    }

    #[test]
    fn every_potential_sees_what_eigenvalues_and_bisection_see() {
        let rows = rows();
        let columns = rows.transposed();
        for alpha in [0.5, 10.0, 400.0, 1e5] {
            let potentials: [Box<dyn Potential>; 2] =
                [Box::new(Dense::new(&columns, alpha)), Box::new(Rotated::new(&columns, alpha))];
            for mut potential in potentials {
                check(&mut *potential, alpha, &rows);
                potential.add_matrix(0.01, &Matrix::identity(5));
                for i in 0..rows.rows() {
                    potential.add(1.0, rows.row(i));
                    check(&mut *potential, alpha, &rows);
                }
                let sum = (0..rows.rows()).map(|i| norm_squared(rows.row(i))).sum::<f64>() + 0.05;
                let trace = (0..5).map(|k| potential.z()[(k, k)]).sum::<f64>();
                assert!((trace - sum).abs() < 1e-12 * sum);
            }
        }
    }

    #[test]
    fn a_dense_potential_also_shrinks() {
        let rows = rows();
        let columns = rows.transposed();
        let mut potential = Dense::new(&columns, 50.0);
        (0..40).for_each(|i| potential.add(1.0, rows.row(i)));
        for i in 0..40 {
            potential.add(-1.0, rows.row(i));
            check(&mut potential, 50.0, &rows);
        }
        assert!(dot(potential.z().as_slice(), potential.z().as_slice()) < 1e-20);
    }
}
