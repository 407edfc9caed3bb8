//! The API does what the command line does, on the same file.

use std::collections::HashSet;
use std::sync::Arc;

use elfving_server::Scope;
use serde_json::{Value, json};

use crate::support::{Lab, OPTIONS, POOL, slots};

const SCREEN: &str = "/api/v1/campaigns/screen";

fn told(slots: &[String]) -> String {
    let results: Vec<Value> =
        slots.iter().enumerate().map(|(k, slot)| json!({ "slot": slot, "yield": k as f64 })).collect();
    json!({ "results": results }).to_string()
}

#[test]
fn the_whole_way_of_a_campaign() {
    let lab = Lab::new();
    let slots = lab.ask("{}");
    assert_eq!(slots.len(), 3);
    assert_eq!(lab.ask("{}"), slots, "asked again, they are shown again");
    let reply = lab.post(&format!("{SCREEN}/tell"), &told(&slots[..2])).ok().json();
    assert_eq!((&reply["recorded"], &reply["open"], &reply["refused"]), (&json!(2), &json!(1), &json!(0)));
    let again = lab.post(&format!("{SCREEN}/tell"), &told(&slots[..2])).ok().json();
    assert_eq!((&again["recorded"], &again["repeated"]), (&json!(0), &json!(2)));
    let csv = format!("slot,yield,status\n{},,failed\n", slots[2]);
    let dry = lab
        .send("POST", &format!("{SCREEN}/tell?dry_run=true"), &[("Content-Type", "text/csv")], csv.as_bytes())
        .ok()
        .json();
    assert_eq!((&dry["failed"], &dry["dry_run"]), (&json!(1), &json!(true)));
    assert_eq!(lab.open("screen").status().unwrap().failed, 0);
    lab.send("POST", &format!("{SCREEN}/tell"), &[("Content-Type", "text/csv")], csv.as_bytes()).ok();
    assert_eq!(lab.open("screen").status().unwrap().failed, 1);
    let correct = lab
        .post(&format!("{SCREEN}/slots/{}/correct", slots[0]), r#"{"value":0.25,"reason":"a comma"}"#)
        .ok()
        .json();
    assert_eq!(correct["corrected"], true);
    let forbidden = lab
        .post(&format!("{SCREEN}/forbid"), r#"{"where":"base = 'CsOAc'","reason":"sold out"}"#)
        .ok()
        .json();
    assert_eq!(forbidden["candidates"], 3);
    lab.post(&format!("{SCREEN}/allow"), r#"{"ids":["b"],"reason":"found some"}"#).ok();
    lab.post(&format!("{SCREEN}/change"), r#"{"budget":30,"reason":"one more plate"}"#).ok();
    let extended = lab.send(
        "POST",
        &format!("{SCREEN}/extend?reason=more"),
        &[("Content-Type", "text/csv")],
        b"id,dose,base\ng,7,KOAc\n",
    );
    assert_eq!(extended.ok().json()["candidates"], 1);
    assert_eq!(lab.get(&format!("{SCREEN}/verify")).ok().json()["attachments"], 2);
    assert!(lab.get(&format!("{SCREEN}/report")).ok().text().contains("<!DOCTYPE html>"));
    assert!(lab.get(&format!("{SCREEN}/export?format=csv")).ok().text().starts_with("slot,id,"));
    assert_eq!(lab.get(&format!("{SCREEN}/candidates/a")).ok().json()["id"], "a");
    assert!(lab.get("/metrics").ok().text().contains("elfving_requests_total{route=\"ask\",status=\"200\"}"));
    let mut campaign = lab.open("screen");
    assert_eq!(campaign.verify().unwrap().events, campaign.head().event);
    assert_eq!(lab.get(SCREEN).ok().json(), serde_json::to_value(campaign.status().unwrap()).unwrap());
}

#[test]
fn documents_are_those_of_the_library() {
    let lab = Lab::new();
    let slots = lab.ask("{\"batch\":2,\"worker\":\"r1\"}");
    assert_eq!(slots.len(), 2);
    let mut campaign = lab.open("screen");
    let of = |value: &dyn erased::Json| value.value();
    assert_eq!(lab.get(SCREEN).json(), of(&campaign.status().unwrap()));
    assert_eq!(lab.get(&format!("{SCREEN}/slots")).json(), of(&campaign.open_slots().unwrap()));
    assert_eq!(lab.get(&format!("{SCREEN}/slots?all=true")).json(), of(&campaign.slots().unwrap()));
    assert_eq!(lab.get(&format!("{SCREEN}/candidates/a")).json(), of(&campaign.candidate("a").unwrap()));
    assert_eq!(lab.get(&format!("{SCREEN}/export")).json(), of(&campaign.export().unwrap()));
    assert_eq!(lab.get(&format!("{SCREEN}/verify")).json(), of(&campaign.verify().unwrap()));
    let sheet =
        campaign.open_slots().unwrap().to_csv(campaign.spec(), campaign.candidates().unwrap()).unwrap();
    assert_eq!(lab.get(&format!("{SCREEN}/slots?format=csv")).body, sheet);
    let events = lab.get(&format!("{SCREEN}/events?after=1&limit=1")).json();
    assert_eq!(
        (events["events"].as_array().unwrap().len(), &events["events"][0]["kind"]),
        (1, &json!("asked"))
    );
}

/// Anything that has a JSON form.
mod erased {
    pub trait Json {
        fn value(&self) -> serde_json::Value;
    }

    impl<T: serde::Serialize> Json for T {
        fn value(&self) -> serde_json::Value {
            serde_json::to_value(self).unwrap()
        }
    }
}

#[test]
fn workers_who_ask_at_once_get_different_slots() {
    let lab = Arc::new(Lab::empty());
    let pool: String = (0..60).map(|k| format!("c{k},{},{}\n", k % 8, k / 8)).collect();
    lab.create("screen", &format!("id,x,y\n{pool}"), OPTIONS).ok();
    let asked: Vec<_> = (0..8)
        .map(|k| {
            let lab = Arc::clone(&lab);
            std::thread::spawn(move || lab.ask(&format!("{{\"batch\":2,\"worker\":\"r{k}\"}}")))
        })
        .collect();
    let slots: Vec<String> = asked.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert_eq!((slots.len(), slots.iter().collect::<HashSet<_>>().len()), (16, 16));
}

#[test]
fn a_token_is_the_worker_and_in_every_event() {
    let (lab, tokens) = Lab::with_tokens(&[
        ("robot 1", &[Scope::Ask, Scope::Tell], &[], None),
        ("Ada", &[Scope::Admin], &[], None),
    ]);
    let send = |token: &str, method: &str, path: &str, body: &str| {
        let bearer = format!("Bearer {token}");
        lab.send(
            method,
            path,
            &[("Authorization", &bearer), ("Content-Type", "application/json")],
            body.as_bytes(),
        )
        .ok()
    };
    let own = slots(&send(&tokens[0], "POST", &format!("{SCREEN}/ask"), "{\"batch\":2}"));
    send(&tokens[0], "POST", &format!("{SCREEN}/tell"), &told(&own[..1]));
    send(&tokens[0], "POST", &format!("{SCREEN}/slots/{}/fail", own[1]), "{}");
    send(
        &tokens[0],
        "POST",
        &format!("{SCREEN}/slots/{}/correct", own[0]),
        r#"{"value":7,"reason":"misread"}"#,
    );
    send(&tokens[0], "POST", &format!("{SCREEN}/release"), r#"{"worker":"robot 1"}"#);
    send(&tokens[1], "POST", &format!("{SCREEN}/forbid"), r#"{"ids":["f"],"reason":"sold out"}"#);
    send(&tokens[1], "POST", &format!("{SCREEN}/allow"), r#"{"ids":["f"],"reason":"found"}"#);
    send(&tokens[1], "POST", &format!("{SCREEN}/change"), r#"{"batch":4,"reason":"larger plates"}"#);
    send(&tokens[1], "POST", &format!("{SCREEN}/earlier"), r#"{"measurements":[["e",3.5]]}"#);
    let log = lab.open("screen").log().unwrap();
    let unsigned: Vec<&str> =
        log[1..].iter().filter(|one| one.event.by().is_none()).map(|one| one.event.kind()).collect();
    assert!(unsigned.iter().all(|kind| matches!(*kind, "decided" | "closed")), "{unsigned:?}");
    let of =
        |kind: &str| log.iter().find(|one| one.event.kind() == kind).unwrap().event.by().map(str::to_owned);
    assert_eq!((of("told").as_deref(), of("barred").as_deref()), (Some("robot 1"), Some("Ada")));
}

#[test]
fn the_same_key_gets_the_same_answer_and_another_request_none() {
    let lab = Lab::new();
    let ask = |key: &str, body: &str| {
        let headers = [("Idempotency-Key", key), ("Content-Type", "application/json")];
        lab.send("POST", &format!("{SCREEN}/ask"), &headers, body.as_bytes())
    };
    let first = ask("k1", "{\"worker\":\"r1\"}").ok();
    lab.post(&format!("{SCREEN}/tell"), &told(&slots(&first))).ok();
    let event = lab.open("screen").head().event;
    assert_eq!(ask("k1", "{\"worker\":\"r1\"}").ok().body, first.body, "after the results, too");
    assert_eq!(lab.open("screen").head().event, event);
    assert_eq!(ask("k1", "{\"worker\":\"r2\"}").json()["code"], "E229");
    assert_ne!(slots(&ask("k2", "{\"worker\":\"r1\"}").ok()), slots(&first));
}

#[test]
fn a_change_for_a_state_that_has_passed_is_refused() {
    let lab = Lab::new();
    let tag = lab.get(SCREEN).ok().header("etag").unwrap().to_owned();
    let known = lab.send("GET", SCREEN, &[("If-None-Match", &tag)], b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    let ask = |tag: &str| lab.send("POST", &format!("{SCREEN}/ask"), &[("If-Match", tag)], b"");
    let asked = ask(&tag).ok();
    let refused = ask(&tag);
    assert_eq!((refused.status, &refused.json()["code"]), (412, &json!("E360")));
    assert_eq!(ask("\"nonsense\"").status, 412);
    assert_eq!(lab.open("screen").head().event, 2, "nothing was written");
    let slots = slots(&asked);
    let tag = lab.get(SCREEN).header("etag").unwrap().to_owned();
    assert_eq!(Some(tag.as_str()), asked.header("etag"));
    // What follows from a change, such as a decision, goes in behind it.
    let headers = [("If-Match", tag.as_str()), ("Content-Type", "application/json")];
    lab.send("POST", &format!("{SCREEN}/tell"), &headers, told(&slots).as_bytes()).ok();
    assert_eq!(lab.get(SCREEN).json()["told"], 3);
}

#[test]
fn refusals_are_problem_documents_with_the_codes_of_the_command_line() {
    let lab = Lab::new();
    let slots = lab.ask("{}");
    lab.post(&format!("{SCREEN}/tell"), &told(&slots)).ok();
    let tell = |body: &str| lab.post(&format!("{SCREEN}/tell"), body);
    let csv = |body: &str| {
        lab.send("POST", &format!("{SCREEN}/tell"), &[("Content-Type", "text/csv")], body.as_bytes())
    };
    let conflict = json!({ "results": [{ "slot": slots[0], "yield": 99 }] }).to_string();
    let cases = [
        (lab.get("/api/v1/campaigns/none"), 404, "E226"),
        (tell(&conflict), 409, "E342"),
        (tell(r#"{"results":[{"slot":"S9999X","yield":1}]}"#), 422, "E337"),
        (csv(&format!("slot,yield\n{},NaN\n", slots[0])), 422, "E312"),
        (csv(&format!("slot,yield\n{},99\n", slots[0])), 409, "E342"),
        (lab.post(&format!("{SCREEN}/forbid"), r#"{"ids":["zz"],"reason":"x"}"#), 400, "E203"),
        (lab.post(&format!("{SCREEN}/forbid"), r#"{"where":"nope > 1","reason":"x"}"#), 400, "E211"),
        (lab.post(&format!("{SCREEN}/forbid"), r#"{"ids":["a"],"reason":" "}"#), 400, "E220"),
        (lab.create("screen", POOL, OPTIONS), 409, "E210"),
        (lab.create("new", "id\na\nb\n", OPTIONS), 422, "E331"),
        (lab.get("/nothing"), 404, "E226"),
        (lab.get(&format!("{SCREEN}/candidates/zz")), 404, "E203"),
        (lab.send("PUT", "/healthz", &[], b""), 405, "E227"),
        (lab.get(&format!("{SCREEN}/candidates?sort=nope")), 400, "E201"),
    ];
    for (reply, status, code) in cases {
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{reply:?}");
        let document = reply.json();
        assert_eq!((reply.status, document["code"].as_str()), (status, Some(code)), "{document}");
        assert_eq!(document["status"], status);
        for field in ["type", "title", "detail"] {
            assert!(document[field].as_str().is_some_and(|text| !text.is_empty()), "{document}");
        }
        let folder = lab.path().display().to_string();
        assert!(!reply.text().contains(&folder), "the folder is nobody's business: {document}");
    }
    assert!(!lab.file("new").exists());
    assert_eq!(lab.get("/api/v1/campaigns").json()["campaigns"].as_array().unwrap().len(), 1);
}

#[test]
fn candidates_are_sorted_filtered_and_paged() {
    let lab = Lab::new();
    let ids = |query: &str| -> (u64, Vec<String>) {
        let list = lab.get(&format!("{SCREEN}/candidates{query}")).ok().json();
        let rows = list["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        (list["total"].as_u64().unwrap(), rows)
    };
    let of = |total, ids: &[&str]| (total, ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(ids(""), of(6, &["a", "b", "c", "d", "e", "f"]));
    assert_eq!(ids("?sort=dose&descending=true&limit=2"), of(6, &["f", "e"]));
    assert_eq!(ids("?sort=base"), of(6, &["b", "d", "f", "a", "c", "e"]));
    assert_eq!(ids("?where=dose%20%3E%202%20and%20base%20%3D%20'KOAc'"), of(2, &["c", "e"]));
    assert_eq!(ids("?offset=4&limit=10"), of(6, &["e", "f"]));
    lab.post(&format!("{SCREEN}/forbid"), r#"{"ids":["c"],"reason":"x"}"#).ok();
    assert_eq!(ids("?state=excluded"), of(1, &["c"]));
    assert_eq!(ids("?state=remaining").0, 5);
}

#[test]
fn a_file_that_takes_the_place_of_another_is_seen() {
    let lab = Lab::new();
    lab.ask("{}");
    let other = Lab::new();
    std::fs::rename(other.file("screen"), lab.file("screen")).unwrap();
    assert_eq!(lab.get(SCREEN).ok().json()["event"], 1);
    std::fs::remove_file(lab.file("screen")).unwrap();
    assert_eq!(lab.get(SCREEN).status, 404);
}
