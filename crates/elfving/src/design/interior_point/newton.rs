//! The primal-dual interior point (Mehrotra) on a working set of points and targets.
//!
//! Unknowns: weights λ of the points, multipliers z of λ ≥ 0, ν of Σλ = 1; for a worst-case criterion
//! also the level t, the weights w of the targets and the slacks s = t - q ≥ 0. One Newton step solves
//!
//! ```text
//! ⎡ H + Z/Λ   1   0   -P∘P ⎤ ⎡ dλ ⎤
//! ⎢   1ᵀ      0   0     0  ⎥ ⎢ dν ⎥ = -(residuals)
//! ⎢   0       0   0   -1ᵀ  ⎥ ⎢ dt ⎥
//! ⎣ -(P∘P)ᵀ   0  -1   -S/W ⎦ ⎣ dw ⎦
//! ```
//!
//! with `C = X M⁻¹ Xᵀ`, `P = X M⁻¹ Vᵀ`, `H = 2 C ∘ (P W Pᵀ)`; for log det `H = C ∘ C`, for the averaged
//! criteria `H = 2 C ∘ (X M⁻¹ S M⁻¹ Xᵀ)`, both without the last two rows.

use super::curvature::Curvature;
use super::system::System;
use crate::numerics::{
    Cholesky, Matrix, add_scaled, dot, multiply, norm_squared, squared_product, weighted_gram,
};

/// What is minimised over the working set.
#[derive(Debug, Clone)]
pub(super) enum WorkingObjective<'a> {
    /// `-log det M`.
    LogDet,
    /// `tr(S M⁻¹)` for the r × r moment matrix S of the targets.
    Trace(&'a Matrix),
    /// `max_v vᵀ M⁻¹ v` over the rows v (m × r).
    Largest(&'a Matrix),
}

/// A design problem small enough for dense Newton steps.
pub(super) struct Working<'a> {
    /// Points that may carry weight, n × r.
    pub points: &'a Matrix,
    /// Prior information Γ of `M = A(λ) + Γ`, r × r.
    pub prior: &'a Matrix,
    pub objective: WorkingObjective<'a>,
}

/// Where the iteration stands: primal weights λ and, for a worst-case criterion, dual weights w.
#[derive(Debug, Clone)]
pub(super) struct Iterate {
    pub lambda: Vec<f64>,
    /// Weights on the working targets; empty unless the objective is [`WorkingObjective::Largest`].
    pub w: Vec<f64>,
    /// Complementarity relative to the criterion: the iterate is near the point of the central path with
    /// `λ_x z_x = w_v s_v = mu`, from where a grown or shrunk working set goes on.
    pub mu: f64,
}

/// How a solve on the working set ended.
#[derive(Debug, Clone)]
pub(super) struct NewtonResult {
    pub iterate: Iterate,
    /// Certified relative gap *on the working set*.
    pub gap: f64,
    pub iterations: usize,
}

pub(super) use crate::design::canonical::Breakdown;

/// Fraction of the way to the boundary that a step may go.
const TO_BOUNDARY: f64 = 0.995;
/// The relative complementarity of a start whose gap is small.
const NEAR: f64 = 0.05;
/// A predictor-corrector step shorter than this gives way to a centring step.
const SHORT_STEP: f64 = 0.1;
/// One step aims at no less than this fraction of the complementarity that fits the current gap.
const AHEAD_OF_GAP: f64 = 5e-3;
/// A good guess of w starts at this fraction of the complementarity that fits its gap.
const AHEAD_OF_GUESS: f64 = 0.03;
/// How small the residual of a direction must be: relative to the gap, at least and at most.
const ACCURACY: (f64, f64, f64) = (1e-4, 1e-13, 1e-10);
/// Steps after which the working set is handed back whatever its gap.
const ITERATION_LIMIT: usize = 80;

/// Everything that depends on λ (and w): norms, gradient and curvature.
pub(super) struct Local {
    /// `q_v` over the working targets (empty for the smooth criteria).
    pub q: Vec<f64>,
    /// Minus the gradient of the criterion (for `Largest`, of `Σ w_v q_v`), over the points.
    pub g: Vec<f64>,
    /// `H`, n × n.
    pub curvature: Curvature,
    /// `P ∘ P`, n × m (0 columns for the smooth criteria).
    pub p_squared: Matrix,
    /// `tr(S_w M⁻¹)`, or r for log det: what `⟨λ, g⟩ + tr(Γ-part)` adds up to.
    level: f64,
}

impl Local {
    /// The certified relative gap of λ and w on the working set (see `certificate`), whatever the scale.
    fn gap(&self, objective: &WorkingObjective, lambda: &[f64], w: &[f64]) -> f64 {
        let largest_g = self.g.iter().copied().fold(0.0, f64::max);
        let delta = (largest_g - dot(lambda, &self.g)).max(0.0);
        match objective {
            // For log det the level is r.
            WorkingObjective::LogDet | WorkingObjective::Trace(_) => delta / self.level,
            WorkingObjective::Largest(_) => {
                let largest_q = self.q.iter().copied().fold(0.0, f64::max);
                // g and level are linear in w, whose sum may not be one yet.
                let total: f64 = w.iter().sum();
                let (level, delta) = (self.level / total, delta / total);
                largest_q * (level + delta) / (level * level) - 1.0
            }
        }
    }

    fn divided_by(mut self, scale: f64) -> Self {
        let by = 1.0 / scale;
        self.q.iter_mut().chain(&mut self.g).for_each(|value| *value *= by);
        Local {
            curvature: self.curvature.scaled(by),
            p_squared: scaled(self.p_squared, by),
            level: by * self.level,
            ..self
        }
    }
}

impl Working<'_> {
    /// Iterates from `start` until the certified gap on the working set is at most `tolerance`.
    pub(super) fn solve(
        &self,
        start: Iterate,
        tolerance: f64,
        mut report: impl FnMut(f64, usize) -> bool,
    ) -> Result<NewtonResult, Breakdown> {
        let mut state = State::start(self, start)?;
        let mut best = NewtonResult { iterate: state.iterate(), gap: f64::INFINITY, iterations: 0 };
        let mut stalled = 0;
        for iteration in 0..=ITERATION_LIMIT {
            let gap = state.gap(&self.objective);
            if gap < 0.9 * best.gap {
                stalled = 0;
            } else {
                stalled += 1;
            }
            if gap < best.gap {
                best = NewtonResult { iterate: state.iterate(), gap, iterations: iteration };
            }
            best.iterations = iteration;
            let go_on = report(best.gap, iteration);
            if best.gap <= tolerance || stalled > 12 || iteration == ITERATION_LIMIT || !go_on {
                break;
            }
            if state.step(self).is_err() {
                break;
            }
        }
        if best.gap.is_finite() { Ok(best) } else { Err(Breakdown) }
    }

    /// A start for points whose targets have no weights yet: on the central path, as far along it as the
    /// gap of these points allows; or from the guess `w`, when that is closer.
    pub(super) fn central_start(&self, lambda: Vec<f64>, guess: Vec<f64>) -> Result<Iterate, Breakdown> {
        let local = self.local(&lambda, &guess, 1.0)?;
        let largest = local.q.iter().copied().fold(0.0, f64::max);
        let q: Vec<f64> = local.q.iter().map(|q| q / largest).collect();
        let unknowns = (lambda.len() + q.len()) as f64;
        let at = |w: Vec<f64>, mu: f64| Iterate { lambda: lambda.clone(), w, mu };
        let guessed_gap = local.gap(&self.objective, &lambda, &guess);
        drop(local); // the next one needs memory too
        let near = at(central_weights(&q, NEAR / unknowns), NEAR / unknowns);
        let near_gap = self.local(&lambda, &near.w, 1.0)?.gap(&self.objective, &lambda, &near.w);
        if guessed_gap < near_gap.min(NEAR) {
            return Ok(at(guess, AHEAD_OF_GUESS * guessed_gap / unknowns));
        }
        if near_gap <= NEAR {
            return Ok(near);
        }
        let mu = near_gap.min(1.0) / unknowns;
        Ok(at(central_weights(&q, mu), mu))
    }

    /// The safest start: equal weights, far from the end of the central path.
    pub(super) fn middle(&self) -> Result<Iterate, Breakdown> {
        let n = self.points.rows();
        let lambda = vec![1.0 / n as f64; n];
        let WorkingObjective::Largest(targets) = self.objective else {
            return Ok(Iterate { lambda, w: vec![], mu: 1.0 / n as f64 });
        };
        let m = targets.rows();
        let q = self.local(&lambda, &vec![1.0 / m as f64; m], 1.0)?.q;
        let largest = q.iter().copied().fold(0.0, f64::max);
        let mu = 1.0 / (n + m) as f64;
        let w = central_weights(&q.iter().map(|q| q / largest).collect::<Vec<_>>(), mu);
        Ok(Iterate { lambda, w, mu })
    }

    /// What depends on the weights, with the criterion divided by `scale`.
    fn local(&self, lambda: &[f64], w: &[f64], scale: f64) -> Result<Local, Breakdown> {
        let mut information = weighted_gram(self.points, lambda);
        add_scaled(&mut information, 1.0, self.prior);
        let factor = Cholesky::new(information).map_err(|_| Breakdown)?;
        let mut x = self.points.clone();
        factor.whiten_rows(&mut x);
        let n = x.rows();
        // For the traces g is half the diagonal of Y Xᵀ.
        let by = 1.0 / scale;
        let local = match self.objective {
            WorkingObjective::LogDet => {
                let g = (0..n).map(|i| by * norm_squared(x.row(i))).collect();
                let level = by * x.columns() as f64;
                Local {
                    q: vec![],
                    g,
                    curvature: Curvature::Squared { x, by },
                    p_squared: Matrix::zeros(n, 0),
                    level,
                }
            }
            WorkingObjective::Trace(moment) => {
                let whitened = whiten_moment(&factor, moment);
                let y = scaled(multiply(&x, &whitened), 2.0 * by);
                let g = (0..n).map(|i| 0.5 * dot(x.row(i), y.row(i))).collect();
                let level = (0..whitened.rows()).map(|k| by * whitened[(k, k)]).sum();
                Local {
                    q: vec![],
                    g,
                    curvature: Curvature::Product { x, y },
                    p_squared: Matrix::zeros(n, 0),
                    level,
                }
            }
            WorkingObjective::Largest(targets) => {
                let mut v = targets.clone();
                factor.whiten_rows(&mut v);
                let q: Vec<f64> = (0..v.rows()).map(|k| by * norm_squared(v.row(k))).collect();
                let y = scaled(multiply(&x, &weighted_gram(&v, w)), 2.0 * by);
                let g = (0..n).map(|i| 0.5 * dot(x.row(i), y.row(i))).collect();
                let level = dot(w, &q);
                let p_squared = squared_product(&x, &scaled(v, by.sqrt()));
                Local { q, g, curvature: Curvature::Product { x, y }, p_squared, level }
            }
        };
        let finite = local.g.iter().chain(&local.q).all(|value| value.is_finite());
        if finite { Ok(local) } else { Err(Breakdown) }
    }
}

/// The weights of the central path at complementarity `mu`: `w_v = mu / (t - q_v)` with t such that they
/// sum to one. The largest `q` is one.
fn central_weights(q: &[f64], mu: f64) -> Vec<f64> {
    let total = |t: f64| -> f64 { q.iter().map(|q| mu / (t - q)).sum() };
    // The largest alone gives one at the low end; all of them together at most one at the high end.
    let (mut low, mut high) = (1.0 + mu, 1.0 + mu * q.len() as f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if total(middle) > 1.0 { low = middle } else { high = middle }
    }
    let sum = total(high);
    q.iter().map(|q| mu / (high - q) / sum).collect()
}

/// `L⁻¹ S L⁻ᵀ`.
fn whiten_moment(factor: &Cholesky, moment: &Matrix) -> Matrix {
    let mut half = moment.clone();
    factor.whiten_rows(&mut half); // S L⁻ᵀ, row by row
    let mut other = half.transposed();
    factor.whiten_rows(&mut other);
    other
}

/// Every entry times `by`.
pub(super) fn scaled(mut matrix: Matrix, by: f64) -> Matrix {
    matrix.as_mut_slice().iter_mut().for_each(|entry| *entry *= by);
    matrix
}

/// The iterate with its multipliers. The criterion is divided by `scale`, so that all are of order one.
pub(super) struct State {
    scale: f64,
    pub lambda: Vec<f64>,
    pub z: Vec<f64>,
    pub nu: f64,
    pub t: f64,
    pub w: Vec<f64>,
    pub s: Vec<f64>,
    pub local: Local,
}

/// One Newton direction.
pub(super) struct Direction {
    pub lambda: Vec<f64>,
    pub z: Vec<f64>,
    pub nu: f64,
    pub t: f64,
    pub w: Vec<f64>,
    pub s: Vec<f64>,
}

impl State {
    /// Puts the given weights on the central path at their `mu`: `z = mu/λ`, `s = mu/w`.
    fn start(working: &Working, start: Iterate) -> Result<Self, Breakdown> {
        let Iterate { lambda, w, mu } = start;
        let unscaled = working.local(&lambda, &w, 1.0)?;
        let scale = match working.objective {
            WorkingObjective::LogDet | WorkingObjective::Trace(_) => unscaled.level,
            WorkingObjective::Largest(_) => unscaled.q.iter().copied().fold(0.0, f64::max),
        };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Breakdown);
        }
        let z: Vec<f64> = lambda.iter().map(|weight| mu / weight).collect();
        let s: Vec<f64> = w.iter().map(|weight| mu / weight).collect();
        let local = unscaled.divided_by(scale);
        let mut state = State { scale, z, nu: 0.0, t: 0.0, s, lambda, w, local };
        // On the central path ⟨λ, ν - g⟩ = Σ λz and ⟨w, t - q⟩ = Σ ws.
        state.nu = dot(&state.lambda, &state.local.g) + mu * state.lambda.len() as f64;
        state.t = dot(&state.w, &state.local.q) + mu * state.w.len() as f64;
        for (slack, q) in state.s.iter_mut().zip(&state.local.q) {
            *slack = slack.max(state.t - q);
        }
        Ok(state)
    }

    fn iterate(&self) -> Iterate {
        let total: f64 = self.w.iter().sum();
        let w = self.w.iter().map(|w| w / total).collect();
        Iterate { lambda: self.lambda.clone(), w, mu: self.complementarity() }
    }

    fn gap(&self, objective: &WorkingObjective) -> f64 {
        self.local.gap(objective, &self.lambda, &self.w)
    }

    fn unknowns(&self) -> f64 {
        (self.lambda.len() + self.w.len()) as f64
    }

    /// The size of the criterion, in the units of `z` and `s`.
    fn level(&self) -> f64 {
        if self.w.is_empty() { 1.0 } else { self.t }
    }

    fn complementarity(&self) -> f64 {
        (dot(&self.lambda, &self.z) + dot(&self.w, &self.s)) / self.unknowns()
    }

    /// One predictor-corrector step.
    fn step(&mut self, working: &Working) -> Result<(), Breakdown> {
        let gap = self.gap(&working.objective);
        let system = System::factor(self, (ACCURACY.0 * gap).clamp(ACCURACY.1, ACCURACY.2))?;
        let mu = self.complementarity();
        let affine = system.affine()?;
        let reach = self.reach(&affine).min(1.0);
        let ahead = self.complementarity_after(&affine, reach);
        let centring = (ahead / mu).powi(3).clamp(1e-8, 1.0);
        // Complementarity must not run ahead of the gap: far from the optimum that only shortens steps.
        let floor = AHEAD_OF_GAP * gap.min(1.0) * self.level() / self.unknowns();
        let mut direction = system.direction((centring * mu).max(floor), Some(&affine))?;
        if self.reach(&direction) < SHORT_STEP {
            // Badly centred: go back towards the central path before going on along it.
            direction = system.direction(mu.max(floor), None)?;
        }
        drop(system); // the new point needs memory too
        let mut length = (TO_BOUNDARY * self.reach(&direction)).min(1.0);
        for _ in 0..12 {
            if let Some(next) = self.moved(working, &direction, length) {
                *self = next;
                return Ok(());
            }
            length *= 0.5;
        }
        Err(Breakdown)
    }

    /// The largest step that keeps every positive unknown positive.
    fn reach(&self, direction: &Direction) -> f64 {
        let pairs = [
            (&self.lambda, &direction.lambda),
            (&self.z, &direction.z),
            (&self.w, &direction.w),
            (&self.s, &direction.s),
        ];
        let mut reach = f64::INFINITY;
        for (values, changes) in pairs {
            for (value, change) in values.iter().zip(changes) {
                if *change < 0.0 {
                    reach = reach.min(-value / change);
                }
            }
        }
        reach
    }

    fn complementarity_after(&self, direction: &Direction, length: f64) -> f64 {
        let product = |a: &[f64], da: &[f64], b: &[f64], db: &[f64]| -> f64 {
            (0..a.len()).map(|i| (a[i] + length * da[i]) * (b[i] + length * db[i])).sum()
        };
        (product(&self.lambda, &direction.lambda, &self.z, &direction.z)
            + product(&self.w, &direction.w, &self.s, &direction.s))
            / self.unknowns()
    }

    /// The state after a step; `None` when the new point is not usable.
    fn moved(&self, working: &Working, direction: &Direction, length: f64) -> Option<State> {
        let go = |a: &[f64], da: &[f64]| -> Vec<f64> {
            a.iter().zip(da).map(|(a, da)| (a + length * da).max(f64::MIN_POSITIVE)).collect()
        };
        let mut lambda = go(&self.lambda, &direction.lambda);
        let sum: f64 = lambda.iter().sum();
        lambda.iter_mut().for_each(|weight| *weight /= sum);
        let w = go(&self.w, &direction.w);
        let local = working.local(&lambda, &w, self.scale).ok()?;
        let mut next = State {
            scale: self.scale,
            lambda,
            w,
            z: go(&self.z, &direction.z),
            s: go(&self.s, &direction.s),
            nu: self.nu + length * direction.nu,
            t: self.t + length * direction.t,
            local,
        };
        // Where the true slack is larger than the linearised one, take it: it only removes infeasibility.
        for (slack, q) in next.s.iter_mut().zip(&next.local.q) {
            *slack = slack.max(next.t - q);
        }
        Some(next)
    }
}
