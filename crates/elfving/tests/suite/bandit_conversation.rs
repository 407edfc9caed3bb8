//! Ask and tell: slots, order, failures, records.

use crate::rbf100;

use elfving::bandit::elimination::{PtrBest, PtrRegret, RipsBest, RipsRegret};
use elfving::bandit::{
    Bandit, BanditError, Conversation, Decision, EllipsoidBest, EllipsoidRegret, Goal, Guarantee, Handing,
    Limits, Outcome, Policy, Question, Reading, Reason, Report, Slot, SlotId, Status, Told, Why,
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
    lines.push(serde_json::to_string(&bandit.decisions()).unwrap());
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
    // What failed is asked again, with the rest of the round; what is under way is not.
    let next = bandit.ask(50).unwrap();
    assert_eq!((next.len(), next[0], next[1].id), (50, first[0], SlotId::new(3)));
    assert!(!next.contains(&first[2]));
    assert_eq!(bandit.open_slots(), 51);
    assert_eq!(bandit.report().samples, 0, "a partial round is not learned from");
}

#[test]
fn a_round_beyond_the_budget_ends_in_a_status_that_says_what_it_needs() {
    let mut bandit = two_arms().budget(20);
    assert_eq!(bandit.ask(5).unwrap(), []);
    assert!(bandit.finished());
    assert_eq!(bandit.report().status, Status::Finished(Reason::Budget));
    let needed = bandit.needed().unwrap();
    assert!(needed > 20);
    let mut enough = two_arms().budget(needed);
    assert_eq!(enough.ask(5).unwrap().len(), 5);
    assert!(!enough.finished());
}

#[test]
fn a_budget_that_is_spent_is_a_status() {
    let mut bandit = Bandit::new(policy("ellipsoid-best", 1)).budget(7);
    let mut asked = 0;
    while !bandit.finished() {
        for slot in bandit.ask(5).unwrap() {
            asked += 1;
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    assert_eq!((asked, bandit.report().status), (7, Status::Finished(Reason::Budget)));
    assert_eq!(bandit.ask(5).unwrap(), []);
}

/// A batch that holds a whole round; the ellipsoid makes a round of any batch.
fn whole_round(name: &str) -> usize {
    if name.starts_with("ellipsoid") { 40 } else { usize::MAX }
}

/// Runs a campaign and keeps its record, at its end and in the middle of its last round.
fn recorded(name: &str) -> (Conversation, Conversation, Report) {
    let mut bandit = Bandit::new(policy(name, 5));
    let mut halfway = bandit.conversation().clone();
    while !bandit.finished() {
        let slots = bandit.ask(whole_round(name)).unwrap();
        let middle = slots.len() / 2;
        for (k, slot) in slots.into_iter().enumerate() {
            if k == middle {
                halfway = bandit.conversation().clone();
            }
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    (bandit.conversation().clone(), halfway, bandit.report())
}

#[test]
fn a_record_restores_the_conversation_and_goes_on_where_it_was() {
    for name in NAMES.into_iter().chain(ELLIPSOIDS) {
        let (record, halfway, report) = recorded(name);
        // What a campaign file does: through text and back.
        let through_text = |talk: &Conversation| -> Conversation {
            serde_json::from_str(&serde_json::to_string(talk).unwrap()).unwrap()
        };
        let restored = Bandit::restore(policy(name, 5), through_text(&record)).unwrap();
        assert!(restored.finished());
        assert_eq!(restored.report(), report, "{name}");

        let mut halfway = Bandit::restore(policy(name, 5), through_text(&halfway)).unwrap();
        assert!(halfway.open_slots() > 0);
        let open: Vec<Slot> = halfway
            .conversation()
            .open()
            .map(|(slot, point, _)| Slot { id: SlotId::new(slot as u64), point })
            .collect();
        for slot in open {
            halfway.tell(slot.id, Outcome::from(outcome(slot))).unwrap();
        }
        let live = halfway.report();
        assert_eq!(
            (&live.picks, live.status, live.samples),
            (&report.picks, report.status, report.samples),
            "{name}"
        );
        for (one, other) in live.intervals.iter().zip(&report.intervals) {
            assert!((one.estimate - other.estimate).abs() <= 1e-9, "{name}");
        }
    }
}

#[test]
fn a_recorded_decision_is_applied_even_where_the_outcomes_say_otherwise() {
    let (record, ..) = recorded("rips-best");
    let first = record.decisions().next().unwrap().clone();
    assert!(!first.eliminated.is_empty());
    let kept = Decision {
        survivors: (0..100).map(elfving::pool::ChoiceId::new).collect(),
        eliminated: Vec::new(),
        ..first
    };
    // The first round alone, with another decision.
    let round = &record.rounds()[0];
    let mut talk = Conversation::new(false);
    let (plan, handed_out) = (Some(round.plan().clone()), round.points().len());
    talk.hand_out(Handing { plan, handed_out, ..Handing::default() }).unwrap();
    for (slot, reading) in round.readings().into_iter().enumerate() {
        talk.tell(slot, reading.unwrap().clone()).unwrap();
    }
    talk.close(kept, false).unwrap();
    let mut restored = Bandit::restore(policy("rips-best", 5), talk).unwrap();
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
        assert_eq!(bandit.report().guarantee, Guarantee::Certified);
        bandit.close_without_guarantee().unwrap();
        assert_eq!(bandit.report().guarantee, Guarantee::None, "{name}");
        let late = bandit.tell(open[0].id, Outcome::from(0.0));
        assert_eq!(late, Err(BanditError::RoundClosed { slot: open[0].id }));
        assert_eq!(bandit.tell(told[0].id, Outcome::from(outcome(told[0]))), Ok(Told::Repeated));

        // The record of it restores the same.
        let restored = Bandit::restore(policy(name, 2), bandit.conversation().clone()).unwrap();
        assert_eq!(restored.report(), bandit.report(), "{name}");

        // And it goes on, to an answer without a proof.
        let (_, report) = transcript(bandit, 1_000, |_| {});
        assert!(matches!(report.status, Status::Finished(_)));
        assert_eq!((report.guarantee, report.epsilon), (Guarantee::None, None));
    }
}

#[test]
fn every_result_counts_at_once_where_all_data_decide_and_new_slots_go_out_beside_open_ones() {
    for name in ELLIPSOIDS {
        let mut bandit = Bandit::new(policy(name, 3));
        let first = bandit.ask(6).unwrap();
        assert_eq!(bandit.ask(6).unwrap(), first, "nothing came back: the same again");
        for &slot in &first[..4] {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
        assert_eq!(bandit.report().samples, 4, "{name}: told is used");
        let second = bandit.ask(6).unwrap();
        assert_eq!(second.len(), 6, "{name}: a full batch beside two that are under way");
        assert!(second.iter().all(|slot| slot.id.number() >= 6));
        assert_eq!(bandit.open_slots(), 8);
        // What is late comes when it comes.
        bandit.tell(first[5].id, outcome(first[5])).unwrap();
        for &slot in &second {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
        bandit.tell(first[4].id, outcome(first[4])).unwrap();
        assert_eq!((bandit.report().samples, bandit.open_slots()), (12, 0));
        // The order in which results came does not matter to what is known.
        let mut straight = Bandit::new(policy(name, 3));
        let measured: Vec<_> =
            first.iter().chain(&second).map(|&slot| (slot.point, Reading::from(outcome(slot)))).collect();
        straight.earlier(&measured).unwrap();
        let known = straight.report().intervals;
        for one in &bandit.report().intervals {
            let other = known.iter().find(|other| other.choice == one.choice).unwrap();
            assert!((one.estimate - other.estimate).abs() < 1e-9, "{name}");
        }
    }
}

#[test]
fn what_cannot_be_measured_is_neither_measured_nor_chosen_and_eliminates_nobody() {
    let mut bandit = Bandit::new(policy("ellipsoid-best", 3));
    let best = elfving::pool::PointId::new(
        (0..100).max_by(|&a, &b| rbf100::MEANS[a].total_cmp(&rbf100::MEANS[b])).unwrap(),
    );
    let choice = elfving::pool::ChoiceId::new(best.index());
    // Until the true best has eliminated somebody.
    while bandit.report().eliminated.iter().all(|out| out.by != choice) && !bandit.finished() {
        for slot in bandit.ask(20).unwrap() {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    let by_best: Vec<_> =
        bandit.report().eliminated.iter().filter(|out| out.by == choice).map(|out| out.choice).collect();
    assert!(!by_best.is_empty());
    bandit.bar(&[best], true, "it explodes").unwrap();
    let report = bandit.report();
    assert_eq!(report.guarantee, Guarantee::Certified);
    assert!(!report.survivors.contains(&choice) && !report.picks.contains(&choice));
    for beaten in by_best {
        let out = report.eliminated.iter().find(|out| out.choice == beaten);
        assert!(out.map_or(report.survivors.contains(&beaten), |out| out.by != choice), "{beaten}");
    }
    while !bandit.finished() {
        for slot in bandit.ask(20).unwrap() {
            assert_ne!(slot.point, best);
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    let report = bandit.report();
    let gap = (0..100).filter(|&i| i != best.index()).map(|i| rbf100::MEANS[i]).fold(f64::MIN, f64::max)
        - rbf100::MEANS[report.picks[0].index()];
    assert!(gap <= report.epsilon.unwrap(), "{gap} {report}");
    // Allowed again it is back: nobody had beaten it.
    bandit.allow(&[best]).unwrap();
    assert!(bandit.report().survivors.contains(&choice));
}

#[test]
fn a_candidate_that_cannot_be_measured_takes_the_guarantee_of_a_whole_round() {
    let mut bandit = Bandit::new(policy("rips-best", 3));
    let slots = bandit.ask(usize::MAX).unwrap();
    let lost = slots[0].point;
    assert_eq!(bandit.tell(slots[0].id, Outcome::Infeasible), Ok(Told::NeverAgain));
    for &slot in slots.iter().filter(|slot| slot.point != lost) {
        bandit.tell(slot.id, outcome(slot)).unwrap();
    }
    let report = bandit.report();
    assert_eq!(report.guarantee, Guarantee::None);
    assert_eq!(bandit.decisions().len(), 1, "the round is over: nothing of it is open");
}

#[test]
fn nothing_left_to_measure_is_a_status() {
    let mut bandit = Bandit::new(policy("ellipsoid-best", 3));
    let all: Vec<_> = (0..100).map(elfving::pool::PointId::new).collect();
    bandit.bar(&all, false, "no more").unwrap();
    assert_eq!(bandit.ask(5).unwrap(), []);
    assert!(bandit.finished());
    let report = bandit.report();
    assert_eq!((report.status, report.epsilon), (Status::Finished(Reason::NothingLeft), None));
}

#[test]
fn limits_hold_in_a_batch_and_in_all() {
    for name in ELLIPSOIDS {
        let limits = Limits { in_a_batch: Some(2), in_all: Some(3) };
        let mut bandit = Bandit::new(policy(name, 3)).limits(limits);
        let mut all = std::collections::HashMap::new();
        for _ in 0..8 {
            let mut batch = std::collections::HashMap::new();
            for slot in bandit.ask(20).unwrap() {
                *all.entry(slot.point).or_insert(0) += 1;
                *batch.entry(slot.point).or_insert(0) += 1;
                bandit.tell(slot.id, outcome(slot)).unwrap();
            }
            assert!(batch.values().all(|&count| count <= 2), "{name}");
        }
        assert!(all.values().all(|&count| count <= 3), "{name}");
        assert!(all.values().any(|&count| count == 3), "{name}: the limit is felt");
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
        for slot in forced.ask(points.len()).unwrap() {
            forced.tell(slot.id, reading(slot.point)).unwrap();
        }
        assert_eq!(told.report().samples, if uses { points.len() as u64 } else { 0 }, "{name}");
        // Both decide from what they know when they are asked.
        told.ask(1).unwrap();
        forced.ask(1).unwrap();
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
