//! PAC coverage of the elimination policies: failures within the binomial limit, on four geometries and four kinds of noise.

#![allow(clippy::unwrap_used)]

#[path = "support/binomial.rs"]
mod binomial;
#[path = "support/campaigns.rs"]
mod campaigns;

use campaigns::{Law, World};
use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret};
use elfving::bandit::{Goal, Policy, Question};

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
fn heavy_tails(repetitions: u64, goal: Goal, build: fn(Question) -> Box<dyn Policy>, worlds: &[World]) {
    for world in worlds {
        for law in [Law::Normal, Law::Student, Law::TwoPoint] {
            world.covers(goal, law, repetitions, build);
        }
        world.clone().misspecified(0.05).covers(goal, Law::Normal, repetitions, build);
    }
}

fn light_tails(repetitions: u64, goal: Goal, build: fn(Question) -> Box<dyn Policy>, worlds: &[World]) {
    for world in worlds {
        for law in [Law::Normal, Law::Rademacher] {
            world.covers(goal, law, repetitions, build);
        }
        world.clone().misspecified(0.05).covers(goal, Law::Normal, repetitions, build);
    }
}

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
