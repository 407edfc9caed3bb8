//! The baselines: what they measure first, worked out by hand, and that they earn their names.

#[path = "support/rbf100.rs"]
mod rbf100;

use elfving::bandit::{Bandit, Baseline, Goal, Outcome, Question};
use elfving::estimate::Assumptions;
use elfving::linalg::{Cholesky, Matrix, dot};
use elfving::rounding::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

const SIGMA: f64 = 0.1;

fn question(horizon: u64, seed: u64) -> Question {
    let assumptions = Assumptions::new(SIGMA).unwrap().bound(1.0).unwrap().norm(rbf100::NORM).unwrap();
    Question::new(rbf100::pool(), assumptions, Goal::Regret { horizon: Some(horizon) }).unwrap().seed(seed)
}

/// Outcome of measurement t at a point: the same whoever asks.
fn measure(point: usize, t: u64, seed: u64) -> f64 {
    let noise: f64 = StandardNormal.sample(&mut stream(seed, t, Purpose::new("test-noise")));
    rbf100::MEANS[point] + SIGMA * noise
}

/// The points measured until the horizon.
fn play(baseline: Baseline, horizon: u64, batch: usize, seed: u64) -> Vec<usize> {
    let mut bandit = Bandit::new(baseline.start(question(horizon, seed)).unwrap());
    let mut measured = Vec::new();
    while !bandit.finished() {
        for slot in bandit.ask(batch).unwrap() {
            let point = slot.point.index();
            bandit.tell(slot.id, Outcome::Value(measure(point, slot.id.number(), seed))).unwrap();
            measured.push(point);
        }
    }
    assert_eq!(measured.len() as u64, horizon);
    measured
}

fn regret(points: &[usize]) -> f64 {
    points.iter().map(|&point| 1.0 - rbf100::MEANS[point]).sum()
}

/// Mean and standard deviation of the Gaussian process at every point, from the kernel matrix of the data.
fn dense_posterior(data: &[(usize, f64)], noise: f64) -> Vec<(f64, f64)> {
    let kernel = |i: usize, j: usize| (-((i as f64 - j as f64) / 99.0).powi(2) / (2.0 * 0.04)).exp();
    let t = data.len();
    let gram = Matrix::from_fn(t, t, |a, b| kernel(data[a].0, data[b].0) + if a == b { noise } else { 0.0 });
    let factor = Cholesky::new(gram).unwrap();
    let mut alpha: Vec<f64> = data.iter().map(|&(_, y)| y).collect();
    factor.solve(&mut alpha);
    (0..100)
        .map(|i| {
            let cross: Vec<f64> = data.iter().map(|&(j, _)| kernel(i, j)).collect();
            let mut image = cross.clone();
            factor.solve(&mut image);
            (dot(&cross, &alpha), (1.0 - dot(&cross, &image)).max(0.0).sqrt())
        })
        .collect()
}

#[test]
fn gp_ucb_measures_what_the_kernel_form_of_its_index_says() {
    let measured = play(Baseline::GpUcb, 40, 1, 3);
    let mut data: Vec<(usize, f64)> = Vec::new();
    for (t, &point) in measured.iter().enumerate() {
        let step = (t + 1) as f64;
        let beta = 2.0 * (100.0 * step * step * std::f64::consts::PI.powi(2) / (6.0 * 0.05)).ln();
        let index: Vec<f64> = dense_posterior(&data, SIGMA * SIGMA)
            .iter()
            .map(|(mean, deviation)| mean + beta.sqrt() * deviation)
            .collect();
        let largest = index.iter().copied().fold(f64::MIN, f64::max);
        // Up to the factorisation of the kernel: 1e-12 in a variance is 1e-6 in a deviation of nearly 0.
        assert!(index[point] >= largest - 1e-6, "measurement {t}: {} at {point}, {largest}", index[point]);
        data.push((point, measure(point, t as u64, 3)));
    }
}

#[test]
fn random_measures_every_point_about_equally_often() {
    let mut counts = [0.0; 100];
    play(Baseline::Random, 10_000, 50, 1).into_iter().for_each(|point| counts[point] += 1.0);
    let chi_squared: f64 = counts.iter().map(|count: &f64| (count - 100.0).powi(2) / 100.0).sum();
    // 99 degrees of freedom: mean 99, standard deviation 14.
    assert!((57.0..169.0).contains(&chi_squared), "{chi_squared}");
}

#[test]
fn whoever_learns_loses_far_less_than_whoever_does_not() {
    let random = regret(&play(Baseline::Random, 2_000, 1, 5));
    for (baseline, share) in [(Baseline::GpUcb, 0.05)] {
        for batch in [1, 10] {
            let lost = regret(&play(baseline, 2_000, batch, 5));
            println!("{} in batches of {batch}: {lost:.1}, random {random:.1}", baseline.name());
            assert!(lost < share * random, "{} lost {lost}, random {random}", baseline.name());
        }
    }
}

#[test]
fn greedy_repeats_the_point_of_the_largest_estimate() {
    let measured = play(Baseline::Greedy, 50, 1, 2);
    let mut data: Vec<(usize, f64)> = Vec::new();
    for (t, &point) in measured.iter().enumerate() {
        if t > 0 {
            let means: Vec<f64> =
                dense_posterior(&data, SIGMA * SIGMA).iter().map(|&(mean, _)| mean).collect();
            let largest = means.iter().copied().fold(f64::MIN, f64::max);
            assert!(means[point] >= largest - 1e-9);
        }
        data.push((point, measure(point, t as u64, 2)));
    }
}
