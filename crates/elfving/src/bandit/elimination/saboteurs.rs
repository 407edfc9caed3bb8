//! The mistakes that are easiest to make, made on purpose: the campaigns must see every one of them.
//!
//! A saboteur is RIPS for regret with one bug, on a world where nothing in the widths is slack.

use super::phases::{Learned, Phases, Round, RoundRule};
use super::policy::elimination_policy;
use super::rips_regret::RipsRegret;
use super::settings::Constants;
use crate::bandit::{BanditError, Goal, Measurements, Plan, Policy, Question};
use crate::design::Criterion;
use crate::estimate::Tails;
use crate::rounding::Draws;
use serde_json::{Value, from_value, json, to_value};

#[path = "../../../tests/support/binomial.rs"]
mod binomial;
#[path = "../../../tests/support/campaigns.rs"]
mod campaigns;

use campaigns::{Law, World, refutes};

const REGRET: Goal = Goal::Regret { horizon: Some(27_500) };

fn failures(world: &World, repetitions: u64, build: fn(Question) -> Box<dyn Policy>) -> u64 {
    let failed = world.failures(REGRET, Law::Normal, repetitions, build);
    println!("{failed} of {repetitions} fail");
    failed
}

/// The criterion of the coverage suite itself.
fn is_caught(world: &World, repetitions: u64, build: fn(Question) -> Box<dyn Policy>) {
    let failed = failures(world, repetitions, build);
    assert!(refutes(failed, repetitions), "only {failed} of {repetitions} fail");
}

#[test]
fn nothing_is_wrong_without_a_saboteur() {
    let honest = |question| -> Box<dyn Policy> { Box::new(RipsRegret::new(question).unwrap()) };
    assert!(failures(&World::tight(), 30, honest) <= 3);
    assert!(failures(&World { failing: 0.5, ..World::tight() }, 30, honest) <= 3);
}

/// Draws with some part of their record replaced.
fn altered(plan: &Plan, change: impl Fn(&mut Value)) -> Plan {
    let Measurements::Drawn(draws) = &plan.measurements else { unreachable!("RIPS draws") };
    let mut record = to_value(draws).unwrap();
    change(&mut record);
    let draws: Draws = from_value(record).unwrap();
    Plan { measurements: Measurements::Drawn(draws), ..plan.clone() }
}

struct DoubleCounting(Phases);
elimination_policy!(DoubleCounting, Goal::Regret { .. }, "regret");

impl RoundRule for DoubleCounting {
    const NAME: &'static str = "double-counting";
    const TAILS: Tails = Tails::BoundedVariance;

    /// Every other draw, since each outcome counts twice.
    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        let plan = RipsRegret::plan_round(phases, round)?;
        Ok(plan.and_then(|plan| {
            let half: Vec<bool> = (0..plan.measurements.len()).map(|i| i % 2 == 0).collect();
            plan.only(&half)
        }))
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let points = plan.measurements.points();
        let plan =
            altered(plan, |record| record["points"] = json!([points.clone(), points.clone()].concat()));
        RipsRegret::learn_round(phases, &plan, &[outcomes, outcomes].concat())
    }
}

#[test]
fn double_counting_is_caught() {
    is_caught(&World::tight(), 150, |question| Box::new(DoubleCounting::new(question).unwrap()));
}

/// What the harness tells in place of a failure.
const FAILED: f64 = -1.0e6;

struct DroppedFailures(Phases);
elimination_policy!(DroppedFailures, Goal::Regret { .. }, "regret");

impl RoundRule for DroppedFailures {
    const NAME: &'static str = "dropped-failures";
    const TAILS: Tails = Tails::BoundedVariance;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        RipsRegret::plan_round(phases, round)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let told: Vec<bool> = outcomes.iter().map(|&y| y != FAILED).collect();
        let outcomes: Vec<f64> = outcomes.iter().copied().filter(|&y| y != FAILED).collect();
        RipsRegret::learn_round(phases, &plan.only(&told).unwrap(), &outcomes)
    }
}

#[test]
fn dropping_failed_slots_is_caught() {
    let world = World { failing: 0.5, failure_is_told_as: Some(FAILED), ..World::tight() };
    is_caught(&world, 30, |question| Box::new(DroppedFailures::new(question).unwrap()));
}

struct LostLogarithm(Phases);
elimination_policy!(LostLogarithm, Goal::Regret { .. }, "regret");

impl RoundRule for LostLogarithm {
    const NAME: &'static str = "lost-logarithm";
    const TAILS: Tails = Tails::BoundedVariance;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        RipsRegret::plan_round(phases, round)
    }

    /// One statement, where there is one for each survivor.
    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let estimator = phases.estimator(&phases.question.pool, plan, outcomes, 1)?;
        phases.drop_below(plan, 1, estimator.means_of_survivors(phases)?)
    }
}

#[test]
fn a_lost_logarithm_is_caught() {
    is_caught(&World::tight(), 100, |question| Box::new(LostLogarithm::new(question).unwrap()));
}

struct QuarteredWidths(Phases);
elimination_policy!(QuarteredWidths, Goal::Regret { .. }, "regret");

impl RoundRule for QuarteredWidths {
    const NAME: &'static str = "quartered-widths";
    const TAILS: Tails = Tails::BoundedVariance;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        RipsRegret::plan_round(phases, round)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let survivors = phases.survivors();
        let estimator = phases.estimator(&phases.question.pool, plan, outcomes, survivors.len())?;
        let mut stated = estimator.means_of_survivors(phases)?;
        for one in &mut stated {
            one.evidence.moment /= 16.0;
            one.evidence.shares.iter_mut().for_each(|share| *share /= 16.0);
        }
        phases.drop_below(plan, survivors.len(), stated)
    }
}

#[test]
fn quartered_widths_are_caught() {
    is_caught(&World::tight(), 30, |question| Box::new(QuarteredWidths::new(question).unwrap()));
}

struct WrongSimplex(Phases);
elimination_policy!(WrongSimplex, Goal::Regret { .. }, "regret");

impl RoundRule for WrongSimplex {
    const NAME: &'static str = "wrong-simplex";
    const TAILS: Tails = Tails::BoundedVariance;

    /// Draws from weights of its own.
    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        let mut design = phases.design(Criterion::G, round)?;
        let honest = RipsRegret::plan_round(phases, round)?;
        design.weights.iter_mut().enumerate().for_each(|(i, (_, weight))| *weight *= 1.0 + (i % 2) as f64);
        match honest {
            Some(plan) => phases.draw(round, &design, plan.measurements.len() as u64),
            None => Ok(None),
        }
    }

    /// Estimates as if they had been those of the design: all alike.
    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let alike = altered(plan, |record| {
            let weights = record["weights"].as_array_mut().unwrap();
            let (count, sum) = (weights.len() as u64, 1u64 << 32);
            for (i, pair) in weights.iter_mut().enumerate() {
                pair[1] = json!(sum / count + u64::from((i as u64) < sum % count));
            }
        });
        RipsRegret::learn_round(phases, &alike, outcomes)
    }
}

#[test]
fn the_wrong_simplex_is_caught() {
    is_caught(&World::tight(), 30, |question| Box::new(WrongSimplex::new(question).unwrap()));
}
