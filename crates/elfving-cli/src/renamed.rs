//! Spellings that are gone, each refused with the one to use now. Consulted before the parser.

use std::ffi::OsString;

use crate::error::CliError;

/// An option of a command that has another name now.
#[derive(Debug)]
struct Renamed {
    /// The commands that had it.
    commands: &'static [&'static str],
    old: &'static str,
    /// Only with one of these values; any value where there are none.
    values: &'static [&'static str],
    new: &'static str,
}

const fn renamed(commands: &'static [&'static str], old: &'static str, new: &'static str) -> Renamed {
    Renamed { commands, old, values: &[], new }
}

/// The commands that read columns of a pool.
const POOLS: &[&str] = &["design", "simulate", "complexity", "plan", "diagnose", "new"];
/// The laws of a simulated world, which `--noise` named once.
const LAWS: &[&str] = &["normal", "uniform", "rademacher", "student-t", "pareto", "two-point", "bernoulli"];

/// All of them.
const RENAMED: &[Renamed] = &[
    renamed(&["estimate", "plan"], "--sub-gaussian", "--noise sub-gaussian"),
    renamed(&["simulate"], "--bounded-variance", "--noise bounded-variance"),
    renamed(&["simulate"], "--assumed-sigma", "--sigma (the noise of the world is --world-sigma)"),
    Renamed { commands: &["simulate"], old: "--noise", values: LAWS, new: "--world-noise" },
    renamed(&["simulate"], "--tail", "--world-tail"),
    renamed(&["simulate", "plan", "reproduce"], "--repeats", "--repetitions"),
    renamed(&["estimate", "status"], "--top", "--show"),
    renamed(&["round", "estimate", "simulate", "export"], "--csv", "--format csv"),
    renamed(&["round"], "--done", "--measured"),
    renamed(&["diagnose"], "--results", "--measured"),
    renamed(POOLS, "--missing", "--marker"),
    renamed(
        &["new", "simulate", "complexity", "plan"],
        "--outcome",
        "--maximize COLUMN or --minimize COLUMN (other columns are left out with --ignore)",
    ),
    renamed(&["round"], "-b", "--budget"),
    renamed(&["ask"], "-b", "-n"),
];

/// Options that were flags and take a column now.
const TAKES_COLUMN: &[(&[&str], &str)] = &[(&["simulate", "plan", "complexity"], "--minimize")];

/// Words that people try for a command.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["start", "create", "init", "begin"], "`elfving new NAME POOL` starts a campaign"),
    (&["suggest", "next", "batch", "propose"], "`elfving ask` says what to measure next"),
    (&["record", "add", "results", "observe"], "`elfving tell` records results"),
    (&["campaign", "campaigns"], "`elfving help campaign` says how the commands of a campaign go together"),
];

/// What is wrong with a command line that uses an old spelling; none where it uses none.
pub(crate) fn refused(arguments: &[OsString]) -> Option<CliError> {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let at = command_at(&words)?;
    let (command, rest) = (words[at], &words[at + 1..]);
    let rest = rest.split(|word| *word == "--").next().unwrap_or_default();
    if let Some((_, help)) = COMMANDS.iter().find(|(names, _)| names.contains(&command)) {
        return Some(CliError::usage("E200", format!("there is no command {command:?}"), *help));
    }
    let help = format!("elfving {command} --help lists the options");
    for (k, word) in rest.iter().enumerate() {
        let following = rest.get(k + 1).copied();
        if let Some(renamed) = RENAMED.iter().find(|renamed| renamed.is(command, word, following)) {
            let old = match (renamed.values, word.split_once('=')) {
                ([], _) => renamed.old.to_owned(),
                (_, Some((_, value))) => format!("{} {value}", renamed.old),
                (_, None) => format!("{} {}", renamed.old, following.unwrap_or_default()),
            };
            return Some(CliError::usage("E200", format!("{old} is now {}", renamed.new), help));
        }
        let bare = |names: &[&str], option: &str| {
            names.contains(&command)
                && *word == option
                && following.is_none_or(|following| following.starts_with("--"))
        };
        if let Some((_, option)) = TAKES_COLUMN.iter().find(|(names, option)| bare(names, option)) {
            return Some(CliError::usage("E200", format!("{option} is now {option} COLUMN"), help));
        }
    }
    None
}

/// What to say to a word behind a bare `--one-hot` that the parser could not place: columns follow an equals sign.
pub(crate) fn one_hot_help(arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let pair = words.windows(2).find(|pair| pair[0] == "--one-hot" && !pair[1].starts_with('-'))?;
    Some(format!("columns of --one-hot follow an equals sign: --one-hot={}", pair[1]))
}

/// The position of the command, behind the options of the program.
fn command_at(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while words.get(at)?.starts_with('-') {
        at += if words[at] == "--threads" { 2 } else { 1 };
    }
    Some(at)
}

impl Renamed {
    fn is(&self, command: &str, word: &str, following: Option<&str>) -> bool {
        if !self.commands.contains(&command) {
            return false;
        }
        // `-b8` and `-b 8`.
        if !self.old.starts_with("--") {
            return word.starts_with(self.old) && !word.starts_with("--");
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, following),
        };
        name == self.old
            && (self.values.is_empty() || value.is_some_and(|value| self.values.contains(&value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn every_old_spelling_is_refused_with_the_new_one() {
        for renamed in RENAMED {
            for command in renamed.commands {
                let values = if renamed.values.is_empty() { &["1"][..] } else { renamed.values };
                for value in values {
                    let separators: &[&str] =
                        if renamed.old.starts_with("--") { &[" ", "="] } else { &[" ", ""] };
                    for separator in separators {
                        let line = format!(
                            "elfving --json --threads 2 {command} x {}{separator}{value}",
                            renamed.old
                        );
                        let text = refused(&words(&line)).unwrap_or_else(|| panic!("{line}")).to_string();
                        assert!(text.contains(&format!(" is now {}", renamed.new)), "{line}: {text}");
                        assert!(text.starts_with("error[E200]: -"), "{line}: {text}");
                    }
                }
            }
        }
        for (commands, option) in TAKES_COLUMN {
            for command in *commands {
                let text =
                    refused(&words(&format!("elfving {command} x {option} --json"))).unwrap().to_string();
                assert!(text.contains(&format!("{option} is now {option} COLUMN")), "{text}");
            }
        }
        for (names, help) in COMMANDS {
            for name in *names {
                assert!(refused(&words(&format!("elfving {name}"))).unwrap().to_string().contains(help));
            }
        }
    }

    #[test]
    fn what_is_still_right_passes() {
        for line in [
            "elfving new a pool.csv --minimize y --repeats a,b --top 2",
            "elfving simulate pool.csv --minimize y --noise sub-gaussian --world-noise student-t --top 2",
            "elfving tell a b.csv --repeats a,b",
            "elfving estimate pool.csv --results r.csv --sigma 1",
            "elfving diagnose pool.csv --outcome y",
            "elfving design pool.csv --outcome y -- --csv",
            "elfving help ask",
            "elfving",
            "elfving --version",
        ] {
            assert!(refused(&words(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn a_list_behind_a_bare_one_hot_is_pointed_at() {
        let help = one_hot_help(&words("elfving design pool.csv --one-hot a,b"));
        assert_eq!(help.unwrap(), "columns of --one-hot follow an equals sign: --one-hot=a,b");
        assert_eq!(one_hot_help(&words("elfving design pool.csv --one-hot --json")), None);
    }
}
