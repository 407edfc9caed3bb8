//! Candidates that come later: covered by the theorem, predicted by the model, and nothing of the past moves.

use crate::support;

use elfving::bandit::{Goal, Guarantee, Outcome, TheoremName};
use elfving_campaign::{Aim, At, Attachment, Campaign, CampaignError, Mode, Recipe, Spec, TellOptions};
use elfving_table::{OneHot, PoolOptions, ReadOptions};
use support::*;

/// Another dose of a known ligand, and two of a new one, the best of all.
fn more() -> Attachment {
    Attachment::new("more.csv", "dose (mg),id,ligand,supplier\n4,a4,XPhos,x\n1,c1,SPhos,x\n2,c2,SPhos,y\n")
}

fn true_mean(id: &str) -> f64 {
    if id.starts_with('c') { 1.4 } else { truth(id) }
}

fn tell_truth(campaign: &mut Campaign, at: u64) -> usize {
    let batch = campaign.ask(None, At(at)).unwrap();
    let told: Vec<(&str, Outcome)> =
        batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(true_mean(&row.id)))).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(at + 1)).unwrap();
    batch.rows.len()
}

#[test]
fn a_campaign_that_is_over_goes_on_with_new_candidates_and_proves_the_best_of_all() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    while tell_truth(&mut campaign, 10) > 0 {}
    assert_eq!(campaign.status().unwrap().picks, ["a3"]);
    let before = campaign.report().unwrap();
    let changed = campaign.extend(more(), "a new ligand", At(20)).unwrap();
    assert_eq!((changed.candidates, changed.dropped), (3, 0));
    assert!(changed.guarantee.contains("covers them"), "{}", changed.guarantee);
    let status = campaign.status().unwrap();
    assert_eq!((status.candidates, status.goal_reached), (9, false), "the new ones may be better");
    assert!(["a4", "c1", "c2"].iter().all(|id| status.survivors.iter().any(|one| one.id == *id)));
    assert_eq!(campaign.report().unwrap().samples, before.samples);
    while tell_truth(&mut campaign, 30) > 0 {}
    let status = lab.open().status().unwrap();
    assert!(status.goal_reached && status.guarantee == Guarantee::Certified);
    assert!(["c1", "c2"].contains(&status.picks[0].as_str()), "{:?}", status.picks);
    assert!(status.epsilon.unwrap() <= 0.2);
    let c1 = campaign.ask(None, At(50)).unwrap();
    assert!(c1.rows.is_empty());
    // Somebody who opens the file sees the columns of the new ones.
    let found = status.survivors.iter().find(|one| one.id == status.picks[0]).unwrap();
    assert_eq!(found.columns["ligand"], "SPhos");
}

#[test]
fn nothing_of_the_past_moves() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().goal(Goal::Best { epsilon: 0.01 }));
    for day in 0..3 {
        tell_truth(&mut campaign, 10 * day);
    }
    let before = campaign.status().unwrap();
    let unlike = Attachment::new("more.csv", "id,ligand,dose (mg)\nc1,SPhos,1\nc2,SPhos,2\n");
    campaign.extend(unlike, "a new ligand", At(50)).unwrap();
    let after = campaign.status().unwrap();
    let mut compared = 0;
    for old in &before.survivors {
        let Some(new) = after.survivors.iter().find(|one| one.id == old.id) else { continue };
        let (old, new) = (old.interval.unwrap(), new.interval.unwrap());
        compared += 1;
        assert!(
            (old.lower - new.lower).abs() < 1e-9 && (old.upper - new.upper).abs() < 1e-9,
            "{old:?} {new:?}"
        );
    }
    assert!(compared > 0, "{:?}", after.survivors);
    // Every decision made before the extension is the same when it is made again.
    assert_eq!(campaign.verify().unwrap().differing, Vec::<u64>::new());
    assert_eq!(lab.open().status().unwrap(), after);
}

#[test]
fn the_calibrated_mode_keeps_its_scale_and_measures_the_new_ones() {
    let rows: String = (0..30).map(|k| format!("c{k},{},{}\n", ["P", "Q"][k % 2], k)).collect();
    let pool = Attachment::new("pool.csv", format!("id,ligand,dose\n{rows}"));
    let columns = PoolOptions::default().id("id").one_hot(OneHot::AllText);
    let recipe = Recipe::new(&pool, ReadOptions::default(), columns);
    let lab = Lab::quick();
    let spec = Spec::new("lab", "yield", Aim::Maximise, recipe).mode(Mode::Calibrated).batch(6);
    let mut campaign = Campaign::create(lab.path(), spec, &[pool], At(1)).unwrap();
    let mean = |id: &str| {
        let number: f64 = id[1..].parse().unwrap();
        if id.starts_with('n') { 9.0 - 0.1 * (number - 40.0).abs() } else { (number / 5.0).sin() }
    };
    let day = |campaign: &mut Campaign, at: u64| {
        let batch = campaign.ask(None, At(at)).unwrap();
        let told: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(mean(&row.id)))).collect();
        campaign.tell_outcomes(&told, &TellOptions::default(), At(at + 1)).unwrap();
        batch
    };
    for at in 0..3 {
        day(&mut campaign, 10 * at);
    }
    // One dose far beyond the old range, with a new ligand.
    let more: String = (0..20).map(|k| format!("n{k},R,{}\n", 30 + k)).collect();
    campaign.extend(Attachment::new("more.csv", format!("id,ligand,dose\n{more}")), "new", At(40)).unwrap();
    assert_eq!(campaign.verify().unwrap().differing, Vec::<u64>::new(), "old fits are found again");
    let mut new_ones = 0;
    for at in 5..9 {
        new_ones += day(&mut campaign, 10 * at).rows.iter().filter(|row| row.id.starts_with('n')).count();
    }
    assert!(new_ones > 6, "{new_ones}");
    assert!(lab.open().status().unwrap().picks[0].starts_with('n'));
}

#[test]
fn what_cannot_be_added_is_refused_and_nothing_is_written() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified());
    let event = campaign.head().event;
    let mut refused = |name: &str, csv: &str| {
        campaign.extend(Attachment::new(name, csv), "why not", At(2)).unwrap_err().to_string()
    };
    let said = refused("again.csv", "id,ligand,dose (mg)\nb2,XPhos,9\n");
    assert!(said.contains("\"b2\" is a candidate already"), "{said}");
    let said = refused("less.csv", "id,ligand\nd1,XPhos\n");
    assert!(said.contains("there is no column \"dose (mg)\""), "{said}");
    let said = refused("bad.csv", "id,ligand,dose (mg)\nd1,XPhos,much\n");
    assert!(said.contains("bad.csv:2"), "{said}");
    assert!(matches!(campaign.extend(more(), " ", At(3)), Err(CampaignError::Setting { .. })));
    assert_eq!(campaign.head().event, event);
    campaign.extend(more(), "a new ligand", At(4)).unwrap();
    let twice = campaign.extend(more(), "again", At(5)).unwrap_err().to_string();
    assert!(twice.contains("in the campaign already"), "{twice}");
    let lab = Lab::quick();
    let by_rounds = lab.create(random()).extend(more(), "new", At(2)).unwrap_err();
    assert!(matches!(by_rounds, CampaignError::WholeRounds { .. }), "{by_rounds}");
}

#[test]
fn new_candidates_are_forbidden_told_and_exported_like_the_others() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().forbid(vec!["b1".into()]));
    tell_truth(&mut campaign, 10);
    campaign.extend(more(), "a new ligand", At(20)).unwrap();
    assert_eq!(tell(&mut campaign, "id,yield\nc1,1.35\n", 21).unwrap().volunteered, 1);
    let condition = "ligand = 'SPhos' and `dose (mg)` > 1".parse().unwrap();
    let ids = campaign.candidates().unwrap().ids_where(&condition).unwrap();
    assert_eq!(ids, ["c2"]);
    campaign.forbid(&ids, false, Some("ligand = 'SPhos'"), "sold out", At(22)).unwrap();
    let mut other = lab.open();
    assert!(other.status().unwrap().survivors.iter().all(|one| one.id != "c2"));
    let export = String::from_utf8(other.export_csv().unwrap()).unwrap();
    assert!(export.contains(",c1,,volunteered,1.35"), "{export}");
    assert_eq!(tell(&mut other, &export, 23).unwrap().recorded, 0, "its own export changes nothing");
    other.allow(&ids, "it came", At(24)).unwrap();
    assert!(other.status().unwrap().survivors.iter().any(|one| one.id == "c2"));
}

#[test]
fn a_correction_after_the_extension_brings_back_who_was_beaten_by_a_slip() {
    let lab = Lab::quick();
    let spec = Spec { theorem: TheoremName::OneRidge, ..certified() };
    let mut campaign = lab.create(spec.goal(Goal::Best { epsilon: 0.01 }));
    // One outcome is ten times too large: its candidate beats all others.
    let batch = campaign.ask(Some(6), At(1)).unwrap();
    let wrong = batch.rows.iter().find(|row| row.id.starts_with('b')).unwrap().clone();
    let outcome = |row: &elfving_campaign::BatchRow| match row.slot == wrong.slot {
        true => Outcome::from(60.0),
        false => Outcome::from(true_mean(&row.id)),
    };
    let told: Vec<(&str, Outcome)> = batch.rows.iter().map(|row| (row.slot.as_str(), outcome(row))).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(2)).unwrap();
    assert!(!campaign.status().unwrap().eliminated.is_empty(), "the slip eliminates");
    campaign.extend(more(), "a new ligand", At(3)).unwrap();
    tell_truth(&mut campaign, 4);
    campaign.correct(&wrong.slot, Outcome::from(true_mean(&wrong.id)), "misread", At(6)).unwrap();
    let status = campaign.status().unwrap();
    for id in ["a1", "a2", "a3"] {
        assert!(status.survivors.iter().any(|one| one.id == id), "{id} was beaten by the slip alone");
    }
    assert!(status.eliminated.iter().all(|out| out.difference < 5.0), "{:?}", status.eliminated);
    assert_eq!(campaign.verify().unwrap().differing, Vec::<u64>::new());
}

#[test]
fn a_slip_that_refutes_the_assumptions_is_taken_back_by_its_correction() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().goal(Goal::Best { epsilon: 0.01 }));
    // One outcome is a hundred times too large: no function of this norm has it.
    let batch = campaign.ask(Some(6), At(1)).unwrap();
    let wrong = batch.rows.iter().find(|row| row.id.starts_with('b')).unwrap().clone();
    let outcome = |row: &elfving_campaign::BatchRow| match row.slot == wrong.slot {
        true => Outcome::from(60.0),
        false => Outcome::from(true_mean(&row.id)),
    };
    let told: Vec<(&str, Outcome)> = batch.rows.iter().map(|row| (row.slot.as_str(), outcome(row))).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(2)).unwrap();
    let refuted = campaign.status().unwrap();
    assert!(refuted.data_check.is_some_and(|check| check.refuted));
    assert_eq!(
        (refuted.guarantee, refuted.epsilon, refuted.goal_reached),
        (Guarantee::Withdrawn, None, false)
    );
    assert!(refuted.statement[0].contains("withdrawn"), "{:?}", refuted.statement);
    assert!(refuted.eliminated.is_empty(), "nobody is out by a proof that fell");
    campaign.extend(more(), "a new ligand", At(3)).unwrap();
    tell_truth(&mut campaign, 4);
    campaign.correct(&wrong.slot, Outcome::from(true_mean(&wrong.id)), "misread", At(6)).unwrap();
    let status = campaign.status().unwrap();
    assert!(status.data_check.is_some_and(|check| !check.refuted));
    assert_eq!(status.guarantee, Guarantee::Certified);
    assert!(status.epsilon.is_some());
    assert_eq!(campaign.verify().unwrap().differing, Vec::<u64>::new());
}

#[test]
fn the_targets_may_become_candidates_under_another_name() {
    let targets =
        Attachment::new("targets.csv", "id,ligand,dose (mg)\nb3,PPh3,3\nz1,XPhos,2.5\nz2,PPh3,1.5\n");
    let columns = PoolOptions::default().id("id").one_hot(OneHot::AllText);
    let recipe = Recipe::new(&pool(), ReadOptions::default(), columns).targets(&targets);
    let lab = Lab::quick();
    let spec = Spec { recipe, ..certified() }.forbid(vec!["b3".into()]);
    let mut campaign = Campaign::create(lab.path(), spec, &[pool(), targets.clone()], At(1)).unwrap();
    let choices = |campaign: &Campaign| {
        campaign.candidates().unwrap().choices().text().iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(choices(&campaign), ["z1", "z2"]);
    let others = Attachment::new("others.csv", "id,ligand,dose (mg)\nn1,PPh3,9\n");
    campaign.extend(others, "one more", At(2)).unwrap();
    assert_eq!(choices(&campaign), ["z1", "z2"], "what was forbidden stays out");
    assert_eq!(campaign.candidates().unwrap().numbers().1.unwrap().rows(), 2);
    // The same bytes under another name.
    let same = Attachment::new("more.csv", targets.bytes.clone());
    let refused = campaign.extend(same, "again", At(3)).unwrap_err().to_string();
    assert!(refused.contains("\"b3\" is a candidate already"), "{refused}");
    lab.open().status().unwrap();
}

#[test]
fn rows_without_ids_get_numbers_that_nobody_has() {
    let rows: String = (0..10).map(|k| format!("{k},{}\n", 10 * k)).collect();
    let pool = Attachment::new("pool.csv", format!("dose,time\n{rows}"));
    let conditions = vec!["dose >= 5".parse().unwrap()];
    let columns = PoolOptions { conditions, ..PoolOptions::default() };
    let recipe = Recipe::new(&pool, ReadOptions::default(), columns);
    let lab = Lab::quick();
    let spec = Spec::new("lab", "yield", Aim::Maximise, recipe).mode(Mode::Calibrated).batch(3);
    let mut campaign = Campaign::create(lab.path(), spec, &[pool], At(1)).unwrap();
    campaign.extend(Attachment::new("more.csv", "dose,time\n7,1\n2,2\n8,3\n"), "new", At(2)).unwrap();
    let names: Vec<String> =
        campaign.candidates().unwrap().names().text().iter().map(str::to_owned).collect();
    assert_eq!(
        names,
        ["5", "6", "7", "8", "9", "10", "11"],
        "one of the new rows does not meet the condition"
    );
}
