//! `elfving completions` and `elfving man`: what a package installs beside the program.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;
use serde_json::{Value, json};

use crate::args;
use crate::error::CliError;
use crate::output::{self, Format, FormatArgs};

/// Arguments of `elfving completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving completions bash > ~/.local/share/bash-completion/completions/elfving
  elfving completions fish > ~/.config/fish/completions/elfving.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
    #[command(flatten)]
    output: TextArgs,
}

/// Where a text goes that is one file of its own.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct TextArgs {
    #[command(flatten)]
    printed: FormatArgs,
    /// Write it to a file instead; with --format also to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl TextArgs {
    fn deliver(&self, as_json: bool, text: &str, document: &Value) -> Result<(), CliError> {
        let format = self.printed.format_or(Format::Table, as_json)?;
        if let Some(path) = &self.out {
            output::write_file(path, text.as_bytes())?;
            // A file that was asked for is enough, unless stdout was asked for, too.
            if self.printed.format.is_none() && !as_json {
                return Ok(());
            }
        }
        match format {
            // As it is: a shell or man reads it.
            Format::Table => output::print(text),
            Format::Csv => output::print(output::csv_of_fields(document)?),
            Format::Json => output::print(output::json_line(document)),
        }
    }
}

pub(crate) fn completions(args: &CompletionsArgs, as_json: bool) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "elfving", &mut script);
    let script = String::from_utf8_lossy(&script);
    let document = json!({"shell": args.shell.to_string(), "script": script});
    args.output.deliver(as_json, &script, &document)
}

/// Arguments of `elfving man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving man > elfving.1
  elfving man design > elfving-design.1")]
pub(crate) struct ManArgs {
    /// The command to describe; the program as a whole if not given
    command: Option<String>,
    #[command(flatten)]
    output: TextArgs,
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
    let page = String::from_utf8_lossy(&page);
    args.output.deliver(as_json, &page, &json!({ "page": page }))
}
