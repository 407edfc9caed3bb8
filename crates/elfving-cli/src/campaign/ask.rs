//! `elfving ask`: what to measure next.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};
use elfving_campaign::{Batch, Campaign};

use super::failure::failed;
use super::{CampaignFile, now};
use crate::console::Console;
use crate::error::CliError;
use crate::limits;
use crate::output::{self, FileFormat, Format, OutputArgs, answer_file};
use crate::words::{counted, trimmed};

/// Arguments of `elfving ask`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving ask screen > batch.csv
      the next batch as a sheet: fill in the outcome, then `elfving tell screen batch.csv`
  elfving ask screen --batch 8
      a batch of another size; on a terminal it is printed as a table
  elfving ask screen --out batch.csv --json
      the sheet in a file, the slots as JSON

  elfving ask screen --worker robot1 --batch 4
      four slots for this worker alone; asked again, it gets those that it still has
  elfving ask screen --plate-map map.csv > batch.csv
      where the campaign has plates: a map of the wells beside the sheet
  elfving ask screen --open
      every slot that is open, without planning new ones

A batch is listed again until something of it came back. Then what failed is asked again, with new slots beside those that
are still under way (RIPS and PTR hand out the rest of their round instead: their proof needs all of it). The lines are in run
order. Write `failed` in the column `status` for a failed run, `infeasible` for one that can never succeed.
Exit code 10: nothing to hand out.")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// Measurements to hand out (default: the batch of the campaign)
    #[arg(long, short = 'n', value_name = "N")]
    batch: Option<usize>,
    /// Who asks: no slot goes to two workers
    #[arg(long, value_name = "NAME", conflicts_with = "open")]
    worker: Option<String>,
    /// List all open slots, and plan nothing
    #[arg(long, conflicts_with = "batch")]
    open: bool,
    /// Also write a map of the plate: the candidate in each well, as CSV
    #[arg(long, value_name = "FILE")]
    plate_map: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Columns of the user that are shown in a table.
const MOST_COLUMNS: usize = 6;

pub(crate) fn ask(args: &AskArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let out = answer_file(args.output.out.as_ref(), "a batch is")?;
    let usual = if std::io::stdout().is_terminal() { Format::Table } else { Format::Csv };
    let shown = args.output.format_or(usual, as_json)?;
    limits::check("--batch", args.batch.unwrap_or(1) as u64, limits::MOST_MEASUREMENTS)?;
    let map_file = args.plate_map.as_ref();
    if let Some(path) = map_file.filter(|path| path.extension().is_none_or(|extension| extension != "csv")) {
        let message = format!("a plate map is written as .csv, not as {:?}", path.display().to_string());
        return Err(CliError::usage("E204", message, "change the extension of --plate-map"));
    }
    let mut campaign = args.file.open()?;
    if map_file.is_some() && campaign.spec().layout.plate.is_none() {
        let help = "say which ones: elfving change NAME --plate 8x12 --reason \"...\"";
        return Err(CliError::usage("E203", "this campaign has no plates", help));
    }
    let before = campaign.head().event;
    let spinner = console.spinner("planning");
    let batch = match args.open {
        true => campaign.open_slots(),
        false => campaign.ask_for(args.worker.as_deref(), args.batch, now()),
    };
    let batch = batch.map_err(|error| failed(error, before))?;
    drop(spinner);
    let csv = || sheet(&campaign, &batch);
    let deliver = || {
        if let Some((path, format)) = &out {
            let bytes = match format {
                FileFormat::Csv => csv()?,
                FileFormat::Json => output::json_file(&batch),
            };
            output::write_file(path, &bytes)?;
        }
        if let Some(path) = map_file {
            output::write_file(path, &plate_map(&campaign, &batch)?)?;
        }
        console.note(word(&campaign, &batch));
        match shown {
            Format::Json => output::print(output::json_line(&batch)),
            Format::Csv => output::print(csv()?),
            Format::Table => output::show(table(&campaign, &batch)?),
        }
    };
    let record = "the batch is on record; `elfving ask` prints it again";
    deliver().map_err(|error| error.after_commit(record, campaign.head().event))?;
    if batch.stopped.is_some() { Err(CliError::NothingToDo) } else { Ok(()) }
}

fn sheet(campaign: &Campaign, batch: &Batch) -> Result<Vec<u8>, CliError> {
    let candidates = campaign.candidates().map_err(|error| failed(error, None))?;
    batch.to_csv(campaign.spec(), candidates).map_err(|error| failed(error, None))
}

fn plate_map(campaign: &Campaign, batch: &Batch) -> Result<Vec<u8>, CliError> {
    let candidates = campaign.candidates().map_err(|error| failed(error, None))?;
    let map = batch.plate_map(campaign.spec(), candidates).map_err(|error| failed(error, None))?;
    Ok(map.unwrap_or_default())
}

/// What the batch is, and what to do with it.
fn word(campaign: &Campaign, batch: &Batch) -> String {
    let spec = campaign.spec();
    if let Some(stop) = &batch.stopped {
        return format!("nothing to measure: {stop}; see `elfving status`");
    }
    if batch.rows.is_empty() {
        return "no slot is open".to_owned();
    }
    let measurements = counted(batch.rows.len(), "measurement");
    let of = match batch.round {
        0 => "that you requested".to_owned(),
        round => format!("of round {round}"),
    };
    let beside = match batch.open_before {
        0 => String::new(),
        open => format!(", beside {} under way (`elfving ask --open` lists them)", counted(open, "slot")),
    };
    let when = if batch.again { ", handed out before".to_owned() } else { beside };
    let later = match batch.later {
        0 => String::new(),
        later => format!(", {later} more later"),
    };
    format!(
        "{measurements} {of}{when}{later}; fill in {:?} and record the file with `elfving tell`",
        spec.outcome
    )
}

/// Slot, candidate, the user's columns, and why.
fn table(campaign: &Campaign, batch: &Batch) -> Result<String, CliError> {
    if batch.rows.is_empty() {
        return Ok(String::new());
    }
    let candidates = campaign.candidates().map_err(|error| failed(error, None))?;
    let Some(own) = candidates.table() else { return Ok(String::new()) };
    let hidden = |name: &str| {
        Some(name.trim()) == candidates.id_column().map(str::trim) || name == campaign.spec().outcome
    };
    let columns: Vec<usize> =
        (0..own.columns().len()).filter(|&k| !hidden(own.columns()[k].name())).take(MOST_COLUMNS).collect();
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let id = candidates.id_column().unwrap_or("row");
    let names = columns.iter().map(|&k| own.columns()[k].name());
    let wells = batch.has_wells(campaign.spec());
    lines.set_header(
        ["slot"].into_iter().chain(wells.then_some("well")).chain([id]).chain(names).chain(["why"]),
    );
    for row in &batch.rows {
        let cells: Vec<String> = own.cells(row.table_row()).map(|cell| cell.to_string()).collect();
        let shown = columns.iter().map(|&k| cells[k].clone());
        let well = wells.then(|| row.well.clone().unwrap_or_default());
        let cells = [row.slot.clone()].into_iter().chain(well).chain([row.id.clone()]).chain(shown);
        lines.add_row(cells.chain([row.why.clone()]));
    }
    Ok(format!("{}\n", trimmed(&lines)))
}
