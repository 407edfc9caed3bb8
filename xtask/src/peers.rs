//! `cargo xtask peers`: Elfving beside the solvers people use today, in one run on one machine.
//!
//! The comparison is Python (`xtask/peers`), in a virtual environment of its own below `target`.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Designs: builds the program, prepares the environment and runs `xtask/peers/design.py` with the given options.
///
/// # Errors
/// When Python 3, the packages or the program cannot be had, or the comparison fails.
pub fn design(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--release", "--package", "elfving-cli"];
    compare(workspace, "design.py", &build, &["elfving"], options)
}

/// Estimates: builds the example `estimate_peer`, prepares the environment and runs `xtask/peers/estimate.py`.
///
/// # Errors
/// When Python 3, the packages or the example cannot be had, or the comparison fails.
pub fn estimate(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--release", "--package", "elfving", "--example", "estimate_peer"];
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
    comparison.arg("--out").arg(workspace.target.join("peers-campaigns"));
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
    let build = ["build", "--release", "--package", "elfving", "--example", "rounding_times"];
    workspace.run(workspace.cargo(&build))?;
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join("rounding.py"));
    let examples = workspace.target.join("release").join("examples");
    comparison.arg("--program").arg(program_in(&examples, "rounding_times"));
    comparison.args(options);
    workspace.run(comparison)
}

/// The interpreter of a virtual environment that holds exactly the pinned requirements.
fn environment(workspace: &Workspace, name: &str, requirements: &Path) -> Result<PathBuf, String> {
    let folder = workspace.target.join(name);
    let python = program_in(&folder.join(if cfg!(windows) { "Scripts" } else { "bin" }), "python");
    let wanted =
        std::fs::read_to_string(requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let stamp = folder.join("installed-requirements.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let mut create = workspace.program("python3");
    create.args(["-m", "venv", "--clear"]).arg(&folder);
    workspace.run(create).map_err(|e| {
        format!("{e}\nthe comparison needs Python 3 with its venv module (on Debian and Ubuntu: apt install python3-venv)")
    })?;
    let mut install = workspace.program(&python);
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(requirements);
    workspace.run(install)?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

fn program_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
