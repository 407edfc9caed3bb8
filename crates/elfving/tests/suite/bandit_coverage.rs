//! PAC coverage of the elimination policies: failures within the binomial limit, on four geometries and four kinds of noise.

use crate::campaigns;

use campaigns::{Law, World};
use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret, Thresholds};
use elfving::bandit::{Goal, Policy, Question};

type Build = fn(Question) -> Box<dyn Policy>;

const BEST: Goal = Goal::Best { epsilon: 0.1 };
const REGRET: Goal = Goal::Regret { horizon: Some(12_000) };

fn rips_best(question: Question) -> Box<dyn Policy> {
    Box::new(RipsBest::new(question).unwrap())
}

fn rips_regret(question: Question) -> Box<dyn Policy> {
    Box::new(RipsRegret::new(question).unwrap())
}

fn ptr_best(question: Question) -> Box<dyn Policy> {
    Box::new(PtrBest::new(question).unwrap())
}

fn ptr_regret(question: Question) -> Box<dyn Policy> {
    Box::new(PtrRegret::new(question).unwrap())
}

/// Every geometry with every noise, and a wrong model with h stated.
fn heavy_tails(repetitions: u64, goal: Goal, build: Build, worlds: &[World]) {
    for world in worlds {
        for law in [Law::Normal, Law::Student, Law::TwoPoint] {
            world.covers(goal, law, repetitions, build);
        }
        world.clone().misspecified(0.05).covers(goal, Law::Normal, repetitions, build);
    }
}

fn light_tails(repetitions: u64, goal: Goal, build: Build, worlds: &[World]) {
    for world in worlds {
        for law in [Law::Normal, Law::Rademacher] {
            world.covers(goal, law, repetitions, build);
        }
        world.clone().misspecified(0.05).covers(goal, Law::Normal, repetitions, build);
    }
}

const TOP: Goal = Goal::Top { count: 2, epsilon: 0.2 };
const ALL_GOOD: Goal = Goal::AllGood { epsilon: 0.3 };

#[test]
fn rips_best_covers() {
    heavy_tails(50, BEST, rips_best, &World::all());
}

#[test]
fn rips_regret_covers() {
    heavy_tails(50, REGRET, rips_regret, &World::measurable());
}

#[test]
fn ptr_best_covers() {
    light_tails(50, BEST, ptr_best, &World::all());
}

#[test]
fn ptr_regret_covers() {
    light_tails(50, REGRET, ptr_regret, &World::measurable());
}

#[test]
fn top_and_all_good_cover() {
    for world in [World::linear(), World::two_tables()] {
        for goal in [TOP, ALL_GOOD] {
            world.covers(goal, Law::Student, 20, rips_best);
            world.covers(goal, Law::Normal, 20, ptr_best);
        }
    }
}

/// The floor by the true h and norm: beyond it nobody is protected, and what is left is within a few of it.
#[test]
fn with_room_a_wrong_model_that_nobody_stated_costs_no_more_than_its_floor() {
    let roomy: [(&str, Build); 2] = [
        ("rips", |question| Box::new(RipsBest::new(question).unwrap().thresholds(Thresholds::Room))),
        ("ptr", |question| Box::new(PtrBest::new(question).unwrap().thresholds(Thresholds::Room))),
    ];
    let h = 0.05;
    for world in [World::linear().misspecified(h).unaware(), World::rbf().misspecified(h).unaware()] {
        for (name, build) in roomy {
            let gaps = world.gaps();
            let goal = Goal::Best { epsilon: 0.1 };
            let worst = (0..30)
                .map(|seed| world.campaign(build(world.question(goal, Law::Normal, seed)), Law::Normal, seed))
                .map(|report| {
                    let gap = |id: &elfving::pool::ChoiceId| gaps[id.index()];
                    report.survivors.iter().map(gap).fold(f64::INFINITY, f64::min)
                })
                .fold(0.0, f64::max);
            // (sqrt(γ) S + h)(2 + sqrt f) with f at most 4 times the dimension; γ keeps the first part small.
            let floor = h * (2.0 + (4.0 * world.pool.dimension() as f64).sqrt());
            println!("{} {name}: the nearest survivor is within {worst:.4}, floor {floor:.4}", world.name);
            assert!(worst <= floor, "{} {name}: {worst} > {floor}", world.name);
        }
    }
}

#[test]
#[ignore = "slow statistical suite: cargo xtask test --slow"]
fn every_policy_covers_in_a_thousand_campaigns_a_cell() {
    heavy_tails(1_000, BEST, rips_best, &World::all());
    heavy_tails(1_000, REGRET, rips_regret, &World::measurable());
    light_tails(1_000, BEST, ptr_best, &World::all());
    light_tails(1_000, REGRET, ptr_regret, &World::measurable());
    for world in World::all() {
        for goal in [TOP, ALL_GOOD] {
            world.covers(goal, Law::Student, 1_000, rips_best);
            world.covers(goal, Law::Normal, 1_000, ptr_best);
        }
    }
}
