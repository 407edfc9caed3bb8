//! A matrix game as a linear programme: `max_λ min_k ⟨g_k, λ⟩` over the simplex.

use elfving::numerics::lp::{Constraints, LinearProgramme, Point};
use elfving::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, weighted_gram};

/// Newton steps at most.
const MOST_STEPS: usize = 60;
/// Rows kept: beyond it, those that carried nothing in the last solution go.
pub(super) const MOST_ROWS: usize = 120;

/// The rows g_k found so far.
pub(super) struct Game {
    points: usize,
    rows: Vec<Vec<f64>>,
}

/// Nearly optimal shares, and a certain upper bound of the value of the game.
pub(super) struct Solved {
    pub shares: Vec<f64>,
    pub at_most: f64,
}

impl Game {
    pub(super) fn new(points: usize) -> Self {
        Self { points, rows: vec![] }
    }

    pub(super) fn add(&mut self, row: Vec<f64>) {
        self.rows.push(row);
    }

    /// Solves to a relative gap: `min v` subject to `Gw ≤ v`, `w ≥ 0`, `Σw = 1`, whose multipliers are the shares λ and the
    /// excess of every row over the value. Cost: n K² + K³/3 a step for K rows.
    pub(super) fn solve(&mut self, accuracy: f64) -> Solved {
        let (n, rows) = (self.points, self.rows.len());
        let unit = self.rows.iter().flatten().copied().fold(0.0, f64::max);
        if !(unit > 0.0 && unit.is_finite()) {
            return Solved { shares: vec![1.0 / n as f64; n], at_most: 0.0 };
        }
        let mixtures = Mixtures { game: Matrix::from_fn(n, rows, |x, k| self.rows[k][x] / unit) };
        let mut objective = vec![0.0; rows + 1];
        objective[rows] = -1.0;
        let programme = LinearProgramme { constraints: &mixtures, objective: &objective };
        let mut at = mixtures.start();
        programme.solve(&mut at, MOST_STEPS, |at| at.complementarity() <= accuracy * at.y[rows].abs());
        // Whatever rounding did: shares and mixture of sum one, and the bound that the mixture proves.
        let (mut shares, mut mix) = (at.multipliers, at.y);
        shares.truncate(n);
        mix.truncate(rows);
        normalise(&mut shares);
        normalise(&mut mix);
        let at_most = apply(&mixtures.game, &mix).into_iter().fold(0.0, f64::max) * unit;
        if rows > MOST_ROWS {
            let largest = mix.iter().copied().fold(0.0, f64::max);
            let mut weights = mix.iter();
            self.rows.retain(|_| weights.next().is_some_and(|&weight| weight > 1e-4 * largest));
        }
        Solved { shares, at_most }
    }
}

fn normalise(weights: &mut [f64]) {
    weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// The mixtures w of the rows and what they cost at most: unknowns (w, v), slacks `v - Gw` and then w itself.
struct Mixtures {
    /// G, n × K.
    game: Matrix,
}

impl Mixtures {
    /// Everything alike, with room on both sides.
    fn start(&self) -> Point {
        let (n, rows) = (self.game.rows(), self.game.columns());
        let shares = vec![1.0 / n as f64; n];
        let mut y = vec![1.0 / rows as f64; rows];
        y.push(apply(&self.game, &y).into_iter().fold(0.0, f64::max) + 0.1);
        let gains = apply_transposed(&self.game, &shares);
        let value = gains.iter().copied().fold(f64::INFINITY, f64::min) - 0.1;
        let slacks = self.slacks(&mut y);
        let multipliers = shares.into_iter().chain(gains.into_iter().map(|gain| gain - value)).collect();
        Point { y, slacks, multipliers }
    }
}

impl Constraints for Mixtures {
    type Normal = Normal;

    fn slacks(&self, y: &mut [f64]) -> Vec<f64> {
        let (mix, most) = y.split_at_mut(self.game.columns());
        let costs = apply(&self.game, mix);
        // Rounding may bring a slack to 0 at the very end: then the bound gives way by as much.
        most[0] = costs.iter().fold(most[0], |most, cost| most.max(cost * (1.0 + 4.0 * f64::EPSILON)));
        costs.into_iter().map(|cost| most[0] - cost).chain(mix.iter().copied()).collect()
    }

    fn apply(&self, direction: &[f64]) -> Vec<f64> {
        let (mix, most) = direction.split_at(self.game.columns());
        let costs = apply(&self.game, mix);
        costs.into_iter().map(|cost| cost - most[0]).chain(mix.iter().map(|weight| -weight)).collect()
    }

    fn apply_transposed(&self, multipliers: &[f64]) -> Vec<f64> {
        let (shares, excess) = multipliers.split_at(self.game.rows());
        let mut pulled = apply_transposed(&self.game, shares);
        pulled.iter_mut().zip(excess).for_each(|(gain, excess)| *gain -= excess);
        pulled.push(-shares.iter().sum::<f64>());
        pulled
    }

    fn normal(&self, weights: &[f64]) -> Option<Normal> {
        let (of_points, of_rows) = weights.split_at(self.game.rows());
        let mut matrix = weighted_gram(&self.game, of_points);
        of_rows.iter().enumerate().for_each(|(k, weight)| matrix[(k, k)] += weight);
        let factor = Cholesky::new(matrix).ok()?;
        let border = apply_transposed(&self.game, of_points);
        let (mut ones, mut solved_border) = (vec![1.0; border.len()], border.clone());
        factor.solve(&mut ones);
        factor.solve(&mut solved_border);
        Some(Normal { factor, ones, border, solved_border, total: of_points.iter().sum() })
    }

    /// `H dw - border dv + τ 1 = right`, `Σ D dv - borderᵀ dw = last`, and `Σ dw = 0` with its multiplier τ.
    fn solve(&self, normal: &Normal, right: &mut Vec<f64>) {
        let last = right.pop().expect("the bound is the last unknown");
        normal.factor.solve(right);
        // dw = right + dv solved_border - τ ones.
        let sum = |x: &[f64]| x.iter().sum::<f64>();
        let (a11, a12, b1) = (sum(&normal.solved_border), -sum(&normal.ones), -sum(right));
        let a21 = normal.total - dot(&normal.border, &normal.solved_border);
        let a22 = dot(&normal.border, &normal.ones);
        let b2 = last + dot(&normal.border, right);
        let determinant = a11 * a22 - a12 * a21;
        let most = (b1 * a22 - a12 * b2) / determinant;
        let tie = (a11 * b2 - a21 * b1) / determinant;
        for (k, change) in right.iter_mut().enumerate() {
            *change += most * normal.solved_border[k] - tie * normal.ones[k];
        }
        right.push(most);
    }
}

/// The factored normal matrix, with the equation `Σw = 1` beside it.
struct Normal {
    /// `H = Gᵀ D G + E`.
    factor: Cholesky,
    /// H⁻¹ 1.
    ones: Vec<f64>,
    /// Gᵀ D 1, and under the inverse of H.
    border: Vec<f64>,
    solved_border: Vec<f64>,
    /// Σ D.
    total: f64,
}
