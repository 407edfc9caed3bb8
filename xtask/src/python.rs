//! Python environments that a task sets up for itself.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// The interpreter of a virtual environment that holds exactly the pinned requirements.
///
/// # Errors
/// No Python 3, or a requirement that cannot be installed.
pub fn environment(workspace: &Workspace, name: &str, requirements: &Path) -> Result<PathBuf, String> {
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
        format!(
            "{e}\nthis needs Python 3 with its venv module (on Debian and Ubuntu: apt install python3-venv)"
        )
    })?;
    let mut install = workspace.program(&python);
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(requirements);
    workspace.run(install)?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// A program in a folder, with the extension of this system.
pub fn program_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
