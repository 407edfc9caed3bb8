//! Ties: among the best fits, the one nearest to where the solver was told to look (y = 0).

use super::exchange::Found;
use super::problem::Shifted;
use crate::numerics::{
    Cholesky, Matrix, add_scaled_row, apply, apply_transposed, dot, gram, multiply_transposed, norm_squared,
};

/// A row counts as dependent on others when orthogonalising leaves less than this fraction of it.
const DEPENDENT: f64 = 1e-8;
/// The same for a factor of their products, which squares: its pivots carry rounding of about 1e-8.
const DEPENDENT_PIVOT: f64 = 1e-6;
/// Rows that may come to block the way before the tie is left as it is.
const BLOCKING_ROWS: usize = 200;

/// Independent targets can all be met exactly: the smallest y that does, or nothing when they are dependent.
pub(super) fn interpolate(shifted: &Shifted<'_>) -> Option<Found> {
    let positions = shifted.usable();
    if positions.is_empty() || positions.len() > shifted.problem.dimension() {
        return None;
    }
    let rows = shifted.problem.scaled_rows(&positions);
    let products = multiply_transposed(&rows, &rows);
    let lengths: Vec<f64> = (0..products.rows()).map(|i| products[(i, i)]).collect();
    let factor = Cholesky::new(products).ok()?;
    let independent = |i: usize| factor.upper()[(i, i)] > DEPENDENT_PIVOT * lengths[i].sqrt();
    if !(0..lengths.len()).all(independent) {
        return None;
    }
    let mut y = vec![0.0; rows.columns()];
    for _ in 0..3 {
        let residuals = shifted.residuals(&y);
        let mut multipliers: Vec<f64> = positions.iter().map(|&i| residuals[i]).collect();
        factor.solve(&mut multipliers);
        add_scaled_row(&mut y, 1.0, &apply_transposed(&rows, &multipliers));
    }
    Some(Found { y, weights: Vec::new(), iterations: 0, passes: 3 })
}

/// Where the interior point ended: the working set, its rows, and the weights ζ.
pub(super) struct Vertex<'a> {
    pub working: &'a [usize],
    pub rows: &'a Matrix,
    pub weights: &'a [f64],
}

/// The point nearest to 0 among those with residuals of at most `level`, found from one of them, `y`.
///
/// Targets with a positive weight are at the level in *every* best fit, so their products with y are fixed: what is left is the
/// projection of 0 on a polytope, by the primal active-set method. It stops early, at a best fit that is not the nearest,
/// when too many rows come to block the way.
pub(super) fn nearest(shifted: &Shifted<'_>, vertex: &Vertex<'_>, mut y: Vec<f64>, level: f64) -> Vec<f64> {
    let fixed = vertex.fixed_rows(shifted, &y, level);
    if spans_everything(&fixed) {
        return y;
    }
    let mut face = Face::new(&fixed);
    let mut residuals = shifted.residuals(&y);
    for _ in 0..BLOCKING_ROWS {
        let mut step = face.project(&y);
        step.iter_mut().zip(&y).for_each(|(new, old)| *new -= old);
        let small = norm_squared(&step) <= 1e-24 * norm_squared(&y);
        if !small {
            let (length, blocking) = face.longest_step(shifted, &residuals, &step, level);
            add_scaled_row(&mut y, length, &step);
            residuals = shifted.residuals(&y);
            if let Some(row) = blocking {
                face.block(shifted, row);
                continue;
            }
        }
        if !face.release(&y) {
            break;
        }
    }
    y
}

impl Vertex<'_> {
    /// The rows at the level by strict complementarity: weight above slack, each relative to its largest.
    fn fixed_rows(&self, shifted: &Shifted<'_>, y: &[f64], level: f64) -> Matrix {
        let heaviest = self.weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        let products = apply(self.rows, y);
        let fixed: Vec<usize> = (0..self.working.len())
            .filter(|&k| {
                let slack = level - (products[k] - shifted.offsets[self.working[k]]).abs();
                self.weights[k].abs() * level > slack * heaviest
            })
            .collect();
        self.rows.select_rows(&fixed)
    }
}

/// Whether the rows leave no direction free.
pub(super) fn spans_everything(rows: &Matrix) -> bool {
    if rows.rows() < rows.columns() {
        return false;
    }
    let products = gram(rows);
    let largest = products.max_abs();
    Cholesky::new(products).is_ok_and(|factor| {
        (0..factor.order()).all(|k| factor.upper()[(k, k)] > DEPENDENT_PIVOT * largest.sqrt())
    })
}

/// The rows held fixed and the rows that block, as an orthonormal basis of both.
struct Face {
    blocking: Vec<Blocking>,
    /// Of the fixed rows first.
    basis: Vec<Vec<f64>>,
    /// How many axes the fixed rows span.
    fixed: usize,
}

/// A row at its limit: its products with y may fall (`upper`) or rise, not the other way.
struct Blocking {
    target: usize,
    row: Vec<f64>,
    upper: bool,
}

impl Face {
    fn new(fixed: &Matrix) -> Self {
        let mut basis = Vec::new();
        (0..fixed.rows()).for_each(|i| extend(&mut basis, fixed.row(i)));
        Self { blocking: Vec::new(), fixed: basis.len(), basis }
    }

    /// The part of y in the span of the rows: the smallest vector with the same products.
    fn project(&self, y: &[f64]) -> Vec<f64> {
        let mut inside = vec![0.0; y.len()];
        self.basis.iter().for_each(|axis| add_scaled_row(&mut inside, dot(axis, y), axis));
        inside
    }

    /// How far along the step all residuals stay within the level, and which target then blocks.
    fn longest_step(
        &self,
        shifted: &Shifted<'_>,
        residuals: &[f64],
        step: &[f64],
        level: f64,
    ) -> (f64, Option<(usize, bool)>) {
        // g - ⟨u, y + α step⟩ = residual - α change.
        let after: Vec<f64> = shifted.residuals(step);
        let (mut length, mut blocking) = (1.0, None);
        for (i, (&residual, &offset)) in residuals.iter().zip(&shifted.offsets).enumerate() {
            let change = offset - after[i];
            let room = if change > 0.0 { level + residual } else { level - residual };
            let held = self.blocking.iter().any(|row| row.target == i);
            // Rows of the span move by rounding only.
            if !held && change.abs() > 1e-12 && length * change.abs() > room.max(0.0) {
                (length, blocking) = (room.max(0.0) / change.abs(), Some((i, change > 0.0)));
            }
        }
        (length, blocking)
    }

    fn block(&mut self, shifted: &Shifted<'_>, (target, upper): (usize, bool)) {
        let row = shifted.problem.scaled_rows(&[target]).row(0).to_vec();
        extend(&mut self.basis, &row);
        self.blocking.push(Blocking { target, row, upper });
    }

    /// Lets go of a row that pushes y away from 0, as its multiplier tells; false when there is none.
    fn release(&mut self, y: &[f64]) -> bool {
        if self.blocking.is_empty() {
            return false;
        }
        // y = Σ multiplier · row over fixed and blocking rows; what the fixed ones span is taken out first.
        let spanned = &self.basis[..self.fixed];
        let outside = |row: &[f64]| {
            let mut rest = row.to_vec();
            spanned.iter().for_each(|axis| {
                let along = dot(axis, &rest);
                add_scaled_row(&mut rest, -along, axis);
            });
            rest
        };
        let rows: Vec<Vec<f64>> = self.blocking.iter().map(|blocking| outside(&blocking.row)).collect();
        let rows = Matrix::from_rows(&rows);
        let Ok(factor) = Cholesky::new(multiply_transposed(&rows, &rows)) else { return false };
        let mut multipliers = apply(&rows, &outside(y));
        factor.solve(&mut multipliers);
        let pushes =
            |(blocking, multiplier): (&Blocking, f64)| if blocking.upper { multiplier } else { -multiplier };
        let pushed: Vec<f64> = self.blocking.iter().zip(multipliers).map(pushes).collect();
        let worst = (0..pushed.len()).max_by(|&a, &b| pushed[a].total_cmp(&pushed[b]));
        match worst {
            Some(k) if pushed[k] > 1e-10 * norm_squared(y).sqrt() => {
                self.blocking.remove(k);
                self.basis.truncate(self.fixed);
                self.blocking.iter().for_each(|blocking| extend(&mut self.basis, &blocking.row));
                true
            }
            _ => false,
        }
    }
}

/// Adds the part of the row that the basis does not span, by Gram and Schmidt, twice.
fn extend(basis: &mut Vec<Vec<f64>>, row: &[f64]) {
    let length = norm_squared(row).sqrt();
    let mut rest = row.to_vec();
    for _ in 0..2 {
        for axis in basis.iter() {
            let along = dot(axis, &rest);
            add_scaled_row(&mut rest, -along, axis);
        }
    }
    let left = norm_squared(&rest).sqrt();
    if left > DEPENDENT * length {
        rest.iter_mut().for_each(|x| *x /= left);
        basis.push(rest);
    }
}
