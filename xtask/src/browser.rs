//! `cargo xtask test --only browser`: the reports and the server in a real browser.

use std::path::{Path, PathBuf};

use crate::python::environment;
use crate::workspace::Workspace;

/// Programs that can show a page, the first one found is taken.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Writes reports with the program and the tests of campaigns, looks at them in a headless browser, and goes through the pages of the
/// server there.
///
/// # Errors
/// No browser, no Python, or a report that does not pass.
pub fn run(workspace: &Workspace) -> Result<(), String> {
    let browser = browser(workspace)?;
    let scripts = workspace.root.join("xtask/browser");
    let python = environment(workspace, "browser-venv", &scripts.join("requirements.txt"))?;
    let reports = reports(workspace)?;
    let pictures = workspace.target.join("pictures");
    std::fs::create_dir_all(&pictures).map_err(|error| format!("{}: {error}", pictures.display()))?;
    let mut tests = workspace.program(python);
    // Nothing is left beside the sources.
    tests
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg(scripts.join("test_report.py"))
        .arg(scripts.join("test_serve.py"));
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("ELFVING_BROWSER", browser).env("ELFVING_REPORTS", reports);
    tests.env("ELFVING_PROGRAM", workspace.built_program()?).env("ELFVING_PICTURES", pictures);
    workspace.run(tests)
}

/// A folder with the report of the demonstration and those that the tests of campaigns leave.
fn reports(workspace: &Workspace) -> Result<PathBuf, String> {
    let folder = workspace.target.join("tmp");
    if !workspace.tested.get() {
        let test = ["test", "--package", "elfving-campaign", "--test", "suite", "--quiet", "report::"];
        workspace.run(workspace.cargo(&test))?;
    }
    let demo = workspace.target.join("demo");
    let mut run = workspace.program(workspace.built_program()?);
    run.args(["demo", "--quiet", "--out"]).arg(&demo);
    workspace.run(run)?;
    copy(&demo.join("report.html"), &folder.join("report-demo.html"))?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

/// The path of a browser; on Debian it is installed where there is none and we may.
fn browser(workspace: &Workspace) -> Result<PathBuf, String> {
    if let Some(found) = found() {
        return Ok(found);
    }
    if on_path("apt-get").is_some() {
        let mut update = workspace.program("apt-get");
        update.args(["update", "--quiet"]);
        let mut install = workspace.program("apt-get");
        install.args([
            "install",
            "--yes",
            "--quiet",
            "--no-install-recommends",
            "chromium",
            "fonts-dejavu-core",
        ]);
        install.env("DEBIAN_FRONTEND", "noninteractive");
        workspace.run(update).and_then(|()| workspace.run(install))?;
    }
    found().ok_or_else(|| {
        format!("the report is looked at in a browser; install one of {}", BROWSERS.join(", "))
    })
}

fn found() -> Option<PathBuf> {
    BROWSERS.iter().find_map(|name| on_path(name))
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
