//! Every example runs: those of `--help`, and every `elfving` command in README.md and docs/.

use crate::common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use common::Bench;

/// A folder with every table that an example names.
fn lab() -> Bench {
    let bench = Bench::with_examples();
    std::fs::create_dir(bench.path("examples")).unwrap();
    std::fs::create_dir(bench.path("campaigns")).unwrap();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")).unwrap() {
        let from = entry.unwrap().path();
        std::fs::copy(&from, bench.path("examples").join(from.file_name().unwrap())).unwrap();
    }
    for folder in [".local/share/bash-completion/completions", ".config/fish/completions"] {
        std::fs::create_dir_all(bench.path(folder)).unwrap();
    }
    let grid = || (0..24).map(|k| ((k % 6) as f64 / 5.0, (k / 6) as f64 / 3.0));
    let value = |x: f64, y: f64| 1.0 - (x - 0.6).powi(2) - (y - 0.3).powi(2);
    let ids: Vec<String> = (0..24).map(|k| format!("{}{}", ["a", "b"][k / 12], k % 12 + 1)).collect();
    let table = |header: &str, line: &dyn Fn(usize, f64, f64) -> String| {
        let lines: String = grid().enumerate().map(|(k, (x, y))| line(k, x, y) + "\n").collect();
        format!("{header}\n{lines}")
    };
    let pool = table("id,x,y,solvent,sd,guess,yield", &|k, x, y| {
        let (mean, solvent) = (value(x, y), ["DMAc", "PhMe"][k % 2]);
        let sd = 0.05 + 0.01 * (k % 3) as f64;
        format!("{},{x},{y},{solvent},{sd},{:.3},{mean:.3}", ids[k], 0.9 * mean)
    });
    let plain = table("id,x,y", &|k, x, y| format!("{},{x},{y}", ids[k]));
    let candidates = table("name,temperature,time,yield", &|k, x, y| {
        format!("{},{},{},", ids[k], 20.0 + 80.0 * x, 5.0 + 55.0 * y)
    });
    let reactions = table("id,ligand,solvent,temperature,yield", &|k, x, y| {
        let (ligand, solvent) = (["XPhos", "PPh3", "dppf"][k % 3], ["DMAc", "PhMe"][k % 2]);
        format!("R{k:02},{ligand},{solvent},{},{:.2}", 90.0 + 15.0 * y, value(x, y) + 0.1 * (k % 3) as f64)
    });
    let kernels = table("id,block,ms", &|k, x, y| format!("{},{},{:.2}", ids[k], 1 << (k % 8), 9.0 * x + y));
    let measured: String = ids[..12]
        .iter()
        .zip(grid())
        .flat_map(|(id, (x, y))| (0..3).map(move |r| format!("{id},{:.3}\n", value(x, y) + 0.01 * r as f64)))
        .collect();
    let repeats: String = ids
        .iter()
        .zip(grid())
        .flat_map(|(id, (x, y))| (0..2).map(move |r| format!("{id},{:.2}\n", 9.0 * x + y + 0.1 * r as f64)))
        .collect();
    bench
        .file("pool.csv", &pool)
        .file("measurable.csv", &plain)
        .file("orderable.csv", &plain.replace("a1,", "z1,"))
        .file("candidates.csv", &candidates)
        .file("orders.csv", &candidates)
        .file("reactions.csv", &reactions)
        .file("kernels.csv", &kernels)
        .file("measured.csv", &format!("id,yield\n{measured}"))
        .file("repeats.csv", &format!("id,ms\n{repeats}"))
        .file("ranges.csv", "factor,low,high\ntemp,20,100\ntime,1,3\n")
        .file("skip.csv", "id\nR03\n")
        .file("others.csv", "id,yield\na3,0.4\na3,0.5\n")
        .file("more.csv", "id,x,y,solvent\nc1,0.5,0.5,MeCN\nc2,0.7,0.5,MeCN\n")
        .file("sold-out.csv", "id\nb7\n")
        .file("done.csv", "id,yield\nR01,0.5\n")
        .file("results.csv", "id,count\na1,2\n")
        .file("measure.sh", "read row\necho 0.5\n")
}

/// Fills in the outcomes of every lab sheet in the folder, as the comments of the examples ask; `open` lines stay empty.
fn measure(bench: &Bench, open: usize) {
    for entry in std::fs::read_dir(bench.path("")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|extension| extension != "csv") || !text.starts_with("slot,") {
            continue;
        }
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let outcome = |name: &&str| ["outcome", "yield", "response", "ms"].contains(name);
        let Some(at) = header.iter().rposition(outcome) else { continue };
        // Cells behind the reason are counted from the end: it may hold a comma.
        let behind = header.len() - at;
        let count = text.lines().count();
        let filled = text.lines().enumerate().map(|(k, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            let at = cells.len() - behind;
            if k > 0 && k < count - open && cells[at].is_empty() {
                cells[at] = format!("0.{}", 4 + k % 5);
            }
            cells.join(",")
        });
        std::fs::write(&path, filled.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    }
}

/// The commands of a text, one line each, comments and prompts left out, continued lines joined.
fn commands<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut continued = false;
    for line in lines {
        let line = line.trim_start().trim_start_matches("$ ");
        let line = line.split("  #").next().unwrap().trim_end();
        let (text, goes_on) = match line.strip_suffix('\\') {
            Some(text) => (text.trim_end(), true),
            None => (line, false),
        };
        match text.strip_prefix("cargo run --release -- ") {
            _ if continued => *found.last_mut().unwrap() += &format!(" {text}"),
            Some(rest) => found.push(format!("elfving {rest}")),
            None if text.starts_with("elfving ") => found.push(text.to_owned()),
            None => continue,
        }
        continued = goes_on;
    }
    found
}

/// The same in seconds: simulations are run once, the longest ones are shortened.
fn quick(command: &str) -> String {
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let simulates = words.get(1).is_some_and(|name| ["simulate", "reproduce"].contains(&name.as_str()));
    let mut set = |option: &str, most: usize| match words.iter().position(|word| word == option) {
        Some(at) => {
            let given: usize = words[at + 1].parse().unwrap();
            words[at + 1] = given.min(most).to_string();
        }
        None if option == "--repetitions" => words.extend([option.to_owned(), most.to_string()]),
        None => {}
    };
    if simulates {
        set("--repetitions", 2);
        set("--budget", 60);
    }
    words.join(" ")
}

/// Runs commands one after the other in one folder, with a shell, as a reader would.
fn run_all(bench: &Bench, what: &str, commands: &[String], open: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_elfving")).parent().unwrap().to_owned();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    for command in commands {
        if command.starts_with("elfving serve") && !command.starts_with("elfving serve token") {
            serves(bench, what, command);
            continue;
        }
        let output = Command::new("sh")
            .args(["-c", &quick(command)])
            .current_dir(bench.path(""))
            .env("PATH", &path)
            .env("HOME", bench.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{what}: {command}\n{said}");
        measure(bench, open);
    }
}

/// A server that an example starts says where it is; nobody waits for its end. It takes a port that is free.
fn serves(bench: &Bench, what: &str, command: &str) {
    let arguments = command.strip_prefix("elfving ").unwrap().replace(":8080", ":0");
    let listen = if arguments.contains("--listen") { "" } else { " --listen 127.0.0.1:0" };
    let mut server = bench.command(&format!("{arguments}{listen}")).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.starts_with("http://"), "{what}: {command}: {line}");
}

/// What has to be there before the examples of a command.
fn before(bench: &Bench, command: &str) {
    let new = "new screen pool.csv --id id --ignore sd,guess --maximize yield --mode calibrated --plate 96 --quiet --json";
    let told =
        ["correct", "status", "report", "log", "export", "verify", "change", "extend", "forbid", "allow"];
    let asked = told.contains(&command) || ["tell", "release"].contains(&command);
    if asked || command == "ask" {
        bench.json(new);
    }
    if command == "watch" {
        bench.json(&format!("{new} --budget 12"));
    }
    if asked {
        bench.json("ask screen --out batch.csv --quiet --json");
        // One slot stays open: the round can still be corrected and closed.
        measure(bench, 1);
    }
    if told.contains(&command) {
        bench.json("tell screen batch.csv --json");
    }
    if ["round", "estimate"].contains(&command) {
        bench.json(
            "design pool.csv --id id --ignore sd,guess --outcome yield --out design.json --quiet --json",
        );
    }
}

#[test]
fn every_example_of_the_help_runs() {
    let bench = Bench::new();
    let help = String::from_utf8(bench.run("--help").stdout).unwrap();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // A description that goes on in the next line stands further in.
    let entries = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = entries.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"new") && names.contains(&"reproduce"), "{names:?}");
    for name in names {
        if name == "help" {
            continue;
        }
        let help = String::from_utf8(bench.run(&format!("{name} --help")).stdout).unwrap();
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{name} has no examples"));
        // Examples stand two spaces in, what they do six.
        let examples = examples.split("\n\n").next().unwrap();
        let found = commands(examples.lines());
        assert!(!found.is_empty(), "{name}");
        let lab = lab();
        before(&lab, name);
        run_all(&lab, &format!("elfving {name} --help"), &found, usize::from(name == "tell"));
    }
    let start = help.split("Start with:").nth(1).unwrap().replace("or:", "");
    let found = commands(start.lines());
    assert_eq!(found.len(), 2, "{start}");
    run_all(&lab(), "elfving --help", &found, 0);
}

#[test]
fn every_command_of_the_pages_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    let mut docs: Vec<_> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    docs.sort();
    pages.extend(docs.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    let mut count = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = text.split("```").skip(1).step_by(2);
        let shell = |block: &&str| block.starts_with("sh\n") || block.starts_with("console\n");
        let found: Vec<String> = blocks.filter(shell).flat_map(|block| commands(block.lines())).collect();
        count += found.len();
        run_all(&lab(), &page.display().to_string(), &found, 0);
    }
    assert!(count > 30, "{count}");
}

#[test]
fn a_broken_example_is_noticed() {
    let broken = ["elfving design pool.csv --id id --one-hot all".to_owned()];
    let lab = lab();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_all(&lab, "test", &broken, 0)));
    assert!(caught.is_err());
    let block =
        "sh\n# a comment\n$ elfving a --b \\\n    --c   # why\nelfving d\ncargo run --release -- demo\nls\n";
    assert_eq!(commands(block.lines()), ["elfving a --b --c", "elfving d", "elfving demo"]);
}
