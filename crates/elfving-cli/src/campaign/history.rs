//! `elfving log`: what happened, event by event.

use clap::Args;
use comfy_table::{Table, presets};
use elfving_campaign::{Event, ExportedEvent, Recorded, Source};
use elfving_table::slot_name;
use serde::Serialize;

use super::CampaignFile;
use super::failure::failed;
use crate::error::CliError;
use crate::output;
use crate::words::{counted, trimmed};

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
        lines.add_row([seq.to_string(), at.to_string(), event.kind().to_owned(), in_words(event)]);
    }
    output::print(format!("{}\n", trimmed(&lines)))
}

fn in_words(event: &Event) -> String {
    match event {
        Event::Created(creation) => {
            let spec = &creation.spec;
            format!("{}, {}, by version {}", spec.goal, spec.algorithm, creation.version)
        }
        Event::Asked(asking) => match &asking.plan {
            Some(plan) if plan.is_forced() => {
                format!("{} measurements you asked for", plan.measurements.len())
            }
            Some(plan) => format!(
                "round {} begins: {} measurements planned, {} handed out",
                plan.round,
                plan.measurements.len(),
                asking.handed_out
            ),
            None => format!("{} slots of the round are handed out", asking.handed_out),
        },
        Event::Told(telling) => {
            let count = counted(telling.results.len(), "outcome");
            format!("{count}{}", from(telling.source.as_ref()))
        }
        Event::Failed(failing) => {
            format!("{} measurements failed{}", failing.slots.len(), from(failing.source.as_ref()))
        }
        Event::Corrected(correction) => {
            let change = |change: &elfving_campaign::event::Change| {
                let to = change.to.as_ref().map_or("failed".to_owned(), ToString::to_string);
                format!("{}: {} to {to}", slot_name(change.slot), change.from)
            };
            let changes: Vec<String> = correction.changes.iter().take(3).map(change).collect();
            let more = match correction.changes.len().saturating_sub(3) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}{more} ({})", changes.join(", "), correction.reason)
        }
        Event::Closed(closing) => {
            let decision = &closing.decision;
            let waived = if closing.waived { ", without a guarantee" } else { "" };
            let (left, out) = (decision.survivors.len(), decision.eliminated.len());
            format!("round {} decided: {left} still in, {out} out{waived}", decision.round)
        }
        Event::Earlier(brought_in) => {
            let count = counted(brought_in.measurements.len(), "measurement");
            format!("{count} made before{}", from(brought_in.source.as_ref()))
        }
    }
}

fn from(source: Option<&Source>) -> String {
    source.map_or_else(String::new, |source| format!(" from {}", source.file))
}
