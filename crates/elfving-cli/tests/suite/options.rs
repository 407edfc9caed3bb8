//! One option, one meaning: the pool, the formats, the spellings that are gone, and errors for programs.

use crate::common;

use common::Bench;
use serde_json::Value;

const POOL: &str = "id,x,kind,sd,yield\na,0,p,0.1,1\nb,1,p,0.2,2\nc,2,q,0.1,4\nd,3,q,0.3,3\n";

fn lab() -> Bench {
    Bench::new().file("pool.csv", POOL).file("done.csv", "id,yield\na,1.0\na,1.1\nb,2.1\n")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Commands with the pool left open: `{}` is where it goes.
const WITH_POOL: [&str; 8] = [
    "design {} --id id --features x --polynomial-model 1 --out design.json",
    "round {} --design design.json --budget 4 --out plan.json",
    "estimate {} --plan plan.json --results results.csv --sigma 0.1",
    "certify design.json {}",
    "complexity {} --id id --features x --maximize yield --gamma 0.1",
    "plan {} --id id --features x --maximize yield --sigma 0.5 --bound 5 --epsilon 2",
    "diagnose {} --id id --features x",
    "simulate {} --id id --features x --maximize yield --goal regret --algorithm random --budget 3 --repetitions 2",
];

#[test]
fn the_pool_is_an_argument_or_an_option_in_every_command() {
    let bench = lab();
    for command in WITH_POOL {
        if command.starts_with("estimate") {
            let plan: Value = serde_json::from_str(&bench.text("plan.json")).unwrap();
            let mut results = "id,outcome\n".to_owned();
            for count in plan["counts"].as_array().unwrap() {
                for _ in 0..count["count"].as_u64().unwrap() {
                    results.push_str(&format!("{},1\n", count["id"].as_str().unwrap()));
                }
            }
            std::fs::write(bench.path("results.csv"), results).unwrap();
        }
        let settled = |bytes: &[u8]| {
            let mut json: Value = serde_json::from_slice(bytes).unwrap();
            json.as_object_mut().unwrap().remove("seconds");
            json["design"] = Value::Null;
            if let Some(algorithms) = json["algorithms"].as_array_mut() {
                algorithms.iter_mut().for_each(|one| one["seconds"] = Value::Null);
            }
            json
        };
        let by_place = bench.run(&format!("{} --json", command.replace("{}", "pool.csv")));
        assert_eq!(by_place.status.code(), Some(0), "{command}: {}", text(&by_place.stderr));
        let by_option = bench.run(&format!("{} --json", command.replace("{}", "--pool pool.csv")));
        assert_eq!(by_option.status.code(), Some(0), "{command}: {}", text(&by_option.stderr));
        assert_eq!(settled(&by_place.stdout), settled(&by_option.stdout), "{command}");
        let twice = bench.run(&command.replace("{}", "pool.csv --pool pool.csv"));
        assert_eq!(twice.status.code(), Some(2), "{command}");
    }
    for (name, pool) in [("one", "pool.csv"), ("two", "--pool pool.csv")] {
        let new = format!("new {name} {pool} --id id --maximize yield --mode calibrated --json");
        assert_eq!(bench.json(&new)["candidates"], 4);
    }
}

#[test]
fn every_command_with_an_answer_has_all_formats() {
    let bench = lab();
    bench.json("new screen pool.csv --id id --ignore sd --maximize yield --mode calibrated -n 2 --json");
    bench.run("ask screen");
    let commands = WITH_POOL.map(|command| command.replace("{}", "pool.csv"));
    let campaign = ["ask", "status", "status --candidate a", "log", "export", "verify"].map(|command| {
        let (command, rest) = command.split_once(' ').unwrap_or((command, ""));
        format!("{command} screen {rest}")
    });
    for command in commands.iter().chain(&campaign) {
        if command.starts_with("estimate") {
            continue;
        }
        let command = command.replace("--out design.json", "").replace("--out plan.json", "");
        if command.starts_with("round") || command.starts_with("certify") {
            bench.json("design pool.csv --id id --features x --polynomial-model 1 --out design.json --json");
        }
        for format in ["table", "csv", "json"] {
            let output = bench.run(&format!(
                "{command} --format {format} --out answer.{}",
                if format == "json" { "json" } else { "csv" }
            ));
            assert_eq!(output.status.code(), Some(0), "{command} {format}: {}", text(&output.stderr));
            let printed = text(&output.stdout);
            match format {
                "json" => {
                    let printed: Value = serde_json::from_str(&printed).unwrap();
                    let filed: Value = serde_json::from_str(&bench.text("answer.json")).unwrap();
                    assert!(printed.is_object() && filed.is_object(), "{command}");
                }
                "csv" => {
                    assert_eq!(printed, bench.text("answer.csv"), "{command}");
                    let commas = |line: &str| {
                        line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>()
                    };
                    let header = commas(printed.lines().next().unwrap());
                    assert!(
                        header > 0 && printed.lines().all(|line| commas(line) == header),
                        "{command}: {printed}"
                    );
                }
                _ => assert!(!printed.is_empty(), "{command}"),
            }
        }
        assert_eq!(bench.run(&format!("{command} --json --format csv")).status.code(), Some(2), "{command}");
    }
}

#[test]
fn commands_that_write_files_of_their_own_have_all_formats() {
    let bench = lab();
    bench.json("new screen pool.csv --id id --ignore sd --maximize yield --mode calibrated -n 2 --json");
    for (command, field) in [
        ("report screen --out page.html", "report"),
        ("demo --out demo", "campaign"),
        ("reproduce kernel --repetitions 2 --out figures", "files"),
        ("completions bash", "script"),
        ("man ask", "page"),
    ] {
        let run = |format: &str| {
            let output = bench.run(&format!("{command} --quiet {format}"));
            assert_eq!(output.status.code(), Some(0), "{command} {format}: {}", text(&output.stderr));
            text(&output.stdout)
        };
        assert_eq!(run("--format table"), run(""), "{command}");
        let json = run("--format json");
        assert_eq!(json, run("--json"), "{command}");
        assert!(!serde_json::from_str::<Value>(&json).unwrap()[field].is_null(), "{command}: {json}");
        let csv = run("--format csv");
        assert!(csv.starts_with("field,value\n") || csv.starts_with("experiment,panel,"), "{command}: {csv}");
        assert_eq!(bench.run(&format!("{command} --json --format csv")).status.code(), Some(2), "{command}");
    }
    // A text to install: the file is enough, unless stdout is asked for, too.
    for (command, file) in [("completions bash", "elfving.bash"), ("man ask", "elfving-ask.1")] {
        let printed = text(&bench.run(command).stdout);
        assert!(bench.run(&format!("{command} --out {file}")).stdout.is_empty());
        assert_eq!(bench.text(file), printed);
        assert_eq!(text(&bench.run(&format!("{command} --out {file} --format table")).stdout), printed);
    }
    assert_eq!(bench.run("completions bash --out pool.csv/x").status.code(), Some(5));
}

#[test]
fn a_noise_level_may_be_a_column_everywhere() {
    let bench = lab();
    let plan = |sigma: &str| {
        let mut plan = bench.json(&format!(
            "plan pool.csv --id id --ignore sd --maximize yield --sigma {sigma} --bound 5 --epsilon 2 --json"
        ));
        plan["by_batch"] = Value::Null;
        plan
    };
    // Its largest value counts, and the column is no feature.
    assert_eq!(plan("sd"), plan("0.3"));
    let new = "new screen pool.csv --id id --maximize yield --noise sub-gaussian --norm 9 --sigma sd --json";
    let made = bench.json(new);
    assert_eq!(made["spec"]["assumptions"]["sigma"], 0.3);
    assert_eq!(made["spec"]["recipe"]["columns"]["exclude"], serde_json::json!(["sd", "yield"]));
    for command in ["plan pool.csv --id id --bound 5 --epsilon 2", "complexity pool.csv --id id --gamma 1"] {
        assert_eq!(bench.run(&format!("{command} --sigma none")).status.code(), Some(3), "{command}");
        let auto = bench.run(&format!("{command} --sigma auto"));
        assert!(text(&auto.stderr).contains("--sigma auto is not available yet"), "{}", text(&auto.stderr));
    }
}

#[test]
fn the_world_of_a_simulation_and_what_is_assumed_of_it_are_two_things() {
    let bench = lab();
    let run = "simulate pool.csv --id id --ignore sd --maximize yield --goal regret --algorithm random --budget 3 --repetitions 2";
    let output = bench.run(&format!("{run} --sigma 0.5 --world-sigma 0.2 --bound 4"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let note = "note: the algorithms assume --sigma 0.5; the noise of the world is 0.2 (--world-sigma)\n";
    assert!(text(&output.stderr).contains(note), "{}", text(&output.stderr));
    // The direction names the truth; so does --truth, and they agree.
    let small = bench.json(&format!("{} --minimize yield --json", run.replace("--maximize yield", "")));
    let also =
        bench.json(&format!("{} --minimize yield --truth yield --json", run.replace("--maximize yield", "")));
    assert_eq!(small["algorithms"][0]["regret"], also["algorithms"][0]["regret"]);
    assert_eq!(bench.run(&format!("{run} --truth sd")).status.code(), Some(2));
    assert_eq!(bench.run(&run.replace("--maximize yield", "")).status.code(), Some(2));
}

#[test]
fn a_marker_means_the_same_in_features_and_outcomes() {
    let bench = Bench::new()
        .file("pool.csv", "id,x\na,0\nb,trace\nc,2\n")
        .file("done.csv", "id,yield\na,trace\nb,lost\n");
    let new = "new screen pool.csv --id id --maximize yield --mode calibrated --measured done.csv \
               --marker trace=0.5 --marker lost=failed --json";
    let made = bench.json(new);
    assert_eq!((&made["candidates"], &made["earlier"]), (&3.into(), &1.into()));
    let output = bench.run("design pool.csv --id id --marker trace=0.5 --json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(bench.run("design pool.csv --id id --marker trace=half").status.code(), Some(2));
}

#[test]
fn a_bare_one_hot_never_takes_the_pool_and_a_list_needs_an_equals_sign() {
    let bench = lab();
    let names = |arguments: &str| {
        bench.json(&format!("design {arguments} --ignore sd,yield --id id --json"))["feature_names"].clone()
    };
    assert_eq!(names("--one-hot pool.csv"), names("pool.csv --one-hot"));
    assert_eq!(names("--one-hot=kind pool.csv"), names("pool.csv --one-hot"));
    let output = bench.run("design pool.csv --id id --one-hot kind");
    assert_eq!(output.status.code(), Some(2));
    let help = "  help: columns of --one-hot follow an equals sign: --one-hot=kind\n";
    assert!(text(&output.stderr).contains(help), "{}", text(&output.stderr));
}

#[test]
fn old_spellings_are_refused_with_the_new_one() {
    let bench = lab();
    for (command, message) in [
        ("estimate pool.csv --sub-gaussian", "--sub-gaussian is now --noise sub-gaussian"),
        ("plan pool.csv --sub-gaussian", "--sub-gaussian is now --noise sub-gaussian"),
        ("simulate pool.csv --bounded-variance", "--bounded-variance is now --noise bounded-variance"),
        ("simulate pool.csv --noise student-t", "--noise student-t is now --world-noise"),
        ("simulate pool.csv --minimize --json", "--minimize is now --minimize COLUMN"),
        ("simulate pool.csv --repeats=3", "--repeats is now --repetitions"),
        ("round pool.csv --done x.csv", "--done is now --measured"),
        ("diagnose pool.csv --results x.csv", "--results is now --measured"),
        ("design pool.csv --missing n.d.=0", "--missing is now --marker"),
        ("status --top 3", "--top is now --show"),
        ("export --csv", "--csv is now --format csv"),
        ("ask -b 8", "-b is now -n"),
        ("round -b8", "-b is now --budget"),
        ("start", "there is no command \"start\""),
    ] {
        let output = bench.run(command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let stderr = text(&output.stderr);
        match command.contains("--json") {
            true => {
                let error: Value = serde_json::from_str(&stderr).unwrap();
                assert_eq!(error["error"]["message"], message);
            }
            false => assert!(stderr.starts_with(&format!("error[E200]: {message}\n  help: ")), "{stderr}"),
        }
        assert!(output.stdout.is_empty());
    }
    assert!(text(&bench.run("start").stderr).contains("elfving new"));
}

#[test]
fn errors_are_one_json_object_where_a_program_reads() {
    let bench = lab().file("bad.csv", "id,x\na,NaN\nb,1\nc,inf\n");
    for (command, code, exit) in [
        ("design bad.csv --id id --json", "E312", 3),
        ("design bad.csv --id id --format json", "E312", 3),
        ("--json design nowhere.csv", "E301", 3),
        ("design pool.csv --gamma -1 --json", "E201", 2),
        ("design pool.csv --nonsense --json", "E200", 2),
        ("plan pool.csv --json", "E200", 2),
        ("ask --json", "E209", 2),
        ("--json", "E200", 2),
        ("new screen pool.csv --json", "E202", 2),
    ] {
        let output = bench.run(command);
        let error: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|_| panic!("{command}: {}", text(&output.stderr)));
        let error = &error["error"];
        assert_eq!(
            (error["code"].as_str(), error["exit"].as_i64()),
            (Some(code), Some(exit)),
            "{command}: {error}"
        );
        assert_eq!(output.status.code(), Some(exit as i32), "{command}");
        assert!(!error["message"].as_str().unwrap().is_empty() && output.stdout.is_empty(), "{command}");
    }
    let output = bench.run("design bad.csv --id id --json");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["problems"][1]["line"], 4);
    assert_eq!(error["error"]["total"], 2);
    assert!(error["error"]["help"].is_string());
    // What was noted on the way is part of the object.
    let output = bench.run("design pool.csv --id id --criterion c --json");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["notes"][0].as_str().unwrap().contains("W304"), "{error}");
    bench.json("new screen pool.csv --id id --maximize yield --mode calibrated --json");
    std::fs::write(bench.path("results.csv"), "slot,yield\nS0001X,1\n").unwrap();
    let output = bench.run("tell screen results.csv --json");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["record"].as_str().unwrap().contains("nothing was written"), "{error}");
}

#[test]
fn topics_and_words_that_people_try_lead_somewhere() {
    let bench = Bench::new();
    for topic in ["campaign", "campaigns", "options"] {
        let output = bench.run(&format!("help {topic}"));
        assert_eq!(output.status.code(), Some(0), "{topic}");
        assert!(
            text(&output.stdout).contains("--help") || text(&output.stdout).contains("--sigma"),
            "{topic}"
        );
    }
    assert!(text(&bench.run("campaign").stderr).contains("elfving help campaign"));
}
