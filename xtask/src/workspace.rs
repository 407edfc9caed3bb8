//! Where the workspace is, what it contains, and how its tools are called.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The workspace as `cargo metadata` describes it.
#[derive(Debug)]
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Where builds go.
    pub target: PathBuf,
    /// `cargo metadata --no-deps`, for the rules about crates.
    pub metadata: Value,
    /// Whether the tests ran just now: their program and what they left behind are up to date.
    pub tested: Cell<bool>,
}

impl Workspace {
    /// Asks cargo for the workspace whose `cargo xtask` this is.
    ///
    /// # Errors
    /// When `cargo metadata` cannot be run or does not answer as documented.
    pub fn find() -> Result<Self, String> {
        // At run time, as `cargo run` sets it: two checkouts that share a target folder share this program.
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| ".".into());
        let output = Command::new(cargo_program())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(here)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|e| format!("cargo metadata could not be started: {e}"))?;
        if !output.status.success() {
            return Err("cargo metadata failed; its message is above".into());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cargo metadata did not print JSON: {e}"))?;
        let folder = |key: &str| {
            metadata[key].as_str().map(PathBuf::from).ok_or(format!("cargo metadata has no field {key}"))
        };
        let (root, target) = (folder("workspace_root")?, folder("target_directory")?);
        Ok(Self { root, target, metadata, tested: Cell::new(false) })
    }

    /// The program as the tests have it. One package alone would be built with other features of its dependencies, and these anew.
    ///
    /// # Errors
    /// A build that fails.
    pub fn built_program(&self) -> Result<PathBuf, String> {
        if !self.tested.get() {
            self.run(self.cargo(&["build", "--quiet", "--package", "elfving-cli"]))?;
        }
        Ok(crate::python::program_in(&self.target.join("debug"), "elfving"))
    }

    /// A cargo command in the workspace's root, without standard input.
    #[must_use]
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(cargo_program());
        command.args(arguments);
        command
    }

    /// Any program in the workspace's root, without standard input.
    #[must_use]
    pub fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// Runs a command with its output shown.
    ///
    /// # Errors
    /// When it cannot be started or ends with a status other than zero; the message repeats the command.
    pub fn run(&self, mut command: Command) -> Result<(), String> {
        let status =
            command.status().map_err(|e| format!("{} could not be started: {e}", shown(&command)))?;
        if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", shown(&command))) }
    }

    /// Whether a command can be run at all, its output discarded.
    #[must_use]
    pub fn answers(&self, mut command: Command) -> bool {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}

/// The cargo that started this program, so that nested calls use the same toolchain.
fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
