//! What every policy must do, run against all of them.
use elfving::bandit::{
    Algorithm, Bandit, BanditError, Goal, Guarantee, Next, Outcome, Policy, Question, Reading, Report, Slot,
    Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, PointId, Pool};
use elfving_lab::AnyAlgorithm;
use elfving_lab::baselines::Baseline;

type Start = Box<dyn Fn(Question) -> Result<Box<dyn Policy>, BanditError>>;

/// Every algorithm with every goal that it answers.
fn policies() -> Vec<(String, Goal, Start)> {
    let goals = [
        Goal::Regret { horizon: Some(120) },
        Goal::Best { epsilon: 0.1 },
        Goal::Top { count: 2, epsilon: 0.2 },
        Goal::AllGood { epsilon: 0.2 },
    ];
    let mut all: Vec<(String, Goal, Start)> = Vec::new();
    for algorithm in AnyAlgorithm::all() {
        for goal in goals.into_iter().filter(|goal| answers(algorithm, goal)) {
            let start: Start = Box::new(move |question| algorithm.start(question));
            all.push((format!("{} ({goal})", algorithm.name()), goal, start));
        }
    }
    all
}

fn answers(algorithm: AnyAlgorithm, goal: &Goal) -> bool {
    match (algorithm, goal) {
        (AnyAlgorithm::Baseline(baseline), Goal::Best { .. }) => {
            [Baseline::Rage, Baseline::Random, Baseline::GpUcb].contains(&baseline)
        }
        (AnyAlgorithm::Baseline(_), goal) => matches!(goal, Goal::Regret { .. }),
        (AnyAlgorithm::Core(Algorithm::Calibrated(_)), _) => true,
        (_, Goal::Regret { .. }) => algorithm.name().contains("-regret"),
        (_, Goal::Best { .. }) => algorithm.name().contains("-best"),
        // The paper has no such goals.
        _ => algorithm.name().ends_with("-best"),
    }
}

/// 30 points in 4 dimensions; three of them twice.
fn pool() -> Pool {
    let entry = |i: usize, j: usize| (((i % 27) * 7 + j * 5 + (i % 27) * j * 3) % 17) as f64 / 17.0 - 0.4;
    Pool::from_features(Matrix::from_fn(30, 4, entry)).unwrap()
}

fn question(pool: Pool, goal: Goal) -> Question {
    let light =
        Assumptions::new(0.2).unwrap().tails(Tails::SubGaussian).norm(1.0).unwrap().bound(1.0).unwrap();
    Question::new(pool, light, goal).unwrap().seed(11)
}

/// The same for the same slot: a mean and a wobble.
fn measure(pool: &Pool, slot: Slot) -> f64 {
    let features = pool.features().row(slot.point.index());
    let mean: f64 = features.iter().zip([0.6, -0.3, 0.5, 0.2]).map(|(x, theta)| x * theta).sum();
    mean + 0.2 * ((slot.id.number() as f64) * 2.399).sin()
}

/// Plays until it stops or 400 measurements are in; `order` says in which order a batch is told.
fn play(
    policy: Box<dyn Policy>,
    pool: &Pool,
    batch: usize,
    order: impl Fn(&mut Vec<Slot>),
) -> (Vec<PointId>, Report) {
    let mut bandit = Bandit::new(policy);
    let mut asked = Vec::new();
    while !bandit.finished() && asked.len() < 400 {
        let mut slots = bandit.ask(batch).unwrap();
        assert!((1..=batch).contains(&slots.len()), "{} slots of {batch}", slots.len());
        asked.extend(slots.iter().map(|slot| slot.point));
        order(&mut slots);
        for slot in slots {
            bandit.tell(slot.id, Outcome::from(measure(pool, slot))).unwrap();
        }
        assert_sound(&bandit.report(), pool);
    }
    (asked, bandit.report())
}

/// Finite numbers, survivors in pool order, picks among them.
fn assert_sound(report: &Report, pool: &Pool) {
    let finite = |number: Option<f64>| number.is_none_or(f64::is_finite);
    assert!(finite(report.epsilon) && finite(report.floor), "{report}");
    let margins = report.margins;
    assert!([margins.norm, margins.sigma, margins.bound, margins.misspecification].into_iter().all(finite));
    for interval in &report.intervals {
        assert!(interval.lower <= interval.estimate && interval.estimate <= interval.upper);
        assert!((interval.lower + interval.upper).is_finite());
    }
    for elimination in &report.eliminated {
        assert!(elimination.difference.is_finite() && elimination.threshold.is_finite());
        assert!(!report.survivors.contains(&elimination.choice));
    }
    assert!(report.survivors.is_sorted() && !report.survivors.is_empty());
    assert!(!report.picks.is_empty() && report.picks.iter().all(|pick| report.survivors.contains(pick)));
    // Calibrated survivors are those whose interval reaches into that of the pick: nobody is out for good.
    if report.guarantee != Guarantee::Calibrated {
        assert_eq!(report.survivors.len() + report.eliminated.len(), pool.choice_count());
    }
    assert!(report.intervals.is_empty() || report.intervals.len() == report.survivors.len());
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

#[test]
fn a_plan_is_the_same_when_it_is_asked_again() {
    for (name, goal, start) in policies() {
        let mut policy = start(question(pool(), goal)).unwrap();
        for round in 0..3 {
            let first = policy.plan(&Wanted::batch(7)).unwrap();
            assert_eq!(first, policy.plan(&Wanted::batch(7)).unwrap(), "{name}, round {round}");
            let Next::Measure(plan) = first else { break };
            let outcomes: Vec<f64> =
                plan.measurements.points().iter().map(|id| id.index() as f64 / 30.0).collect();
            let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
            policy.apply(&decision);
        }
    }
}

#[test]
fn the_order_of_telling_changes_nothing() {
    for (name, goal, start) in policies() {
        for batch in [7, 50] {
            let straight = play(start(question(pool(), goal)).unwrap(), &pool(), batch, |_| ());
            let reversed =
                play(start(question(pool(), goal)).unwrap(), &pool(), batch, |slots| slots.reverse());
            if name.starts_with("ellipsoid") {
                // Each outcome is bet on from those told before it, so the bounds depend on the order; the answer does not.
                let (one, other) = (&straight.1, &reversed.1);
                assert_eq!((&one.picks, one.status), (&other.picks, other.status), "{name}");
                continue;
            }
            assert_eq!(straight.0, reversed.0, "{name}");
            if !start(question(pool(), goal)).unwrap().is_anytime() {
                assert_eq!(json(&straight.1), json(&reversed.1), "{name}");
                continue;
            }
            // What decides from all data takes them as they come: the same but for the last digits.
            let (one, other) = (&straight.1, &reversed.1);
            assert_eq!(
                (&one.picks, &one.survivors, one.status),
                (&other.picks, &other.survivors, other.status),
                "{name}"
            );
            for (one, other) in one.intervals.iter().zip(&other.intervals) {
                assert!((one.estimate - other.estimate).abs() <= 1e-9, "{name}");
                assert!((one.upper - other.upper).abs() <= 1e-9, "{name}");
            }
        }
    }
}

#[test]
fn the_horizon_is_kept_to_the_measurement() {
    for (name, goal, start) in policies() {
        let Goal::Regret { horizon: Some(horizon) } = goal else { continue };
        for batch in [1, 7, 50] {
            let (asked, report) = play(start(question(pool(), goal)).unwrap(), &pool(), batch, |_| ());
            assert_eq!(
                (asked.len() as u64, report.samples),
                (horizon, horizon),
                "{name} in batches of {batch}"
            );
        }
    }
}

#[test]
fn one_point_is_a_pool() {
    let single = Pool::from_features(Matrix::from_rows(&[[0.5, 0.2]])).unwrap();
    for (name, goal, start) in policies() {
        let goal = if let Goal::Top { epsilon, .. } = goal { Goal::Top { count: 1, epsilon } } else { goal };
        let mut bandit = Bandit::new(start(question(single.clone(), goal)).unwrap());
        for _ in 0..5 {
            for slot in bandit.ask(3).unwrap() {
                bandit.tell(slot.id, Outcome::from(0.5)).unwrap();
            }
        }
        assert_sound(&bandit.report(), &single);
        assert_eq!(bandit.report().picks, [ChoiceId::new(0)], "{name}");
    }
}

#[test]
fn points_that_are_all_the_same_end_or_go_on_without_a_word_too_much() {
    let same = Pool::from_features(Matrix::from_fn(5, 2, |_, j| 0.3 + j as f64)).unwrap();
    for (name, goal, start) in policies() {
        let mut bandit = Bandit::new(start(question(same.clone(), goal)).unwrap());
        for _ in 0..5 {
            for slot in bandit.ask(8).unwrap() {
                bandit.tell(slot.id, Outcome::from(0.5 + 0.1 * (slot.id.number() as f64).sin())).unwrap();
            }
        }
        let report = bandit.report();
        assert_sound(&report, &same);
        assert!(report.eliminated.is_empty(), "{name}: {report}");
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let run = |threads: usize| -> Vec<(Vec<PointId>, String)> {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        workers.install(|| {
            let each = policies().into_iter().map(|(_, goal, start)| {
                let (asked, report) = play(start(question(pool(), goal)).unwrap(), &pool(), 7, |_| ());
                (asked, json(&report))
            });
            each.collect()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn what_a_policy_cannot_answer_it_refuses() {
    let other =
        Pool::from_features_with_choices(Matrix::identity(3), Matrix::from_fn(2, 3, |i, j| (i + j) as f64))
            .unwrap();
    let regret = Goal::Regret { horizon: Some(10) };
    for baseline in Baseline::ALL.into_iter().filter(|&baseline| baseline != Baseline::Random) {
        let refused = baseline.start(question(other.clone(), regret)).err();
        assert_eq!(refused, Some(BanditError::ChoicesNotMeasurable { policy: baseline.name() }));
    }
    let no_norm = |goal| Question::new(pool(), Assumptions::new(0.2).unwrap(), goal).unwrap();
    for baseline in [Baseline::IgpUcb, Baseline::Bpe, Baseline::Reds] {
        assert!(matches!(baseline.start(no_norm(regret)), Err(BanditError::NeedsAssumption { .. })));
    }
    for baseline in [Baseline::Bpe, Baseline::Reds] {
        let endless = baseline.start(question(pool(), Goal::Regret { horizon: None }));
        assert!(matches!(endless, Err(BanditError::NeedsAssumption { what: "a horizon", .. })));
    }
    let top = Baseline::Rage.start(question(pool(), Goal::Top { count: 2, epsilon: 0.1 }));
    assert!(matches!(top, Err(BanditError::OtherGoal { .. })));
}
