//! The program as a user runs it: answers, refusals, exit codes.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A directory of its own for each test.
fn directory(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn elfving(test: &str, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let path = directory(test);
    for (name, text) in files {
        fs::write(path.join(name), text).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_elfving")).current_dir(path).args(arguments).output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{error}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A straight line on 0, 0.25, …, 1, with an intercept column.
const LINE: &str = "run,one,x\na,1,0\nb,1,0.25\nc,1,0.5\nd,1,0.75\ne,1,1\n";

#[test]
fn a_line_is_measured_at_its_two_ends() {
    let arguments = [
        "design",
        "line.csv",
        "--id",
        "run",
        "--criterion",
        "g",
        "--gamma",
        "0",
        "--tolerance",
        "1e-9",
        "--json",
    ];
    let output = elfving("line", &[("line.csv", LINE)], &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
    let design = json(&output);
    assert_eq!(design["status"], "certified");
    assert_eq!(design["criterion"], "g");
    assert_eq!(design["n"], 5);
    assert!((design["value"].as_f64().unwrap() - 2.0).abs() < 1e-8);
    assert!(design["relative_gap"].as_f64().unwrap() <= 1e-9);
    assert!(design["lower_bound"].as_f64().unwrap() <= design["value"].as_f64().unwrap());
    let heavy: Vec<&str> = design["support"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["weight"].as_f64().unwrap() > 1e-3)
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    assert_eq!(heavy, ["a", "e"]);
}

#[test]
fn criterion_d_names_its_bound_an_upper_one() {
    let output = elfving(
        "upper",
        &[("line.csv", LINE)],
        &["design", "line.csv", "--id", "run", "--criterion", "d", "--json"],
    );
    let design = json(&output);
    assert!(design["upper_bound"].as_f64().unwrap() >= design["value"].as_f64().unwrap());
    assert!(design.get("lower_bound").is_none());
}

#[test]
fn a_saved_design_is_certified_again_and_a_tampered_one_is_not() {
    let test = "certify";
    let made = elfving(
        test,
        &[("line.csv", LINE)],
        &["design", "line.csv", "--id", "run", "--criterion", "g", "--gamma", "0.1", "--out", "design.json"],
    );
    assert_eq!(made.status.code(), Some(0), "{}", talk(&made));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let saved = fs::read_to_string(path.join("design.json")).unwrap();
    let check = |text: &str| {
        elfving(
            "certify_again",
            &[("line.csv", LINE), ("design.json", text)],
            &["certify", "design.json", "line.csv"],
        )
    };
    let again = check(&saved);
    assert_eq!(again.status.code(), Some(0), "{}", talk(&again));

    let mut tampered: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let weight = tampered["support"][0]["weight"].as_f64().unwrap();
    tampered["support"][0]["weight"] = serde_json::json!(0.8 * weight);
    let refused = check(&tampered.to_string());
    assert_eq!(refused.status.code(), Some(7), "{}", talk(&refused));
}

#[test]
fn threads_do_not_change_the_answer() {
    let run = |threads: &str, test: &str| {
        let arguments =
            ["design", "line.csv", "--id", "run", "--gamma", "0.1", "--json", "--threads", threads];
        let mut design = json(&elfving(test, &[("line.csv", LINE)], &arguments));
        design["seconds"] = serde_json::Value::Null;
        design
    };
    assert_eq!(run("1", "one_thread"), run("2", "two_threads"));
}

#[test]
fn bad_tables_and_bad_options_are_refused_with_their_exit_code() {
    let cases: &[(&str, &str, &[&str], i32, &str)] = &[
        (
            "nan",
            "id,x\na,1\nb,NaN\nc,2\n",
            &["design", "pool.csv", "--id", "id"],
            3,
            "error[E312]: pool.csv:3: column \"x\"",
        ),
        ("twice", "id,x\na,1\na,2\n", &["design", "pool.csv", "--id", "id"], 3, "\"a\""),
        ("empty", "id,x\n", &["design", "pool.csv", "--id", "id"], 3, "error[E"),
        ("gamma", LINE, &["design", "pool.csv", "--id", "run", "--gamma", "-1"], 2, "gamma"),
        ("gamma_nan", LINE, &["design", "pool.csv", "--id", "run", "--gamma", "NaN"], 2, "gamma"),
        ("criterion", LINE, &["design", "pool.csv", "--id", "run", "--criterion", "q"], 2, "criterion"),
        ("missing", LINE, &["design", "other.csv"], 3, "other.csv"),
        (
            "outside",
            "id,x,y\na,1,0\nb,2,0\n",
            &["design", "pool.csv", "--id", "id", "--criterion", "c", "--direction", "0,1", "--gamma", "0"],
            7,
            "gamma",
        ),
    ];
    for (name, table, arguments, code, words) in cases {
        let output = elfving(&format!("refused_{name}"), &[("pool.csv", table)], arguments);
        assert_eq!(output.status.code(), Some(*code), "{name}: {}", talk(&output));
        assert!(talk(&output).contains(words), "{name}: {}", talk(&output));
        assert!(output.stdout.is_empty(), "{name}: nothing on the standard output");
    }
}

#[test]
fn one_candidate_is_the_answer() {
    let output =
        elfving("single", &[("pool.csv", "id,x\nonly,3\n")], &["design", "pool.csv", "--id", "id", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
    assert_eq!(json(&output)["support"], serde_json::json!([{ "id": "only", "weight": 1.0 }]));
}

#[test]
fn a_kernel_pool_is_checked_by_the_exact_kernel() {
    let table: String = (0..60).fold("id,x\n".into(), |text, i| format!("{text}p{i},{}\n", i as f64 / 59.0));
    let arguments = [
        "design",
        "pool.csv",
        "--id",
        "id",
        "--kernel",
        "rbf",
        "--lengthscale",
        "0.1",
        "--gamma",
        "0.01",
        "--json",
    ];
    let output = elfving("kernel", &[("pool.csv", &table)], &arguments);
    let design = json(&output);
    assert_eq!(design["status"], "certified");
    assert_eq!(design["checked_by"], "exact-kernel");
}

#[test]
fn a_picture_is_drawn_in_both_formats() {
    for format in ["svg", "png"] {
        let test = format!("picture_{format}");
        let file = format!("design.{format}");
        let output =
            elfving(&test, &[("line.csv", LINE)], &["design", "line.csv", "--id", "run", "--plot", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
        let drawn = fs::read(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&test).join(&file)).unwrap();
        assert!(drawn.len() > 1000);
        assert!(if format == "svg" { drawn.starts_with(b"<") } else { drawn.starts_with(b"\x89PNG") });
    }
}
