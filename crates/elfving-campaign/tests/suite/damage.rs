//! A file that is not as it was written is refused, and a file of another kind or a newer format is left alone.

use crate::support;

use elfving::bandit::Goal;
use elfving::numerics::rng::{Purpose, stream};
use elfving_campaign::event::Changing;
use elfving_campaign::{At, Campaign, CampaignError, Recorded};
use support::*;

/// A small campaign with every kind of event.
fn eventful(lab: &Lab) {
    let never_reached = Goal::Best { epsilon: 1e-3 };
    let mut campaign = lab.create(certified().goal(never_reached).force(vec!["a1".into()]));
    campaign.bring_in(&[("b1".into(), 0.2.into())], None, At(1)).unwrap();
    run(&mut campaign, 1);
    let batch = campaign.ask(None, At(2)).unwrap();
    tell(&mut campaign, &format!("slot,status,yield\n{},failed,\n", batch.rows[0].slot), 3).unwrap();
    tell(&mut campaign, &format!("slot,yield\n{},0.4\n", batch.rows[1].slot), 4).unwrap();
    campaign.correct(&batch.rows[1].slot, 0.5.into(), "typo", At(5)).unwrap();
    campaign.release(&[&batch.rows[2].slot], None, false, At(6)).unwrap();
    campaign.forbid(&["b2".into()], false, None, "sold out", At(7)).unwrap();
    campaign.allow(&["b2".into()], "delivered", At(8)).unwrap();
    let reason = "one more plate".to_owned();
    campaign
        .change_question(&Changing { budget: Some(Some(90)), reason, ..Changing::default() }, At(9))
        .unwrap();
}

fn unlocked(lab: &Lab) -> rusqlite::Connection {
    let file = rusqlite::Connection::open(lab.path()).unwrap();
    file.execute_batch(
        "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON;
         DROP TRIGGER event_is_never_changed; DROP TRIGGER event_is_never_removed;
         DROP TRIGGER attachment_is_never_changed; DROP TRIGGER attachment_is_never_removed;",
    )
    .unwrap();
    file
}

fn is_refused(lab: &Lab) -> bool {
    let verified = Campaign::open(lab.path()).and_then(|campaign| campaign.verify().map(drop));
    matches!(verified, Err(CampaignError::Damaged { .. } | CampaignError::NotACampaign { .. }))
}

#[test]
fn events_and_attachments_are_guarded_against_change_and_removal() {
    let lab = Lab::quick();
    eventful(&lab);
    let file = rusqlite::Connection::open(lab.path()).unwrap();
    for (sql, why) in [
        ("UPDATE event SET at = 0", "events are never changed"),
        ("DELETE FROM event WHERE seq = 3", "events are never removed"),
        ("UPDATE attachment SET name = 'x'", "attachments are never changed"),
        ("DELETE FROM attachment", "attachments are never removed"),
    ] {
        assert!(file.execute(sql, []).unwrap_err().to_string().contains(why), "{sql}");
    }
    Campaign::open(lab.path()).unwrap().verify().unwrap();
}

#[test]
fn a_change_of_any_one_byte_of_an_event_is_found() {
    let lab = Lab::quick();
    eventful(&lab);
    let kinds: Vec<String> =
        lab.open().log().unwrap().iter().map(|recorded| recorded.event.kind().to_owned()).collect();
    let all = [
        "created",
        "asked",
        "told",
        "failed",
        "corrected",
        "decided",
        "earlier",
        "released",
        "barred",
        "allowed",
        "changed",
    ];
    for kind in all {
        assert!(kinds.iter().any(|known| known == kind), "{kind} is missing in {kinds:?}");
    }
    let file = unlocked(&lab);
    let mut random = stream(5, 0, Purpose::new("bytes"));
    for (k, column) in ["body", "hash", "kind"].iter().cycle().take(3 * kinds.len()).enumerate() {
        let seq = (k / 3 + 1) as i64;
        let select = format!("SELECT CAST({column} AS BLOB) FROM event WHERE seq = ?1");
        let before: Vec<u8> = file.query_row(&select, [seq], |row| row.get(0)).unwrap();
        let cast = if *column == "hash" { "?1" } else { "CAST(?1 AS TEXT)" };
        let update = format!("UPDATE event SET {column} = {cast} WHERE seq = ?2");
        // Every position of short ones, a sample of long ones.
        let step = before.len().div_ceil(60).max(1);
        for at in (0..before.len()).step_by(step) {
            let mut after = before.clone();
            after[at] ^= 1 << random.below(7);
            file.execute(&update, rusqlite::params![after, seq]).unwrap();
            assert!(is_refused(&lab), "event {seq}, {column}, byte {at}");
        }
        file.execute(&update, rusqlite::params![before, seq]).unwrap();
    }
    for sql in ["UPDATE event SET at = at + 1 WHERE seq = 2", "DELETE FROM event WHERE seq = 3"] {
        file.execute_batch("SAVEPOINT s").unwrap();
        file.execute(sql, []).unwrap();
        file.execute_batch("RELEASE s").unwrap();
        assert!(is_refused(&lab), "{sql}");
        file.execute("UPDATE event SET at = at - 1 WHERE seq = 2", []).unwrap();
    }
}

#[test]
fn a_changed_attachment_is_found() {
    let lab = Lab::quick();
    eventful(&lab);
    unlocked(&lab).execute("UPDATE attachment SET bytes = CAST('id,x' AS BLOB)", []).unwrap();
    assert!(is_refused(&lab));
    let error = Campaign::open(lab.path()).unwrap_err().to_string();
    assert!(error.contains("the bytes of the attachment \"pool.csv\" changed"), "{error}");
}

/// Changes one byte of the file at some positions: the change is found, or nothing that is read changes.
fn change_bytes_of_the_file(positions: impl Fn(usize) -> Vec<usize>) {
    let lab = Lab::quick();
    eventful(&lab);
    let bytes = std::fs::read(lab.path()).unwrap();
    let log: Vec<Recorded> = lab.open().log().unwrap();
    let mut found = 0;
    for at in positions(bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x15;
        std::fs::write(lab.path(), &changed).unwrap();
        let verified = Campaign::open(lab.path()).and_then(|campaign| {
            campaign.verify()?;
            campaign.log()
        });
        match verified {
            Ok(read) => assert_eq!(read, log, "byte {at}"),
            Err(_) => found += 1,
        }
    }
    assert!(found > 0);
}

#[test]
fn a_changed_byte_of_the_file_is_found_or_changes_nothing() {
    change_bytes_of_the_file(|length| (0..length).step_by(length / 400).collect());
}

#[test]
#[ignore = "slow: every byte of a file"]
fn any_changed_byte_of_the_file_is_found_or_changes_nothing() {
    change_bytes_of_the_file(|length| (0..length).collect());
}

#[test]
fn another_kind_of_file_is_refused_and_left_alone() {
    let lab = Lab::quick();
    let database = lab.file("other.db");
    rusqlite::Connection::open(&database).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let text = lab.file("notes.txt");
    std::fs::write(&text, "slot,yield\nS0001C,1\n".repeat(100)).unwrap();
    let empty = lab.file("empty");
    std::fs::write(&empty, "").unwrap();
    for path in [database, text, empty] {
        let before = std::fs::read(&path).unwrap();
        let error = Campaign::open(&path).unwrap_err();
        assert!(matches!(error, CampaignError::NotACampaign { .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let lab = Lab::quick();
    eventful(&lab);
    rusqlite::Connection::open(lab.path()).unwrap().execute_batch("PRAGMA user_version = 3").unwrap();
    let before = std::fs::read(lab.path()).unwrap();
    let error = Campaign::open(lab.path()).unwrap_err();
    assert!(matches!(error, CampaignError::Newer { found: 3, known: 2, .. }), "{error}");
    assert_eq!(std::fs::read(lab.path()).unwrap(), before);
}

#[test]
fn an_upgrade_writes_a_new_file_with_the_same_events() {
    let lab = Lab::quick();
    eventful(&lab);
    let before = std::fs::read(lab.path()).unwrap();
    let new = lab.file("new.elfving");
    elfving_campaign::upgrade(lab.path(), &new).unwrap();
    assert_eq!(std::fs::read(lab.path()).unwrap(), before);
    let (mut old, mut new) = (lab.open(), Campaign::open(&new).unwrap());
    assert_eq!(old.log().unwrap(), new.log().unwrap());
    assert_eq!(old.status().unwrap(), new.status().unwrap());
}
