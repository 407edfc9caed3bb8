//! `elfving schema`: what the JSON of a command looks like.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::error::CliError;
use crate::output;

/// Arguments of `elfving schema`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving schema
      the answers that have one
  elfving schema ask
      the JSON Schema (2020-12) of `elfving ask --json`

Names of fields stay; new fields may come. docs/json.md lists all of them.")]
pub(crate) struct SchemaArgs {
    /// The answer: mostly the name of its command
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(SCHEMAS.iter().map(|(name, _)| *name)))]
    name: Option<String>,
}

/// Every answer with its schema.
macro_rules! schemas {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../../docs/schema/", $name, ".json"))),)+]
    };
}

/// The schemas by name.
const SCHEMAS: &[(&str, &str)] = schemas! {
    "new" "ask" "tell" "watch" "release" "change" "status" "candidate" "report" "correct" "log" "export" "verify"
    "demo" "pool" "design" "round" "estimate" "plan" "complexity" "diagnose" "error"
};

pub(crate) fn schema(args: &SchemaArgs) -> Result<(), CliError> {
    match SCHEMAS.iter().find(|(name, _)| Some(*name) == args.name.as_deref()) {
        Some((_, schema)) => output::print(*schema),
        None => output::print(SCHEMAS.iter().map(|(name, _)| format!("{name}\n")).collect::<String>()),
    }
}
