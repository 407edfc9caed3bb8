//! What the program says while it works: on stderr, and nothing with `--quiet`.

use std::io::IsTerminal;
use std::time::Duration;

use elfving_table::Warning;
use indicatif::{ProgressBar, ProgressStyle};

use crate::hints;

/// The voice of the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Talk {
    quiet: bool,
}

impl Talk {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Something the user did not ask for but should know.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("note: {}", text.as_ref());
        }
    }

    /// What was noticed about a table.
    pub(crate) fn warnings(&self, warnings: &[Warning]) {
        if !self.quiet {
            warnings.iter().for_each(|warning| eprintln!("{}", warning.render(&hints::words)));
        }
    }

    /// A line that moves while something runs; only where it can move.
    pub(crate) fn spinner(&self, what: &str) -> Spinner {
        self.moving(ProgressBar::new_spinner, "{spinner} {msg} [{elapsed}]", what)
    }

    /// A bar that fills in `steps` steps; only where it can move.
    pub(crate) fn bar(&self, what: &str, steps: usize) -> Spinner {
        self.moving(|| ProgressBar::new(steps as u64), "{msg} {wide_bar} {pos}/{len} [{eta}]", what)
    }

    fn moving(&self, new: impl FnOnce() -> ProgressBar, template: &str, what: &str) -> Spinner {
        let bar = (!self.quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = new();
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Spinner { bar }
    }
}

/// A line on the terminal that disappears when it is dropped.
#[derive(Debug)]
pub(crate) struct Spinner {
    bar: Option<ProgressBar>,
}

impl Spinner {
    /// One step of a bar.
    pub(crate) fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    pub(crate) fn say(&self, what: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(what());
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
