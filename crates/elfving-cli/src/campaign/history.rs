//! `elfving log`: what happened, event by event.

use clap::Args;
use comfy_table::{Table, presets};
use elfving_campaign::{ExportedEvent, Recorded};
use serde::Serialize;

use super::CampaignFile;
use super::failure::failed;
use crate::error::CliError;
use crate::output;
use crate::words::trimmed;

/// Arguments of `elfving log`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving log screen
  elfving log screen --json
      every event with its content and its hash")]
pub(crate) struct LogArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// Show the last events only
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

#[derive(Serialize)]
struct LogDocument {
    events: Vec<ExportedEvent>,
}

pub(crate) fn log(args: &LogArgs, as_json: bool) -> Result<(), CliError> {
    let campaign = args.file.open()?;
    let mut events = campaign.log().map_err(|error| failed(error, None))?;
    if let Some(last) = args.last {
        events.drain(..events.len().saturating_sub(last));
    }
    if as_json {
        let events = events.into_iter().map(ExportedEvent::from).collect();
        return output::print(output::json_line(&LogDocument { events }));
    }
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    lines.set_header(["event", "when", "what", ""]);
    for recorded in &events {
        let Recorded { seq, at, event, .. } = recorded;
        lines.add_row([seq.to_string(), at.to_string(), event.kind().to_owned(), event.to_string()]);
    }
    output::print(format!("{}\n", trimmed(&lines)))
}
