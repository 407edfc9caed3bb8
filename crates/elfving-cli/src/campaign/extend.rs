//! `elfving extend`: more candidates for a campaign.

use std::path::PathBuf;

use clap::Args;
use elfving_campaign::Attachment;

use super::change::account;
use super::failure::failed;
use super::{locate, now};
use crate::error::CliError;
use crate::input;
use crate::output::OutputArgs;

/// Arguments of `elfving extend`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving extend screen more.csv --reason \"two new solvents\"

The table has the columns of the pool; ids must be new. Scales stay as they were, and category levels that are new are
added. The guarantee of the ellipsoid covers the new candidates; RIPS and PTR refuse them: their proof is about a fixed pool.")]
pub(crate) struct ExtendArgs {
    /// The campaign: a file or its name
    campaign: PathBuf,
    /// The table of new candidates (`-` for stdin)
    #[arg(value_name = "TABLE")]
    table: PathBuf,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn extend(args: &ExtendArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let mut campaign = locate::open(Some(&args.campaign))?;
    let before = campaign.head().event;
    let (name, bytes) = input::bytes(&args.table)?;
    let extended = campaign.extend(Attachment::new(name, bytes), &args.reason, now());
    account(&args.output, as_json, &extended.map_err(|error| failed(error, before))?, "added")
}
