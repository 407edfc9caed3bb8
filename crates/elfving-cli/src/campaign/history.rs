//! `elfving log`: what happened, event by event.

use clap::Args;
use comfy_table::{Table, presets};
use elfving_campaign::{ExportedEvent, LogDocument, Recorded};
use elfving_table::Cell;

use super::CampaignFile;
use super::failure::failed;
use crate::error::CliError;
use crate::output::{self, OutputArgs};
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
    /// Print only the last N events
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn log(args: &LogArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "a log is")?;
    let campaign = args.file.open()?;
    let mut events = campaign.log().map_err(|error| failed(error, None))?;
    if let Some(last) = args.last {
        events.drain(..events.len().saturating_sub(last));
    }
    let document = LogDocument { events: events.iter().cloned().map(ExportedEvent::from).collect() };
    let csv = || {
        let row = |recorded: &Recorded| {
            let texts =
                [recorded.at.to_string(), recorded.event.kind().to_owned(), recorded.event.to_string()];
            let mut row = vec![Cell::Integer(recorded.seq as i64)];
            row.extend(texts.map(|text| Cell::Text(text.into())));
            row
        };
        output::csv(&["event", "when", "kind", "what"], events.iter().map(row))
    };
    args.output.deliver(as_json, "a log is", &document, csv, || text(&events))
}

fn text(events: &[Recorded]) -> String {
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    lines.set_header(["event", "when", "what", ""]);
    for recorded in events {
        let Recorded { seq, at, event, .. } = recorded;
        lines.add_row([seq.to_string(), at.to_string(), event.kind().to_owned(), event.to_string()]);
    }
    format!("{}\n", trimmed(&lines))
}
