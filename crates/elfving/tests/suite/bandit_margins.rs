//! How wrong an assumption may be: at the margin the verdict turns, and not before.

use crate::rbf100;

use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret};
use elfving::bandit::{
    Bandit, Decision, Goal, Margins, Next, Plan, Policy, Question, Reading, Report, Status, Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// S, σ, B and h, to be changed one at a time.
#[derive(Debug, Clone, Copy)]
struct Assumed {
    norm: f64,
    sigma: f64,
    bound: f64,
    h: f64,
}

const ASSUMED: Assumed = Assumed { norm: 1.3, sigma: 0.1, bound: 1.0, h: 0.001 };

impl Assumed {
    fn assumptions(self) -> Assumptions {
        let Self { norm, sigma, bound, h } = self;
        let all = Assumptions::new(sigma).unwrap().bound(bound).unwrap().norm(norm).unwrap();
        all.misspecification(h).unwrap().tails(Tails::SubGaussian)
    }

    /// Each with one of them at `factor` times its margin.
    fn at(self, margins: Margins, factor: f64) -> Vec<(&'static str, Self)> {
        let moved = [
            ("S", margins.norm.map(|norm| Self { norm: factor * norm, ..self })),
            ("sigma", margins.sigma.map(|sigma| Self { sigma: factor * sigma, ..self })),
            ("B", margins.bound.map(|bound| Self { bound: factor * bound, ..self })),
            ("h", margins.misspecification.map(|h| Self { h: factor * h, ..self })),
        ];
        moved.into_iter().filter_map(|(name, moved)| moved.map(|moved| (name, moved))).collect()
    }
}

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

fn question(goal: Goal) -> Question {
    Question::new(rbf100::pool(), ASSUMED.assumptions(), goal).unwrap()
}

type Record = Vec<(Plan, Vec<f64>, Decision)>;

/// Runs a policy to the end (for regret, three rounds), and keeps plans, outcomes and decisions.
fn run(policy: &mut dyn Policy) -> Record {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut record = Record::new();
    while policy.status() == Status::Measuring && record.len() < 3 {
        let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).unwrap() else { break };
        let noise = |random: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(random) };
        let outcomes: Vec<f64> = plan
            .measurements
            .points()
            .iter()
            .map(|id| rbf100::MEANS[id.index()] + 0.1 * noise(&mut random))
            .collect();
        let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
        policy.apply(&decision);
        record.push((plan, outcomes, decision));
    }
    record
}

fn checked(report: &Report, needs_bound: bool, would_stand: impl Fn(&Assumptions) -> bool) {
    let margins = report.margins;
    println!("{}: {margins:?}", report.policy);
    assert!(margins.norm.unwrap() >= ASSUMED.norm && margins.sigma.unwrap() >= ASSUMED.sigma);
    assert!(margins.misspecification.unwrap() >= ASSUMED.h);
    assert_eq!(margins.bound.is_some(), needs_bound);
    assert!(would_stand(&ASSUMED.assumptions()));
    for (name, moved) in ASSUMED.at(margins, 1.0 - 1e-6) {
        assert!(would_stand(&moved.assumptions()), "{}: {name} below its margin", report.policy);
    }
    for (name, moved) in ASSUMED.at(margins, 1.0 + 1e-3) {
        assert!(!would_stand(&moved.assumptions()), "{}: {name} above its margin", report.policy);
    }
}

const BEST: Goal = Goal::Best { epsilon: 0.1 };
const REGRET: Goal = Goal::Regret { horizon: Some(100_000) };

#[test]
fn the_verdict_turns_at_the_margins() {
    let mut policy = RipsBest::new(question(BEST)).unwrap();
    run(&mut policy);
    checked(&policy.report(), true, |assumptions| policy.would_stand(assumptions));
    let mut policy = RipsBest::new(question(Goal::Top { count: 3, epsilon: 0.1 })).unwrap();
    run(&mut policy);
    checked(&policy.report(), true, |assumptions| policy.would_stand(assumptions));
    let mut policy = RipsRegret::new(question(REGRET)).unwrap();
    run(&mut policy);
    checked(&policy.report(), true, |assumptions| policy.would_stand(assumptions));
    let mut policy = PtrBest::new(question(BEST)).unwrap();
    run(&mut policy);
    checked(&policy.report(), false, |assumptions| policy.would_stand(assumptions));
    let mut policy = PtrRegret::new(question(REGRET)).unwrap();
    run(&mut policy);
    checked(&policy.report(), false, |assumptions| policy.would_stand(assumptions));
}

/// Least squares estimates do not depend on what is assumed: the same plans and outcomes, decided by a policy that was told
/// something else.
#[test]
fn a_policy_told_the_margin_decides_the_same_and_one_told_more_does_not() {
    let mut first = PtrRegret::new(question(REGRET)).unwrap();
    let record = run(&mut first);
    let report = first.report();
    assert!(!report.eliminated.is_empty());
    let decides_the_same = |assumed: Assumed| {
        let question = Question::new(rbf100::pool(), assumed.assumptions(), REGRET).unwrap();
        let mut policy = PtrRegret::new(question).unwrap();
        record.iter().all(|(plan, outcomes, decision)| {
            let computed = policy.learn(plan, &readings(outcomes)).unwrap();
            // The rounds that follow are those on record.
            policy.apply(decision);
            decision.survivors.iter().all(|kept| computed.survivors.contains(kept))
                && computed.survivors == decision.survivors
        })
    };
    assert!(decides_the_same(ASSUMED));
    for (name, moved) in ASSUMED.at(report.margins, 1.0 - 1e-6) {
        assert!(decides_the_same(moved), "{name} below its margin");
    }
    for (name, moved) in ASSUMED.at(report.margins, 1.0 + 1e-3) {
        assert!(!decides_the_same(moved), "{name} above its margin");
    }
}

#[test]
fn there_are_no_margins_before_there_is_a_verdict() {
    let mut policy = PtrBest::new(question(Goal::Best { epsilon: 0.0 })).unwrap();
    assert_eq!(policy.report().margins, Margins::default());
    let _ = policy.plan(&Wanted::batch(1)).unwrap();
    assert_eq!(policy.report().margins, Margins::default());
    assert!(Bandit::new(Box::new(policy)).report().to_string().contains("measuring"));
}
