//! The baselines: what they measure first, worked out by hand, and that they earn their names.

use crate::rbf100;

use elfving::bandit::{Bandit, BanditError, Goal, Next, Outcome, Question, Reading, Reason, Status, Wanted};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::rng::{Purpose, stream};
use elfving::numerics::{Cholesky, Matrix, dot};
use elfving::pool::Pool;
use elfving_lab::baselines::Baseline;
use rand_distr::{Distribution, StandardNormal};

const SIGMA: f64 = 0.1;
/// The bound on the norm of the truth, 1.294.
const NORM: f64 = 1.3;
/// The point of the largest mean.
const BEST: usize = 89;

fn question(horizon: u64, seed: u64) -> Question {
    let assumptions = Assumptions::new(SIGMA).unwrap().bound(1.0).unwrap().norm(NORM).unwrap();
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
            bandit.tell(slot.id, Outcome::from(measure(point, slot.id.number(), seed))).unwrap();
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

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
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
    let shares = [
        (Baseline::GpUcb, 0.05),
        (Baseline::IgpUcb, 0.1),
        (Baseline::GpTs, 0.05),
        (Baseline::KernelUcb, 0.05),
        (Baseline::Bpe, 0.2),
        (Baseline::Reds, 0.2),
        (Baseline::Rage, 0.6),
    ];
    for (baseline, share) in shares {
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

/// The index of a baseline in the kernel form, from the posterior mean and deviation and ½ ln det of the data.
type KernelIndex = fn(mean: f64, deviation: f64, t: f64, information: f64) -> f64;

fn half_log_det(data: &[(usize, f64)], noise: f64) -> f64 {
    let kernel = |i: usize, j: usize| (-((i as f64 - j as f64) / 99.0).powi(2) / (2.0 * 0.04)).exp();
    let t = data.len();
    let gram = Matrix::from_fn(t, t, |a, b| kernel(data[a].0, data[b].0) / noise + f64::from(a == b));
    0.5 * Cholesky::new(gram).unwrap().log_det()
}

fn assert_kernel_form(baseline: Baseline, noise: f64, index: KernelIndex) {
    let measured = play(baseline, 40, 1, 4);
    let mut data: Vec<(usize, f64)> = Vec::new();
    for (t, &point) in measured.iter().enumerate() {
        let information = half_log_det(&data, noise);
        let values: Vec<f64> = dense_posterior(&data, noise)
            .iter()
            .map(|&(mean, deviation)| index(mean, deviation, (t + 1) as f64, information))
            .collect();
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        assert!(
            values[point] >= largest - 2e-6,
            "{} at {t}: {} of {largest}",
            baseline.name(),
            values[point]
        );
        data.push((point, measure(point, t as u64, 4)));
    }
}

#[test]
fn igp_ucb_measures_what_the_kernel_form_of_its_index_says() {
    assert_kernel_form(Baseline::IgpUcb, 1.0 + 2.0 / 40.0, |mean, deviation, _, information| {
        let beta = NORM + SIGMA * (2.0 * (information + 1.0 + 20f64.ln())).sqrt();
        mean + beta * deviation
    });
}

#[test]
fn kernel_ucb_measures_what_the_kernel_form_of_its_index_says() {
    // η/√ridge times the deviation, with ridge (σ/S)²: their equation for û.
    assert_kernel_form(Baseline::KernelUcb, (SIGMA / NORM).powi(2), |mean, deviation, _, _| {
        let eta = SIGMA * (2.0 * (2.0 * 40.0 * 100.0 / 0.05f64).ln()).sqrt();
        mean + eta / (SIGMA / NORM) * deviation
    });
}

/// The plans of a policy that works in phases, until the horizon.
fn phases(baseline: Baseline, horizon: u64, seed: u64) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut policy = baseline.start(question(horizon, seed)).unwrap();
    let (mut plans, mut survivors) = (Vec::new(), Vec::new());
    let mut t = 0;
    while let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).unwrap() {
        let points: Vec<usize> = plan.measurements.points().iter().map(|id| id.index()).collect();
        let outcomes: Vec<f64> = points.iter().zip(t..).map(|(&point, t)| measure(point, t, seed)).collect();
        t += points.len() as u64;
        let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
        policy.apply(&decision);
        survivors.push(decision.survivors.iter().map(|id| id.index()).collect());
        plans.push(points);
    }
    (plans, survivors)
}

#[test]
fn bpe_has_the_phases_of_its_paper_and_measures_the_largest_variance() {
    let (plans, _) = phases(Baseline::Bpe, 1_000, 1);
    let lengths: Vec<usize> = plans.iter().map(Vec::len).collect();
    // ⌈√1000⌉, ⌈√(1000 · 32)⌉, ⌈√(1000 · 179)⌉, ⌈√(1000 · 424)⌉ cut at the horizon.
    assert_eq!(lengths, [32, 179, 424, 365]);
    let mut data: Vec<(usize, f64)> = Vec::new();
    for &point in &plans[0] {
        let deviations: Vec<f64> = match data.len() {
            0 => vec![1.0; 100],
            _ => dense_posterior(&data, SIGMA * SIGMA).iter().map(|&(_, deviation)| deviation).collect(),
        };
        let largest = deviations.iter().copied().fold(0.0, f64::max);
        assert!(deviations[point] >= largest - 1e-6);
        data.push((point, 0.0));
    }
}

#[test]
fn phases_measure_survivors_only_and_keep_the_best() {
    for (baseline, first) in [(Baseline::Bpe, 100), (Baseline::Reds, 100)] {
        let (plans, survivors) = phases(baseline, 10_000, 2);
        assert_eq!(plans[0].len(), first);
        for (plan, active) in plans.iter().skip(1).zip(&survivors) {
            assert!(plan.iter().all(|point| active.contains(point)), "{}", baseline.name());
        }
        let last = survivors.last().unwrap();
        assert!(last.contains(&BEST) && last.len() < 30, "{}: {last:?}", baseline.name());
    }
}

#[test]
fn rage_measures_as_often_as_its_paper_says() {
    // e_1 and e_2: half of the measurements each, f = ‖e_1 - e_2‖² = 4.
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let assumptions = Assumptions::new(0.5).unwrap();
    let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.0 }).unwrap();
    let mut policy = Baseline::Rage.start(question).unwrap();
    for round in 1..4u32 {
        let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).unwrap() else { panic!("round {round}") };
        let t = f64::from(round);
        let wanted = 8.0 * 4f64.powf(t + 1.0) * 0.25 * 4.0 * (4.0 * t * t / 0.05).ln();
        let length = plan.measurements.len() as f64;
        assert!((length - wanted).abs() <= 1.0 + 1e-3 * wanted, "round {round}: {length}, {wanted}");
        // A gap of 0.1 is 2^-(t+2) in round 2 for the first time.
        let outcomes: Vec<f64> =
            plan.measurements.points().iter().map(|id| 0.1 * id.index() as f64).collect();
        let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
        policy.apply(&decision);
        assert_eq!(decision.survivors.len(), if round < 2 { 2 } else { 1 });
        if round == 2 {
            assert_eq!(decision.survivors[0].index(), 1);
            assert_eq!(policy.status(), Status::Finished(Reason::Reached));
            return;
        }
    }
}

#[test]
fn rage_chooses_among_points_that_it_does_not_measure() {
    let measurable = Matrix::identity(3);
    let choices = Matrix::from_rows(&[[0.6, 0.6, 0.0], [0.5, 0.5, 0.5], [-0.5, 0.8, 0.1], [0.7, 0.0, 0.7]]);
    let theta = [0.5, 0.6, -0.4];
    let pool = Pool::from_features_with_choices(measurable, choices).unwrap();
    let question = Question::new(pool, Assumptions::new(0.2).unwrap(), Goal::Best { epsilon: 0.0 }).unwrap();
    let mut bandit = Bandit::new(Baseline::Rage.start(question).unwrap());
    while !bandit.finished() {
        for slot in bandit.ask(1_000).unwrap() {
            let noise: f64 =
                StandardNormal.sample(&mut stream(9, slot.id.number(), Purpose::new("test-noise")));
            bandit.tell(slot.id, Outcome::from(theta[slot.point.index()] + 0.2 * noise)).unwrap();
        }
    }
    assert_eq!(bandit.report().picks[0].index(), 0);
}

#[test]
fn a_map_is_not_for_those_who_look_for_the_best() {
    let light = Assumptions::new(0.1).unwrap().tails(Tails::SubGaussian).norm(NORM).unwrap();
    let question = Question::new(rbf100::pool(), light, Goal::Map { epsilon: 0.1 }).unwrap();
    for baseline in Baseline::ALL {
        let refused = baseline.start(question.clone());
        assert!(matches!(refused, Err(BanditError::OtherGoal { .. })), "{baseline:?}");
    }
}
