//! `elfving diagnose`: what must be chosen, and how to choose it.

mod columns;
mod findings;
mod likelihood;
mod results;

use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};
use elfving_table::{Cell, read};
use serde::Serialize;

use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::pool_args::PoolArgs;
use crate::pool_source::LoadedPool;
use crate::talk::Talk;
use crate::words::{counted, trimmed};
use elfving_problem::Dataset;
use elfving_problem::defaults::{KERNEL_RIDGE, USUAL_TOLERANCE};
use results::Results;

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
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Finding {
    topic: &'static str,
    finding: String,
    /// The option to use; none where there is nothing to do.
    flag: Option<String>,
}

impl Finding {
    fn new(topic: &'static str, finding: impl Into<String>) -> Self {
        Self { topic, finding: finding.into(), flag: None }
    }

    fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }
}

#[derive(Debug, Serialize)]
struct DiagnosisDocument {
    n: usize,
    features: usize,
    findings: Vec<Finding>,
    /// All options together.
    options: String,
    version: &'static str,
}

/// What the columns of a table ask for, one line each, where an option would answer it.
pub(crate) fn advice(data: &Dataset) -> Vec<String> {
    let (Some((points, _)), Some(names)) = (data.coordinates(), &data.about().coordinate_names) else {
        return Vec::new();
    };
    let findings = columns::findings(data, points, names).findings.into_iter();
    findings
        .filter_map(|Finding { topic, finding, flag }| Some(format!("{topic}: {finding}; use {}", flag?)))
        .collect()
}

pub(crate) fn run(args: &DiagnoseArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    args.output.check(as_json, "findings are")?;
    let mut pool = args.pool.clone().settle()?;
    let columns = pool.columns.clone();
    if let (Some(_), Some(path)) = (&args.measured, &pool.pool) {
        // The outcome may be a column of the results alone.
        let table = read(path, &columns.reading())?;
        pool.columns.outcome.retain(|outcome| table.column(outcome).is_ok());
    }
    let loaded = LoadedPool::load(&pool, KERNEL_RIDGE, USUAL_TOLERANCE, args.seed, talk)?;
    let results = args.measured.as_deref().map(|path| Results::read(path, &columns, &loaded)).transpose()?;
    let spinner = talk.spinner("looking");
    let findings = findings::all(&loaded, results.as_ref(), args.seed)?;
    drop(spinner);
    let options: Vec<&str> = findings.iter().filter_map(|finding| finding.flag.as_deref()).collect();
    let document = DiagnosisDocument {
        n: loaded.pool.len(),
        features: loaded.coordinates().0.columns(),
        options: options.join(" "),
        findings,
        version: env!("CARGO_PKG_VERSION"),
    };
    let csv = || {
        let row = |finding: &Finding| {
            let flag = finding.flag.clone().map_or(Cell::Empty, |flag| Cell::Text(flag.into()));
            vec![Cell::from(finding.topic), Cell::Text(finding.finding.clone().into()), flag]
        };
        output::csv(&["about", "found", "use"], document.findings.iter().map(row))
    };
    args.output.deliver(as_json, "findings are", &document, csv, || text(&document, &loaded))
}

fn text(document: &DiagnosisDocument, loaded: &LoadedPool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["about", "found", "use"]);
    for finding in &document.findings {
        let flag = finding.flag.clone().unwrap_or_else(|| "-".to_owned());
        table.add_row([finding.topic.to_owned(), finding.finding.clone(), flag]);
    }
    let head = format!(
        "{}: {}, {}",
        loaded.file_name(),
        counted(document.n, "candidate"),
        counted(document.features, "feature")
    );
    format!("{head}\n\n{}\n\nTogether: {}\n", trimmed(&table), document.options)
}
