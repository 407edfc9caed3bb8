//! `elfving serve`: the same file as the command line's, tokens, and what is left when the server is killed.

use crate::common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use common::Bench;
use serde_json::{Value, json};

/// Forty candidates and a campaign.
fn lab() -> Bench {
    let rows: String = (0..40).map(|k| format!("c{k},{k},{}\n", ["u", "v"][k % 2])).collect();
    let bench = Bench::new().file("pool.csv", &format!("id,x,kind\n{rows}"));
    bench.json("new screen pool.csv --id id --maximize yield --mode calibrated --batch 40 --json");
    bench
}

/// A server that ends with its test.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(bench: &Bench) -> Self {
        let mut command = bench.command("serve --listen 127.0.0.1:0 --json");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let document: Value = serde_json::from_str(&line).unwrap();
        let address = document["address"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    fn send(&self, method: &str, path: &str, token: Option<&str>, body: &str) -> Option<(u16, String)> {
        send(&self.address, method, path, token, body)
    }

    /// Ends it as a power cut would.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A request and its answer: none where the server went away.
fn send(address: &str, method: &str, path: &str, token: Option<&str>, body: &str) -> Option<(u16, String)> {
    let mut socket = TcpStream::connect(address).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n{token}Content-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// One result, told.
fn tell(address: &str, slot: &str, value: f64) -> Option<(u16, String)> {
    let body = json!({ "results": [{ "slot": slot, "yield": value }] }).to_string();
    send(address, "POST", "/api/v1/campaigns/screen/tell", None, &body)
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_acknowledged_is_there_once_when_the_server_is_killed_amid_tells() {
    let bench = lab();
    let asked = bench.json("ask screen --json");
    let slots: Vec<String> = asked["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["slot"].as_str().unwrap().to_owned())
        .collect();
    let mut acknowledged: BTreeMap<String, f64> = BTreeMap::new();
    // Every slot is told until it is acknowledged; five times the server dies at some moment of it.
    for (part, slots) in slots.chunks(slots.len().div_ceil(5)).enumerate() {
        let server = Running::start(&bench);
        let address = server.address.clone();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(40 + 35 * part as u64));
            server.kill();
        });
        for (k, slot) in slots.iter().enumerate() {
            let value = (100 * part + k) as f64;
            if let Some((200, _)) = tell(&address, slot, value) {
                acknowledged.insert(slot.clone(), value);
            }
        }
        killer.join().unwrap();
        let there = on_record(&bench);
        for (slot, value) in &acknowledged {
            assert_eq!(there.get(slot), Some(value), "{slot} was acknowledged");
        }
        // What was not acknowledged may be there or not; told again, it is there once.
        let server = Running::start(&bench);
        for (k, slot) in slots.iter().enumerate() {
            let value = (100 * part + k) as f64;
            let (status, answer) = tell(&server.address, slot, value).unwrap();
            assert_eq!(status, 200, "{answer}");
            acknowledged.insert(slot.clone(), value);
        }
    }
    assert_eq!(on_record(&bench), acknowledged);
    let log = bench.json("log screen --json");
    let told = log["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "told");
    let times: usize = told.map(|event| event["body"]["results"].as_array().unwrap().len()).sum();
    assert_eq!(times, slots.len(), "every result is counted once");
    assert_eq!(bench.json("verify screen --json")["differing"], json!([]));
}

/// The outcomes of the campaign, as the command line sees them.
fn on_record(bench: &Bench) -> BTreeMap<String, f64> {
    let exported = bench.json("export screen --json");
    let slots = exported["slots"].as_array().unwrap().clone();
    let told =
        slots.iter().filter_map(|slot| Some((slot["slot"].as_str()?.to_owned(), slot["reading"].as_f64()?)));
    told.collect()
}

#[test]
fn a_token_is_shown_once_and_opens_the_door_until_it_is_revoked() {
    let bench = lab();
    let server = Running::start(&bench);
    assert_eq!(server.send("GET", "/api/v1/campaigns/screen", None, "").unwrap().0, 200);
    let made = bench.json("serve token new robot1 --scope ask,tell --campaign screen --expires 2d --json");
    let token = made["token"].as_str().unwrap();
    assert_eq!(
        (&made["scopes"], &made["campaigns"], &made["valid"]),
        (&json!(["ask", "tell"]), &json!(["screen"]), &json!(true))
    );
    let status =
        |token| server.send("POST", "/api/v1/campaigns/screen/ask", token, "{\"batch\":1}").unwrap().0;
    assert_eq!((status(None), status(Some(token)), status(Some("elfving_0_0"))), (401, 200, 401));
    let asked = bench.json("log screen --last 1 --json");
    assert_eq!(
        (&asked["events"][0]["body"]["by"], &asked["events"][0]["body"]["worker"]),
        (&json!("robot1"), &json!("robot1"))
    );
    let listed = bench.run("serve token list");
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("robot1") && listed.contains("valid") && !listed.contains(&token[25..]),
        "{listed}"
    );
    assert_eq!(bench.json("serve token revoke robot1 --json")["revoked"], 1);
    assert_eq!(status(Some(token)), 401);
    assert_eq!(bench.json("serve token list --json")["tokens"][0]["valid"], false);
}

#[test]
fn what_cannot_be_served_is_said() {
    let bench = lab();
    for (arguments, code, words) in [
        ("serve --dir nowhere", 2, "not a folder"),
        ("serve --listen 0.0.0.0:0", 2, "there is no valid token"),
        ("serve --listen nonsense", 2, "nonsense"),
        ("serve token new x --scope write", 2, "write"),
        ("serve token new x --scope read --expires 3w", 2, "90d or 12h"),
        ("serve token new x --scope read --campaign ../y", 2, "names no campaign"),
        ("serve token revoke x", 2, "there is no token"),
    ] {
        let output = bench.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
    let list = bench.run("serve token list --format table");
    assert!(String::from_utf8_lossy(&list.stdout).contains("for this computer alone"));
}
