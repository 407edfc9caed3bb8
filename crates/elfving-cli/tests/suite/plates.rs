//! Plates, controls and rules about columns; candidates that come later or go by a rule.

use crate::common;

use common::Bench;

const POOL: &str = "id,dose,ligand\na1,1,XPhos\na2,2,XPhos\na3,3,XPhos\nb1,1,dppf\nb2,2,dppf\nb3,3,dppf\n";
const NEW: &str = "new lab pool.csv --id id --maximize yield --mode calibrated --batch 4 --quiet --json";

fn bench() -> Bench {
    Bench::new().file("pool.csv", POOL)
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rows(batch: &serde_json::Value, field: &str) -> Vec<String> {
    let rows = batch["rows"].as_array().unwrap().iter();
    rows.map(|row| row[field].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_plate_has_wells_controls_and_a_map() {
    let bench = bench();
    bench.json(&format!("{NEW} --plate 2x3 --control b1:1 --same ligand"));
    let batch = bench.json("ask lab --json --out batch.csv --plate-map map.csv");
    assert_eq!(rows(&batch, "well"), ["A1", "A2", "A3", "B1"]);
    assert_eq!(rows(&batch, "kind").iter().filter(|kind| *kind == "control").count(), 1);
    let ids = rows(&batch, "id");
    assert_eq!(
        bench.text("map.csv"),
        format!("plate 1,1,2,3\nA,{},{},{}\nB,{},,\n", ids[0], ids[1], ids[2], ids[3])
    );
    assert!(bench.text("batch.csv").starts_with("slot,well,id,dose,ligand,why,yield,status\n"));
    let shown = bench.show("ask lab --format table");
    assert!(shown.contains("well") && shown.contains("control: in every batch"), "{shown}");
    bench.json("change lab --no-layout --reason 'a bench' --json");
    let log = bench.show("log lab");
    assert!(log.contains("no plate, no controls (a bench)"), "{log}");
}

#[test]
fn a_new_campaign_says_how_its_batches_lie_on_the_bench() {
    let new = |options: &str| {
        bench()
            .show(&format!("new lab pool.csv --id id --maximize yield --mode calibrated --batch 4 {options}"))
    };
    let said = new("--plate 2x3 --control b1:1 --same ligand --at-most dose=2");
    let layout = "  layout     plate 2x3; control b1 x 1; one value of ligand per batch; at most 2 values of dose per batch\n";
    assert!(said.contains(layout), "{said}");
    assert!(!new("").contains("layout"), "nothing is said of a plain one");
    let json = bench().json(&format!("{NEW} --plate 2x3"));
    assert_eq!(json["spec"]["layout"]["plate"], "2x3");
}

#[test]
fn what_is_no_plate_no_control_and_no_rule_is_refused() {
    let bench = bench();
    for (option, says) in [
        ("--plate 8by12", "8x12"),
        ("--plate 33x2", "1 to 32 rows"),
        ("--control :3", "ID:n"),
        ("--control a9:1", "there is no candidate \"a9\""),
        ("--at-most ligand", "COLUMN=k"),
        ("--same solvent", "there is no column \"solvent\""),
    ] {
        let refused = bench.run(&format!("{NEW} {option}"));
        assert!(said(&refused).contains(&says.replace('"', "\\\"")), "{option}: {}", said(&refused));
        assert!([Some(2), Some(3)].contains(&refused.status.code()), "{option}");
    }
    bench.json(NEW);
    let refused = bench.run("ask lab --plate-map map.csv");
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("this campaign has no plates"), "{}", said(&refused));
    let refused = bench.run("ask lab --plate-map pool.csv");
    assert!(said(&refused).contains("E210") || said(&refused).contains("no plates"), "{}", said(&refused));
    assert_eq!(bench.text("pool.csv"), POOL, "nothing replaces a table that is read");
}

#[test]
fn candidates_come_later_and_go_by_a_rule() {
    let bench = bench().file("more.csv", "id,dose,ligand\nc1,1,SPhos\nc2,9,SPhos\n");
    bench.json(NEW);
    let extended = bench.json("extend lab more.csv --reason 'a new ligand' --json");
    assert_eq!(extended["candidates"], 2);
    let told = bench.show("extend lab more.csv --reason again");
    assert!(told.contains("in the campaign already"), "{told}");
    let forbidden =
        bench.json("forbid lab --where 'ligand = \"SPhos\" and dose > 5' --reason 'too much' --json");
    assert_eq!(forbidden["candidates"], 1);
    let status = bench.json("status lab --json");
    assert_eq!(status["candidates"], 8);
    assert_eq!(status["set_aside"][0]["id"], "c2");
    let log = bench.show("log lab");
    assert!(log.contains("2 candidates added from more.csv (a new ligand)"), "{log}");
    assert!(log.contains("c2 forbidden where ligand = \"SPhos\" and dose > 5 (too much)"), "{log}");
    let refused = bench.run("forbid lab --where 'lignad = \"SPhos\"' --reason x");
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("the nearest is \"ligand\""), "{}", said(&refused));
    let allowed = bench.json("allow lab --where 'dose > 5' --reason 'it came' --json");
    assert_eq!(allowed["candidates"], 1);
    let rips = "new rips pool.csv --id id --maximize yield --noise bounded-variance --sigma 0.1 --bound 1 --epsilon 0.5 --quiet --json";
    bench.json(rips);
    let refused = bench.run("extend rips more.csv --reason new");
    assert!(said(&refused).contains("decides by whole rounds"), "{}", said(&refused));
}
