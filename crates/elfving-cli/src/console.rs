//! What the program says while it works: on stderr, and nothing with `--quiet`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use elfving_table::Warning;
use indicatif::{ProgressBar, ProgressStyle};

use crate::hints;

/// Notes kept back while a program reads: with an error they are part of its one JSON object.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

fn held() -> std::sync::MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on notes wait for the end of the command.
pub(crate) fn hold_notes() {
    held().get_or_insert_default();
}

/// The notes that waited.
pub(crate) fn take_notes() -> Vec<String> {
    held().take().unwrap_or_default()
}

/// Prints the notes that waited.
pub(crate) fn release_notes() {
    take_notes().iter().for_each(|note| complain(note));
}

/// A line on stderr. Where nobody can hear it, the work goes on.
pub(crate) fn complain(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("{}\n", visible(line)).as_bytes());
}

/// Text for people: control characters, which a terminal would obey, are shown as `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        let turns_around = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && c != '\n' && c != '\t') || turns_around
    };
    if !text.chars().any(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match obeyed(c) {
            true => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a string takes everything"),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn say(line: String) {
    match held().as_mut() {
        Some(notes) => notes.push(line),
        None => complain(&line),
    }
}

/// What the program prints on stderr.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    quiet: bool,
}

impl Console {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Something the user did not ask for but should know.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            say(format!("note: {}", text.as_ref()));
        }
    }

    /// A line about work that goes on.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.quiet {
            say(text.as_ref().to_owned());
        }
    }

    /// What was noticed about a table.
    pub(crate) fn warnings(&self, warnings: &[Warning]) {
        if !self.quiet {
            warnings.iter().for_each(|warning| say(warning.render(&hints::words)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(visible("a\tb\nγ ±"), "a\tb\nγ ±");
        assert_eq!(
            visible("a\u{1b}[31mred\u{7}\r\u{9b}\u{202e}"),
            "a\\u{1b}[31mred\\u{7}\\u{d}\\u{9b}\\u{202e}"
        );
    }
}
