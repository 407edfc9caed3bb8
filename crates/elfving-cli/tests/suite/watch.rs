//! `elfving watch`: a command per slot, its failures, its crash, its time limit.

use crate::common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::Bench;

/// Twelve candidates and a campaign; the best is the largest x.
fn lab(options: &str) -> Bench {
    let rows: String = (0..12).map(|k| format!("c{k},{k},{}\n", ["u", "v"][k % 2])).collect();
    let bench = Bench::new().file("pool.csv", &format!("id,x,kind\n{rows}"));
    bench.json(&format!("new screen pool.csv --id id --maximize yield --mode calibrated --json {options}"));
    bench
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The slots of the campaign by their state.
fn slots(bench: &Bench, state: &str) -> usize {
    let exported = bench.json("export screen --json");
    exported["slots"].as_array().unwrap().iter().filter(|slot| slot["state"] == state).count()
}

#[test]
fn a_script_that_fails_for_some_candidates_ends_by_itself() {
    // The row comes on stdin and its names in the environment; a quarter of the candidates never works.
    let script = r#"read row
case "$row" in *"\"slot\":\"$ELFVING_SLOT\",\"id\":\"$ELFVING_ID\""*) ;; *) exit 9 ;; esac
case $ELFVING_ID in
  c3|c6) echo oops >&2; exit 1 ;;
  c9) echo '{"status": "infeasible"}' ;;
esac
x=${row#*\"x\":}; x=${x%%[,\}]*}
echo "working on $ELFVING_ID"
echo "{\"yield\": $x}"
"#;
    let script = script.replace(
        "c9) echo '{\"status\": \"infeasible\"}' ;;",
        "c9) echo '{\"status\": \"infeasible\"}'; exit 0 ;;",
    );
    let bench = lab("--budget 40 --batch 6").file("measure.sh", &script);
    let output = bench.run("watch screen --jobs 2 -- sh measure.sh");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(": the budget of 40 measurements is spent\nNext: elfving status screen"), "{text}");
    let status = bench.json("status screen --json");
    let aside: Vec<&str> =
        status["set_aside"].as_array().unwrap().iter().map(|aside| aside["id"].as_str().unwrap()).collect();
    assert!(aside.iter().all(|id| ["c3", "c6", "c9"].contains(id)), "{aside:?}");
    assert_eq!(status["picks"][0], "c11", "{}", said(&output));
    assert_eq!(status["open"], 0);
    // One line per result, with what it was.
    let lines = said(&output);
    assert!(lines.lines().any(|line| line.contains("c11: yield 11")), "{lines}");
    assert!(lines.lines().any(|line| line.contains("failed (exit code 1)")), "{lines}");
    assert!(lines.contains("infeasible; infeasible now, not asked again"), "{lines}");
    assert_eq!(bench.run("verify screen").status.code(), Some(0));
}

#[test]
fn what_a_killed_watch_left_open_comes_again() {
    let bench = lab("--budget 6 --batch 3").file("measure.sh", "test -e go || exec sleep 60\necho 1\n");
    let mut watch = bench
        .command("watch screen --batch 3 --jobs 2 -- sh measure.sh")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(|| slots(&bench, "open") == 3);
    watch.kill().unwrap();
    watch.wait().unwrap();
    let held = bench.json("status screen --json")["workers"]["watch"].clone();
    assert_eq!(held.as_array().unwrap().len(), 3);
    let bench = bench.file("go", "");
    let output = bench.run("watch screen --batch 3 --once --json -- sh measure.sh");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["told"], &document["failed"]), (&3.into(), &0.into()));
    let told: Vec<String> = bench.json("export screen --json")["slots"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|slot| slot["state"] == "told")
        .map(|slot| slot["slot"].as_str().unwrap().to_owned())
        .collect();
    let held: Vec<&str> = held.as_array().unwrap().iter().map(|slot| slot.as_str().unwrap()).collect();
    assert_eq!(told, held, "the same slots, not others");
}

#[test]
fn a_command_that_takes_too_long_is_ended_and_counts_as_failed() {
    // The child of the shell must end as well: it would hold stdout open for a minute.
    let bench = lab("--budget 4 --batch 2 --tries 1").file("measure.sh", "echo 0.5\nsleep 60\n");
    let begun = Instant::now();
    let output = bench.run("watch screen --once --timeout 0.3 -- sh measure.sh");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert!(said(&output).contains("failed (longer than 0.3 s); infeasible now"), "{}", said(&output));
    assert_eq!(slots(&bench, "told"), 0);
}

#[test]
fn ctrl_c_ends_the_commands_and_gives_their_slots_back() {
    let bench = lab("--budget 6").file("measure.sh", "echo $$ >> pids\nexec sleep 60\n");
    let watch = bench
        .command("watch screen --jobs 2 -- sh measure.sh")
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pids = || std::fs::read_to_string(bench.path("pids")).unwrap_or_default();
    wait_for(|| pids().lines().count() == 2);
    let interrupt =
        std::process::Command::new("kill").args(["-INT", &watch.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = watch.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(said(&output).contains("2 slots given back"), "{}", said(&output));
    for pid in pids().lines() {
        let alive =
            std::process::Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().unwrap();
        assert!(!alive.success(), "{pid} is still there");
    }
    assert!(bench.json("status screen --json").get("workers").is_none(), "nobody has a slot");
}

#[test]
fn a_command_that_never_works_is_not_held_against_the_candidates() {
    let bench = lab("--budget 100").file("measure.sh", "exit 2\n");
    let output = bench.run("watch screen -- sh measure.sh");
    assert_eq!(output.status.code(), Some(8), "{}", said(&output));
    assert!(said(&output).contains("error[E804]: the command failed 10 times and never gave an outcome"));
    let output = bench.run("watch screen -- ./no-such-program");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("error[E212]: \"./no-such-program\" cannot be run: "),
        "{}",
        said(&output)
    );
    assert_eq!(slots(&bench, "told"), 0);
}

/// Waits for something that takes a moment.
fn wait_for(happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_script_ends_when_another_batch_is_not_worth_what_was_stated_and_not_before() {
    let script = "read row\nx=${row#*\\\"x\\\":}; x=${x%%[,\\}]*}\necho $x\n";
    let watched = |options: &str, jobs: &str| {
        let bench = lab(&format!("--budget 48 --batch 6 {options}")).file("measure.sh", script);
        let output = bench.run(&format!("watch screen --json --jobs {jobs} -- sh measure.sh"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let done: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (done["told"].as_u64().unwrap(), done["stopped"].clone(), bench)
    };
    let (told, stopped, bench) = watched("--worth 0.5", "1");
    assert_eq!(stopped, serde_json::json!({"advice": "stop"}));
    assert!((6..48).contains(&told) && told.is_multiple_of(6), "{told}");
    let status = bench.json("status screen --json");
    assert_eq!((&status["next_batch"]["advice"], &status["picks"][0]), (&"stop".into(), &"c11".into()));
    let text = String::from_utf8_lossy(&bench.run("status screen").stdout).into_owned();
    assert!(
        text.contains("Another batch of 6 ") && text.contains("Stop: a batch must be worth 0.5."),
        "{text}"
    );
    assert!(!bench.json("ask screen --json")["rows"].as_array().unwrap().is_empty(), "who asks gets a batch");
    let (told, stopped, _) = watched("", "1");
    assert_eq!(
        (told, stopped["budget"]["measurements"].as_u64()),
        (48, Some(48)),
        "nobody said when it is enough"
    );
    let (told, stopped, bench) = watched("--worth 0.5", "2");
    assert_eq!(stopped, serde_json::json!({"advice": "stop"}));
    assert!((6..48).contains(&told) && slots(&bench, "open") == 0, "what ran is told: {told}");
}
