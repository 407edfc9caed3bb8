//! Every released format keeps a file, and its replay never changes.

use crate::support;

use std::path::{Path, PathBuf};

use elfving::bandit::{Goal, Outcome, Reading, TheoremName};
use elfving_campaign::{At, Campaign, Event, TellOptions};
use support::*;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format-1.elfving")
}

/// Every kind of event, every form of a reading, and a round under way.
fn live(path: &Path) {
    let assumed = certified().goal(Goal::Best { epsilon: 1e-3 }).batch(3).seed(7);
    let mut spec = assumed.force(vec!["a1".into()]).forbid(vec!["b2".into()]).budget(Some(50));
    // The algorithm and its reason as they were recorded then; the words of a reason may change.
    spec = spec.algorithm("ellipsoid-best");
    spec.because = "sub-Gaussian noise and a norm of at most 2 are vou\u{63}hed for, so all data can be reused and every \
                    difference is bounded at all times"
        .to_owned();
    let mut campaign = Campaign::create(path, spec, &[pool()], At(1_795_000_000_000)).unwrap();
    campaign.bring_in(&[("b1".into(), 0.25.into())], None, At(1_795_000_060_000)).unwrap();
    for hour in 1..4u64 {
        let at = |minutes: u64| At(1_795_000_000_000 + 3_600_000 * hour + 60_000 * minutes);
        let batch = campaign.ask(None, at(0)).unwrap();
        let form = |k: usize, value: f64| match k {
            0 => Reading::Value(value),
            1 => Reading::Repeats(vec![value - 0.125, value + 0.125]),
            _ => Reading::WithError { value, standard_error: 0.0625 },
        };
        let outcome = |(k, row): (usize, &elfving_campaign::BatchRow)| {
            (row.slot.clone(), Outcome::Measured(form(k, truth(&row.id))))
        };
        let mut outcomes: Vec<(String, Outcome)> = batch.rows.iter().enumerate().map(outcome).collect();
        if hour == 3 {
            outcomes.truncate(1);
            outcomes.push((batch.rows[1].slot.clone(), Outcome::Failed));
        }
        let outcomes: Vec<(&str, Outcome)> =
            outcomes.iter().map(|(slot, outcome)| (slot.as_str(), outcome.clone())).collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), at(30)).unwrap();
    }
    campaign.correct("S0002E", 0.5.into(), "a comma", At(1_795_020_000_000)).unwrap();
}

/// For a new format only: `WRITE_GOLDEN=1 cargo test -p elfving-campaign --test suite write_the_golden_file`.
#[test]
fn write_the_golden_file() {
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        let _ = std::fs::remove_file(golden());
        live(&golden());
    }
}

#[test]
fn a_file_of_format_1_replays_as_it_always_did() {
    // A copy: opening a file may not change it, and this test does not rely on it.
    let lab = Lab::quick();
    std::fs::copy(golden(), lab.path()).unwrap();
    let mut campaign = lab.open();
    let mut lines: Vec<String> = Vec::new();
    for recorded in campaign.log().unwrap() {
        let (seq, at, kind) = (recorded.seq, recorded.at, recorded.event.kind());
        lines.push(format!("{seq} {at} {kind} {} {}", recorded.hash, recorded.event.body()));
    }
    insta::assert_snapshot!("events", lines.join("\n"));
    let slots: Vec<String> = campaign
        .slots()
        .unwrap()
        .into_iter()
        .map(|slot| {
            let reading = slot.reading.map_or(String::new(), |reading| reading.to_string());
            format!("{} {} round {} {} {reading}", slot.slot, slot.id, slot.round, slot.state)
        })
        .collect();
    insta::assert_snapshot!("slots", slots.join("\n"));
    let verification = campaign.verify().unwrap();
    assert_eq!((verification.attachments, verification.rounds), (1, 2));
    // It goes on where it was: what failed is asked again, beside the slot that is under way.
    let next = campaign.ask(None, At(1)).unwrap();
    assert_eq!((next.rows.len(), next.open_before), (3, 1));
    assert!(next.rows[0].failed_before);
    let told: Vec<(String, Outcome)> =
        next.rows.iter().map(|row| (row.slot.clone(), truth(&row.id).into())).collect();
    let told: Vec<(&str, Outcome)> =
        told.iter().map(|(slot, outcome)| (slot.as_str(), outcome.clone())).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(2)).unwrap();
    campaign.status().unwrap();
    lab.open().verify().unwrap();
}

#[test]
fn the_same_acts_write_the_same_events() {
    let lab = Lab::quick();
    live(&lab.path());
    let (one, two) = (lab.open().log().unwrap(), Campaign::open(golden()).unwrap().log().unwrap());
    // Format 2 decides after every result, so only the first events are the same; and its first event has the names of the files, too.
    let bodies = |log: &[elfving_campaign::Recorded]| -> Vec<String> {
        let body = |recorded: &elfving_campaign::Recorded| match recorded.event.clone() {
            Event::Created(mut creation) => {
                creation.files.clear();
                // Files of format 1 rest on one ridge, and their specs do not say so.
                creation.spec.theorem = TheoremName::OneRidge;
                Event::Created(creation).body()
            }
            other => other.body(),
        };
        log.iter().map(body).collect()
    };
    assert_eq!(bodies(&one[..2]), bodies(&two[..2]));
}
