//! The working set: the few points and targets that the Newton steps see.

use crate::design::TargetRef;
use crate::design::canonical::{Canonical, Objective};
use crate::design::materialise;
use crate::numerics::{Cholesky, Matrix, add_scaled, row_norms, weighted_gram};

use super::newton::{Breakdown, Iterate, NewtonResult, Working, WorkingObjective};
use super::pass::Pass;

/// A solve that ends with a larger gap than this has lost its way.
const STUCK: f64 = 1e-7;

/// A weight that is no more than this is a trace: one measurement in a million.
const TRACE: f64 = 1e-6;
/// In a list of more points nobody looks at the last ones.
const FEW: usize = 50;

/// Points and targets with their weights, near the point `mu` of the central path.
#[derive(Debug, Clone)]
pub(super) struct WorkingSet {
    /// Rows of the pool, ascending.
    pub points: Vec<usize>,
    pub lambda: Vec<f64>,
    /// Targets of a worst-case objective, ascending.
    pub targets: Vec<TargetRef>,
    /// Their weights.
    pub w: Vec<f64>,
    /// Zero while w is only a guess.
    pub mu: f64,
}

impl WorkingSet {
    /// Solves the problem of the working set alone, up to the relative gap `tolerance`.
    pub(super) fn solve(
        &mut self,
        canonical: &Canonical,
        objective: &Objective,
        tolerance: f64,
        mut report: impl FnMut(f64, usize) -> bool,
    ) -> Result<NewtonResult, Breakdown> {
        let points = canonical.points.select_rows(&self.points);
        let targets = self.target_rows(objective);
        let objective = match objective {
            Objective::LogDet => WorkingObjective::LogDet,
            Objective::Trace { moment, .. } => WorkingObjective::Trace(moment),
            Objective::Largest(_) => WorkingObjective::Largest(&targets),
        };
        let working = Working { points: &points, prior: &canonical.prior, objective };
        let start = if self.mu == 0.0 {
            working.central_start(self.lambda.clone(), self.w.clone())?
        } else {
            Iterate { lambda: self.lambda.clone(), w: self.w.clone(), mu: self.mu }
        };
        let mut outcome = working.solve(start, tolerance, &mut report)?;
        if outcome.gap > STUCK.max(tolerance) && report(outcome.gap, outcome.iterations) {
            // An iterate that strayed from the central path rarely finds back: begin again from the middle.
            let steps = outcome.iterations;
            let fresh = working.solve(working.middle()?, tolerance, |gap, more| report(gap, steps + more))?;
            outcome = if fresh.gap < outcome.gap { fresh } else { outcome };
            outcome.iterations += steps;
        }
        self.lambda.clone_from(&outcome.iterate.lambda);
        self.w.clone_from(&outcome.iterate.w);
        self.mu = outcome.iterate.mu;
        Ok(outcome)
    }

    /// Adds what the pass found and forgets members that carry less than the fraction `forget` of the
    /// average weight, back on the central path at a complementarity that fits the gap.
    pub(super) fn regroup(&mut self, pass: &Pass, forget: f64) {
        let count = (self.points.len() + self.targets.len()) as f64;
        self.mu = self.mu.max(0.1 * pass.gap.min(1.0) / count);
        regroup(&mut self.points, &mut self.lambda, &pass.points, self.mu, forget);
        regroup(&mut self.targets, &mut self.w, &pass.targets, self.mu, 0.0);
    }

    /// Drops the smallest weights while that raises no norm by more than the fraction `allowed`.
    ///
    /// Without the points of a set D, `M - Σ_D λxxᵀ ⪰ (1 - Σ_D λ_x q_x) M`.
    pub(super) fn prune(&mut self, canonical: &Canonical, allowed: f64) -> Result<(), Breakdown> {
        let whitening = self.information(canonical)?.inverse_upper();
        let q = row_norms(&canonical.points.select_rows(&self.points), &whitening);
        let loss: Vec<f64> = self.lambda.iter().zip(&q).map(|(weight, q)| weight * q).collect();
        let mut order: Vec<usize> = (0..loss.len()).collect();
        order.sort_by(|&a, &b| loss[a].total_cmp(&loss[b]).then(a.cmp(&b)));
        let mut keep = vec![true; loss.len()];
        let mut spent = 0.0;
        for k in order {
            spent += loss[k];
            if spent > allowed {
                break;
            }
            keep[k] = false;
        }
        let kept = self.points.iter().zip(&self.lambda).zip(&keep).filter(|(_, keep)| **keep);
        (self.points, self.lambda) = kept.map(|((&i, &weight), _)| (i, weight)).unzip();
        Ok(())
    }

    /// The same without the points that nobody would measure, solved again, and in how many steps; none where every point carries
    /// weight. A point that is nearly as good as those of the support keeps a trace that no bound allows to drop, though the design
    /// without it is as good: that is for the certificate to say.
    pub(super) fn without_traces(&self, canonical: &Canonical, tolerance: f64) -> Option<(Self, usize)> {
        if self.points.len() > FEW || self.lambda.iter().all(|weight| *weight > TRACE) {
            return None;
        }
        let members = self.points.iter().copied().zip(self.lambda.iter().copied());
        let (points, lambda) = normalised(members.filter(|(_, weight)| *weight > TRACE).collect());
        let mut sparser = Self { points, lambda, ..self.clone() };
        let outcome = sparser.solve(canonical, &canonical.objective, 0.01 * tolerance, |_, _| true).ok()?;
        Some((sparser, outcome.iterations))
    }

    /// `M = A(λ) + Γ`, factored.
    pub(super) fn information(&self, canonical: &Canonical) -> Result<Cholesky, Breakdown> {
        let mut matrix = weighted_gram(&canonical.points.select_rows(&self.points), &self.lambda);
        add_scaled(&mut matrix, 1.0, &canonical.prior);
        Cholesky::new(matrix).map_err(|_| Breakdown)
    }

    /// The working targets as rows; none unless the objective has targets.
    pub(super) fn target_rows(&self, objective: &Objective) -> Matrix {
        match objective {
            Objective::Largest(rows) => materialise(rows, &self.targets),
            Objective::LogDet | Objective::Trace { .. } => Matrix::zeros(0, 0),
        }
    }
}

/// Members that carry too little go, the others are kept at least at `mu` (on the central path
/// `weight · slack = mu`, and no slack exceeds one), and new ones join at a tenth of the average.
fn regroup<M: Copy + Ord>(members: &mut Vec<M>, weights: &mut Vec<f64>, fresh: &[M], mu: f64, forget: f64) {
    if members.is_empty() {
        return;
    }
    let average = 1.0 / members.len() as f64;
    let mut all: Vec<(M, f64)> = members
        .iter()
        .copied()
        .zip(weights.iter().copied())
        .filter(|&(_, weight)| weight > forget * average)
        .map(|(member, weight)| (member, weight.max(mu)))
        .chain(fresh.iter().map(|&member| (member, 0.1 * average)))
        .collect();
    all.sort_unstable_by_key(|&(member, _)| member);
    (*members, *weights) = normalised(all);
}

/// The pairs taken apart, their weights scaled to sum one.
pub(super) fn normalised<M>(weighted: Vec<(M, f64)>) -> (Vec<M>, Vec<f64>) {
    let sum: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    weighted.into_iter().map(|(member, weight)| (member, weight / sum)).unzip()
}
