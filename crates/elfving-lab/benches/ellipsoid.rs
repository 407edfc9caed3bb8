//! Sequential policies, setup excluded: `cargo bench --bench ellipsoid`.

#[path = "../../elfving/tests/support/mod.rs"]
mod support;

use divan::Bencher;
use elfving::bandit::{EllipsoidBest, EllipsoidRegret, Goal, Next, Policy, Question, Reading, Wanted};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::dot;
use elfving::pool::{PointId, Pool};
use elfving_lab::baselines::Baseline;

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

fn main() {
    divan::main();
}

/// 1,000 points in 100 dimensions of falling scale, as a kernel's features are.
fn pool(points: usize, dimension: usize) -> Pool {
    let mut features = support::normals(6, points, dimension);
    for i in 0..points {
        features.row_mut(i).iter_mut().enumerate().for_each(|(j, value)| *value *= 0.95f64.powi(j as i32));
    }
    Pool::from_features(support::unit_rows(features, 0)).expect("a pool")
}

fn question(points: usize, dimension: usize, goal: Goal) -> Question {
    let assumptions = Assumptions::new(0.1).and_then(|sigma| sigma.norm(1.0)).expect("assumptions");
    Question::new(pool(points, dimension), assumptions.tails(Tails::SubGaussian), goal).expect("a question")
}

/// One round: plan, measure, decide.
fn step(policy: &mut dyn Policy, features: &Pool, batch: usize) {
    let Next::Measure(plan) = policy.plan(&Wanted::batch(batch)).expect("a plan") else {
        panic!("it has stopped")
    };
    let mean = |id: &elfving::pool::PointId| {
        let row = features.features().row(id.index());
        dot(&row[..2], &[0.6, 0.8]) + 0.1 * (id.index() as f64).sin()
    };
    let outcomes: Vec<f64> = plan.measurements.points().iter().map(mean).collect();
    let decision = policy.learn(&plan, &readings(&outcomes)).expect("a decision");
    policy.apply(&decision);
}

/// Points × dimension.
const SIZES: [(usize, usize); 2] = [(100, 30), (1_000, 100)];

#[divan::bench(args = SIZES)]
fn a_batch_of_ten_for_the_best(bencher: Bencher, (points, dimension): (usize, usize)) {
    let question = question(points, dimension, Goal::Best { epsilon: 0.0 });
    let pool = question.pool.clone();
    let mut policy = EllipsoidBest::new(question).expect("a policy");
    (0..5).for_each(|_| step(&mut policy, &pool, 10));
    bencher.bench_local(|| step(&mut policy, &pool, 10));
}

#[divan::bench(args = SIZES)]
fn the_report_of_the_best(bencher: Bencher, (points, dimension): (usize, usize)) {
    let question = question(points, dimension, Goal::Best { epsilon: 0.0 });
    let pool = question.pool.clone();
    let mut policy = EllipsoidBest::new(question).expect("a policy");
    (0..20).for_each(|_| step(&mut policy, &pool, 10));
    bencher.bench_local(|| policy.report());
}

/// One outcome more, and whether measuring may stop: every ellipsoid, twelve models that bet, 300 different points measured.
#[divan::bench(args = [(1_000, 100)])]
fn a_look_at_the_stop(bencher: Bencher, (points, dimension): (usize, usize)) {
    let question = question(points, dimension, Goal::Best { epsilon: 0.0 });
    let pool = question.pool.clone();
    let mut policy = EllipsoidBest::new(question).expect("a policy");
    let outcome = |id: PointId| {
        let row = pool.features().row(id.index());
        Reading::from(dot(&row[..2], &[0.6, 0.8]) + 0.1 * (id.index() as f64).sin())
    };
    let told: Vec<(PointId, Reading)> =
        (0..300).map(|i| PointId::new(3 * i)).map(|id| (id, outcome(id))).collect();
    policy.note(&told).expect("it reuses all data");
    bencher.bench_local(|| {
        policy.note(&told[..1]).expect("it reuses all data");
        policy.status()
    });
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn ten_thousand_steps_of_gp_ucb(bencher: Bencher, (points, dimension): (usize, usize)) {
    let question = question(points, dimension, Goal::Regret { horizon: None });
    let pool = question.pool.clone();
    bencher
        .with_inputs(|| Baseline::GpUcb.start(question.clone()).expect("a policy"))
        .bench_local_refs(|policy| (0..10_000).for_each(|_| step(policy.as_mut(), &pool, 1)));
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn ten_thousand_steps_of_certified_regret(bencher: Bencher, (points, dimension): (usize, usize)) {
    let question = question(points, dimension, Goal::Regret { horizon: None });
    let pool = question.pool.clone();
    bencher
        .with_inputs(|| EllipsoidRegret::new(question.clone()).expect("a policy"))
        .bench_local_refs(|policy| (0..10_000).for_each(|_| step(policy, &pool, 1)));
}
