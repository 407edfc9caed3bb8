//! `elfving new`: from a table and a question to a campaign.

mod campaign_args;
mod lists;
mod questions;

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::pool::KernelSpec;
use elfving::units::grouped;
use elfving_campaign::event::BroughtIn;
use elfving_campaign::{
    Attachment, Campaign, Mode, Model, OutcomeMarker, Recipe, ResultsFile, Spec, shell_word,
    spec_for_programs,
};
use elfving_table::TableError;
use serde::Serialize;

use super::failure::failed;
use super::locate::EXTENSION;
use super::now;
use super::results_args::ResultsArgs;
use crate::diagnose;
use crate::error::CliError;
use crate::kernel_args::KernelArgs;
use crate::output::{self, OutputArgs};
use crate::pool_args::{ColumnArgs, MARKER_HELP, ModelArgs, PoolArgs};
use crate::pool_source::{LoadedPool, PoolFiles};
use crate::talk::Talk;
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
    /// The candidates: a .csv with a header, .npy, .npz or .parquet, one row per candidate
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

/// What a kernel is factorised for when the ridge is left to the algorithm.
const USUAL_RIDGE: f64 = 1e-4;
const TOLERANCE: f64 = 1e-3;

pub(crate) fn new(args: &NewArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    args.output.check(as_json, "a campaign's description is")?;
    let mut questions = Questions::new(as_json);
    let pool = args.pool.as_ref().or(args.pool_option.as_ref());
    let pool = questions.path("POOL", "Which file has the candidates?", pool)?;
    let mut settings = args.question.settle(&mut questions)?;
    let pool = questions.finish(pool)?;
    let path = file_of(&args.name);

    let loaded = load(args, pool.clone(), &settings, talk)?;
    settings.read_sigma(loaded.table())?;
    if settings.mode == Mode::Certified {
        // The calibrated model scales every column by itself.
        diagnose::advice(&loaded).iter().for_each(|advice| talk.note(advice));
    }
    let file = |path: &Path| attached(path);
    let pool = file(&pool)?;
    let targets = args.targets.as_deref().map(file).transpose()?;
    let recipe = recipe(&loaded, &pool, targets.as_ref())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = loaded.args.columns.id.as_deref();
    let spec = settings
        .spec(name, recipe)
        .forbid(lists::ids(&args.rows.forbid, id)?)
        .force(lists::ids(&args.rows.force, id)?);
    let format =
        elfving_campaign::ResultsFormat { decimal: spec.recipe.reading.decimal, ..Default::default() };
    let spec = spec.results(args.results.over(&format, &outcome_markers(&args.columns)?));
    let earlier = args.rows.measured.as_deref().map(|path| measured(path, &spec, &loaded)).transpose()?;

    let spinner = talk.spinner("building");
    let attachments: Vec<Attachment> = [pool].into_iter().chain(targets).collect();
    let campaign = Campaign::create_with(&path, spec, &attachments, earlier, now());
    let mut campaign = campaign.map_err(|error| failed(error, None))?;
    let status = campaign.status().map_err(|error| failed(error, None))?;
    drop(spinner);
    let (file, spec) = (path.display().to_string(), spec_for_programs(campaign.spec()));
    let (candidates, choices, earlier) = (status.candidates, status.choices, status.earlier);
    let document = NewDocument { file, candidates, choices, earlier, spec };
    if status.earlier > 0 && !status.earlier_used {
        let algorithm = &status.algorithm;
        talk.note(format!(
            "{algorithm} decides from its own draws only: earlier measurements are kept on record but not used"
        ));
    }
    let csv = || output::csv_of_fields(&document);
    args.output
        .deliver(as_json, "a campaign's description is", &document, csv, || words(&campaign, &status, &path))
}

/// What texts mean in place of an outcome; those that only features know are left out.
fn outcome_markers(columns: &ColumnArgs) -> Result<Vec<OutcomeMarker>, CliError> {
    let of_outcomes = columns.marker.iter().filter(|text| text.contains('='));
    let refused = |message: String| CliError::usage("E201", format!("--marker {message}"), MARKER_HELP);
    of_outcomes.map(|text| text.parse().map_err(refused)).collect()
}

/// What was created, and what comes next.
fn words(campaign: &Campaign, status: &elfving_campaign::Status, path: &Path) -> String {
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

/// `NAME.elfving`, where the name does not say it.
fn file_of(name: &Path) -> PathBuf {
    match name.extension().is_some_and(|extension| extension == EXTENSION) {
        true => name.to_owned(),
        false => {
            let mut file = name.as_os_str().to_owned();
            file.push(".");
            file.push(EXTENSION);
            PathBuf::from(file)
        }
    }
}

/// Reads and builds the pool as every command does: options checked, kernel resolved.
fn load(
    args: &NewArgs,
    pool: PathBuf,
    settings: &CampaignSettings,
    talk: Talk,
) -> Result<LoadedPool, CliError> {
    if args.kernel.gram.is_some() {
        let help = "give the features and --kernel; a campaign keeps the table, not a matrix";
        return Err(CliError::usage("E202", "a campaign needs coordinates, not a kernel matrix", help));
    }
    let mut columns = args.columns.clone();
    // The outcome may be a column of the results alone.
    let table = elfving_table::read(&pool, &columns.reading())?;
    if table.column(&settings.outcome).is_ok() && !columns.outcome.contains(&settings.outcome) {
        columns.outcome.push(settings.outcome.clone());
    }
    columns.ignore.extend(settings.sigma_column().map(str::to_owned));
    if settings.mode == Mode::Calibrated && columns.one_hot.is_none() && columns.features.is_none() {
        let others = columns.id.iter().chain(&columns.outcome).chain(&columns.ignore).map(String::as_str);
        columns.one_hot = Some(table.category_columns(others)).filter(|names| !names.is_empty());
    }
    let (pool, targets) = (Some(pool), args.targets.clone());
    let (model, kernel) = (args.model, args.kernel.clone());
    let pool = PoolArgs { pool, pool_option: None, targets, columns, model, kernel };
    let files = PoolFiles::read(pool.settle()?, talk)?;
    files.build(settings.gamma.unwrap_or(USUAL_RIDGE), TOLERANCE, settings.seed, talk)
}

/// How to build the same pool again.
fn recipe(loaded: &LoadedPool, pool: &Attachment, targets: Option<&Attachment>) -> Result<Recipe, CliError> {
    let args = &loaded.args;
    let model = match (&loaded.kernel, args.model.polynomial_model) {
        (Some(KernelSpec::Linear), _) | (None, None) => Model::Linear,
        (Some(of), _) => Model::Kernel {
            of: of.clone(),
            residual: args.kernel.residual.expect("a kernel that was factorised has a residual"),
        },
        (None, Some(degree)) => Model::Polynomial { degree, interactions_only: args.model.interactions_only },
    };
    let recipe = Recipe::new(pool, args.columns.reading(), args.columns.options()?).model(model);
    Ok(match targets {
        Some(targets) => recipe.targets(targets),
        None => recipe,
    })
}

fn attached(path: &Path) -> Result<Attachment, CliError> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| TableError::Io { file, source })?;
    Ok(Attachment::new(crate::pool_source::file_name(Some(path)), bytes))
}

/// Measurements made before, those of forbidden candidates left out.
fn measured(path: &Path, spec: &Spec, loaded: &LoadedPool) -> Result<BroughtIn, CliError> {
    let file = ResultsFile::read(path, &spec.results)?;
    let id = loaded.args.columns.id.as_deref().unwrap_or("row");
    let mut measurements = file.measurements(&spec.outcome, id, &loaded.ids)?;
    measurements.retain(|(id, _)| !spec.forbidden.contains(id));
    Ok(BroughtIn { measurements, source: Some(file.source().clone()) })
}
