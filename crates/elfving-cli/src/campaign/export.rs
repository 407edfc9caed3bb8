//! `elfving export`: a campaign for other programs.

use std::path::PathBuf;

use clap::Args;

use super::CampaignFile;
use super::failure::failed;
use crate::error::CliError;
use crate::output::{self, FileFormat, answer_file};

/// Arguments of `elfving export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving export screen --csv > measurements.csv
      one line a slot: candidate, round, status, outcome
  elfving export screen --json > campaign.json
      everything: the question, where it stands, every slot, every event")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// The measurements as CSV (the default)
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write to a file instead of stdout: .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn export(args: &ExportArgs, as_json: bool) -> Result<(), CliError> {
    let out = answer_file(args.out.as_ref(), "an export is")?;
    let mut campaign = args.file.open()?;
    let failed = |error| failed(error, None);
    match out {
        Some((path, FileFormat::Json)) => {
            output::write_file(&path, &output::json_file(&campaign.export().map_err(failed)?))
        }
        Some((path, FileFormat::Csv)) => output::write_file(&path, &campaign.export_csv().map_err(failed)?),
        None if as_json => output::print(output::json_line(&campaign.export().map_err(failed)?)),
        None => output::print(campaign.export_csv().map_err(failed)?),
    }
}
