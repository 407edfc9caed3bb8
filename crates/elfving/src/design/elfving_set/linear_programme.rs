//! `min Σ|β|, Xᵀβ = c` and `max cᵀy, |Xy| ≤ 1` together: Mehrotra's primal-dual interior point.

use crate::design::canonical::Breakdown;
use crate::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, weighted_gram};

/// The programme with its iterate: `β = p - n` with p, n > 0, and y with slacks `1 ∓ xᵀy` > 0.
pub(super) struct Programme {
    /// X, m × r.
    pub rows: Matrix,
    pub y: Vec<f64>,
    target: Vec<f64>,
    p: Vec<f64>,
    n: Vec<f64>,
}

/// Steps after which the iterate is handed back whatever its gap.
const ITERATION_LIMIT: usize = 100;
/// Newton steps at constant complementarity that end a solve.
const CENTRING_STEPS: usize = 3;
/// Fraction of the way to the boundary that a step may go.
const TO_BOUNDARY: f64 = 0.995;

/// One Newton direction.
struct Direction {
    p: Vec<f64>,
    n: Vec<f64>,
    y: Vec<f64>,
    /// `X dy`.
    xy: Vec<f64>,
}

impl Programme {
    pub(super) fn new(rows: Matrix, target: Vec<f64>) -> Self {
        let (m, r) = (rows.rows(), rows.columns());
        Self { rows, target, y: vec![0.0; r], p: vec![1.0; m], n: vec![1.0; m] }
    }

    /// Iterates to a relative duality gap of `stop`, or as far as rounding allows; ends on the central path.
    pub(super) fn solve(&mut self, stop: f64) -> Result<usize, Breakdown> {
        self.start()?;
        let mut iterations = 0;
        let mut best = f64::INFINITY;
        let mut stalled = 0;
        while self.gap() > stop && iterations < ITERATION_LIMIT && stalled < 5 {
            iterations += 1;
            if self.predict_and_correct().is_err() {
                break; // as far as double precision goes
            }
            stalled = if self.gap() < 0.9 * best { 0 } else { stalled + 1 };
            best = best.min(self.gap());
        }
        if !(best < 1.0 || self.gap() <= stop) {
            return Err(Breakdown);
        }
        for _ in 0..CENTRING_STEPS {
            iterations += 1;
            if self.centre().is_err() {
                break;
            }
        }
        Ok(iterations)
    }

    /// The least-squares β, split so that both parts are positive; y = 0.
    fn start(&mut self) -> Result<(), Breakdown> {
        let m = self.rows.rows();
        let factor = Cholesky::new(weighted_gram(&self.rows, &vec![1.0; m])).map_err(|_| Breakdown)?;
        let mut z = self.target.clone();
        factor.solve(&mut z);
        let beta = apply(&self.rows, &z);
        let offset = beta.iter().map(|b| b.abs()).sum::<f64>() / m as f64;
        if !(offset > 0.0 && offset.is_finite()) {
            return Err(Breakdown);
        }
        self.p = beta.iter().map(|b| b.max(0.0) + offset).collect();
        self.n = beta.iter().map(|b| (-b).max(0.0) + offset).collect();
        self.y.fill(0.0);
        Ok(())
    }

    /// `(Σ (p + n) - cᵀy) / cᵀy`.
    pub(super) fn gap(&self) -> f64 {
        let total: f64 = self.p.iter().chain(&self.n).sum();
        let reached = dot(&self.target, &self.y);
        if reached > 0.0 { (total - reached).max(0.0) / reached } else { f64::INFINITY }
    }

    /// β, m.
    pub(super) fn beta(&self) -> Vec<f64> {
        self.p.iter().zip(&self.n).map(|(p, n)| p - n).collect()
    }

    /// `p + n`: on the central path `p (1 - xᵀy) = n (1 + xᵀy)`, so that `(p + n) xᵀy = β` and `M y ∝ c`.
    pub(super) fn central_weights(&self) -> Vec<f64> {
        self.p.iter().zip(&self.n).map(|(p, n)| p + n).collect()
    }

    fn complementarity(&self, xy: &[f64]) -> f64 {
        let sum: f64 = (0..xy.len()).map(|i| self.p[i] * (1.0 - xy[i]) + self.n[i] * (1.0 + xy[i])).sum();
        sum / (2 * xy.len()) as f64
    }

    /// Mehrotra's step: how far would it go, then again with the centring that deserves and its second order.
    fn predict_and_correct(&mut self) -> Result<(), Breakdown> {
        let xy = apply(&self.rows, &self.y);
        let mu = self.complementarity(&xy);
        let system = self.factor(&xy)?;
        let affine = self.direction(&system, &xy, 0.0, None)?;
        let (a, b) = self.reach(&affine, &xy);
        let (a, b) = (a.min(1.0), b.min(1.0));
        let ahead: f64 = (0..xy.len())
            .map(|i| {
                let moved = xy[i] + b * affine.xy[i];
                (self.p[i] + a * affine.p[i]) * (1.0 - moved) + (self.n[i] + a * affine.n[i]) * (1.0 + moved)
            })
            .sum::<f64>()
            / (2 * xy.len()) as f64;
        let target = mu * (ahead / mu).powi(3).clamp(0.0, 1.0);
        let direction = self.direction(&system, &xy, target, Some(&affine))?;
        self.go(&direction, &xy)
    }

    /// A step towards the central path at the present complementarity.
    fn centre(&mut self) -> Result<(), Breakdown> {
        let xy = apply(&self.rows, &self.y);
        let system = self.factor(&xy)?;
        let direction = self.direction(&system, &xy, self.complementarity(&xy), None)?;
        self.go(&direction, &xy)
    }

    /// `Xᵀ diag(p/s + n/t) X` with the slacks s and t.
    fn factor(&self, xy: &[f64]) -> Result<Cholesky, Breakdown> {
        let weights: Vec<f64> =
            (0..xy.len()).map(|i| self.p[i] / (1.0 - xy[i]) + self.n[i] / (1.0 + xy[i])).collect();
        Cholesky::new(weighted_gram(&self.rows, &weights)).map_err(|_| Breakdown)
    }

    /// Aims at complementarity `target`; with `affine`, adds its second order.
    fn direction(
        &self,
        system: &Cholesky,
        xy: &[f64],
        target: f64,
        affine: Option<&Direction>,
    ) -> Result<Direction, Breakdown> {
        let m = xy.len();
        // s dp + p ds = aim_p with ds = -X dy, and t dn + n dt = aim_n with dt = X dy.
        let aim_p: Vec<f64> = (0..m)
            .map(|i| target - self.p[i] * (1.0 - xy[i]) + affine.map_or(0.0, |a| a.p[i] * a.xy[i]))
            .collect();
        let aim_n: Vec<f64> = (0..m)
            .map(|i| target - self.n[i] * (1.0 + xy[i]) - affine.map_or(0.0, |a| a.n[i] * a.xy[i]))
            .collect();
        let split: Vec<f64> = (0..m)
            .map(|i| self.p[i] - self.n[i] + aim_p[i] / (1.0 - xy[i]) - aim_n[i] / (1.0 + xy[i]))
            .collect();
        let explained = apply_transposed(&self.rows, &split);
        let mut y: Vec<f64> = self.target.iter().zip(&explained).map(|(c, e)| c - e).collect();
        system.solve(&mut y);
        let dxy = apply(&self.rows, &y);
        let p: Vec<f64> = (0..m).map(|i| (aim_p[i] + self.p[i] * dxy[i]) / (1.0 - xy[i])).collect();
        let n: Vec<f64> = (0..m).map(|i| (aim_n[i] - self.n[i] * dxy[i]) / (1.0 + xy[i])).collect();
        let finite = p.iter().chain(&n).chain(&y).all(|value| value.is_finite());
        if finite { Ok(Direction { p, n, y, xy: dxy }) } else { Err(Breakdown) }
    }

    /// How far (p, n) and y can go before something reaches zero.
    fn reach(&self, direction: &Direction, xy: &[f64]) -> (f64, f64) {
        let until = |value: f64, change: f64| if change < 0.0 { -value / change } else { f64::INFINITY };
        let (mut primal, mut dual) = (f64::INFINITY, f64::INFINITY);
        for i in 0..xy.len() {
            primal = primal.min(until(self.p[i], direction.p[i])).min(until(self.n[i], direction.n[i]));
            dual = dual.min(until(1.0 - xy[i], -direction.xy[i])).min(until(1.0 + xy[i], direction.xy[i]));
        }
        (primal, dual)
    }

    fn go(&mut self, direction: &Direction, xy: &[f64]) -> Result<(), Breakdown> {
        let (primal, dual) = self.reach(direction, xy);
        let (primal, dual) = ((TO_BOUNDARY * primal).min(1.0), (TO_BOUNDARY * dual).min(1.0));
        let move_by = |values: &mut [f64], changes: &[f64], length: f64| {
            values.iter_mut().zip(changes).for_each(|(value, change)| *value += length * change);
        };
        let before = self.y.clone();
        move_by(&mut self.y, &direction.y, dual);
        // Rounding must not carry y over the boundary.
        let inside = apply(&self.rows, &self.y).iter().all(|v| v.abs() < 1.0);
        if !inside {
            self.y = before;
            return Err(Breakdown);
        }
        move_by(&mut self.p, &direction.p, primal);
        move_by(&mut self.n, &direction.n, primal);
        Ok(())
    }
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
        assert!(apply(&rows, &programme.y).iter().all(|v| v.abs() < 1.0));
        let (primal, dual) = (beta.iter().map(|b| b.abs()).sum::<f64>(), dot(&target, &programme.y));
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
        for (a, b) in y.iter().zip(&programme.y) {
            assert!((a - b).abs() < 1e-6, "{y:?} {:?}", programme.y);
        }
    }
}
