//! What shells stand on: who did it, changes for one state only, the fate of every line, pages of candidates, openings.

use crate::support;

use elfving::bandit::Outcome;
use elfving_campaign::{
    At, Attachment, Campaign, CampaignError, ChangeRequest, Event, Fate, Listing, Opening, ResultsFile,
    TellOptions,
};
use support::Lab;

const POOL: &str = "id,dose,base\na,1,K\nb,2,C\nc,3,K\nd,4,C\n";

fn begin(lab: &Lab, by: Option<&str>) -> Campaign {
    let options = r#"{"outcome":"yield","aim":"maximise","mode":"calibrated","batch":3,"columns":{"id":"id"},"forbid_where":["dose = 4"]}"#;
    let opening: Opening = serde_json::from_str(options).unwrap();
    let draft = opening.draft(Attachment::new("pool.csv", POOL), None).unwrap();
    opening.begin(draft, lab.path(), None, by.map(str::to_owned), At(1)).unwrap()
}

#[test]
fn every_event_that_somebody_caused_says_who() {
    let lab = Lab::quick();
    let mut campaign = begin(&lab, Some("Ada"));
    campaign.act_as(Some("robot".to_owned()));
    let slots: Vec<String> =
        campaign.ask_for(None, None, At(2)).unwrap().rows.into_iter().map(|row| row.slot).collect();
    campaign
        .tell_outcomes(&[(&slots[0], Outcome::Measured(1.0.into()))], &TellOptions::default(), At(3))
        .unwrap();
    let named = TellOptions { by: Some("Grace".to_owned()), ..TellOptions::default() };
    campaign.tell_outcomes(&[(&slots[1], Outcome::Failed)], &named, At(4)).unwrap();
    campaign.act_as(None);
    campaign.release(&[&slots[2]], None, false, At(5)).unwrap();
    let log = lab.open().log().unwrap();
    let who =
        |kind: &str| log.iter().find(|one| one.event.kind() == kind).unwrap().event.by().map(str::to_owned);
    let who = ["created", "asked", "told", "failed", "released", "decided"].map(who);
    let expected = [Some("Ada"), Some("robot"), Some("robot"), Some("Grace"), None, None];
    assert_eq!(who.each_ref().map(Option::as_deref), expected);
    assert!(matches!(&log[0].event, Event::Created(creation) if creation.spec.forbidden == ["d"]));
}

#[test]
fn a_change_for_another_state_is_refused_also_when_somebody_is_faster() {
    let lab = Lab::quick();
    let (mut one, mut two) = (begin(&lab, None), lab.open());
    let seen = one.head().hash;
    two.ask_for(Some("two"), None, At(2)).unwrap();
    // `one` has not looked since.
    one.expect_head(Some(seen));
    let refused = one.ask_for(Some("one"), None, At(3));
    assert!(matches!(refused, Err(CampaignError::MovedOn { event: 2, .. })), "{refused:?}");
    assert_eq!((refused.unwrap_err().code(), lab.open().head().event), ("E360", 2));
    one.expect_head(Some(one.head().hash));
    let request = ChangeRequest { batch: Some(2), reason: "smaller".to_owned(), ..ChangeRequest::default() };
    one.change_as_requested(&request, At(4)).unwrap();
    // It was for one change: the next one needs no state.
    one.change_as_requested(&ChangeRequest { batch: Some(1), ..request }, At(5)).unwrap();
    assert_eq!(one.head().event, 4);
    assert_eq!(one.events_after(2).unwrap().len(), 2);
    assert_eq!(one.events_after(9).unwrap().len(), 0);
}

#[test]
fn every_line_of_a_file_has_its_fate_and_telling_says_the_same() {
    let lab = Lab::quick();
    let mut campaign = begin(&lab, None);
    let rows = campaign.ask(None, At(2)).unwrap().rows;
    let (slots, ids): (Vec<String>, Vec<String>) = rows.into_iter().map(|row| (row.slot, row.id)).unzip();
    campaign
        .tell_outcomes(&[(&slots[0], Outcome::Measured(1.0.into()))], &TellOptions::default(), At(3))
        .unwrap();
    let results =
        |text: String| ResultsFile::from_bytes("r.csv", text.as_bytes(), &campaign.spec().results).unwrap();
    let good = results(format!(
        "slot,id,yield,status\n{},{},1,\n{},{},,failed\n{},{},,\n,b,7,\n,c,,infeasible\n",
        slots[0], ids[0], slots[1], ids[1], slots[2], ids[2]
    ));
    let bad = results(format!("slot,yield\n{},2\nS9999X,1\n{},x\n{},5\n", slots[0], slots[1], slots[2]));
    let fates = |campaign: &Campaign, file: &ResultsFile, options: &TellOptions| -> Vec<Fate> {
        campaign.fates(file, options).unwrap().into_iter().map(|line| line.fate).collect()
    };
    let plain = TellOptions::default();
    assert_eq!(
        fates(&campaign, &good, &plain),
        [Fate::Repeated, Fate::Failed, Fate::Blank, Fate::Volunteered, Fate::Infeasible]
    );
    assert_eq!(
        fates(&campaign, &bad, &plain),
        [Fate::Conflict, Fate::Refused, Fate::Refused, Fate::Recorded]
    );
    let correct = TellOptions::default().correct("misread");
    assert_eq!(fates(&campaign, &bad, &correct)[0], Fate::Corrected);
    let lines = campaign.fates(&bad, &plain).unwrap();
    assert_eq!(
        (lines[0].line, lines[0].slot.as_str(), lines[0].outcome.as_str()),
        (Some(2), slots[0].as_str(), "2")
    );
    assert!(lines[1].problem.as_ref().unwrap().contains("S9999X"), "{lines:?}");
    assert_eq!(campaign.head().event, lab.open().head().event, "nothing was written");
    // A file is refused exactly when a line is.
    assert!(campaign.tell(&bad, &plain, At(4)).is_err());
    let told = campaign.tell(&good, &plain, At(5)).unwrap();
    let counts = (told.repeated, told.failed, told.blank, told.volunteered, told.infeasible);
    assert_eq!((counts, told.read), ((1, 1, 1, 1, 1), 5));
}

#[test]
fn candidates_come_in_pages_and_without_a_value_last() {
    let lab = Lab::quick();
    let mut campaign = begin(&lab, None);
    let slots: Vec<String> =
        campaign.ask(None, At(2)).unwrap().rows.into_iter().map(|row| row.slot).collect();
    campaign
        .tell_outcomes(&[(&slots[0], Outcome::Measured(1.0.into()))], &TellOptions::default(), At(3))
        .unwrap();
    let status = campaign.status().unwrap();
    let ids = |listing: Listing| -> Vec<String> {
        let list = campaign.list(&Listing { limit: 10, ..listing }, &status).unwrap();
        list.rows.into_iter().map(|row| row.id).collect()
    };
    let sorted =
        |sort: &str, descending| Listing { sort: Some(sort.to_owned()), descending, ..Listing::default() };
    assert_eq!(ids(sorted("dose", true)), ["c", "b", "a"], "who was left out at the start is not in it");
    assert_eq!(ids(sorted("base", false)), ["b", "a", "c"]);
    let measured = campaign.list(&Listing { limit: 1, ..sorted("measured", true) }, &status).unwrap();
    assert_eq!((measured.total, measured.rows[0].measured), (3, 1));
    assert!(campaign.list(&sorted("nothing", false), &status).is_err());
    assert!(
        campaign.list(&Listing { state: Some("lost".to_owned()), ..Listing::default() }, &status).is_err()
    );
}

#[test]
fn an_opening_refuses_what_it_does_not_know() {
    for wrong in [
        r#"{"outcome":"y","aim":"maximise","bugdet":3}"#,
        r#"{"outcome":"y","aim":"maximise","columns":{"ids":"id"}}"#,
        r#"{"outcome":"y"}"#,
        r#"{"outcome":"y","aim":"maximise","mode":"perfect"}"#,
    ] {
        assert!(serde_json::from_str::<Opening>(wrong).is_err(), "{wrong}");
    }
}
