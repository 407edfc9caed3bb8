//! `cargo xtask peers`: Elfving beside the solvers people use today, in one run on one machine.
//!
//! The comparison is Python (`xtask/peers`), in a virtual environment of its own below `target`.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Builds the program, prepares the environment and runs `xtask/peers/design.py` with the given options.
///
/// # Errors
/// When Python 3, the packages or the program cannot be had, or the comparison fails.
pub fn design(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let scripts = workspace.root.join("xtask/peers");
    let python = environment(workspace, "peers-venv", &scripts.join("requirements.txt"))?;
    workspace.run(workspace.cargo(&["build", "--release", "--package", "elfving-cli"]))?;
    let mut comparison = workspace.program(python);
    comparison.arg(scripts.join("design.py"));
    comparison.arg("--elfving").arg(program_in(&workspace.target.join("release"), "elfving"));
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
