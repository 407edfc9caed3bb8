//! Ask and tell: slots, order, failures, records.

#![allow(clippy::unwrap_used)]

#[path = "support/rbf100.rs"]
mod rbf100;

use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret};
use elfving::bandit::{
    Bandit, BanditError, Decision, Goal, Guarantee, Outcome, Plan, Policy, Question, Report, Slot, SlotId,
    Status, Told,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::linalg::Matrix;
use elfving::pool::Pool;

/// Every policy on the hundred points, by name.
fn policy(name: &str, seed: u64) -> Box<dyn Policy> {
    let goal = match name {
        "rips-best" | "ptr-best" => Goal::Best { epsilon: 0.1 },
        _ => Goal::Regret { horizon: Some(3_000) },
    };
    let assumptions = rbf100::assumptions().tails(Tails::SubGaussian);
    let question = Question::new(rbf100::pool(), assumptions, goal).unwrap().seed(seed);
    match name {
        "rips-best" => Box::new(RipsBest::new(question).unwrap()),
        "ptr-best" => Box::new(PtrBest::new(question).unwrap()),
        "rips-regret" => Box::new(RipsRegret::new(question).unwrap()),
        _ => Box::new(PtrRegret::new(question).unwrap()),
    }
}

const NAMES: [&str; 4] = ["rips-regret", "rips-best", "ptr-regret", "ptr-best"];

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
            bandit.tell(slot.id, Outcome::Value(outcome(slot))).unwrap();
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
    assert_eq!(bandit.tell(first[1].id, Outcome::Value(0.5)).unwrap(), Told::Recorded);
    assert_eq!(bandit.tell(first[1].id, Outcome::Value(0.5)).unwrap(), Told::Repeated);
    assert!(matches!(bandit.tell(first[1].id, Outcome::Value(0.6)), Err(BanditError::Conflict { .. })));
    assert_eq!(bandit.tell(first[0].id, Outcome::Failed).unwrap(), Told::AskedAgain);
    assert!(matches!(bandit.tell(first[2].id, Outcome::Value(f64::NAN)), Err(BanditError::NotFinite { .. })));
    assert!(matches!(bandit.tell(SlotId::new(3), Outcome::Value(0.0)), Err(BanditError::UnknownSlot { .. })));
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

/// Plan, outcomes and decision of each round.
type Record = Vec<(Plan, Vec<Option<f64>>, Decision)>;

/// Runs a campaign and keeps its record.
fn recorded(name: &str) -> (Record, Report) {
    let mut bandit = Bandit::new(policy(name, 5));
    let mut record = Vec::new();
    while !bandit.finished() {
        let slots = bandit.ask(usize::MAX).unwrap();
        let plan = bandit.plan().unwrap().clone();
        let outcomes: Vec<Option<f64>> = slots.iter().map(|&slot| Some(outcome(slot))).collect();
        for (slot, value) in slots.iter().zip(&outcomes) {
            bandit.tell(slot.id, Outcome::Value(value.unwrap())).unwrap();
        }
        record.push((plan, outcomes, bandit.decisions().last().unwrap().clone()));
    }
    (record, bandit.report())
}

#[test]
fn a_record_restores_the_conversation_and_goes_on_where_it_was() {
    for name in NAMES {
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
        let told: Vec<Option<f64>> = last.1[..last.1.len() / 2].to_vec();
        halfway.resume(last.0.clone(), &told).unwrap();
        assert_eq!(halfway.open_slots(), 0);
        for slot in halfway.ask(usize::MAX).unwrap() {
            halfway.tell(slot.id, Outcome::Value(outcome(slot))).unwrap();
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
            bandit.tell(slot.id, Outcome::Value(outcome(slot))).unwrap();
        }
        let plan = bandit.plan().unwrap().clone();
        assert_eq!(bandit.report().guarantee, Guarantee::Certified);
        bandit.close_without_guarantee().unwrap();
        assert_eq!(bandit.report().guarantee, Guarantee::None, "{name}");
        let late = bandit.tell(open[0].id, Outcome::Value(0.0));
        assert_eq!(late, Err(BanditError::RoundClosed { slot: open[0].id }));
        assert_eq!(bandit.tell(told[0].id, Outcome::Value(outcome(told[0]))), Ok(Told::Repeated));

        // The record of it restores the same.
        let mut outcomes: Vec<Option<f64>> = told.iter().map(|&slot| Some(outcome(slot))).collect();
        outcomes.extend([None; 3]);
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
