//! `elfving new`: from a table and a question to a campaign.

mod campaign_args;
mod lists;

pub(super) use lists::ids as ids_of;
mod questions;
mod table_questions;

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::units::grouped;
use elfving_campaign::{
    Attachment, Campaign, Draft, Mode, NewDocument, OutcomeMarker, numbers_beside_gaps, shell_word,
};
use elfving_problem::ColumnSeen;
use elfving_table::Warning;

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
  elfving new screen pool.csv --id id --maximize yield \\
          --noise sub-gaussian --sigma 0.05 --norm 3 --epsilon 0.1
      a candidate within 0.1 of the best, certified under these assumptions; the model is a smooth one, see --kernel
  elfving new again pool.csv --id id --maximize yield --range 0,100 --sigma 4 --norm 200 \\
          --epsilon 10 --batch 4
      outcomes in percent: no outcome is outside of the range; --prior screen would let the campaign screen bet
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
    /// An earlier campaign whose results predict the outcomes: it bets beside the other models. Right, it saves measurements; wrong, it
    /// costs some, and never makes an answer false. Repeat it for several
    #[arg(long, value_name = "CAMPAIGN")]
    prior: Vec<PathBuf>,
}

pub(crate) fn new(args: &NewArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a campaign's description is")?;
    let Settled { pool, id, mut settings, measured } = settled(args, Questions::new(as_json))?;
    let path = file_of(&args.name);

    let mut draft = draft(args, &pool, id, &settings, console)?;
    for prior in &args.rows.prior {
        let earlier = super::locate::open(Some(prior))?;
        draft.prior(&earlier).map_err(|error| failed(error, None))?;
    }
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
    if let Some(unused) = draft.unused_outcomes().filter(|_| measured.is_none()) {
        console.warnings(&[Warning { file: pool.display().to_string(), ..unused }]);
    }
    let measured = measured.as_deref();
    let measured = measured.map(|path| input::results(path, &spec.results)).transpose()?;
    let left_out = measured.as_ref().map(|file| draft.forbidden_measurements(file, &spec)).transpose();
    let left_out = left_out.map_err(|error| failed(error, None))?.unwrap_or_default();
    if !left_out.is_empty() {
        let (count, ids) = (counted(left_out.len(), "measurement"), distinct(&left_out));
        console.note(format!("{count} of forbidden candidates left out: {ids}"));
    }

    // As the table has them: of all rows, forbidden ones too.
    let columns = draft.dataset().columns_seen();
    let spinner = console.spinner("building");
    let campaign = draft.create(&path, spec, measured.as_ref(), now());
    let mut campaign = campaign.map_err(|error| failed(error, None))?;
    let status = campaign.status().map_err(|error| failed(error, None))?;
    drop(spinner);
    let document = NewDocument::of(path.display().to_string(), campaign.spec(), &status, columns);
    if status.earlier > 0 && !status.earlier_used {
        let algorithm = &status.algorithm;
        console.note(format!(
            "{algorithm} decides from its own draws only: earlier measurements are kept on record but not used"
        ));
    }
    let csv = || output::csv_of_fields(&document);
    let text = || words(&campaign, &status, &document.columns, &path);
    let delivered = args.output.deliver(as_json, "a campaign's description is", &document, csv, text);
    delivered.map_err(|error| error.after_commit("the campaign is on record", campaign.head().event))
}

/// Everything that was asked for, by options or on the terminal.
struct Settled {
    pool: PathBuf,
    id: Option<String>,
    settings: CampaignSettings,
    measured: Option<PathBuf>,
}

/// Asks for what is missing, the table first: columns are then checked as they are named.
fn settled(args: &NewArgs, mut questions: Questions<'_>) -> Result<Settled, CliError> {
    let given = args.pool.as_ref().or(args.pool_option.as_ref());
    let (pool, table) = table_questions::pool(&mut questions, given, &args.columns.reading())?;
    let table = table.as_ref();
    let id = match (&args.columns.id, table) {
        (None, Some(table)) => table_questions::id(&mut questions, table)?,
        (given, _) => given.clone(),
    };
    let settings = args.question.settle(&mut questions, table, id.as_deref())?;
    let mut measured = args.rows.measured.clone();
    if let (None, Some(table)) = (&measured, table)
        && let numbers @ 1.. = numbers_beside_gaps(table, &settings.outcome)
        && table_questions::are_measurements(&mut questions, &settings.outcome, numbers)?
    {
        measured = Some(pool.clone());
    }
    questions.finish(Settled { pool, id, settings, measured })
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
fn words(
    campaign: &Campaign,
    status: &elfving_campaign::CampaignStatus,
    columns: &[ColumnSeen],
    path: &Path,
) -> String {
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
    let layout = match spec.layout.is_plain() {
        true => String::new(),
        false => format!("  layout     {}\n", spec.layout),
    };
    format!(
        "{shown}: {} candidates{among}{earlier}\n{}  model      {}\n  goal       {}\n  algorithm  {}{why}\n  batch      {}\n{layout}\nNext: elfving ask {} > batch.csv\n",
        grouped(status.candidates as u64),
        columns_in_words(columns),
        status.model,
        spec.goal,
        spec.algorithm,
        spec.batch,
        shell_word(&shown.to_string())
    )
}

/// One line per column: its name and what it is to the model.
fn columns_in_words(columns: &[ColumnSeen]) -> String {
    let width = columns.iter().take(MOST_COLUMNS).map(|seen| seen.column.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (k, seen) in columns.iter().take(MOST_COLUMNS).enumerate() {
        let title = if k == 0 { "columns" } else { "" };
        text.push_str(&format!("  {title:<9}  {:<width$}  {seen}\n", seen.column));
    }
    if let Some(more) = columns.len().checked_sub(MOST_COLUMNS + 1) {
        text.push_str(&format!("             and {} more; --json lists all\n", grouped(more as u64 + 1)));
    }
    text
}

/// Columns that are listed.
const MOST_COLUMNS: usize = 24;

/// Reads the tables once: options checked, kernel resolved.
fn draft(
    args: &NewArgs,
    pool: &Path,
    id: Option<String>,
    settings: &CampaignSettings,
    console: Console,
) -> Result<Draft, CliError> {
    if args.kernel.gram.is_some() {
        let help = "give the features and --kernel; a campaign keeps the table, not a matrix";
        return Err(CliError::usage("E202", "a campaign needs coordinates, not a kernel matrix", help));
    }
    let mut columns = ColumnArgs { id, ..args.columns.clone() };
    columns.ignore.extend(settings.sigma_column().map(str::to_owned));
    let (model, kernel, targets) = (args.model.clone(), args.kernel.clone(), args.targets.clone());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    const POOL: &str = "run,dose,ligand,yield\nr1,0.5,XPhos,\nr2,1,PPh3,7\nr3,2,XPhos,8\n";

    /// What the answers settle, and what was heard.
    fn talk(pool: &str, options: &[&str], answers: &str) -> (Result<Settled, CliError>, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pool.csv");
        std::fs::write(&file, pool).unwrap();
        let answers = answers.replace("POOL", &file.display().to_string());
        let cli = Cli::try_parse_from(["elfving", "new", "screen"].iter().chain(options)).unwrap();
        let Command::New(args) = cli.command else { unreachable!("it was new just now") };
        let mut heard = Vec::new();
        let settled = settled(&args, Questions::between(answers.as_bytes(), &mut heard));
        let heard = String::from_utf8(heard).unwrap().replace(&folder.path().display().to_string(), "FOLDER");
        (settled, heard)
    }

    #[test]
    fn enter_after_enter_makes_a_calibrated_campaign() {
        let (settled, heard) = talk(POOL, &[], "POOL\n\n\n\n\n\n\n\n");
        let settled = settled.unwrap();
        assert_eq!((settled.id.as_deref(), settled.settings.outcome.as_str()), (Some("run"), "yield"));
        assert_eq!(settled.settings.mode, Mode::Calibrated);
        assert_eq!(settled.measured, Some(settled.pool));
        for (question, default) in [
            ("Which column names the candidates (none: the row number)?", "run"),
            ("Which outcome is measured (the column that results will have)?", "yield"),
            ("Are large values good?", "yes"),
            (
                "Calibrated (a fitted model, no proof) or certified (a theorem under your assumptions)?",
                "calibrated",
            ),
            ("How many measurements at a time?", "24"),
            ("How many measurements in all, at most?", "none"),
            ("The column \"yield\" has 2 numbers. Use them as earlier measurements?", "yes"),
        ] {
            assert!(
                heard.contains(&format!("{question} [{default}]   taken: {default}\n")),
                "{question}: {heard}"
            );
        }
        assert!(!heard.contains("How far from the best"), "epsilon does nothing in this mode: {heard}");
    }

    #[test]
    fn bad_answers_are_refused_one_by_one_with_the_reason() {
        let answers = "none.csv\nPOOL\nruns\nligand\nrun\nrun\nyeild\n\nno\ncert\n8\n0\n96\n-1\n0.5\n\nnan\n0.1\n0\n2\nno\n";
        let (settled, heard) = talk(POOL, &[], answers);
        let settings = settled.unwrap().settings;
        assert_eq!((settings.outcome.as_str(), settings.mode), ("yield", Mode::Certified), "{heard}");
        for said in [
            "there is no file \"none.csv\"; t",
            "there is no column \"runs\"; the nearest is \"run\"",
            "\"ligand\" has \"XPhos\" twice: names must differ",
            "\"run\" names the candidates already",
            "0 cannot be used: give a whole number from 1 to ",
            "-1 cannot be used: it must be at least 0",
            "nan cannot be used: it must be at least 0",
            "0 cannot be used: it must be positive",
        ] {
            assert!(heard.contains(&format!("  {said}")), "{said}: {heard}");
        }
        assert!(
            heard.contains("There is no column \"yeild\" in the table. Did you mean \"yield\"?"),
            "{heard}"
        );
    }

    #[test]
    fn what_the_options_say_is_not_asked_and_a_coordinate_is_not_offered_as_a_name() {
        let pool = "dose,yield\n0.5,\n1.5,\n";
        let options = ["--maximize", "yield", "--mode", "calibrated"];
        let (settled, heard) = talk(pool, &options, "POOL\n\n");
        assert_eq!(settled.unwrap().id, None);
        assert_eq!(heard.matches('?').count(), 2, "the file and the id: {heard}");
        assert!(heard.contains("taken: none"), "{heard}");
    }
}
