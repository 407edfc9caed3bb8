//! `elfving round`: its outputs, its limits, and what it promises to scripts.

use crate::common;

use std::collections::BTreeMap;

use common::{Bench, settled};
use insta::assert_snapshot;
use serde_json::Value;

/// The examples, with the design of a parabola on eleven doses: a third each at 0, 5 and 10 mg.
fn line() -> Bench {
    let bench = Bench::with_examples();
    bench.json("design line.csv --id id --polynomial-model 2 --out design.json --json");
    bench
}

const ROUND: &str = "round line.csv --design design.json";

fn counts(plan: &Value) -> BTreeMap<String, u64> {
    let entries = plan["counts"].as_array().unwrap().iter();
    entries.map(|c| (c["id"].as_str().unwrap().to_owned(), c["count"].as_u64().unwrap())).collect()
}

fn total(plan: &Value) -> u64 {
    counts(plan).values().sum()
}

#[test]
fn a_plan_as_a_table() {
    assert_snapshot!(line().show(&format!("{ROUND} --budget 12")));
}

#[test]
fn a_plan_as_csv() {
    assert_snapshot!(line().show(&format!("{ROUND} --budget 12 --format csv")));
}

#[test]
fn a_plan_as_json() {
    let mut plan = line().json(&format!("{ROUND} --budget 12 --method apportion --json"));
    // The design is that of its file; times differ from run to run.
    for varying in ["design", "seconds"] {
        assert!(plan.as_object_mut().unwrap().remove(varying).is_some());
    }
    assert_snapshot!(settled(&plan.to_string()));
}

#[test]
fn a_plan_with_a_guarantee() {
    assert_snapshot!(line().show(&format!("{ROUND} --budget 30 --method regret")));
}

#[test]
fn a_lab_sheet() {
    let bench = line();
    assert_snapshot!(bench.show(&format!("{ROUND} --budget 6 --shuffle --seed 3 --out plan.json")));
    let plan: Value = serde_json::from_str(&bench.text("plan.json")).unwrap();
    assert_eq!(plan["seed"], 3);
    let order = plan["order"].as_array().unwrap();
    let sheet =
        String::from_utf8(bench.run(&format!("{ROUND} --budget 6 --shuffle --seed 3")).stdout).unwrap();
    let on_sheet: Vec<&str> = sheet.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(on_sheet, order.iter().map(|id| id.as_str().unwrap()).collect::<Vec<_>>());
    // Every measurement once, and another seed gives another order.
    for (id, count) in counts(&plan) {
        assert_eq!(on_sheet.iter().filter(|other| **other == id).count() as u64, count);
    }
    let other = bench.run(&format!("{ROUND} --budget 6 --shuffle --seed 4")).stdout;
    assert_ne!(sheet.as_bytes(), other);
}

#[test]
fn the_outcome_column_of_the_pool_is_emptied_on_a_lab_sheet() {
    let bench = Bench::new().file("pool.csv", "id;dose;yield (%)\r\na;0;3,5\r\nb;1,5;\r\nc;2;\r\n");
    let pool = "pool.csv --id id --outcome 'yield (%)' --decimal , --polynomial-model 1";
    bench.json(&format!("design {pool} --out design.json --json"));
    let sheet = bench.run("round pool.csv --design design.json --budget 3 --max 1 --shuffle").stdout;
    let sheet = String::from_utf8(sheet).unwrap();
    assert!(sheet.starts_with("slot;id;dose;yield (%)\r\nS0001C;"), "{sheet}");
    assert!(sheet.contains(";b;1,5;\r\n") && sheet.contains(";a;0;\r\n"), "{sheet}");
}

#[test]
fn draws_carry_their_seed_their_order_and_their_integer_weights() {
    let bench = line();
    assert_snapshot!(bench.show(&format!("{ROUND} --budget 9 --method sample --seed 7")));
    let plan = bench.json(&format!("{ROUND} --budget 9 --method sample --seed 7 --json"));
    assert_eq!((plan["kind"].as_str(), plan["seed"].as_u64()), (Some("draws"), Some(7)));
    assert_eq!(plan["order"].as_array().unwrap().len(), 9);
    let weights = plan["integer_weights"].as_array().unwrap();
    assert_eq!(weights.iter().map(|w| w["weight"].as_u64().unwrap()).sum::<u64>(), 1 << 32);
    // A recorded seed means these draws: a change is a deliberate event.
    let order: Vec<&str> = plan["order"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_snapshot!("the-draws-of-seed-7", order.join(" "));
}

#[test]
fn a_plan_file_holds_the_whole_design_and_certify_accepts_it() {
    let bench = line();
    bench.json(&format!("{ROUND} --budget 8 --out plan.json --json"));
    assert_snapshot!("plan-file", settled(&bench.text("plan.json")));
    let plan: Value = serde_json::from_str(&bench.text("plan.json")).unwrap();
    let bench = bench.file("again.json", &plan["design"].to_string());
    let verdict = bench.json("certify again.json line.csv --json");
    assert_eq!(verdict["certified"], true);
}

#[test]
fn every_method_gives_the_budget() {
    let bench = line();
    for method in ["apportion", "caratheodory", "regret", "ptr", "sample", "greedy", "exchange", "best"] {
        let plan = bench.json(&format!("{ROUND} --budget 20 --method {method} --json"));
        assert_eq!((total(&plan), plan["total"].as_u64()), (20, Some(20)), "{method}");
        assert_eq!(plan["method"], method);
        assert!(plan["ratio_to_continuous"].as_f64().unwrap() >= 1.0 - 1e-9, "{method}");
    }
    let plan = bench.json(&format!("{ROUND} --budget 20 --method ceiling --json"));
    assert_eq!((total(&plan), plan["budget"].as_u64()), (21, Some(20)));
    let text = bench.show(&format!("{ROUND} --budget 20 --method ceiling"));
    assert!(text.contains("21  of 3 candidates; 20 were asked for"), "{text}");
}

#[test]
fn polishing_never_makes_it_worse_and_says_what_it_did() {
    let bench = line();
    let ratio = |options: &str| {
        bench.json(&format!("{ROUND} --budget 10 {options} --json"))["ratio_to_continuous"].as_f64().unwrap()
    };
    assert!(ratio("--method regret --polish") < ratio("--method regret"));
    let text = bench.show(&format!("{ROUND} --budget 10 --method regret --polish"));
    assert!(text.contains("regret, then") && text.contains("exchanges"), "{text}");
}

/// (3, ±b e_i), i = 1..5, b² = 0.45: what the paper's project-then-round gets wrong at gamma = 0.1.
fn counterexample() -> Bench {
    let b = 0.45f64.sqrt();
    let mut csv = "id,a,b1,b2,b3,b4,b5\n".to_owned();
    for i in 0..10 {
        let sign = if i % 2 == 0 { b } else { -b };
        let cells: Vec<String> = (0..5).map(|k| if k == i / 2 { sign } else { 0.0 }.to_string()).collect();
        csv.push_str(&format!("p{i},3,{}\n", cells.join(",")));
    }
    let bench = Bench::new().file("pool.csv", &csv);
    bench.json("design pool.csv --id id --gamma 0.1 --out design.json --json");
    bench
}

#[test]
fn project_then_round_says_when_it_fell_back() {
    let bench = counterexample();
    let plan = bench.json("round pool.csv --design design.json --budget 240 --method ptr --json");
    assert_eq!(plan["path"]["kind"], "full-space");
    let refused = plan["path"]["projected_ratio"].as_f64().unwrap();
    assert!((refused - 5.347).abs() < 1e-3, "{refused}");
    assert!(plan["ratio_to_continuous"].as_f64().unwrap() < 2.0);
    assert_snapshot!(bench.show("round pool.csv --design design.json --budget 240 --method ptr"));
}

#[test]
fn limits_are_kept() {
    let pool = "id,dose,least,stock\na,0,,5\nb,1,,1\nc,2,2,\nd,3,,0\ne,4,,3\n";
    let bench = Bench::new().file("pool.csv", pool);
    bench.json("design pool.csv --id id --features dose --polynomial-model 1 --out design.json --json");
    let round = |options: &str| {
        let plan = bench.json(&format!("round pool.csv --design design.json {options} --json"));
        (counts(&plan), plan)
    };
    let (found, _) = round("--budget 5 --max 1");
    assert_eq!(found.values().copied().collect::<Vec<_>>(), [1; 5]);
    let (found, _) = round("--budget 10 --max stock --min least");
    assert!(found["a"] <= 5 && found.get("b").is_none_or(|&n| n <= 1) && found["e"] <= 3, "{found:?}");
    assert!(found["c"] >= 2 && !found.contains_key("d"), "{found:?}");
    assert_eq!(found.values().sum::<u64>(), 10);
    let (found, _) = round("--budget 6 --force b,d");
    assert!(found["b"] >= 1 && found["d"] >= 1, "{found:?}");
    let (found, _) = round("--budget 5 --min 1");
    assert_eq!(found.len(), 5);
}

#[test]
fn what_was_measured_before_is_counted_and_not_planned_again() {
    let bench = Bench::with_examples()
        .file("counts.csv", "id,count\nL00,6\n")
        .file("results.csv", "\u{feff}id,outcome\r\nL00,1.5\r\nL00,1.4\r\nL00,\r\nL00,1.6\r\n")
        .file("prints.csv", "id,rep,y\nL00,1,1.5\nL00,2,\n")
        .file("list.csv", "id\nL00\nL00\n");
    bench.json("design line.csv --id id --polynomial-model 1 --out design.json --json");
    let round = |options: &str| bench.json(&format!("{ROUND} --method apportion {options} --json"));
    let plan = round("--budget 6 --measured counts.csv");
    assert_eq!(counts(&plan), BTreeMap::from([("L10".to_owned(), 6)]));
    assert!((plan["ratio_to_continuous"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    assert_eq!(plan["done"]["total"], 6);
    // A line without an outcome is no measurement.
    assert_eq!(round("--budget 6 --measured results.csv")["done"]["total"], 3);
    assert_eq!(round("--budget 6 --measured list.csv")["done"]["total"], 2);
    assert_eq!(round("--budget 6 --measured prints.csv --outcome y")["done"]["total"], 1);
    let sheet = bench.run(&format!("{ROUND} --budget 2 --outcome y --shuffle")).stdout;
    assert!(sheet.starts_with(b"slot,id,dose (mg),y\n"));
    let absent = bench.run(&format!("{ROUND} --budget 2 --measured prints.csv --outcome yield"));
    assert_eq!(absent.status.code(), Some(3));
    let text = bench.show(&format!("{ROUND} --budget 6 --measured results.csv"));
    assert!(
        text.contains(
            "results.csv: 4 lines read, 3 earlier measurements (lines with a value of \"outcome\")"
        ),
        "{text}"
    );
    assert!(text.contains("measured before"), "{text}");
}

#[test]
fn refusals() {
    let bench = line()
        .file("unknown.csv", "id,count\nL00,1\nL0O,2\nL99,1\n")
        .file("half.csv", "id,count\nL00,1.5\nL01,-1\n")
        .file("nan.csv", "id,count\nL00,NaN\n")
        .file("other.csv", "id,dose (mg)\nL00,0\nL05,1\nL10,2\n")
        .file("bent.csv", &bench_line_with_another_dose())
        .file("nodesign.json", "{}");
    for (name, arguments) in [
        ("budget-zero", "--budget 0"),
        ("unknown-method", "--budget 9 --method magic"),
        ("unknown-id-in-force", "--budget 9 --force L0O"),
        ("unknown-limit", "--budget 9 --max shelf"),
        ("minima-above-the-budget", "--budget 9 --min 1"),
        ("maxima-below-the-budget", "--budget 12 --max 1"),
        ("minimum-above-maximum", "--budget 9 --max 0 --force L03"),
        ("draws-keep-no-limits", "--budget 9 --method sample --max 1"),
        ("measured-with-unknown-ids", "--budget 9 --measured unknown.csv"),
        ("measured-with-half-measurements", "--budget 9 --measured half.csv"),
        ("plan-as-text", "--budget 9 --out plan.txt"),
    ] {
        assert_snapshot!(format!("refused-{name}"), bench.show(&format!("{ROUND} {arguments}")));
    }
    let exit = |arguments: &str| bench.run(arguments).status.code().unwrap();
    assert_eq!(exit(&format!("{ROUND} --budget -3")), 2);
    assert_eq!(exit(&format!("{ROUND} --budget nan")), 2);
    assert_eq!(exit(&format!("{ROUND} --budget 18446744073709551615 --method apportion")), 2);
    assert_eq!(exit(&format!("{ROUND} --budget 100000000 --shuffle")), 2);
    assert_eq!(exit(&format!("{ROUND} --budget 9 --measured nan.csv")), 3);
    assert_eq!(exit(&format!("{ROUND} --budget 9 --measured nowhere.csv")), 3);
    assert_eq!(exit("round other.csv --design design.json --budget 9"), 3);
    assert_eq!(exit("round bent.csv --design design.json --budget 9"), 3);
    assert_eq!(exit("round line.csv --design nodesign.json --budget 9"), 3);
    assert_eq!(exit(&format!("{ROUND} --budget 9 --out nowhere/plan.json")), 5);
}

/// Eleven doses, one of them not that of the design.
fn bench_line_with_another_dose() -> String {
    let rows: String = (0..11).map(|i| format!("L{i:02},{}\n", if i == 10 { 20 } else { i })).collect();
    format!("id,dose (mg)\n{rows}")
}

#[test]
fn one_candidate_is_the_plan() {
    let bench = Bench::new().file("pool.csv", "id,dose\nonly,2\n");
    bench.json("design pool.csv --id id --out design.json --json");
    let plan = bench.json("round pool.csv --design design.json --budget 4 --json");
    assert_eq!(counts(&plan), BTreeMap::from([("only".to_owned(), 4)]));
}

#[test]
fn extreme_scales_change_no_count() {
    let pool = |by: f64| {
        let rows: String = (0..9).map(|i| format!("{:e},{:e}\n", by, by * f64::from(i) / 8.0)).collect();
        format!("one,x\n{rows}")
    };
    let plan = |by: f64| {
        let bench = Bench::new().file("pool.csv", &pool(by));
        bench.json("design pool.csv --out design.json --json");
        counts(&bench.json("round pool.csv --design design.json --budget 7 --method regret --json"))
    };
    let usual = plan(1.0);
    assert_eq!(plan(1e-150), usual);
    assert_eq!(plan(1e150), usual);
}

#[test]
fn the_plan_does_not_depend_on_the_number_of_threads() {
    let bench = Bench::with_examples();
    bench.json("design grid.csv --id id --kernel rbf --gamma 0.01 --standardize --out design.json --json");
    let plan = |threads: usize| {
        let options = "--budget 30 --method best --shuffle --json";
        let text =
            bench.run(&format!("round grid.csv --design design.json {options} --threads {threads}")).stdout;
        let mut plan: Value = serde_json::from_slice(&text).unwrap();
        plan["seconds"] = Value::Null;
        plan.to_string()
    };
    assert_eq!(plan(1), plan(2));
}

#[test]
fn a_picture_and_a_spreadsheet_are_written() {
    let bench = line();
    bench.json(&format!("{ROUND} --budget 9 --plot plan.svg --out plan.csv --json"));
    assert!(bench.text("plan.svg").starts_with("<svg"));
    assert!(bench.text("plan.csv").starts_with("id,count,dose (mg)\n"), "{}", bench.text("plan.csv"));
}
