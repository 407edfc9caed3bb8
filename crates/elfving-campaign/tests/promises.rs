//! What a campaign promises: nothing lost, nothing twice, nothing redrawn, nothing decided on a partial batch.

#![allow(clippy::unwrap_used)] // helpers of tests, too

mod support;

use elfving::bandit::{Guarantee, Outcome, Reading};
use elfving_campaign::{Aim, At, Campaign, CampaignError, Stop, TellOptions};
use support::*;

#[test]
fn a_campaign_finds_the_best_and_says_so() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    run(&mut campaign, 200);
    let status = campaign.status().unwrap();
    assert_eq!(status.picks, ["a3"]);
    assert_eq!(status.guarantee, Guarantee::Certified);
    assert!(matches!(status.stopped, Some(Stop::Finished(_))), "{:?}", status.stopped);
    assert!(status.epsilon.unwrap() <= 0.2);
    assert!(campaign.ask(None, At(9)).unwrap().rows.is_empty());
    assert_eq!(lab.files(), ["lab.elfving"], "one file, nothing beside it");
}

#[test]
fn small_is_good_where_the_user_says_so_and_every_number_keeps_its_sign() {
    let lab = Lab::quick();
    let mut spec = certified();
    spec.aim = Aim::Minimise;
    let mut campaign = lab.create(spec);
    run(&mut campaign, 200);
    let status = campaign.status().unwrap();
    assert_eq!(status.picks, ["b1"]);
    let best = status.survivors.iter().find(|survivor| survivor.id == "b1").unwrap().interval.unwrap();
    assert!(best.lower <= best.estimate && best.estimate <= best.upper, "{best:?}");
    assert!((best.estimate - truth("b1")).abs() < 0.2, "{best:?}");
    assert!(status.statement[0].contains("above the best"), "{:?}", status.statement);
}

#[test]
fn an_open_batch_is_shown_again_and_never_redrawn() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let first = campaign.ask(None, At(1)).unwrap();
    assert!(!first.again);
    let events = campaign.head().event;
    let again = campaign.ask(Some(50), At(2)).unwrap();
    assert!(again.again);
    assert_eq!(again.rows, first.rows);
    assert_eq!(lab.open().ask(None, At(3)).unwrap().rows, first.rows);
    assert_eq!(lab.open().head().event, events);
}

#[test]
fn a_partial_batch_is_recorded_and_the_rest_is_shown() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let batch = campaign.ask(None, At(1)).unwrap();
    let told = tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[2].slot), 2).unwrap();
    assert_eq!((told.read, told.recorded, told.open), (1, 1, 3));
    let rest = lab.open().ask(None, At(3)).unwrap();
    let slots =
        |rows: &[elfving_campaign::BatchRow]| rows.iter().map(|row| row.slot.clone()).collect::<Vec<_>>();
    let mut expected = slots(&batch.rows);
    expected.remove(2);
    assert_eq!(slots(&rest.rows), expected);
    assert_eq!(campaign.status().unwrap().rounds, 0);
    let error = campaign.close(At(4)).unwrap_err();
    assert!(matches!(error, CampaignError::RoundIncomplete { round: 1, open: 3 }), "{error}");
}

#[test]
fn the_same_file_again_changes_nothing() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let batch = campaign.ask(None, At(1)).unwrap();
    let csv = filled_in(&batch, |id| if id == "b2" { String::new() } else { truth(id).to_string() });
    tell(&mut campaign, &csv, 2).unwrap();
    let events = campaign.head().event;
    let again = tell(&mut campaign, &csv, 3).unwrap();
    assert_eq!(again.recorded, 0);
    assert_eq!(again.read, again.repeated + again.blank);
    assert_eq!(campaign.head().event, events);
}

#[test]
fn a_failed_measurement_is_asked_again_and_told_once() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let batch = campaign.ask(None, At(1)).unwrap();
    let slot = batch.rows[1].slot.clone();
    let csv = format!("slot,status,yield\n{slot},failed,\n");
    assert_eq!(tell(&mut campaign, &csv, 2).unwrap().failed, 1);
    assert_eq!(tell(&mut campaign, &csv, 3).unwrap().repeated, 1);
    let again = campaign.ask(None, At(4)).unwrap();
    assert_eq!(again.rows.len(), 4);
    assert!(again.rows[1].failed_before);
    let told = tell(&mut campaign, &format!("slot,status,yield\n{slot},ok,0.4\n"), 5).unwrap();
    assert_eq!((told.recorded, told.open), (1, 3));
}

#[test]
fn another_value_for_a_slot_is_a_conflict_unless_it_is_a_correction() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let slot = campaign.ask(None, At(1)).unwrap().rows[0].slot.clone();
    let csv = |value: f64| format!("slot,yield\n{slot},{value}\n");
    tell(&mut campaign, &csv(0.5), 2).unwrap();
    let error = tell(&mut campaign, &csv(0.6), 3).unwrap_err().to_string();
    assert!(error.contains("E342") && error.contains("0.5") && error.contains("0.6"), "{error}");
    let corrected = tell_with(&mut campaign, &csv(0.6), &TellOptions::default().correct("typo"), 4).unwrap();
    assert_eq!(corrected.corrected, 1);
    assert_eq!(tell(&mut lab.open(), &csv(0.6), 5).unwrap().repeated, 1);
}

#[test]
fn a_correction_in_a_closed_round_is_the_same_as_the_right_value_from_the_start() {
    let (wrong, right) = (Lab::quick(), Lab::quick());
    let mut reports = Vec::new();
    for (lab, value) in [(&wrong, 3.0), (&right, 0.5)] {
        let mut campaign = lab.create(certified());
        let batch = campaign.ask(None, At(1)).unwrap();
        let outcomes: Vec<(&str, Outcome)> = batch
            .rows
            .iter()
            .enumerate()
            .map(|(k, row)| (row.slot.as_str(), if k == 0 { value } else { truth(&row.id) }.into()))
            .collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).unwrap();
        if value == 3.0 {
            let told = campaign.correct(&batch.rows[0].slot, 0.5.into(), "a comma", At(3)).unwrap();
            assert_eq!(told.corrected, 1);
        }
        reports.push(lab.open().report().unwrap());
    }
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0].guarantee, Guarantee::Certified);
}

#[test]
fn a_correction_in_a_closed_round_of_draws_waives_the_guarantee() {
    let lab = Lab::quick();
    let mut spec = certified().algorithm("rips-best");
    spec.goal = elfving::bandit::Goal::Best { epsilon: 0.5 };
    spec.assumed.bound = Some(2.0);
    let mut campaign = lab.create(spec.batch(100_000));
    let batch = campaign.ask(None, At(1)).unwrap();
    let outcomes: Vec<(&str, Outcome)> =
        batch.rows.iter().map(|row| (row.slot.as_str(), truth(&row.id).into())).collect();
    campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).unwrap();
    assert_eq!(campaign.status().unwrap().guarantee, Guarantee::Certified);
    campaign.correct(&batch.rows[0].slot, 1.5.into(), "read from the wrong line", At(3)).unwrap();
    let status = lab.open().status().unwrap();
    assert_eq!(status.guarantee, Guarantee::None);
    assert!(status.waived.unwrap().contains("S0001C was corrected after its round was closed"));
}

#[test]
fn a_round_closed_early_says_that_nothing_is_guaranteed_and_takes_nothing_more() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let batch = campaign.ask(None, At(1)).unwrap();
    tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[0].slot), 2).unwrap();
    campaign.close_without_guarantee(At(3)).unwrap();
    let status = lab.open().status().unwrap();
    assert_eq!(status.guarantee, Guarantee::None);
    assert_eq!(status.statement, ["No guarantee: round 1 was closed with 3 measurements missing."]);
    let error = tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[1].slot), 4).unwrap_err();
    assert!(error.to_string().contains("E343"), "{error}");
    assert!(matches!(campaign.close_without_guarantee(At(5)), Err(CampaignError::NoRound)));
    // The next round goes on with new slots.
    let next = campaign.ask(None, At(6)).unwrap();
    assert_eq!(next.rows[0].slot, elfving_table::slot_name(4));
}

#[test]
fn what_is_forced_comes_first_and_what_is_forbidden_never() {
    let lab = Lab::quick();
    let spec = certified().force(vec!["b3".into(), "a1".into()]).forbid(vec!["a3".into()]);
    let mut campaign = lab.create(spec);
    let batch = campaign.ask(None, At(1)).unwrap();
    let mut ids: Vec<&str> = batch.rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!((batch.round, ids), (0, vec!["a1", "b3"]));
    assert!(batch.rows.iter().all(|row| row.why == "requested"));
    run(&mut campaign, 200);
    let status = campaign.status().unwrap();
    assert_eq!(status.picks, ["a2"]);
    assert!(campaign.slots().unwrap().iter().all(|slot| slot.id != "a3"));
    assert!(campaign.candidate("a3").unwrap().forbidden);
}

#[test]
fn the_statement_names_what_earlier_measurements_and_their_errors_assume() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let chosen = "none was selected or left out because of its outcome";
    assert!(!campaign.status().unwrap().statement.join(" ").contains(chosen));

    let earlier: Vec<(String, Reading)> = ["a1", "b3"].map(|id| (id.to_owned(), truth(id).into())).to_vec();
    campaign.bring_in(&earlier, None, At(1)).unwrap();
    let said = campaign.status().unwrap().statement.join("\n");
    assert!(said.contains(&format!("- the 2 measurements made before are complete: {chosen}")), "{said}");

    let batch = campaign.ask(None, At(2)).unwrap();
    let reading = |standard_error| Outcome::Measured(Reading::WithError { value: 0.7, standard_error });
    let errors = [0.05, 0.1, 0.3, 0.2];
    let told: Vec<_> =
        batch.rows.iter().zip(errors).map(|(row, error)| (row.slot.as_str(), reading(error))).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(3)).unwrap();
    let said = campaign.status().unwrap().statement.join("\n");
    assert!(
        said.contains("2 outcomes came with a standard error above the assumed sigma"),
        "sigma is 0.1: {said}"
    );
}

#[test]
fn earlier_measurements_count_where_the_algorithm_can_use_them() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let earlier: Vec<(String, Reading)> =
        ["a3", "b1"].iter().flat_map(|id| vec![(id.to_string(), truth(id).into()); 400]).collect();
    let brought = campaign.bring_in(&earlier, None, At(1)).unwrap();
    assert!(brought.used);
    let informed = lab.open().report().unwrap();
    assert_eq!(informed.samples, 800);
    assert!(matches!(
        campaign.bring_in(&[("a9".into(), 1.0.into())], None, At(2)),
        Err(CampaignError::UnknownCandidate { nearest: Some(_), .. })
    ));
}

#[test]
fn a_budget_that_is_spent_stops_the_campaign() {
    let lab = Lab::quick();
    let mut campaign = lab.create(random().budget(Some(6)));
    run(&mut campaign, 10);
    let status = campaign.status().unwrap();
    assert_eq!((status.asked, status.told), (6, 6));
    assert_eq!(status.stopped, Some(Stop::Budget { measurements: 6 }));
    assert_eq!(campaign.ask(None, At(9)).unwrap().stopped, Some(Stop::Budget { measurements: 6 }));
}

#[test]
fn one_candidate_is_the_answer_and_nothing_is_asked() {
    let lab = Lab::quick();
    let forbidden = ["a1", "a2", "b1", "b2", "b3"].map(String::from).to_vec();
    let mut campaign = lab.create(certified().forbid(forbidden));
    let batch = campaign.ask(None, At(1)).unwrap();
    assert!(batch.rows.is_empty() && batch.stopped.is_some(), "{batch:?}");
    assert_eq!(campaign.status().unwrap().picks, ["a3"]);
}

#[test]
fn two_processes_see_each_other() {
    let lab = Lab::quick();
    let mut one = lab.create(certified());
    let mut two = lab.open();
    let batch = one.ask(None, At(1)).unwrap();
    assert_eq!(two.ask(None, At(2)).unwrap().rows, batch.rows);
    let half = |rows: &[elfving_campaign::BatchRow]| {
        let lines: String = rows.iter().map(|row| format!("{},{}\n", row.slot, truth(&row.id))).collect();
        format!("slot,yield\n{lines}")
    };
    tell(&mut two, &half(&batch.rows[..2]), 3).unwrap();
    let told = tell(&mut one, &half(&batch.rows[2..]), 4).unwrap();
    assert_eq!(told.closed, [1]);
    // The first one planned the round itself, the other one closed its rounds: both go on together.
    let next = two.ask(None, At(5)).unwrap();
    assert_eq!(one.ask(None, At(6)).unwrap().rows, next.rows);
    tell(&mut two, &half(&next.rows), 7).unwrap();
    assert_eq!(one.ask(None, At(8)).unwrap().rows, two.ask(None, At(9)).unwrap().rows);
    assert_eq!(one.status().unwrap(), two.status().unwrap());
    assert_eq!(one.status().unwrap(), lab.open().status().unwrap());
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let lab = Lab::quick();
    std::fs::write(lab.path(), "mine").unwrap();
    let error = Campaign::create(lab.path(), certified(), &[pool()], At(1)).unwrap_err();
    assert!(matches!(error, CampaignError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(lab.path()).unwrap(), b"mine");
    assert_eq!(lab.files(), ["lab.elfving"]);
}

#[test]
fn outcomes_at_the_edge_of_the_numbers_never_make_a_file_unreadable() {
    for algorithm in ["ellipsoid-best", "rips-best", "ptr-best", "random", "gp-ucb", "gp-ts"] {
        for scale in [1e308, 1e150, 1e-300, 5e-324] {
            let lab = Lab::quick();
            let mut spec =
                certified().algorithm(algorithm).goal(elfving::bandit::Goal::Best { epsilon: 0.5 });
            spec.assumed.bound = Some(2.0);
            let mut campaign = lab.create(spec.batch(100_000));
            for step in 0..2 {
                let Ok(batch) = campaign.ask(Some(8), At(step)) else { break };
                let outcome = |row: &elfving_campaign::BatchRow| {
                    (row.slot.clone(), Outcome::from(if row.id.starts_with('a') { scale } else { -scale }))
                };
                let outcomes: Vec<(String, Outcome)> = batch.rows.iter().map(outcome).collect();
                let outcomes: Vec<(&str, Outcome)> =
                    outcomes.iter().map(|(slot, outcome)| (slot.as_str(), outcome.clone())).collect();
                let told = campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(step));
                assert!(told.is_ok() || matches!(told, Err(CampaignError::Undecided { .. })), "{told:?}");
                // Whatever became of the decision, the outcomes are there and the file can be read.
                let reopened = lab.open();
                let told = reopened.slots().unwrap().iter().filter(|slot| slot.reading.is_some()).count();
                assert_eq!(told, reopened.slots().unwrap().len(), "{algorithm} at {scale:e}");
            }
        }
    }
}
