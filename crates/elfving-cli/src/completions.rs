//! `elfving completions` and `elfving man`: what a package installs beside the program.

use clap::Args;
use clap_complete::Shell;
use serde_json::json;

use crate::args;
use crate::error::CliError;
use crate::output;

/// Arguments of `elfving completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving completions bash > ~/.local/share/bash-completion/completions/elfving
  elfving completions fish > ~/.config/fish/completions/elfving.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs, as_json: bool) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "elfving", &mut script);
    if as_json {
        let script = String::from_utf8_lossy(&script);
        return output::print(format!("{}\n", json!({"shell": args.shell.to_string(), "script": script})));
    }
    output::print(script)
}

/// Arguments of `elfving man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving man > elfving.1
  elfving man design > elfving-design.1")]
pub(crate) struct ManArgs {
    /// The command to describe; the program as a whole if not given
    command: Option<String>,
}

pub(crate) fn man(args: &ManArgs, as_json: bool) -> Result<(), CliError> {
    let program = args::command();
    let described = match &args.command {
        None => program,
        Some(name) => {
            let unknown = || {
                let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
                let help = format!("the commands are {}", names.join(", "));
                CliError::usage("E202", format!("there is no command {name:?}"), help)
            };
            let command = program.find_subcommand(name).ok_or_else(unknown)?;
            command.clone().display_name(format!("elfving-{name}"))
        }
    };
    let mut page = Vec::new();
    let unwritten = |source| CliError::write(std::path::Path::new("the manual page"), source);
    clap_mangen::Man::new(described).render(&mut page).map_err(unwritten)?;
    if as_json {
        return output::print(format!("{}\n", json!({"page": String::from_utf8_lossy(&page)})));
    }
    output::print(page)
}
