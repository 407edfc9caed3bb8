//! The blocked sweep beside the plain product of the same shape: `cargo bench --bench numerics`.
//!
//! Both run on one thread, so that the ratio says what fusing norms and a top-k into the product costs;
//! the third case is the sweep over all threads.

use divan::Bencher;
use divan::counter::ItemsCount;
use elfving::numerics::{Cholesky, Matrix, largest_rows};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

const SHAPES: [(usize, usize); 2] = [(1_000_000, 20), (100_000, 50)];

fn main() {
    divan::main();
}

fn tall(n: usize, d: usize) -> Matrix {
    Matrix::from_fn(n, d, |i, j| ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0 - 0.5)
}

fn transform(d: usize) -> Matrix {
    Matrix::from_fn(d, d, |i, j| if i <= j { 1.0 / (1 + i + j) as f64 } else { 0.0 })
}

fn flops(n: usize, d: usize) -> ItemsCount {
    ItemsCount::new(2 * n * d * d)
}

#[divan::bench(args = SHAPES, sample_count = 10)]
fn plain_product_one_thread(bencher: Bencher, (n, d): (usize, usize)) {
    let (x, t) = (tall(n, d), transform(d));
    let mut out = vec![0.0; n * d];
    bencher.counter(flops(n, d)).bench_local(|| {
        let left = MatRef::from_row_major_slice(x.as_slice(), n, d);
        let right = MatRef::from_row_major_slice(t.as_slice(), d, d);
        matmul(MatMut::from_row_major_slice_mut(&mut out, n, d), Accum::Replace, left, right, 1.0, Par::Seq);
    });
}

#[divan::bench(args = SHAPES, sample_count = 10)]
fn sweep_one_thread(bencher: Bencher, (n, d): (usize, usize)) {
    let (x, t) = (tall(n, d), transform(d));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread pool");
    bencher.counter(flops(n, d)).bench_local(|| pool.install(|| largest_rows(&x, &[&t], 400)));
}

#[divan::bench(args = SHAPES, sample_count = 10)]
fn sweep_all_threads(bencher: Bencher, (n, d): (usize, usize)) {
    let (x, t) = (tall(n, d), transform(d));
    bencher.counter(flops(n, d)).bench_local(|| largest_rows(&x, &[&t], 400));
}

/// A definite matrix whose factor is as dense as any.
fn definite(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| (-(i as f64 - j as f64).abs() / n as f64).exp())
}

#[divan::bench(args = [210, 600, 1275, 3000], sample_count = 10)]
fn factor_one_thread(bencher: Bencher, n: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread pool");
    let factor = |a: Matrix| pool.install(|| Cholesky::new(a));
    bencher.counter(ItemsCount::new(n * n * n / 3)).with_inputs(|| definite(n)).bench_local_values(factor);
}

#[divan::bench(args = [210, 600, 1275, 3000], sample_count = 10)]
fn factor_all_threads(bencher: Bencher, n: usize) {
    bencher
        .counter(ItemsCount::new(n * n * n / 3))
        .with_inputs(|| definite(n))
        .bench_local_values(Cholesky::new);
}
