//! `elfving export`: a campaign for other programs.

use clap::Args;
use comfy_table::{Table, presets};

use super::CampaignFile;
use super::failure::failed;
use crate::error::CliError;
use crate::output::{self, FileFormat, Format, OutputArgs, answer_file};
use crate::words::trimmed;

/// Arguments of `elfving export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving export screen > measurements.csv
      one line per slot: candidate, round, status, outcome
  elfving export screen --json > campaign.json
      everything: the question, where it stands, every slot, every event")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    file: CampaignFile,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn export(args: &ExportArgs, as_json: bool) -> Result<(), CliError> {
    let out = answer_file(args.output.out.as_ref(), "an export is")?;
    let format = args.output.format_or(Format::Csv, as_json)?;
    let mut campaign = args.file.open()?;
    let failed = |error| failed(error, None);
    if let Some((path, of_file)) = &out {
        let bytes = match of_file {
            FileFormat::Json => output::json_file(&campaign.export().map_err(failed)?),
            FileFormat::Csv => campaign.export_csv().map_err(failed)?,
        };
        output::write_file(path, &bytes)?;
        // A file that was asked for is enough, unless stdout was asked for, too.
        if args.output.printed.format.is_none() && !as_json {
            return Ok(());
        }
    }
    match format {
        Format::Json => output::print(output::json_line(&campaign.export().map_err(failed)?)),
        Format::Csv => output::print(campaign.export_csv().map_err(failed)?),
        Format::Table => {
            let mut lines = Table::new();
            lines.load_style(presets::NOTHING);
            lines.set_header(["slot", "candidate", "round", "status", &campaign.spec().outcome]);
            for slot in campaign.slots().map_err(failed)? {
                let outcome = slot.reading.map_or_else(String::new, |reading| reading.to_string());
                lines.add_row([slot.slot, slot.id, slot.round.to_string(), slot.state.to_owned(), outcome]);
            }
            output::show(format!("{}\n", trimmed(&lines)))
        }
    }
}
