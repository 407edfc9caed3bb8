//! Every algorithm on a file: whoever holds it, for how long, the same bytes; and the calibrated mode keeps the same promises.

use crate::support;

use elfving::bandit::{Goal, Guarantee, Outcome, Reading};
use elfving::estimate::Tails;
use elfving_campaign::{Aim, AssumptionSpec, At, Campaign, Event, Mode, Spec, TellOptions};
use support::{Lab, pool, recipe};

/// The outcome of a slot, a function of its name and candidate alone.
fn outcome(slot: &str, id: &str) -> f64 {
    let hash =
        |text: &str| text.bytes().fold(17u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let wobble = (hash(slot) as f64 * 12.9898).sin();
    0.2 * (hash(id) % 7) as f64 / 7.0 + 0.05 * wobble
}

fn spec(algorithm: &str) -> Spec {
    let goal = match algorithm {
        name if name.ends_with("map") => Goal::Map { epsilon: 0.3 },
        name if name.contains("regret") => Goal::Regret { horizon: Some(60) },
        _ => Goal::Best { epsilon: 0.4 },
    };
    let mode = if algorithm.starts_with("calibrated") { Mode::Calibrated } else { Mode::Certified };
    let assumed = AssumptionSpec {
        sigma: Some(0.1),
        tails: Tails::SubGaussian,
        norm: Some(1.0),
        bound: Some(1.0),
        ..AssumptionSpec::default()
    };
    Spec::new("lab", "yield", Aim::Minimise, recipe())
        .goal(goal)
        .mode(mode)
        .assumed(assumed)
        .algorithm(algorithm)
        .seed(5)
        .batch(7)
}

/// Asks and tells; `open` gives the campaign for each step. The seal of the last event.
fn run(lab: &Lab, algorithm: &str, reopened: bool) -> String {
    let mut campaign = Campaign::create(lab.path(), spec(algorithm), &[pool()], At(1)).unwrap();
    for step in 0..8 {
        if reopened {
            campaign = lab.open();
        }
        let batch = campaign.ask(None, At(10 + step)).unwrap();
        let told: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), outcome(&row.slot, &row.id).into())).collect();
        if told.is_empty() {
            break;
        }
        if reopened {
            campaign = lab.open();
        }
        campaign.tell_outcomes(&told, &TellOptions::default(), At(100 + step)).unwrap();
    }
    campaign.head().hash.to_string()
}

const ALGORITHMS: [&str; 14] = [
    "ellipsoid-best",
    "ellipsoid-regret",
    "ellipsoid-map",
    "rips-best",
    "rips-regret",
    "ptr-best",
    "ptr-regret",
    "calibrated",
    "calibrated-ucb",
    "calibrated-thompson",
    "calibrated-ei",
    "calibrated-xy",
    "calibrated-mixed",
    "random",
];

#[test]
fn a_process_that_stays_and_one_that_comes_back_write_the_same_bytes() {
    for algorithm in ALGORITHMS {
        let (stays, returns) = (Lab::quick(), Lab::quick());
        assert_eq!(run(&stays, algorithm, false), run(&returns, algorithm, true), "{algorithm}");
    }
}

#[test]
fn a_replay_of_every_algorithm_gives_the_same_status() {
    for algorithm in ALGORITHMS {
        let lab = Lab::quick();
        run(&lab, algorithm, false);
        let mut once = lab.open();
        let status = once.status().unwrap();
        assert_eq!(status, lab.open().status().unwrap(), "{algorithm}");
        assert!(status.told > 0 && !status.picks.is_empty(), "{algorithm}");
        assert!(once.verify().is_ok(), "{algorithm}");
    }
}

fn calibrated(lab: &Lab) -> Campaign {
    let spec =
        Spec::new("lab", "yield", Aim::Minimise, recipe()).mode(Mode::Calibrated).batch(4).budget(Some(20));
    Campaign::create(lab.path(), spec, &[pool()], At(1)).unwrap()
}

/// Asks and tells some batches; how many outcomes that were.
fn tell_batches(campaign: &mut Campaign, batches: u64) -> usize {
    let one = |step: u64| {
        let batch = campaign.ask(None, At(10 + step)).unwrap();
        let told: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), outcome(&row.slot, &row.id).into())).collect();
        campaign.tell_outcomes(&told, &TellOptions::default(), At(100 + step)).unwrap();
        told.len()
    };
    (0..batches).map(one).sum()
}

#[test]
fn a_calibrated_campaign_needs_no_assumption_and_never_claims_a_proof() {
    let lab = Lab::quick();
    let mut campaign = calibrated(&lab);
    let asked = tell_batches(&mut campaign, 10);
    assert_eq!(asked, 20, "the budget holds");
    let status = campaign.status().unwrap();
    assert_eq!(status.guarantee, Guarantee::Calibrated);
    assert!(status.eliminated.is_empty() && status.epsilon.is_none());
    let words = status.statement.join(" ");
    assert!(words.starts_with("Calibrated, no proof."), "{words}");
    assert!(words.contains("Another batch of 4 "), "{words}");
    assert!(!words.contains("norm"), "nothing is said of what would hold if: {words}");
    assert!(!words.contains("With probability 95 %, under these assumptions"), "{words}");
    assert!(campaign.html(At(0)).unwrap().contains("Calibrated, no proof."));
}

#[test]
fn the_fit_is_on_record_and_a_replay_does_not_fit_again() {
    let lab = Lab::quick();
    let mut campaign = calibrated(&lab);
    tell_batches(&mut campaign, 3);
    let closings = campaign.log().unwrap().into_iter().filter_map(|recorded| match recorded.event {
        Event::Decided(decision) => Some(decision),
        _ => None,
    });
    let fitted: Vec<_> = closings.map(|decision| decision.fitted.expect("a fitted model")).collect();
    assert_eq!(fitted.len(), 3);
}

#[test]
fn repeats_and_errors_of_a_slot_reach_the_model() {
    let interval = |reading: fn(f64) -> Reading| {
        let lab = Lab::quick();
        let mut campaign = calibrated(&lab);
        for step in 0..4 {
            let batch = campaign.ask(None, At(10 + step)).unwrap();
            let told: Vec<(&str, Outcome)> = batch
                .rows
                .iter()
                .map(|row| (row.slot.as_str(), reading(outcome(&row.slot, &row.id)).into()))
                .collect();
            campaign.tell_outcomes(&told, &TellOptions::default(), At(100 + step)).unwrap();
        }
        let status = campaign.status().unwrap();
        let pick = status.survivors.iter().find(|choice| choice.id == status.picks[0]).unwrap();
        let span = pick.interval.unwrap();
        (span.upper - span.lower, status.standing.unwrap().measurements)
    };
    let (precise, _) = interval(|value| Reading::WithError { value, standard_error: 1e-3 });
    let (vague, _) = interval(|value| Reading::WithError { value, standard_error: 0.1 });
    assert!(precise < 0.5 * vague, "{precise} with a small error, {vague} with a large one");
    let (_, repeated) = interval(|value| Reading::Repeats(vec![value - 0.01, value, value + 0.01]));
    assert_eq!(repeated % 3, 0, "three measurements a slot");
}

#[test]
fn a_correction_in_a_closed_round_of_a_calibrated_campaign_is_fitted_anew() {
    let lab = Lab::quick();
    let mut campaign = calibrated(&lab);
    tell_batches(&mut campaign, 2);
    let before = campaign.status().unwrap();
    let slot = campaign.slots().unwrap()[0].slot.clone();
    campaign.correct(&slot, Outcome::from(-5.0), "the wrong well", At(500)).unwrap();
    let after = campaign.status().unwrap();
    assert_ne!(before.survivors, after.survivors);
    assert_eq!(after.guarantee, Guarantee::Calibrated, "nothing was promised, nothing is lost");
    assert_eq!(after, lab.open().status().unwrap());
}
