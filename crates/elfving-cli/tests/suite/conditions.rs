//! Conditions on candidates, in every command that reads a pool, and in the files that remember them.

use crate::common;

use common::Bench;

const POOL: &str = "id,dose,time,ligand,y\na,0,5,XPhos,0.1\nb,1,10,XPhos,0.5\nc,2,5,SPhos,0.3\nd,3,9,dppf,0.2\ne,4,2,dppf,0.7\n";

fn bench() -> Bench {
    Bench::new().file("pool.csv", POOL)
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_design_is_one_of_the_candidates_that_meet_the_condition_and_remembers_it() {
    let bench = bench();
    let options = "--id id --features dose,time --where 'dose <= 3' --where 'ligand != \"dppf\"'";
    let options = options.replace("'ligand != \"dppf\"'", "'ligand in (\"XPhos\", \"SPhos\")'");
    let design = bench.json(&format!("design pool.csv {options} --json --out design.json"));
    assert_eq!(design["n"], 3);
    let support: Vec<&str> =
        design["support"].as_array().unwrap().iter().map(|share| share["id"].as_str().unwrap()).collect();
    assert!(support.iter().all(|id| ["a", "b", "c"].contains(id)), "{support:?}");
    // The saved design describes its pool: the conditions come with it.
    assert_eq!(bench.run("certify design.json pool.csv").status.code(), Some(0));
    let plan = bench.json("round pool.csv --design design.json --budget 7 --json");
    assert_eq!(plan["total"], 7);
    assert_eq!(design["options"]["pool"]["columns"]["where"][0], "dose <= 3");
}

#[test]
fn a_row_without_an_id_keeps_its_number() {
    let bench = bench();
    let design = bench
        .json("design pool.csv --features dose --polynomial-model 1 --where 'dose >= 2' --json --out d.json");
    let support: Vec<&str> =
        design["support"].as_array().unwrap().iter().map(|share| share["id"].as_str().unwrap()).collect();
    assert_eq!(support, ["2", "4"]);
    let sheet =
        String::from_utf8(bench.run("round pool.csv --design d.json --budget 2 --shuffle --quiet").stdout)
            .unwrap();
    let mut rows: Vec<&str> = sheet.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["2", "4"], "{sheet}");
}

#[test]
fn every_command_that_reads_a_pool_knows_conditions() {
    let bench = bench();
    for command in [
        "design pool.csv --id id --features dose --polynomial-model 1",
        "plan pool.csv --id id --features dose --maximize y --epsilon 0.1 --sigma 0.1 --bound 1 --repetitions 1 --budget 100",
        "diagnose pool.csv --id id --features dose",
        "simulate pool.csv --id id --features dose --maximize y --algorithm random --budget 3 --repetitions 2",
        "complexity pool.csv --id id --features dose --maximize y --gamma 0.1",
    ] {
        let document = bench.json(&format!("{command} --where 'dose < 4' --json"));
        assert_eq!(document["n"], 4, "{command}");
        let output = bench.run(&format!("{command} --where 'does < 4'"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        let said = said(&output);
        assert!(
            said.contains("error[E211]: there is no column \"does\"; the nearest is \"dose\""),
            "{command}: {said}"
        );
        assert!(said.contains("\n    does < 4\n    ^^^^\n  help: "), "{said}");
    }
    let output = bench.run("design pool.csv --id id --where 'dose <' --json");
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((error["error"]["code"].as_str(), error["error"]["exit"].as_i64()), (Some("E211"), Some(2)));
    let output = bench.run("design pool.csv --id id --where 'dose > 100'");
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("error[E330]: pool.csv: no row meets the condition dose > 100"));
    let output = bench.run("design --gram pool.csv --where 'dose > 1'");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn a_campaign_has_the_candidates_that_meet_the_condition_and_opens_again() {
    let bench = bench();
    let new = "new screen pool.csv --id id --features dose,time --maximize y --mode calibrated --batch 10";
    let output = bench.run(&format!(
        "{new} --where 'dose < 4' --forbid-where 'ligand = \"SPhos\"' --forbid-where 'time > 9'"
    ));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let words = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(words.contains("screen.elfving: 2 candidates"), "{words}");
    assert!(said(&output).contains("1 candidate forbidden by \"time > 9\""), "{}", said(&output));
    let batch = bench.json("ask screen --json");
    let mut ids: Vec<&str> =
        batch["rows"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids, ["a", "d"]);
    // The sheet shows the rows of these candidates.
    let sheet = String::from_utf8(bench.run("ask screen").stdout).unwrap();
    assert!(sheet.contains(",a,0,5,XPhos,") && sheet.contains(",d,3,9,dppf,"), "{sheet}");
    assert_eq!(bench.run("verify screen").status.code(), Some(0));
    for (options, word) in [
        ("--where 'dosis < 4'", "dosis"),
        ("--forbid-where 'dosis < 4'", "dosis"),
        ("--where 'dose <'", "--where: the condition ends"),
    ] {
        let output = bench.run(&format!("{} {options}", new.replace("screen", "other")));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("error[E211]") && said(&output).contains(word), "{}", said(&output));
        assert!(!bench.path("other.elfving").exists());
    }
}
