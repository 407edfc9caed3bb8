//! Campaigns on the command line: a snapshot of every output format, and every row of the contract about bad input.

use crate::common;

use common::Bench;
use insta::assert_snapshot;

const POOL: &str =
    "id,ligand,dose (mg)\na1,XPhos,1\na2,XPhos,2\na3,XPhos,3\nb1,PPh3,1\nb2,PPh3,2\nb3,PPh3,3\n";
const NEW: &str = "new screen --pool pool.csv --id id --features 'dose (mg)' --polynomial-model 1 --maximize yield \
                   --noise sub-gaussian --sigma 0.1 --norm 2 --epsilon 0.2 --batch 4 --quiet";

/// A folder with a pool.
fn lab() -> Bench {
    Bench::new().file("pool.csv", POOL)
}

/// The same with a campaign.
fn screen() -> Bench {
    screen_with("")
}

fn screen_with(options: &str) -> Bench {
    let bench = lab();
    let output = bench.run(&format!("{NEW} {options}"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    bench
}

/// The same with its first batch handed out.
fn asked() -> Bench {
    let bench = screen();
    let output = bench.run("ask screen --out batch.csv -q");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    bench
}

/// Writes the batch with the outcome of each line, by its number.
fn fill_in(bench: Bench, outcome: impl Fn(usize) -> String) -> Bench {
    let batch = bench.text("batch.csv");
    let mut lines = batch.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = header.iter().position(|name| *name == "yield").unwrap();
    let mut text = format!("{}\n", header.join(","));
    for (k, line) in lines.enumerate() {
        // The only quoted cell is the reason.
        let mut cells: Vec<String> = Vec::new();
        for (j, part) in line.split('"').enumerate() {
            match j % 2 {
                1 => cells.last_mut().unwrap().push_str(&format!("\"{part}\"")),
                _ if j == 0 => cells.extend(part.split(',').map(str::to_owned)),
                _ => cells.extend(part.split(',').skip(1).map(str::to_owned)),
            }
        }
        cells[at] = outcome(k);
        text.push_str(&format!("{}\n", cells.join(",")));
    }
    bench.file("results.csv", &text)
}

fn value(k: usize) -> String {
    format!("0.{}", 4 + k)
}

#[test]
fn a_new_campaign_says_what_it_is_and_what_comes_next() {
    let bench = lab();
    assert_snapshot!(bench.show(&NEW.replace(" --quiet", "")));
    assert_snapshot!(bench.show(&format!("{} --json", NEW.replace("new screen", "new other"))));
}

#[test]
fn the_next_command_is_quoted_for_a_shell() {
    let bench = lab();
    let output = bench.run(&NEW.replace("new screen", "new 'a b'"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\nNext: elfving ask 'a b.elfving' > batch.csv\n"), "{text}");
}

#[test]
fn a_replicate_counts_what_was_measured_not_what_is_planned() {
    let bench = Bench::new().file("pool.csv", "id,x\na,0\nb,1\nc,2\n");
    bench.json("new screen pool.csv --id id --maximize yield --mode calibrated --batch 3 --json");
    for _ in 0..4 {
        bench.run("ask screen --out batch.csv");
        let slots: Vec<String> =
            bench.text("batch.csv").lines().skip(1).map(|line| format!("{},0.5\n", &line[..6])).collect();
        std::fs::write(bench.path("results.csv"), format!("slot,yield\n{}", slots.concat())).unwrap();
        bench.run("tell screen results.csv");
    }
    let batch = bench.json("ask screen --json");
    let exported = bench.json("export screen --json");
    let told = |id: &str| {
        let slots = exported["slots"].as_array().unwrap().iter();
        slots.filter(|slot| slot["id"] == id && slot["state"] == "told").count()
    };
    for row in batch["rows"].as_array().unwrap() {
        let (id, why) = (row["id"].as_str().unwrap(), row["why"].as_str().unwrap());
        if why.starts_with("replicate") {
            assert_eq!(why, format!("replicate: {} so far", told(id)));
        }
    }
}

#[test]
fn a_batch_as_csv_as_a_table_and_as_json() {
    let bench = screen();
    assert_snapshot!(bench.show("ask screen"));
    assert_snapshot!(bench.show("ask --format table"));
    assert_snapshot!(bench.show("ask screen.elfving --json -q"));
}

#[test]
fn what_was_told_is_accounted_for() {
    let bench = fill_in(asked(), |k| if k == 3 { String::new() } else { value(k) });
    assert_snapshot!(bench.show("tell screen results.csv --dry-run"));
    assert_snapshot!(bench.show("tell screen results.csv"));
    assert_snapshot!(bench.show("tell results.csv --json"));
    let bench = fill_in(bench, value);
    assert_snapshot!(bench.show("tell screen results.csv"));
}

#[test]
fn where_a_campaign_stands() {
    let bench = fill_in(asked(), value);
    assert_snapshot!(bench.show("status screen"));
    bench.run("tell screen results.csv");
    assert_snapshot!(bench.show("status screen"));
    assert_snapshot!(bench.show("status screen --json"));
    assert_snapshot!(bench.show("status screen --candidate a3"));
    assert_snapshot!(bench.show("status screen --candidate b2 --json"));
    assert_snapshot!(bench.show("status screen --candidate b9"));
}

#[test]
fn a_log_an_export_and_a_check() {
    let bench = fill_in(asked(), value);
    bench.run("tell screen results.csv");
    bench.run("correct screen S0002E 0.45 --reason 'a comma was misread'");
    assert_snapshot!(bench.show("log screen"));
    assert_snapshot!(bench.show("log --last 1 --json"));
    assert_snapshot!(bench.show("export screen --format csv"));
    assert_snapshot!(bench.show("verify screen"));
    assert_snapshot!(bench.show("verify screen --json"));
    let export = bench.json("export screen --json");
    assert_eq!(export["slots"].as_array().unwrap().len(), 4);
    assert_eq!(export["events"].as_array().unwrap().len(), 5);
    assert_eq!(export["spec"]["outcome"], "yield");
    assert_eq!(export["status"]["event"], 5);
}

#[test]
fn corrections_and_conflicts() {
    let bench = fill_in(asked(), |k| if k == 0 { "0.4".into() } else { String::new() });
    bench.run("tell screen results.csv");
    let bench = fill_in(bench, |k| if k == 0 { "0.9".into() } else { String::new() });
    assert_snapshot!(bench.show("tell screen results.csv"));
    assert_snapshot!(bench.show("tell screen results.csv --correct"));
    assert_snapshot!(bench.show("tell screen results.csv --correct --reason 'vials were swapped'"));
    assert_snapshot!(bench.show("correct screen S0001C failed --reason 'it was water'"));
    assert_snapshot!(bench.show("correct screen S0001C 0.3 --reason 'there is none'"));
    assert_snapshot!(bench.show("correct S0099A 0.3 --reason 'no such slot'"));
    assert_snapshot!(bench.show("correct S0001C 0,3 --reason 'a comma'"));
}

#[test]
fn rows_that_are_forced_forbidden_or_measured_already() {
    let bench = lab()
        .file("skip.csv", "id,why\nb1,never\nb3,no stock\n")
        .file("done.csv", "id,yield\na1,0.4\na1,0.5\nb2,n.d.\nb3,0.1\n");
    let options = "--forbid skip.csv --force a2,b2 --measured done.csv --marker 'n.d.=failed'";
    assert_snapshot!(bench.show(&format!("{NEW} {options}")));
    assert_snapshot!(bench.show("ask screen"));
    assert_snapshot!(bench.show("status screen --candidate b3"));
    assert_snapshot!(bench.show("status screen --candidate a1"));
    let bench = lab();
    assert_snapshot!(bench.show(&format!("{NEW} --forbid a9")));
    assert!(!bench.path("screen.elfving").exists());
}

#[test]
fn what_is_missing_is_named_all_at_once() {
    assert_snapshot!(lab().show("new screen"));
}

#[test]
fn the_calibrated_mode_needs_no_assumptions_and_says_that_it_has_no_proof() {
    let bench = lab();
    let new =
        "new screen --pool pool.csv --id id --one-hot --minimize yield --mode calibrated --batch 4 --json";
    assert_eq!(bench.json(new)["spec"]["algorithm"], "calibrated");
    bench.run("ask screen --out batch.csv");
    let bench = fill_in(bench, value);
    let told = bench.json("tell screen results.csv --json");
    assert_eq!((&told["recorded"], &told["closed"]), (&4.into(), &serde_json::json!([1])));
    let status = bench.json("status screen --json");
    assert_eq!(status["guarantee"], "calibrated");
    assert_eq!(status["statement"][0], "Calibrated, no proof.");
    assert_eq!(bench.json("ask screen --json")["rows"].as_array().unwrap().len(), 4);
    assert_eq!(bench.json("verify screen --json")["differing"], serde_json::json!([]));
}

// One test for each row of the contract.

#[test]
fn an_outcome_that_is_not_finite_refuses_the_file() {
    let bench = fill_in(asked(), |k| ["NaN", "inf", "1e999", "0.5"][k].to_owned());
    assert_snapshot!(bench.show("tell screen results.csv"));
    assert_eq!(bench.json("status screen --json")["told"], 0);
}

#[test]
fn an_empty_outcome_leaves_its_slot_open_and_a_failed_one_is_asked_again() {
    let bench = asked().file("results.csv", "slot,yield,status\nS0001C,,\nS0002E,,failed\nS0003G,0.5,ok\n");
    assert_snapshot!(bench.show("tell screen results.csv"));
    assert_snapshot!(bench.show("ask screen --json -q"));
}

#[test]
fn other_notations_are_refused_and_never_guessed() {
    let bench = asked().file("results.csv", "slot,yield\nS0001C,\"0,51\"\nS0002E,1 234\n");
    assert_snapshot!(bench.show("tell screen results.csv"));
    let bench = bench.file("results.csv", "slot;yield\nS0001C;0,51\n");
    assert_snapshot!(bench.show("tell screen results.csv --decimal , --dry-run"));
}

#[test]
fn ids_that_look_like_missing_values_are_kept() {
    let bench = lab().file("pool.csv", "id,x\nNA,1\nnull,2\n007,3\n");
    bench.json(
        "new screen --pool pool.csv --id id --maximize y --noise sub-gaussian --sigma 0.1 --norm 2 --batch 9 --json",
    );
    let rows = bench.json("ask --json");
    let ids: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| ["NA", "null", "007"].contains(id)), "{ids:?}");
}

#[test]
fn broken_files_are_refused_with_the_line() {
    for (name, content) in [
        ("two-columns-of-one-name", "slot,yield,yield\nS0001C,1,2\n"),
        ("ragged", "slot,yield\nS0001C,1,2\n"),
        ("no-header", ""),
        ("nul", "slot,yield\nS0001C,\0\n"),
    ] {
        let bench = asked().file("results.csv", content);
        assert_snapshot!(format!("broken-{name}"), bench.show("tell screen results.csv"));
    }
    let bench = asked();
    std::fs::write(bench.path("results.csv"), b"slot,yield\nS0001C,\xff\n").unwrap();
    assert_eq!(bench.run("tell screen results.csv").status.code(), Some(3));
    let bench = asked().file("results.csv", "\u{feff}slot,yield\r\nS0001C,0.5\r\n");
    assert_eq!(bench.json("tell screen results.csv --json")["recorded"], 1, "BOM and CRLF");
}

#[test]
fn a_pool_without_candidates_or_features_makes_no_campaign() {
    for content in ["id,x\n", "id,name\na,b\n", "id,x\na,1\na,2\n"] {
        let bench = lab().file("pool.csv", content);
        let output = bench
            .run("new screen --pool pool.csv --id id --maximize y --noise sub-gaussian --sigma 0.1 --norm 2");
        assert_eq!(output.status.code(), Some(3), "{content}");
        assert!(!bench.path("screen.elfving").exists());
    }
}

#[test]
fn an_unknown_or_mangled_slot_shows_the_nearest_one() {
    let bench = asked().file("results.csv", "slot,yield\nS001C,0.5\nS0003H,0.5\n");
    assert_snapshot!(bench.show("tell screen results.csv"));
}

#[test]
fn the_same_again_is_repeated() {
    let bench = fill_in(asked(), |k| if k == 0 { "0.4".into() } else { String::new() });
    bench.run("tell screen results.csv");
    let again = bench.json("tell screen results.csv --json");
    assert_eq!((&again["repeated"], &again["recorded"]), (&1.into(), &0.into()));
    assert_eq!(again["event"], 4);
}

#[test]
fn the_same_slot_twice_in_a_file_is_refused_with_both_lines() {
    let bench = asked().file("results.csv", "slot,yield\nS0001C,0.5\nS0002E,0.4\nS0001C,0.6\n");
    assert_snapshot!(bench.show("tell screen results.csv"));
    let told = bench.json("tell screen results.csv --repeated-slots --json");
    assert_eq!(told["recorded"], 3);
}

#[test]
fn a_round_with_open_slots_closes_on_request_only() {
    let bench = fill_in(asked(), |k| if k < 2 { value(k) } else { String::new() });
    bench.run("tell screen results.csv");
    assert_snapshot!(bench.show("tell screen --close"));
    assert_snapshot!(bench.show("tell screen --no-guarantee"));
    assert_snapshot!(bench.show("status screen"));
    assert_snapshot!(bench.show("tell screen --no-guarantee"));
    let bench = bench.file("late.csv", "slot,yield\nS0003G,0.5\n");
    assert_snapshot!(bench.show("tell screen late.csv"));
}

#[test]
fn one_candidate_is_the_answer_and_nothing_is_asked() {
    let bench = screen_with("--forbid a1,a2,b1,b2,b3");
    assert_snapshot!(bench.show("ask screen"));
    assert_eq!(bench.json("status screen --json")["picks"], serde_json::json!(["a3"]));
}

#[test]
fn numbers_outside_their_domains_are_refused() {
    for options in [
        "--delta 1.5",
        "--delta NaN",
        "--gamma -1",
        "--epsilon -1",
        "--sigma -0.1",
        "--norm NaN",
        "--bound 0",
        "--budget 0",
        "--batch 0",
        "--goal top --top 99",
        "--misspecification -1",
        "--algorithm no-such",
    ] {
        let bench = lab();
        let repeated = options.split(' ').next().unwrap();
        let new: String = NEW
            .split(" --")
            .filter(|part| !repeated[2..].eq(part.split(' ').next().unwrap()))
            .collect::<Vec<_>>()
            .join(" --");
        let output = bench.run(&format!("{new} {options}"));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{options}: {text}");
        assert!(!bench.path("screen.elfving").exists(), "{options}");
    }
}

#[test]
fn a_round_above_the_budget_is_refused_with_the_number() {
    let bench = lab();
    let new = NEW.replace("--norm 2", "--bound 1").replace("sub-gaussian", "bounded-variance");
    bench.run(&format!("{new} --budget 50"));
    assert_snapshot!(bench.show("ask screen"));
    let bench = screen_with("--algorithm random --budget 4");
    bench.run("ask screen --out batch.csv");
    let bench = fill_in(bench, value);
    bench.run("tell screen results.csv");
    assert_snapshot!(bench.show("ask screen"));
}

#[test]
fn a_damaged_campaign_is_refused_and_left_alone() {
    let bench = asked();
    let file = rusqlite::Connection::open(bench.path("screen.elfving")).unwrap();
    file.execute_batch(
        "DROP TRIGGER event_is_never_changed; UPDATE event SET body = replace(body, '0.1', '0.2') WHERE seq = 1",
    )
    .unwrap();
    drop(file);
    let before = std::fs::read(bench.path("screen.elfving")).unwrap();
    for command in ["verify screen", "status screen", "ask screen"] {
        assert_eq!(bench.run(command).status.code(), Some(4), "{command}");
    }
    assert_snapshot!(bench.show("verify screen"));
    assert_snapshot!(bench.show("status pool.csv"));
    assert_eq!(std::fs::read(bench.path("screen.elfving")).unwrap(), before);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let bench = screen();
    let file = rusqlite::Connection::open(bench.path("screen.elfving")).unwrap();
    file.execute_batch("PRAGMA user_version = 7").unwrap();
    drop(file);
    let before = std::fs::read(bench.path("screen.elfving")).unwrap();
    assert_snapshot!(bench.show("ask screen"));
    assert_eq!(std::fs::read(bench.path("screen.elfving")).unwrap(), before);
}

#[test]
fn a_locked_campaign_is_waited_for_and_then_named() {
    let bench = screen();
    let file = rusqlite::Connection::open(bench.path("screen.elfving")).unwrap();
    file.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_snapshot!(bench.show("ask screen"));
}

#[test]
fn what_the_disk_refuses_ends_with_its_own_code() {
    let bench = lab();
    assert_eq!(bench.run(&NEW.replace("new screen", "new no/such/folder")).status.code(), Some(5));
    let bench = screen();
    assert_snapshot!(bench.show(NEW));
    assert_snapshot!(bench.show("ask elsewhere"));
    assert_snapshot!(Bench::new().show("ask"));
}

const ASSUMED: &str =
    "--id id --features 'dose (mg)' --maximize yield --norm 2 --epsilon 0.2 --batch 4 --quiet";

#[test]
fn a_certified_campaign_without_a_kernel_names_its_smooth_model_everywhere() {
    let bench = lab();
    let new = bench.json(&format!("new screen pool.csv {ASSUMED} --noise sub-gaussian --sigma 0.1 --json"));
    let model = new["model"].as_str().unwrap().to_owned();
    assert!(model.starts_with("smooth with an intercept: Matern 5/2"), "{model}");
    let status = bench.json("status screen --json");
    assert_eq!(status["model"], model.as_str());
    let statement = status["statement"].as_array().unwrap();
    assert!(statement.contains(&format!("- the model: {model}").into()), "{statement:?}");
    bench.run("report screen --out page.html");
    assert!(bench.text("page.html").contains("smooth with an intercept"));
    let linear =
        format!("new linear pool.csv {ASSUMED} --noise sub-gaussian --sigma 0.1 --kernel linear --json");
    assert_eq!(
        bench.json(&linear)["model"],
        "linear in the column dose (mg), through the origin: no intercept"
    );
}

#[test]
fn a_range_needs_no_sigma_and_an_outcome_outside_of_it_is_refused() {
    let bench = lab();
    let new = bench.json(&format!("new screen pool.csv {ASSUMED} --range 0,1 --json"));
    assert_eq!(new["spec"]["assumptions"]["range"], serde_json::json!([0.0, 1.0]));
    bench.run("ask screen --out batch.csv -q");
    let bench = fill_in(bench, |k| if k == 2 { "1.5".into() } else { "0.5".into() });
    let refused = bench.run("tell screen results.csv");
    assert_eq!(refused.status.code(), Some(3));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("1.5 is outside the range 0 to 1"), "{said}");
    for wrong in ["1,0", "0", "0,x", "0,inf"] {
        let output = bench.run(&format!("new other pool.csv {ASSUMED} --range {wrong}"));
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn an_earlier_campaign_bets_on_the_next_one() {
    let bench = fill_in(asked(), value);
    bench.run("tell screen results.csv -q");
    let assumed = format!("{ASSUMED} --noise sub-gaussian --sigma 0.1");
    let new = bench.json(&format!("new next pool.csv {assumed} --prior screen --json"));
    assert_eq!(new["spec"]["priors"], serde_json::json!(["the earlier campaign screen"]));
    let status = bench.json("status next --json");
    let bets = status["bets"].as_array().unwrap();
    let believed: Vec<_> = bets.iter().filter(|bet| bet["believed"] == true).collect();
    assert_eq!(believed.len(), 1, "{bets:?}");
    let nothing = bench.run(&format!("new third pool.csv {assumed} --prior next"));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("has no results to predict from"));
    assert!(!bench.path("third.elfving").exists());
}
