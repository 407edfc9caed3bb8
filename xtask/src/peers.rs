//! `cargo xtask peers`: Elfving beside the solvers people use today, in one run on one machine.
//!
//! The comparison is Python (`xtask/peers`), in a virtual environment of its own below `target`.

use crate::python::{environment, program_in};
use crate::wheel;
use crate::workspace::Workspace;

/// Designs: builds the Python package, installs it beside the peers and runs `xtask/peers/design.py` with the given options.
///
/// # Errors
/// When Python 3, the packages or the wheel cannot be had, or the comparison fails.
pub fn design(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let scripts = workspace.root.join("xtask/peers");
    let python = environment(workspace, "peers-venv", &scripts.join("requirements.txt"))?;
    wheel::install(workspace, &python, &wheel::release(workspace)?)?;
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join("design.py")).args(options);
    workspace.run(comparison)
}

/// Estimates: builds the example `estimate_peer`, prepares the environment and runs `xtask/peers/estimate.py`.
///
/// # Errors
/// When Python 3, the packages or the example cannot be had, or the comparison fails.
pub fn estimate(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--release", "--package", "elfving-lab", "--example", "estimate_peer"];
    compare(workspace, "estimate.py", &build, &["examples", "estimate_peer"], options)
}

/// The paper's first experiment: builds the program and runs `xtask/peers/experiment.py`, the same in numpy and scipy.
///
/// # Errors
/// As [`design`].
pub fn experiment(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--release", "--package", "elfving-cli"];
    compare(workspace, "experiment.py", &build, &["elfving"], options)
}

/// Reliability: builds the example `reliability` and runs `xtask/peers/reliability.py`, which needs no packages.
///
/// # Errors
/// When Python 3 cannot be had, or the build or the script fails.
pub fn reliability(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--release", "--package", "elfving-lab", "--example", "reliability"];
    workspace.run(workspace.cargo(&build))?;
    let examples = workspace.target.join("release").join("examples");
    let mut script = workspace.program("python3");
    script.arg(workspace.root.join("xtask/peers/reliability.py"));
    script.arg("--program").arg(program_in(&examples, "reliability"));
    script.arg("--out").arg(workspace.target.join("reliability"));
    script.args(options);
    workspace.run(script)
}

/// Campaigns: builds the example `campaign_peer` and runs `xtask/peers/campaigns.py` in an environment with BoTorch, BayBE and Optuna
/// (some gigabytes).
///
/// # Errors
/// As [`design`].
pub fn campaigns(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let scripts = workspace.root.join("xtask/peers");
    let python = environment(workspace, "peers-campaigns-venv", &scripts.join("campaigns-requirements.txt"))?;
    workspace.run(workspace.cargo(&[
        "build",
        "--release",
        "--package",
        "elfving-cli",
        "--example",
        "campaign_peer",
    ]))?;
    let examples = workspace.target.join("release").join("examples");
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join("campaigns.py"));
    comparison.arg("--elfving").arg(program_in(&examples, "campaign_peer"));
    comparison.arg("--results").arg(workspace.target.join("campaigns.csv"));
    comparison.args(options);
    workspace.run(comparison)
}

/// Runs a script beside a program that `build` makes at the path `program` below `target/release`.
fn compare(
    workspace: &Workspace,
    script: &str,
    build: &[&str],
    program: &[&str],
    options: &[&str],
) -> Result<(), String> {
    let scripts = workspace.root.join("xtask/peers");
    let python = environment(workspace, "peers-venv", &scripts.join("requirements.txt"))?;
    workspace.run(workspace.cargo(build))?;
    let (name, folders) = program.split_last().expect("a program has a name");
    let folder = folders.iter().fold(workspace.target.join("release"), |path, part| path.join(part));
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join(script));
    comparison.arg("--elfving").arg(program_in(&folder, name));
    comparison.args(options);
    workspace.run(comparison)
}

/// Builds one run of regret minimisation and puts it beside `xtask/peers/rounding.py`, a plain numpy loop of the same.
///
/// # Errors
/// As [`design`].
pub fn rounding(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let scripts = workspace.root.join("xtask/peers");
    let python = environment(workspace, "peers-rounding-venv", &scripts.join("rounding-requirements.txt"))?;
    let build = ["build", "--release", "--package", "elfving-lab", "--example", "rounding_times"];
    workspace.run(workspace.cargo(&build))?;
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join("rounding.py"));
    let examples = workspace.target.join("release").join("examples");
    comparison.arg("--program").arg(program_in(&examples, "rounding_times"));
    comparison.args(options);
    workspace.run(comparison)
}
