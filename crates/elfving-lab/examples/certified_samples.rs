//! How many measurements a proof takes: today's theorem against the ellipsoid of all data with one ridge, and with what an earlier
//! campaign predicted.
//!
//! `cargo run --release -p elfving-lab --example certified_samples -- [seeds] [part of a name]`

#[path = "../../elfving/tests/support/rbf100.rs"]
mod rbf100;

use elfving::bandit::{Bandit, Belief, EllipsoidBest, Goal, Outcome, Question, TheoremName};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{Factorisation, Points, Pool, kernels};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

struct Case {
    name: &'static str,
    pool: Pool,
    means: Vec<f64>,
    /// The means of what is chosen among, where that is not what is measured.
    choices: Option<Vec<f64>>,
    sigma: f64,
    norm: f64,
    epsilons: Vec<f64>,
    /// What was predicted of every point beforehand, each to within 0.1.
    belief: Option<Vec<f64>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(20), |text| text.parse())?;
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for case in cases()?.into_iter().filter(|case| case.name.contains(&wanted)) {
        for theorem in [TheoremName::OneRidge, TheoremName::Witnesses] {
            // One ridge does not bet.
            if case.belief.is_some() && theorem == TheoremName::OneRidge {
                continue;
            }
            let means: Vec<String> = case
                .epsilons
                .iter()
                .map(|&epsilon| mean_samples(&case, epsilon, theorem, seeds))
                .collect::<Result<_, _>>()?;
            println!("{:<40} {:<10} {}", case.name, theorem.name(), means.join("  "));
        }
    }
    Ok(())
}

fn mean_samples(
    case: &Case,
    epsilon: f64,
    theorem: TheoremName,
    seeds: u64,
) -> Result<String, Box<dyn std::error::Error>> {
    let choices = case.choices.as_ref().unwrap_or(&case.means);
    let best = choices.iter().copied().fold(f64::MIN, f64::max);
    let mut counts = Vec::new();
    let (mut wrong, mut refuted) = (0, 0);
    for seed in 0..seeds {
        let assumptions = Assumptions::new(case.sigma)?.tails(Tails::SubGaussian).norm(case.norm)?;
        let mut question =
            Question::new(case.pool.clone(), assumptions, Goal::Best { epsilon })?.theorem(theorem);
        if let Some(means) = &case.belief {
            let deviations = vec![0.1; means.len()];
            question = question.believes(Belief::new("an earlier campaign", means.clone(), deviations)?)?;
        }
        let mut bandit = Bandit::new(Box::new(EllipsoidBest::new(question)?));
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut samples = 0;
        while !bandit.finished() && samples < 3000 {
            for slot in bandit.ask(10)? {
                let noise: f64 = StandardNormal.sample(&mut random);
                let outcome = case.means[slot.point.index()] + case.sigma * noise;
                bandit.tell(slot.id, Outcome::from(outcome))?;
                samples += 1;
            }
        }
        let report = bandit.report();
        refuted += u64::from(report.data_check.as_ref().is_some_and(|check| check.refuted));
        let gap = best - choices[report.picks[0].index()];
        wrong += u64::from(report.epsilon.is_some_and(|epsilon| gap > epsilon));
        counts.push(samples as f64);
    }
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / n;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let flags =
        if wrong + refuted > 0 { format!(" [{wrong} wrong, {refuted} refuted]") } else { String::new() };
    Ok(format!("{mean:.1} ({:.1}){flags}", (variance / n).sqrt()))
}

/// The means of a random function of a pool, of norm exactly `norm`.
fn random_truth(pool: &Pool, norm: f64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let theta: Vec<f64> = (0..pool.dimension()).map(|_| StandardNormal.sample(&mut random)).collect();
    let length = elfving::numerics::norm_squared(&theta).sqrt();
    let theta: Vec<f64> = theta.iter().map(|entry| entry * norm / length).collect();
    elfving::numerics::apply(pool.choices(), &theta)
}

fn cases() -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let eighths = vec![1.0 / 8.0, 1.0 / 16.0, 1.0 / 64.0];
    let rbf = |norm, name| Case {
        name,
        pool: rbf100::pool(),
        means: rbf100::MEANS.to_vec(),
        sigma: 0.1,
        norm,
        epsilons: eighths.clone(),
        choices: None,
        belief: None,
    };
    let mut cases =
        vec![rbf(1.3, "rbf100, S = 1.3: 1/8, 1/16, 1/64"), rbf(2.6, "rbf100, S = 2.6: 1/8, 1/16, 1/64")];
    // Off by 0.1 on average, in waves.
    let off = |i: usize| 0.1 * 2f64.sqrt() * (std::f64::consts::TAU * 3.0 * i as f64 / 99.0).sin();
    let right = rbf100::MEANS.iter().enumerate().map(|(i, mean)| mean + off(i)).collect();
    cases.push(Case { belief: Some(right), ..rbf(1.3, "rbf100, earlier campaign off by 0.1") });
    let wrong = rbf100::MEANS.iter().map(|mean| -mean).collect();
    cases.push(Case { belief: Some(wrong), ..rbf(1.3, "rbf100, earlier campaign of the wrong sign") });
    let line = Matrix::from_fn(100, 1, |i, _| i as f64 / 99.0);
    let kernel = kernels::Rbf::new(0.05)?;
    let short =
        Pool::from_kernel(std::sync::Arc::new(kernel), Points::new(line)?, None, &Factorisation::default())?;
    cases.push(Case {
        name: "length scale .05, S = 1.66: 1/32",
        means: random_truth(&short, 1.66, 1),
        pool: short,
        sigma: 0.1,
        norm: 1.66,
        epsilons: vec![1.0 / 32.0],
        choices: None,
        belief: None,
    });
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut rows = Matrix::from_fn(60, 12, |_, _| StandardNormal.sample(&mut random));
    let lengths: Vec<f64> =
        (0..60).map(|i| elfving::numerics::norm_squared(rows.row(i)).sqrt().recip()).collect();
    rows.scale_rows(&lengths);
    let linear = Pool::from_features(rows)?;
    cases.push(Case {
        name: "linear 60 x 12, sigma = .3, S = 1: 1/8",
        means: random_truth(&linear, 1.0, 2),
        pool: linear,
        sigma: 0.3,
        norm: 1.0,
        epsilons: vec![1.0 / 8.0],
        choices: None,
        belief: None,
    });
    let mut normals =
        |rows, columns| Matrix::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut random));
    let (measured, chosen) = (normals(40, 6), normals(25, 6));
    let theta = [0.3, -0.2, 0.1, 0.4, -0.3, 0.2];
    cases.push(Case {
        name: "40 measured, 25 others chosen, linear in 6, sigma = .3, S = 1: 1/4",
        means: elfving::numerics::apply(&measured, &theta),
        choices: Some(elfving::numerics::apply(&chosen, &theta)),
        pool: Pool::from_features_with_choices(measured, chosen)?,
        sigma: 0.3,
        norm: 1.0,
        epsilons: vec![1.0 / 4.0],
        belief: None,
    });
    Ok(cases)
}
