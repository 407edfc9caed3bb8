//! `cargo xtask test`: everything a change must pass, step by step, stopping at the first failure.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::workspace::Workspace;
use crate::{browser, layers, wheel};

/// One thing a change must pass.
#[derive(Debug)]
struct Step {
    name: &'static str,
    /// Runs only with `--slow` or when named by `--only`.
    slow: bool,
    run: fn(&Workspace) -> Result<(), String>,
}

/// The steps in the order they run: the quick ones first.
const STEPS: [Step; 9] = [
    Step { name: "fmt", slow: false, run: fmt },
    Step { name: "layers", slow: false, run: layers::run },
    Step { name: "clippy", slow: false, run: clippy },
    Step { name: "test", slow: false, run: tests },
    Step { name: "doctest", slow: false, run: doc_tests },
    Step { name: "doc", slow: false, run: docs },
    Step { name: "browser", slow: false, run: browser::run },
    Step { name: "python", slow: false, run: wheel::test },
    Step { name: "slow", slow: true, run: slow_tests },
];

/// Which steps to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The names given by `--only`; empty for all.
    only: Vec<String>,
    /// `--slow`: also the ignored statistical suites.
    slow: bool,
}

impl Selection {
    /// Reads the options after `cargo xtask test`.
    ///
    /// # Errors
    /// An unknown option, or `--only` without the name of a step.
    pub fn parse(options: &[&str]) -> Result<Self, String> {
        let mut selection = Self::default();
        let mut rest = options.iter();
        while let Some(&option) = rest.next() {
            match option {
                "--slow" => selection.slow = true,
                "--only" => match rest.next() {
                    Some(&name) if STEPS.iter().any(|step| step.name == name) => {
                        selection.only.push(name.into())
                    }
                    Some(name) => {
                        return Err(format!("there is no step \"{name}\"; the steps are {}", step_names()));
                    }
                    None => return Err(format!("--only needs a step: {}", step_names())),
                },
                _ => return Err(format!("unknown option {option}")),
            }
        }
        Ok(selection)
    }

    fn includes(&self, step: &Step) -> bool {
        if self.only.is_empty() {
            !step.slow || self.slow
        } else {
            self.only.iter().any(|name| name == step.name) || (step.slow && self.slow)
        }
    }
}

/// Runs the selected steps and prints the time of each.
///
/// # Errors
/// The first step that fails, with its reason; later steps do not run.
pub fn run(workspace: &Workspace, selection: &Selection) -> Result<(), String> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for step in STEPS.iter().filter(|step| selection.includes(step)) {
        println!("==> {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)(workspace);
        times.push((step.name, start.elapsed()));
        if let Err(problem) = outcome {
            println!("{}", summary(&times, false));
            return Err(format!("step {}: {problem}", step.name));
        }
    }
    println!("{}", summary(&times, true));
    Ok(())
}

/// One line a step; the last step of a failed run is the one that failed.
fn summary(times: &[(&str, Duration)], passed: bool) -> String {
    let mut lines = vec!["==> summary".to_string()];
    for (index, (name, time)) in times.iter().enumerate() {
        let word = if passed || index + 1 < times.len() { "passed" } else { "FAILED" };
        lines.push(format!("    {name:<8} {word} {:>8.1} s", time.as_secs_f64()));
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    let verdict = if passed { "all passed" } else { "failed" };
    lines.push(format!("    {verdict} in {:.1} s", total.as_secs_f64()));
    lines.join("\n")
}

fn step_names() -> String {
    STEPS.map(|step| step.name).join(", ")
}

fn fmt(workspace: &Workspace) -> Result<(), String> {
    component(workspace, "fmt", "rustfmt")?;
    workspace.run(workspace.cargo(&["fmt", "--all", "--check"]))
}

fn clippy(workspace: &Workspace) -> Result<(), String> {
    component(workspace, "clippy", "clippy")?;
    workspace.run(workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn tests(workspace: &Workspace) -> Result<(), String> {
    workspace.run(if has_nextest(workspace) {
        workspace.cargo(&["nextest", "run", "--workspace"])
    } else {
        cargo_test(workspace)
    })?;
    workspace.tested.set(true);
    Ok(())
}

/// The statistical suites carry `#[ignore]`, because they simulate for minutes.
fn slow_tests(workspace: &Workspace) -> Result<(), String> {
    workspace.run(if has_nextest(workspace) {
        let mut command = workspace.cargo(&["nextest", "run", "--workspace", "--run-ignored", "only"]);
        // A workspace without an ignored test is not a failure.
        command.env("NEXTEST_NO_TESTS", "pass");
        command
    } else {
        let mut command = cargo_test(workspace);
        command.args(["--", "--ignored"]);
        command
    })
}

fn doc_tests(workspace: &Workspace) -> Result<(), String> {
    workspace.run(workspace.cargo(&["test", "--workspace", "--doc"]))
}

fn docs(workspace: &Workspace) -> Result<(), String> {
    let mut command = workspace.cargo(&["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    workspace.run(command)
}

/// All tests but the doc tests and those of the Python package, which are steps of their own.
fn cargo_test(workspace: &Workspace) -> Command {
    let targets = ["--lib", "--bins", "--tests", "--examples"];
    let mut command = workspace.cargo(&["test", "--workspace", "--exclude", "elfving-python"]);
    command.args(targets);
    command
}

fn has_nextest(workspace: &Workspace) -> bool {
    workspace.answers(workspace.cargo(&["nextest", "--version"]))
}

fn component(workspace: &Workspace, subcommand: &str, component: &str) -> Result<(), String> {
    if workspace.answers(workspace.cargo(&[subcommand, "--version"])) {
        Ok(())
    } else {
        Err(format!("{component} is not installed; run: rustup component add {component}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(options: &[&str]) -> Vec<&'static str> {
        let selection = Selection::parse(options).unwrap();
        STEPS.iter().filter(|step| selection.includes(step)).map(|step| step.name).collect()
    }

    #[test]
    fn without_options_every_quick_step_runs() {
        assert_eq!(selected(&[]), ["fmt", "layers", "clippy", "test", "doctest", "doc", "browser", "python"]);
    }

    #[test]
    fn slow_adds_the_ignored_suites() {
        assert_eq!(selected(&["--slow"]).last(), Some(&"slow"));
        assert_eq!(selected(&["--slow"]).len(), STEPS.len());
    }

    #[test]
    fn only_selects_steps_and_may_be_repeated() {
        assert_eq!(selected(&["--only", "layers"]), ["layers"]);
        assert_eq!(selected(&["--only", "doc", "--only", "fmt"]), ["fmt", "doc"]);
        assert_eq!(selected(&["--only", "slow"]), ["slow"]);
    }

    #[test]
    fn a_misspelt_step_is_refused_with_the_list() {
        let problem = Selection::parse(&["--only", "layer"]).unwrap_err();
        assert!(problem.contains("\"layer\"") && problem.contains("layers, clippy"), "{problem}");
        assert!(Selection::parse(&["--only"]).is_err());
        assert!(Selection::parse(&["--fast"]).is_err());
    }

    #[test]
    fn the_summary_names_the_step_that_failed() {
        let times = [("fmt", Duration::from_secs(1)), ("layers", Duration::from_secs(2))];
        assert!(summary(&times, false).contains("layers   FAILED"), "{}", summary(&times, false));
        assert!(summary(&times, false).contains("fmt      passed"));
        assert!(!summary(&times, true).contains("FAILED"));
    }
}
