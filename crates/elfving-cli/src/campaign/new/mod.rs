//! `elfving new`: from a table and a question to a campaign.

mod campaign_args;
mod lists;

pub(super) use lists::ids as ids_of;
mod questions;

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::units::grouped;
use elfving_campaign::{Attachment, Campaign, Draft, Mode, OutcomeMarker, shell_word, spec_for_programs};
use serde::Serialize;

use super::failure::failed;
use super::locate::file_of;
use super::now;
use super::results_args::ResultsArgs;
use crate::console::Console;
use crate::diagnose;
use crate::error::CliError;
use crate::input;
use crate::kernel_args::KernelArgs;
use crate::output::{self, OutputArgs};
use crate::pool_args::{self, ColumnArgs, MARKER_HELP, ModelArgs, PoolArgs};
use crate::pool_source;
use crate::words::counted;
use campaign_args::{CampaignArgs, CampaignSettings};
use questions::Questions;

/// Arguments of `elfving new`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving new first pool.csv --id id --maximize yield --mode calibrated
      a fitted model, practical and without proof; then `elfving ask first > batch.csv`
  elfving new screen pool.csv --id id --maximize yield --kernel matern52 \\
          --noise sub-gaussian --sigma 0.05 --norm 3 --epsilon 0.1
      a candidate within 0.1 of the best, certified under these assumptions
  elfving new timings kernels.csv --id id --log block=2 --minimize ms --epsilon 0.5 \\
          --noise bounded-variance --sigma 2 --bound 50 --batch 32
      heavy tails: only the variance is assumed to be bounded
  elfving new plates reactions.csv --id id --maximize yield --mode calibrated \\
          --forbid skip.csv --measured done.csv
      candidates that must not be measured, and measurements made before

On a terminal, `new` asks for what is missing. `elfving diagnose` and `elfving plan` help to choose the numbers.")]
pub(crate) struct NewArgs {
    /// The name of the campaign; its file is NAME.elfving
    #[arg(value_name = "NAME")]
    name: PathBuf,
    /// The candidates: a .csv or .xlsx with a header, .npy, .npz or .parquet, one row per candidate
    #[arg(value_name = "POOL")]
    pool: Option<PathBuf>,
    /// The same as POOL
    #[arg(long = "pool", value_name = "POOL", conflicts_with = "pool", help_heading = "Pool")]
    pool_option: Option<PathBuf>,
    /// Choose among the rows of this table (same columns), and measure those of POOL
    #[arg(long, value_name = "FILE", help_heading = "Pool")]
    targets: Option<PathBuf>,
    #[command(flatten)]
    question: CampaignArgs,
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    kernel: KernelArgs,
    #[command(flatten)]
    rows: RowArgs,
    #[command(flatten)]
    results: ResultsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Rows that are treated differently.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rows")]
struct RowArgs {
    /// Candidates to exclude, neither measured nor chosen: ids, or a table with them
    #[arg(long, value_name = "ID,..|FILE")]
    forbid: Vec<String>,
    /// Exclude the candidates that meet a condition, such as "temperature > 90"; repeat it for several, of which one is enough
    #[arg(long, value_name = "CONDITION")]
    forbid_where: Vec<String>,
    /// Candidates to measure first: ids, or a table with them
    #[arg(long, value_name = "ID,..|FILE")]
    force: Vec<String>,
    /// Earlier measurements: a table with the ids and the outcome, several lines for a repeated candidate
    #[arg(long, value_name = "FILE")]
    measured: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct NewDocument {
    file: String,
    candidates: usize,
    choices: usize,
    earlier: usize,
    spec: serde_json::Value,
}

pub(crate) fn new(args: &NewArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a campaign's description is")?;
    let mut questions = Questions::new(as_json);
    let pool = args.pool.as_ref().or(args.pool_option.as_ref());
    let pool = questions.path("POOL", "Which file has the candidates?", pool)?;
    let mut settings = args.question.settle(&mut questions)?;
    let pool = questions.finish(pool)?;
    let path = file_of(&args.name);

    let draft = draft(args, &pool, &settings, console)?;
    settings.read_sigma(draft.dataset().table())?;
    if settings.mode == Mode::Certified {
        // The calibrated model scales every column by itself.
        diagnose::advice(draft.dataset()).iter().for_each(|advice| console.note(advice));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = draft.dataset().id_column();
    let mut forbidden = lists::ids(&args.rows.forbid, id)?;
    for condition in pool_args::conditions("--forbid-where", &args.rows.forbid_where)? {
        let more = draft.ids_where(&condition).map_err(|error| failed(error, None))?;
        console.note(format!("{} forbidden by {:?}", counted(more.len(), "candidate"), condition.text()));
        let more = more.into_iter().filter(|id| !forbidden.contains(id));
        forbidden.extend(more.collect::<Vec<_>>());
    }
    let spec = settings
        .spec(name, draft.recipe().clone())
        .forbid(forbidden)
        .force(lists::ids(&args.rows.force, id)?);
    let format =
        elfving_campaign::ResultsFormat { decimal: spec.recipe.reading.decimal, ..Default::default() };
    let spec = spec.results(args.results.over(&format, &outcome_markers(&args.columns)?));
    let measured = args.rows.measured.as_deref();
    let measured = measured.map(|path| input::results(path, &spec.results)).transpose()?;
    let left_out = measured.as_ref().map(|file| draft.forbidden_measurements(file, &spec)).transpose();
    let left_out = left_out.map_err(|error| failed(error, None))?.unwrap_or_default();
    if !left_out.is_empty() {
        let (count, ids) = (counted(left_out.len(), "measurement"), distinct(&left_out));
        console.note(format!("{count} of forbidden candidates left out: {ids}"));
    }

    let spinner = console.spinner("building");
    let campaign = draft.create(&path, spec, measured.as_ref(), now());
    let mut campaign = campaign.map_err(|error| failed(error, None))?;
    let status = campaign.status().map_err(|error| failed(error, None))?;
    drop(spinner);
    let (file, spec) = (path.display().to_string(), spec_for_programs(campaign.spec()));
    let (candidates, choices, earlier) = (status.candidates, status.choices, status.earlier);
    let document = NewDocument { file, candidates, choices, earlier, spec };
    if status.earlier > 0 && !status.earlier_used {
        let algorithm = &status.algorithm;
        console.note(format!(
            "{algorithm} decides from its own draws only: earlier measurements are kept on record but not used"
        ));
    }
    let csv = || output::csv_of_fields(&document);
    let text = || words(&campaign, &status, &path);
    let delivered = args.output.deliver(as_json, "a campaign's description is", &document, csv, text);
    delivered.map_err(|error| error.after_commit("the campaign is on record", campaign.head().event))
}

/// The first ids of a list, each once.
fn distinct(ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut seen: Vec<&str> = Vec::new();
    for id in ids {
        if !seen.contains(&id.as_str()) {
            seen.push(id);
        }
    }
    match seen.len() {
        all if all > SHOWN => format!("{} and {} more", seen[..SHOWN].join(", "), all - SHOWN),
        _ => seen.join(", "),
    }
}

/// What texts mean in place of an outcome; those that only features know are left out.
fn outcome_markers(columns: &ColumnArgs) -> Result<Vec<OutcomeMarker>, CliError> {
    let of_outcomes = columns.marker.iter().filter(|text| text.contains('='));
    let refused = |message: String| CliError::usage("E201", format!("--marker {message}"), MARKER_HELP);
    of_outcomes.map(|text| text.parse().map_err(refused)).collect()
}

/// What was created, and what comes next.
fn words(campaign: &Campaign, status: &elfving_campaign::CampaignStatus, path: &Path) -> String {
    let spec = campaign.spec();
    let why = if spec.because.is_empty() { String::new() } else { format!(" ({})", spec.because) };
    let shown = path.display();
    let among = match status.choices == status.candidates {
        true => String::new(),
        false => format!(" to choose among {} targets", status.choices),
    };
    let earlier = match status.earlier {
        0 => String::new(),
        count => format!(", {} made before", counted(count, "measurement")),
    };
    format!(
        "{shown}: {} candidates{among}{earlier}\n  goal       {}\n  algorithm  {}{why}\n  batch      {}\n\nNext: elfving ask {} > batch.csv\n",
        grouped(status.candidates as u64),
        spec.goal,
        spec.algorithm,
        spec.batch,
        shell_word(&shown.to_string())
    )
}

/// Reads the tables once: options checked, kernel resolved.
fn draft(
    args: &NewArgs,
    pool: &Path,
    settings: &CampaignSettings,
    console: Console,
) -> Result<Draft, CliError> {
    if args.kernel.gram.is_some() {
        let help = "give the features and --kernel; a campaign keeps the table, not a matrix";
        return Err(CliError::usage("E202", "a campaign needs coordinates, not a kernel matrix", help));
    }
    let mut columns = args.columns.clone();
    columns.ignore.extend(settings.sigma_column().map(str::to_owned));
    let (model, kernel, targets) = (args.model, args.kernel.clone(), args.targets.clone());
    let pool_args = PoolArgs { pool: None, pool_option: None, targets, columns, model, kernel }.settle()?;
    let spinner = console.spinner("reading");
    let (file, targets) = (attached(pool)?, args.targets.as_deref().map(attached).transpose()?);
    let (spec, outcome) = (pool_args.spec()?, &settings.outcome);
    let draft = Draft::read(file, targets, spec, outcome, settings.mode, settings.gamma, settings.seed);
    drop(spinner);
    let draft = draft.map_err(|error| failed(error, None))?;
    pool_source::say(draft.dataset(), console);
    Ok(draft)
}

fn attached(path: &Path) -> Result<Attachment, CliError> {
    let (name, bytes) = input::bytes(path)?;
    Ok(Attachment::new(name, bytes))
}
