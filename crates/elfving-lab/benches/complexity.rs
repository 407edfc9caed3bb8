//! Every quantity on 1,000 points in 100 dimensions: `cargo bench --bench complexity`.

#[path = "../../elfving/tests/support/mod.rs"]
mod support;

use divan::Bencher;
use elfving::pool::Pool;
use elfving::units::{Ridge, Tolerance};
use elfving_lab::complexity::{
    Over, Truth, characteristic_time, effective_dimension, epsilon_bar, floor, greedy_information_gain,
    information_gain, near_best_variance, rho_star, worst_subset, worst_variance,
};

fn main() {
    divan::main();
}

fn pool() -> Pool {
    Pool::from_features(support::unit_rows(support::normals(9, 1000, 100), 0)).expect("a pool")
}

fn truth(pool: &Pool) -> Truth {
    Truth::from_theta(pool, support::unit_rows(support::normals(10, 1, 100), 0).into_vec()).expect("a truth")
}

fn tolerance() -> Tolerance {
    Tolerance::new(1e-6).expect("a tolerance")
}

fn ridge() -> Ridge {
    Ridge::new(0.01).expect("a ridge")
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn f_points(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| worst_variance(&pool, Over::Points, ridge(), tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn f_differences(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| worst_variance(&pool, Over::Differences, ridge(), tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn effective_dimensions(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| effective_dimension(&pool, ridge(), tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn information_gain_continuous(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| information_gain(&pool, 1000.0, 1.0, tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn information_gain_greedy(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| greedy_information_gain(&pool, 1000, 1.0));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn f_bar_enclosed(bencher: Bencher) {
    let pool = pool();
    bencher.bench_local(|| worst_subset(&pool, ridge(), tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn rho(bencher: Bencher) {
    let pool = pool();
    let truth = truth(&pool);
    bencher.bench_local(|| rho_star(&pool, &truth, ridge(), 0.05, tolerance()));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn g(bencher: Bencher) {
    let pool = pool();
    let truth = truth(&pool);
    bencher.bench_local(|| near_best_variance(&pool, &truth, ridge(), 0.3, tolerance()));
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn epsilon_bar_and_floor(bencher: Bencher) {
    let pool = pool();
    let truth = truth(&pool);
    bencher.bench_local(|| {
        let bar = epsilon_bar(&pool, &truth, Ridge::ZERO, 0.001, Over::Points, tolerance());
        (bar, floor(&pool, ridge(), 1.0, 0.001, tolerance()))
    });
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn t_star(bencher: Bencher) {
    let pool = pool();
    let truth = truth(&pool);
    bencher.bench_local(|| characteristic_time(&pool, &truth, None, tolerance()));
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn t_star_with_a_norm_bound(bencher: Bencher) {
    let pool = pool();
    let truth = truth(&pool);
    let bound = Some(truth.norm);
    bencher.bench_local(|| {
        characteristic_time(&pool, &truth, bound, Tolerance::new(1e-4).expect("a tolerance"))
    });
}
