//! What a campaign promises: nothing lost, nothing twice, nothing redrawn, nothing decided on a partial batch.

use crate::support;

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
    assert!(status.statement[0].contains("the pick is the best"), "{:?}", status.statement);
    assert_eq!(status.picks, ["b1"]);
    let best = status.survivors.iter().find(|survivor| survivor.id == "b1").unwrap().interval.unwrap();
    assert!(best.lower <= best.estimate && best.estimate <= best.upper, "{best:?}");
    assert!((best.estimate - truth("b1")).abs() < 0.2, "{best:?}");
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
    // A full batch beside those that are under way, and what came back is in the estimates.
    assert_eq!(slots(&rest.rows), (4..8).map(elfving_table::slot_name).collect::<Vec<_>>());
    assert_eq!(rest.open_before, 3);
    assert_eq!(campaign.report().unwrap().samples, 1);
    let open = campaign.open_slots().unwrap();
    assert_eq!(open.rows.len(), 3, "this process has not seen the second batch");
    campaign.refresh().unwrap();
    assert_eq!(campaign.open_slots().unwrap().rows.len(), 7);
    let error = campaign.close(At(4)).unwrap_err();
    assert!(matches!(error, CampaignError::RoundIncomplete { round: 2, open: 4 }), "{error}");
}

#[test]
fn an_algorithm_by_whole_rounds_hands_out_the_rest_and_waits_for_all_of_it() {
    let lab = Lab::quick();
    let mut campaign = lab.create(random().batch(4));
    let batch = campaign.ask(None, At(1)).unwrap();
    let told = tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[1].slot), 2).unwrap();
    assert_eq!((told.open, told.closed.len()), (3, 0));
    let rest = campaign.ask(None, At(3)).unwrap();
    assert!(rest.again && rest.rows.len() == 3, "nothing more of the round: what is open");
    assert_eq!(campaign.report().unwrap().samples, 0, "a partial round is not learned from");
    let lines = "id,yield\na1,0.5\n";
    let refused = tell(&mut campaign, lines, 4).unwrap_err().to_string();
    assert!(refused.contains("random uses only measurements that it asked for"), "{refused}");
    let ids = ["a1".to_owned()];
    let forbidden = campaign.forbid(&ids, false, None, "sold out", At(5));
    assert!(matches!(forbidden, Err(CampaignError::WholeRounds { .. })), "{forbidden:?}");
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
    assert_eq!(
        (again.rows.len(), again.open_before),
        (4, 3),
        "a full batch: what failed, and three new ones"
    );
    assert!(again.rows[0].failed_before && again.rows[0].slot == slot);
    assert_eq!(again.rows[0].why, format!("failed before; {}", batch.rows[1].why));
    let sheet =
        String::from_utf8(again.to_csv(campaign.spec(), campaign.candidates().unwrap()).unwrap()).unwrap();
    assert_eq!(sheet.matches("failed before; ").count(), 1, "the sheet says so, too: {sheet}");
    let told = tell(&mut campaign, &format!("slot,status,yield\n{slot},ok,0.4\n"), 5).unwrap();
    assert_eq!((told.recorded, told.open), (1, 6));
}

#[test]
fn a_candidate_that_fails_twice_is_not_asked_again_and_the_statement_says_so() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let row = campaign.ask(None, At(1)).unwrap().rows[0].clone();
    let failed = format!("slot,status,yield\n{},failed,\n", row.slot);
    assert!(tell(&mut campaign, &failed, 2).unwrap().set_aside.is_empty());
    assert_eq!(tell(&mut campaign, &failed, 2).unwrap().repeated, 1, "told twice it is one failure");
    campaign.ask(None, At(3)).unwrap();
    let told = tell(&mut campaign, &failed, 4).unwrap();
    assert_eq!((told.failed, told.set_aside), (1, vec![row.id.clone()]));
    for step in 0..20 {
        let batch = campaign.ask(None, At(5 + step)).unwrap();
        assert!(batch.rows.iter().all(|other| other.id != row.id));
        let outcomes: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), truth(&row.id).into())).collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(5 + step)).unwrap();
    }
    let status = lab.open().status().unwrap();
    assert!(!status.picks.contains(&row.id) && status.survivors.iter().all(|left| left.id != row.id));
    assert_eq!(status.set_aside[0].reason, "it failed 2 times");
    let said = status.statement.join("\n");
    assert!(said.contains("- the 1 candidate that could not be measured are left out"), "{said}");
    assert_eq!(campaign.candidate(&row.id).unwrap().infeasible.as_deref(), Some("it failed 2 times"));
    // Whoever finds a way allows it again.
    campaign.allow(std::slice::from_ref(&row.id), "another solvent", At(90)).unwrap();
    assert!(campaign.status().unwrap().set_aside.is_empty());
}

#[test]
fn no_slot_goes_to_two_workers_and_who_asks_again_gets_the_own_ones() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().goal(elfving::bandit::Goal::Best { epsilon: 1e-3 }));
    let slots = |batch: &elfving_campaign::Batch| -> Vec<String> {
        batch.rows.iter().map(|row| row.slot.clone()).collect()
    };
    let one = slots(&campaign.ask_for(Some("one"), Some(3), At(1)).unwrap());
    let two = slots(&lab.open().ask_for(Some("two"), Some(2), At(2)).unwrap());
    assert!(one.iter().all(|slot| !two.contains(slot)));
    assert_eq!(slots(&campaign.ask_for(Some("one"), Some(3), At(3)).unwrap()), one);
    tell(&mut campaign, &format!("slot,yield\n{},0.5\n", one[0]), 4).unwrap();
    let more = slots(&campaign.ask_for(Some("one"), Some(3), At(5)).unwrap());
    assert_eq!((&more[..2], more.len()), (&one[1..], 3), "the own ones, filled up");
    let status = campaign.status().unwrap();
    assert_eq!(status.workers["two"], two);
    // What is given back goes to the next one who asks.
    assert_eq!(campaign.release(&[], Some("two"), false, At(6)).unwrap(), 2);
    let three = slots(&campaign.ask_for(Some("three"), Some(2), At(7)).unwrap());
    assert_eq!(three, two);
    assert_eq!(campaign.release(&[&three[0]], None, true, At(8)).unwrap(), 1);
    let refused = campaign.release(&[&three[0]], None, false, At(9));
    assert!(matches!(refused, Err(CampaignError::NotOpen { .. })), "{refused:?}");
    assert_eq!(campaign.status().unwrap(), lab.open().status().unwrap());
}

#[test]
fn what_nobody_asked_for_counts_once_however_often_it_is_told() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let lines = "id,yield\na3,1.1\na3,1.1\nb1,0.2\n";
    let told = tell(&mut campaign, lines, 1).unwrap();
    assert_eq!((told.read, told.volunteered, told.repeated), (3, 3, 0));
    let told = tell(&mut campaign, lines, 2).unwrap();
    assert_eq!((told.volunteered, told.repeated), (0, 3));
    let more = tell(&mut campaign, "id,yield\na3,1.1\na3,1.1\na3,1.1\n", 3).unwrap();
    assert_eq!((more.volunteered, more.repeated), (1, 2));
    assert_eq!(campaign.report().unwrap().samples, 4);
    // Many at once, summed up.
    let summed = tell(&mut campaign, "id,n,mean,sd\na2,40,0.9,0.1\n", 4).unwrap();
    assert_eq!(summed.volunteered, 1);
    assert_eq!(campaign.report().unwrap().samples, 44);
    let said = campaign.status().unwrap().statement.join("\n");
    assert!(said.contains("that nobody asked for are complete"), "{said}");
    let wrong = tell(&mut campaign, "id,yield\na9,1.0\n", 5).unwrap_err().to_string();
    assert!(wrong.contains("there is no candidate \"a9\""), "{wrong}");
}

#[test]
fn the_export_goes_back_in_and_changes_nothing() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    run(&mut campaign, 2);
    tell(&mut campaign, "id,yield\na3,1.1\nb1,0.25\n", 5).unwrap();
    let batch = campaign.ask(None, At(6)).unwrap();
    if let Some(row) = batch.rows.first() {
        tell(&mut campaign, &format!("slot,status,yield\n{},failed,\n", row.slot), 7).unwrap();
    }
    let (export, before) = (campaign.export_csv().unwrap(), campaign.head().event);
    let export = String::from_utf8(export).unwrap();
    let told = tell(&mut campaign, &export, 8).unwrap();
    assert_eq!((told.recorded, told.volunteered, told.corrected), (0, 0, 0), "{export}");
    assert_eq!(campaign.head().event, before);
    // And a new campaign takes it as earlier measurements.
    let format = campaign.spec().results.clone();
    let file = elfving_campaign::ResultsFile::from_bytes("export.csv", export.as_bytes(), &format).unwrap();
    let ids = campaign.candidates().unwrap().names().text();
    let measured = file.measurements("yield", "id", ids).unwrap();
    assert_eq!(measured.len(), campaign.measurements().unwrap().len());
}

#[test]
fn a_question_changes_with_its_reason_on_record() {
    use elfving_campaign::event::Changing;
    let lab = Lab::quick();
    let mut campaign =
        lab.create(certified().budget(Some(8)).goal(elfving::bandit::Goal::Best { epsilon: 1e-3 }));
    run(&mut campaign, 10);
    assert!(campaign.status().unwrap().stopped.is_some());
    let changing = |reason: &str| Changing { reason: reason.to_owned(), ..Changing::default() };
    let nothing = campaign.change_question(&changing("why not"), At(1));
    assert!(matches!(nothing, Err(CampaignError::Setting { .. })), "{nothing:?}");
    let unexplained = campaign.change_question(&Changing { budget: Some(Some(12)), ..changing(" ") }, At(1));
    assert!(matches!(unexplained, Err(CampaignError::Setting { .. })));
    let too_small = campaign.change_question(&Changing { budget: Some(Some(3)), ..changing("less") }, At(1));
    assert!(matches!(too_small, Err(CampaignError::Setting { .. })));
    let limits = elfving_campaign::Limits { in_a_batch: Some(1), in_all: None };
    let more = Changing { budget: Some(Some(12)), limits: Some(limits), ..changing("one more plate") };
    campaign.change_question(&more, At(2)).unwrap();
    let mut campaign = lab.open();
    assert_eq!((campaign.spec().budget, campaign.spec().limits), (Some(12), limits));
    let batch = campaign.ask(None, At(3)).unwrap();
    let mut ids: Vec<&str> = batch.rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), batch.rows.len(), "no candidate twice in a batch");
    let reached = Changing { epsilon: Some(10.0), ..changing("good enough") };
    campaign.change_question(&reached, At(4)).unwrap();
    assert!(campaign.status().unwrap().goal_reached);
    assert_eq!(campaign.status().unwrap().guarantee, Guarantee::Certified);
}

#[test]
fn an_outcome_far_from_all_others_is_named_when_it_is_told() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().goal(elfving::bandit::Goal::Best { epsilon: 1e-4 }).batch(12));
    let batch = campaign.ask(None, At(1)).unwrap();
    let line = |(k, row): (usize, &elfving_campaign::BatchRow)| {
        let value = if k == 5 { 1e6 } else { truth(&row.id) + 0.01 * k as f64 };
        format!("{},{value}\n", row.slot)
    };
    let lines: String = batch.rows.iter().enumerate().map(line).collect();
    let told = tell(&mut campaign, &format!("slot,yield\n{lines}"), 2).unwrap();
    assert_eq!(told.outliers.len(), 1);
    assert_eq!(told.outliers[0].slot.as_deref(), Some(batch.rows[5].slot.as_str()));
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
    let mut campaign = lab.create(random());
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
fn where_all_data_decide_open_slots_are_given_up_without_a_loss() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let batch = campaign.ask(None, At(1)).unwrap();
    tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[0].slot), 2).unwrap();
    campaign.close_without_guarantee(At(3)).unwrap();
    let status = lab.open().status().unwrap();
    assert_eq!((status.guarantee, status.open), (Guarantee::Certified, 0));
    // A result that still comes is taken.
    let late = tell(&mut campaign, &format!("slot,yield\n{},0.5\n", batch.rows[1].slot), 4).unwrap();
    assert_eq!((late.recorded, campaign.report().unwrap().samples), (1, 2));
}

#[test]
fn what_is_forced_comes_first_and_what_is_forbidden_never() {
    let lab = Lab::quick();
    let spec = certified().force(vec!["b3".into(), "a1".into()]).forbid(vec!["a3".into()]);
    let mut campaign = lab.create(spec);
    let batch = campaign.ask(None, At(1)).unwrap();
    let mut ids: Vec<&str> = batch.rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids.len(), 4, "those, and the batch is filled up");
    let requested: Vec<&str> =
        batch.rows.iter().filter(|row| row.why == "requested").map(|row| row.id.as_str()).collect();
    assert!(requested.len() == 2 && requested.contains(&"a1") && requested.contains(&"b3"), "{requested:?}");
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
    assert!(
        said.contains(&format!("- the 2 measurements that nobody asked for are complete: {chosen}")),
        "{said}"
    );

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
    assert_eq!(status.stopped, Some(Stop::Budget { measurements: 6, needed: None }));
    assert_eq!(
        campaign.ask(None, At(9)).unwrap().stopped,
        Some(Stop::Budget { measurements: 6, needed: None })
    );
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
                if scale > 1e150 {
                    // Its square is no number any more.
                    assert!(
                        matches!(told, Err(ref error) if error.to_string().contains("1e150")),
                        "{told:?}"
                    );
                    lab.open().verify().unwrap();
                    break;
                }
                assert!(told.is_ok() || matches!(told, Err(CampaignError::Undecided { .. })), "{told:?}");
                // Whatever became of the decision, the outcomes are there and the file can be read.
                let reopened = lab.open();
                let told = reopened.slots().unwrap().iter().filter(|slot| slot.reading.is_some()).count();
                assert_eq!(told, reopened.slots().unwrap().len(), "{algorithm} at {scale:e}");
            }
        }
    }
}

#[test]
fn a_round_that_is_closed_without_outcomes_keeps_its_number() {
    let rips = || {
        let assumed = elfving_campaign::AssumptionSpec { bound: Some(2.0), ..certified().assumed };
        certified().assumed(assumed).algorithm("rips-best")
    };
    for spec in [random(), random().algorithm("gp-ucb"), rips()] {
        let lab = Lab::quick();
        let algorithm = spec.algorithm.clone();
        let mut campaign = lab.create(spec);
        let first = campaign.ask(None, At(1)).unwrap().round;
        assert_eq!(campaign.close_without_guarantee(At(2)).unwrap(), first);
        let second = campaign.ask(None, At(3)).unwrap().round;
        assert!(second > first, "{algorithm}: round {second} after round {first}");
        let again = lab.open().rounds().map(|round| round.plan.round).collect::<Vec<_>>();
        assert_eq!(again, [first, second], "{algorithm}");
    }
}
