//! `cargo xtask`: parse the task, run it, turn its answer into an exit code.

use std::process::ExitCode;

use xtask::workspace::Workspace;
use xtask::{layers, peers, test, wheel};

const USAGE: &str = "\
cargo xtask test [--only STEP]... [--slow]   everything a change must pass
                                             steps: fmt, layers, clippy, test, doctest, doc, browser, python; --slow adds: slow
cargo xtask layers                           no module and no crate uses one above it
cargo xtask wheel                            the Python package, in target/wheels
cargo xtask bench [FILTER]                   the benchmarks whose name contains FILTER
cargo xtask peers design [OPTIONS]           Elfving beside other solvers; options go to xtask/peers/design.py
cargo xtask peers rounding [OPTIONS]         regret minimisation beside a plain numpy loop; xtask/peers/rounding.py
cargo xtask peers estimate [OPTIONS]         estimates beside numpy and scipy; options go to xtask/peers/estimate.py
cargo xtask peers experiment [OPTIONS]       the paper's first experiment beside numpy and scipy; xtask/peers/experiment.py
cargo xtask peers campaigns [OPTIONS]        whole campaigns beside BoTorch, BayBE and Optuna; xtask/peers/campaigns.py
cargo xtask peers reliability [OPTIONS]      what campaigns say of the next batch, against what happened; xtask/peers/reliability.py";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let workspace = match Workspace::find() {
        Ok(workspace) => workspace,
        Err(problem) => return failed(&problem),
    };
    let outcome = match words.as_slice() {
        ["test", options @ ..] => match test::Selection::parse(options) {
            Ok(selection) => test::run(&workspace, &selection),
            Err(problem) => return misused(&problem),
        },
        ["layers"] => layers::run(&workspace),
        ["wheel"] => wheel::release(&workspace).map(drop),
        ["bench", filter @ ..] if filter.len() <= 1 => bench(&workspace, filter),
        ["peers", "campaigns", options @ ..] => peers::campaigns(&workspace, options),
        ["peers", "design", options @ ..] => peers::design(&workspace, options),
        ["peers", "estimate", options @ ..] => peers::estimate(&workspace, options),
        ["peers", "experiment", options @ ..] => peers::experiment(&workspace, options),
        ["peers", "reliability", options @ ..] => peers::reliability(&workspace, options),
        ["peers", "rounding", options @ ..] => peers::rounding(&workspace, options),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => return misused("this is not a task"),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => failed(&problem),
    }
}

fn bench(workspace: &Workspace, filter: &[&str]) -> Result<(), String> {
    // Bench targets alone: `cargo bench` would also build every library with its unit-test harness.
    let mut command = workspace.cargo(&["bench", "--workspace", "--bench", "*"]);
    if !filter.is_empty() {
        command.arg("--").args(filter);
    }
    workspace.run(command)
}

fn failed(problem: &str) -> ExitCode {
    eprintln!("error: {problem}");
    ExitCode::FAILURE
}

fn misused(problem: &str) -> ExitCode {
    eprintln!("error: {problem}\n\n{USAGE}");
    ExitCode::from(2)
}
