//! `elfving estimate`: its outputs, what bad results get, and what it promises to scripts.

use crate::common;

use common::Bench;
use insta::assert_snapshot;
use serde_json::Value;

const ESTIMATE: &str = "estimate line.csv --plan plan.json --results results.csv";

/// The mean outcome of a dose, and a little noise without randomness.
fn outcome(dose: f64, run: usize) -> f64 {
    1.0 + 0.8 * dose - 0.06 * dose * dose + 0.15 * (run as f64 * 2.3).sin()
}

/// A parabola on eleven doses, planned and measured: the lab sheet filled in.
fn measured(round: &str) -> Bench {
    let bench = Bench::with_examples();
    bench.json("design line.csv --id id --polynomial-model 2 --out design.json --json");
    let sheet =
        bench.run(&format!("round line.csv --design design.json {round} --shuffle --out plan.json")).stdout;
    let mut filled = String::new();
    for (run, line) in String::from_utf8(sheet).unwrap().lines().enumerate() {
        match line.split(',').nth(2).unwrap().parse::<f64>() {
            Ok(dose) => filled.push_str(&format!("{line}{:.3}\n", outcome(dose, run))),
            Err(_) => filled.push_str(&format!("{line}\n")),
        }
    }
    bench.file("results.csv", &filled)
}

/// Changes one line of the results, the header not counted.
fn changed(bench: Bench, line: usize, change: impl FnOnce(&str) -> String) -> Bench {
    let mut lines: Vec<String> = bench.text("results.csv").lines().map(str::to_owned).collect();
    lines[line] = change(&lines[line]);
    bench.file("results.csv", &(lines.join("\n") + "\n"))
}

fn exit(bench: &Bench, arguments: &str) -> i32 {
    bench.run(arguments).status.code().unwrap()
}

#[test]
fn least_squares_as_a_table() {
    assert_snapshot!(measured("--budget 12").show(&format!("{ESTIMATE} --sigma 0.2 --noise sub-gaussian")));
}

#[test]
fn rips_as_a_table() {
    let bench = measured("--budget 200 --method sample");
    assert_snapshot!(
        bench.show(&format!("{ESTIMATE} --sigma 0.2 --bound 4 --misspecification 0.1 --show 4"))
    );
}

#[test]
fn estimates_as_csv() {
    assert_snapshot!(
        measured("--budget 12").show(&format!("{ESTIMATE} --sigma 0.2 --format csv --sort pool --show 3"))
    );
}

#[test]
fn estimates_as_json() {
    let bench = measured("--budget 200 --method sample");
    assert_snapshot!(
        bench.show(&format!("{ESTIMATE} --sigma 0.2 --bound 4 --estimator ips --json --show 2"))
    );
}

#[test]
fn the_true_means_are_in_the_intervals_of_every_estimator() {
    let chosen = measured("--budget 12");
    let drawn = measured("--budget 300 --method sample");
    for (bench, options) in [
        (&chosen, "--sigma 0.2"),
        (&chosen, "--sigma 0.2 --estimator least-squares --noise sub-gaussian"),
        (&drawn, "--sigma 0.2 --bound 4"),
        (&drawn, "--sigma 0.2 --bound 4 --mean soft-truncated"),
        (&drawn, "--sigma 0.2 --bound 4 --mean median-of-means"),
        (&drawn, "--sigma 0.2 --bound 4 --estimator ips --noise sub-gaussian"),
        (&drawn, "--sigma 0.2 --bound 4 --estimator min-max"),
    ] {
        let answer = bench.json(&format!("{ESTIMATE} {options} --sort pool --json"));
        assert_eq!(answer["guaranteed"], true);
        for (dose, estimate) in answer["estimates"].as_array().unwrap().iter().enumerate() {
            let truth = 1.0 + 0.8 * dose as f64 - 0.06 * (dose * dose) as f64;
            let (lower, upper) = (estimate["lower"].as_f64().unwrap(), estimate["upper"].as_f64().unwrap());
            assert!(lower < truth && truth < upper, "{options}: {estimate} misses {truth}");
        }
    }
}

#[test]
fn the_min_max_fit_is_one_parabola_and_pays_for_it() {
    let drawn = measured("--budget 300 --method sample");
    let column = |options: &str, field: &str| -> Vec<f64> {
        let answer = drawn.json(&format!("{ESTIMATE} --sigma 0.2 --bound 4 {options} --sort pool --json"));
        answer["estimates"].as_array().unwrap().iter().map(|line| line[field].as_f64().unwrap()).collect()
    };
    let third_differences = |y: &[f64]| -> f64 {
        y.windows(4).map(|y| (y[3] - 3.0 * y[2] + 3.0 * y[1] - y[0]).abs()).fold(0.0, f64::max)
    };
    let (robust, fit) = (column("", "estimate"), column("--estimator min-max", "estimate"));
    assert!(third_differences(&robust) > 1e-6 && third_differences(&fit) < 1e-9, "{robust:?} {fit:?}");
    let (narrow, wide) = (column("", "noise_width"), column("--estimator min-max", "noise_width"));
    for i in 0..fit.len() {
        assert!((wide[i] - narrow[i] - (fit[i] - robust[i]).abs()).abs() < 1e-12);
    }
}

#[test]
fn results_are_matched_by_slot_in_any_order_or_by_id_with_repetitions() {
    let bench = measured("--budget 12");
    let want = bench.json(&format!("{ESTIMATE} --sigma 0.2 --json"))["estimates"].clone();
    let sheet = bench.text("results.csv");
    let mut lines: Vec<&str> = sheet.lines().collect();
    lines[1..].reverse();
    let reversed = lines.join("\n");
    let without_slots: Vec<&str> = lines.iter().map(|line| line.split_once(',').unwrap().1).collect();
    let slots_alone: Vec<String> = sheet
        .lines()
        .map(|line| format!("{},{}", &line[..line.find(',').unwrap()], line.rsplit(',').next().unwrap()))
        .collect();
    for results in [reversed, without_slots.join("\n"), slots_alone.join("\n")] {
        let bench = measured("--budget 12").file("results.csv", &results);
        let got = bench.json(&format!("{ESTIMATE} --sigma 0.2 --json"))["estimates"].clone();
        for (got, want) in got.as_array().unwrap().iter().zip(want.as_array().unwrap()) {
            assert_eq!(got["id"], want["id"]);
            let apart = got["estimate"].as_f64().unwrap() - want["estimate"].as_f64().unwrap();
            assert!(apart.abs() < 1e-12, "{got} {want}");
        }
    }
}

#[test]
fn a_wrong_pairing_of_plan_and_estimator() {
    let drawn = measured("--budget 50 --method sample");
    assert_snapshot!(drawn.show(&format!("{ESTIMATE} --sigma 0.2 --estimator least-squares")));
    let chosen = measured("--budget 12");
    assert_snapshot!(chosen.show(&format!("{ESTIMATE} --sigma 0.2 --bound 4 --estimator rips")));
}

#[test]
fn a_missing_outcome_needs_a_decision() {
    let empty = |line: &str| line[..=line.rfind(',').unwrap()].to_owned();
    let bench = changed(changed(measured("--budget 12"), 3, empty), 7, empty);
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2 --no-guarantee --show 1")));
    let answer = bench.json(&format!("{ESTIMATE} --sigma 0.2 --no-guarantee --json"));
    assert_eq!((&answer["guaranteed"], &answer["delta"]), (&Value::Bool(false), &Value::Null));
    assert_eq!((&answer["results"]["recorded"], &answer["results"]["open"]), (&10.into(), &2.into()));
}

#[test]
fn a_failed_run_is_open_and_has_no_outcome() {
    let with_status = |bench: Bench, status: &dyn Fn(usize) -> &'static str| {
        let text = bench.text("results.csv");
        let lines = text
            .lines()
            .enumerate()
            .map(|(k, line)| format!("{line},{}", if k == 0 { "status" } else { status(k) }));
        let text = lines.collect::<Vec<_>>().join("\n");
        bench.file("results.csv", &text)
    };
    let empty = |line: &str| line[..=line.rfind(',').unwrap()].to_owned();
    let failed =
        with_status(changed(measured("--budget 12"), 3, empty), &|k| if k == 3 { "failed" } else { "done" });
    let text = failed.show(&format!("{ESTIMATE} --sigma 0.2"));
    assert!(text.contains("[exit 8]") && text.contains("1 measurement open (1 failed)"), "{text}");
    let contradicted = with_status(measured("--budget 12"), &|k| if k == 3 { "failed" } else { "lost" });
    let text = contradicted.show(&format!("{ESTIMATE} --sigma 0.2"));
    assert!(
        text.contains("[exit 3]") && text.contains("error[E341]: results.csv:4: column \"status\""),
        "{text}"
    );
    assert!(text.contains("\"lost\" is not a status"), "{text}");
}

#[test]
fn slots_that_are_mangled_repeated_or_of_another_candidate() {
    let bench = measured("--budget 12");
    let bench = changed(bench, 2, |line| line.replacen("S0002E", "S0002F", 1));
    let bench = changed(bench, 4, |line| line.replacen("S0004J", "S0001C", 1));
    let bench = changed(bench, 6, |line| {
        let other = if line.contains("L00") { ("L00", "L05") } else { (&line[7..10], "L01") };
        line.replacen(other.0, other.1, 1)
    });
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
}

#[test]
fn outcomes_that_are_no_numbers_and_candidates_that_are_not_there() {
    let last =
        |value: &'static str| move |line: &str| format!("{}{value}", &line[..=line.rfind(',').unwrap()]);
    let bench = changed(changed(measured("--budget 12"), 3, last("NaN")), 5, last("1e999"));
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
    let bench = measured("--budget 12").file("results.csv", "id,outcome\nL00,1\nL0O,2\n");
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
    let more = "id,outcome\nL05,1\nL05,1\nL05,1\nL05,1\nL05,1\nL01,1\n";
    let bench = measured("--budget 12").file("results.csv", more);
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
    assert_eq!(exit(&bench, &format!("{ESTIMATE} --sigma 0.2 --outcome yield")), 3);
}

#[test]
fn options_are_checked_before_any_file_is_read() {
    let bench = Bench::new();
    for (options, code) in [
        ("", 2),
        ("--sigma -1", 2),
        ("--sigma nan", 2),
        ("--sigma 0.1 --bound 0", 2),
        ("--sigma 0.1 --norm -1", 2),
        ("--sigma 0.1 --misspecification inf", 2),
        ("--sigma 0.1 --delta 1", 2),
        ("--sigma 0.1 --out estimates.txt", 2),
        ("--sigma 0.1", 3),
    ] {
        assert_eq!(exit(&bench, &format!("{ESTIMATE} {options}")), code, "{options}");
    }
}

#[test]
fn what_the_theorem_needs_is_asked_for() {
    let bench = measured("--budget 10 --method sample");
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2")));
    assert_snapshot!(bench.show(&format!("{ESTIMATE} --sigma 0.2 --bound 4")));
    assert_eq!(exit(&bench, &format!("{ESTIMATE} --sigma 0.2 --bound 4 --mean soft-truncated")), 0);
}

#[test]
fn the_noise_of_each_candidate_may_be_a_column_of_the_pool() {
    let bench = Bench::new().file("pool.csv", "id,dose,sd,note\na,0,0.1,x\nb,1,0.2,y\nc,2,0.4,z\n");
    bench.json("design pool.csv --id id --features dose --polynomial-model 1 --out design.json --json");
    bench.json("round pool.csv --design design.json --budget 4 --out plan.json --json");
    let bench = bench.file("results.csv", "id,outcome\na,1\na,1\nc,3\nc,3\n");
    let run = "estimate pool.csv --plan plan.json --results results.csv";
    let answer = bench.json(&format!("{run} --sigma sd --sort pool --json"));
    let width = |k: usize| answer["estimates"][k]["noise_width"].as_f64().unwrap();
    // Two repetitions each: the widths at the ends are in proportion to their own noise.
    assert!((width(2) / width(0) - 4.0).abs() < 1e-9, "{answer}");
    assert_eq!(answer["assumptions"][1]["varies"], true);
    assert_eq!(exit(&bench, &format!("{run} --sigma note")), 3);
    assert_eq!(exit(&bench, &format!("{run} --sigma sdd")), 2);
}

#[test]
fn a_plan_of_another_pool_and_a_file_that_is_no_plan() {
    let bench = measured("--budget 12");
    let other = bench.text("line.csv").replace("L05", "X05");
    let bench = bench.file("other.csv", &other).file("broken.json", "{}");
    let show =
        |arguments: &str| bench.show(&format!("estimate {arguments} --results results.csv --sigma 0.2"));
    let text = show("other.csv --plan plan.json");
    assert!(text.contains("[exit 3]") && text.contains("E355"), "{text}");
    let text = show("line.csv --plan broken.json");
    assert!(
        text.contains("[exit 3]") && text.contains("error[E356]: broken.json: this is not a plan"),
        "{text}"
    );
    let text = show("line.csv --plan nowhere.json");
    assert!(text.contains("[exit 3]") && text.contains("E351"), "{text}");
}

#[test]
fn files_hold_all_estimates_and_the_picture_all_names() {
    let bench = measured("--budget 12");
    let run =
        bench.run(&format!("{ESTIMATE} --sigma 0.2 --show 2 --out estimates.json --plot estimates.svg"));
    assert_eq!(run.status.code(), Some(0));
    let filed: Value = serde_json::from_str(&bench.text("estimates.json")).unwrap();
    assert_eq!(filed["estimates"].as_array().unwrap().len(), 11);
    let picture = bench.text("estimates.svg");
    assert!((0..11).all(|k| picture.contains(&format!("L{k:02}"))));
    bench.run(&format!("{ESTIMATE} --sigma 0.2 --out estimates.csv"));
    assert_eq!(bench.text("estimates.csv").lines().count(), 12);
}

#[test]
fn the_number_of_threads_does_not_change_the_estimates() {
    let bench = measured("--budget 200 --method sample");
    let with = |threads: usize| {
        bench.json(&format!("{ESTIMATE} --sigma 0.2 --bound 4 --json --threads {threads}"))["estimates"]
            .clone()
    };
    assert_eq!(with(1), with(3));
}
