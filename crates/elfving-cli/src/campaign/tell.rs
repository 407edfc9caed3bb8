//! `elfving tell`: records results.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving_campaign::{Campaign, CampaignError, OutcomeMarker, TellDocument, TellOptions, Told};
use elfving_table::Decimal;

use super::failure::failed;
use super::results_args::ResultsArgs;
use super::{locate, now};
use crate::error::CliError;
use crate::input;
use crate::output::{self, OutputArgs};
use crate::pool_source::file_name;
use crate::words::{counted, short};

/// Arguments of `elfving tell`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving tell screen batch.csv
      results of some or all slots, in any order; other columns are ignored
  elfving tell batch.csv
      the same where the folder has one campaign
  plate-reader | elfving tell screen -
      results from stdin
  elfving tell screen batch.csv --marker \"n.d.=failed\" --marker \"<1=0.5\"
      what texts mean
  elfving tell screen batch.csv --correct --reason \"two vials were swapped\"
      replace results that are on record
  elfving tell screen others.csv
      lines with an id and no slot: measurements that nobody asked for, also as n, mean and sd per candidate
  elfving tell screen --no-guarantee
      give up the open slots of a round; RIPS and PTR forfeit their guarantee by that

A file is recorded completely or not at all. Recording it twice changes nothing. An empty outcome leaves its slot open. In the
column `status`, `failed` means try again (after two failures the candidate counts as infeasible, see --tries of
`elfving new`), and `infeasible` means never again.")]
pub(crate) struct TellArgs {
    /// The campaign (a file or its name; default: the only one in this folder), then the file of results
    #[arg(value_name = "[CAMPAIGN] RESULTS", num_args = 1..=2, required = true)]
    files: Vec<PathBuf>,
    /// Replace results that differ from those on record
    #[arg(long, requires = "reason")]
    correct: bool,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT", requires = "correct")]
    reason: Option<String>,
    /// Check everything and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Close the round; refused while slots are open. RESULTS may be left out
    #[arg(long, conflicts_with = "dry_run")]
    close: bool,
    /// Give up the open slots; RIPS and PTR forfeit their guarantee by that. RESULTS may be left out
    #[arg(long, conflicts_with = "dry_run")]
    no_guarantee: bool,
    /// Take lines without a slot as new, even where the same value of the same candidate is on record
    #[arg(long)]
    all_new: bool,
    /// Who tells it; kept in the log
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// What a text means in place of an outcome: TEXT=failed or TEXT=NUMBER, such as "n.d.=failed" or "<1=0.5"
    #[arg(long, value_name = "TEXT=MEANING", help_heading = "Results")]
    marker: Vec<OutcomeMarker>,
    #[command(flatten)]
    results: ResultsArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// The decimal mark of RESULTS: . or , (default: that of the pool)
    #[arg(long, value_name = "MARK", value_parser = [".", ","], help_heading = "Results")]
    decimal: Option<String>,
}

pub(crate) fn tell(args: &TellArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    args.reason.as_deref().map_or(Ok(()), super::correct::check_reason)?;
    let (campaign, results) = match args.files.as_slice() {
        [campaign, results] => (Some(campaign.as_path()), Some(results.as_path())),
        // Without results there is still something to close.
        [campaign] if (args.close || args.no_guarantee) && names_a_campaign(campaign) => {
            (Some(campaign.as_path()), None)
        }
        [results] => (None, Some(results.as_path())),
        _ => unreachable!("clap counts the files"),
    };
    let mut campaign = locate::open(campaign)?;
    let before = campaign.head().event;
    let mut format = args.results.over(&campaign.spec().results, &args.marker);
    match args.decimal.as_deref() {
        Some(",") => format.decimal = Decimal::Comma,
        Some(_) => format.decimal = Decimal::Point,
        None => {}
    }
    let mut options = TellOptions::default().dry_run(args.dry_run);
    options.correct.clone_from(&args.reason);
    (options.all_new, options.by) = (args.all_new, args.by.clone());
    let told = match results {
        None => Told { event: before, ..Told::default() },
        Some(path) => {
            let file = input::results(path, &format).map_err(|error| failed(error.into(), before))?;
            let told = campaign.tell(&file, &options, now());
            told.map_err(|error| failed(error, campaign.head().event))?
        }
    };
    let closed = close(args, &mut campaign, results.is_some())?;
    let mut document = TellDocument::of(&told, &mut campaign, args.dry_run);
    document.closed_without_guarantee = closed;
    let whole_rounds = campaign.needs_whole_rounds();
    let mut text = String::new();
    if let Some(path) = results {
        text.push_str(&account(path, &told, args.dry_run));
    }
    text.push_str(&remarks(&told));
    if !told.closed.is_empty() {
        text.push_str("the results are in the estimates; see `elfving status`\n");
    }
    if let Some(next_batch) = &document.next_batch {
        text.push_str(&format!("{}\n", next_batch.words));
    }
    if let Some(round) = closed {
        text.push_str(&format!(
            "the open slots of round {round} are given up{}\n",
            if whole_rounds { "; the guarantee is forfeited" } else { "; results that still come are taken" }
        ));
    }
    text.push_str(&match args.dry_run {
        true => format!("nothing was written (campaign still at event {before})\n"),
        false => format!("campaign at event {}\n", campaign.head().event),
    });
    let delivered = args.output.deliver(
        as_json,
        "an account is",
        &document,
        || output::csv_of_fields(&document),
        || text,
    );
    match args.dry_run {
        true => delivered,
        false => {
            delivered.map_err(|error| error.after_commit("the results are on record", campaign.head().event))
        }
    }
}

/// Closes the round under way if that was asked for: completely or, on request, as it is.
fn close(args: &TellArgs, campaign: &mut Campaign, told: bool) -> Result<Option<u64>, CliError> {
    let under_way = campaign.rounds().any(|round| round.missing > 0);
    let closed = match (args.close, args.no_guarantee) {
        (_, true) if under_way => campaign.close_without_guarantee(now()).map(Some),
        // The outcomes that were just told may have completed it.
        (_, true) if !told => Err(CampaignError::NoRound),
        (true, _) => campaign.close(now()).map(|()| None),
        _ => Ok(None),
    };
    closed.map_err(|error| failed(error, campaign.head().event))
}

fn names_a_campaign(path: &Path) -> bool {
    let is = |path: &Path| path.extension().is_some_and(|extension| extension == locate::EXTENSION);
    is(path) || (!path.is_file() && locate::file_of(path).is_file())
}

/// `batch.csv: 24 lines read: 20 recorded, 2 repeated, 0 refused, 1 failed, 1 without an outcome; 2 slots open`.
fn account(path: &Path, told: &Told, dry_run: bool) -> String {
    let Told { read, recorded, repeated, corrected, failed, blank, open, .. } = told;
    let file = file_name(Some(path));
    let would = if dry_run { " (if it were told)" } else { "" };
    let some = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!(", {count} {what}"),
    };
    let corrected = some(*corrected, "corrected");
    let (volunteered, infeasible) =
        (some(told.volunteered, "that nobody asked for"), some(told.infeasible, "infeasible"));
    let lines = counted(*read, "line");
    let open = if dry_run { String::new() } else { format!("; {} open", counted(*open, "slot")) };
    format!(
        "{file}: {lines} read{would}: {recorded} recorded{volunteered}, {repeated} repeated, 0 refused{corrected}, \
         {failed} failed{infeasible}, {blank} without an outcome{open}\n"
    )
}

/// What deserves a second look: candidates that are out, outcomes far from all others.
fn remarks(told: &Told) -> String {
    let mut text = String::new();
    match told.set_aside.as_slice() {
        [] => {}
        [id] => text.push_str(&format!("{id} counts as infeasible now and is not asked again\n")),
        ids if ids.len() <= NAMED => {
            text.push_str(&format!("{} count as infeasible now and are not asked again\n", ids.join(", ")));
        }
        ids => text
            .push_str(&format!("{} candidates count as infeasible now and are not asked again\n", ids.len())),
    }
    for outlier in told.outliers.iter().take(NAMED) {
        let slot = outlier.slot.as_ref().map_or_else(String::new, |slot| format!("slot {slot}, "));
        let (value, median, spread) = (short(outlier.value), short(outlier.median), short(outlier.spread));
        text.push_str(&format!(
            "check {slot}candidate {}: {value} is far from all others (half of them within {spread} of {median})\n",
            outlier.id
        ));
    }
    if let Some(more) = told.outliers.len().checked_sub(NAMED + 1) {
        text.push_str(&format!("and {} more outcomes far from all others\n", more + 1));
    }
    text
}

/// Candidates and outcomes that are named.
const NAMED: usize = 5;
