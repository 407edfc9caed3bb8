//! One run of regret minimisation at one α: T steps, then swaps where a maximum was in the way.

use super::super::report::PriorEntry;
use super::super::{Request, first_best};
use super::dense::Dense;
use super::potential::Potential;
use super::rotated::Rotated;
use super::space::Space;
use crate::numerics::SymmetricEigen;

/// A swap that raises the potential by less than this fraction could be rounding.
const RISE: f64 = 1e-9;

/// What a run found.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub alpha: f64,
    pub prior: PriorEntry,
    /// One count for each member of the space.
    pub counts: Vec<u64>,
    /// λ_min of the final Z.
    pub smallest_eigenvalue: f64,
    /// Whether a maximum kept some point from being chosen.
    pub hindered: bool,
    pub swaps: usize,
}

/// The state of a run.
pub(super) struct Player<'r> {
    request: &'r Request<'r>,
    space: &'r Space,
    alpha: f64,
    potential: Box<dyn Potential + 'r>,
    prior: PriorEntry,
    /// Whether there is a prior, and it enters in parts.
    in_parts: bool,
    counts: Vec<u64>,
    /// `x̃ᵀ A^½ x̃` of each member.
    halves: Vec<f64>,
    /// `x̃ᵀ A x̃` of each member.
    fulls: Vec<f64>,
    swaps: usize,
}

impl<'r> Player<'r> {
    pub(super) fn new(request: &'r Request<'r>, space: &'r Space, alpha: f64, prior: PriorEntry) -> Self {
        let bounds = &request.bounds;
        // A prior that enters in parts is no single point.
        let in_parts = prior == PriorEntry::InParts && space.prior.max_abs() > 0.0;
        let mut potential: Box<dyn Potential> = match in_parts {
            true => Box::new(Dense::new(&space.columns, alpha)),
            false => Box::new(Rotated::new(&space.columns, alpha)),
        };
        let counts: Vec<u64> = space.ids.iter().map(|&i| bounds.lower[i]).collect();
        for (k, &i) in space.ids.iter().enumerate() {
            let before = bounds.done[i] + bounds.lower[i];
            if before > 0 {
                potential.add(before as f64, space.rows.row(k));
            }
        }
        if prior == PriorEntry::AtOnce {
            potential.add_matrix(1.0, &space.prior);
        }
        let (halves, fulls) = (vec![0.0; counts.len()], vec![0.0; counts.len()]);
        Self { request, space, alpha, potential, prior, in_parts, counts, halves, fulls, swaps: 0 }
    }

    /// The steps: each adds the point with the largest `x̃ᵀA x̃ / (1 + α x̃ᵀA^½ x̃)`.
    pub(super) fn play(&mut self) {
        let steps = self.request.budget - self.counts.iter().sum::<u64>();
        for _ in 0..steps {
            if self.in_parts {
                self.potential.add_matrix(1.0 / steps as f64, &self.space.prior);
            }
            self.look();
            let pick = self.best_addition().expect("the members can take the budget");
            self.take(pick);
        }
        if self.in_parts && steps == 0 {
            self.potential.add_matrix(1.0, &self.space.prior);
        }
    }

    /// Exchanges: give the point whose loss bound `x̃ᵀA x̃ / (1 - α x̃ᵀA^½ x̃)` is smallest, take the one whose gain is
    /// largest, as long as the potential rises; so it ends.
    ///
    /// Points with `α x̃ᵀA^½ x̃ ≥ 1` cannot be given: the bound says nothing about them. When there is no other,
    /// it ends too.
    pub(super) fn swap(&mut self) {
        let mut dense = Dense::new(&self.space.columns, self.alpha);
        dense.add_matrix(1.0, self.potential.z());
        self.potential = Box::new(dense);
        let most = 10 * self.request.budget as usize;
        let mut level = self.look();
        while self.swaps < most {
            let Some(given) = self.best_removal() else { return };
            self.give(given);
            self.look();
            let taken = self.best_addition().expect("there is room for what was given");
            self.take(taken);
            let raised = self.look();
            if !(raised > level + RISE * level.abs()) {
                self.give(taken);
                return self.take(given);
            }
            level = raised;
            self.swaps += 1;
        }
    }

    /// Brings the forms up to date, by one product over the members; the potential.
    fn look(&mut self) -> f64 {
        self.potential.look(&mut self.halves, &mut self.fulls)
    }

    fn best_addition(&self) -> Option<usize> {
        let alpha = self.alpha;
        let upper = |k: usize| self.request.bounds.upper[self.space.ids[k]];
        let gain = |k: usize| {
            let room = self.counts[k] < upper(k);
            if room { self.fulls[k] / (1.0 + alpha * self.halves[k]) } else { f64::NEG_INFINITY }
        };
        first_best(self.counts.len(), gain)
    }

    fn best_removal(&self) -> Option<usize> {
        let alpha = self.alpha;
        let lower = |k: usize| self.request.bounds.lower[self.space.ids[k]];
        let saved = |k: usize| {
            let left = 1.0 - alpha * self.halves[k];
            let admissible = self.counts[k] > lower(k) && left > 0.0;
            if admissible { -self.fulls[k] / left } else { f64::NEG_INFINITY }
        };
        first_best(self.counts.len(), saved)
    }

    fn take(&mut self, k: usize) {
        self.counts[k] += 1;
        self.potential.add(1.0, self.space.rows.row(k));
    }

    fn give(&mut self, k: usize) {
        self.counts[k] -= 1;
        self.potential.add(-1.0, self.space.rows.row(k));
    }

    /// Where the run stands.
    pub(super) fn result(&self) -> Run {
        let bounds = &self.request.bounds;
        let values = SymmetricEigen::new(self.potential.z()).expect("Z is finite").values;
        let full = |(k, &i): (usize, &usize)| {
            self.counts[k] == bounds.upper[i] && bounds.upper[i] < self.request.budget
        };
        Run {
            alpha: self.alpha,
            prior: self.prior,
            counts: self.counts.clone(),
            smallest_eigenvalue: values.first().copied().unwrap_or(0.0),
            hindered: self.space.ids.iter().enumerate().any(full),
            swaps: self.swaps,
        }
    }
}
