//! Pivoted Cholesky of an RBF kernel on points in the unit cube: O(n r²).

use std::sync::Arc;

use divan::Bencher;
use elfving::numerics::Matrix;
use elfving::pool::kernels::Rbf;
use elfving::pool::{Factorisation, Points, feature_maps::PivotedCholeskyFeatures};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

fn cube(n: usize) -> Points {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let uniform = |_, _| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    Points::new(Matrix::from_fn(n, 3, uniform)).expect("a finite table")
}

/// Lengthscale 0.5, residual 1e-12: rank about 580.
#[divan::bench(args = [10_000, 100_000], sample_count = 3, sample_size = 1)]
fn to_residual(bencher: Bencher, n: usize) {
    let kernel = Arc::new(Rbf::new(0.5).expect("a positive lengthscale"));
    let map = PivotedCholeskyFeatures::new(kernel, Factorisation::default());
    bencher.with_inputs(|| cube(n)).bench_refs(|points| map.factorise(points).expect("a kernel"));
}

/// The same pool stopped at a rank: doubling it takes four times as long.
#[divan::bench(args = [100, 200, 400], sample_count = 3, sample_size = 1)]
fn to_rank_10_000_points(bencher: Bencher, rank: usize) {
    let kernel = Arc::new(Rbf::new(0.5).expect("a positive lengthscale"));
    let map = PivotedCholeskyFeatures::new(kernel, Factorisation::default().max_rank(rank));
    bencher.with_inputs(|| cube(10_000)).bench_refs(|points| map.factorise(points).expect("a kernel"));
}
