//! `elfving report`: a campaign as one HTML file.

use std::path::PathBuf;

use clap::Args;
use elfving_table::{OutputKind, check_output};
use serde::Serialize;

use super::failure::failed;
use super::{CampaignFile, now};
use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, Format, FormatArgs};

/// Arguments of `elfving report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving report screen
      writes screen.html next to the campaign: open it in a browser, or mail it
  elfving report screen --out friday.html
      under another name

The page is one file that loads nothing else: the status and the next step, the guarantee with every assumption,
the remaining candidates with intervals, pictures, every slot with its result, and the log.")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// The file to write (default: the campaign's name with .html)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    printed: FormatArgs,
}

#[derive(Serialize)]
struct Written {
    report: String,
    event: u64,
}

pub(crate) fn report(args: &ReportArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.printed.format_or(Format::Table, as_json)?;
    if let Some(out) = &args.out {
        output::check_page(out)?;
    }
    let mut campaign = args.file.open()?;
    let path = args.out.clone().unwrap_or_else(|| campaign.path().with_extension("html"));
    check_output(&path, OutputKind::Html, &[campaign.path()])?;
    let spinner = console.spinner("writing the report");
    let html = campaign.html(now()).map_err(|error| failed(error, None))?;
    output::write_file(&path, html.as_bytes())?;
    drop(spinner);
    let written = Written { report: path.display().to_string(), event: campaign.head().event };
    let csv = || output::csv_of_fields(&written);
    args.printed.print(as_json, &written, csv, || format!("{}\n", written.report))
}
