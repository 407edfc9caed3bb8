//! A certified round, planned and decided: `cargo bench --bench bandit`.

#[path = "../tests/support/mod.rs"]
mod support;

use divan::{Bencher, black_box};
use elfving::bandit::elimination::{PtrBest, RipsBest, RipsRegret};
use elfving::bandit::{Decision, Goal, Next, Policy, Question, Reading, Wanted};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::apply;
use elfving::pool::Pool;

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

fn main() {
    divan::main();
}

/// 1,000 candidates of rank 100 with a linear truth.
struct World {
    pool: Pool,
    means: Vec<f64>,
}

impl World {
    fn new() -> Self {
        let pool =
            Pool::from_features(support::unit_rows(support::normals(5, 1_000, 100), 0)).expect("a pool");
        let theta: Vec<f64> = (0..100).map(|k| if k < 4 { 0.5 } else { 0.0 }).collect();
        let means = apply(pool.features(), &theta);
        Self { pool, means }
    }

    fn question(&self, goal: Goal) -> Question {
        let assumptions = Assumptions::new(0.1)
            .and_then(|sigma| sigma.bound(1.0))
            .and_then(|bound| bound.norm(1.0))
            .expect("assumptions")
            .tails(Tails::SubGaussian);
        Question::new(self.pool.clone(), assumptions, goal).expect("a question")
    }

    /// Design to 1e-3, measurements, W for all survivors, decision.
    fn round(&self, mut policy: Box<dyn Policy>) -> Decision {
        let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).expect("a plan") else {
            unreachable!("nothing is known yet")
        };
        let points = plan.measurements.points();
        let noise = |i: usize| 0.1 * (i as f64 * 1.618).sin();
        let outcomes: Vec<f64> =
            points.iter().enumerate().map(|(i, id)| self.means[id.index()] + noise(i)).collect();
        let decision = policy.learn(&plan, &readings(&outcomes)).expect("a decision");
        policy.apply(&decision);
        decision
    }
}

#[divan::bench(sample_count = 3)]
fn rips_best_round(bencher: Bencher) {
    let world = World::new();
    let question = world.question(Goal::Best { epsilon: 0.1 });
    bencher
        .with_inputs(|| Box::new(RipsBest::new(question.clone()).expect("a policy")))
        .bench_local_values(|policy| world.round(black_box(policy)));
}

#[divan::bench(sample_count = 3)]
fn rips_regret_round(bencher: Bencher) {
    let world = World::new();
    let question = world.question(Goal::Regret { horizon: Some(1_000_000) });
    bencher
        .with_inputs(|| Box::new(RipsRegret::new(question.clone()).expect("a policy")))
        .bench_local_values(|policy| world.round(black_box(policy)));
}

#[divan::bench(sample_count = 3)]
fn ptr_best_round(bencher: Bencher) {
    let world = World::new();
    let question = world.question(Goal::Best { epsilon: 0.1 });
    bencher
        .with_inputs(|| Box::new(PtrBest::new(question.clone()).expect("a policy")))
        .bench_local_values(|policy| world.round(black_box(policy)));
}
