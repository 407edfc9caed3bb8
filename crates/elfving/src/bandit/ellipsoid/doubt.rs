//! Measurements that may refute the class: where a model of another kind knows least.
//!
//! A wrong class can look right where it chooses to look. So one measurement in four goes where the best of the other models is
//! most uncertain, until that model knows every candidate as well as one measurement would tell.

use super::bets::Bettor;
use super::state::State;
use crate::bandit::batch_rules::Counts;
use crate::bandit::{Wanted, Why};
use crate::numerics::first_largest;
use crate::pool::PointId;

/// One measurement in so many.
const EVERY: u64 = 4;
/// Before so many measurements (before one per candidate, where these are fewer) nothing is stated while a check is still to be made: on the barrels of docs/ellipsoid.md a linear class
/// looks right after 20 measurements in one campaign of 20, after 30 in none.
const FIRST: u64 = 24;

/// How many measurements come before the first statement, where checks are still to be made.
pub(super) fn waits_for(state: &State) -> Option<u64> {
    let first = FIRST.min(state.question.pool.len() as u64);
    if state.regression.samples() >= first {
        return None;
    }
    let sigma = state.assumed().sigma_bound();
    let model = state.theorem().testimony()?.best_of_the_bank(sigma)?;
    let open = (0..state.question.pool.len())
        .any(|i| state.may_measure(PointId::new(i)) && variance(model, state, i) > 1.0);
    open.then_some(first)
}

/// The checks among the next measurements of a batch. Cost: n k² per check for a model of k features.
pub(super) fn checks(state: &State, wanted: &Wanted) -> Vec<(PointId, Why)> {
    let sigma = state.assumed().sigma_bound();
    let model = state.theorem().testimony().and_then(|testimony| testimony.best_of_the_bank(sigma));
    let Some(mut model) = model.cloned() else { return Vec::new() };
    let done = state.regression.samples() + wanted.pending.len() as u64;
    let due = (done..done + wanted.batch as u64).filter(|t| t % EVERY == EVERY - 1).count();
    let precision = state.regression.precision();
    let pool = &state.question.pool;
    let mut counts = Counts::new(precision.counts(), wanted);
    wanted
        .pending
        .iter()
        .for_each(|point| model.suppose(pool.features(), *point, precision.weight(point.index())));
    let mut checks = Vec::new();
    for _ in 0..due {
        let doubt = |i: usize| match counts.allow(i) && state.may_measure(PointId::new(i)) {
            true => variance(&model, state, i),
            false => f64::NEG_INFINITY,
        };
        let doubts: Vec<f64> = (0..pool.len()).map(doubt).collect();
        let Some(point) = first_largest(&doubts).filter(|&point| doubts[point] > 1.0) else { break };
        counts.add(point);
        model.suppose(pool.features(), PointId::new(point), precision.weight(point));
        checks.push((PointId::new(point), Why::Width { width: sigma * doubts[point].sqrt() }));
    }
    checks
}

fn variance(model: &Bettor, state: &State, i: usize) -> f64 {
    model.bet(state.question.pool.features(), PointId::new(i), 1.0).variance
}
