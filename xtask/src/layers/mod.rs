//! `cargo xtask layers`: the house rules that the compiler does not know.
//!
//! 1. A module of the core uses only modules below it ([`MODULES`]).
//! 2. Only `numerics` names the linear-algebra library.
//! 3. The core names no file system, clock, environment or network, and prints nothing.
//! 4. Crates depend in one direction ([`CRATES`]).
//!
//! Code under `#[cfg(test)]` or `#[test]` is free. Anything that the tables do not know is refused, so that a new module
//! or crate is given its place when it is born.

mod crates;
mod references;
mod sources;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::workspace::Workspace;
use references::{Name, Origin};

/// A place in the order: a name, and every name it may use.
type Place = (&'static str, &'static [&'static str]);

/// The modules of the core, lowest first.
pub const MODULES: [Place; 11] = [
    ("units", &[]),
    ("named", &[]),
    ("text", &[]),
    ("numerics", &["units"]),
    ("pool", &["units", "named", "text", "numerics"]),
    ("design", &["units", "named", "numerics", "pool"]),
    ("rounding", &["units", "named", "numerics", "pool", "design"]),
    ("estimate", &["units", "named", "numerics", "pool", "design", "rounding"]),
    ("surrogate", &["units", "named", "numerics", "pool", "design", "rounding"]),
    ("bandit", &["units", "named", "numerics", "pool", "design", "rounding", "estimate", "surrogate"]),
    ("prelude", &["units", "numerics", "pool", "design", "rounding", "estimate", "bandit"]),
];

/// The crates of the workspace, lowest first.
pub const CRATES: [Place; 10] = [
    ("elfving", &[]),
    ("elfving-table", &["elfving"]),
    ("elfving-plot", &["elfving"]),
    ("elfving-lab", &["elfving", "elfving-table", "elfving-plot"]),
    ("elfving-problem", &["elfving", "elfving-table", "elfving-lab"]),
    ("elfving-campaign", &["elfving", "elfving-table", "elfving-plot", "elfving-lab", "elfving-problem"]),
    (
        "elfving-server",
        &["elfving", "elfving-table", "elfving-plot", "elfving-lab", "elfving-problem", "elfving-campaign"],
    ),
    (
        "elfving-cli",
        &[
            "elfving",
            "elfving-table",
            "elfving-plot",
            "elfving-lab",
            "elfving-problem",
            "elfving-campaign",
            "elfving-server",
        ],
    ),
    (
        "elfving-python",
        &["elfving", "elfving-table", "elfving-plot", "elfving-lab", "elfving-problem", "elfving-campaign"],
    ),
    ("xtask", &[]),
];

/// The linear-algebra library, and the only module that may name it.
const LINEAR_ALGEBRA: (&str, &str) = ("faer", "numerics");

/// What the core may not take from the standard library.
const OUTSIDE_WORLD: [&str; 6] = ["env", "fs", "io", "net", "process", "time"];

/// What the core may not print with.
const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// A rule broken at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The file, and the line in it where one is known.
    pub place: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// Checks the workspace and prints every violation.
///
/// # Errors
/// When a rule is broken, or a source file cannot be read or parsed.
pub fn run(workspace: &Workspace) -> Result<(), String> {
    let folder = workspace.root.join("crates/elfving/src");
    let files = sources::read(&folder)?;
    let mut violations = check_core(&files)?;
    violations.extend(crates::check(&workspace.metadata));
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => {
            println!("layers: {} source files of the core and all crates are in order", files.len());
            Ok(())
        }
        count => Err(format!("layers: {count} violation(s), listed above")),
    }
}

/// Checks the core's sources, given as path below `src` -> text.
///
/// # Errors
/// When a file does not parse, or a declared module has no file.
pub fn check_core(files: &BTreeMap<String, String>) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for module in sources::modules(files)? {
        for name in &module.names {
            if let Some(problem) = problem_of(name) {
                let place = Path::new("crates/elfving/src").join(&module.file);
                violations.push(Violation { place: format!("{}:{}", place.display(), name.line), problem });
            }
        }
    }
    Ok(violations)
}

/// The first rule that a name breaks.
fn problem_of(name: &Name) -> Option<String> {
    let path: Vec<&str> = name.path.iter().map(String::as_str).collect();
    let layer = name.module.first().map(String::as_str);
    match name.origin {
        Origin::Declaration => undeclared(&path),
        Origin::Macro => printing(&path),
        Origin::Path => {
            upward(layer, &path).or_else(|| foreign_algebra(layer, &path)).or_else(|| outside_world(&path))
        }
    }
}

fn undeclared(path: &[&str]) -> Option<String> {
    let &[module] = path else { return None };
    let known = MODULES.iter().any(|(name, _)| *name == module);
    (!known)
        .then(|| format!("module {module} has no layer; give it a row in MODULES of xtask/src/layers/mod.rs"))
}

/// Rule 1. The crate root (`lib.rs`) may name every module.
fn upward(layer: Option<&str>, path: &[&str]) -> Option<String> {
    let (layer, ["crate", rest @ ..]) = (layer?, path) else { return None };
    // A layer without a row is reported where it is declared.
    let &(_, allowed) = MODULES.iter().find(|(name, _)| *name == layer)?;
    match rest.first() {
        Some(used) if *used == layer || allowed.contains(used) => None,
        Some(used) if MODULES.iter().any(|(name, _)| name == used) => Some(format!(
            "{layer} may not use {used}; it may use {}",
            if allowed.is_empty() { "no other module".into() } else { allowed.join(", ") }
        )),
        _ => Some(format!(
            "{layer} names crate::{}; name the module it comes from",
            rest.first().unwrap_or(&"*")
        )),
    }
}

/// Rule 2.
fn foreign_algebra(layer: Option<&str>, path: &[&str]) -> Option<String> {
    let (library, owner) = LINEAR_ALGEBRA;
    (layer != Some(owner) && path.contains(&library))
        .then(|| format!("only {owner} may name {library}; give {owner} the function you need"))
}

/// Rule 3, paths.
fn outside_world(path: &[&str]) -> Option<String> {
    match path {
        ["std", part, ..] if OUTSIDE_WORLD.contains(part) => {
            Some(format!("the core may not name std::{part}; take a value or a callback as an argument"))
        }
        ["std"] | ["std", "*"] => {
            Some("the core may not import std as a whole; name the part you need".into())
        }
        _ => None,
    }
}

/// Rule 3, macros.
fn printing(path: &[&str]) -> Option<String> {
    let name = path.last()?;
    PRINTING
        .contains(name)
        .then(|| format!("the core may not print ({name}!); return the value, or call back"))
}

#[cfg(test)]
mod tests;
