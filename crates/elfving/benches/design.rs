//! Designs to a certified 1e-9, setup excluded: `cargo bench --bench design`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;

use divan::Bencher;
use elfving::design::{Control, Criterion, Design, InteriorPoint, Problem, Solver};
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use elfving::units::{Ridge, Tolerance};

fn main() {
    divan::main();
}

fn solve(pool: &Pool, criterion: Criterion, gamma: f64) -> Design {
    let problem =
        Problem::over_choices(pool, criterion, Ridge::new(gamma).expect("a ridge")).expect("a problem");
    let mut control = Control::new(Tolerance::new(1e-9).expect("a tolerance"));
    InteriorPoint::default().solve(&problem, &mut control).expect("a design")
}

fn features(matrix: elfving::numerics::Matrix) -> Pool {
    Pool::from_features(matrix).expect("a pool")
}

#[divan::bench(sample_count = 5)]
fn paper_g_d(bencher: Bencher) {
    let pool = features(support::paper_g());
    bencher.bench_local(|| solve(&pool, Criterion::D, 0.0));
}

#[divan::bench(sample_count = 3)]
fn paper_g_g_with_ridge(bencher: Bencher) {
    let pool = features(support::paper_g());
    bencher.bench_local(|| solve(&pool, Criterion::G, 0.01));
}

#[divan::bench(sample_count = 3)]
fn paper_rbf_g(bencher: Bencher) {
    let points = Points::new(support::paper_rbf()).expect("points");
    let kernel = Arc::new(Rbf::new(0.025).expect("a kernel"));
    let pool = Pool::from_kernel(kernel, points, None, &Factorisation::default()).expect("a pool");
    bencher.bench_local(|| solve(&pool, Criterion::G, 0.005));
}

#[divan::bench(sample_count = 3, args = [200, 20_000])]
fn xy_of_choices(bencher: Bencher, choices: usize) {
    let pool =
        Pool::from_features_with_choices(support::normals(23, 1000, 20), support::normals(22, choices, 20))
            .expect("a pool");
    bencher.bench_local(|| solve(&pool, Criterion::Xy, 0.01));
}

/// Growth with n at d = 20 and with d at n = 20 d.
#[divan::bench(sample_count = 3, args = [(1_000, 20), (10_000, 20), (100_000, 20), (1_000_000, 20), (100, 5), (1_000, 50), (2_000, 100), (4_000, 200)])]
fn d_optimal(bencher: Bencher, (n, d): (usize, usize)) {
    let pool = features(support::normals(5, n, d));
    bencher.bench_local(|| solve(&pool, Criterion::D, 0.0));
}
