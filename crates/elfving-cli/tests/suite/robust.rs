//! What the program does when its surroundings fail it: streams that cannot be written, signals, slips of the finger.

use crate::common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::Bench;

const POOL: &str = "id,dose\na,0\nb,1\nc,2\nd,3\n";
const NEW: &str = "new screen pool.csv --id id --maximize y --mode calibrated --batch 3";

/// A campaign whose first batch is in batch.csv, outcomes filled in.
fn asked() -> Bench {
    let bench = Bench::new().file("pool.csv", POOL);
    assert_eq!(bench.run(NEW).status.code(), Some(0));
    let output = bench.run("ask screen --out batch.csv --quiet");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    fill_in(&bench, "batch.csv", |k| format!("0.{}", k + 1));
    bench
}

fn fill_in(bench: &Bench, name: &str, outcome: impl Fn(usize) -> String) {
    let sheet = bench.text(name);
    let mut lines = sheet.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let (slot, id) =
        (header.iter().position(|&c| c == "slot").unwrap(), header.iter().position(|&c| c == "id").unwrap());
    let mut told = String::from("slot,id,y\n");
    for (k, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        told.push_str(&format!("{},{},{}\n", cells[slot], cells[id], outcome(k)));
    }
    std::fs::write(bench.path(name), told).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn with_stdin(mut command: Command, bytes: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
mod streams {
    use super::*;

    fn full() -> Stdio {
        std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into()
    }

    #[test]
    fn an_unwritable_stderr_changes_neither_the_work_nor_the_exit_code() {
        // Two candidates with the same features: a warning on stderr.
        let bench = Bench::new()
            .file("pool.csv", "id,dose\na,0\nb,1\nc,1\n")
            .file("bad.csv", "id,dose\na,x\nb,1\nc,2\n");
        let ran = |arguments: &str| bench.command(arguments).stderr(full()).output().unwrap();
        assert_eq!(ran("design pool.csv --id id --gamma 0.1").status.code(), Some(0));
        assert_eq!(ran("design bad.csv --id id").status.code(), Some(3));
        assert_eq!(ran("design --nonsense").status.code(), Some(2));
        assert_eq!(ran("").status.code(), Some(2));
        assert_eq!(ran(NEW).status.code(), Some(0));
        let batch = ran("ask screen");
        assert_eq!(batch.status.code(), Some(0));
        assert!(String::from_utf8(batch.stdout).unwrap().starts_with("slot,id,"));
        // A pipe that nobody reads.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = bench.command("design pool.csv --id id --gamma 0.1").stderr(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
    }

    #[test]
    fn after_a_commit_an_unwritable_stdout_says_what_is_on_record() {
        let bench = Bench::new().file("pool.csv", POOL);
        let ran = |arguments: &str| bench.command(arguments).stdout(full()).output().unwrap();
        let is_on_record = |output: &Output, words: &str| {
            let said = said(output);
            assert_eq!(output.status.code(), Some(5), "{said}");
            assert!(said.contains("error[E501]: stdout: cannot be written"), "{said}");
            assert!(said.contains(words) && !said.contains("nothing was written"), "{said}");
        };
        is_on_record(&ran(NEW), "the campaign is on record (campaign at event 1)");
        is_on_record(
            &ran("ask screen"),
            "the batch is on record; `elfving ask` prints it again (campaign at event 2)",
        );
        assert_eq!(bench.run("ask screen --out batch.csv").status.code(), Some(0));
        fill_in(&bench, "batch.csv", |k| format!("0.{k}"));
        is_on_record(&ran("tell screen batch.csv"), "the results are on record (campaign at event ");
        let output = ran("tell screen batch.csv --json");
        let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert!(error["error"]["record"].as_str().unwrap().starts_with("the results are on record"));
        assert_eq!(bench.json("tell screen batch.csv --json")["repeated"], 3);
        is_on_record(
            &ran("correct screen S0001C 0.7 --reason why"),
            "the correction is on record (campaign at event ",
        );
    }

    /// A library that lets every confirmation of a folder fail, and only that.
    const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
static int fails(int fd) {
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) { errno = EIO; return 1; }
    return 0;
}
int fsync(int fd) {
    if (fails(fd)) return -1;
    return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd);
}
int fdatasync(int fd) {
    if (fails(fd)) return -1;
    return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
"#;

    #[test]
    fn a_disk_that_does_not_confirm_a_commit_is_reported_as_that() {
        let bench = asked().file("shim.c", SHIM);
        let built = Command::new("cc")
            .current_dir(bench.path(""))
            .args(["-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"])
            .status();
        assert!(built.unwrap().success(), "the C compiler that builds SQLite builds this, too");
        let output =
            bench.command("tell screen batch.csv").env("LD_PRELOAD", bench.path("shim.so")).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains("error[E502]") && said.contains("the disk has not confirmed it"), "{said}");
        assert!(
            said.contains("it is on record (campaign at event 3)") && !said.contains("nothing was written"),
            "{said}"
        );
        assert_eq!(bench.json("tell screen batch.csv --json")["repeated"], 3);
    }
}

#[test]
fn a_negative_value_is_a_value_in_every_notation() {
    let bench = asked();
    assert_eq!(bench.run("tell screen batch.csv").status.code(), Some(0));
    for (value, read) in
        [("-1.5e-3", "-0.0015"), ("-0.5", "-0.5"), ("-.25", "-0.25"), ("'-0.5;-0.6'", "-0.5; -0.6")]
    {
        let output = bench.run(&format!("correct screen S0001C {value} --reason why"));
        assert_eq!(output.status.code(), Some(0), "{value}: {}", said(&output));
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(
            shown.starts_with(&format!("slot S0001C corrected to {} (", value.trim_matches('\''))),
            "{shown}"
        );
        let log = String::from_utf8(bench.run("log screen").stdout).unwrap();
        assert!(log.contains(&format!("to {read} (why)")), "{log}");
    }
    let output = bench.run("correct --reason why S0001C -2e-3");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // An option is still an option.
    assert_eq!(bench.run("correct screen S0001C -x --reason why").status.code(), Some(2));
}

#[test]
fn a_reason_is_not_empty() {
    let bench = asked();
    bench.run("tell screen batch.csv");
    for command in ["correct screen S0001C 1 --reason ' '", "tell screen batch.csv --correct --reason ''"] {
        let output = bench.run(command);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("error[E201]: --reason is empty"), "{}", said(&output));
    }
}

#[test]
fn a_direction_and_a_fixed_clock_are_checked_before_anything_else() {
    let bench = Bench::new().file("pool.csv", "id,x,y\na,0,1\nb,1,0\nc,1,1\n");
    let output = bench.run("design pool.csv --id id --criterion c --direction 0,nan");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("error[E201]: --direction"), "{}", said(&output));
    for bad in ["yesterday", "-1", "", "1e9", "99999999999999"] {
        let output = bench
            .command("new s pool.csv --id id --maximize z --mode calibrated")
            .env("SOURCE_DATE_EPOCH", bad)
            .output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad:?}: {}", said(&output));
        assert!(said(&output).contains("SOURCE_DATE_EPOCH"), "{}", said(&output));
    }
    let output = bench.command("design pool.csv --id id").env("SOURCE_DATE_EPOCH", "0").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_name_with_dots_and_a_folder_of_the_same_name_are_no_obstacle() {
    let bench = Bench::new().file("pool.csv", POOL);
    for name in ["screen.v2", "plate"] {
        let output = bench.run(&NEW.replace("screen", name));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(bench.path(&format!("{name}.elfving")).is_file());
    }
    std::fs::create_dir(bench.path("plate")).unwrap();
    std::fs::create_dir(bench.path("empty")).unwrap();
    for name in ["screen.v2", "screen.v2.elfving", "plate", "plate/", "plate.elfving"] {
        let output = bench.run(&format!("status {name}"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
    }
    let output = bench.run("tell screen.v2 --close");
    assert!(
        said(&output).contains("no round is under way") || output.status.code() == Some(0),
        "{}",
        said(&output)
    );
    let output = bench.run("status empty");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("empty: cannot be read"), "{}", said(&output));
}

#[test]
fn absurd_numbers_are_refused_at_once() {
    let bench = Bench::with_examples();
    let pool = "line.csv --id id";
    bench.json(&format!("design {pool} --polynomial-model 1 --out design.json --json"));
    for (command, option) in [
        (format!("new a {pool} --maximize y --mode calibrated --batch 18446744073709551615"), "--batch"),
        (format!("new a {pool} --maximize y --mode calibrated --batch 10000001"), "--batch"),
        (format!("new a {pool} --maximize y --mode calibrated --budget 10000001"), "--budget"),
        ("ask a --batch 1000000000".to_owned(), "--batch"),
        (
            format!("simulate {pool} --maximize 'dose (mg)' --algorithm random --budget 1000000000"),
            "--budget",
        ),
        (
            format!(
                "simulate {pool} --maximize 'dose (mg)' --algorithm random --budget 9 --batch 1000000000"
            ),
            "--batch",
        ),
        (format!("plan {pool} --epsilon 0.1 --sigma 1 --bound 1 --budget 1000000000"), "--budget"),
        ("round line.csv --design design.json --budget 1000000000 --method greedy".to_owned(), "--budget"),
        (format!("design {pool} --threads 10000"), "--threads"),
    ] {
        let output = bench.run(&command);
        assert_eq!(output.status.code(), Some(2), "{command}: {}", said(&output));
        let said = said(&output);
        assert!(said.contains("error[E201]") && said.contains(option) && said.contains("at most"), "{said}");
    }
}

#[test]
fn earlier_measurements_are_checked_as_a_whole_and_all_of_them_are_accounted_for() {
    let bench = Bench::new()
        .file("pool.csv", POOL)
        .file("bad.csv", "id,y\na,oops\nz,0.2\nb,NaN\n")
        .file("done.csv", "id,y\na,0.1\nd,0.2\nd,0.3\nb,0.4\n");
    let output = bench.run(&format!("{NEW} --measured bad.csv"));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3));
    for problem in ["bad.csv:2: column \"y\"", "bad.csv:3: column \"id\"", "bad.csv:4: column \"y\""] {
        assert!(text.contains(problem), "{problem} in {text}");
    }
    let output = bench.run(&format!("{NEW} --measured done.csv --forbid d"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        said(&output).contains("2 measurements of forbidden candidates left out: d"),
        "{}",
        said(&output)
    );
    assert!(String::from_utf8(output.stdout).unwrap().contains("2 measurements made before"));
}

#[test]
fn what_is_forced_fits_the_budget_and_is_not_forbidden() {
    let bench = Bench::new().file("pool.csv", POOL);
    let refused = |options: &str| {
        let output = bench.run(&format!("{NEW} {options}"));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    assert!(refused("--force a,b,c --budget 2").contains("3 candidates are forced, and the budget is 2"));
    assert!(refused("--force a,b --forbid b").contains("candidate \"b\" is both forced and forbidden"));
}

#[test]
fn a_minus_sign_is_stdin_wherever_a_table_is_read() {
    let bench = asked();
    let batch = bench.text("batch.csv");
    let ran = |arguments: &str, bytes: &[u8]| with_stdin(bench.command(arguments), bytes);
    let output = ran("tell screen -", batch.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("stdin: 3 lines read: 3 recorded"));
    let from_file = bench.run("design pool.csv --id id --format csv").stdout;
    let output = ran("design - --id id --format csv", POOL.as_bytes());
    assert_eq!(
        (output.status.code(), output.stdout),
        (Some(0), from_file),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for command in [
        "new other - --id id --maximize y --mode calibrated",
        "diagnose - --id id",
        "new third pool.csv --id id --maximize y --mode calibrated --forbid -",
    ] {
        let bytes = if command.contains("--forbid") { "id\nd\n" } else { POOL };
        let output = ran(command, bytes.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{command}: {}", said(&output));
    }
    let output = ran("design - --id id", b"id,dose\na,NaN\nb,1\n");
    assert!(said(&output).contains("error[E312]: stdin:2: column \"dose\""), "{}", said(&output));
    let output = ran("design - --targets - --id id", POOL.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("error[E202]: - is stdin"), "{}", said(&output));
    let output = ran("design -", b"\x93NUMPY\x01\0");
    assert!(said(&output).contains("stdin.npy"), "{}", said(&output));
}

#[test]
fn what_spreadsheets_do_to_a_sheet_is_understood() {
    let bench = asked();
    let batch = bench.text("batch.csv");
    let mut lines = batch.lines();
    lines.next();
    let mut sheet = String::from("slot,id,y,,\n");
    lines.for_each(|line| sheet.push_str(&format!("'{line},,\n")));
    std::fs::write(bench.path("excel.csv"), sheet).unwrap();
    assert_eq!(bench.json("tell screen excel.csv --json")["recorded"], 3);
    let bench = bench
        .file("note.csv", "slot,id,y,\nS0001C,a,0.1,really\n")
        .file("percent.csv", "slot,y\nS0001C,85 %\n");
    let output = bench.run("tell screen note.csv");
    assert!(
        said(&output).contains("error[E320]: note.csv:1: column 4 of 4 has no name"),
        "{}",
        said(&output)
    );
    let output = bench.run("tell screen percent.csv");
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("help: write the number alone: 85; a unit belongs"), "{}", said(&output));
}

#[test]
fn a_terminal_is_not_given_orders_by_a_table() {
    let bench = Bench::new().file("pool.csv", "id,dose\na\u{1b}[31m,0\nb\u{1b}]0;hi\u{7},1\nc,2\n");
    let output = bench.run("design pool.csv --id id --polynomial-model 1");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(!shown.contains('\u{1b}') && shown.contains("\\u{1b}"), "{shown}");
    // What programs read is as it was.
    let csv =
        String::from_utf8(bench.run("design pool.csv --id id --polynomial-model 1 --format csv").stdout)
            .unwrap();
    assert!(csv.contains('\u{1b}'));
    assert_eq!(
        bench.run("new s pool.csv --id id --maximize y --mode calibrated --quiet").status.code(),
        Some(0)
    );
    let output = bench.run("new t pool.csv --id id --maximize y --mode calibrated --force b\u{1b}");
    assert!(!said(&output).contains('\u{1b}'), "{}", said(&output));
}

#[cfg(unix)]
#[test]
fn a_campaign_that_cannot_be_read_is_called_that() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let bench = asked();
    let mode = |name: &str, mode: u32| {
        std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("screen.elfving", 0o000);
    let mut command = bench.command("status screen");
    if std::fs::File::open(bench.path("screen.elfving")).is_ok() {
        // root reads everything; nobody does not.
        command.uid(65_534);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("error[E301]: screen.elfving: cannot be read"), "{}", said(&output));
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_unfinished_and_has_its_exit_code() {
    use std::time::Duration;
    let mut pool = String::from("id,x,y\n");
    (0..20_000).for_each(|k| pool.push_str(&format!("c{k},{},{}\n", k % 141, k / 141)));
    let bench = Bench::new().file("pool.csv", &pool);
    let mut codes = Vec::new();
    for (k, signal) in ["INT", "TERM"].into_iter().cycle().take(12).enumerate() {
        let mut child = bench
            .command(&format!("new s{k} pool.csv --id id --maximize z --mode calibrated"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + 25 * k as u64));
        Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        codes.push((signal, child.wait().unwrap().code()));
    }
    let expected = |signal: &str| if signal == "INT" { 130 } else { 143 };
    assert!(codes.iter().all(|(signal, code)| [Some(0), Some(expected(signal))].contains(code)), "{codes:?}");
    let left: Vec<String> = std::fs::read_dir(bench.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') || name.ends_with("-journal"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
