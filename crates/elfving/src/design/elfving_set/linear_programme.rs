//! `min Σ|β|, Xᵀβ = c` and `max cᵀy, |Xy| ≤ 1` together: the linear programme of Elfving's set.

use crate::design::canonical::Breakdown;
use crate::numerics::lp::{Constraints, LinearProgramme, Point};
use crate::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, weighted_gram};

/// The programme with its iterate: `β = p - n` with p, n > 0 the multipliers of `xᵀy ≤ 1` and `-xᵀy ≤ 1`.
pub(super) struct Programme {
    slab: Slab,
    target: Vec<f64>,
    at: Point,
}

/// `|Xy| ≤ 1`: the slacks `1 - xᵀy`, then `1 + xᵀy`.
struct Slab {
    /// X, m × r.
    rows: Matrix,
}

/// Steps after which the iterate is handed back whatever its gap.
const ITERATION_LIMIT: usize = 100;
/// A gap above this part of the best one so far is no progress; so many in a row, and double precision has no more to give.
const PROGRESS: f64 = 0.9;
const STALLED: usize = 5;
/// Newton steps at constant complementarity that end a solve.
const CENTRING_STEPS: usize = 3;

impl Constraints for Slab {
    type Normal = Cholesky;

    fn slacks(&self, y: &mut [f64]) -> Vec<f64> {
        let values = apply(&self.rows, y);
        let above = values.iter().map(|value| 1.0 - value);
        above.chain(values.iter().map(|value| 1.0 + value)).collect()
    }

    fn apply(&self, direction: &[f64]) -> Vec<f64> {
        let values = apply(&self.rows, direction);
        values.iter().copied().chain(values.iter().map(|value| -value)).collect()
    }

    fn apply_transposed(&self, multipliers: &[f64]) -> Vec<f64> {
        apply_transposed(&self.rows, &both(multipliers, |p, n| p - n))
    }

    fn normal(&self, weights: &[f64]) -> Option<Cholesky> {
        Cholesky::new(weighted_gram(&self.rows, &both(weights, |p, n| p + n))).ok()
    }

    fn solve(&self, normal: &Cholesky, right: &mut Vec<f64>) {
        normal.solve(right);
    }
}

/// One number for each point from those of its two sides.
fn both(sides: &[f64], make: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let (p, n) = sides.split_at(sides.len() / 2);
    p.iter().zip(n).map(|(p, n)| make(*p, *n)).collect()
}

impl Programme {
    pub(super) fn new(rows: Matrix, target: Vec<f64>) -> Self {
        let (m, r) = (rows.rows(), rows.columns());
        let at = Point { y: vec![0.0; r], slacks: vec![1.0; 2 * m], multipliers: vec![1.0; 2 * m] };
        Self { slab: Slab { rows }, target, at }
    }

    /// Iterates to a relative duality gap of `stop`, or as far as rounding allows; ends on the central path.
    pub(super) fn solve(&mut self, stop: f64) -> Result<usize, Breakdown> {
        let programme = LinearProgramme { constraints: &self.slab, objective: &self.target };
        let mut at = programme.start(vec![0.0; self.target.len()], self.least_squares()?);
        let (mut best, mut stalled) = (f64::INFINITY, 0);
        let steps = programme.solve(&mut at, ITERATION_LIMIT, |at| {
            let now = gap(&self.target, at);
            stalled = if now < PROGRESS * best || best.is_infinite() { 0 } else { stalled + 1 };
            best = best.min(now);
            now <= stop || stalled == STALLED
        });
        if !(best < 1.0) {
            return Err(Breakdown);
        }
        let centred = (0..CENTRING_STEPS).take_while(|_| programme.centre(&mut at)).count();
        self.at = at;
        Ok(steps + centred)
    }

    /// p and n of the least-squares β, both positive.
    fn least_squares(&self) -> Result<Vec<f64>, Breakdown> {
        let m = self.slab.rows.rows();
        let factor = self.slab.normal(&vec![0.5; 2 * m]).ok_or(Breakdown)?;
        let mut z = self.target.clone();
        factor.solve(&mut z);
        let beta = apply(&self.slab.rows, &z);
        let offset = beta.iter().map(|b| b.abs()).sum::<f64>() / m as f64;
        if !(offset > 0.0 && offset.is_finite()) {
            return Err(Breakdown);
        }
        let p = beta.iter().map(|b| b.max(0.0) + offset);
        Ok(p.chain(beta.iter().map(|b| (-b).max(0.0) + offset)).collect())
    }

    pub(super) fn rows(&self) -> &Matrix {
        &self.slab.rows
    }

    pub(super) fn y(&self) -> &[f64] {
        &self.at.y
    }

    /// `(Σ (p + n) - cᵀy) / cᵀy`.
    pub(super) fn gap(&self) -> f64 {
        gap(&self.target, &self.at)
    }

    /// β, m.
    pub(super) fn beta(&self) -> Vec<f64> {
        both(&self.at.multipliers, |p, n| p - n)
    }

    /// `p + n`: on the central path `p (1 - xᵀy) = n (1 + xᵀy)`, so that `(p + n) xᵀy = β` and `M y ∝ c`.
    pub(super) fn central_weights(&self) -> Vec<f64> {
        both(&self.at.multipliers, |p, n| p + n)
    }
}

fn gap(target: &[f64], at: &Point) -> f64 {
    let total: f64 = at.multipliers.iter().sum();
    let reached = dot(target, &at.y);
    if reached > 0.0 { (total - reached).max(0.0) / reached } else { f64::INFINITY }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::norm_squared;

    fn solved(rows: Matrix, target: Vec<f64>) -> Programme {
        let mut programme = Programme::new(rows, target);
        programme.solve(1e-12).unwrap_or_else(|_| panic!("solvable"));
        programme
    }

    #[test]
    fn both_sides_are_feasible_and_meet() {
        let rows = Matrix::from_fn(40, 5, |i, k| ((i * (k + 2) + k * k) as f64 * 0.7).sin());
        let target = vec![0.3, -1.0, 0.5, 0.1, 2.0];
        let programme = solved(rows.clone(), target.clone());
        let beta = programme.beta();
        let reached = apply_transposed(&rows, &beta);
        let miss: Vec<f64> = reached.iter().zip(&target).map(|(a, b)| a - b).collect();
        assert!(norm_squared(&miss).sqrt() < 1e-11);
        assert!(apply(&rows, programme.y()).iter().all(|v| v.abs() < 1.0));
        let (primal, dual) = (beta.iter().map(|b| b.abs()).sum::<f64>(), dot(&target, programme.y()));
        assert!(primal >= dual && primal - dual < 1e-11 * dual, "{primal} {dual}");
    }

    #[test]
    fn on_the_central_path_the_weights_and_y_belong_together() {
        let rows = Matrix::from_fn(12, 3, |i, k| ((i * i + 3 * i * k) as f64).cos());
        let target = vec![1.0, 0.0, 0.2];
        let mut programme = Programme::new(rows.clone(), target.clone());
        programme.solve(1e-3).unwrap_or_else(|_| panic!("solvable"));
        let mut y = target;
        Cholesky::new(weighted_gram(&rows, &programme.central_weights())).unwrap().solve(&mut y);
        for (a, b) in y.iter().zip(programme.y()) {
            assert!((a - b).abs() < 1e-6, "{y:?} {:?}", programme.y());
        }
    }
}
