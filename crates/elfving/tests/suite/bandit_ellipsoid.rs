//! The confidence ellipsoid: what it needs on a known pool, and that every word of its reports holds.

use crate::rbf100;
use crate::support;

use elfving::bandit::{
    Algorithm, Bandit, BanditError, EllipsoidBest, EllipsoidMap, EllipsoidRegret, Goal, Margins, Next,
    Outcome, Plan, Policy, Question, Reading, Reason, Report, Status, TheoremName, Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::rng::{Purpose, stream};
use elfving::numerics::{Cholesky, Matrix, dot};
use elfving::pool::kernels::Rbf;
use elfving::pool::{ChoiceId, Factorisation, PointId, Points, Pool};
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// The bound on the norm of the smooth pool's truth, 1.294.
const NORM: f64 = 1.3;
/// The point of the largest mean.
const BEST: usize = 89;

fn light(sigma: f64, norm: f64) -> Assumptions {
    Assumptions::new(sigma).unwrap().norm(norm).unwrap().tails(Tails::SubGaussian)
}

fn normal(t: u64, seed: u64) -> f64 {
    StandardNormal.sample(&mut stream(seed, t, Purpose::new("test-noise")))
}

/// Asks and tells until the policy stops, or for `most` measurements.
fn play(
    policy: Box<dyn Policy>,
    batch: usize,
    most: u64,
    mut measure: impl FnMut(usize, u64) -> f64,
) -> Report {
    let mut bandit = Bandit::new(policy);
    let mut told = 0;
    while !bandit.finished() && told < most {
        for slot in bandit.ask(batch).unwrap() {
            bandit.tell(slot.id, Outcome::from(measure(slot.point.index(), slot.id.number()))).unwrap();
            told += 1;
        }
    }
    bandit.report()
}

fn rbf_campaign(epsilon: f64, seed: u64) -> Report {
    let question = Question::new(rbf100::pool(), light(0.1, NORM), Goal::Best { epsilon }).unwrap();
    let policy = EllipsoidBest::new(question).unwrap();
    play(Box::new(policy), 10, 3_000, |point, t| rbf100::MEANS[point] + 0.1 * normal(t, seed))
}

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

#[test]
fn the_smooth_pool_is_certified_within_a_laboratorys_budget() {
    for (epsilon, most) in [(1.0 / 8.0, 50.0), (1.0 / 16.0, 90.0), (1.0 / 64.0, 400.0)] {
        let mut samples = Vec::new();
        for seed in 0..20 {
            let report = rbf_campaign(epsilon, seed);
            assert_eq!(report.status, Status::Finished(Reason::Reached));
            assert!(report.epsilon.unwrap() <= epsilon);
            assert!(report.survivors.contains(&ChoiceId::new(BEST)), "seed {seed}");
            assert!(rbf100::MEANS[BEST] - rbf100::MEANS[report.picks[0].index()] <= epsilon);
            samples.push(report.samples as f64);
        }
        let mean = samples.iter().sum::<f64>() / 20.0;
        println!("epsilon {epsilon}: {mean} on average, {:?}", samples);
        assert!(mean <= most, "epsilon {epsilon}: {mean}");
    }
    println!("{}", rbf_campaign(1.0 / 16.0, 0));
}

#[test]
fn the_balanced_ridge_needs_fewer_measurements_than_the_variance_of_the_noise() {
    let samples = |ridge: Option<f64>| -> u64 {
        let campaign = |seed: u64| {
            let goal = Goal::Best { epsilon: 1.0 / 32.0 };
            let question = Question::new(rbf100::pool(), light(0.1, NORM), goal).unwrap();
            let policy = EllipsoidBest::new(question.theorem(TheoremName::OneRidge));
            let policy = match ridge {
                Some(ridge) => policy.unwrap().ridge(ridge).unwrap(),
                None => policy.unwrap(),
            };
            let measure = |point: usize, t: u64| rbf100::MEANS[point] + 0.1 * normal(t, seed);
            play(Box::new(policy), 10, 3_000, measure).samples
        };
        (0..10).map(campaign).sum()
    };
    let (balanced, variance) = (samples(None), samples(Some(0.01)));
    println!("balanced {balanced}, variance of the noise {variance}");
    assert!((balanced as f64) < 0.75 * variance as f64);
}

#[test]
fn regret_on_the_smooth_pool_is_small_and_the_best_survives() {
    let mut total = 0.0;
    for seed in 0..5 {
        let goal = Goal::Regret { horizon: Some(3_000) };
        let policy = EllipsoidRegret::new(Question::new(rbf100::pool(), light(0.1, NORM), goal).unwrap());
        let mut regret = 0.0;
        let report = play(Box::new(policy.unwrap()), 1, 3_000, |point, t| {
            regret += 1.0 - rbf100::MEANS[point];
            rbf100::MEANS[point] + 0.1 * normal(t, seed)
        });
        assert_eq!(report.status, Status::Finished(Reason::Horizon));
        assert!(report.survivors.contains(&ChoiceId::new(BEST)));
        assert!(report.survivors.len() < 20 && report.epsilon.unwrap() < 0.05, "{report}");
        total += regret / 5.0;
    }
    println!("regret {total}");
    assert!(total < 28.0, "{total}");
}

#[test]
fn without_a_sub_gaussian_statement_or_a_norm_bound_it_refuses() {
    let best = Goal::Best { epsilon: 0.1 };
    let heavy = Assumptions::new(0.1).unwrap().norm(1.0).unwrap();
    let no_norm = Assumptions::new(0.1).unwrap().tails(Tails::SubGaussian);
    for (assumptions, missing) in [(heavy, "sub-Gaussian noise"), (no_norm, "a bound S on the norm of theta")]
    {
        let refused = |goal| match goal {
            Goal::Regret { .. } => {
                EllipsoidRegret::new(Question::new(rbf100::pool(), assumptions.clone(), goal).unwrap()).err()
            }
            _ => EllipsoidBest::new(Question::new(rbf100::pool(), assumptions.clone(), goal).unwrap()).err(),
        };
        for goal in [best, Goal::Regret { horizon: None }] {
            let Some(BanditError::NeedsAssumption { what, .. }) = refused(goal) else { panic!("{goal}") };
            assert_eq!(what, missing);
        }
    }
    let question = |goal| Question::new(rbf100::pool(), light(0.1, 1.0), goal).unwrap();
    assert!(matches!(
        EllipsoidBest::new(question(Goal::Regret { horizon: None })),
        Err(BanditError::OtherGoal { .. })
    ));
    assert!(matches!(EllipsoidRegret::new(question(best)), Err(BanditError::OtherGoal { .. })));
}

#[test]
fn the_best_three_and_all_good_ones_are_found() {
    let means = rbf100::MEANS;
    let mut sorted = means;
    sorted.sort_by(|a, b| b.total_cmp(a));
    for seed in 0..5 {
        let run = |goal| {
            let question = Question::new(rbf100::pool(), light(0.1, NORM), goal).unwrap();
            let policy = Box::new(EllipsoidBest::new(question).unwrap());
            play(policy, 10, 20_000, |point, t| means[point] + 0.1 * normal(t, seed))
        };
        let top = run(Goal::Top { count: 3, epsilon: 0.05 });
        assert_eq!((top.status, top.picks.len()), (Status::Finished(Reason::Reached), 3));
        assert!(top.picks.iter().all(|pick| means[pick.index()] >= sorted[2] - 0.05));
        let good = run(Goal::AllGood { epsilon: 0.1 });
        assert_eq!(good.status, Status::Finished(Reason::Reached));
        let picked = |i: usize| good.picks.contains(&ChoiceId::new(i));
        assert!((0..100).all(|i| picked(i) || means[i] < 0.9), "a good one is missing: {good}");
        assert!((0..100).all(|i| !picked(i) || means[i] >= 0.8), "a bad one is in: {good}");
        println!("top {} good {} with {}", top.samples, good.samples, good.picks.len());
    }
}

#[test]
fn identical_best_choices_are_one_answer() {
    let rows = Matrix::from_rows(&[[0.2, 0.1], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    let question =
        Question::new(Pool::from_features(rows).unwrap(), light(0.1, 1.0), Goal::Best { epsilon: 0.0 })
            .unwrap();
    let report = play(Box::new(EllipsoidBest::new(question).unwrap()), 5, 2_000, |point, t| {
        [0.2, 0.8, 0.3, 0.8][point] + 0.1 * normal(t, 1)
    });
    assert_eq!(report.status, Status::Finished(Reason::Reached));
    assert_eq!(report.survivors, [ChoiceId::new(1), ChoiceId::new(3)]);
    assert_eq!((report.picks[0].index(), report.epsilon), (1, Some(0.0)));
}

#[test]
fn identical_choices_of_a_kernel_are_one_answer_although_its_features_leave_something_out() {
    let points = |at: &[f64]| Points::new(Matrix::from_fn(at.len(), 1, |i, _| at[i])).unwrap();
    let measurable: Vec<f64> = (0..20).map(|i| f64::from(i) / 19.0).collect();
    let kernel = Arc::new(Rbf::new(0.4).unwrap());
    let coarse = Factorisation::default().residual(1e-6);
    let pool =
        Pool::from_kernel(kernel, points(&measurable), Some(points(&[0.0, 0.5, 1.0, 0.5])), &coarse).unwrap();
    assert!(pool.residual() > 1e-8);
    let question = Question::new(pool, light(0.01, 1.0), Goal::Best { epsilon: 0.0 }).unwrap();
    // The function k(·, 0.5), of norm 1.
    let mean = |point: usize| (-(measurable[point] - 0.5).powi(2) / (2.0 * 0.16)).exp();
    let policy = Box::new(EllipsoidBest::new(question).unwrap());
    let report = play(policy, 5, 200, |point, t| mean(point) + 0.01 * normal(t, 1));
    assert_eq!(report.status, Status::Finished(Reason::Reached), "{report}");
    assert_eq!(report.survivors, [ChoiceId::new(1), ChoiceId::new(3)]);
}

#[test]
fn a_batch_is_what_the_algorithm_box_says_on_dense_matrices() {
    const SIGMA: f64 = 0.3;
    let (features, ridge) = (support::small(), 0.2);
    let (n, r) = (features.rows(), features.columns());
    let goal = Goal::Best { epsilon: 0.01 };
    let question =
        Question::new(Pool::from_features(features.clone()).unwrap(), light(SIGMA, 1.0), goal).unwrap();
    let question = question.theorem(TheoremName::OneRidge);
    let mut policy = EllipsoidBest::new(question).unwrap().ridge(ridge).unwrap();
    let points: Vec<PointId> = (0..25).map(|t| PointId::new(t * 7 % n)).collect();
    let outcomes: Vec<f64> = (0..25).map(|t| normal(t, 4)).collect();
    let first = Plan::chosen(1, points.clone());
    let decision = policy.learn(&first, &readings(&outcomes)).unwrap();
    policy.apply(&decision);
    let Next::Measure(plan) = policy.plan(&Wanted::batch(10)).unwrap() else { panic!("it has stopped") };

    // V, θ and the covariances Φ V⁻¹ Φᵀ from their definitions.
    let mut v = Matrix::identity(r);
    (0..r).for_each(|i| v[(i, i)] = ridge);
    let mut theta = vec![0.0; r];
    for (point, outcome) in points.iter().zip(&outcomes) {
        let phi = features.row(point.index());
        for i in 0..r {
            theta[i] += phi[i] * outcome;
            (0..r).for_each(|j| v[(i, j)] += phi[i] * phi[j]);
        }
    }
    let factor = Cholesky::new(v).unwrap();
    factor.solve(&mut theta);
    let means: Vec<f64> = (0..n).map(|i| dot(features.row(i), &theta)).collect();
    let mut images = features.clone();
    factor.solve_rows(&mut images);
    let mut c = Matrix::from_fn(n, n, |i, j| dot(features.row(i), images.row(j)));
    let log_det = factor.log_det() - r as f64 * ridge.ln();
    let radius = (ridge + SIGMA * SIGMA * (2.0 * 20f64.ln() + log_det)).sqrt();
    let first_largest = |scores: Vec<f64>| {
        let largest = scores.iter().copied().fold(f64::MIN, f64::max);
        scores.iter().position(|&score| score >= largest - 1e-10 * largest.abs()).unwrap()
    };
    let leader = first_largest(means.clone());
    for (k, chosen) in plan.measurements.points().iter().enumerate() {
        let upper = |z: usize| {
            let square: f64 = c[(z, z)] + c[(leader, leader)] - 2.0 * c[(z, leader)];
            let out = z == leader || !decision.survivors.contains(&ChoiceId::new(z));
            if out { f64::MIN } else { means[z] - means[leader] + radius * square.max(0.0).sqrt() }
        };
        let rival = first_largest((0..n).map(upper).collect());
        let sharper = |x: usize| (c[(x, rival)] - c[(x, leader)]).powi(2) / (1.0 + c[(x, x)]);
        let point = first_largest((0..n).map(sharper).collect());
        assert_eq!(chosen.index(), point, "point {k} of the batch");
        let column: Vec<f64> = (0..n).map(|i| c[(i, point)]).collect();
        c = Matrix::from_fn(n, n, |i, j| c[(i, j)] - column[i] * column[j] / (1.0 + column[point]));
    }
}

#[test]
fn what_no_measurement_sees_ends_as_tied() {
    // The choices differ in the third coordinate, which no point has.
    let measurable = Matrix::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let choices = Matrix::from_rows(&[[1.0, 0.0, 0.4], [1.0, 0.0, -0.4], [-1.0, 0.2, 0.0]]);
    let pool = Pool::from_features_with_choices(measurable, choices).unwrap();
    let question = Question::new(pool, light(0.1, 1.0), Goal::Best { epsilon: 0.1 }).unwrap();
    let report = play(Box::new(EllipsoidBest::new(question).unwrap()), 5, 2_000, |point, t| {
        [0.8, 0.1][point] + 0.1 * normal(t, 2)
    });
    assert_eq!(report.status, Status::Finished(Reason::Tied), "{report}");
    assert_eq!(report.survivors.len(), 2);
    // ‖θ‖ ≤ 1, of which 0.8 and 0.1 are seen, leaves ±0.8 · √(1 - 0.65) for the difference of the two.
    let left = 0.8 * 0.35_f64.sqrt();
    let (floor, epsilon) = (report.floor.unwrap(), report.epsilon.unwrap());
    assert!(floor >= left && floor <= 0.8 && epsilon >= left && report.samples < 500, "{floor} {epsilon}");
}

#[test]
fn a_stated_misspecification_ends_at_its_floor() {
    let h = 0.05;
    let assumptions = light(0.1, NORM).misspecification(h).unwrap();
    for seed in 0..3 {
        let goal = Goal::Best { epsilon: 0.01 };
        let question = Question::new(rbf100::pool(), assumptions.clone(), goal).unwrap();
        // The worst neighbour of the best is lifted, the best is lowered.
        let mean = |point: usize| rbf100::MEANS[point] + if point.is_multiple_of(2) { h } else { -h };
        let policy = Box::new(EllipsoidBest::new(question).unwrap());
        let report = play(policy, 20, 20_000, |point, t| mean(point) + 0.1 * normal(t, seed));
        assert_eq!(report.status, Status::Finished(Reason::Floor), "{report}");
        // Twice h at least, for the two means themselves.
        assert!(report.floor.unwrap() >= 0.09 && report.samples < 20_000);
        let best = (0..100).map(mean).fold(f64::MIN, f64::max);
        assert!(best - mean(report.picks[0].index()) <= report.epsilon.unwrap());
        assert!(report.epsilon.unwrap() <= 1.2 * report.floor.unwrap());
        let is_best = |id: &ChoiceId| mean(id.index()) == best;
        assert!(report.survivors.iter().any(is_best));
    }
}

#[test]
fn a_sharper_instrument_counts_for_more() {
    let mut sigmas = vec![0.3; 100];
    sigmas.iter_mut().step_by(2).for_each(|sigma| *sigma = 0.05);
    let own = Assumptions::new(0.3).unwrap().sigma_at(sigmas.clone()).unwrap();
    let samples = |assumptions: Assumptions| {
        let goal = Goal::Best { epsilon: 1.0 / 16.0 };
        let assumptions = assumptions.norm(NORM).unwrap().tails(Tails::SubGaussian);
        let question = Question::new(rbf100::pool(), assumptions, goal).unwrap();
        let policy = Box::new(EllipsoidBest::new(question).unwrap());
        play(policy, 10, 5_000, |point, t| rbf100::MEANS[point] + sigmas[point] * normal(t, 3)).samples
    };
    let (weighted, largest) = (samples(own), samples(Assumptions::new(0.3).unwrap()));
    println!("each its own {weighted}, the largest {largest}");
    assert!(4 * weighted < largest);
}

/// Rounds of a campaign as they were measured.
type Rounds = Vec<(Plan, Vec<f64>)>;

fn replay(assumptions: Assumptions, goal: Goal, ridge: f64, rounds: &[(Plan, Vec<f64>)]) -> Report {
    replay_by(TheoremName::Witnesses, assumptions, goal, ridge, rounds)
}

fn replay_by(
    theorem: TheoremName,
    assumptions: Assumptions,
    goal: Goal,
    ridge: f64,
    rounds: &[(Plan, Vec<f64>)],
) -> Report {
    let question = Question::new(rbf100::pool(), assumptions, goal).unwrap().theorem(theorem);
    let mut policy = EllipsoidBest::new(question).unwrap().ridge(ridge).unwrap();
    for (plan, outcomes) in rounds {
        let decision = policy.learn(plan, &readings(outcomes)).unwrap();
        policy.apply(&decision);
    }
    policy.report()
}

fn outs(report: &Report) -> Vec<ChoiceId> {
    let mut out: Vec<ChoiceId> = report.eliminated.iter().map(|elimination| elimination.choice).collect();
    out.sort_unstable();
    out
}

/// The assumptions with one of S, σ, h put at a value.
fn with(name: &str, value: f64) -> Assumptions {
    let (mut norm, mut sigma, mut h) = (NORM, 0.1, 0.001);
    match name {
        "S" => norm = value,
        "sigma" => sigma = value,
        _ => h = value,
    }
    light(sigma, norm).misspecification(h).unwrap()
}

const RIDGE: f64 = 0.05;

#[test]
fn margins_are_where_the_verdict_of_one_round_falls() {
    let goals = [
        Goal::Best { epsilon: 0.125 },
        Goal::Top { count: 3, epsilon: 0.15 },
        Goal::AllGood { epsilon: 0.6 },
    ];
    for goal in goals {
        let points: Vec<PointId> = (0..400).map(|t| PointId::new(t * 37 % 100)).collect();
        let outcomes =
            (0..400).map(|t| rbf100::MEANS[points[t].index()] + 0.1 * normal(t as u64, 8)).collect();
        let rounds = vec![(Plan::chosen(1, points), outcomes)];
        let report = replay(with("S", NORM), goal, RIDGE, &rounds);
        assert_eq!(report.status, Status::Finished(Reason::Reached), "{report}");
        let verdict = (report.status, report.picks.clone(), outs(&report));
        let margins = report.margins;
        println!("{goal}: {margins:?}");
        assert_eq!(margins.bound, None);
        for (name, margin, stated) in
            [("S", margins.norm, NORM), ("sigma", margins.sigma, 0.1), ("h", margins.misspecification, 0.001)]
        {
            let margin = margin.expect("the verdict rests on it");
            assert!(margin >= stated, "{name}: {margin}");
            let at = |value: f64| {
                let report = replay(with(name, value), goal, RIDGE, &rounds);
                (report.status, report.picks.clone(), outs(&report))
            };
            assert_eq!(at(margin * (1.0 - 1e-6)), verdict, "{name} just inside {margin}");
            assert_ne!(at(margin * (1.0 + 1e-3)), verdict, "{name} just outside {margin}");
        }
    }
}

#[test]
fn margins_of_a_campaign_hold_for_all_its_rounds_together() {
    let goal = Goal::Best { epsilon: 0.0625 };
    for seed in 0..3 {
        let question = Question::new(rbf100::pool(), with("S", NORM), goal).unwrap();
        let mut policy = EllipsoidBest::new(question).unwrap().ridge(RIDGE).unwrap();
        let mut rounds: Rounds = Vec::new();
        let mut t = 0;
        while let Next::Measure(plan) = policy.plan(&Wanted::batch(10)).unwrap() {
            let measure = |(id, t): (&PointId, u64)| rbf100::MEANS[id.index()] + 0.1 * normal(t, seed);
            let points = plan.measurements.points();
            let outcomes: Vec<f64> = points.iter().zip(t..).map(measure).collect();
            t += outcomes.len() as u64;
            let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
            policy.apply(&decision);
            rounds.push((plan, outcomes));
        }
        let report = policy.report();
        assert!(report.eliminated.iter().any(|out| out.round < rounds.len() as u64));
        for (name, margin) in [
            ("S", report.margins.norm),
            ("sigma", report.margins.sigma),
            ("h", report.margins.misspecification),
        ] {
            let again = replay(with(name, margin.unwrap() * (1.0 - 1e-6)), goal, RIDGE, &rounds);
            assert_eq!((again.status, &again.picks), (report.status, &report.picks), "{name}");
            assert!(outs(&report).iter().all(|out| outs(&again).contains(out)), "{name}");
        }
    }
}

#[test]
fn the_evidence_of_its_time_keeps_a_choice_out_when_that_of_today_would_not() {
    let goal = Goal::Best { epsilon: 0.0625 };
    let points: Vec<PointId> = (0..400).map(|t| PointId::new(t * 37 % 100)).collect();
    let outcomes = (0..400).map(|t| rbf100::MEANS[points[t].index()] + 0.1 * normal(t as u64, 8)).collect();
    // Afterwards the worst region looks as good as the best: the premises are broken, the record is not.
    let worst = vec![PointId::new(20); 2_000];
    let rounds = vec![(Plan::chosen(1, points), outcomes), (Plan::chosen(2, worst), vec![1.0; 2_000])];
    let stated = || with("S", NORM);
    let (before, after) = (
        replay_by(TheoremName::OneRidge, stated(), goal, RIDGE, &rounds[..1]),
        replay_by(TheoremName::OneRidge, stated(), goal, RIDGE, &rounds),
    );
    assert!(outs(&before).contains(&ChoiceId::new(20)) && outs(&after).contains(&ChoiceId::new(20)));
    let all_points = rounds.iter().flat_map(|(plan, _)| plan.measurements.points()).collect();
    let all_outcomes = rounds.iter().flat_map(|(_, outcomes)| outcomes.clone()).collect();
    let today = replay_by(
        TheoremName::OneRidge,
        stated(),
        goal,
        RIDGE,
        &[(Plan::chosen(1, all_points), all_outcomes)],
    );
    assert!(!outs(&today).contains(&ChoiceId::new(20)));
    assert!(after.margins.norm.is_some_and(|margin| margin >= NORM));
}

#[test]
fn a_recorded_decision_takes_the_place_of_a_computed_one() {
    let question =
        || Question::new(rbf100::pool(), light(0.1, NORM), Goal::Best { epsilon: 0.0625 }).unwrap();
    let mut policy = EllipsoidBest::new(question()).unwrap();
    let points: Vec<PointId> = (0..200).map(|t| PointId::new(t * 37 % 100)).collect();
    let outcomes: Vec<f64> =
        (0..200).map(|t| rbf100::MEANS[points[t].index()] + 0.1 * normal(t as u64, 8)).collect();
    let mut decision = policy.learn(&Plan::chosen(1, points), &readings(&outcomes)).unwrap();
    let kept = decision.eliminated.pop().expect("somebody is out").choice;
    decision.survivors.push(kept);
    decision.survivors.sort_unstable();
    policy.apply(&decision);
    assert_eq!(policy.report().survivors, decision.survivors);
    assert_eq!(policy.report().eliminated, decision.eliminated);
}

#[test]
fn a_map_measures_what_the_g_optimal_design_says() {
    // A straight line: half of the measurements at each end.
    let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 5.0 - 1.0 });
    let pool = Pool::from_features(line).unwrap();
    let question = Question::new(pool, light(0.1, 1.0), Goal::Map { epsilon: 0.05 }).unwrap();
    let mut counts = [0u64; 11];
    let policy = Box::new(EllipsoidMap::new(question).unwrap());
    let report = play(policy, 7, 10_000, |point, t| {
        counts[point] += 1;
        0.3 - 0.4 * (point as f64 / 5.0 - 1.0) + 0.1 * normal(t, 1)
    });
    assert_eq!(report.status, Status::Finished(Reason::Reached));
    assert!(counts[0].abs_diff(counts[10]) <= 1, "{counts:?}");
    assert_eq!(counts[0] + counts[10], report.samples, "{counts:?}");
    let widest = report.intervals.iter().map(|interval| 0.5 * (interval.upper - interval.lower));
    let widest = widest.fold(0.0, f64::max);
    assert!((widest - report.epsilon.unwrap()).abs() < 1e-12 && widest <= 0.05);
    let Margins { norm, sigma, misspecification, .. } = report.margins;
    assert!(norm.unwrap() > 1.0 && sigma.unwrap() > 0.1 && misspecification.unwrap() > 0.0);
    assert_eq!(report.survivors.len(), 11);
    assert!(report.to_string().contains("every mean is within"), "{report}");
}

#[test]
fn a_map_needs_fewer_measurements_than_spreading_them_evenly() {
    let campaign = |uniform: bool| {
        let question = Question::new(rbf100::pool(), light(0.1, NORM), Goal::Map { epsilon: 0.2 }).unwrap();
        let mut policy = EllipsoidMap::new(question).unwrap();
        while policy.status() == Status::Measuring {
            let Next::Measure(mut plan) = policy.plan(&Wanted::batch(10)).unwrap() else { unreachable!() };
            if uniform {
                let from = policy.report().samples as usize;
                let spread = (from..from + 10).map(|t| PointId::new(t * 37 % 100)).collect();
                plan = Plan::chosen(plan.round, spread);
            }
            let outcomes: Vec<f64> =
                plan.measurements.points().iter().map(|point| rbf100::MEANS[point.index()]).collect();
            policy.learn(&plan, &readings(&outcomes)).unwrap();
        }
        policy.report().samples
    };
    let (designed, even) = (campaign(false), campaign(true));
    assert!(designed < even, "{designed} by design, {even} spread evenly");
}

#[test]
fn a_map_with_a_wrong_model_ends_at_its_floor_and_what_nobody_measures_is_not_mapped() {
    let wrong = light(0.1, NORM).misspecification(0.2).unwrap();
    let question = Question::new(rbf100::pool(), wrong, Goal::Map { epsilon: 0.01 }).unwrap();
    let policy = Box::new(EllipsoidMap::new(question).unwrap());
    let report = play(policy, 500, 200_000, |point, _| rbf100::MEANS[point]);
    assert_eq!(report.status, Status::Finished(Reason::Floor));
    assert!(report.floor.unwrap() > 0.2 && report.floor.unwrap() <= report.epsilon.unwrap());

    // The second direction is chosen among, and never measured.
    let (points, choices) = (Matrix::from_rows(&[[1.0, 0.0]]), Matrix::identity(2));
    let pool = Pool::from_features_with_choices(points, choices).unwrap();
    let question = Question::new(pool, light(0.1, 1.0), Goal::Map { epsilon: 0.01 }).unwrap();
    let report = play(Box::new(EllipsoidMap::new(question).unwrap()), 50, 100_000, |_, _| 0.4);
    assert_eq!(report.status, Status::Finished(Reason::Floor));
    assert!(report.epsilon.unwrap() >= 1.0, "nothing is known of it but the bound on the norm");
}

#[test]
fn a_map_is_not_for_those_who_look_for_the_best() {
    let question = |goal| Question::new(rbf100::pool(), light(0.1, NORM), goal).unwrap();
    let map = || question(Goal::Map { epsilon: 0.1 });
    assert!(matches!(EllipsoidBest::new(map()), Err(BanditError::OtherGoal { .. })));
    assert!(matches!(EllipsoidRegret::new(map()), Err(BanditError::OtherGoal { .. })));
    let draws_maps = |algorithm: Algorithm| algorithm == Algorithm::EllipsoidMap || algorithm.is_calibrated();
    for algorithm in Algorithm::all().filter(|algorithm| !draws_maps(*algorithm)) {
        assert!(matches!(algorithm.start(map()), Err(BanditError::OtherGoal { .. })), "{algorithm:?}");
    }
    assert!(EllipsoidMap::new(question(Goal::Best { epsilon: 0.1 })).is_err());
    assert_eq!(Algorithm::auto(&map()).0, Algorithm::EllipsoidMap);
}
