//! Robust means: one sample, and many directions of one sample.
//!
//! `cargo bench --bench robust_mean`; the large batch is 10⁴ directions × 10⁴ draws of 200 distinct points.

#![allow(clippy::unwrap_used)]

use divan::{Bencher, black_box};
use elfving::estimate::robust_mean::{
    Catoni, DirectionSamples, MedianOfMeans, MomentBound, PlainMean, RobustMean, SoftTruncatedMean,
    TrimmedMean, TruncatedMean,
};
use elfving::numerics::Matrix;
use elfving::units::Confidence;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

fn main() {
    divan::main();
}

fn delta() -> Confidence {
    Confidence::new(0.05 / 1e4).unwrap()
}

/// Student t samples with 2.5 degrees of freedom: variance 5.
fn heavy_samples(n: usize) -> Vec<f64> {
    let law = StudentT::new(2.5).unwrap();
    law.sample_iter(ChaCha8Rng::seed_from_u64(1)).take(n).collect()
}

#[divan::bench(args = ["Catoni mean", "soft truncated mean", "truncated mean", "median of means", "trimmed mean", "plain mean"])]
fn one_sample_of_10000(bencher: Bencher, name: &str) {
    let means: [&dyn RobustMean; 6] = [
        &Catoni::new(delta()),
        &SoftTruncatedMean::new(delta()),
        &TruncatedMean::new(delta()),
        &MedianOfMeans::new(delta()),
        &TrimmedMean::new(delta()),
        &PlainMean::new(delta()),
    ];
    let mean = means.into_iter().find(|mean| mean.name() == name).expect("a name of the list");
    let samples = heavy_samples(10_000);
    let bound = MomentBound::new(5.0).unwrap();
    bencher.bench_local(|| mean.estimate(black_box(&samples), bound).unwrap());
}

struct Batch {
    points: Vec<usize>,
    outcomes: Vec<f64>,
    coefficients: Matrix,
    bounds: Vec<MomentBound>,
}

/// Heavy-tailed outcomes at `distinct` points, each direction with its own coefficients of its own scale.
fn batch(directions: usize, draws: usize, distinct: usize) -> Batch {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let points: Vec<usize> = (0..draws).map(|t| (t * t + 7 * t) % distinct).collect();
    let outcomes = heavy_samples(draws);
    let coefficients = Matrix::from_fn(directions, distinct, |i, _| {
        let normal: f64 = StandardNormal.sample(&mut random);
        (1.0 + (i % 9) as f64) * normal
    });
    let bounds = (0..directions)
        .map(|i| {
            let square = coefficients.row(i).iter().map(|c| c * c).sum::<f64>() / distinct as f64;
            MomentBound::new(5.0 * square).unwrap()
        })
        .collect();
    Batch { points, outcomes, coefficients, bounds }
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [200, 2_000])]
fn catoni_of_10000_directions_and_10000_draws(bencher: Bencher, distinct: usize) {
    let batch = batch(10_000, 10_000, distinct);
    let samples = DirectionSamples::new(&batch.points, &batch.outcomes, &batch.coefficients).unwrap();
    let catoni = Catoni::new(delta());
    bencher.bench_local(|| catoni.estimate_each(black_box(&samples), &batch.bounds).unwrap());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn soft_truncated_mean_of_10000_directions_and_10000_draws(bencher: Bencher) {
    let batch = batch(10_000, 10_000, 200);
    let samples = DirectionSamples::new(&batch.points, &batch.outcomes, &batch.coefficients).unwrap();
    let mean = SoftTruncatedMean::new(delta());
    bencher.bench_local(|| mean.estimate_each(black_box(&samples), &batch.bounds).unwrap());
}
