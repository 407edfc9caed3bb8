//! `elfving simulate` and `elfving reproduce`: their outputs, and what they promise to scripts.

use crate::common;

use common::Bench;
use insta::assert_snapshot;

const CURVE: &str = "simulate curve.csv --id id --maximize response --kernel rbf --lengthscale 0.15";

fn exit(bench: &Bench, arguments: &str) -> i32 {
    bench.run(arguments).status.code().unwrap()
}

/// The table without its last column, the time.
fn without_times(text: &str) -> String {
    let shortened = |line: &str| match line.rsplit_once("  ") {
        Some((before, last)) if line.starts_with("  ") && last.trim().parse::<f64>().is_ok() => {
            format!("{}\n", before.trim_end())
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(shortened).collect()
}

#[test]
fn a_simulation_as_a_table() {
    let bench = Bench::with_examples();
    let regret = bench.show(&format!(
        "{CURVE} --goal regret --algorithm gp-ucb,random --budget 60 --repetitions 4 --bound 1"
    ));
    assert_snapshot!(without_times(&regret));
    let best = format!(
        "{CURVE} --algorithm ellipsoid-best,ptr-best --goal best --epsilon 0.1 --norm 1.1 --bound 1 --budget 400 --batch 10 \
         --repetitions 4"
    );
    assert_snapshot!(without_times(&bench.show(&best)));
}

#[test]
fn a_simulation_as_csv_and_json() {
    let bench = Bench::with_examples();
    let run =
        format!("{CURVE} --goal regret --algorithm gp-ucb --budget 8 --repetitions 2 --bound 1 --quiet");
    assert_snapshot!(bench.show(&format!("{run} --format csv")));
    let json = bench.json(&format!("{run} --json"));
    assert_eq!(json["goal"]["goal"], "regret");
    assert_eq!(
        (json["n"].as_u64(), json["budget"].as_u64(), json["repeats"].as_u64()),
        (Some(51), Some(8), Some(2))
    );
    let one = &json["algorithms"][0];
    assert_eq!(one["algorithm"], "gp-ucb");
    assert_eq!(one["curve"].as_array().unwrap().last().unwrap()["regret"], one["regret"]);
    assert!(one["regret"]["mean"].as_f64().unwrap() > 0.0 && one["samples_to_stop"].is_null());
}

#[test]
fn every_algorithm_runs_on_the_goal_it_is_for() {
    let bench = Bench::with_examples();
    let regret = "rips-regret,ptr-regret,ellipsoid-regret,rips-regret-paper,ptr-regret-paper,gp-ucb,igp-ucb,gp-ts,\
                  kernel-ucb,bpe,reds,random,greedy";
    let best = "rips-best,ptr-best,ellipsoid-best,rips-best-paper,ptr-best-paper,rage";
    let rest = "--norm 1.1 --bound 1 --repetitions 2 --batch 50 --json";
    let run = bench.json(&format!("{CURVE} --goal regret --algorithm {regret} --budget 200 {rest}"));
    assert_eq!(run["algorithms"].as_array().unwrap().len(), 13);
    let run =
        bench.json(&format!("{CURVE} --algorithm {best} --goal best --epsilon 0.5 --budget 2000 {rest}"));
    assert_eq!(run["algorithms"].as_array().unwrap().len(), 6);
    for algorithm in run["algorithms"].as_array().unwrap() {
        assert_eq!(algorithm["wrong"], 0.0, "{algorithm}");
    }
}

/// Six numbers with three categories; the best is `c` at 4.
fn categories(rows: impl Iterator<Item = usize>) -> String {
    let line = |row: usize| {
        let (x, level) = ((row % 6) as f64, row / 6);
        let value = [1.0, 3.0, 5.0][level] - 0.2 * (x - 4.0).powi(2);
        format!("R{row:02},{},{x},{value}\n", ["a", "b", "c"][level])
    };
    format!("id,kind,x,value\n{}", rows.map(line).collect::<String>())
}

#[test]
fn calibrated_algorithms_take_the_columns_as_they_are() {
    let bench = Bench::new()
        .file("pool.csv", &categories(0..18))
        .file("even.csv", &categories((0..18).step_by(2)))
        .file("odd.csv", &categories((0..18).skip(1).step_by(2)));
    let names =
        "calibrated,calibrated-ucb,calibrated-thompson,calibrated-ei,calibrated-xy,calibrated-mixed,random";
    let run = "simulate --id id --truth value --one-hot=kind --goal regret --world-sigma 0.1 --budget 30 --batch 5 --repetitions 3 --json --quiet";
    let json = bench.json(&format!("{run} --pool pool.csv --algorithm {names}"));
    let regret = |k: usize| json["algorithms"][k]["regret"]["mean"].as_f64().unwrap();
    for k in [0, 1, 2, 3] {
        assert!(
            regret(k) < 0.8 * regret(6),
            "{}: {} {}",
            json["algorithms"][k]["algorithm"],
            regret(k),
            regret(6)
        );
    }
    assert_eq!(json["algorithms"][0]["simple_regret"]["mean"], 0.0);
    // Measure these, choose among those.
    let others =
        bench.json(&format!("{run} --pool even.csv --targets odd.csv --algorithm calibrated --epsilon 0.1"));
    assert!(others["algorithms"][0]["simple_regret"]["mean"].as_f64().unwrap() < 0.3);
}

#[test]
fn the_same_seed_gives_the_same_numbers_on_any_number_of_threads() {
    let bench = Bench::with_examples();
    let run = |seed: u64, threads: usize| {
        let output = bench.run(&format!(
            "{CURVE} --goal regret --algorithm rips-regret,gp-ts --budget 400 --repetitions 3 --norm 1.1 --bound 1 --format csv --seed {seed} \
             --threads {threads}"
        ));
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(run(1, 1), run(1, 3));
    assert_ne!(run(1, 1), run(2, 1));
}

#[test]
fn records_are_drawn_from_and_small_can_be_good() {
    let bench = Bench::new()
        .file("pool.csv", "id,x\na,0\nb,1\nc,2\n")
        .file("records.csv", "id,loss\na,3.0\na,3.2\nb,1.0\nb,1.2\nb,0.8\nc,2\n");
    let run = "simulate --pool pool.csv --id id --records records.csv --kernel rbf --lengthscale 1 \
               --goal regret --algorithm gp-ucb --budget 50 --repetitions 3 --json";
    let json = bench.json(&format!("{run} --minimize loss"));
    assert_eq!(json["algorithms"][0]["simple_regret"]["mean"], 0.0);
    // Large is good: a is the best, and b (the best when small is good) is 2.1 below it.
    let json = bench.json(&format!("{run} --maximize loss"));
    assert!(json["algorithms"][0]["regret"]["mean"].as_f64().unwrap() > 0.0);
}

#[test]
fn what_a_simulation_refuses() {
    let bench = Bench::with_examples().file("records.csv", "id,response\nP00,1\nP99,2\n");
    assert_snapshot!("refused-algorithm", bench.show(&format!("{CURVE} --algorithm gp-uc --budget 9")));
    assert_snapshot!(
        "refused-goal",
        bench.show(&format!("{CURVE} --goal regret --algorithm rips-best --budget 9 --bound 1"))
    );
    assert_snapshot!(
        "refused-assumption",
        bench.show(&format!("{CURVE} --goal regret --algorithm ellipsoid-regret --budget 9 --bound 1"))
    );
    assert_snapshot!(
        "refused-truth",
        bench.show(
            &CURVE.replace("response", "yield").replace("--kernel", "--algorithm random --budget 9 --kernel")
        )
    );
    assert_snapshot!(
        "refused-record",
        bench.show(&format!("{CURVE} --records records.csv --algorithm random --budget 9"))
    );
    for wrong in [
        "--budget 0",
        "--budget 9 --sigma -1",
        "--budget 9 --world-sigma -1",
        "--budget 9 --sigma auto",
        "--budget 9 --delta 1",
        "--budget 9 --world-noise student-t --world-tail 2",
    ] {
        assert_eq!(exit(&bench, &format!("{CURVE} --algorithm random --bound 1 {wrong}")), 2, "{wrong}");
    }
}

#[test]
fn an_experiment_leaves_numbers_and_figures() {
    let bench = Bench::new();
    let json = bench.json("reproduce rips-vs-ips --out figures --repetitions 3 --json");
    let files: Vec<&str> =
        json["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(files.contains(&"rips-vs-ips.csv") && files.contains(&"rips-vs-ips-optimised.svg"));
    assert!(files.iter().all(|file| bench.path("figures").join(file).metadata().unwrap().len() > 500));
    let findings: serde_json::Value = serde_json::from_str(&bench.text("figures/rips-vs-ips.json")).unwrap();
    assert_eq!((findings["seed"].as_u64(), findings["repeats"].as_u64()), (Some(0), Some(3)));
    assert_eq!(findings, json["experiments"][0]);
    assert_eq!(exit(&bench, "reproduce kernel --out figures --repetitions 1"), 2);
    assert_eq!(exit(&bench, "reproduce nothing --out figures"), 2);
}
