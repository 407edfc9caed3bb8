//! Estimates, setup excluded: `cargo bench --bench estimate`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::borrow::Cow;

use divan::{Bencher, black_box};
use elfving::estimate::minimax::MinimaxProblem;
use elfving::estimate::{Assumptions, Counted, LeastSquares, Rips, Sampled};
use elfving::numerics::Matrix;
use elfving::pool::{PointId, Pool, Subset, TargetRows, Targets};
use elfving::rounding::{Allocation, Draws};
use elfving::units::{Confidence, Ridge, Tolerance};

fn main() {
    divan::main();
}

fn paper_pool() -> Pool {
    Pool::from_features(support::paper_g()).expect("a pool")
}

fn confidence() -> Confidence {
    Confidence::new(0.05).expect("a confidence")
}

fn assumptions() -> Assumptions {
    Assumptions::new(1.0).and_then(|sigma| sigma.bound(1.0)).expect("assumptions")
}

/// 1275 targets of 50 dimensions.
#[divan::bench(sample_count = 5, args = [1_000, 10_000])]
fn rips_on_the_papers_pool(bencher: Bencher, draws: u64) {
    let pool = paper_pool();
    let weights: Vec<(PointId, f64)> = (0..pool.len()).map(|i| (PointId::new(i), 1.0)).collect();
    let draws = Draws::new(&weights, draws, 1).expect("draws");
    let outcomes = support::normals(2, draws.points().len(), 1).into_vec();
    let rips = Rips::new(assumptions(), confidence());
    bencher.bench_local(|| {
        let gamma = Ridge::new(0.01).expect("a ridge");
        let sampled = Sampled::new(black_box(&pool), &draws, &outcomes, gamma).expect("a sample");
        rips.intervals(&sampled, &Targets::Points(Subset::All)).expect("intervals")
    });
}

#[divan::bench(sample_count = 5)]
fn least_squares_on_the_papers_pool(bencher: Bencher) {
    let pool = paper_pool();
    let counts = (0..pool.len()).map(|i| (PointId::new(i), 2)).collect();
    let allocation = Allocation::new(counts).expect("counts");
    let outcomes = support::normals(2, 2 * pool.len(), 1).into_vec();
    let squares = LeastSquares::new(assumptions(), confidence());
    bencher.bench_local(|| {
        let counted = Counted::new(black_box(&pool), &allocation, &outcomes, Ridge::ZERO).expect("a sample");
        squares.intervals(&counted, &Targets::Points(Subset::All)).expect("intervals")
    });
}

/// Targets × dimensions, to a certified 1e-9.
#[divan::bench(sample_count = 3, args = [(2_000, 50), (5_000, 200)])]
fn minimax_fit(bencher: Bencher, (targets, dimension): (usize, usize)) {
    let rows: Matrix = support::unit_rows(support::normals(3, targets, dimension), 0);
    let values = support::normals(4, targets, 1).into_vec();
    let scales = vec![1.0; targets];
    let towards = vec![0.0; dimension];
    let tolerance = Tolerance::new(1e-9).expect("a tolerance");
    bencher.bench_local(|| {
        let rows = TargetRows::Rows(Cow::Borrowed(black_box(&rows)));
        MinimaxProblem::new(rows, &values, &scales).expect("a problem").solve(&towards, tolerance)
    });
}
