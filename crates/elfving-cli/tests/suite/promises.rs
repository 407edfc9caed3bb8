//! What scripts and auditors rely on.

use crate::common;

use common::Bench;
use serde_json::Value;

/// The paper's pool: 501 points (i/500)².
fn rbf_pool(points: usize) -> String {
    let last = (points - 1) as f64;
    let rows: String = (0..points).map(|i| format!("p{i},{}\n", (i as f64 / last).powi(2))).collect();
    format!("id,x\n{rows}")
}

/// Changes a design file.
fn edit(bench: &Bench, change: impl FnOnce(&mut Value)) {
    let mut design: Value = serde_json::from_str(&bench.text("design.json")).unwrap();
    change(&mut design);
    std::fs::write(bench.path("edited.json"), design.to_string()).unwrap();
}

fn exit_of(bench: &Bench, arguments: &str) -> i32 {
    bench.run(arguments).status.code().unwrap()
}

#[test]
fn the_json_of_a_design_has_the_promised_fields() {
    let bench = Bench::with_examples();
    let design = bench.json("design grid.csv --id id --polynomial-model 1 --gamma 0.01 --criterion g --json");
    for (field, is_right) in [
        ("criterion", design["criterion"] == "g"),
        ("gamma", design["gamma"] == 0.01),
        ("n", design["n"] == 25),
        ("dimension", design["dimension"] == 3),
        ("value", design["value"].as_f64() >= design["lower_bound"].as_f64()),
        ("relative_gap", design["relative_gap"].as_f64().unwrap() <= 1e-6),
        ("status", design["status"] == "certified"),
        ("iterations", design["iterations"].is_u64()),
        ("seconds", design["seconds"].as_f64().unwrap() >= 0.0),
        ("feature_names", design["feature_names"] == serde_json::json!(["1", "temperature (C)", "pH"])),
        ("pool", design["pool"] == "grid.csv"),
    ] {
        assert!(is_right, "{field}: {design}");
    }
    let total: f64 =
        design["support"].as_array().unwrap().iter().map(|s| s["weight"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-12);
}

#[test]
fn every_criterion_is_certified_from_its_file_alone() {
    let bench = Bench::with_examples();
    for question in [
        "--criterion g",
        "--criterion g --gamma 0.1",
        "--criterion xy",
        "--criterion d",
        "--criterion a",
        "--criterion v --gamma 0.01",
        "--criterion c --direction 0,1,0",
        "--criterion c --target-id G12 --gamma 0.1",
    ] {
        bench.json(&format!(
            "design grid.csv --id id --polynomial-model 1 {question} --out design.json --json"
        ));
        let verdict = bench.json("certify design.json grid.csv --json");
        assert_eq!(verdict["certified"], true, "{question}: {verdict}");
    }
}

/// Two levels, -1 and 1, of `factors` factors; with products of two where `interactions` are asked for.
fn factorial(factors: usize, interactions: bool) -> String {
    let level = |run: usize, k: usize| if run >> k & 1 == 1 { 1 } else { -1 };
    let mut columns: Vec<Vec<usize>> = (0..factors).map(|k| vec![k]).collect();
    if interactions {
        columns.extend((0..factors).flat_map(|k| (0..k).map(move |j| vec![j, k])));
    }
    let name = |column: &Vec<usize>| column.iter().map(|k| format!("f{k}")).collect::<String>();
    let header: Vec<String> = columns.iter().map(name).collect();
    let rows = (0..1 << factors).map(|run| {
        let value = |column: &Vec<usize>| column.iter().map(|&k| level(run, k)).product::<i32>().to_string();
        format!("r{run},{}\n", columns.iter().map(value).collect::<Vec<_>>().join(","))
    });
    format!("id,{}\n{}", header.join(","), rows.collect::<String>())
}

#[test]
fn two_level_factorials_are_certified_by_design_and_by_certify() {
    for (factors, interactions) in (2..=5).flat_map(|k| [(k, false), (k, true)]) {
        let bench = Bench::new().file("factorial.csv", &factorial(factors, interactions));
        let design = bench
            .json("design factorial.csv --id id --polynomial-model 1 --criterion d --out design.json --json");
        let what = format!("2^{factors}, interactions {interactions}: {design}");
        assert_eq!(design["status"], "certified", "{what}");
        assert!(design["relative_gap"].as_f64().unwrap() <= design["tolerance"].as_f64().unwrap(), "{what}");
        assert!(design["value"].as_f64().unwrap().abs() < 1e-5, "the log determinant is 0: {what}");
        let verdict = bench.json("certify design.json factorial.csv --json");
        assert_eq!(verdict["certified"], true, "{verdict}");
        assert_eq!(verdict["relative_gap"], design["relative_gap"], "{verdict}");
        let words = bench.show("certify design.json factorial.csv");
        assert!(words.contains("Certified: this design has a D-efficiency of at least 1 - "), "{words}");
    }
}

#[test]
fn kernels_encodings_targets_and_matrices_are_rebuilt_from_the_file() {
    let bench = Bench::with_examples().file("gram.csv", "a,b,c\n1,0.5,0.2\n0.5,1,0.5\n0.2,0.5,1\n");
    for (pool, options, files) in [
        ("grid.csv", "--kernel rbf --standardize --gamma 0.1", ""),
        ("grid.csv", "--kernel matern32 --lengthscale 10,1 --gamma 0.01 --criterion xy", ""),
        ("grid.csv", "--kernel rational-quadratic --alpha 0.5 --standardize --gamma 0.1 --criterion v", ""),
        ("grid.csv", "--kernel polynomial --standardize --gamma 0.01", ""),
        ("line.csv", "--kernel periodic --period 5 --gamma 0.1", ""),
        ("reactions.csv", "--one-hot --outcome 'yield (%)'", ""),
        ("grid.csv", "--log pH=2 --standardize --polynomial-model 2 --interactions-only", ""),
        ("grid.csv", "--polynomial-model 1 --criterion xy", "--targets orderable.csv"),
        ("grid.csv", "--kernel rbf --standardize --gamma 0.01", "--targets orderable.csv"),
        ("", "--gamma 0.1", "--gram gram.csv"),
    ] {
        let id = if pool.is_empty() { "" } else { "--id id" };
        bench.json(&format!("design {pool} {id} {options} {files} --out design.json --json -q"));
        let verdict = bench.json(&format!("certify design.json {pool} {files} --json -q"));
        assert_eq!(verdict["certified"], true, "{options}: {verdict}");
    }
    assert_eq!(exit_of(&bench, "certify design.json"), 2);
}

#[test]
fn a_tampered_design_is_not_certified() {
    let bench = Bench::with_examples();
    bench.json("design grid.csv --id id --polynomial-model 2 --out design.json --json");
    assert_eq!(exit_of(&bench, "certify design.json grid.csv"), 0);
    edit(&bench, |design| {
        let weight = design["support"][0]["weight"].as_f64().unwrap();
        design["support"][0]["weight"] = (weight * 1.2).into();
    });
    let verdict = bench.run("certify edited.json grid.csv --json");
    assert_eq!(verdict.status.code(), Some(7));
    let verdict: Value = serde_json::from_slice(&verdict.stdout).unwrap();
    assert_eq!((&verdict["agrees"], &verdict["certified"]), (&Value::Bool(false), &Value::Bool(false)));

    // Moved from one candidate to another, so that the sum stays.
    edit(&bench, |design| {
        let support = design["support"].as_array_mut().unwrap();
        support.sort_by(|a, b| b["weight"].as_f64().unwrap().total_cmp(&a["weight"].as_f64().unwrap()));
        for (k, change) in [(0, 0.01), (1, -0.01)] {
            let weight = support[k]["weight"].as_f64().unwrap();
            support[k]["weight"] = (weight + change).into();
        }
    });
    assert_eq!(exit_of(&bench, "certify edited.json grid.csv"), 7);
    edit(&bench, |design| design["value"] = 1.0.into());
    assert_eq!(exit_of(&bench, "certify edited.json grid.csv"), 7);
    edit(&bench, |design| design["lower_bound"] = 7.0.into());
    assert_eq!(exit_of(&bench, "certify edited.json grid.csv"), 7);
    edit(&bench, |design| design["gamma"] = 0.5.into());
    assert_eq!(exit_of(&bench, "certify edited.json grid.csv"), 7);
    edit(&bench, |design| design["support"][0]["weight"] = (-0.1).into());
    assert_eq!(exit_of(&bench, "certify edited.json grid.csv"), 3);
}

#[test]
fn a_design_of_another_pool_is_refused() {
    let bench = Bench::with_examples().file("short.csv", "id,dose (mg)\nL00,0\nL10,10\n");
    bench.json("design line.csv --id id --polynomial-model 1 --out design.json --json");
    assert_eq!(exit_of(&bench, "certify design.json short.csv"), 3);
    assert_eq!(exit_of(&bench, "certify line.csv line.csv"), 3);
    assert_eq!(exit_of(&bench, "certify nowhere.json line.csv"), 3);
    // The same ids, other doses.
    let other = bench.text("line.csv").replace("L05,5", "L05,50");
    let bench = bench.file("other.csv", &other);
    assert_eq!(exit_of(&bench, "certify design.json other.csv"), 7);
}

#[test]
fn the_number_of_threads_does_not_change_the_answer() {
    let bench = Bench::new().file("pool.csv", &rbf_pool(201));
    let answer = |threads: usize| {
        let mut json = bench.json(&format!(
            "design pool.csv --id id --kernel rbf --lengthscale 0.1 --gamma 0.01 --json --threads {threads}"
        ));
        json.as_object_mut().unwrap().remove("seconds");
        json.to_string()
    };
    let one = answer(1);
    assert_eq!(one, answer(2));
    assert_eq!(one, answer(5));
}

#[test]
fn the_papers_kernel_pool_has_the_known_value() {
    let bench = Bench::new().file("pool.csv", &rbf_pool(501));
    let design = bench.json(
        "design pool.csv --id id --kernel rbf --lengthscale 0.025 --gamma 0.005 --tolerance 1e-5 --json",
    );
    let value = design["value"].as_f64().unwrap();
    assert!((value - 27.4911).abs() < 3e-4, "{value}");
    assert_eq!(design["checked_by"], "exact-kernel");
}

#[test]
fn a_saved_design_starts_the_next_one() {
    let bench = Bench::with_examples();
    let command = "design grid.csv --id id --polynomial-model 2 --gamma 0.001 --json";
    let cold = bench.json(&format!("{command} --out design.json"));
    let warm = bench.json(&format!("{command} --warm design.json"));
    let difference = cold["value"].as_f64().unwrap() - warm["value"].as_f64().unwrap();
    assert!(difference.abs() < 1e-6 * cold["value"].as_f64().unwrap());
}

#[test]
fn a_bare_one_hot_does_not_swallow_the_pool() {
    let bench = Bench::with_examples();
    let after = bench.json("design reactions.csv --id id --outcome 'yield (%)' --one-hot --json");
    let before = bench.json("design --id id --outcome 'yield (%)' --json --one-hot reactions.csv");
    let named =
        bench.json("design reactions.csv --id id --outcome 'yield (%)' --one-hot=ligand,solvent --json");
    assert_eq!(after["value"], before["value"]);
    assert_eq!(after["dimension"], 8);
    assert_eq!(after["feature_names"], named["feature_names"]);
}

#[test]
fn arrays_are_pools_too() {
    let bench = Bench::new();
    let points = elfving::numerics::Matrix::from_fn(6, 2, |i, k| if k == 0 { 1.0 } else { i as f64 });
    let file = std::fs::File::create(bench.path("pool.npy")).unwrap();
    elfving_table::write_npy(file, &points).unwrap();
    let design = bench.json("design pool.npy --json -q");
    let ids: Vec<&str> =
        design["support"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["0", "5"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130_and_writes_nothing() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let bench = Bench::new();
    let pipe = bench.path("pool.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = bench.command("design pool.csv --id id --out design.json");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Opens only once the program reads, which it does after it has set up its handler.
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    writer.write_all(b"id,dose\na,1\n").unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!bench.path("design.json").exists());
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let bench = Bench::with_examples();
    let mut child =
        bench.command("design grid.csv --id id --format csv").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let full = Command::new("sh").args(["-c", "test -e /dev/full"]).status().unwrap().success();
    if full {
        let mut command = bench.command("design grid.csv --id id");
        let status = command.stdout(std::fs::File::create("/dev/full").unwrap()).status().unwrap();
        assert_eq!(status.code(), Some(5));
    }
}

/// A pipe can be read once: a second reading of the pool would wait for ever.
#[cfg(unix)]
#[test]
fn new_reads_its_pool_once() {
    let folder = tempfile::tempdir().unwrap();
    let pool = folder.path().join("pool.csv");
    let made = std::process::Command::new("mkfifo").arg(&pool).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let writer = std::thread::spawn({
        let pool = pool.clone();
        move || std::fs::write(pool, "id,x\na,0\nb,1\nc,2\nd,3\n").unwrap()
    });
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_elfving"))
        .current_dir(folder.path())
        .args([
            "new",
            "screen",
            "pool.csv",
            "--id",
            "id",
            "--maximize",
            "yield",
            "--kernel",
            "rbf",
            "--norm",
            "2",
        ])
        .args(["--noise", "sub-gaussian", "--sigma", "0.1", "--epsilon", "0.1", "--quiet"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..600 {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            writer.join().unwrap();
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("elfving new still waits for its pool after 30 s: it reads it more than once");
}
