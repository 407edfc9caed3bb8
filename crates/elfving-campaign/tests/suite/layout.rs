//! Batches as they lie on the bench: wells, controls, and columns of which a batch holds few values.

use crate::support;

use std::collections::BTreeSet;

use elfving::bandit::{Goal, Outcome};
use elfving_campaign::event::Changing;
use elfving_campaign::{
    At, Batch, Campaign, CampaignError, ControlWells, FewValues, Layout, LayoutChange, Limits, Mode, Spec,
    TellOptions,
};
use support::*;

fn layout(plate: Option<&str>, controls: &[&str], at_most: &[(&str, usize)]) -> Layout {
    Layout {
        plate: plate.map(|plate| plate.parse().unwrap()),
        controls: controls.iter().map(|control| control.parse::<ControlWells>().unwrap()).collect(),
        at_most: at_most
            .iter()
            .map(|(column, most)| FewValues { column: (*column).into(), most: *most })
            .collect(),
    }
}

fn calibrated() -> Spec {
    certified().mode(Mode::Calibrated).algorithm("calibrated")
}

fn values(batch: &Batch, column: &str) -> BTreeSet<String> {
    batch.rows.iter().filter(|row| row.kind != "control").map(|row| row.columns[column].to_string()).collect()
}

fn tell_all(campaign: &mut Campaign, batch: &Batch, failing: &[usize], at: u64) {
    let outcome = |(k, row): (usize, &elfving_campaign::BatchRow)| match failing.contains(&k) {
        true => (row.slot.clone(), Outcome::Failed),
        false => (row.slot.clone(), Outcome::from(truth(&row.id) + 0.01 * k as f64)),
    };
    let told: Vec<(String, Outcome)> = batch.rows.iter().enumerate().map(outcome).collect();
    let told: Vec<(&str, Outcome)> = told.iter().map(|(slot, told)| (slot.as_str(), told.clone())).collect();
    campaign.tell_outcomes(&told, &TellOptions::default(), At(at)).unwrap();
}

#[test]
fn every_batch_holds_its_controls_and_they_count_as_measurements() {
    for spec in [certified().goal(Goal::Regret { horizon: None }), calibrated()] {
        let lab = Lab::quick();
        let mut campaign = lab.create(spec.layout(layout(None, &["b1:2"], &[])));
        for day in 0..4 {
            let batch = campaign.ask(None, At(10 * day)).unwrap();
            assert_eq!(batch.rows.len(), 4, "day {day}");
            let controls: Vec<_> = batch.rows.iter().filter(|row| row.kind == "control").collect();
            assert_eq!(controls.len(), 2, "day {day}: {:?}", batch.rows);
            assert!(controls.iter().all(|row| row.id == "b1" && row.why == "control: in every batch"));
            tell_all(&mut campaign, &batch, &[], 10 * day + 1);
        }
        assert_eq!(campaign.report().unwrap().samples, 16);
        let asked_for_two = campaign.ask(Some(2), At(99)).unwrap();
        assert!(asked_for_two.rows.iter().all(|row| row.kind != "control"), "no room beside the controls");
    }
}

#[test]
fn a_batch_shares_a_value_and_what_failed_waits_for_a_batch_of_its_own() {
    for spec in [certified().goal(Goal::Regret { horizon: None }), calibrated()] {
        let lab = Lab::quick();
        let spec = spec.layout(layout(None, &[], &[("dose (mg)", 1)])).tries(9);
        let mut campaign = lab.create(spec);
        let mut doses = BTreeSet::new();
        for day in 0..8 {
            let batch = campaign.ask(None, At(10 * day)).unwrap();
            let here = values(&batch, "dose (mg)");
            assert_eq!(here.len(), 1, "day {day}: {:?}", batch.rows);
            assert_eq!(batch.rows.len(), 4, "two ligands, and copies");
            doses.extend(here);
            // The second of every batch fails, and comes again with others of its dose.
            tell_all(&mut campaign, &batch, if day < 6 { &[1] } else { &[] }, 10 * day + 1);
        }
        assert!(!doses.is_empty());
        assert_eq!(campaign.status().unwrap().open, campaign.open_slots().unwrap().rows.len());
    }
}

#[test]
fn at_most_two_ligands_are_on_a_plate_of_twelve() {
    let rows: String = (0..60).map(|k| format!("c{k},{},{}\n", ["P", "Q", "R", "S"][k % 4], k / 4)).collect();
    let pool = elfving_campaign::Attachment::new("pool.csv", format!("id,ligand,dose\n{rows}"));
    let columns = elfving_table::PoolOptions::default().id("id").one_hot(elfving_table::OneHot::AllText);
    let recipe = elfving_campaign::Recipe::new(&pool, elfving_table::ReadOptions::default(), columns);
    let lab = Lab::quick();
    let spec =
        Spec::new("lab", "yield", elfving_campaign::Aim::Maximise, recipe).mode(Mode::Calibrated).batch(12);
    let spec = spec.layout(layout(Some("3x4"), &["c0:1"], &[("ligand", 2)]));
    let mut campaign = Campaign::create(lab.path(), spec, &[pool], At(1)).unwrap();
    let mut seen = BTreeSet::new();
    for day in 0..5 {
        let batch = campaign.ask(None, At(10 * day)).unwrap();
        assert_eq!(batch.rows.len(), 12);
        assert!(values(&batch, "ligand").len() <= 2, "day {day}: {:?}", values(&batch, "ligand"));
        seen.extend(values(&batch, "ligand"));
        let wells: BTreeSet<&str> = batch.rows.iter().map(|row| row.well.as_deref().unwrap()).collect();
        assert_eq!(wells.len(), 12, "every slot has its own well");
        assert_eq!(batch.rows[0].well.as_deref(), Some("A1"));
        assert_eq!(batch.rows[11].well.as_deref(), Some("C4"));
        let told: Vec<(&str, Outcome)> = batch
            .rows
            .iter()
            .map(|row| (row.slot.as_str(), Outcome::from(row.id[1..].parse::<f64>().unwrap().sin())))
            .collect();
        campaign.tell_outcomes(&told, &TellOptions::default(), At(10 * day + 1)).unwrap();
    }
    assert!(seen.len() >= 3, "the model looks elsewhere, too: {seen:?}");
}

#[test]
fn wells_are_on_the_sheet_on_the_map_and_in_the_report() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().layout(layout(Some("2x2"), &[], &[])).batch(6));
    let batch = campaign.ask(None, At(5)).unwrap();
    let sheet =
        String::from_utf8(batch.to_csv(campaign.spec(), campaign.candidates().unwrap()).unwrap()).unwrap();
    assert!(sheet.starts_with("slot,well,id,ligand,dose (mg),why,yield,status\n"), "{sheet}");
    let third = sheet.lines().nth(3).unwrap();
    assert!(third.starts_with("S0003G,B1,"), "{third}");
    assert!(sheet.contains(",2-A2,"), "the sixth is on the second plate: {sheet}");
    let map = batch.plate_map(campaign.spec(), campaign.candidates().unwrap()).unwrap().unwrap();
    let id = |k: usize| batch.rows[k].id.as_str();
    let expected = format!(
        "plate 1,1,2\nA,{},{}\nB,{},{}\nplate 2,1,2\nA,{},{}\nB,,\n",
        id(0),
        id(1),
        id(2),
        id(3),
        id(4),
        id(5)
    );
    assert_eq!(String::from_utf8(map).unwrap(), expected);
    let page = campaign.html(At(6)).unwrap();
    assert!(page.contains("Plates under way") && page.contains("Plate 2: the candidate in each well."));
    // The sheet comes back as it is.
    let filled: String = sheet.replace(",,\n", ",0.5,\n");
    assert_eq!(tell(&mut campaign, &filled, 7).unwrap().recorded, 6);
    // A slot that went out again has the well of its new batch.
    let next = campaign.ask(Some(2), At(8)).unwrap();
    assert_eq!(next.rows[0].well.as_deref(), Some("A1"));
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let lab = Lab::quick();
    let refused = |spec: Spec| match Campaign::create(lab.path(), spec, &[pool()], At(1)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it was taken"),
    };
    let said = refused(certified().layout(layout(None, &["a9:1"], &[])));
    assert!(said.contains("there is no candidate \"a9\""), "{said}");
    let said = refused(certified().layout(layout(None, &["a1:4"], &[])));
    assert!(said.contains("a batch of 4 has no room beside 4 controls"), "{said}");
    let said = refused(certified().layout(layout(None, &[], &[("dosis", 1)])));
    assert!(said.contains("there is no column \"dosis\""), "{said}");
    let said = refused(random().layout(layout(None, &["a1:1"], &[])));
    assert!(said.contains("measures what its design says"), "{said}");
    let mut campaign = lab.create(certified());
    let changing = Changing {
        layout: Some(layout(Some("96"), &["b2:1"], &[])),
        reason: "plates".into(),
        ..Changing::default()
    };
    campaign.change_question(&changing, At(2)).unwrap();
    assert_eq!(lab.open().spec().layout, layout(Some("8x12"), &["b2:1"], &[]));
    assert_eq!(campaign.ask(None, At(3)).unwrap().rows.iter().filter(|row| row.kind == "control").count(), 1);
    let too_many =
        Changing { layout: Some(layout(None, &["b2:9"], &[])), reason: "more".into(), ..Changing::default() };
    assert!(matches!(campaign.change_question(&too_many, At(4)), Err(CampaignError::Setting { .. })));
}

#[test]
fn a_limit_on_copies_holds_in_the_first_batch_and_beside_controls() {
    let lab = Lab::quick();
    let limits = elfving_campaign::Limits { in_a_batch: Some(1), in_all: None };
    let mut campaign = lab.create(calibrated().limits(limits).layout(layout(None, &["a1:1"], &[])).batch(9));
    let batch = campaign.ask(None, At(1)).unwrap();
    let ids: BTreeSet<&str> = batch.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((batch.rows.len(), ids.len()), (6, 6), "{:?}", batch.rows);
}

#[test]
fn a_worker_who_asks_again_keeps_its_slots_and_their_wells() {
    let lab = Lab::quick();
    let mut campaign =
        lab.create(calibrated().layout(layout(Some("4x6"), &[], &[("dose (mg)", 1)])).tries(9));
    let first = campaign.ask_for(Some("r"), Some(4), At(1)).unwrap();
    let told =
        [(first.rows[0].slot.as_str(), Outcome::from(0.5)), (first.rows[1].slot.as_str(), Outcome::Failed)];
    campaign.tell_outcomes(&told, &TellOptions::default(), At(2)).unwrap();
    let second = campaign.ask_for(Some("r"), Some(4), At(3)).unwrap();
    assert_eq!(second.rows.len(), 4);
    for old in &first.rows[2..] {
        let still = second.rows.iter().find(|row| row.slot == old.slot).unwrap();
        assert_eq!(still.well, old.well, "what is on the plate stays where it is");
    }
    let wells: BTreeSet<&str> = second.rows.iter().map(|row| row.well.as_deref().unwrap()).collect();
    assert_eq!(wells.len(), 4);
    for at in 4..8 {
        let again = campaign.ask_for(Some("r"), Some(4), At(at)).unwrap();
        assert_eq!(
            again.rows.iter().map(|row| &row.slot).collect::<Vec<_>>(),
            second.rows.iter().map(|row| &row.slot).collect::<Vec<_>>()
        );
    }
}

#[test]
fn what_is_forced_and_then_forbidden_holds_nothing_up() {
    let lab = Lab::quick();
    let mut campaign = lab.create(calibrated().force(vec!["a1".into()]));
    campaign.forbid(&["a1".to_owned()], false, None, "sold out", At(1)).unwrap();
    assert_eq!(campaign.ask(None, At(2)).unwrap().rows.len(), 4);
}

#[test]
fn a_rule_that_allows_nothing_is_refused() {
    let lab = Lab::quick();
    for wrong in [
        Layout { at_most: vec![FewValues { column: "ligand".into(), most: 0 }], ..Layout::default() },
        Layout { controls: vec![ControlWells { id: "a1".into(), count: 0 }], ..Layout::default() },
    ] {
        assert!(Campaign::create(lab.path(), certified().layout(wrong), &[pool()], At(1)).is_err());
    }
}

fn wells(batch: &Batch) -> Vec<Option<&str>> {
    batch.rows.iter().map(|row| row.well.as_deref()).collect()
}

#[test]
fn what_lies_on_a_plate_stays_in_its_well_when_the_next_plates_are_others() {
    let lab = Lab::quick();
    let mut campaign = lab.create(certified().layout(layout(Some("2x2"), &[], &[])));
    let first = campaign.ask(None, At(1)).unwrap();
    assert_eq!(wells(&first), [Some("A1"), Some("A2"), Some("B1"), Some("B2")]);
    let to = |plate| Changing {
        layout: Some(layout(plate, &[], &[])),
        reason: "other plates".into(),
        ..Changing::default()
    };
    campaign.change_question(&to(Some("1x4")), At(2)).unwrap();
    let told = [(first.rows[0].slot.as_str(), Outcome::from(0.5))];
    campaign.tell_outcomes(&told, &TellOptions::default(), At(3)).unwrap();
    let second = campaign.ask(Some(3), At(4)).unwrap();
    assert_eq!(wells(&second), [Some("A1"), Some("A2"), Some("A3")]);
    // The same after the file was opened again.
    let open = lab.open().open_slots().unwrap();
    assert_eq!(wells(&open), [Some("A2"), Some("B1"), Some("B2"), Some("A1"), Some("A2"), Some("A3")]);
    let map = open.plate_map(campaign.spec(), campaign.candidates().unwrap()).unwrap().unwrap();
    let id = |k: usize| open.rows[k].id.as_str();
    let expected = format!(
        "plate 1,1,2\nA,,{}\nB,{},{}\nplate 1,1,2,3,4\nA,{},{},{},\n",
        id(0),
        id(1),
        id(2),
        id(3),
        id(4),
        id(5)
    );
    assert_eq!(String::from_utf8(map).unwrap(), expected);
    let page = campaign.html(At(5)).unwrap();
    assert!(page.contains("Plates under way") && page.contains("Plate 2: the candidate in each well."));
    // Without plates from here on, those that are out keep theirs.
    campaign.change_question(&to(None), At(6)).unwrap();
    assert_eq!(wells(&campaign.open_slots().unwrap())[..3], [Some("A2"), Some("B1"), Some("B2")]);
}

#[test]
fn a_change_is_made_of_the_question_as_it_stands_then() {
    let lab = Lab::quick();
    let mut one = lab.create(certified());
    let mut other = lab.open();
    let plates = Changing {
        layout: Some(layout(Some("2x2"), &[], &[])),
        reason: "plates".into(),
        ..Changing::default()
    };
    one.change_question(&plates, At(1)).unwrap();
    // The other one has not seen that yet.
    let controls = LayoutChange { controls: Some(vec!["b2:1".parse().unwrap()]), ..LayoutChange::default() };
    let with_controls = |spec: &Spec| Changing {
        layout: Some(controls.over(&spec.layout)),
        reason: "controls".into(),
        ..Changing::default()
    };
    other.change_question_by(with_controls, At(2)).unwrap();
    assert_eq!(lab.open().spec().layout, layout(Some("2x2"), &["b2:1"], &[]));
}

#[test]
fn what_is_forced_says_that_limits_do_not_apply_to_it() {
    let ids = || vec!["a1".to_owned(), "a1".to_owned(), "b2".to_owned()];
    let why = |spec: Spec| {
        let lab = Lab::quick();
        let mut campaign = lab.create(spec.force(ids()));
        campaign.ask(None, At(1)).unwrap().rows[0].why.clone()
    };
    assert_eq!(why(certified()), "requested");
    let said = "requested: limits on repeats and rules about columns do not apply";
    assert_eq!(why(certified().limits(Limits { in_a_batch: Some(1), in_all: None })), said);
    assert_eq!(why(certified().layout(layout(None, &[], &[("ligand", 1)]))), said);
}
