//! The interior point on a working set: `min t` subject to `|⟨u_i, y⟩ - g_i| ≤ t`.
//!
//! Mehrotra's predictor and corrector. The slacks `s± = t ∓ (⟨u, y⟩ - g)` are computed, never iterated, so every iterate is
//! feasible; eliminating the duals leaves one system of order d + 1 whose matrix is `Uᵀ D U` bordered by one row.

use crate::numerics::{Cholesky, Matrix, add_scaled, add_scaled_row, apply, dot, weighted_gram};
use rayon::prelude::*;

/// Rows of U that one task folds into the normal matrix; fixed, so that sums are the same for any number of threads.
const CHUNK_ROWS: usize = 512;
/// Traces of ridge to try, relative to the mean diagonal of the normal matrix, when rounding makes it indefinite.
const RIDGES: [f64; 5] = [0.0, 1e-16, 1e-14, 1e-12, 1e-10];
/// How much of the way to the boundary a step goes.
const STEP: f64 = 0.995;
/// Offsets are at most 1: a gap below this is rounding.
const ZERO: f64 = 1e-15;
/// More iterations than this mean that double precision has no more to give.
const ITERATIONS: usize = 60;

/// The targets of the working set: rows u_i in chunks, and g.
pub(super) struct Working {
    chunks: Vec<Matrix>,
    offsets: Vec<f64>,
}

/// Where the interior point ended.
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

    /// Minimises the level from `y`, starting `lift` above its largest residual, until the complementarity gap is at most `tolerance` times the level.
    pub(super) fn solve(&self, y: Vec<f64>, lift: f64, tolerance: f64) -> Solution {
        let mut at = Iterate::start(self, y, lift);
        let mut iterations = 0;
        while at.gap() > (tolerance * at.level).max(ZERO) && iterations < ITERATIONS {
            let Some(newton) = Newton::new(self, &at) else { break };
            let predictor = newton.step(self, &at, &Target::affine(&at));
            let ahead = at.gap_after(&predictor);
            let centring = (ahead / at.gap()).powi(3);
            let step = newton.step(self, &at, &Target::corrected(&at, &predictor, centring));
            if !step.is_finite() || !at.advance(self, &step) {
                break;
            }
            iterations += 1;
        }
        let weights = at.minus.iter().zip(&at.plus).map(|(minus, plus)| minus.dual - plus.dual).collect();
        let level = at.residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        Solution { y: at.y, weights, level, iterations }
    }
}

/// A slack and its dual.
#[derive(Clone, Copy)]
struct Side {
    slack: f64,
    dual: f64,
}

struct Iterate {
    y: Vec<f64>,
    level: f64,
    /// `⟨u_i, y⟩ - g_i`.
    residuals: Vec<f64>,
    /// `⟨u, y⟩ - g ≤ t`.
    plus: Vec<Side>,
    /// `g - ⟨u, y⟩ ≤ t`.
    minus: Vec<Side>,
}

impl Iterate {
    /// Well inside, with duals in inverse proportion to the slacks: a point near the central path.
    fn start(working: &Working, y: Vec<f64>, lift: f64) -> Self {
        let mut residuals = working.product(&y);
        residuals.iter_mut().zip(&working.offsets).for_each(|(r, g)| *r -= g);
        let largest = residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let level = (1.0 + lift) * largest.max(f64::MIN_POSITIVE);
        let total: f64 = residuals.iter().map(|r| 1.0 / (level - r) + 1.0 / (level + r)).sum();
        let side = |slack: f64| Side { slack, dual: 1.0 / (slack * total) };
        let plus = residuals.iter().map(|r| side(level - r)).collect();
        let minus = residuals.iter().map(|r| side(level + r)).collect();
        Self { y, level, residuals, plus, minus }
    }

    fn sides(&self) -> impl Iterator<Item = &Side> {
        self.plus.iter().chain(&self.minus)
    }

    /// The complementarity gap `Σ s z`.
    fn gap(&self) -> f64 {
        self.sides().map(|side| side.slack * side.dual).sum()
    }

    fn gap_after(&self, step: &Step) -> f64 {
        let (primal, dual) = (step.primal_length(self, 1.0), step.dual_length(self, 1.0));
        let moved =
            |(side, (ds, dz)): (&Side, (f64, f64))| (side.slack + primal * ds) * (side.dual + dual * dz);
        self.sides().zip(step.changes()).map(moved).sum()
    }

    /// Moves along the step; false when nothing moved.
    fn advance(&mut self, working: &Working, step: &Step) -> bool {
        let (primal, dual) = (step.primal_length(self, STEP), step.dual_length(self, STEP));
        if !(primal > 1e-10 || dual > 1e-10) {
            return false;
        }
        add_scaled_row(&mut self.y, primal, &step.y);
        self.level += primal * step.level;
        self.residuals = working.product(&self.y);
        self.residuals.iter_mut().zip(&working.offsets).for_each(|(r, g)| *r -= g);
        for (side, dz) in self.plus.iter_mut().zip(&step.plus) {
            side.dual += dual * dz;
        }
        for (side, dz) in self.minus.iter_mut().zip(&step.minus) {
            side.dual += dual * dz;
        }
        // Rounding may bring a recomputed slack to 0 at the very end: then the level gives way by as much.
        let largest = self.residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        self.level = self.level.max(largest * (1.0 + 4.0 * f64::EPSILON));
        for ((r, plus), minus) in self.residuals.iter().zip(&mut self.plus).zip(&mut self.minus) {
            (plus.slack, minus.slack) = (self.level - r, self.level + r);
        }
        true
    }
}

/// What the products `s z` should change by.
struct Target {
    plus: Vec<f64>,
    minus: Vec<f64>,
}

impl Target {
    fn affine(at: &Iterate) -> Self {
        let aim = |sides: &[Side]| sides.iter().map(|side| -side.slack * side.dual).collect();
        Self { plus: aim(&at.plus), minus: aim(&at.minus) }
    }

    fn corrected(at: &Iterate, predictor: &Step, centring: f64) -> Self {
        let mu = centring * at.gap() / (2 * at.plus.len()) as f64;
        let changes: Vec<(f64, f64)> = predictor.changes().collect();
        let (plus, minus) = changes.split_at(at.plus.len());
        let aim = |sides: &[Side], changes: &[(f64, f64)]| {
            sides.iter().zip(changes).map(|(side, (ds, dz))| mu - side.slack * side.dual - ds * dz).collect()
        };
        Self { plus: aim(&at.plus, plus), minus: aim(&at.minus, minus) }
    }
}

/// A Newton direction.
struct Step {
    y: Vec<f64>,
    level: f64,
    /// `⟨u, dy⟩`.
    products: Vec<f64>,
    plus: Vec<f64>,
    minus: Vec<f64>,
}

impl Step {
    /// (ds, dz) of every side.
    fn changes(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let plus = self.products.iter().zip(&self.plus).map(|(p, dz)| (self.level - p, *dz));
        let minus = self.products.iter().zip(&self.minus).map(|(p, dz)| (self.level + p, *dz));
        plus.chain(minus)
    }

    fn primal_length(&self, at: &Iterate, fraction: f64) -> f64 {
        let limit =
            |(side, (ds, _)): (&Side, (f64, f64))| if ds < 0.0 { -side.slack / ds } else { f64::INFINITY };
        (fraction * at.sides().zip(self.changes()).map(limit).fold(f64::INFINITY, f64::min)).min(1.0)
    }

    fn dual_length(&self, at: &Iterate, fraction: f64) -> f64 {
        let limit =
            |(side, (_, dz)): (&Side, (f64, f64))| if dz < 0.0 { -side.dual / dz } else { f64::INFINITY };
        (fraction * at.sides().zip(self.changes()).map(limit).fold(f64::INFINITY, f64::min)).min(1.0)
    }

    fn is_finite(&self) -> bool {
        self.level.is_finite() && self.y.iter().chain(&self.plus).chain(&self.minus).all(|x| x.is_finite())
    }
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

/// The factored optimality conditions at an iterate.
struct Newton {
    factor: Cholesky,
    /// The border `Uᵀ (z⁺/s⁺ - z⁻/s⁻)` under the inverse of the normal matrix.
    solved_border: Vec<f64>,
    /// `Σ z/s - borderᵀ N⁻¹ border`.
    schur: f64,
    /// `Uᵀ(z⁺ - z⁻)` and `Σ z - 1`.
    stationarity: Vec<f64>,
    mass: f64,
}

impl Newton {
    fn new(working: &Working, at: &Iterate) -> Option<Self> {
        let ratio = |side: &Side| side.dual / side.slack;
        let pairs = || at.plus.iter().zip(&at.minus);
        let sums: Vec<f64> = pairs().map(|(plus, minus)| ratio(plus) + ratio(minus)).collect();
        let differences: Vec<f64> = pairs().map(|(plus, minus)| ratio(plus) - ratio(minus)).collect();
        let factor = factor(&working.normal_matrix(&sums))?;
        let border = working.transposed_product(&differences);
        let mut solved_border = border.clone();
        factor.solve(&mut solved_border);
        // Σ D (1 - σ⟨u, N⁻¹b⟩)² and so on, but as a difference: both parts are of the order of the result.
        let schur = sums.iter().sum::<f64>() - dot(&border, &solved_border);
        let net: Vec<f64> = pairs().map(|(plus, minus)| plus.dual - minus.dual).collect();
        let stationarity = working.transposed_product(&net);
        let mass = at.sides().map(|side| side.dual).sum::<f64>() - 1.0;
        (schur > 0.0).then_some(Self { factor, solved_border, schur, stationarity, mass })
    }

    fn step(&self, working: &Working, at: &Iterate, target: &Target) -> Step {
        let quotients = |sides: &[Side], aims: &[f64]| -> Vec<f64> {
            sides.iter().zip(aims).map(|(side, aim)| aim / side.slack).collect()
        };
        let (plus, minus) = (quotients(&at.plus, &target.plus), quotients(&at.minus, &target.minus));
        let difference: Vec<f64> = plus.iter().zip(&minus).map(|(a, b)| a - b).collect();
        let mut right = working.transposed_product(&difference);
        right.iter_mut().zip(&self.stationarity).for_each(|(x, r)| *x = -*x - r);
        let mass = -self.mass - plus.iter().chain(&minus).sum::<f64>();
        // N dy - border dt = right;  borderᵀ dy - Σ sums dt = mass.
        let level = (dot(&self.solved_border, &right) - mass) / self.schur;
        self.factor.solve(&mut right);
        let mut y = right;
        add_scaled_row(&mut y, level, &self.solved_border);
        let products = working.product(&y);
        let dual = |quotients: &[f64], sides: &[Side], sign: f64| -> Vec<f64> {
            let change =
                |((q, side), p): ((&f64, &Side), &f64)| q - side.dual / side.slack * (level + sign * p);
            quotients.iter().zip(sides).zip(&products).map(change).collect()
        };
        let (plus, minus) = (dual(&plus, &at.plus, -1.0), dual(&minus, &at.minus, 1.0));
        Step { y, level, products, plus, minus }
    }
}
