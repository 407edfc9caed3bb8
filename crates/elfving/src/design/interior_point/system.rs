//! The linear system of a Newton step, by two Schur complements.
//!
//! A target that is not active yet is eliminated first: it adds `(w/s) p pᵀ` to the block of the points,
//! with p its column of `P ∘ P`. For an active one that would drown the rest, so it stays an unknown. Then the points are
//! eliminated through a Cholesky factor of `K = H + Z/Λ + Σ (w/s) p pᵀ`; what remains is a symmetric
//! system in ν, t and the weights of the active targets. Both are scaled symmetrically, and every
//! solution is refined against the whole system.

use super::newton::{Breakdown, Direction, State};
use crate::numerics::{
    Cholesky, Matrix, SymmetricIndefinite, add_upper_outer_gram, apply_transposed, dot, norm_squared,
    symmetric_apply, upper_outer_gram,
};

/// The Newton matrix of a state, factored.
pub(super) struct System<'a> {
    state: &'a State,
    /// The scaled H, where it is applied faster from its entries than from its factors.
    curvature: Option<Matrix>,
    /// Targets that stay unknowns.
    kept: Vec<usize>,
    /// `w/s` of the others, zero for those kept.
    eliminated: Vec<f64>,
    /// Unit diagonal: the points are scaled by this.
    scaling: Vec<f64>,
    /// Of the scaled K.
    points: Cholesky,
    /// `C`, between points and (ν, t, kept w), scaled and whitened by the factor, one row for each unknown.
    coupling: Matrix,
    /// Scaling of the second block.
    border_scaling: Vec<f64>,
    /// Of the scaled `D - C K⁻¹ Cᵀ`.
    border: SymmetricIndefinite,
    /// Refinement stops once the residual is this small relative to the right-hand side.
    accuracy: f64,
}

/// A right-hand side or a solution: points, then (ν, t, w); without targets only ν.
struct Parts {
    points: Vec<f64>,
    border: Vec<f64>,
}

const REFINEMENTS: usize = 4;
/// A target is active, and stays an unknown, when eliminating it would raise a diagonal entry this much.
const DROWNING: f64 = 1e4;
/// Rows and columns of a tile of a transpose.
const TILE: usize = 16;

impl<'a> System<'a> {
    pub(super) fn factor(state: &'a State, accuracy: f64) -> Result<Self, Breakdown> {
        let (n, m) = (state.lambda.len(), state.w.len());
        let p_squared = &state.local.p_squared;
        let own: Vec<f64> =
            (0..n).map(|i| state.local.curvature.diagonal(i) + state.z[i] / state.lambda[i]).collect();
        let (kept, eliminated) = active_targets(state, &own);

        let (columns, scaling) = idle_columns(p_squared, &eliminated, &own);
        let factors = state.local.curvature.between(&scaling);
        let curvature = factors.is_better_written().then(|| factors.upper());
        let points = definite(|shift| {
            let mut matrix = curvature.clone().unwrap_or_else(|| factors.upper());
            add_upper_outer_gram(&mut matrix, &columns);
            (0..n).for_each(|i| matrix[(i, i)] = 1.0 + shift);
            matrix
        })?;

        let mut coupling = coupling(p_squared, &kept, &eliminated, &scaling);
        points.whiten_rows(&mut coupling);
        let mut border = upper_outer_gram(&coupling);
        border.as_mut_slice().iter_mut().for_each(|entry| *entry = -*entry);
        if m > 0 {
            border[(1, 1)] += eliminated.iter().sum::<f64>();
        }
        for (k, &v) in kept.iter().enumerate() {
            border[(1, k + 2)] -= 1.0;
            border[(k + 2, k + 2)] -= state.s[v] / state.w[v];
        }
        let border_scaling = border_scaling(&border);
        for i in 0..border.rows() {
            let by = border_scaling[i];
            border.row_mut(i).iter_mut().zip(&border_scaling).for_each(|(entry, other)| *entry *= by * other);
        }
        let border = SymmetricIndefinite::new(&border);
        Ok(System {
            state,
            curvature,
            kept,
            eliminated,
            scaling,
            points,
            coupling,
            border_scaling,
            border,
            accuracy,
        })
    }

    /// The direction of no complementarity at all. It only tells how far one can go, so it is not refined.
    pub(super) fn affine(&self) -> Result<Direction, Breakdown> {
        self.towards(0.0, None, Self::solve_once)
    }

    /// The direction that aims at complementarity `target`; with `affine`, Mehrotra's second-order
    /// correction is added.
    pub(super) fn direction(&self, target: f64, affine: Option<&Direction>) -> Result<Direction, Breakdown> {
        self.towards(target, affine, Self::solve)
    }

    fn towards(
        &self,
        target: f64,
        affine: Option<&Direction>,
        solve: impl Fn(&Self, &Parts) -> Parts,
    ) -> Result<Direction, Breakdown> {
        let state = self.state;
        let (n, m) = (state.lambda.len(), state.w.len());
        let local = &state.local;
        let cross = |i: usize| affine.map_or(0.0, |a| a.lambda[i] * a.z[i]);
        let cross_target = |k: usize| affine.map_or(0.0, |a| a.w[k] * a.s[k]);
        // Complementarity, divided by the weight: z + dz + (z/λ) dλ = (target - cross)/λ.
        let aim_z: Vec<f64> = (0..n).map(|i| (target - cross(i)) / state.lambda[i]).collect();
        let aim_s: Vec<f64> = (0..m).map(|k| (target - cross_target(k)) / state.w[k]).collect();

        // K dλ + dν - P² dw = g - ν + aim_z
        let points = (0..n).map(|i| local.g[i] - state.nu + aim_z[i]).collect();
        let mut border = vec![1.0 - state.lambda.iter().sum::<f64>()];
        if m > 0 {
            border.push(state.w.iter().sum::<f64>() - 1.0);
            // -P²ᵀ dλ - dt - (s/w) dw = (t - q) - aim_s
            border.extend((0..m).map(|k| (state.t - local.q[k]) - aim_s[k]));
        }
        let solution = solve(self, &Parts { points, border });
        if !solution.is_finite() {
            return Err(Breakdown);
        }
        let Parts { points: lambda, border } = solution;
        let (nu, t, w) =
            if m > 0 { (border[0], border[1], border[2..].to_vec()) } else { (border[0], 0.0, vec![]) };
        let z = (0..n).map(|i| aim_z[i] - state.z[i] - state.z[i] / state.lambda[i] * lambda[i]).collect();
        let s = (0..m).map(|k| aim_s[k] - state.s[k] - state.s[k] / state.w[k] * w[k]).collect();
        Ok(Direction { lambda, z, nu, t, w, s })
    }

    /// A solve with iterative refinement.
    fn solve(&self, rhs: &Parts) -> Parts {
        let mut solution = self.solve_once(rhs);
        let mut best = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            let residual = self.residual(rhs, &solution);
            let size = residual.largest() / rhs.largest().max(f64::MIN_POSITIVE);
            // `!(<)` also stops at NaN.
            if !(size < 0.5 * best) || size <= self.accuracy {
                break;
            }
            best = size;
            let correction = self.solve_once(&residual);
            solution.points.iter_mut().zip(&correction.points).for_each(|(x, c)| *x += c);
            solution.border.iter_mut().zip(&correction.border).for_each(|(x, c)| *x += c);
        }
        solution
    }

    fn solve_once(&self, rhs: &Parts) -> Parts {
        let n = rhs.points.len();
        let p_squared = &self.state.local.p_squared;
        // What the eliminated targets leave on the right-hand side: -Σ (w/s) e p on the points, -Σ (w/s) e on t.
        let left: Vec<f64> = self
            .eliminated
            .iter()
            .zip(&rhs.border[rhs.border.len().min(2)..])
            .map(|(by, e)| by * e)
            .collect();
        let scaled =
            (0..n).map(|i| (rhs.points[i] - dot(p_squared.row(i), &left)) * self.scaling[i]).collect();
        let mut whitened = Matrix::from_row_major(1, n, scaled);
        self.points.whiten_rows(&mut whitened);

        let mut unknowns = vec![rhs.border[0]];
        if let Some(level) = rhs.border.get(1) {
            unknowns.push(level - left.iter().sum::<f64>());
            unknowns.extend(self.kept.iter().map(|v| rhs.border[v + 2]));
        }
        for (k, (unknown, by)) in unknowns.iter_mut().zip(&self.border_scaling).enumerate() {
            *unknown = (*unknown - dot(self.coupling.row(k), whitened.row(0))) * by;
        }
        self.border.solve(&mut unknowns);
        unknowns.iter_mut().zip(&self.border_scaling).for_each(|(y, by)| *y *= by);

        let back = apply_transposed(&self.coupling, &unknowns);
        whitened.row_mut(0).iter_mut().zip(&back).for_each(|(x, part)| *x -= part);
        self.points.unwhiten_rows(&mut whitened);
        let points: Vec<f64> = whitened.row(0).iter().zip(&self.scaling).map(|(x, by)| x * by).collect();

        let mut border = unknowns[..unknowns.len().min(2)].to_vec();
        if let Some(&level) = unknowns.get(1) {
            // -pᵀdλ - dt - (s/w) dw = e
            let pulled = apply_transposed(p_squared, &points);
            let weights =
                (0..pulled.len()).map(|v| -self.eliminated[v] * (rhs.border[v + 2] + pulled[v] + level));
            border.extend(weights);
            for (k, &v) in self.kept.iter().enumerate() {
                border[v + 2] = unknowns[k + 2];
            }
        }
        Parts { points, border }
    }

    /// `D⁻¹ H D⁻¹ x` for the scaled matrix H and the scaling D.
    fn apply_scaled(&self, scaled: &Matrix, x: &[f64]) -> Vec<f64> {
        let over = |x: &[f64]| -> Vec<f64> { x.iter().zip(&self.scaling).map(|(x, by)| x / by).collect() };
        over(&symmetric_apply(scaled, &over(x)))
    }

    /// `rhs - [K Cᵀ; C D] x`, from the unscaled parts.
    fn residual(&self, rhs: &Parts, x: &Parts) -> Parts {
        let state = self.state;
        let (n, m) = (state.lambda.len(), state.w.len());
        let local = &state.local;
        let nu = x.border[0];
        let w: &[f64] = if m > 0 { &x.border[2..] } else { &[] };
        let bent = match &self.curvature {
            Some(written) => self.apply_scaled(written, &x.points),
            None => local.curvature.apply(&x.points),
        };
        let points = (0..n)
            .map(|i| {
                let k = bent[i] + state.z[i] / state.lambda[i] * x.points[i];
                rhs.points[i] - k - nu + dot(local.p_squared.row(i), w)
            })
            .collect();
        let mut border = vec![rhs.border[0] - x.points.iter().sum::<f64>()];
        if m > 0 {
            border.push(rhs.border[1] + w.iter().sum::<f64>());
            let pulled = apply_transposed(&local.p_squared, &x.points);
            let t = x.border[1];
            border.extend((0..m).map(|k| rhs.border[k + 2] + pulled[k] + t + state.s[k] / state.w[k] * w[k]));
        }
        Parts { points, border }
    }
}

impl Parts {
    fn largest(&self) -> f64 {
        self.points.iter().chain(&self.border).fold(0.0, |largest: f64, value| largest.max(value.abs()))
    }

    fn is_finite(&self) -> bool {
        self.points.iter().chain(&self.border).all(|value| value.is_finite())
    }
}

/// The targets that stay unknowns, and `w/s` of the others: `own` is the diagonal of the points.
fn active_targets(state: &State, own: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let mut raises = vec![0.0f64; state.w.len()];
    for (i, own) in own.iter().enumerate() {
        let by = 1.0 / own;
        let row = raises.iter_mut().zip(state.local.p_squared.row(i));
        row.for_each(|(raise, squared)| *raise = raise.max(squared * squared * by));
    }
    let ratio = |v: usize| state.w[v] / state.s[v];
    let active = |v: usize| !(ratio(v) * raises[v] < DROWNING);
    let kept = (0..raises.len()).filter(|&v| active(v)).collect();
    (kept, (0..raises.len()).map(|v| if active(v) { 0.0 } else { ratio(v) }).collect())
}

/// The columns of the idle targets, each times the root of its weight; and the scaling of the points that gives K, which
/// they complete, a unit diagonal, already in them.
fn idle_columns(p_squared: &Matrix, weights: &[f64], own: &[f64]) -> (Matrix, Vec<f64>) {
    let idle: Vec<(usize, f64)> =
        weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(|(k, w)| (k, w.sqrt())).collect();
    let mut columns = Matrix::zeros(own.len(), idle.len());
    let mut scaling = Vec::with_capacity(own.len());
    for (i, own) in own.iter().enumerate() {
        let (squared, row) = (p_squared.row(i), columns.row_mut(i));
        row.iter_mut().zip(&idle).for_each(|(entry, &(v, root))| *entry = squared[v] * root);
        let by = 1.0 / (own + norm_squared(row)).sqrt();
        row.iter_mut().for_each(|entry| *entry *= by);
        scaling.push(by);
    }
    (columns, scaling)
}

/// Between the scaled points and (ν, t, kept w), one row for each of these; without targets only ν.
fn coupling(p_squared: &Matrix, kept: &[usize], eliminated: &[f64], scaling: &[f64]) -> Matrix {
    let n = scaling.len();
    if p_squared.columns() == 0 {
        return Matrix::from_row_major(1, n, scaling.to_vec());
    }
    let mut coupling = Matrix::zeros(kept.len() + 2, n);
    coupling.row_mut(0).copy_from_slice(scaling);
    for (i, by) in scaling.iter().enumerate() {
        coupling[(1, i)] = dot(p_squared.row(i), eliminated) * by;
    }
    // A transpose: in tiles, so that what is read and what is written stay in the cache.
    for (tile, targets) in kept.chunks(TILE).enumerate() {
        for start in (0..n).step_by(TILE) {
            let points = start..n.min(start + TILE);
            for (k, &v) in targets.iter().enumerate() {
                let row = &mut coupling.row_mut(TILE * tile + k + 2)[points.clone()];
                let entries = row.iter_mut().zip(points.clone()).zip(&scaling[points.clone()]);
                entries.for_each(|((entry, i), by)| *entry = -p_squared[(i, v)] * by);
            }
        }
    }
    coupling
}

/// Unit diagonal where there is one; the row of t, which may have none, against its largest entry.
fn border_scaling(border: &Matrix) -> Vec<f64> {
    let diagonal = |k: usize| border[(k, k)].abs().sqrt();
    (0..border.rows())
        .map(|k| {
            let size = if k == 1 {
                (2..border.rows()).map(|v| 1.0 / diagonal(v)).fold(diagonal(1), f64::max)
            } else {
                diagonal(k)
            };
            if size > 0.0 && size.is_finite() { 1.0 / size } else { 1.0 }
        })
        .collect()
}

/// Cholesky of a unit-diagonal matrix; a last-digit shift when rounding left it singular.
fn definite(shifted: impl Fn(f64) -> Matrix) -> Result<Cholesky, Breakdown> {
    let mut shift = 0.0;
    while shift < 1e-6 {
        if let Ok(factor) = Cholesky::new(shifted(shift)) {
            return Ok(factor);
        }
        shift = if shift == 0.0 { 1e-14 } else { 10.0 * shift };
    }
    Err(Breakdown)
}
