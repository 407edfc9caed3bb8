//! The linear programme on a working set: `min t` subject to `|⟨u_i, y⟩ - g_i| ≤ t`.
//!
//! Its unknowns are y and the level t behind it; its normal matrix is `Uᵀ D U` bordered by one row.

use crate::numerics::lp::{Constraints, LinearProgramme, Point};
use crate::numerics::{Cholesky, Matrix, add_scaled, add_scaled_row, apply, dot, weighted_gram};
use rayon::prelude::*;

/// Rows of U that one task folds into the normal matrix; fixed, so that sums are the same for any number of threads.
const CHUNK_ROWS: usize = 512;
/// Traces of ridge to try, relative to the mean diagonal of the normal matrix, when rounding makes it indefinite.
const RIDGES: [f64; 5] = [0.0, 1e-16, 1e-14, 1e-12, 1e-10];
/// Offsets are at most 1: a gap below this is rounding.
const ZERO: f64 = 1e-15;
/// More iterations than this mean that double precision has no more to give.
const ITERATIONS: usize = 60;

/// The targets of the working set: rows u_i in chunks, and g.
pub(super) struct Working {
    chunks: Vec<Matrix>,
    offsets: Vec<f64>,
}

/// Where the programme ended.
pub(super) struct Solution {
    pub y: Vec<f64>,
    /// `ζ = z⁻ - z⁺` for each row.
    pub weights: Vec<f64>,
    /// The largest residual on the working set.
    pub level: f64,
    pub iterations: usize,
}

impl Working {
    pub(super) fn new(rows: &Matrix, offsets: Vec<f64>) -> Self {
        let d = rows.columns();
        let chunk = |data: &[f64]| Matrix::from_row_major(data.len() / d, d, data.to_vec());
        Self { chunks: rows.as_slice().chunks(CHUNK_ROWS * d).map(chunk).collect(), offsets }
    }

    /// `U x`.
    fn product(&self, x: &[f64]) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = self.chunks.par_iter().map(|rows| apply(rows, x)).collect();
        parts.concat()
    }

    /// `Uᵀ x`.
    fn transposed_product(&self, x: &[f64]) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = self
            .chunks
            .par_iter()
            .zip(x.par_chunks(CHUNK_ROWS))
            .map(|(rows, x)| crate::numerics::apply_transposed(rows, x))
            .collect();
        let mut total = vec![0.0; self.dimension()];
        parts.iter().for_each(|part| add_scaled_row(&mut total, 1.0, part));
        total
    }

    /// `Uᵀ diag(weights) U`.
    fn normal_matrix(&self, weights: &[f64]) -> Matrix {
        let parts: Vec<Matrix> = self
            .chunks
            .par_iter()
            .zip(weights.par_chunks(CHUNK_ROWS))
            .map(|(rows, weights)| weighted_gram(rows, weights))
            .collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("a working set has rows");
        parts.for_each(|part| add_scaled(&mut total, 1.0, &part));
        total
    }

    fn dimension(&self) -> usize {
        self.chunks[0].columns()
    }

    /// `⟨u_i, y⟩ - g_i`.
    fn residuals(&self, y: &[f64]) -> Vec<f64> {
        let mut residuals = self.product(y);
        residuals.iter_mut().zip(&self.offsets).for_each(|(r, g)| *r -= g);
        residuals
    }

    /// Minimises the level from `y`, starting `lift` above its largest residual, until the complementarity gap is at most `tolerance` times the level.
    pub(super) fn solve(&self, y: Vec<f64>, lift: f64, tolerance: f64) -> Solution {
        let d = self.dimension();
        let mut objective = vec![0.0; d + 1];
        objective[d] = -1.0;
        let programme = LinearProgramme { constraints: self, objective: &objective };
        let mut at = self.start(y, lift);
        let enough = |at: &Point| at.complementarity() <= (tolerance * at.y[d]).max(ZERO);
        let iterations = programme.solve(&mut at, ITERATIONS, enough);
        let (plus, minus) = at.multipliers.split_at(self.offsets.len());
        let weights = minus.iter().zip(plus).map(|(minus, plus)| minus - plus).collect();
        let mut y = at.y;
        y.truncate(d);
        let level = largest(&self.residuals(&y));
        Solution { y, weights, level, iterations }
    }

    /// Well inside, with multipliers in inverse proportion to the slacks: a point near the central path.
    fn start(&self, mut y: Vec<f64>, lift: f64) -> Point {
        let level = (1.0 + lift) * largest(&self.residuals(&y)).max(f64::MIN_POSITIVE);
        y.push(level);
        let slacks = self.slacks(&mut y);
        let total: f64 = slacks.iter().map(|slack| 1.0 / slack).sum();
        let multipliers = slacks.iter().map(|slack| 1.0 / (slack * total)).collect();
        Point { y, slacks, multipliers }
    }
}

fn largest(residuals: &[f64]) -> f64 {
    residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()))
}

/// One number for each row from those of its two sides.
fn both(sides: &[f64], make: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let (plus, minus) = sides.split_at(sides.len() / 2);
    plus.iter().zip(minus).map(|(plus, minus)| make(*plus, *minus)).collect()
}

/// `⟨u, y⟩ - g ≤ t` for every row, then `g - ⟨u, y⟩ ≤ t`.
impl Constraints for Working {
    type Normal = Normal;

    fn slacks(&self, y: &mut [f64]) -> Vec<f64> {
        let (y, level) = y.split_at_mut(self.dimension());
        let residuals = self.residuals(y);
        // Rounding may bring a slack to 0 at the very end: then the level gives way by as much.
        level[0] = level[0].max(largest(&residuals) * (1.0 + 4.0 * f64::EPSILON));
        let above = residuals.iter().map(|r| level[0] - r);
        above.chain(residuals.iter().map(|r| level[0] + r)).collect()
    }

    fn apply(&self, direction: &[f64]) -> Vec<f64> {
        let (y, level) = direction.split_at(self.dimension());
        let products = self.product(y);
        let above = products.iter().map(|p| p - level[0]);
        above.chain(products.iter().map(|p| -p - level[0])).collect()
    }

    fn apply_transposed(&self, multipliers: &[f64]) -> Vec<f64> {
        let mut pulled = self.transposed_product(&both(multipliers, |plus, minus| plus - minus));
        pulled.push(-multipliers.iter().sum::<f64>());
        pulled
    }

    fn normal(&self, weights: &[f64]) -> Option<Normal> {
        let factor = factor(&self.normal_matrix(&both(weights, |plus, minus| plus + minus)))?;
        let border = self.transposed_product(&both(weights, |plus, minus| plus - minus));
        let mut solved_border = border.clone();
        factor.solve(&mut solved_border);
        // Σ D (1 - σ⟨u, N⁻¹b⟩)² and so on, but as a difference: both parts are of the order of the result.
        let schur = weights.iter().sum::<f64>() - dot(&border, &solved_border);
        (schur > 0.0).then_some(Normal { factor, solved_border, schur })
    }

    /// `N dy - border dt = right`, `Σ w dt - borderᵀ dy = last`.
    fn solve(&self, normal: &Normal, right: &mut Vec<f64>) {
        let last = right.pop().expect("the level is the last unknown");
        let level = (last + dot(&normal.solved_border, right)) / normal.schur;
        normal.factor.solve(right);
        add_scaled_row(right, level, &normal.solved_border);
        right.push(level);
    }
}

/// The factored normal matrix.
pub(super) struct Normal {
    factor: Cholesky,
    /// The border `Uᵀ (w⁺ - w⁻)` under the inverse of the normal matrix of y.
    solved_border: Vec<f64>,
    /// `Σ w - borderᵀ N⁻¹ border`.
    schur: f64,
}

/// The Cholesky factor, with as little ridge as it takes.
fn factor(normal: &Matrix) -> Option<Cholesky> {
    let d = normal.rows();
    let mean = (0..d).map(|k| normal[(k, k)]).sum::<f64>() / d as f64;
    let with_ridge = |ridge: &f64| {
        let mut matrix = normal.clone();
        (0..d).for_each(|k| matrix[(k, k)] += ridge * mean);
        Cholesky::new(matrix).ok()
    };
    RIDGES.iter().find_map(with_ridge)
}
