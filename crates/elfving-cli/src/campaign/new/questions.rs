//! Asking for what is missing: on a terminal, and only there.
//!
//! Every question shows its default in brackets; Enter takes it and says so, `?` explains the question, and an answer that cannot be used is
//! refused at once with the reason.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use elfving::named::Named;

use crate::console;
use crate::error::CliError;

/// Asks, or notes what nobody can be asked for.
pub(super) struct Questions<'a> {
    talk: Option<Talk<'a>>,
    missing: Vec<&'static str>,
}

/// Somebody who can answer.
struct Talk<'a> {
    from: Box<dyn BufRead + 'a>,
    to: Box<dyn Write + 'a>,
}

/// One question.
pub(super) struct Question<'q> {
    /// How the answer would be written as an option.
    pub(super) option: &'static str,
    pub(super) text: &'q str,
    /// What `?` answers: a sentence or two.
    pub(super) help: &'q str,
    /// What Enter takes; without it an answer is needed.
    pub(super) default: Option<&'q str>,
}

impl<'a> Questions<'a> {
    /// Somebody can answer when both ends are a terminal; a program that wants JSON is nobody.
    pub(super) fn new(as_json: bool) -> Self {
        let interactive = !as_json && io::stdin().is_terminal() && io::stderr().is_terminal();
        match interactive {
            true => Self::between(io::stdin().lock(), io::stderr()),
            false => Self { talk: None, missing: Vec::new() },
        }
    }

    /// A talk over these two ends.
    pub(super) fn between(from: impl BufRead + 'a, to: impl Write + 'a) -> Self {
        Self { talk: Some(Talk { from: Box::new(from), to: Box::new(to) }), missing: Vec::new() }
    }

    /// The answer to a question, as `read` understands it; none, and noted as missing, where nobody can be asked.
    pub(super) fn ask<T>(
        &mut self,
        question: &Question<'_>,
        mut read: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<Option<T>, CliError> {
        let Some(talk) = &mut self.talk else {
            self.missing.push(question.option);
            return Ok(None);
        };
        let prompt = match question.default {
            Some(default) => format!("{} [{default}] ", question.text),
            None => format!("{} ", question.text),
        };
        loop {
            let answer = talk.line(&prompt)?;
            let answer = match (answer.as_str(), question.default) {
                ("?", _) => {
                    talk.say(question.help);
                    continue;
                }
                ("", None) => {
                    talk.say("an answer is needed here; ? explains the question");
                    continue;
                }
                ("", Some(default)) => {
                    talk.say(&format!("taken: {default}"));
                    default
                }
                (answer, _) => answer,
            };
            match read(answer) {
                Ok(value) => return Ok(Some(value)),
                Err(reason) => talk.say(&reason),
            }
        }
    }

    /// One of several names, of which a beginning is enough; the first of them where Enter is pressed.
    pub(super) fn named<T: Named>(
        &mut self,
        question: &Question<'_>,
        answers: &[T],
    ) -> Result<Option<T>, CliError> {
        let names: Vec<&'static str> = answers.iter().map(|answer| answer.name()).collect();
        let question = Question { default: question.default.or(names.first().copied()), ..*question };
        let chosen = self.ask(&question, |answer| {
            let found = names.iter().position(|name| name.starts_with(&answer.to_lowercase()));
            found.ok_or_else(|| format!("{answer:?} is not one of {}", names.join(", ")))
        })?;
        Ok(chosen.map(|at| answers[at]))
    }

    /// Yes or no; yes where Enter is pressed.
    pub(super) fn yes(&mut self, question: &Question<'_>) -> Result<Option<bool>, CliError> {
        self.ask(&Question { default: Some("yes"), ..*question }, |answer| {
            match answer.to_lowercase().as_str() {
                "yes" | "y" => Ok(true),
                "no" | "n" => Ok(false),
                _ => Err(format!("{answer:?} is neither yes nor no")),
            }
        })
    }

    /// A line between the questions.
    pub(super) fn say(&mut self, line: &str) {
        if let Some(talk) = &mut self.talk {
            talk.say(line);
        }
    }

    /// Whether somebody can be asked what is not required.
    pub(super) fn interactive(&self) -> bool {
        self.talk.is_some()
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
}

impl Talk<'_> {
    /// What was typed, without the spaces around it.
    fn line(&mut self, prompt: &str) -> Result<String, CliError> {
        let failed = |source| CliError::write(Path::new("the terminal"), source);
        // Where nobody can hear it, the work goes on.
        let _ = self.to.write_all(console::visible(prompt).as_bytes()).and_then(|()| self.to.flush());
        let mut line = String::new();
        if self.from.read_line(&mut line).map_err(failed)? == 0 {
            let message = "the answers ended before the questions";
            return Err(CliError::usage("E202", message, "give what is missing as options; see --help"));
        }
        Ok(line.trim().to_owned())
    }

    fn say(&mut self, text: &str) {
        for line in text.lines() {
            let _ = writeln!(self.to, "  {}", console::visible(line));
        }
    }
}

/// A finite number for which a condition holds, or why it is refused.
pub(super) fn number(answer: &str, holds: impl Fn(f64) -> bool, must: &str) -> Result<f64, String> {
    match answer.parse::<f64>() {
        Ok(x) if x.is_finite() && holds(x) => Ok(x),
        Ok(_) => Err(format!("{answer} cannot be used: {must}")),
        Err(_) => Err(format!("{answer:?} is not a number such as 0.5")),
    }
}

/// A whole number from 1 to `most`, or why it is refused.
pub(super) fn count(answer: &str, most: u64) -> Result<u64, String> {
    match answer.parse::<u64>() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        Ok(_) => Err(format!("{answer} cannot be used: give a whole number from 1 to {most}")),
        Err(_) => Err(format!("{answer:?} is not a whole number such as 24")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elfving::estimate::Tails;

    fn talk<T>(answers: &str, act: impl FnOnce(&mut Questions<'_>) -> T) -> (T, String) {
        let mut heard = Vec::new();
        let value = act(&mut Questions::between(answers.as_bytes(), &mut heard));
        (value, String::from_utf8(heard).unwrap())
    }

    const BATCH: Question<'_> = Question {
        option: "--batch N",
        text: "How many at a time?",
        help: "As many as fit on a plate.",
        default: Some("24"),
    };

    #[test]
    fn enter_takes_the_default_and_says_so() {
        let (answer, heard) = talk("\n", |questions| questions.ask(&BATCH, |text| count(text, 100)));
        assert_eq!(answer.unwrap(), Some(24));
        assert_eq!(heard, "How many at a time? [24]   taken: 24\n");
    }

    #[test]
    fn a_bad_answer_is_refused_with_the_reason_and_a_question_mark_is_answered() {
        let answers = "?\nmany\n0\n8\n";
        let (answer, heard) = talk(answers, |questions| questions.ask(&BATCH, |text| count(text, 100)));
        assert_eq!(answer.unwrap(), Some(8));
        for said in [
            "As many as fit on a plate.",
            "\"many\" is not a whole number such as 24",
            "0 cannot be used: give a whole number from 1 to 100",
        ] {
            assert!(heard.contains(&format!("  {said}\n")), "{heard}");
        }
        let refused = number("nan", |sigma| sigma >= 0.0, "it must be at least 0");
        assert_eq!(refused, Err("nan cannot be used: it must be at least 0".to_owned()));
    }

    #[test]
    fn what_has_no_default_needs_an_answer_and_the_beginning_of_a_name_is_one() {
        let question = Question { default: None, ..BATCH };
        let (answer, heard) = talk("\n3\n", |questions| questions.ask(&question, |text| count(text, 100)));
        assert_eq!((answer.unwrap(), heard.contains("an answer is needed here")), (Some(3), true));
        let (answer, heard) = talk("gaussian\nbou\n", |questions| questions.named(&question, &Tails::ALL));
        assert_eq!(answer.unwrap(), Some(Tails::BoundedVariance));
        assert!(heard.contains("\"gaussian\" is not one of sub-gaussian, bounded-variance"), "{heard}");
    }

    #[test]
    fn answers_that_end_too_early_are_an_error() {
        let (answer, _) = talk("", |questions| questions.ask(&BATCH, |text| count(text, 100)));
        assert!(answer.unwrap_err().to_string().contains("the answers ended before the questions"));
    }
}
