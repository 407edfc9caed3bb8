//! The Python package: `cargo xtask wheel` builds it to give away, the step `python` of `cargo xtask test` to try it out.

use std::path::{Path, PathBuf};

use crate::python::environment;
use crate::workspace::Workspace;

/// A wheel above this is refused: nobody should wait for it.
const LARGEST_WHEEL: u64 = 8_000_000;

/// The environment with the build tool and everything the tests need.
fn interpreter(workspace: &Workspace) -> Result<PathBuf, String> {
    environment(workspace, "python-venv", &workspace.root.join("python/requirements-test.txt"))
}

/// Builds the wheel as it is given away and checks its size.
///
/// # Errors
/// No Python, a build that fails, a wheel that is too large.
pub fn release(workspace: &Workspace) -> Result<PathBuf, String> {
    let python = interpreter(workspace)?;
    let wheel = build(workspace, &python, "release", &[], "wheels")?;
    let bytes = std::fs::metadata(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
    let size = format!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    println!("{size}");
    if bytes < LARGEST_WHEEL { Ok(wheel) } else { Err(format!("{size}, more than {LARGEST_WHEEL} bytes")) }
}

/// Builds the wheel like the other tests are built, installs it, and runs the tests, the doc tests and the type checks.
///
/// # Errors
/// The first of these that fails.
pub fn test(workspace: &Workspace) -> Result<(), String> {
    let python = interpreter(workspace)?;
    let wheel = build(workspace, &python, "dev", &["--features", "testing"], "test-wheels")?;
    install(workspace, &python, &wheel)?;
    // Numbers and campaign files are compared with those of the program.
    let program = workspace.built_program()?;
    let folder = workspace.root.join("python");
    let mut tests = workspace.program(&python);
    // Nothing is left beside the sources.
    tests.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).arg(folder.join("tests"));
    tests.arg("--rootdir").arg(&folder).arg("--config-file").arg(folder.join("pyproject.toml"));
    tests.env("PYTHONDONTWRITEBYTECODE", "1").env("ELFVING_PROGRAM", program);
    tests.env("HYPOTHESIS_STORAGE_DIRECTORY", workspace.target.join("hypothesis"));
    workspace.run(tests)?;
    let cache = workspace.target.join("mypy");
    let mut types = workspace.program(&python);
    types.args(["-m", "mypy", "--config-file"]).arg(folder.join("pyproject.toml"));
    types.arg("--cache-dir").arg(&cache).arg(folder.join("python/elfving"));
    workspace.run(types)?;
    let mut stubs = workspace.program(&python);
    stubs.args(["-m", "mypy.stubtest", "--concise", "elfving"]).current_dir(&workspace.target);
    stubs.arg("--mypy-config-file").arg(folder.join("pyproject.toml"));
    workspace.run(stubs)
}

/// Installs a wheel into an environment that has what it needs, in place of an earlier one.
///
/// # Errors
/// When pip does not take it.
pub fn install(workspace: &Workspace, python: &Path, wheel: &Path) -> Result<(), String> {
    let mut install = workspace.program(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
    install.arg("--no-deps").arg(wheel);
    workspace.run(install)
}

/// Builds the wheel with a profile and features; it is the only one in its folder.
fn build(
    workspace: &Workspace,
    python: &Path,
    profile: &str,
    features: &[&str],
    folder: &str,
) -> Result<PathBuf, String> {
    let out = workspace.target.join(folder);
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    let mut maturin = workspace.program(python);
    maturin
        .args(["-m", "maturin", "build", "--quiet", "--profile", profile])
        .args(features)
        .arg("--manifest-path");
    maturin.arg(workspace.root.join("python/Cargo.toml"));
    maturin.arg("--interpreter").arg(python).arg("--out").arg(&out);
    workspace.run(maturin)?;
    let files = std::fs::read_dir(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let wheels = files.filter_map(|file| file.ok().map(|file| file.path()));
    let mut wheels = wheels.filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheels.next().ok_or_else(|| format!("{}: there is no wheel", out.display()))
}
