//! One run: parse, set up, call the command, say how it ended.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::args::{self, Cli, Command, GlobalArgs};
use crate::console::{self, Console};
use crate::error::CliError;
use crate::exit::ExitCode;
use crate::{
    campaign, certify, completions, complexity, demo, design, diagnose, estimate, factors, limits, output,
    plan, renamed, reproduce, round, schema, serve, signals, simulate, topics,
};

/// Runs the program with these arguments, the first one its own name.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        console::complain(&format!("error[E101]: a bug in elfving: {panic}"));
        console::complain("  help: please report it with the command line; nothing was half-written");
    }));
    let arguments = campaign::with_negative_values(arguments.into_iter().collect());
    let as_json = wants_json(&arguments);
    if let Some(page) = topics::page(&arguments) {
        return concluded(as_json, || output::print(page));
    }
    if let Some(error) = renamed::refused(&arguments) {
        return concluded(as_json, || Err(error));
    }
    let parsed = args::command().try_get_matches_from(&arguments);
    match parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((mut cli, matches)) => {
            cli.global.json |= as_json;
            concluded(as_json, || {
                set_up(&cli.global)?;
                output::check_files(&matches)?;
                call(&cli)
            })
        }
        Err(error) => refuse(&error, &arguments, as_json),
    }
}

/// Whether a program reads the answer: `--json`, `--format json` or `--format=json`.
fn wants_json(arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let words = words.split(|word| *word == "--").next().unwrap_or_default();
    words.iter().any(|word| matches!(*word, "--json" | "--format=json"))
        || words.windows(2).any(|pair| pair == ["--format", "json"])
}

/// Says how a command ended.
fn concluded(as_json: bool, command: impl FnOnce() -> Result<(), CliError>) -> ExitCode {
    let ended = catch_unwind(AssertUnwindSafe(command));
    match ended {
        Ok(Ok(())) | Ok(Err(CliError::ReaderGone)) => {
            console::release_notes();
            ExitCode::Done
        }
        Ok(Err(CliError::NothingToDo)) => {
            console::release_notes();
            ExitCode::NothingToDo
        }
        Ok(Err(CliError::Refuted)) => {
            console::release_notes();
            ExitCode::Refuted
        }
        Ok(Err(CliError::Interrupted { signal })) => {
            console::release_notes();
            signals::exit_code(signal)
        }
        Ok(Err(error)) => {
            if as_json {
                console::complain(&error.to_json(&console::take_notes()));
            } else {
                console::complain(&error.to_string());
            }
            error.exit()
        }
        // The hook has spoken.
        Err(_) => ExitCode::Bug,
    }
}

fn call(cli: &Cli) -> Result<(), CliError> {
    if cli.global.json {
        console::hold_notes();
    }
    let console = Console::new(cli.global.quiet);
    match &cli.command {
        Command::Demo(args) => demo::run(args, cli.global.json, console),
        Command::New(args) => campaign::new(args, cli.global.json, console),
        Command::Ask(args) => campaign::ask(args, cli.global.json, console),
        Command::Tell(args) => campaign::tell(args, cli.global.json),
        Command::Watch(args) => campaign::watch(args, cli.global.json, console),
        Command::Release(args) => campaign::release(args, cli.global.json),
        Command::Change(args) => campaign::change(args, cli.global.json),
        Command::Extend(args) => campaign::extend(args, cli.global.json),
        Command::Forbid(args) => campaign::forbid(args, cli.global.json),
        Command::Allow(args) => campaign::allow(args, cli.global.json),
        Command::Status(args) => campaign::status(args, cli.global.json, console),
        Command::Report(args) => campaign::report(args, cli.global.json, console),
        Command::Correct(args) => campaign::correct(args, cli.global.json),
        Command::Log(args) => campaign::log(args, cli.global.json),
        Command::Export(args) => campaign::export(args, cli.global.json),
        Command::Verify(args) => campaign::verify(args, cli.global.json, console),
        Command::Serve(args) => serve::serve(args, cli.global.json, console),
        Command::Pool(args) => factors::run(args, cli.global.json, console),
        Command::Design(args) => design::run(args, cli.global.json, console),
        Command::Round(args) => round::run(args, cli.global.json, console),
        Command::Estimate(args) => estimate::run(args, cli.global.json, console),
        Command::Simulate(args) => simulate::run(args, cli.global.json, console),
        Command::Reproduce(args) => reproduce::run(args, cli.global.json, console),
        Command::Complexity(args) => complexity::run(args, cli.global.json, console),
        Command::Plan(args) => plan::run(args, cli.global.json, console),
        Command::Diagnose(args) => diagnose::run(args, cli.global.json, console),
        Command::Certify(args) => certify::run(args, cli.global.json, console),
        Command::Schema(args) => schema::schema(args),
        Command::Completions(args) => completions::completions(args, cli.global.json),
        Command::Man(args) => completions::man(args, cli.global.json),
    }
}

fn set_up(global: &GlobalArgs) -> Result<(), CliError> {
    signals::end_on_signals();
    campaign::check_clock()?;
    if let Some(threads) = global.threads {
        limits::check("--threads", threads.get() as u64, limits::MOST_THREADS)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        pool.map_err(|error| {
            let message = format!("--threads {threads}: {error}");
            CliError::usage("E201", message, "give a smaller number of threads")
        })?;
    }
    Ok(())
}

/// `--help` and `--version` are answers; everything else of the parser is a refusal.
fn refuse(error: &clap::Error, arguments: &[OsString], as_json: bool) -> ExitCode {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // An answer to a reader that went away is no failure.
            let _ = output::print(text);
            ExitCode::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !as_json => {
            console::complain(text.trim_end());
            ExitCode::Usage
        }
        _ => {
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            let help = renamed::one_hot_help(arguments);
            if as_json {
                let (message, usage) = text.split_once("\n\n").unwrap_or((text, ""));
                let help = help.as_deref().unwrap_or(usage).trim();
                let error = CliError::usage("E200", message, help);
                console::complain(&error.to_json(&[]));
            } else {
                let help = help.map_or_else(String::new, |help| format!("\n  help: {help}"));
                console::complain(&format!("error[E200]: {text}{help}"));
            }
            ExitCode::Usage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_exit_code() {
        assert_eq!(concluded(false, || Ok(())), ExitCode::Done);
        assert_eq!(concluded(false, || Err(CliError::ReaderGone)), ExitCode::Done);
        assert_eq!(concluded(false, || Err(CliError::usage("E202", "message", "help"))), ExitCode::Usage);
        assert_eq!(concluded(false, || panic!("on purpose")), ExitCode::Bug);
    }

    #[test]
    fn the_command_line_is_consistent() {
        args::command().debug_assert();
    }
}
