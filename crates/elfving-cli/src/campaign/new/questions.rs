//! Asking for what is missing: on a terminal, and only there.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use elfving::named::Named;

use crate::console;
use crate::error::CliError;

/// Asks, or notes what nobody can be asked for.
pub(super) struct Questions {
    interactive: bool,
    missing: Vec<&'static str>,
}

impl Questions {
    /// Somebody can answer when both ends are a terminal; a program that wants JSON is nobody.
    pub(super) fn new(as_json: bool) -> Self {
        let interactive = !as_json && io::stdin().is_terminal() && io::stderr().is_terminal();
        Self { interactive, missing: Vec::new() }
    }

    /// The value given, or the answer to a question; `option` is how it would be written.
    pub(super) fn path(
        &mut self,
        option: &'static str,
        question: &str,
        given: Option<&PathBuf>,
    ) -> Result<PathBuf, CliError> {
        match given {
            Some(path) => Ok(path.clone()),
            None => Ok(PathBuf::from(self.text(option, question)?)),
        }
    }

    /// The answer to a question; empty, and noted, where nobody can be asked.
    pub(super) fn text(&mut self, option: &'static str, question: &str) -> Result<String, CliError> {
        if !self.interactive {
            self.missing.push(option);
            return Ok(String::new());
        }
        loop {
            let answer = self.line(question)?;
            if !answer.is_empty() {
                return Ok(answer);
            }
        }
    }

    /// The answer as a number.
    pub(super) fn number(&mut self, option: &'static str, question: &str) -> Result<f64, CliError> {
        loop {
            let answer = self.text(option, question)?;
            match answer.parse() {
                Ok(number) => return Ok(number),
                Err(_) if self.interactive => console::complain(&format!("{answer:?} is not a number")),
                Err(_) => return Ok(0.0),
            }
        }
    }

    /// One of several answers, the first of them where nothing is typed.
    pub(super) fn choice(
        &mut self,
        option: &'static str,
        question: &str,
        answers: &[&'static str],
    ) -> Result<&'static str, CliError> {
        if !self.interactive {
            self.missing.push(option);
            return Ok(answers[0]);
        }
        let question = format!("{question} [{}; Enter: {}]", answers.join("/"), answers[0]);
        loop {
            let answer = self.line(&question)?;
            let found = answers.iter().find(|known| known.starts_with(answer.as_str()));
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// One of several names, the first of them where nothing is typed.
    pub(super) fn named<T: Named>(
        &mut self,
        option: &'static str,
        question: &str,
        answers: &[T],
    ) -> Result<T, CliError> {
        let names: Vec<&'static str> = answers.iter().map(|answer| answer.name()).collect();
        let chosen = self.choice(option, question, &names)?;
        Ok(T::named(chosen).expect("one of the names"))
    }

    /// Whether somebody can be asked what is not required.
    pub(super) fn interactive(&self) -> bool {
        self.interactive
    }

    /// Refuses what nobody could be asked for, all of it at once.
    pub(super) fn finish<T>(self, value: T) -> Result<T, CliError> {
        match self.missing.as_slice() {
            [] => Ok(value),
            missing => {
                let message = format!("a campaign needs {}", missing.join(", "));
                let help = "--mode calibrated needs no assumptions; on a terminal, `elfving new` asks for what is missing";
                Err(CliError::usage("E202", message, help))
            }
        }
    }

    fn line(&self, question: &str) -> Result<String, CliError> {
        let failed = |source| CliError::write(Path::new("the terminal"), source);
        console::prompt(question);
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(failed)? == 0 {
            let message = "the answers ended before the questions";
            return Err(CliError::usage("E202", message, "give what is missing as options; see --help"));
        }
        Ok(line.trim().to_owned())
    }
}
