//! `elfving diagnose`: what must be chosen, and how to choose it.

mod flags;

use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{Table, presets};
use elfving_table::Cell;
use serde::Serialize;

use crate::console::Console;
use crate::error::CliError;
use crate::input;
use crate::output::{self, OutputArgs};
use crate::pool_args::{ColumnArgs, PoolArgs};
use crate::pool_source::LoadedPool;
use crate::words::{counted, trimmed};
use elfving_problem::defaults::{KERNEL_RIDGE, USUAL_TOLERANCE};
use elfving_problem::diagnosis::{Diagnosis, Finding, Measured, column_findings};
use elfving_problem::{Dataset, ProblemError};

/// Arguments of `elfving diagnose`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving diagnose pool.csv --id id
      scales, duplicates, a first kernel and ridge
  elfving diagnose pool.csv --id id --measured measured.csv --outcome yield
      also noise, bounds and a fitted kernel, from lines of `id,yield`, repeats as several lines

Every line ends with the option to use. Suggestions from data are estimates, not bounds: a guarantee holds
for the numbers that you assume.")]
pub(crate) struct DiagnoseArgs {
    #[command(flatten)]
    pool: PoolArgs,
    /// Earlier measurements: a table with the ids and the outcome, several lines for a repeated candidate
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    measured: Option<PathBuf>,
    /// The seed of samples of large tables
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Results")]
    seed: u64,
    #[command(flatten)]
    output: OutputArgs,
}

/// One thing to know, and the option it asks for.
#[derive(Debug, Serialize)]
struct Line {
    #[serde(flatten)]
    finding: Finding,
    /// The option to use; none where there is nothing to do.
    flag: Option<String>,
}

impl From<Finding> for Line {
    fn from(finding: Finding) -> Self {
        let flag = finding.suggestion.as_ref().map(flags::of);
        Self { finding, flag }
    }
}

#[derive(Debug, Serialize)]
struct DiagnosisDocument {
    schema: u32,
    n: usize,
    features: usize,
    findings: Vec<Line>,
    /// All options together.
    options: String,
    version: String,
}

impl From<Diagnosis> for DiagnosisDocument {
    fn from(Diagnosis { schema, n, features, findings, version }: Diagnosis) -> Self {
        let findings: Vec<Line> = findings.into_iter().map(Line::from).collect();
        let options: Vec<&str> = findings.iter().filter_map(|line| line.flag.as_deref()).collect();
        let options = options.join(" ");
        Self { schema, n, features, findings, options, version }
    }
}

/// What the columns of a table ask for, one line each, where an option would answer it.
pub(crate) fn advice(data: &Dataset) -> Vec<String> {
    let line = |Finding { topic, finding, suggestion }: Finding| {
        Some(format!("{topic}: {finding}; use {}", flags::of(&suggestion?)))
    };
    column_findings(data).into_iter().filter_map(line).collect()
}

pub(crate) fn run(args: &DiagnoseArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "findings are")?;
    let mut pool = args.pool.clone().settle()?;
    let columns = pool.columns.clone();
    if let (Some(_), Some(path)) = (&args.measured, &pool.pool) {
        // The outcome may be a column of the results alone.
        let table = input::table(path, &columns.reading())?;
        pool.columns.outcome.retain(|outcome| table.column(outcome).is_ok());
    }
    let loaded = LoadedPool::load(&pool, KERNEL_RIDGE, USUAL_TOLERANCE, args.seed, console)?;
    let measured = args.measured.as_deref().map(|path| measured(path, &columns, &loaded)).transpose()?;
    let spinner = console.spinner("looking");
    let document: DiagnosisDocument = Diagnosis::of(&loaded, measured.as_ref(), args.seed)?.into();
    drop(spinner);
    let csv = || {
        let row = |Line { finding, flag }: &Line| {
            let flag = flag.clone().map_or(Cell::Empty, |flag| Cell::Text(flag.into()));
            let Finding { topic, finding, .. } = finding;
            vec![Cell::Text(topic.clone().into()), Cell::Text(finding.clone().into()), flag]
        };
        output::csv(&["about", "found", "use"], document.findings.iter().map(row))
    };
    args.output.deliver(as_json, "findings are", &document, csv, || text(&document, &loaded))
}

/// What was measured before, matched by ids.
fn measured(path: &Path, columns: &ColumnArgs, loaded: &LoadedPool) -> Result<Measured, CliError> {
    let id = columns.id.as_deref().ok_or_else(|| {
        CliError::usage("E202", "--measured is matched by ids", "name the column of ids with --id")
    })?;
    let table = input::table(path, &columns.reading())?;
    let outcome = columns.outcome.iter().find(|name| table.column(name).is_ok());
    Measured::read(&table, id, outcome.map(String::as_str), loaded).map_err(|error| match error {
        ProblemError::Data { problem } => CliError::data("E354", problem, "name the column with --outcome"),
        other => other.into(),
    })
}

fn text(document: &DiagnosisDocument, loaded: &LoadedPool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["about", "found", "use"]);
    for Line { finding, flag } in &document.findings {
        let flag = flag.clone().unwrap_or_else(|| "-".to_owned());
        table.add_row([finding.topic.clone(), finding.finding.clone(), flag]);
    }
    let head = format!(
        "{}: {}, {}",
        loaded.file_name(),
        counted(document.n, "candidate"),
        counted(document.features, "feature")
    );
    format!("{head}\n\n{}\n\nTogether: {}\n", trimmed(&table), document.options)
}
