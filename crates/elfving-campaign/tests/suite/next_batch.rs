//! Is another batch worth it? What a calibrated campaign says of it, and that what was stated ends it.

use crate::support;

use elfving::bandit::{Goal, Outcome};
use elfving_campaign::event::Changing;
use elfving_campaign::{
    Advice, Aim, At, Attachment, Campaign, CampaignError, Mode, NextBatch, Recipe, Spec, TellOptions,
};
use elfving_table::{PoolOptions, ReadOptions};
use support::Lab;

/// Temperatures with three solvents; the best yield is 80, at 7 in c.
fn yields(temperature: f64, solvent: &str) -> f64 {
    let of_solvent = match solvent {
        "a" => 0.0,
        "b" => 6.0,
        _ => 10.0,
    };
    70.0 - 1.5 * (temperature - 7.0).powi(2) + of_solvent
}

fn pool() -> Attachment {
    let mut csv = "id,temperature,solvent\n".to_owned();
    for solvent in ["a", "b", "c"] {
        (0..14).for_each(|t| csv += &format!("{solvent}{t},{t},{solvent}\n"));
    }
    Attachment::new("pool.csv", csv)
}

fn spec(aim: Aim) -> Spec {
    let columns = PoolOptions::default().id("id").categorical("solvent");
    let recipe = Recipe::new(&pool(), ReadOptions::default(), columns);
    Spec::new("yields", "yield", aim, recipe).mode(Mode::Calibrated).batch(6).seed(2)
}

fn created(lab: &Lab, spec: Spec) -> Campaign {
    Campaign::create(lab.path(), spec, &[pool()], At(0)).unwrap()
}

/// Measures so many batches, or until nothing is asked; outcomes are `unit` times the yield and a little of the slot's own.
fn run(campaign: &mut Campaign, batches: usize, unit: f64) {
    for _ in 0..batches {
        let batch = campaign.ask(None, At(1)).unwrap();
        let told: Vec<(&str, Outcome)> = batch
            .rows
            .iter()
            .map(|row| {
                let temperature: f64 = row.id[1..].parse().unwrap();
                let hash = row
                    .slot
                    .bytes()
                    .fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
                let noise = 0.4 * ((hash % 1000) as f64 / 1000.0 - 0.5);
                (row.slot.as_str(), (unit * (yields(temperature, &row.id[..1]) + noise)).into())
            })
            .collect();
        campaign.tell_outcomes(&told, &TellOptions::default(), At(2)).unwrap();
    }
}

fn next(campaign: &mut Campaign) -> NextBatch {
    campaign.next_batch().unwrap().unwrap()
}

#[test]
fn before_there_are_data_nothing_is_said_and_the_status_says_what_is_said_after() {
    let lab = Lab::quick();
    let mut campaign = created(&lab, spec(Aim::Maximise));
    assert_eq!((campaign.next_batch().unwrap(), campaign.status().unwrap().next_batch), (None, None));
    run(&mut campaign, 2, 1.0);
    let said = next(&mut campaign);
    let status = campaign.status().unwrap();
    assert_eq!(said.size, 6);
    assert!(status.statement.contains(&said.words), "{status:?}");
    assert!(said.words.starts_with("Another batch of 6 "), "{}", said.words);
    assert_eq!(status.next_batch, Some(said.clone()));
    assert_eq!(next(&mut Campaign::open(lab.path()).unwrap()), said, "who opens the file reads the same");
    assert!(
        !status.statement.iter().any(|line| line.contains("norm")),
        "no conditional statement: {:?}",
        status.statement
    );
}

#[test]
fn what_may_be_gained_falls_to_nothing_and_the_advice_is_to_stop() {
    let lab = Lab::quick();
    let mut campaign = created(&lab, spec(Aim::Maximise));
    run(&mut campaign, 1, 1.0);
    let first = next(&mut campaign);
    assert_eq!(first.advice, Advice::Continue, "{first:?}");
    assert!(first.upper > 1.0, "{first:?}");
    run(&mut campaign, 7, 1.0);
    let last = next(&mut campaign);
    assert_eq!(last.advice, Advice::Stop, "{last:?}");
    assert!(last.upper < 0.5, "{last:?}");
    assert_eq!(campaign.status().unwrap().picks, ["c7"]);
    assert!(!campaign.is_advised_to_stop().unwrap(), "nobody stated when it should end");
    assert_eq!(campaign.ask(None, At(9)).unwrap().rows.len(), 6, "who asks gets a batch all the same");
}

#[test]
fn small_outcomes_may_be_the_good_ones_and_units_are_those_of_the_user() {
    let said = |aim, unit| {
        let lab = Lab::quick();
        let mut campaign = created(&lab, spec(aim));
        run(&mut campaign, 2, unit);
        next(&mut campaign)
    };
    let large = said(Aim::Maximise, 1.0);
    for (other, unit) in [(said(Aim::Minimise, -1.0), 1.0), (said(Aim::Maximise, 1000.0), 1000.0)] {
        assert!(
            (unit * large.upper - other.upper).abs() < 1e-6 * unit * large.upper.max(1.0),
            "{large:?} {other:?}"
        );
    }
}

#[test]
fn worth_and_epsilon_decide_where_they_are_stated() {
    let advised = |worth: Option<f64>, epsilon: f64| {
        let lab = Lab::quick();
        let mut campaign = created(&lab, spec(Aim::Maximise).worth(worth).goal(Goal::Best { epsilon }));
        run(&mut campaign, 1, 1.0);
        (next(&mut campaign), campaign.is_advised_to_stop().unwrap())
    };
    let (said, stops) = advised(Some(1e6), 0.0);
    assert!(stops && said.words.ends_with("Stop: a batch must be worth 1000000."), "{}", said.words);
    let (said, stops) = advised(Some(1e-9), 0.0);
    assert!(!stops && said.words.ends_with("Continue: it may be worth 0.000000001."), "{}", said.words);
    let (said, stops) = advised(None, 1e6);
    assert!(stops && said.words.ends_with("by more than epsilon 1000000."), "{}", said.words);
    let (said, stops) = advised(None, 1e-9);
    assert!(!stops && said.words.ends_with("by more than epsilon 0.000000001."), "{}", said.words);
}

#[test]
fn worth_can_change_later_and_is_refused_where_it_means_nothing() {
    let lab = Lab::quick();
    let mut campaign = created(&lab, spec(Aim::Maximise));
    run(&mut campaign, 2, 1.0);
    let changing =
        |worth| Changing { worth: Some(worth), reason: "a cheaper assay".to_owned(), ..Changing::default() };
    campaign.change_question(&changing(1e6), At(5)).unwrap();
    assert!(campaign.is_advised_to_stop().unwrap());
    assert!(
        campaign.log().unwrap().last().unwrap().event.to_string().contains("worth 1000000 (a cheaper assay)")
    );
    for worth in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = campaign.change_question(&changing(worth), At(6));
        assert!(matches!(refused, Err(CampaignError::Setting { .. })), "{worth}");
    }
    let refused =
        |spec: Spec| Campaign::create(Lab::quick().path(), spec, &[pool()], At(0)).unwrap_err().to_string();
    assert!(
        refused(spec(Aim::Maximise).worth(Some(1.0)).goal(Goal::Map { epsilon: 1.0 }))
            .contains("goes with the goal `best`")
    );
    assert!(refused(spec(Aim::Maximise).worth(Some(1.0)).mode(Mode::Certified)).contains("calibrated mode"));
}

#[test]
fn a_spent_budget_is_no_reason_to_say_nothing() {
    let lab = Lab::quick();
    let mut campaign = created(&lab, spec(Aim::Maximise).budget(Some(12)));
    run(&mut campaign, 2, 1.0);
    let status = campaign.status().unwrap();
    assert!(status.stopped.is_some());
    assert_eq!(status.next_batch.map(|next| next.size), Some(6));
}

#[test]
fn once_all_is_told_the_next_batch_is_spoken_of_and_not_before() {
    let lab = Lab::quick();
    let mut campaign = created(&lab, spec(Aim::Maximise));
    run(&mut campaign, 1, 1.0);
    assert!(campaign.next_batch_when_all_told().unwrap().is_some());
    campaign.ask(None, At(3)).unwrap();
    assert_eq!(campaign.next_batch_when_all_told().unwrap(), None);
    assert!(campaign.next_batch().unwrap().is_some(), "who asks is told, with what is under way in mind");
}
