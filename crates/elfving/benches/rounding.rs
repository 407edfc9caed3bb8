//! Rounding on the paper's first pool: n = 1275, d = 50, all points of positive weight.

#![allow(clippy::unwrap_used)] // a benchmark that cannot be set up should stop

#[path = "../tests/support/mod.rs"]
#[allow(missing_docs)]
mod support;

use divan::Bencher;
use elfving::design::{Criterion, Problem};
use elfving::pool::{PointId, Pool};
use elfving::rounding::{
    Apportionment, Constraints, Exchange, GreedyVariance, RegretMinimisation, Request, Rounding,
};
use elfving::units::Ridge;

fn main() {
    divan::main();
}

/// Times a rounding of uniform weights; the request is made outside the clock.
fn time(bencher: Bencher, budget: u64, rounding: &dyn Rounding) {
    with_request(budget, |request| {
        bencher.bench_local(|| rounding.round(divan::black_box(request)).unwrap());
    });
}

fn with_request(budget: u64, run: impl FnOnce(&Request)) {
    let pool = Pool::from_features(support::paper_g()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let weights: Vec<(PointId, f64)> = (0..pool.len()).map(|i| (PointId::new(i), 1.0)).collect();
    run(&Request::from_weights(&problem, &weights, budget, &Constraints::default()).unwrap());
}

#[divan::bench(args = [500, 1000, 2000], sample_count = 3, sample_size = 1)]
fn regret_one_alpha(bencher: Bencher, budget: u64) {
    time(bencher, budget, &RegretMinimisation::default().alpha(4.0 * 50f64.sqrt()));
}

#[divan::bench(args = [500, 1000, 2000], sample_count = 3, sample_size = 1)]
fn regret_best_alpha(bencher: Bencher, budget: u64) {
    time(bencher, budget, &RegretMinimisation::default());
}

#[divan::bench(args = [2000], sample_count = 10)]
fn apportion(bencher: Bencher, budget: u64) {
    time(bencher, budget, &Apportionment::default());
}

#[divan::bench(args = [2000], sample_count = 3, sample_size = 1)]
fn greedy(bencher: Bencher, budget: u64) {
    time(bencher, budget, &GreedyVariance);
}

#[divan::bench(args = [200], sample_count = 3, sample_size = 1)]
fn ten_exchanges(bencher: Bencher, budget: u64) {
    with_request(budget, |request| {
        let start = GreedyVariance.round(request).unwrap().allocation;
        let exchange = Exchange::default().most_swaps(10);
        bencher.bench_local(|| exchange.polish(divan::black_box(request), &start).unwrap());
    });
}
