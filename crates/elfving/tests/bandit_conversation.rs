//! Ask and tell: slots, order, failures, records.

#![allow(clippy::unwrap_used)]

#[path = "support/rbf100.rs"]
mod rbf100;

use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret};
use elfving::bandit::{
    Bandit, BanditError, Decision, EllipsoidBest, EllipsoidRegret, Goal, Guarantee, Outcome, Plan, Policy,
    Question, Reading, Report, Slot, SlotId, Status, Told, Why,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::Pool;

/// Every policy on the hundred points, by name.
fn policy(name: &str, seed: u64) -> Box<dyn Policy> {
    let goal = match name {
        "rips-best" | "ptr-best" | "ellipsoid-best" => Goal::Best { epsilon: 0.1 },
        _ => Goal::Regret { horizon: Some(3_000) },
    };
    let assumptions = rbf100::assumptions().tails(Tails::SubGaussian);
    let question = Question::new(rbf100::pool(), assumptions, goal).unwrap().seed(seed);
    match name {
        "rips-best" => Box::new(RipsBest::new(question).unwrap()),
        "ptr-best" => Box::new(PtrBest::new(question).unwrap()),
        "ellipsoid-best" => Box::new(EllipsoidBest::new(question).unwrap()),
        "ellipsoid-regret" => Box::new(EllipsoidRegret::new(question).unwrap()),
        "rips-regret" => Box::new(RipsRegret::new(question).unwrap()),
        _ => Box::new(PtrRegret::new(question).unwrap()),
    }
}

const NAMES: [&str; 4] = ["rips-regret", "rips-best", "ptr-regret", "ptr-best"];
const ELLIPSOIDS: [&str; 2] = ["ellipsoid-best", "ellipsoid-regret"];

/// An outcome that depends on the slot alone.
fn outcome(slot: Slot) -> f64 {
    let noise = (slot.id.number() as f64 * 12.9898).sin() * 43_758.547;
    rbf100::MEANS[slot.point.index()] + 0.15 * (noise - noise.floor() - 0.5)
}

/// Runs to the end; `order` rearranges what is told of a batch. All plans, decisions and the report, as text.
fn transcript(mut bandit: Bandit, batch: usize, order: impl Fn(&mut Vec<Slot>)) -> (String, Report) {
    let mut lines = Vec::new();
    while !bandit.finished() {
        let mut slots = bandit.ask(batch).unwrap();
        lines.push(serde_json::to_string(&bandit.plan()).unwrap());
        lines.push(serde_json::to_string(&slots).unwrap());
        order(&mut slots);
        for slot in slots {
            bandit.tell(slot.id, Outcome::from(outcome(slot))).unwrap();
        }
    }
    lines.push(serde_json::to_string(bandit.decisions()).unwrap());
    lines.push(serde_json::to_string(&bandit.report()).unwrap());
    (lines.join("\n"), bandit.report())
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_1_2_and_8_threads() {
    for name in NAMES {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| transcript(Bandit::new(policy(name, 3)), 500, |_| {}).0)
        };
        let alone = on(1);
        assert_eq!(alone, on(2), "{name}");
        assert_eq!(alone, on(8), "{name}");
        let other = transcript(Bandit::new(policy(name, 4)), 500, |_| {}).0;
        assert!(name.starts_with("ptr") || alone != other, "{name}: another seed draws the same");
    }
}

#[test]
fn telling_in_another_order_and_batch_gives_the_same_decisions() {
    for name in NAMES {
        let (_, straight) = transcript(Bandit::new(policy(name, 1)), 500, |_| {});
        let (_, reversed) = transcript(Bandit::new(policy(name, 1)), 137, |slots| slots.reverse());
        assert_eq!(straight, reversed, "{name}");
    }
}

fn two_arms() -> Bandit {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let assumptions = Assumptions::new(0.1).unwrap().bound(1.0).unwrap();
    let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.2 }).unwrap();
    Bandit::new(Box::new(RipsBest::new(question).unwrap()))
}

#[test]
fn open_slots_are_shown_again_failed_ones_too_and_told_ones_never_count_twice() {
    let mut bandit = two_arms();
    assert!(matches!(bandit.ask(0), Err(BanditError::EmptyBatch)));
    let first = bandit.ask(3).unwrap();
    assert_eq!(first.len(), 3);
    assert_eq!(bandit.ask(50).unwrap(), first);
    assert_eq!(bandit.tell(first[1].id, Outcome::from(0.5)).unwrap(), Told::Recorded);
    assert_eq!(bandit.tell(first[1].id, Outcome::from(0.5)).unwrap(), Told::Repeated);
    assert!(matches!(bandit.tell(first[1].id, Outcome::from(0.6)), Err(BanditError::Conflict { .. })));
    assert_eq!(bandit.tell(first[0].id, Outcome::Failed).unwrap(), Told::AskedAgain);
    assert!(matches!(
        bandit.tell(first[2].id, Outcome::from(f64::NAN)),
        Err(BanditError::NotAnOutcome { .. })
    ));
    assert!(matches!(bandit.tell(SlotId::new(3), Outcome::from(0.0)), Err(BanditError::UnknownSlot { .. })));
    assert_eq!(bandit.ask(50).unwrap(), vec![first[0], first[2]]);
    assert_eq!(bandit.open_slots(), 2);
    assert_eq!(bandit.report().samples, 0, "a partial round is not learned from");
}

#[test]
fn a_round_beyond_the_budget_is_refused_with_what_it_needs() {
    let mut bandit = two_arms().budget(20);
    let Err(BanditError::OverBudget { needed, left: 20 }) = bandit.ask(5) else { panic!("not refused") };
    assert!(needed > 20);
    assert!(two_arms().budget(needed).ask(5).is_ok());
}

/// A batch that holds a whole round; the ellipsoid makes a round of any batch.
fn whole_round(name: &str) -> usize {
    if name.starts_with("ellipsoid") { 40 } else { usize::MAX }
}

/// Plan, outcomes and decision of each round.
type Record = Vec<(Plan, Vec<Option<Reading>>, Decision)>;

/// Runs a campaign and keeps its record.
fn recorded(name: &str) -> (Record, Report) {
    let mut bandit = Bandit::new(policy(name, 5));
    let mut record = Vec::new();
    while !bandit.finished() {
        let slots = bandit.ask(whole_round(name)).unwrap();
        let plan = bandit.plan().unwrap().clone();
        let outcomes: Vec<Option<Reading>> = slots.iter().map(|&slot| Some(outcome(slot).into())).collect();
        for slot in slots {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
        record.push((plan, outcomes, bandit.decisions().last().unwrap().clone()));
    }
    (record, bandit.report())
}

#[test]
fn a_record_restores_the_conversation_and_goes_on_where_it_was() {
    for name in NAMES.into_iter().chain(ELLIPSOIDS) {
        let (record, report) = recorded(name);
        // What a campaign file does: through text and back.
        let text = serde_json::to_string(&record).unwrap();
        let record: Record = serde_json::from_str(&text).unwrap();
        let mut restored = Bandit::new(policy(name, 5));
        for (plan, outcomes, decision) in &record {
            restored.replay(plan.clone(), outcomes, decision).unwrap();
        }
        assert!(restored.finished());
        assert_eq!(restored.report(), report, "{name}");

        // In the middle of the last round.
        let mut halfway = Bandit::new(policy(name, 5));
        let (last, earlier) = record.split_last().unwrap();
        for (plan, outcomes, decision) in earlier {
            halfway.replay(plan.clone(), outcomes, decision).unwrap();
        }
        let told: Vec<Option<Reading>> = last.1[..last.1.len() / 2].to_vec();
        halfway.resume(last.0.clone(), &told).unwrap();
        assert_eq!(halfway.open_slots(), 0);
        for slot in halfway.ask(whole_round(name)).unwrap() {
            halfway.tell(slot.id, Outcome::from(outcome(slot))).unwrap();
        }
        assert_eq!(halfway.report(), report, "{name}");
    }
}

#[test]
fn a_recorded_decision_is_applied_even_where_the_outcomes_say_otherwise() {
    let (record, _) = recorded("rips-best");
    let (plan, outcomes, decision) = &record[0];
    assert!(!decision.eliminated.is_empty());
    let kept = Decision {
        survivors: (0..100).map(elfving::pool::PointId::new).collect(),
        eliminated: Vec::new(),
        ..decision.clone()
    };
    let mut restored = Bandit::new(policy("rips-best", 5));
    restored.replay(plan.clone(), outcomes, &kept).unwrap();
    let report = restored.report();
    assert_eq!(report.survivors.len(), 100);
    assert_eq!(report.margins, Default::default(), "margins of another decision are not known");
    assert!(restored.ask(10).is_ok());
}

#[test]
fn a_round_closed_with_open_slots_leaves_no_guarantee_for_ever() {
    for name in NAMES {
        let mut bandit = Bandit::new(policy(name, 2));
        assert_eq!(bandit.close_without_guarantee(), Err(BanditError::NoRound));
        let slots = bandit.ask(usize::MAX).unwrap();
        let (told, open) = slots.split_at(slots.len() - 3);
        for &slot in told {
            bandit.tell(slot.id, Outcome::from(outcome(slot))).unwrap();
        }
        let plan = bandit.plan().unwrap().clone();
        assert_eq!(bandit.report().guarantee, Guarantee::Certified);
        bandit.close_without_guarantee().unwrap();
        assert_eq!(bandit.report().guarantee, Guarantee::None, "{name}");
        let late = bandit.tell(open[0].id, Outcome::from(0.0));
        assert_eq!(late, Err(BanditError::RoundClosed { slot: open[0].id }));
        assert_eq!(bandit.tell(told[0].id, Outcome::from(outcome(told[0]))), Ok(Told::Repeated));

        // The record of it restores the same.
        let mut outcomes: Vec<Option<Reading>> =
            told.iter().map(|&slot| Some(outcome(slot).into())).collect();
        outcomes.extend([None, None, None]);
        let mut restored = Bandit::new(policy(name, 2));
        restored.replay(plan, &outcomes, &bandit.decisions()[0]).unwrap();
        assert_eq!(restored.report(), bandit.report(), "{name}");

        // And it goes on, to an answer without a proof.
        let (_, report) = transcript(bandit, 1_000, |_| {});
        assert!(matches!(report.status, Status::Finished(_)));
        assert_eq!((report.guarantee, report.epsilon), (Guarantee::None, None));
    }
}

#[test]
fn a_round_can_be_given_up_before_anything_was_told() {
    let mut bandit = two_arms();
    let slots = bandit.ask(4).unwrap();
    bandit.close_without_guarantee().unwrap();
    assert_eq!(bandit.report().survivors.len(), 2);
    let next = bandit.ask(4).unwrap();
    assert!(next[0].id.number() > slots[3].id.number());
}

#[test]
fn repeats_of_a_slot_count_as_their_average_and_are_compared_as_they_were_told() {
    let mut averaged = Bandit::new(policy("ellipsoid-best", 1));
    let mut repeated = Bandit::new(policy("ellipsoid-best", 1));
    for slot in averaged.ask(40).unwrap() {
        averaged.tell(slot.id, outcome(slot)).unwrap();
    }
    for slot in repeated.ask(40).unwrap() {
        let apart = Reading::Repeats(vec![outcome(slot) - 0.25, outcome(slot) + 0.25]);
        repeated.tell(slot.id, apart.clone()).unwrap();
        assert_eq!(repeated.tell(slot.id, apart), Ok(Told::Repeated));
        assert!(matches!(repeated.tell(slot.id, outcome(slot)), Err(BanditError::Conflict { .. })));
    }
    let (one, other) = (averaged.report(), repeated.report());
    assert_eq!(one.picks, other.picks);
    assert!((one.intervals[0].estimate - other.intervals[0].estimate).abs() < 1e-9);
}

#[test]
fn earlier_and_forced_measurements_count_where_the_theorem_allows_it() {
    let points: Vec<_> = (0..100).step_by(9).map(elfving::pool::PointId::new).collect();
    let reading = |point: elfving::pool::PointId| Reading::from(rbf100::MEANS[point.index()]);
    let measured: Vec<_> = points.iter().map(|&point| (point, reading(point))).collect();
    for name in NAMES.into_iter().chain(ELLIPSOIDS) {
        let uses = name.starts_with("ellipsoid");
        let mut told = Bandit::new(policy(name, 1));
        assert_eq!(told.earlier(&measured), Ok(uses), "{name}");
        let mut forced = Bandit::new(policy(name, 1));
        forced.force(points.clone()).unwrap();
        assert!(forced.plan().unwrap().why().iter().all(|why| *why == Why::Forced));
        for slot in forced.ask(1_000).unwrap() {
            forced.tell(slot.id, reading(slot.point)).unwrap();
        }
        assert_eq!(told.report().samples, if uses { points.len() as u64 } else { 0 }, "{name}");
        assert_eq!(told.report(), forced.report(), "{name}");
        assert_eq!(forced.decisions()[0].round, 0);
    }
    let nothing = [(points[0], Reading::Repeats(vec![]))];
    assert!(matches!(two_arms().earlier(&nothing), Err(BanditError::Earlier { index: 0, .. })));
}

#[test]
fn every_measurement_says_why_it_is_in() {
    for name in NAMES.into_iter().chain(ELLIPSOIDS) {
        let mut bandit = Bandit::new(policy(name, 1));
        bandit.ask(40).unwrap();
        let plan = bandit.plan().unwrap();
        let why = plan.why();
        assert_eq!(why.len(), plan.measurements.len(), "{name}");
        let fits = |why: &Why| match why {
            Why::Weight { weight } => !name.starts_with("ellipsoid") && *weight > 0.0 && *weight <= 1.0,
            Why::Comparison { width, .. } => name == "ellipsoid-best" && *width > 0.0,
            Why::Width { width } => name == "ellipsoid-regret" && *width > 0.0,
            _ => false,
        };
        assert!(why.iter().all(fits), "{name}: {why:?}");
    }
}
