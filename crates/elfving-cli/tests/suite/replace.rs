//! No output of any command replaces an input, a campaign, or a file of another kind.

use crate::common;

use common::Bench;

const POOL: &str = "id,dose,y\na,0,0.1\nb,1,0.5\nc,2,0.3\nd,3,0.2\n";

/// Every command with `--out`, but for those that write a folder, with the inputs it reads.
const COMMANDS: [(&str, &[&str]); 26] = [
    (
        "new other pool.csv --targets targets.csv --id id --maximize y --mode calibrated --measured done.csv --forbid skip.csv",
        &["pool.csv", "targets.csv", "done.csv", "skip.csv"],
    ),
    ("ask screen", &["screen.elfving"]),
    ("tell screen results.csv", &["screen.elfving", "results.csv"]),
    ("watch screen --once -- true", &["screen.elfving"]),
    ("release screen --worker me", &["screen.elfving"]),
    ("change screen --batch 3 --reason why", &["screen.elfving"]),
    ("extend screen targets.csv --reason why", &["screen.elfving", "targets.csv"]),
    ("forbid screen skip.csv --reason why", &["screen.elfving", "skip.csv"]),
    ("allow screen skip.csv --reason why", &["screen.elfving", "skip.csv"]),
    ("status screen", &["screen.elfving"]),
    ("report screen", &["screen.elfving"]),
    ("correct screen S0001C 0.4 --reason why", &["screen.elfving"]),
    ("log screen", &["screen.elfving"]),
    ("export screen", &["screen.elfving"]),
    ("verify screen", &["screen.elfving"]),
    ("pool ranges.csv --levels 3", &["ranges.csv"]),
    (
        "design pool.csv --targets targets.csv --id id --outcome y --warm design.json",
        &["pool.csv", "targets.csv", "design.json"],
    ),
    (
        "round pool.csv --design design.json --budget 5 --measured done.csv",
        &["pool.csv", "design.json", "done.csv"],
    ),
    (
        "estimate pool.csv --plan plan.json --results results.csv --sigma 1",
        &["pool.csv", "plan.json", "results.csv"],
    ),
    (
        "simulate pool.csv --id id --maximize y --records done.csv --algorithm random --budget 3 --repetitions 2",
        &["pool.csv", "done.csv"],
    ),
    ("complexity pool.csv --id id --maximize y", &["pool.csv"]),
    ("plan pool.csv --id id --maximize y --epsilon 0.1 --sigma 0.1 --bound 1", &["pool.csv"]),
    ("diagnose pool.csv --id id --outcome y --measured done.csv", &["pool.csv", "done.csv"]),
    ("certify design.json pool.csv", &["design.json", "pool.csv"]),
    ("completions bash", &[]),
    ("man ask", &[]),
];

fn bench() -> Bench {
    let bench = Bench::new()
        .file("pool.csv", POOL)
        .file("targets.csv", POOL)
        .file("done.csv", "id,y\na,0.1\nb,0.4\n")
        .file("ranges.csv", "factor,low,high\ndose,0,3\n")
        .file("skip.csv", "id\nd\n")
        .file("results.csv", "slot,y\nS0001C,0.4\n")
        .file("page.csv", "<!doctype html><title>mine</title>")
        .file("page.json", "<!doctype html><title>mine</title>");
    for command in [
        "new screen pool.csv --id id --maximize y --mode calibrated",
        "design pool.csv --id id --outcome y --out design.json",
        "round pool.csv --design design.json --budget 5 --out plan.json",
    ] {
        assert_eq!(bench.run(command).status.code(), Some(0), "{command}");
    }
    for copy in ["campaign.csv", "campaign.json", "campaign.html", "campaign.svg", "campaign.png"] {
        std::fs::copy(bench.path("screen.elfving"), bench.path(copy)).unwrap();
    }
    #[cfg(unix)]
    for k in 0..2 {
        let (name, link) = [("pool.csv", "soft.csv"), ("design.json", "soft.json")][k];
        std::os::unix::fs::symlink(bench.path(name), bench.path(link)).unwrap();
        let hard = link.replace("soft", "hard");
        std::fs::hard_link(bench.path(name), bench.path(&hard)).unwrap();
    }
    bench
}

fn contents(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(bench.path(""))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// A command with one more option, before the command that it runs.
fn with(command: &str, option: &str) -> String {
    match command.split_once(" -- ") {
        Some((command, rest)) => format!("{command} {option} -- {rest}"),
        None => format!("{command} {option}"),
    }
}

#[track_caller]
fn is_refused(bench: &Bench, before: &[(String, Vec<u8>)], command: &str, name: &str) {
    let output = bench.run(command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{command}\n{said}");
    assert!(said.starts_with("error[E210]: "), "{command}\n{said}");
    assert!(said.contains(name) && said.contains("help: choose another name, such as "), "{command}\n{said}");
    assert!(contents(bench) == before, "{command} changed a file");
}

#[test]
fn no_out_replaces_an_input_a_campaign_or_a_file_of_another_kind() {
    let bench = bench();
    let before = contents(&bench);
    for (command, inputs) in COMMANDS {
        let more = match command.starts_with("report") {
            true => vec!["campaign.html"],
            false => vec!["campaign.csv", "campaign.json", "page.csv", "page.json"],
        };
        for name in inputs.iter().copied().chain(more) {
            is_refused(&bench, &before, &with(command, &format!("--out {name}")), name);
            // Another spelling of the same file.
            is_refused(&bench, &before, &with(command, &format!("--out=./{name}")), name);
        }
        #[cfg(unix)]
        for (input, kind) in [("pool.csv", "csv"), ("design.json", "json")] {
            if inputs.contains(&input) {
                for link in [format!("soft.{kind}"), format!("hard.{kind}")] {
                    is_refused(&bench, &before, &with(command, &format!("--out {link}")), &link);
                }
            }
        }
    }
}

#[test]
fn no_picture_replaces_a_campaign() {
    let bench = bench();
    let before = contents(&bench);
    for (command, _) in COMMANDS {
        if ["design", "round", "estimate", "simulate", "plan"].contains(&command.split(' ').next().unwrap()) {
            for name in ["campaign.svg", "campaign.png"] {
                is_refused(&bench, &before, &format!("{command} --plot {name}"), name);
            }
        }
    }
}

#[test]
fn the_table_of_commands_is_complete() {
    let bench = Bench::new();
    let help = String::from_utf8(bench.run("--help").stdout).unwrap();
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    for name in names.filter(|name| !["demo", "reproduce", "help"].contains(name)) {
        let page = String::from_utf8(bench.run(&format!("{name} --help")).stdout).unwrap();
        let known = COMMANDS.iter().any(|(command, _)| command.split(' ').next() == Some(name));
        assert_eq!(page.contains("--out <"), known, "{name}");
    }
}

#[test]
fn a_report_is_a_page_and_its_usual_name_is_checked_too() {
    let bench = bench();
    let output = bench.run("report screen --out screen.pdf");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("error[E204]: a report is written as .html, not as \"screen.pdf\""), "{said}");
    assert!(said.contains("screen.html"), "{said}");
    // The campaign has the name that its report would get.
    let before = contents(&bench);
    is_refused(&bench, &before, "report campaign.html", "campaign.html");
    // A page may be written again.
    assert_eq!(bench.run("report screen").status.code(), Some(0));
    assert_eq!(bench.run("report screen").status.code(), Some(0));
}

#[test]
fn outputs_replace_outputs() {
    let bench = bench();
    for name in ["design.csv", "other.json"] {
        for _ in 0..2 {
            let output = bench.run(&format!("design pool.csv --id id --outcome y --out {name} --plot d.svg"));
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn a_demo_replaces_a_demo_and_no_other_campaign() {
    let bench = bench();
    std::fs::copy(bench.path("screen.elfving"), bench.path("demo.elfving")).unwrap();
    let before = contents(&bench);
    let output = bench.run("demo --out .");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("error[E210]") && said.contains("demo.elfving"), "{said}");
    assert!(contents(&bench) == before);
}
