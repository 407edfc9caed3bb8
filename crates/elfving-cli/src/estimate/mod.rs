//! `elfving estimate`: from a plan and its outcomes to estimates with intervals.

mod picture;
mod results;
mod settings;
mod sheet;
mod summary;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use elfving::estimate::{Interval, Intervals, Mean};
use elfving::named::named_enum;
use elfving::units::Ridge;
use elfving_problem::documents::{Account, EstimateDocument};
use elfving_problem::{Estimator, Measurements};

use crate::assumption_args::AssumptionArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::named::named;
use crate::output::{self, FileFormat, Format, OutputArgs, PlotArgs};
use crate::pool_source::LoadedPool;
use crate::saved_design::{self, DesignFiles};
use results::Results;
use settings::Settings;

/// Arguments of `elfving estimate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving design pool.csv --id id --out design.json
  elfving round pool.csv --design design.json --budget 20 --shuffle --out plan.json \\
          > results.csv
      measure, and fill in the column `outcome`
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma 0.1 \\
          --noise sub-gaussian
      least squares (ridge regression, if the design has a ridge), with intervals
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma sd --format csv \\
          > estimates.csv
      the noise of each candidate in the column `sd` of the pool; all estimates for a spreadsheet
  elfving round pool.csv --design design.json --budget 400 --method sample --shuffle \\
          --out plan.json > results.csv
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma 1 --bound 2 \\
          --norm 3 --plot estimates.png
      RIPS: intervals that hold for any tails of the noise

Results are matched by the column `slot`, else by the ids, with one line per repetition. A failed run
has an empty outcome and `failed` in the column `status`: it has to be repeated. Every interval is a
theorem under the assumptions printed with it; all intervals hold together.")]
pub(crate) struct EstimateArgs {
    #[command(flatten)]
    files: DesignFiles,
    /// The plan, written by `elfving round --out plan.json`
    #[arg(long, value_name = "PLAN.json")]
    plan: PathBuf,
    /// The outcomes: the lab sheet filled in, or a table with the ids and a column of outcomes
    #[arg(long, value_name = "FILE")]
    results: PathBuf,
    /// The column of the outcomes (default: that of the design, else `outcome`)
    #[arg(long, value_name = "COLUMN")]
    outcome: Option<String>,
    /// The estimator; the plan determines which ones are possible
    #[arg(long, value_parser = named::<Estimator>(), default_value = "auto")]
    estimator: Estimator,
    /// The robust mean of RIPS
    #[arg(long, value_parser = named::<Mean>(), default_value = "catoni")]
    mean: Mean,
    /// Go on although measurements are missing; forfeits the guarantee
    #[arg(long)]
    no_guarantee: bool,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
    /// The order of the estimates
    #[arg(long, value_parser = named::<Sort>(), default_value = "estimate", help_heading = "Output")]
    sort: Sort,
    /// Estimates to print (default: 20 in a table, all elsewhere)
    #[arg(long, value_name = "N", help_heading = "Output")]
    show: Option<usize>,
}

named_enum! {
    /// The orders of the list.
    enum Sort: "order" {
        /// The largest estimate first.
        Estimate = "estimate": "The largest estimate first",
        /// The largest lower end first.
        Lower = "lower": "The largest lower end first: what is certainly good",
        /// The largest upper end first.
        Upper = "upper": "The largest upper end first: what may be good",
        /// As in the pool.
        Pool = "pool": "As in the pool",
    }
}

/// Estimates with everything needed to print, file and draw them.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    gamma: Ridge,
    plan: Measurements,
    results: Results,
    intervals: Intervals,
    /// Measurements of each candidate, where the candidates are the choices.
    measured: Vec<u64>,
    sort: Sort,
    seconds: f64,
}

pub(crate) fn run(args: &EstimateArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let document = saved_design::read_plan(&args.plan)?;
    let of_file = |error| saved_design::of_file(&args.plan, error);
    let loaded = args.files.rebuild(&document.design, console)?;
    let plan = document.measurements(&loaded).map_err(of_file)?;
    args.estimator.check(&plan)?;
    let assumptions = settings.assumptions.of(&loaded)?;
    let slots = document.slots(&plan, &loaded).map_err(of_file)?;
    let named = document.order.is_some();
    let results = Results::read(&args.results, args.outcome.as_deref(), &slots, named, &loaded)?;
    console.note(results.account());
    if results.open() > 0 && !args.no_guarantee {
        return Err(results.incomplete(&plan, &loaded));
    }

    let start = Instant::now();
    let spinner = console.spinner("estimating");
    let (plan, outcomes) = plan.measured(results.slots(), true)?;
    let (estimator, gamma, pool) = (args.estimator, document.gamma, &loaded.pool);
    let intervals = estimator.intervals(
        &loaded,
        pool,
        &plan,
        &outcomes,
        gamma,
        assumptions,
        settings.delta,
        settings.mean,
    )?;
    drop(spinner);
    let seconds = start.elapsed().as_secs_f64();

    let (measured, sort) = (plan.counts_of_all(pool.len()), args.sort);
    let answer = Answer { loaded: &loaded, gamma, plan, results, intervals, measured, sort, seconds };
    answer.deliver(&settings)
}

impl Answer<'_> {
    /// The intervals in the order asked for; ties as in the pool.
    fn sorted(&self) -> Vec<(usize, &Interval)> {
        let key = |interval: &Interval| match self.sort {
            Sort::Estimate => interval.estimate,
            Sort::Lower => interval.lower(),
            Sort::Upper => interval.upper(),
            Sort::Pool => 0.0,
        };
        let mut list: Vec<(usize, &Interval)> = self.intervals.intervals.iter().enumerate().collect();
        list.sort_by(|a, b| key(b.1).total_cmp(&key(a.1)).then(a.0.cmp(&b.0)));
        list
    }

    /// How often choice `i` was measured, where choices can be.
    fn measured(&self, i: usize) -> Option<u64> {
        self.loaded.pool.chooses_among_itself().then(|| self.measured[i])
    }

    fn document(&self, most: Option<usize>) -> EstimateDocument {
        let shown: Vec<usize> =
            self.sorted().into_iter().take(most.unwrap_or(usize::MAX)).map(|(choice, _)| choice).collect();
        let account = Account {
            lines: self.results.lines(),
            recorded: self.results.recorded(),
            open: self.results.open(),
            failed: self.results.failed(),
        };
        EstimateDocument::of(
            self.loaded,
            &self.plan,
            self.gamma,
            &self.intervals,
            account,
            &shown,
            self.seconds,
        )
    }

    fn deliver(&self, settings: &Settings) -> Result<(), CliError> {
        if let Some((path, format)) = &settings.out {
            let bytes = match format {
                FileFormat::Json => output::json_file(&self.document(None)),
                FileFormat::Csv => sheet::csv(self, None, path)?,
            };
            output::write_file(path, &bytes)?;
        }
        if let Some((path, format)) = &settings.plot {
            output::write_file(path, &picture::draw(self)?.to_bytes(*format)?)?;
        }
        match settings.format {
            Format::Json => output::print(output::json_line(&self.document(settings.show))),
            Format::Csv => output::print(sheet::csv(self, settings.show, Path::new("stdout"))?),
            Format::Table => output::show(summary::text(self, settings.show.unwrap_or(summary::MOST_ROWS))),
        }
    }
}
