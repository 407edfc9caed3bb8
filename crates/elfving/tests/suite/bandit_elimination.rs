//! The four elimination policies: sizes of rounds, small pools, goals, floors.

use crate::rbf100;

use elfving::bandit::elimination::{Constants, PtrBest, PtrRegret, RipsBest, RipsRegret, Thresholds};
use elfving::bandit::{
    Bandit, BanditError, Goal, Guarantee, Measurements, Next, Outcome, Policy, Question, Reading, Reason,
    Report, Status, Wanted,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Factorisation, Points, Pool, kernels::Rbf};
use elfving::units::{Confidence, Ridge};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

fn axes(d: usize) -> Pool {
    Pool::from_features(Matrix::identity(d)).unwrap()
}

fn assumptions(sigma: f64, bound: f64) -> Assumptions {
    Assumptions::new(sigma).unwrap().bound(bound).unwrap().tails(Tails::SubGaussian)
}

fn question(pool: Pool, assumptions: Assumptions, goal: Goal) -> Question {
    Question::new(pool, assumptions, goal).unwrap()
}

const BEST: Goal = Goal::Best { epsilon: 0.1 };
const REGRET: Goal = Goal::Regret { horizon: Some(1_000_000) };

fn first_size(policy: &mut dyn Policy) -> f64 {
    match policy.plan(&Wanted::batch(1)).unwrap() {
        Next::Measure(plan) => plan.measurements.len() as f64,
        Next::Stop(reason) => panic!("{reason}"),
    }
}

/// Runs to the end with normal noise.
fn run(policy: Box<dyn Policy>, means: &[f64], sigma: f64, seed: u64) -> Report {
    let mut bandit = Bandit::new(policy).budget(5_000_000);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    while !bandit.finished() {
        let slots = bandit.ask(10_000).unwrap();
        assert!(!slots.is_empty());
        for slot in slots {
            let noise: f64 = StandardNormal.sample(&mut random);
            bandit.tell(slot.id, Outcome::from(means[slot.point.index()] + sigma * noise)).unwrap();
        }
    }
    bandit.report()
}

fn ids(list: &[usize]) -> Vec<ChoiceId> {
    list.iter().map(|&i| ChoiceId::new(i)).collect()
}

fn readings(outcomes: &[f64]) -> Vec<Reading> {
    outcomes.iter().copied().map(Reading::from).collect()
}

#[test]
fn round_sizes_are_the_formulas() {
    let (sigma, bound, delta, d) = (0.1, 1.0, 0.05, 4.0);
    let build = |goal| {
        question(axes(4), assumptions(sigma, bound), goal)
            .gamma(Ridge::ZERO)
            .delta(Confidence::new(delta).unwrap())
    };
    let moment: f64 = bound * bound + sigma * sigma;
    let close = |got: f64, wanted: f64| {
        assert!((got / wanted - 1.0).abs() < 3e-3 + 1.0 / wanted, "{got} for {wanted}");
    };
    // Axes drawn alike: f = d for the points, 2 d for their differences; ε₁ = B/2.
    let epsilon: f64 = 0.5;
    let of_points = (4.0 * d / delta).ln();
    let of_pairs = (4.0 * (6.0 + 4.0) / delta).ln();
    let exact = |log: f64, f: f64| 2.0 * log * (1.0 + moment * f / epsilon.powi(2));
    close(first_size(&mut RipsRegret::new(build(REGRET)).unwrap()), exact(of_points, d));
    close(first_size(&mut RipsBest::new(build(BEST)).unwrap()), exact(of_pairs, 2.0 * d));
    let printed = |log: f64, f: f64| 4.0 * moment * f * log / epsilon.powi(2);
    let paper = Constants::Paper;
    close(first_size(&mut RipsRegret::new(build(REGRET)).unwrap().constants(paper)), printed(of_points, d));
    close(
        first_size(&mut RipsBest::new(build(BEST)).unwrap().constants(paper)),
        printed((4.0 * 6.0 / delta).ln(), 2.0 * d),
    );
    // Much noise, so that counts divide evenly: τ = 2 σ² f L / ε².
    let noisy = |goal| question(axes(4), assumptions(3.0, bound), goal).gamma(Ridge::ZERO);
    let counts = |log: f64, f: f64| 2.0 * 9.0 * f * log / epsilon.powi(2);
    close(first_size(&mut PtrRegret::new(noisy(REGRET)).unwrap()), counts(of_points, d));
    close(first_size(&mut PtrBest::new(noisy(BEST)).unwrap()), counts(of_pairs, 2.0 * d));
}

#[test]
fn the_unit_of_the_outcomes_does_not_matter() {
    let size = |scale: f64| {
        let goal = Goal::Best { epsilon: 0.1 * scale };
        first_size(&mut RipsBest::new(question(axes(5), assumptions(0.1 * scale, scale), goal)).unwrap())
    };
    assert_eq!(size(1.0), size(1e6));
    assert_eq!(size(1.0), size(1e-6));
}

#[test]
fn every_policy_finds_the_best_of_a_small_pool() {
    let means = [0.1, 0.8, -0.3, 0.4];
    let assumed = || assumptions(0.1, 1.0).norm(1.0).unwrap();
    let best = |epsilon| question(axes(4), assumed(), Goal::Best { epsilon });
    let regret = || question(axes(4), assumed(), Goal::Regret { horizon: Some(20_000) });
    // ε = 0 asks for the best itself.
    for epsilon in [0.2, 0.0] {
        let policies: [Box<dyn Policy>; 2] =
            [Box::new(RipsBest::new(best(epsilon)).unwrap()), Box::new(PtrBest::new(best(epsilon)).unwrap())];
        for policy in policies {
            let report = run(policy, &means, 0.1, 1);
            assert_eq!(report.status, Status::Finished(Reason::Reached));
            assert_eq!(report.picks, ids(&[1]));
            assert!(report.epsilon.unwrap() <= epsilon);
            assert_eq!(report.guarantee, Guarantee::Certified);
        }
    }
    let policies: [Box<dyn Policy>; 2] =
        [Box::new(RipsRegret::new(regret()).unwrap()), Box::new(PtrRegret::new(regret()).unwrap())];
    for policy in policies {
        let report = run(policy, &means, 0.1, 1);
        assert_eq!(report.status, Status::Finished(Reason::Horizon));
        assert_eq!((report.picks, report.survivors), (ids(&[1]), ids(&[1])));
        assert_eq!(report.samples, 20_000);
        assert_eq!(report.epsilon, Some(0.0));
    }
}

#[test]
fn a_single_candidate_is_the_answer_and_nothing_is_asked() {
    let mut best =
        Bandit::new(Box::new(RipsBest::new(question(axes(1), assumptions(0.1, 1.0), BEST)).unwrap()));
    assert!(best.finished());
    assert!(best.ask(5).unwrap().is_empty());
    let report = best.report();
    assert_eq!((report.picks, report.epsilon, report.samples), (ids(&[0]), Some(0.0), 0));
    // For regret it is played.
    let goal = Goal::Regret { horizon: Some(7) };
    let policy = PtrRegret::new(question(axes(1), assumptions(0.1, 1.0), goal)).unwrap();
    let report = run(Box::new(policy), &[0.3], 0.1, 1);
    assert_eq!((report.samples, report.status), (7, Status::Finished(Reason::Horizon)));
}

#[test]
fn identical_candidates_stay_in_or_go_out_together() {
    let twins = || Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).unwrap();
    let report = run(
        Box::new(RipsBest::new(question(twins(), assumptions(0.1, 1.0), BEST)).unwrap()),
        &[0.2, 0.8, 0.2],
        0.1,
        1,
    );
    assert_eq!(report.survivors, ids(&[1]));
    let out: Vec<usize> = report.eliminated.iter().map(|one| one.choice.index()).collect();
    assert_eq!(out, vec![0, 2]);
    let report = run(
        Box::new(PtrBest::new(question(twins(), assumptions(0.1, 1.0), BEST)).unwrap()),
        &[0.8, 0.2, 0.8],
        0.1,
        1,
    );
    assert_eq!((report.survivors, report.picks), (ids(&[0, 2]), ids(&[0])));
    assert_eq!(report.intervals.len(), 2);
    assert_eq!(report.epsilon, Some(0.0));
}

#[test]
fn two_candidates_that_no_measurement_tells_apart_end_at_once() {
    let same = || Pool::from_features(Matrix::from_rows(&[[1.0], [1.0]])).unwrap();
    let exact = question(same(), assumptions(0.1, 1.0), Goal::Best { epsilon: 0.0 });
    let report = Bandit::new(Box::new(RipsBest::new(exact).unwrap())).report();
    assert_eq!(report.status, Status::Finished(Reason::Reached));
    // With a wrong model their means may differ, by 2 h at most.
    let doubtful = assumptions(0.1, 1.0).misspecification(0.03).unwrap();
    let goal = Goal::Best { epsilon: 0.01 };
    let report = Bandit::new(Box::new(RipsBest::new(question(same(), doubtful, goal)).unwrap())).report();
    assert_eq!(report.status, Status::Finished(Reason::Tied));
    assert_eq!(report.epsilon, Some(0.06));
}

#[test]
fn the_m_best_and_all_good_ones_are_found() {
    let means = [0.9, 0.1, 0.85, -0.5, 0.5, 0.45];
    let build = |goal| question(axes(6), assumptions(0.1, 1.0), goal);
    for (count, expected) in [(1, vec![0]), (2, vec![0, 2]), (4, vec![0, 2, 4, 5]), (6, (0..6).collect())] {
        let goal = Goal::Top { count, epsilon: 0.02 };
        let policies: [Box<dyn Policy>; 2] =
            [Box::new(RipsBest::new(build(goal)).unwrap()), Box::new(PtrBest::new(build(goal)).unwrap())];
        for policy in policies {
            let report = run(policy, &means, 0.1, 3);
            assert_eq!(report.picks, ids(&expected), "top {count}");
            assert!(report.epsilon.unwrap() <= 0.02);
        }
    }
    let goal = Goal::AllGood { epsilon: 0.1 };
    let policies: [Box<dyn Policy>; 2] =
        [Box::new(RipsBest::new(build(goal)).unwrap()), Box::new(PtrBest::new(build(goal)).unwrap())];
    for policy in policies {
        let report = run(policy, &means, 0.1, 3);
        assert_eq!(report.picks, ids(&[0, 2]));
        assert!(report.epsilon.unwrap() <= 0.2);
    }
}

#[test]
fn the_top_of_groups_counts_their_members() {
    let rows = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
    let pool = || Pool::from_features(Matrix::from_rows(&rows)).unwrap();
    let means = [0.9, 0.9, 0.2, 0.5, 0.5];
    for (count, picks, survivors) in [
        (1, vec![0], vec![0, 1]),
        (2, vec![0, 1], vec![0, 1]),
        (3, vec![0, 1, 3], vec![0, 1, 3, 4]),
        (4, vec![0, 1, 3, 4], vec![0, 1, 3, 4]),
    ] {
        let goal = Goal::Top { count, epsilon: 0.05 };
        let report = run(
            Box::new(PtrBest::new(question(pool(), assumptions(0.1, 1.0), goal)).unwrap()),
            &means,
            0.1,
            2,
        );
        assert_eq!(report.picks, ids(&picks), "top {count}");
        let subset = survivors.iter().all(|&i| report.survivors.contains(&ChoiceId::new(i)));
        assert!(subset, "top {count}: {:?}", report.survivors);
    }
}

#[test]
fn goals_and_assumptions_that_do_not_fit_are_refused() {
    let regret = question(axes(2), assumptions(0.1, 1.0), REGRET);
    assert!(matches!(RipsBest::new(regret.clone()), Err(BanditError::OtherGoal { .. })));
    let best = question(axes(2), assumptions(0.1, 1.0), BEST);
    assert!(matches!(PtrRegret::new(best.clone()), Err(BanditError::OtherGoal { .. })));
    let heavy = assumptions(0.1, 1.0).tails(Tails::BoundedVariance);
    let refused = PtrBest::new(question(axes(2), heavy, BEST));
    assert!(matches!(refused, Err(BanditError::NeedsAssumption { .. })));
    let unbounded = Assumptions::new(0.1).unwrap();
    assert!(matches!(
        RipsBest::new(question(axes(2), unbounded, BEST)),
        Err(BanditError::NeedsAssumption { .. })
    ));
    let two_tables = Pool::from_features_with_choices(Matrix::identity(2), Matrix::identity(2)).unwrap();
    let refused = RipsRegret::new(question(two_tables, assumptions(0.1, 1.0), REGRET));
    assert!(matches!(refused, Err(BanditError::ChoicesNotMeasurable { .. })));
    let top = question(axes(3), assumptions(0.1, 1.0), Goal::Top { count: 2, epsilon: 0.1 });
    let mut printed = RipsBest::new(top).unwrap().constants(Constants::Paper);
    assert!(matches!(printed.plan(&Wanted::batch(1)), Err(BanditError::OtherGoal { .. })));
}

#[test]
fn least_squares_needs_no_bound_on_the_means_but_a_place_to_start() {
    let light = Assumptions::new(0.1).unwrap().tails(Tails::SubGaussian);
    assert!(matches!(
        PtrBest::new(question(axes(3), light.clone(), BEST)),
        Err(BanditError::NeedsAssumption { .. })
    ));
    let policy = PtrBest::new(question(axes(3), light.norm(2.0).unwrap(), BEST)).unwrap();
    let report = run(Box::new(policy), &[0.4, 1.5, -0.2], 0.1, 1);
    assert_eq!(report.picks, ids(&[1]));
}

#[test]
fn a_wrong_model_ends_at_the_floor_with_the_best_still_in() {
    // Off the model by 0.05, the best point down and its neighbours up.
    let means: Vec<f64> = (0..100).map(|i| rbf100::MEANS[i] + if i == 89 { -0.05 } else { 0.05 }).collect();
    let best = (0..100).fold(0, |best, i| if means[i] > means[best] { i } else { best });
    let stated = rbf100::assumptions().tails(Tails::SubGaussian).misspecification(0.05).unwrap();
    let stated = stated.bound(1.05).unwrap();
    let build = || question(rbf100::pool(), stated.clone(), Goal::Best { epsilon: 0.01 });
    let policies: [Box<dyn Policy>; 2] =
        [Box::new(RipsBest::new(build()).unwrap()), Box::new(PtrBest::new(build()).unwrap())];
    for policy in policies {
        let report = run(policy, &means, 0.1, 7);
        println!("{report}");
        assert_eq!(report.status, Status::Finished(Reason::Floor));
        let floor = report.floor.unwrap();
        assert!(floor > 0.1 && report.epsilon.unwrap() <= floor, "{floor}, {:?}", report.epsilon);
        assert!(report.survivors.contains(&ChoiceId::new(best)));
        assert!(means[best] - means[report.picks[0].index()] <= floor);
        assert!(report.to_string().contains("the bias floor"));
    }
}

#[test]
fn room_in_the_thresholds_protects_from_a_wrong_model_nobody_stated() {
    let means: Vec<f64> = (0..100).map(|i| rbf100::MEANS[i] + if i == 89 { -0.05 } else { 0.05 }).collect();
    let best = (0..100).fold(0, |best, i| if means[i] > means[best] { i } else { best });
    let assumed = rbf100::assumptions().tails(Tails::SubGaussian).bound(1.05).unwrap();
    let build = || question(rbf100::pool(), assumed.clone(), Goal::Best { epsilon: 0.4 });
    let roomy: [Box<dyn Policy>; 2] = [
        Box::new(RipsBest::new(build()).unwrap().thresholds(Thresholds::Room)),
        Box::new(PtrBest::new(build()).unwrap().thresholds(Thresholds::Room)),
    ];
    for policy in roomy {
        let report = run(policy, &means, 0.1, 7);
        let margin = report.margins.misspecification.unwrap();
        println!("{}: h up to {margin:.4}, {} in", report.policy, report.survivors.len());
        assert!(report.survivors.contains(&ChoiceId::new(best)));
        assert!(margin > 0.01, "room is margin: {margin}");
    }
    // Without S, room is what is used.
    let unknown = Assumptions::new(0.1).unwrap().bound(1.0).unwrap();
    let policy = RipsBest::new(question(rbf100::pool(), unknown, Goal::Best { epsilon: 0.4 })).unwrap();
    let report = run(Box::new(policy), &rbf100::MEANS, 0.1, 3);
    assert_eq!(report.floor, None);
    assert!(report.margins.norm.unwrap() > 1.3, "{:?}", report.margins);
}

#[test]
fn the_horizon_is_kept_to_the_measurement() {
    for horizon in [1, 10, 100, 777] {
        let goal = Goal::Regret { horizon: Some(horizon) };
        for constants in [Constants::Certified, Constants::Paper] {
            let build = || question(axes(4), assumptions(0.1, 1.0).norm(2.0).unwrap(), goal);
            let policies: [Box<dyn Policy>; 2] = [
                Box::new(RipsRegret::new(build()).unwrap().constants(constants)),
                Box::new(PtrRegret::new(build()).unwrap().constants(constants)),
            ];
            for policy in policies {
                let report = run(policy, &[0.9, 0.1, 0.2, 0.3], 0.1, 1);
                assert_eq!(report.samples, horizon, "{} {constants:?}", report.policy);
                assert_eq!(report.status, Status::Finished(Reason::Horizon));
            }
        }
    }
}

#[test]
fn without_a_horizon_the_ridge_falls_and_the_leader_is_played_for_ever() {
    let goal = Goal::Regret { horizon: None };
    let policy = RipsRegret::new(question(axes(3), assumptions(0.2, 1.0).norm(2.0).unwrap(), goal)).unwrap();
    let mut bandit = Bandit::new(Box::new(policy));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut ridges = Vec::new();
    for _ in 0..400 {
        for slot in bandit.ask(100).unwrap() {
            let noise: f64 = StandardNormal.sample(&mut random);
            let plan = bandit.plan().unwrap();
            if let Measurements::Drawn(_) = plan.measurements {
                ridges.push(plan.gamma.unwrap());
            }
            let value = [0.5, 0.55, 0.1][slot.point.index()] + 0.2 * noise;
            bandit.tell(slot.id, Outcome::from(value)).unwrap();
        }
    }
    assert!(!bandit.finished());
    assert_eq!(ridges[0], 1.0 / 1024.0);
    assert!(ridges.last().unwrap() < &(1.0 / 4096.0));
    assert!(bandit.report().survivors.contains(&ChoiceId::new(1)));
}

#[test]
fn whatever_the_outcomes_someone_stays_in() {
    // Outcomes far beyond what is assumed: the statements contradict each other, and some differences go in circles.
    let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.5]];
    for seed in 0..200 {
        let pool = Pool::from_features(Matrix::from_rows(&rows)).unwrap();
        let goals = [BEST, Goal::Top { count: 2, epsilon: 0.1 }, Goal::AllGood { epsilon: 0.1 }];
        let question = question(pool, assumptions(1e-3, 0.1), goals[seed % 3]).seed(seed as u64);
        let mut policy = RipsBest::new(question).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
        for _ in 0..2 {
            let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).unwrap() else { break };
            let wild = |_| {
                let noise: f64 = StandardNormal.sample(&mut random);
                (4.0 * noise).exp() * noise
            };
            let outcomes: Vec<f64> = (0..plan.measurements.len()).map(wild).collect();
            let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
            assert!(!decision.survivors.is_empty(), "seed {seed}");
            policy.apply(&decision);
            let report = policy.report();
            assert!(!report.picks.is_empty());
            assert!(report.picks.iter().all(|pick| report.survivors.contains(pick)), "seed {seed}");
        }
    }
}

#[test]
fn a_bias_without_a_bound_gets_room_whatever_is_asked() {
    let unknown = || Assumptions::new(0.1).unwrap().bound(1.0).unwrap();
    let size = |policy: RipsRegret| {
        let mut policy = policy;
        let Next::Measure(plan) = policy.plan(&Wanted::batch(1)).unwrap() else {
            panic!("nothing to measure")
        };
        let points = plan.measurements.points();
        let outcomes: Vec<f64> = points.iter().map(|id| [0.9, 0.2][id.index()]).collect();
        let decision = policy.learn(&plan, &readings(&outcomes)).unwrap();
        policy.apply(&decision);
        policy.report().intervals[0].upper - policy.report().intervals[0].lower
    };
    let build = || RipsRegret::new(question(axes(2), unknown(), REGRET)).unwrap();
    assert_eq!(size(build()), size(build().thresholds(Thresholds::Assumed)));
    // Without a ridge there is no bias to make room for.
    let exact = || RipsRegret::new(question(axes(2), unknown(), REGRET).gamma(Ridge::ZERO)).unwrap();
    assert!(size(exact()) < size(exact().thresholds(Thresholds::Room)));
}

#[test]
fn the_leader_is_asked_for_in_batches_of_any_size() {
    let goal = Goal::Regret { horizon: None };
    let policy = PtrRegret::new(question(axes(1), assumptions(0.1, 1.0), goal)).unwrap();
    assert_eq!(Bandit::new(Box::new(policy)).ask(usize::MAX).unwrap().len(), 1 << 20);
}

#[test]
fn a_kernel_may_be_measured_at_some_points_and_chosen_from_others() {
    let at = |x: f64| (3.0 * x).sin() * 0.8;
    let table = |n: usize, shift: f64| {
        Points::new(Matrix::from_fn(n, 1, |i, _| shift + i as f64 / n as f64)).unwrap()
    };
    let kernel = Arc::new(Rbf::new(0.3).unwrap());
    let pool = Pool::from_kernel(kernel, table(12, 0.0), Some(table(9, 0.05)), &Factorisation::default());
    let pool = pool.unwrap();
    let points: Vec<f64> = (0..12).map(|i| at(i as f64 / 12.0)).collect();
    let choices: Vec<f64> = (0..9).map(|i| at(0.05 + i as f64 / 9.0)).collect();
    let best = (1..9).fold(0, |best, i| if choices[i] > choices[best] { i } else { best });
    // Each point with its own noise.
    let sigmas: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { 0.05 } else { 0.2 }).collect();
    let assumed = assumptions(0.2, 1.0).norm(3.0).unwrap().sigma_at(sigmas).unwrap();
    let build = || question(pool.clone(), assumed.clone(), BEST);
    let policies: [Box<dyn Policy>; 2] =
        [Box::new(RipsBest::new(build()).unwrap()), Box::new(PtrBest::new(build()).unwrap())];
    for policy in policies {
        let report = run(policy, &points, 0.05, 4);
        assert_eq!(report.status, Status::Finished(Reason::Reached));
        assert!(report.survivors.contains(&ChoiceId::new(best)));
        assert!(choices[best] - choices[report.picks[0].index()] <= 0.1);
        assert_eq!(report.intervals.len(), report.survivors.len());
        for interval in &report.intervals {
            let mean = choices[interval.choice.index()];
            assert!(interval.lower <= mean && mean <= interval.upper, "{interval:?} misses {mean}");
        }
    }
}
